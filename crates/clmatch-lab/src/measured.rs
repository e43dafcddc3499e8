//! All measures of a dataset, each computed alone and timed.

use std::time::Instant;

use clmatch::measure::{self, REGISTRY};
use clmatch::{AllTerms, Classes, ClmTerms, Control, DataError, Evaluation, Measure, evaluate};
use serde::{Deserialize, Serialize};

use crate::second_form::second_form;
use clmatch_truth::results::{Results, TableError};

/// Computations shorter than this, in seconds, are repeated; the fastest counts.
const SHORT: f64 = 0.2;
const REPEATS: usize = 5;

/// The measures of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The name of the dataset.
    pub dataset: String,
    /// The number of points n.
    pub points: usize,
    /// The number of features d.
    pub features: usize,
    /// The number of classes K.
    pub classes: usize,
    /// The measures, in the order of the registry.
    pub measures: Vec<Timed>,
    /// The terms of `clm`.
    pub terms: HeadlineTerms,
}

/// The terms of `clm`: the means over pairs of classes, the terms of all classes at once, and the second form of `clm`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HeadlineTerms {
    /// The means over pairs of classes.
    pub pairs: ClmTerms,
    /// The terms of all classes at once.
    pub all: AllTerms,
    /// The second form of `clm`.
    pub second_form: f64,
}

impl HeadlineTerms {
    /// The terms of an evaluation with `clm`; NaN where a term is missing.
    ///
    /// # Errors
    /// [`DataError::Stopped`] if `control` stops the work.
    pub fn of(
        classes: &Classes<'_>,
        evaluation: &Evaluation,
        control: Control<'_>,
    ) -> Result<Self, DataError> {
        let terms = evaluation.terms.as_ref();
        Ok(HeadlineTerms {
            pairs: terms.map_or_else(|| ClmTerms::mean(&[]), |terms| terms.mean),
            all: terms
                .and_then(|terms| terms.all)
                .unwrap_or_else(|| AllTerms::new(f64::NAN, f64::NAN, f64::NAN)),
            second_form: second_form(classes, evaluation, control)?,
        })
    }
}

/// One measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// The id of the measure.
    pub id: String,
    /// The value as it is defined.
    pub value: f64,
    /// The seconds that it took alone, from validated points to the value.
    pub seconds: f64,
}

impl Measured {
    /// Computes every measure of the registry.
    ///
    /// # Errors
    /// If a class has a single point.
    pub fn of(dataset: &str, classes: &Classes<'_>) -> Result<Measured, DataError> {
        let measures = REGISTRY.iter().map(|measure| timed(classes, measure)).collect::<Result<_, _>>()?;
        let headline: Vec<&'static Measure> = measure::find("clm").into_iter().collect();
        let terms = HeadlineTerms::of(classes, &evaluate(classes, &headline)?, Control::none())?;
        Ok(Measured {
            dataset: dataset.to_owned(),
            points: classes.n_points(),
            features: classes.points().n_features(),
            classes: classes.n_classes(),
            measures,
            terms,
        })
    }

    /// A measure by its id.
    pub fn get(&self, id: &str) -> Option<&Timed> {
        self.measures.iter().find(|timed| timed.id == id)
    }

    /// The value of a measure, converted so that higher is better.
    pub fn upward(&self, measure: &Measure) -> f64 {
        self.get(measure.id).map_or(f64::NAN, |timed| measure.upward(timed.value))
    }
}

/// The measured datasets, in the order of the results.
pub(crate) fn aligned<'a>(
    measured: &'a [Measured],
    results: &Results,
) -> Result<Vec<&'a Measured>, TableError> {
    let help = "give the tables of the same datasets";
    if let Some(extra) = measured.iter().find(|one| results.place(&one.dataset).is_none()) {
        return Err(TableError::new(None, format!("{} has no scores in a table", extra.dataset), help));
    }
    let find = |name: &String| measured.iter().find(|one| one.dataset == *name);
    let missing = |name: &String| TableError::new(None, format!("{name} is not among the datasets"), help);
    results.datasets.iter().map(|name| find(name).ok_or_else(|| missing(name))).collect()
}

fn timed(classes: &Classes<'_>, measure: &'static Measure) -> Result<Timed, DataError> {
    let mut best = Timed { id: measure.id.to_owned(), value: f64::NAN, seconds: f64::INFINITY };
    for _ in 0..REPEATS {
        let start = Instant::now();
        let evaluation = evaluate(classes, &[measure])?;
        best.value = evaluation.scores[0].1.value;
        best.seconds = best.seconds.min(start.elapsed().as_secs_f64());
        if best.seconds > SHORT {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
impl HeadlineTerms {
    pub(crate) fn example() -> Self {
        let all = AllTerms::new(0.5, 0.5, 0.5);
        HeadlineTerms { pairs: ClmTerms::new(0.5, 0.5, 0.5), all, second_form: 0.5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::{Labels, Points};

    #[test]
    fn every_measure_is_there_and_points_upward() {
        let points = Points::new(&[0.0, 0.1, 0.3, 5.0, 5.2, 5.3], 1).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 0, 0, 1, 1, 1])).unwrap();
        let measured = Measured::of("six", &classes).unwrap();
        assert_eq!(measured.measures.len(), REGISTRY.len());
        assert!(measured.measures.iter().all(|timed| timed.seconds > 0.0));
        let db = clmatch::measure::find("db").unwrap();
        assert_eq!(measured.upward(db), -measured.get("db").unwrap().value);
        assert_eq!((measured.points, measured.features, measured.classes), (6, 1, 2));
    }
}

//! One evaluator for any list of measures: it computes the union of their statistics once, then every score.
//!
//! ```
//! use clmatch::{Classes, Labels, Points, evaluate, measure};
//!
//! let points = Points::new(vec![0.0, 2.0, 1.0, 3.0, 20.0, 21.0], 1)?;
//! let classes = Classes::new(points, &Labels::encode(["a", "a", "b", "b", "c", "c"]))?;
//! let found = evaluate(&classes, &[measure::find("ch_a").unwrap(), measure::find("sc").unwrap()])?;
//! let ch_a = found.score("ch_a").unwrap();
//! // One score for each pair of classes: a and b are the pair that is hardest to tell apart.
//! assert_eq!(ch_a.pairs.len(), 3);
//! assert!(ch_a.pairs[0] < ch_a.pairs[1] && ch_a.pairs[0] < ch_a.pairs[2]);
//! # Ok::<(), clmatch::DataError>(())
//! ```

use std::fmt::Display;
use std::hash::Hash;

use clmatch_kernels::Control;
use clmatch_kernels::parallel;

use crate::classes::Classes;
use crate::error::DataError;
use crate::labels::Labels;
use crate::measure::clm::{AllTerms, ClmTerms};
use crate::measure::{CLM, Definition, Measure, OfAll, Scope};
use crate::memory;
use crate::needs::Plan;
use crate::points::{Points, Values};
use crate::protocol::{BaseMeasure, DatasetMeasure, Mean, OverPairs, Variant};
use crate::statistics::{Statistics, View};

/// This few pairs of classes are not worth another thread.
const PAIRS_AT_ONCE: usize = 16;
/// Pairs that are scored between two checks whether to stop.
const PAIRS_BETWEEN_CHECKS: usize = 1 << 15;

/// The value of one measure.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Score {
    /// The score of the dataset.
    pub value: f64,
    /// The score of each pair of classes, in the order of [`Classes::pairs`]; empty for a measure without T3.
    pub pairs: Vec<f64>,
}

/// Everything that was requested about a dataset.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Evaluation {
    /// One score per measure, in the order of the list of measures.
    #[cfg_attr(feature = "serde", serde(serialize_with = "by_id"))]
    pub scores: Vec<(&'static str, Score)>,
    /// Values of single points, for the measures that have them; empty unless they were requested.
    pub points: Vec<PointScores>,
    /// The terms of the headline score, if it was computed and is exact.
    pub terms: Option<Terms>,
}

/// The terms of the headline score `clm`: they show which of its three questions fails, for pairs of classes and for all classes
/// at once.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Terms {
    /// The half of the score that compares pairs of classes: the mean of their scores, which is `clm_pairs`.
    pub of_pairs: f64,
    /// The means over all pairs of classes.
    pub mean: ClmTerms,
    /// The terms of each pair of classes, in the order of [`Classes::pairs`].
    pub pairs: Vec<ClmTerms>,
    /// The terms of all classes at once, whose score is the other half; `None` if only `clm_pairs` was computed.
    pub all: Option<AllTerms>,
}

/// The values of a measure at the points of the input.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PointScores {
    /// The id of the measure.
    pub id: &'static str,
    /// One value per row of the input; `None` for rows that were left out.
    pub values: Vec<Option<f64>>,
}

impl Score {
    /// A score with the scores of the pairs of classes, which are empty for a measure without T3.
    pub fn new(value: f64, pairs: Vec<f64>) -> Self {
        Score { value, pairs }
    }
}

/// Serializes scores as a map from ids, in their order.
#[cfg(feature = "serde")]
fn by_id<S: serde::Serializer>(scores: &[(&'static str, Score)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(scores.iter().map(|(id, score)| (id, score)))
}

impl Evaluation {
    /// The score of a measure, by its id.
    pub fn score(&self, id: &str) -> Option<&Score> {
        self.scores.iter().find(|(known, _)| *known == id).map(|(_, score)| score)
    }

    /// The value of a measure, by its id.
    pub fn value(&self, id: &str) -> Option<f64> {
        self.score(id).map(|score| score.value)
    }
}

/// Scores a matrix of points, row after row, with the label of each row: the headline score `clm`.
///
/// It is 1 where every class is a cluster of its own, and 0 where labels say nothing about clusters. [`evaluate`] tells more.
///
/// ```
/// let points: Vec<[f64; 2]> =
///     (0..40).map(|row| [f64::from(row % 20), f64::from(row * 7 % 20 + row / 20 * 60)]).collect();
/// let labels = (0..40).map(|row| if row < 20 { "low" } else { "high" });
/// assert!(clmatch::score(points.as_flattened(), 2, labels)? > 0.99);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// # Errors
/// Numbers that are not finite or do not make whole rows, a number of labels that is not that of rows, fewer than two classes,
/// and a class with a single point.
pub fn score<'a, L: Eq + Hash + Display>(
    values: impl Into<Values<'a>>,
    features: usize,
    labels: impl IntoIterator<Item = L>,
) -> Result<f64, DataError> {
    let classes = Classes::new(Points::new(values, features)?, &Labels::encode(labels))?;
    Ok(evaluate(&classes, &[&CLM])?.scores[0].1.value)
}

/// Evaluates measures on a dataset.
///
/// ```
/// use clmatch::{Classes, Labels, Points, evaluate, measure};
/// let points = Points::new(&[0.0, 0.1, 0.3, 5.0, 5.2, 5.3], 1)?;
/// let classes = Classes::new(points, &Labels::encode(["a", "a", "a", "b", "b", "b"]))?;
/// let evaluation = evaluate(&classes, &measure::defaults())?;
/// assert!(evaluation.value("ch_a").unwrap() > 0.99);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// # Errors
/// A class with a single point, if the list has a measure on pairs, or more classes than the memory has room for.
pub fn evaluate(classes: &Classes<'_>, measures: &[&'static Measure]) -> Result<Evaluation, DataError> {
    evaluate_with(classes, measures, false, Control::none())
}

/// As [`evaluate`], and also returns the values of single points for measures that have them.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_points(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
) -> Result<Evaluation, DataError> {
    evaluate_with(classes, measures, true, Control::none())
}

/// As [`evaluate`] or, with `per_point`, [`evaluate_points`]; the work can be stopped.
///
/// # Errors
/// As [`evaluate`], or [`DataError::Stopped`] if `control` stops the work.
pub fn evaluate_with(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    per_point: bool,
    control: Control<'_>,
) -> Result<Evaluation, DataError> {
    let statistics = Statistics::compute(classes, checked_plan(classes, measures)?, control)?;
    let mut evaluation = evaluation_of(&statistics, classes, measures, control)?;
    let with_points = measures.iter().filter(|measure| per_point && measure.point_scores.is_some());
    evaluation.points = with_points.map(|measure| point_scores(&statistics, classes, measure)).collect();
    Ok(evaluation)
}

/// What the measures need, after a check that the classes are fit for them.
pub(crate) fn checked_plan(classes: &Classes<'_>, measures: &[&'static Measure]) -> Result<Plan, DataError> {
    if let Some(measure) = measures.iter().find(|measure| measure.scope() == Scope::Pairs) {
        refuse_singletons(classes, measure.id)?;
    }
    memory::check(classes, measures, None)?;
    Ok(measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan())))
}

/// The scores that follow from finished statistics.
pub(crate) fn evaluation_of(
    statistics: &Statistics,
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    control: Control<'_>,
) -> Result<Evaluation, DataError> {
    let mut evaluation = Evaluation { scores: Vec::new(), points: Vec::new(), terms: None };
    for &measure in measures {
        let score = match measure.definition.terms() {
            Some(of_pair) => {
                let known = evaluation.terms.take();
                let terms = match known {
                    Some(known) => Terms { all: known.all.or(all_terms(statistics, measure)), ..known },
                    None => Terms {
                        all: all_terms(statistics, measure),
                        ..pair_terms(over_pairs(statistics, classes, measure.definition, of_pair, control)?)
                    },
                };
                let of_all = terms.all.filter(|_| measure.definition.of_all().is_some());
                let value = of_all.map_or(terms.of_pairs, |all| (terms.of_pairs + all.score()) / 2.0);
                let pairs = terms.pairs.iter().map(ClmTerms::score).collect();
                evaluation.terms = Some(terms);
                Score { value, pairs }
            }
            None => score_of_measure(statistics, classes, measure, control)?,
        };
        evaluation.scores.push((measure.id, score));
    }
    Ok(evaluation)
}

/// The terms of pairs of classes, without those of all classes.
fn pair_terms(pairs: Vec<ClmTerms>) -> Terms {
    let scores: Vec<f64> = pairs.iter().map(ClmTerms::score).collect();
    Terms { of_pairs: Mean.of(&scores), mean: ClmTerms::mean(&pairs), pairs, all: None }
}

/// The terms of all classes at once, if the measure has them.
fn all_terms(statistics: &Statistics, measure: &Measure) -> Option<AllTerms> {
    measure.definition.of_all().map(|OfAll { needs, terms }| terms(&statistics.whole_with(needs)))
}

fn refuse_singletons(classes: &Classes<'_>, measure: &'static str) -> Result<(), DataError> {
    match (0..classes.n_classes()).find(|&class| classes.size(class) == 1) {
        Some(class) => Err(DataError::Singleton { class: classes.names()[class].clone(), measure }),
        None => Ok(()),
    }
}

/// The score of one measure that follows from finished statistics.
pub(crate) fn score_of_measure(
    statistics: &Statistics,
    classes: &Classes<'_>,
    measure: &Measure,
    control: Control<'_>,
) -> Result<Score, DataError> {
    score_of(statistics, classes, measure.definition, control)
}

impl<M: DatasetMeasure> Variant<M> {
    /// The score of a dataset.
    ///
    /// # Errors
    /// None so far: validated classes have everything that is needed.
    pub fn evaluate(&self, classes: &Classes<'_>) -> Result<Score, DataError> {
        evaluate_definition(classes, self, Control::none())
    }
}

impl<M: BaseMeasure> Variant<M, OverPairs> {
    /// The score of a dataset, and of each pair of classes.
    ///
    /// # Errors
    /// If a class has a single point.
    pub fn evaluate(&self, classes: &Classes<'_>) -> Result<Score, DataError> {
        self.evaluate_with(classes, Control::none())
    }

    /// As [`Variant::evaluate`]; the work can be stopped.
    ///
    /// # Errors
    /// If a class has a single point, or [`DataError::Stopped`] if `control` stops the work.
    pub fn evaluate_with(&self, classes: &Classes<'_>, control: Control<'_>) -> Result<Score, DataError> {
        evaluate_definition(classes, self, control)
    }
}

/// The score of a measure that is not in the registry.
fn evaluate_definition(
    classes: &Classes<'_>,
    definition: &dyn Definition,
    control: Control<'_>,
) -> Result<Score, DataError> {
    if definition.aggregate().is_some() {
        refuse_singletons(classes, "a measure on pairs of classes")?;
    }
    let statistics = Statistics::compute(classes, definition.plan(), control)?;
    score_of(&statistics, classes, definition, control)
}

fn score_of(
    statistics: &Statistics,
    classes: &Classes<'_>,
    definition: &dyn Definition,
    control: Control<'_>,
) -> Result<Score, DataError> {
    let needs = definition.needs();
    let Some(aggregate) = definition.aggregate() else {
        return Ok(Score { value: definition.value(&statistics.whole_with(needs)), pairs: Vec::new() });
    };
    let pairs = over_pairs(statistics, classes, definition, |view| definition.value(view), control)?;
    let of_all = |OfAll { needs, terms }| terms(&statistics.whole_with(needs)).score();
    let of_pairs = aggregate.of(&pairs);
    Ok(Score { value: definition.of_all().map(of_all).map_or(of_pairs, |all| (of_pairs + all) / 2.0), pairs })
}

/// Computes something for every pair of classes, in their order. There may be millions of pairs, so the work can be stopped in
/// between.
fn over_pairs<T: Send>(
    statistics: &Statistics,
    classes: &Classes<'_>,
    definition: &dyn Definition,
    of_pair: impl Fn(&View<'_>) -> T + Sync,
    control: Control<'_>,
) -> Result<Vec<T>, DataError> {
    let pairs: Vec<(usize, usize)> = classes.pairs().collect();
    let needs = definition.needs();
    let of_pair = |(i, j): (usize, usize)| of_pair(&statistics.pair_with(i, j, needs));
    let mut found = Vec::with_capacity(pairs.len());
    for some in pairs.chunks(PAIRS_BETWEEN_CHECKS) {
        control.check()?;
        found.extend(parallel::map_range_at_least(PAIRS_AT_ONCE, some.len(), |at| of_pair(some[at])));
    }
    Ok(found)
}

/// The sets that a measure is computed on: the whole dataset, or all pairs of classes in their order.
pub(crate) fn views_of<'a>(statistics: &'a Statistics, measure: &Measure) -> Vec<View<'a>> {
    let (count, needs) = (statistics.n_classes(), measure.definition.needs());
    match measure.scope() {
        Scope::Dataset => vec![statistics.whole_with(needs)],
        Scope::Pairs => (0..count)
            .flat_map(|i| (i + 1..count).map(move |j| (i, j)))
            .map(|(i, j)| statistics.pair_with(i, j, needs))
            .collect(),
    }
}

/// Values of single points; for a measure on pairs, the mean over the pairs that contain the point's class.
fn point_scores(statistics: &Statistics, classes: &Classes<'_>, measure: &Measure) -> PointScores {
    let mut values = vec![None; classes.points().n_points()];
    let Some(of_class) = measure.point_scores else {
        return PointScores { id: measure.id, values };
    };
    let needs = measure.definition.needs();
    for class in 0..classes.n_classes() {
        let views: Vec<View<'_>> = match measure.scope() {
            Scope::Dataset => vec![statistics.whole_with(needs)],
            Scope::Pairs => (0..classes.n_classes())
                .filter(|&other| other != class)
                .map(|other| statistics.pair_with(class.min(other), class.max(other), needs))
                .collect(),
        };
        let mut sums = vec![0.0; classes.size(class)];
        for view in &views {
            sums.iter_mut().zip(of_class(view, class)).for_each(|(sum, value)| *sum += value);
        }
        for (&row, sum) in classes.order()[classes.range(class)].iter().zip(sums) {
            values[row] = Some(sum / views.len() as f64);
        }
    }
    PointScores { id: measure.id, values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::GrowthRate;
    use crate::measure::{Axioms, Better, Kind, REGISTRY, Verdict};
    use crate::protocol::Min;
    use crate::{Labels, Points};

    static WORST_PAIR: Measure = Measure {
        id: "worst_pair",
        aliases: &[],
        name: "the worst pair",
        kind: Kind::Adjusted,
        better: Better::Higher,
        range: (0.0, 1.0),
        axioms: Axioms {
            w1: Verdict::Holds,
            w2: Verdict::Breaks,
            w3: Verdict::Holds,
            w4: Verdict::Holds,
            a1: Verdict::Limit,
            a2: Verdict::Limit,
            a3: Verdict::Holds,
            a4: Verdict::Limit,
        },
        meaning: "a test",
        formula: "a test",
        reference: "a test",
        background: "",
        definition: &Variant::new(crate::measure::CalinskiHarabasz)
            .t1()
            .t2()
            .with_growth(GrowthRate::CH.value)
            .t3(Min),
        point_scores: None,
    };

    fn three_classes() -> Classes<'static> {
        let values = vec![0.0, 0.4, 0.1, 5.0, 5.5, 5.1, 6.0, 6.1, 6.6, 0.2, 4.9, 6.3];
        let labels = Labels::encode([0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1, 2]);
        Classes::new(Points::new(values, 1).unwrap(), &labels).unwrap()
    }

    #[test]
    fn a_registered_measure_is_aggregated_as_it_is_defined() {
        let score = evaluate(&three_classes(), &[&WORST_PAIR]).unwrap().scores.remove(0).1;
        assert_eq!(score.pairs.len(), 3);
        assert_eq!(score.value, score.pairs.iter().copied().fold(1.0, f64::min));
        assert!(score.pairs.iter().any(|&pair| pair > score.value));
    }

    /// A formula that reads statistics it does not declare panics, here and in every other test that evaluates it.
    #[test]
    fn measures_read_only_what_they_declare() {
        for &measure in REGISTRY {
            let found = evaluate_points(&three_classes(), &[measure]).unwrap();
            assert!(!found.scores[0].1.value.is_nan(), "{}", measure.id);
            let values = found.points.iter().flat_map(|points| &points.values);
            assert!(values.flatten().all(|value| !value.is_nan()), "{}", measure.id);
        }
    }
}

//! The best estimate in a given time, where comparing some points with all others is not enough: for measures that need spanning
//! trees, and for those that depend on single points.
//!
//! Samples of rows, each twice as large as the one before, are scored in the way in which a [`summary`](crate::summary) scores
//! the rows that it keeps. How long that takes shows how long all points would take, on this machine and with these data:
//!
//! ```text
//! time of all points <= time of m rows * (n / m)^2
//! ```
//!
//! where the time of m rows includes that of their halves, quarters and eighths, which about doubles it. If all points fit into
//! the time that is left, the scores are exact. If not, at most half of the time goes into samples, and the rest into the
//! measures that need no trees.

use std::time::{Duration, Instant};

use clmatch_kernels::Control;

use super::{Approximation, Estimate, Way, estimate_distances, exact};
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{Evaluation, Score, evaluate_with};
use crate::labels::Labels;
use crate::matrix::Matrix;
use crate::measure::Measure;
use crate::needs::Needs;
use crate::summary::{Certainty, Summarised, Summary, SummaryError, SummarySettings};

/// Rows of the first sample. So few take a fraction of a second, however little time there is.
const FIRST: usize = 2048;
/// Twice as many rows take about four times as long, and a little more.
const GROWTH: u32 = 5;

/// Whether a measure takes all points, or a sample of whole rows.
pub(super) fn takes_rows(measure: &Measure) -> bool {
    Way::of(measure) == Way::None || measure.needs().has(Needs::KAPPA)
}

/// Estimates measures, some of which take rows, in about `limit`. What takes all points, and longer than that, is left out.
pub(super) fn estimate_in_time(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    how: &Approximation,
    limit: Duration,
    control: Control<'_>,
) -> Result<Estimate, DataError> {
    let start = Instant::now();
    let left = || limit.saturating_sub(start.elapsed());
    if classes.n_points() <= FIRST {
        return Ok(exact(evaluate_with(classes, measures, false, control)?));
    }
    let (of_rows, others): (Vec<_>, Vec<_>) =
        measures.iter().copied().partition(|measure| takes_rows(measure));
    let all = Rows::of(classes)?;
    let (mut wanted, mut found) = (FIRST, None);
    loop {
        let began = Instant::now();
        // Fewer rows than those of the first sample say nothing, so these are waited for.
        let timed = if found.is_none() { control } else { control.until(start + limit / 2) };
        match all.sampled(&of_rows, wanted, how.seed, timed.quiet()) {
            Err(DataError::Stopped) if found.is_some() => control.check()?,
            sampled => found = Some(sampled?),
        }
        let spent = began.elapsed();
        let rows = found.as_ref().map_or(wanted, |found| found.sampled as usize);
        if time_for_all(spent, rows, classes.n_points()) <= left() {
            match evaluate_with(classes, measures, false, control.until(start + limit)) {
                Err(DataError::Stopped) => control.check()?,
                evaluation => return Ok(exact(evaluation?)),
            }
            break;
        }
        let for_samples = (limit / 2).saturating_sub(start.elapsed());
        if spent.saturating_mul(GROWTH) > for_samples || 2 * wanted >= classes.n_points() {
            break;
        }
        wanted *= 2;
    }
    let others = if others.is_empty() {
        None
    } else {
        let how = Approximation { limit: Some(left()), ..*how };
        Some(estimate_distances(classes, &others, &how, control)?)
    };
    together(measures, others, found.as_ref())
}

/// How long all points take at most, judging by a sample.
fn time_for_all(spent: Duration, rows: usize, points: usize) -> Duration {
    let factor = (points as f64 / rows as f64).powi(2);
    Duration::try_from_secs_f64(spent.as_secs_f64() * factor).unwrap_or(Duration::MAX)
}

/// One estimate of scores from two sources, in the order of the measures.
fn together(
    measures: &[&'static Measure],
    others: Option<Estimate>,
    rows: Option<&Summarised>,
) -> Result<Estimate, DataError> {
    let (mut scores, mut errors, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for measure in measures {
        let other = others.as_ref().and_then(|others| {
            let at = others.evaluation.scores.iter().position(|(id, _)| *id == measure.id)?;
            Some((others.evaluation.scores[at].1.clone(), others.errors[at]))
        });
        let of_rows = || {
            let score = rows?.score(measure.id).filter(|score| score.certainty != Certainty::AtMost)?;
            let error = score.error.unwrap_or(f64::INFINITY);
            Some((Score { value: score.value, pairs: score.pairs.clone() }, error))
        };
        match other.or_else(of_rows) {
            Some((score, error)) => {
                scores.push((measure.id, score));
                errors.push(error);
            }
            None => left_out.push(measure.id),
        }
    }
    if let (true, Some(measure)) = (scores.is_empty(), left_out.first()) {
        return Err(DataError::OutOfTime { measure });
    }
    let of_rows = rows.map_or(0, |rows| rows.sampled as usize);
    Ok(Estimate {
        evaluation: Evaluation { scores, points: Vec::new(), terms: None },
        exact: errors.iter().all(|&error| error == 0.0),
        errors,
        sampled: others.map_or(0, |others| others.sampled).max(of_rows),
        left_out,
    })
}

/// The points in the order of their classes, with their labels.
struct Rows<'a> {
    values: Matrix<'static>,
    labels: Labels,
    classes: &'a Classes<'a>,
}

impl<'a> Rows<'a> {
    fn of(classes: &'a Classes<'a>) -> Result<Rows<'a>, DataError> {
        let code = |class: usize| std::iter::repeat_n(class as u32, classes.size(class));
        let codes = (0..classes.n_classes()).flat_map(code).collect();
        let values = classes.points().coordinates(classes.order())?;
        Ok(Rows { values, labels: Labels::from_codes(codes, classes.names()), classes })
    }

    /// The scores of a sample of about `wanted` rows, with their errors.
    fn sampled(
        &self,
        measures: &[&'static Measure],
        wanted: usize,
        seed: u64,
        control: Control<'_>,
    ) -> Result<Summarised, DataError> {
        // The points are in memory already: their copies must not be refused.
        let settings =
            SummarySettings::new(measures).with_memory(usize::MAX).with_sample(wanted).with_seed(seed);
        let sampled = || {
            let mut summary = Summary::of_centroids(self.classes.points().n_features(), &settings)?;
            summary.update(self.values.values(), &self.labels, 0)?;
            summary.finish(None, control)
        };
        sampled().map_err(|error| match error {
            SummaryError::Data(error) => error,
            // Checked points and at least one measure are refused for no other reason.
            _ => DataError::OutOfTime { measure: measures[0].id },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::find;

    #[test]
    fn ten_times_the_points_take_a_hundred_times_as_long() {
        let spent = Duration::from_millis(20);
        assert_eq!(time_for_all(spent, 2048, 20_480), Duration::from_secs(2));
        assert_eq!(time_for_all(Duration::MAX, 1, usize::MAX), Duration::MAX);
    }

    #[test]
    fn measures_of_trees_and_of_single_points_take_rows() {
        let takes = |id: &str| takes_rows(find(id).unwrap());
        assert!(takes("clm") && takes("di"));
        assert!(!takes("sc_a") && !takes("ch_a"));
    }

    #[test]
    fn a_measure_without_an_estimate_is_left_out() {
        let measures = [find("di").unwrap(), find("ch_a").unwrap()];
        let scores = vec![("ch_a", Score { value: 0.5, pairs: Vec::new() })];
        let evaluation = Evaluation { scores, points: Vec::new(), terms: None };
        let others =
            Estimate { evaluation, errors: vec![0.0], sampled: 0, exact: true, left_out: Vec::new() };
        let found = together(&measures, Some(others), None).unwrap();
        assert_eq!(
            (found.evaluation.value("ch_a"), found.left_out, found.exact),
            (Some(0.5), vec!["di"], true)
        );
        let refused = together(&measures[..1], None, None);
        assert_eq!(refused, Err(DataError::OutOfTime { measure: "di" }));
    }
}

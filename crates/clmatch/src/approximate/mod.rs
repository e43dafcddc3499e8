//! Estimates for data where comparing all points with each other would take too long.
//!
//! Some points of every class are compared with *all* points: those far from their centroid with certainty, and others drawn at
//! random. The contribution of these points to a measure is then exact, and it is also used to estimate the contribution of all
//! others: each file says how, for the measures of one kind. The stated errors are half the width of a 95% interval; how often
//! they cover the exact score has been counted, see `cargo xtask coverage`.

mod in_time;
mod mean_distances;
mod neighbours;
mod point_means;
mod sample;
mod variance;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clmatch_kernels::Control;

use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{Evaluation, Score, checked_plan, evaluation_of, score_of_measure};
use crate::measure::Measure;
use crate::needs::Needs;
use crate::protocol::Aggregate;
use crate::statistics::{BaseStatistics, Statistics};

use in_time::{estimate_in_time, takes_rows};
use mean_distances::MeanDistances;
use point_means::PointMeans;
use sample::{FIRST, PointSample};

/// The exact sweep uses symmetry and wider arithmetic: if more than this share of the points would be drawn, it is faster, and
/// has no error.
const WORTHWHILE: f64 = 0.1;
/// An error below this is rounding, and counts as 0.
const ROUNDING: f64 = 1e-12;

/// How precise an estimate must be, and how long it may take.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Approximation {
    /// The largest 95% error of any score; `None` continues until time runs out.
    pub error: Option<f64>,
    /// The time after which the best estimate so far is returned.
    pub limit: Option<Duration>,
    /// The seed of the draw.
    pub seed: u64,
}

impl Approximation {
    /// An estimate whose scores all have at most this 95% error, or the best one after this time, whichever comes first.
    ///
    /// Without a bound on the error, it takes all the time it is given; without either bound, it continues until it is exact.
    pub const fn new(error: Option<f64>, limit: Option<Duration>) -> Self {
        Approximation { error, limit, seed: 0 }
    }

    /// This approximation with another seed.
    #[must_use]
    pub const fn with_seed(self, seed: u64) -> Self {
        Approximation { seed, ..self }
    }
}

/// An estimate with its error.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Estimate {
    /// The estimated scores.
    pub evaluation: Evaluation,
    /// The 95% error of each score, in the same order; 0 where it is exact, infinite where none can be stated.
    pub errors: Vec<f64>,
    /// How many points were compared with all others, or with each other if those are more.
    pub sampled: usize,
    /// Whether the scores turned out to be exact.
    pub exact: bool,
    /// Measures without a score: only all points determine them, and there was no time for these.
    pub left_out: Vec<&'static str>,
}

/// Estimates measures from a sample of the points.
///
/// ```
/// use clmatch::{Approximation, Classes, Labels, Points, estimate, measure};
///
/// let values: Vec<f64> = (0..60).map(|at| f64::from(at % 3) * 5.0 + f64::from(at * 7 % 11) / 10.0).collect();
/// let classes = Classes::new(Points::new(values, 1)?, &Labels::encode((0..60).map(|at| at % 3)))?;
/// let found = estimate(&classes, &measure::defaults(), &Approximation::new(Some(0.01), None))?;
/// assert!(found.errors.iter().all(|&error| error <= 0.01));
/// assert!(found.exact, "so few points are not worth a sample");
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// Of `clm`, only the agreement of neighbours is estimated. Its spanning trees, and what k-means makes of the classes, are
/// computed from all points: a sample says too little about the gaps between classes, because a tree of fewer points has other
/// gaps. Within a time limit there may be no other way: `clm` is then that of a sample of rows, as in a
/// [`summary`](crate::summary), with an error if one can be stated.
///
/// Time: O(m n d) for m points, O(n^2 d) for `clm` without a time limit. Memory: O(n (d + K)) beyond the copy of the points.
///
/// # Errors
/// As [`evaluate`](crate::evaluate()), or a measure that depends on single points, such as `di`. Within a time limit such a
/// measure is left out if all points take too long; if nothing else was asked for, this is [`DataError::OutOfTime`].
pub fn estimate(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    how: &Approximation,
) -> Result<Estimate, DataError> {
    estimate_with(classes, measures, how, Control::none())
}

/// As [`estimate`]; the work can be stopped.
///
/// # Errors
/// As [`estimate`], or [`DataError::Stopped`] if `control` stops the work.
pub fn estimate_with(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    how: &Approximation,
    control: Control<'_>,
) -> Result<Estimate, DataError> {
    if let (Some(limit), true) = (how.limit, measures.iter().any(|measure| takes_rows(measure))) {
        checked_plan(classes, measures)?;
        return estimate_in_time(classes, measures, how, limit, control);
    }
    if let Some(measure) = measures.iter().find(|measure| Way::of(measure) == Way::None) {
        return Err(DataError::NotEstimable { measure: measure.id });
    }
    estimate_distances(classes, measures, how, control)
}

/// Estimates measures that need no trees, or whose trees may take any time.
fn estimate_distances(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    how: &Approximation,
    control: Control<'_>,
) -> Result<Estimate, DataError> {
    let plan = checked_plan(classes, measures)?;
    let start = Instant::now();
    let base = Arc::new(BaseStatistics::compute(classes, plan, control, control)?);
    let needs = plan.any();
    if !needs.any_distance() {
        let statistics = Statistics::complete(base, plan, control)?;
        return Ok(exact(evaluation_of(&statistics, classes, measures, control)?));
    }
    let mut sample = PointSample::new(base.frame(), needs, how.seed);
    let mut wanted = FIRST;
    loop {
        control.check()?;
        let left = how.limit.map(|limit| limit.saturating_sub(start.elapsed()));
        let worthwhile = sample.share(wanted) > WORTHWHILE;
        if worthwhile && left.is_none_or(|left| sample.time_for_all() < left) {
            let statistics = Statistics::complete(base, plan, control)?;
            return Ok(exact(evaluation_of(&statistics, classes, measures, control)?));
        }
        sample.grow(base.frame(), wanted, left.map(|left| Instant::now() + left));
        let estimates = estimates(&base, classes, &sample, measures, control)?;
        let reached = |&error: &f64| how.error.is_some_and(|bound| error <= bound);
        let late = how.limit.is_some_and(|limit| start.elapsed() >= limit);
        let is_exact = sample.is_complete();
        if estimates.iter().all(|estimate| reached(&estimate.error)) || late || is_exact {
            return Ok(finish(measures, estimates, sample.len(), is_exact));
        }
        let factor = how.error.map_or(2.0, |bound| growth(measures, &estimates, bound));
        wanted = (wanted as f64 * factor).ceil() as usize;
    }
}

/// How a measure can be computed without comparing all points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// It needs no distances between points.
    Exact,
    /// [`point_means`]
    PointMeans,
    /// [`mean_distances`]
    MeanDistances,
    /// [`neighbours`]
    Neighbours,
    /// It depends on single points.
    None,
}

impl Way {
    fn of(measure: &Measure) -> Way {
        let needs = measure.needs();
        if needs.has(Needs::EXTREMES) {
            Way::None
        } else if !needs.any_distance() {
            Way::Exact
        } else if measure.aggregate().is_some_and(|aggregate| aggregate != Aggregate::Mean) {
            // The errors of pairs cancel in a mean, but not in the worst pair.
            Way::None
        } else if needs.has(Needs::NEAREST) {
            Way::Neighbours
        } else if measure.point_scores.is_some() {
            Way::PointMeans
        } else {
            Way::MeanDistances
        }
    }
}

/// The score of one measure with its error.
#[derive(Debug, Clone)]
struct Estimated {
    value: f64,
    pairs: Vec<f64>,
    /// Half the width of a 95% interval.
    error: f64,
}

fn estimates(
    base: &Arc<BaseStatistics>,
    classes: &Classes<'_>,
    sample: &PointSample,
    measures: &[&'static Measure],
    control: Control<'_>,
) -> Result<Vec<Estimated>, DataError> {
    let any = |way| measures.iter().any(|measure| Way::of(measure) == way);
    let without_distances = Statistics::with_totals(base.clone(), Vec::new());
    let points = any(Way::PointMeans).then(|| PointMeans::new(base, sample));
    let mut means = any(Way::MeanDistances).then(|| MeanDistances::new(base, sample));
    let of = |measure: &&'static Measure| {
        Ok(match (Way::of(measure), &points, &mut means) {
            (Way::Neighbours, ..) => neighbours::estimate(base, sample, measure),
            (Way::PointMeans, Some(points), _) => points.estimate(measure),
            (Way::MeanDistances, _, Some(means)) => means.estimate(measure),
            _ => {
                let Score { value, pairs } = score_of_measure(&without_distances, classes, measure, control)?;
                Estimated { value, pairs, error: 0.0 }
            }
        })
    };
    measures.iter().map(of).collect()
}

/// The factor by which the sample must grow, and a little more, so that the next round suffices.
fn growth(measures: &[&'static Measure], estimates: &[Estimated], bound: f64) -> f64 {
    let factor = |(measure, estimate): (&&Measure, &Estimated)| {
        // The error falls in proportion to the size of the sample, or to its root.
        let power = if Way::of(measure) == Way::Neighbours { 2 } else { 1 };
        1.1 * (estimate.error / bound).powi(power)
    };
    measures.iter().copied().zip(estimates).map(|(m, e)| factor((&m, e))).fold(0.0, f64::max).clamp(1.3, 8.0)
}

fn finish(measures: &[&'static Measure], estimates: Vec<Estimated>, sampled: usize, exact: bool) -> Estimate {
    let error = |estimate: &Estimated| {
        if exact || estimate.error < ROUNDING { 0.0 } else { estimate.error }
    };
    let errors: Vec<f64> = estimates.iter().map(error).collect();
    // If everything that could matter was examined, nothing is estimated.
    let exact = errors.iter().all(|&error| error == 0.0);
    let scores = measures
        .iter()
        .zip(estimates)
        .map(|(measure, estimate)| (measure.id, Score { value: estimate.value, pairs: estimate.pairs }));
    let evaluation = Evaluation { scores: scores.collect(), points: Vec::new(), terms: None };
    Estimate { evaluation, errors, sampled, exact, left_out: Vec::new() }
}

fn exact(evaluation: Evaluation) -> Estimate {
    let errors = vec![0.0; evaluation.scores.len()];
    Estimate { evaluation, errors, sampled: 0, exact: true, left_out: Vec::new() }
}

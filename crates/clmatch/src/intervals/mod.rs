//! How far a score would move with other samples of the same size: 95% intervals by a block jackknife.
//!
//! The points of each class are dealt into 21 groups; replicate r leaves out the five groups `{0, 1, 4, 14, 16} + r` modulo 21, a
//! perfect difference set, and scores the rest. The 21 scores are moved to a scale on which their spread hardly depends on the
//! score. With their places `y_r` on that scale, and the mean m of these,
//!
//! ```text
//! se^2 = 16/(5 x 21) sum (y_r - m)^2
//! ```
//!
//! The interval lies around the score of all points, with the 97.5% point of Student's t. `scale.rs` has the scales and the
//! adjustments at the ends of the range, `groups.rs` the degrees of freedom, which depend on the sizes of the classes.
//!
//! An interval is for the expected score at this number of points: the mean score of samples of this size. How often it contains
//! that mean was measured, see `lab/results/interval-coverage.md`. Bootstrap samples would repeat points, which are then their
//! own nearest neighbours: in trials, such intervals of `clm` missed the truth nearly always.
//!
//! Above 20,000 points, the replicates are those of a sample with the same share of each class, and their spread is reduced
//! according to the numbers of points of the classes.

mod groups;
mod scale;
mod shared;
#[cfg(test)]
mod tests;
mod trees;

use clmatch_kernels::Control;
use clmatch_kernels::parallel;

use self::groups::{EffectiveSizes, FACTOR, KEPT};
pub use self::groups::{GROUPS, Groups};
use self::scale::ScoreScale;
use self::shared::ReplicateStatistics;
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{Evaluation, checked_plan, evaluate_with, evaluation_of};
use crate::measure::Measure;

/// The 97.5% point of Student's t with 20 degrees of freedom.
pub(crate) const T_QUANTILE: f64 = 2.085_963_447_265_837;
/// The normal quantile that leaves 2.5% above it.
const Z_95: f64 = 1.959_963_984_540_054;
/// The normal quantile that leaves .25% above it, for alarms: two datasets of the same kind differ by more in less than 1 case of
/// 100.
const Z_ALARM: f64 = 2.807_033_768_343_811;

/// A range of values.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Whether two intervals share a value.
    pub fn overlaps(self, other: Interval) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// Whether the interval contains a value.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The score of a measure and its scores on the replicates of a dataset.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replicates {
    /// The id of the measure.
    pub id: &'static str,
    /// One score per replicate.
    pub scores: [f64; GROUPS],
    /// The factor of the spread: below 1 if the replicates are those of a sample.
    shrink: f64,
    /// The share of all points that replicates keep.
    kept: f64,
    sizes: EffectiveSizes,
    scale: ScoreScale,
    /// The smallest and the largest possible score.
    range: (f64, f64),
}

impl Replicates {
    /// The mean score of the replicates, and the share of the points that they keep: if the mean is far from the score, the score
    /// changes with the number of points.
    pub fn with_fewer_points(&self) -> (f64, f64) {
        (self.scores.iter().sum::<f64>() / GROUPS as f64, self.kept)
    }

    /// The 95% interval for the mean score of samples of this size, given the score of all points; it contains the score and
    /// stays in the range of the measure.
    pub fn interval(&self, score: f64) -> Interval {
        self.interval_at(score, Z_95)
    }

    /// The interval that the score of another sample leaves in less than 1 case of 100 if nothing but the sample has changed,
    /// compared with a value that is known exactly.
    pub fn alarm_interval(&self, score: f64) -> Interval {
        self.interval_at(score, Z_ALARM)
    }

    fn interval_at(&self, score: f64, quantile: f64) -> Interval {
        let error = self.error(score);
        let (least, most) = self.range;
        if !(score.is_finite() && error.is_finite()) {
            return Interval { low: least, high: most };
        }
        let reach = student(quantile, self.sizes.freedom) * error;
        let Interval { low, high } = self.scale.interval(score, error, reach, self.sizes.effective);
        Interval { low: low.max(least).min(score), high: high.min(most).max(score) }
    }

    /// The standard error on the scale of the measure; NaN if a replicate has no score.
    fn error(&self, score: f64) -> f64 {
        if self.scores.iter().any(|replicate| !replicate.is_finite()) {
            return f64::NAN;
        }
        let places = self.scores.map(|replicate| self.scale.place_beside(replicate, score));
        self.scale.calibrated(self.shrink * standard_error(&places), self.sizes.effective)
    }

    /// Whether the score of this dataset differs from those of others, each with its replicates, by more than samples of the same
    /// kind of data do in 1 case of 100. The others are taken together.
    ///
    /// On the scale of the measure, the difference of the two means is compared with its standard error, using the .5% point of
    /// Student's t. The higher score is lowered first, as if a few more points scored 0: at the end of the range, a sample does
    /// not show what its replicates cannot lose.
    pub fn differs(&self, score: f64, others: &[(&Replicates, f64)]) -> bool {
        let count = others.len() as f64;
        let lowered =
            |of: &Replicates, score: f64| self.scale.place(self.scale.lowered(score, of.sizes.effective));
        let mean = |of: &dyn Fn(&Replicates, f64) -> f64| {
            others.iter().map(|&(other, score)| of(other, score)).sum::<f64>() / count
        };
        let (here, there) = (self.scale.place(score), mean(&|_, score| self.scale.place(score)));
        let difference = if here > there { lowered(self, score) - there } else { mean(&lowered) - here };
        let error =
            self.error(score).hypot((mean(&|other, score| other.error(score).powi(2)) / count).sqrt());
        let freedom = others.iter().map(|(other, _)| other.sizes.freedom).fold(self.sizes.freedom, f64::min);
        difference > student(Z_ALARM, freedom) * error
    }

    /// The 95% interval of the difference between the score of this dataset and that of another representation of the same rows
    /// whose replicates leave out the same rows: see [`Groups`].
    pub fn difference(&self, score: f64, other: &Replicates, score_of_other: f64) -> Interval {
        let mut differences = self.scores;
        differences.iter_mut().zip(other.scores).for_each(|(a, b)| *a -= b);
        let reach = T_QUANTILE * self.shrink * standard_error(&differences);
        let difference = score - score_of_other;
        Interval { low: difference - reach, high: difference + reach }
    }
}

fn standard_error(scores: &[f64; GROUPS]) -> f64 {
    let mean = scores.iter().sum::<f64>() / GROUPS as f64;
    (FACTOR * scores.iter().map(|score| (score - mean) * (score - mean)).sum::<f64>()).sqrt()
}

/// The quantile of Student's t with `freedom` degrees of freedom at the normal quantile z, by the expansion of Cornish and
/// Fisher; off by less than .01 from 5 degrees of freedom on.
fn student(z: f64, freedom: f64) -> f64 {
    let v = freedom;
    z + (z.powi(3) + z) / (4.0 * v)
        + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / (384.0 * v * v * v)
}

/// The factor by which `ch`, which grows with the number of points, is larger for all points than for those of a replicate.
fn growth(classes: &Classes<'_>, kept: usize) -> f64 {
    (classes.n_points() - classes.n_classes()) as f64 / (kept - classes.n_classes()) as f64
}

/// Scores the replicates of a dataset.
///
/// ```
/// use clmatch::{Classes, Control, Labels, Points, evaluate, intervals, measure};
/// let points: Vec<f64> = (0..60).map(|row| f64::from(row % 30 * 7 % 30) + f64::from(row / 30) * 20.0).collect();
/// let classes = Classes::new(Points::new(points, 1)?, &Labels::encode((0..60).map(|row| row / 30)))?;
/// let measures = [measure::find("sc_a").unwrap()];
/// let score = evaluate(&classes, &measures)?.value("sc_a").unwrap();
/// let replicates = intervals::replicates(&classes, &measures, 1, Control::none())?;
/// let interval = replicates[0].interval(score);
/// assert!(interval.low < score && score < interval.high);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// # Errors
/// A class of fewer than 4 points, or [`DataError::Stopped`] if `control` stops the work.
pub fn replicates(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<Replicates>, DataError> {
    replicates_of(classes, measures, &Groups::new(classes, seed)?, control)
}

/// As [`replicates`], with groups that may come from another representation of the same rows.
///
/// # Errors
/// [`DataError::Stopped`] if `control` stops the work.
pub fn replicates_of(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    groups: &Groups,
    control: Control<'_>,
) -> Result<Vec<Replicates>, DataError> {
    let new = |measure: &&'static Measure| Replicates {
        id: measure.id,
        scores: [0.0; GROUPS],
        shrink: groups.shrink(),
        kept: groups.len() as f64 * KEPT / classes.n_points() as f64,
        sizes: groups.sizes(),
        scale: ScoreScale::of(measure),
        range: measure.range,
    };
    let mut all: Vec<Replicates> = measures.iter().map(new).collect();
    let plan = checked_plan(classes, measures)?;
    let evaluations = if ReplicateStatistics::fits(classes, groups, plan) {
        together(classes, measures, groups, control)?
    } else {
        one_by_one(classes, measures, groups, control)?
    };
    for (replicate, (kept, evaluation)) in evaluations.into_iter().enumerate() {
        let grown = growth(classes, kept);
        for (replicates, (id, score)) in all.iter_mut().zip(evaluation.scores) {
            replicates.scores[replicate] = if id == "ch" { grown * score.value } else { score.value };
        }
    }
    Ok(all)
}

/// Scores all replicates from the statistics that they share; returns with each how many points it keeps.
fn together(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    groups: &Groups,
    control: Control<'_>,
) -> Result<Vec<(usize, Evaluation)>, DataError> {
    let plan = checked_plan(classes, measures)?;
    let shared = ReplicateStatistics::new(classes, groups, plan, control)?;
    let score = |replicate: usize| {
        control.check()?;
        let (classes, statistics) = shared.replicate(replicate, control)?;
        Ok((classes.n_points(), evaluation_of(&statistics, &classes, measures, control)?))
    };
    parallel::try_map_range(GROUPS, score)
}

/// Like [`together`], but scores each replicate from its own points.
fn one_by_one(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    groups: &Groups,
    control: Control<'_>,
) -> Result<Vec<(usize, Evaluation)>, DataError> {
    let score = |replicate: usize| {
        let (places, starts) = groups.kept(replicate);
        let rows = places.iter().map(|&place| groups.order[place]).collect();
        let kept = classes.regrouped(rows, starts);
        Ok((kept.n_points(), evaluate_with(&kept, measures, false, control)?))
    };
    (0..GROUPS).map(score).collect()
}

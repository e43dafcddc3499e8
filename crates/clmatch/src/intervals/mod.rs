//! How far a score would move with other samples of the same size: 95% intervals by a block jackknife.
//!
//! The points of each class are dealt into 21 groups; replicate r leaves out the five groups `{0, 1, 4, 14, 16} + r` modulo
//! 21, a perfect difference set, and scores the rest. With the 21 scores `t_r` and their mean m,
//!
//! ```text
//! se^2 = 16/(5 x 21) sum (t_r - m)^2
//! ```
//!
//! The interval lies around the score of all points, with the 97.5% point of Student's t with 20 degrees of freedom, on a
//! scale on which scores are closer to normal, reached by the delta method: atanh for scores in [-1, 1], logit for `clm`, log
//! for measures without an upper bound.
//!
//! Bootstrap samples would repeat points, which are then their own nearest neighbours: intervals of `clm` missed the truth
//! nearly always in trials. What an interval covers is the expected score at this number of points; how often it does was
//! measured, see `lab/results/interval-coverage.md`.
//!
//! Above 20,000 points the replicates are those of a sample of 20,000 with the same share of each class, and their spread is
//! reduced by the square root of that share.

mod groups;
mod shared;
#[cfg(test)]
mod tests;
mod trees;

use clmatch_stop::Control;
use rayon::prelude::*;

pub use self::groups::GROUPS;
use self::groups::{Dealt, FACTOR, MOST_POINTS};
use self::shared::SharedStatistics;
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{Evaluation, checked_plan, evaluate_with, evaluation_of};
use crate::measure::Measure;

/// The 97.5% point of Student's t with 20 degrees of freedom.
pub(crate) const T_QUANTILE: f64 = 2.085_963_447_265_837;

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

    /// Whether a value lies in it.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The scores of a measure on the replicates of a dataset.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Replicates {
    /// The id of the measure.
    pub id: &'static str,
    /// One score per replicate.
    pub scores: [f64; GROUPS],
    /// What the spread is multiplied by: below 1 where the replicates are those of a sample.
    pub shrink: f64,
    scale: Scale,
    /// Between what scores can lie.
    range: (f64, f64),
}

impl Replicates {
    /// The standard error of the score: how far it moves with other samples of the same size.
    pub fn standard_error(&self) -> f64 {
        self.shrink * standard_error(&self.scores)
    }

    /// The 95% interval of a score of all points; it does not leave the range of the measure.
    pub fn interval(&self, score: f64) -> Interval {
        let error = self.standard_error();
        let (least, most) = self.range;
        if !(score.is_finite() && error.is_finite()) {
            return Interval { low: least, high: most };
        }
        let (place, slope) = self.scale.place_and_slope(score);
        let reach = T_QUANTILE * error * slope;
        let (low, high) = (self.scale.back(place - reach), self.scale.back(place + reach));
        Interval { low: low.max(least).min(score), high: high.min(most).max(score) }
    }

    /// The 95% interval of the difference between the score of this dataset and that of another representation of the same
    /// rows, whose replicates leave out the same rows: same classes, same seed.
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

/// A scale on which the score of a measure is closer to normal.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scale {
    /// For scores in [0, 1] that often reach an end.
    Logit,
    /// For scores in [-1, 1].
    Atanh,
    /// For positive scores.
    Log,
}

impl Scale {
    /// Scores closer than this to an end are taken to lie there.
    const LOGIT_END: f64 = 1e-3;
    /// The same for atanh.
    const ATANH_END: f64 = 1e-9;

    fn of(measure: &Measure) -> Scale {
        match measure.range {
            (_, high) if high.is_infinite() => Scale::Log,
            _ if measure.id == "clm" => Scale::Logit,
            _ => Scale::Atanh,
        }
    }

    /// Where a score lies on the scale, and how much the scale moves with it there.
    fn place_and_slope(self, score: f64) -> (f64, f64) {
        match self {
            Scale::Logit => {
                let score = score.clamp(Self::LOGIT_END, 1.0 - Self::LOGIT_END);
                ((score / (1.0 - score)).ln(), 1.0 / (score * (1.0 - score)))
            }
            Scale::Atanh => {
                let score = score.clamp(Self::ATANH_END - 1.0, 1.0 - Self::ATANH_END);
                (score.atanh(), 1.0 / (1.0 - score * score))
            }
            Scale::Log => {
                let score = score.max(f64::MIN_POSITIVE);
                (score.ln(), 1.0 / score)
            }
        }
    }

    fn back(self, place: f64) -> f64 {
        match self {
            Scale::Logit => 1.0 / (1.0 + (-place).exp()),
            Scale::Atanh => place.tanh(),
            Scale::Log => place.exp(),
        }
    }
}

/// By how much `ch`, which grows with the number of points, is larger for all points than for those of a replicate.
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
/// A class of fewer than 4 points, and [`DataError::Stopped`] if `control` says so.
pub fn replicates(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<Replicates>, DataError> {
    let dealt = Dealt::new(classes, seed, MOST_POINTS)?;
    let shrink = (dealt.len() as f64 / classes.n_points() as f64).sqrt();
    let new = |measure: &&'static Measure| Replicates {
        id: measure.id,
        scores: [0.0; GROUPS],
        shrink,
        scale: Scale::of(measure),
        range: measure.range,
    };
    let mut all: Vec<Replicates> = measures.iter().map(new).collect();
    let plan = checked_plan(classes, measures)?;
    let evaluations = if SharedStatistics::fits(classes, &dealt, plan) {
        together(classes, measures, &dealt, control)?
    } else {
        one_by_one(classes, measures, &dealt, control)?
    };
    for (replicate, (kept, evaluation)) in evaluations.into_iter().enumerate() {
        let grown = growth(classes, kept);
        for (replicates, (id, score)) in all.iter_mut().zip(evaluation.scores) {
            replicates.scores[replicate] = if id == "ch" { grown * score.value } else { score.value };
        }
    }
    Ok(all)
}

/// Scores all replicates from what they share; with how many points each of them keeps.
fn together(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    dealt: &Dealt,
    control: Control<'_>,
) -> Result<Vec<(usize, Evaluation)>, DataError> {
    let plan = checked_plan(classes, measures)?;
    let shared = SharedStatistics::new(classes, dealt, plan, control)?;
    let score = |replicate: usize| {
        control.check()?;
        let (classes, statistics) = shared.replicate(replicate);
        Ok((classes.n_points(), evaluation_of(&statistics, &classes, measures, control)?))
    };
    (0..GROUPS).into_par_iter().map(score).collect()
}

/// The same from the points of each of them.
fn one_by_one(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    dealt: &Dealt,
    control: Control<'_>,
) -> Result<Vec<(usize, Evaluation)>, DataError> {
    let score = |replicate: usize| {
        let (places, starts) = dealt.kept(replicate);
        let rows = places.iter().map(|&place| dealt.order[place]).collect();
        let kept = classes.regrouped(rows, starts);
        Ok((kept.n_points(), evaluate_with(&kept, measures, false, control)?))
    };
    (0..GROUPS).map(score).collect()
}

//! Scales on which the spread of a score hardly depends on the score, and intervals on them.
//!
//! The constants were chosen on simulated data, in other settings than those of `lab/results/interval-coverage.md`.

use std::f64::consts::FRAC_PI_2;

use super::Interval;
use crate::measure::{Kind, Measure};

/// Scores are kept at least this far from 1 and -1 on the logarithmic scales.
const END: f64 = 1e-12;
/// The number of points that would score 0, but that a sample may have missed by luck: the rule of three.
const LUCKY_POINTS: f64 = 3.0;
/// Like [`LUCKY_POINTS`], for alarms by a measure other than `clm`.
const LUCKY_POINTS_ALARM: f64 = 1.0;

/// The scale on which the scores of a measure are compared, and how their spread follows from that of the replicates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoreScale {
    transform: Transform,
    /// The factor that corrects the spread of the replicates. The jackknife overstates the spread of neighbours, trees and
    /// medians.
    calibration: f64,
    /// The smallest spread.
    floor: Floor,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Transform {
    /// `asin sqrt s`: for a share of points, whose spread near 0 and near 1 is that of a count.
    Arcsine,
    /// `sqrt(log(1 + 2 atanh s))`, for adjusted scores in [0, 1]: about the root of the argument of the adjustment, which is a
    /// distance.
    Root,
    /// `sign(s) log(1 + 2 atanh |s|)`, for scores in [-1, 1]: linear at 0, which is not an end of the range.
    SignedLog,
    /// `log s`, for scores without an upper bound. The spread is measured at the score itself, because replicates can be 0.
    Log,
}

/// The smallest spread, depending on the effective number of points n.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Floor {
    None,
    /// A multiple of `1/sqrt n`, like the spread of a share of points.
    OverRoot(f64),
    /// A multiple of `1/n`, like the spread of a squared distance that is really 0.
    Over(f64),
}

impl ScoreScale {
    pub(super) fn of(measure: &Measure) -> ScoreScale {
        let (transform, calibration, floor) = match (measure.range, measure.kind) {
            ((_, high), _) if high.is_infinite() => (Transform::Log, 1.0, Floor::None),
            (_, Kind::Own) => (Transform::Arcsine, 0.88, Floor::OverRoot(0.25)),
            (_, Kind::Corrected) => (Transform::SignedLog, 1.0, Floor::Over(3.0)),
            ((low, _), _) if low >= 0.0 => (Transform::Root, 1.0, Floor::None),
            _ if measure.id == "di_a" => (Transform::SignedLog, 0.95, Floor::None),
            _ => (Transform::SignedLog, 1.0, Floor::None),
        };
        ScoreScale { transform, calibration, floor }
    }

    /// The place of a score on the scale.
    pub(super) fn place(self, score: f64) -> f64 {
        match self.transform {
            Transform::Arcsine => score.clamp(0.0, 1.0).sqrt().asin(),
            Transform::Root => signed_log(score.max(0.0)).sqrt(),
            Transform::SignedLog => signed_log(score),
            Transform::Log => score.max(f64::MIN_POSITIVE).ln(),
        }
    }

    /// The place of a replicate on the scale, given the score itself.
    pub(super) fn place_beside(self, replicate: f64, score: f64) -> f64 {
        match self.transform {
            Transform::Log => replicate / score.max(f64::MIN_POSITIVE),
            _ => self.place(replicate),
        }
    }

    fn score(self, place: f64) -> f64 {
        match self.transform {
            Transform::Arcsine => place.clamp(0.0, FRAC_PI_2).sin().powi(2),
            Transform::Root => signed_exp(place * place),
            Transform::SignedLog => signed_exp(place),
            Transform::Log => place.exp(),
        }
    }

    /// The standard error of a score, from that of its replicates.
    pub(super) fn calibrated(self, error: f64, effective: f64) -> f64 {
        let least = match self.floor {
            Floor::None => 0.0,
            Floor::OverRoot(factor) => factor / effective.sqrt(),
            Floor::Over(factor) => factor / effective,
        };
        // An error that is NaN stays NaN.
        let error = self.calibration * error;
        if error < least { least } else { error }
    }

    /// The score if a few more points scored 0.
    pub(super) fn lowered(self, score: f64, effective: f64) -> f64 {
        match self.transform {
            Transform::Log => score,
            Transform::Arcsine => lowered_by(LUCKY_POINTS, score, effective),
            _ => lowered_by(LUCKY_POINTS_ALARM, score, effective),
        }
    }

    /// The interval around a score with this standard error that extends by `reach` on the scale.
    pub(super) fn interval(self, score: f64, error: f64, reach: f64, effective: f64) -> Interval {
        let lucky = lowered_by(LUCKY_POINTS, score, effective);
        let (low, high) = (self.place(score) - reach, self.place(score) + reach);
        match self.transform {
            Transform::Log => Interval { low: self.score(low), high: self.score(high) },
            Transform::Arcsine => {
                Interval { low: self.score(self.place(lucky) - reach), high: self.score(high) }
            }
            Transform::Root if low <= 0.0 => {
                Interval { low: 0.0, high: self.score(high).max(self.mean(high, error)) }
            }
            Transform::Root | Transform::SignedLog => Interval {
                low: self.score(low).min(self.mean(low, error)).min(lucky),
                high: self.score(high).max(self.mean(high, error)),
            },
        }
    }

    /// The mean score if places have this mean and standard error, by the three nodes of Gauss and Hermite: an interval is for a
    /// mean, and the mean of a curved function is not the function of the mean.
    fn mean(self, place: f64, error: f64) -> f64 {
        let aside = 3.0_f64.sqrt() * error;
        2.0 / 3.0 * self.score(place) + (self.score(place + aside) + self.score(place - aside)) / 6.0
    }
}

fn lowered_by(points: f64, score: f64, effective: f64) -> f64 {
    if score > 0.0 { score * effective / (effective + points) } else { score }
}

fn signed_log(score: f64) -> f64 {
    (2.0 * score.abs().min(1.0 - END).atanh()).ln_1p().copysign(score)
}

fn signed_exp(place: f64) -> f64 {
    // From 6 on the score is 1.
    (place.abs().min(6.0).exp_m1() / 2.0).tanh().copysign(place)
}

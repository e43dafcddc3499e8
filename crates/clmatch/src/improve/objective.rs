//! The pair scores `ch_a`, `ch_c` and `db_c` as functions of weighted moments, with their slopes.
//!
//! With weights w >= 0 on squared differences, D, V_i and V_j are linear in w and s2^2 is a quadratic form, so that four numbers
//! per pair of classes determine everything:
//!
//! ```text
//! ch_a = tanh(k z e^z / 2)        z  = n_i n_j D / (N^2 s2)
//! ch_c = tanh(k z' e^z' / 2)      z' = n_i n_j D' / (N^2 s2)
//! db_c = tanh(k/2 (D'/s2) / (e^a + e^b))      a = (V_i' - T')/s2, b = (V_j' - T')/s2
//! ```
//!
//! Degenerate cases are those of the measures themselves.

use crate::calibration::GrowthRate;
use crate::measure::PairMoments;
use crate::protocol::RawScore;
use crate::protocol::shift::{log_sum_exp, z_exp_z};

/// A squared length below this share of the total scatter is rounding, and counts as 0.
const ROUNDING: f64 = 1e-26;

/// A measure that can be computed from moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MomentFormula {
    ChA,
    ChC,
    DbC,
}

/// The moments of a pair of classes under some weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedMoments {
    /// `n_i` and `n_j`: the numbers of points.
    pub(crate) sizes: (f64, f64),
    /// `D`: the weighted squared distance of the centroids.
    pub(crate) gap: f64,
    /// `V_i` and `V_j`: weighted mean squared distances to the class centroids.
    pub(crate) variances: (f64, f64),
    /// `s2^2`: the variance of the weighted squared distances to the common centroid.
    pub(crate) square: f64,
}

/// How fast a pair score changes with the moments of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Slopes {
    pub(crate) gap: f64,
    pub(crate) variances: (f64, f64),
    pub(crate) square: f64,
}

impl WeightedMoments {
    /// `n_i n_j / N^2`.
    pub(crate) fn share(&self) -> f64 {
        let (p, q) = self.sizes;
        p / (p + q) * (q / (p + q))
    }

    /// `T = W + B`.
    pub(crate) fn total(&self) -> f64 {
        let (p, q) = self.sizes;
        (p * self.variances.0 + q * self.variances.1) / (p + q) + self.share() * self.gap
    }

    /// The moments as the measures take them: lengths that are only rounding are 0.
    fn without_rounding(&self) -> PairMoments {
        let PairMoments { total, s2, .. } = self.as_they_are();
        let zero_if_rounding = |square: f64| if square <= ROUNDING * total { 0.0 } else { square };
        let variances = (zero_if_rounding(self.variances.0), zero_if_rounding(self.variances.1));
        let rounded = WeightedMoments { gap: zero_if_rounding(self.gap), variances, ..*self };
        let total = if rounded == *self { total } else { rounded.total() };
        PairMoments { sizes: self.sizes, gap: rounded.gap, variances, total, s2 }
    }

    /// The moments with only `s2` cleared of rounding.
    fn as_they_are(&self) -> PairMoments {
        let WeightedMoments { sizes, gap, variances, square } = *self;
        let (total, s2) = (self.total(), square.max(0.0).sqrt());
        let s2 = if s2 <= ROUNDING.sqrt() * total { 0.0 } else { s2 };
        PairMoments { sizes, gap, variances, total, s2 }
    }
}

impl MomentFormula {
    /// The score of a pair.
    pub(crate) fn score(self, moments: &WeightedMoments) -> f64 {
        let moments = moments.without_rounding();
        if moments.variances == (0.0, 0.0) {
            return if moments.gap > 0.0 { 1.0 } else { 0.0 };
        }
        let (value, growth) = match self {
            MomentFormula::ChA => (moments.calinski_harabasz(), GrowthRate::CH),
            MomentFormula::ChC => (moments.unbiased_calinski_harabasz(), GrowthRate::CH),
            MomentFormula::DbC => (moments.unbiased_davies_bouldin(), GrowthRate::DB_C),
        };
        RawScore::from_zero(value).rescale(growth.value)
    }

    /// The slopes of the score; 0 if it is degenerate.
    pub(crate) fn slopes(self, moments: &WeightedMoments) -> Slopes {
        let pair = moments.as_they_are();
        if pair.s2 == 0.0 || moments.without_rounding().variances == (0.0, 0.0) {
            return Slopes::default();
        }
        let slopes = match self {
            MomentFormula::ChA => ch_slopes(&pair, pair.gap, moments.square, (0.0, 0.0)),
            MomentFormula::ChC => {
                let (p, q) = pair.sizes;
                let chance = (-1.0 / (p - 1.0), -1.0 / (q - 1.0));
                ch_slopes(&pair, pair.unbiased_gap(), moments.square, chance)
            }
            MomentFormula::DbC => db_slopes(&pair, moments.square),
        };
        let Slopes { gap, variances, square } = slopes;
        let finite = gap.is_finite() && square.is_finite() && (variances.0 + variances.1).is_finite();
        if finite { slopes } else { Slopes::default() }
    }

    /// The linear form whose ratio to `s2` determines `ch_a` and `ch_c`: coefficients of D, V_i and V_j. `None` for a measure
    /// that is not a function of such a ratio.
    pub(crate) fn numerator(self, (p, q): (f64, f64)) -> Option<(f64, f64, f64)> {
        let share = p / (p + q) * (q / (p + q));
        match self {
            MomentFormula::ChA => Some((share, 0.0, 0.0)),
            MomentFormula::ChC => Some((share, -share / (p - 1.0), -share / (q - 1.0))),
            MomentFormula::DbC => None,
        }
    }
}

/// `d tanh(k f / 2) / df`.
fn steepness(k: f64, f: f64) -> f64 {
    let value = (k * f / 2.0).tanh();
    k / 2.0 * (1.0 - value * value)
}

/// The slopes for a numerator of z of `gap + chance.0 V_i + chance.1 V_j`, with `square = s2^2`.
fn ch_slopes(pair: &PairMoments, gap: f64, square: f64, chance: (f64, f64)) -> Slopes {
    let (share, s2) = (pair.share(), pair.s2);
    let z = share * gap / s2;
    let slope = steepness(GrowthRate::CH.value, z_exp_z(z)) * (1.0 + z) * z.exp();
    let per_gap = slope * share / s2;
    Slopes {
        gap: per_gap,
        variances: (per_gap * chance.0, per_gap * chance.1),
        square: -slope * z / (2.0 * square),
    }
}

fn db_slopes(pair: &PairMoments, square: f64) -> Slopes {
    let ((p, q), s2) = (pair.sizes, pair.s2);
    let n = p + q;
    let gap = pair.unbiased_gap();
    let ((vi, vj), total) = (pair.unbiased_variances(), pair.unbiased_total());
    let (a, b) = ((vi - total) / s2, (vj - total) / s2);
    let extent = log_sum_exp(a, b);
    let (at_a, at_b) = ((a - extent).exp(), (b - extent).exp());
    let per_gap = (-extent).exp() / s2;
    let f = gap * per_gap;
    let slope = steepness(GrowthRate::DB_C.value, f);
    // d a = (d V_i' - d T')/s2 and so on; T' = n/(n-1) ((p V_i + q V_j)/n + share D).
    let total_slope = f / s2;
    let to_total = |part: f64| total_slope * n / (n - 1.0) * part;
    let own = |at: f64, size: f64| -total_slope * at * size / (size - 1.0);
    Slopes {
        gap: slope * (per_gap + to_total(pair.share())),
        variances: (
            slope * (-per_gap / (p - 1.0) + own(at_a, p) + to_total(p / n)),
            slope * (-per_gap / (q - 1.0) + own(at_b, q) + to_total(q / n)),
        ),
        square: slope * f * (at_a * a + at_b * b - 1.0) / (2.0 * square),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [MomentFormula; 3] = [MomentFormula::ChA, MomentFormula::ChC, MomentFormula::DbC];

    fn cases() -> Vec<WeightedMoments> {
        let mut cases = Vec::new();
        for sizes in [(10.0, 10.0), (7.0, 40.0)] {
            for gap in [0.05, 1.3, 4.0] {
                for variances in [(0.4, 0.9), (1.0, 0.2)] {
                    for square in [0.3, 2.0] {
                        cases.push(WeightedMoments { sizes, gap, variances, square });
                    }
                }
            }
        }
        cases
    }

    #[test]
    fn slopes_are_those_of_small_changes() {
        const STEP: f64 = 1e-6;
        for formula in ALL {
            for case in cases() {
                let slopes = formula.slopes(&case);
                let along = |change: fn(&mut WeightedMoments, f64)| {
                    let mut up = case;
                    let mut down = case;
                    change(&mut up, STEP);
                    change(&mut down, -STEP);
                    (formula.score(&up) - formula.score(&down)) / (2.0 * STEP)
                };
                for (found, expected) in [
                    (slopes.gap, along(|m, by| m.gap += by)),
                    (slopes.variances.0, along(|m, by| m.variances.0 += by)),
                    (slopes.variances.1, along(|m, by| m.variances.1 += by)),
                    (slopes.square, along(|m, by| m.square += by)),
                ] {
                    assert!((found - expected).abs() < 1e-8, "{formula:?} {case:?}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn degenerate_pairs_have_the_stated_values() {
        let pair = |gap, variances, square| WeightedMoments { sizes: (5.0, 5.0), gap, variances, square };
        for formula in ALL {
            assert_eq!(formula.score(&pair(1.0, (0.0, 0.0), 0.0)), 1.0);
            assert_eq!(formula.score(&pair(0.0, (0.0, 0.0), 0.0)), 0.0);
            assert_eq!(formula.slopes(&pair(1.0, (0.0, 0.0), 0.0)), Slopes::default());
        }
        assert_eq!(MomentFormula::ChA.score(&pair(1.0, (0.2, 0.2), 0.0)), 1.0);
        assert_eq!(MomentFormula::ChA.score(&pair(0.0, (0.2, 0.2), 1.0)), 0.0);
    }
}

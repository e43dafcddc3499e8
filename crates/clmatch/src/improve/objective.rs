//! The pair scores `ch_a`, `ch_c` and `db_c` as functions of weighted moments, with their slopes.
//!
//! With weights w >= 0 on squared differences, D, V_i and V_j are linear in w and s2^2 is a quadratic form, so that
//! four numbers per pair of classes tell everything:
//!
//! ```text
//! ch_a = tanh(k z e^z / 2)        z  = n_i n_j D / (N^2 s2)
//! ch_c = tanh(k z' e^z' / 2)      z' = n_i n_j D' / (N^2 s2)
//! db_c = tanh(k/2 (D'/s2) / (e^a + e^b))      a = (V_i' - T')/s2, b = (V_j' - T')/s2
//! ```
//!
//! Degenerate cases are those of the measures themselves.

use crate::calibration::K;
use crate::protocol::Form;
use crate::protocol::shift::{MOMENT_ROUNDING, excess, log_sum_exp, ratio, z_exp_z};

/// A squared length below this share of the total scatter is rounding, and counts as 0.
const ROUNDING: f64 = 1e-26;
/// A difference of equal terms below this share of them is rounding.
const EQUAL: f64 = 1e-14;

/// A measure that follows from moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Formula {
    ChA,
    ChC,
    DbC,
}

/// What is known of a pair of classes under some weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairMoments {
    /// `n_i` and `n_j`.
    pub(crate) sizes: (f64, f64),
    /// `D`.
    pub(crate) gap: f64,
    /// `V_i` and `V_j`.
    pub(crate) variances: (f64, f64),
    /// `s2^2`.
    pub(crate) square: f64,
}

/// How fast a pair score changes with the moments of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Slopes {
    pub(crate) gap: f64,
    pub(crate) variances: (f64, f64),
    pub(crate) square: f64,
}

impl PairMoments {
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

    /// `s2`, or 0 where it is nothing but rounding.
    fn s2(&self) -> f64 {
        let s2 = self.square.max(0.0).sqrt();
        if s2 <= ROUNDING.sqrt() * self.total() { 0.0 } else { s2 }
    }

    /// The same with squared lengths that are nothing but rounding set to 0.
    fn settled(&self) -> PairMoments {
        let total = self.total();
        let settle = |square: f64| if square <= ROUNDING * total { 0.0 } else { square };
        let variances = (settle(self.variances.0), settle(self.variances.1));
        PairMoments { gap: settle(self.gap), variances, ..*self }
    }

    /// `D'`.
    fn unbiased_gap(&self) -> f64 {
        let (p, q) = self.sizes;
        let chance = self.variances.0 / (p - 1.0) + self.variances.1 / (q - 1.0);
        if (self.gap - chance).abs() <= EQUAL * (self.gap + chance) { 0.0 } else { self.gap - chance }
    }

    /// `V_i'`, `V_j'` and `T'`.
    fn unbiased(&self) -> (f64, f64, f64) {
        let ((p, q), (vi, vj)) = (self.sizes, self.variances);
        let n = p + q;
        (vi * p / (p - 1.0), vj * q / (q - 1.0), self.total() * n / (n - 1.0))
    }
}

impl Formula {
    /// The score of a pair.
    pub(crate) fn score(self, moments: &PairMoments) -> f64 {
        let s2 = moments.s2();
        let moments = moments.settled();
        if moments.variances == (0.0, 0.0) {
            return if moments.gap > 0.0 { 1.0 } else { 0.0 };
        }
        match self {
            Formula::ChA => ch(ratio(moments.share() * moments.gap, s2)),
            Formula::ChC => ch(ratio(moments.share() * moments.unbiased_gap(), s2)),
            Formula::DbC => db_c(&moments, s2),
        }
    }

    /// The slopes of the score; 0 where it is degenerate.
    pub(crate) fn slopes(self, moments: &PairMoments) -> Slopes {
        let s2 = moments.s2();
        if s2 == 0.0 || moments.settled().variances == (0.0, 0.0) {
            return Slopes::default();
        }
        let slopes = match self {
            Formula::ChA => ch_slopes(moments, moments.gap, s2, (0.0, 0.0)),
            Formula::ChC => {
                let (p, q) = moments.sizes;
                ch_slopes(moments, moments.unbiased_gap(), s2, (-1.0 / (p - 1.0), -1.0 / (q - 1.0)))
            }
            Formula::DbC => db_slopes(moments, s2),
        };
        let Slopes { gap, variances, square } = slopes;
        let finite = gap.is_finite() && square.is_finite() && (variances.0 + variances.1).is_finite();
        if finite { slopes } else { Slopes::default() }
    }

    /// The linear form whose ratio to `s2` decides about `ch_a` and `ch_c`: coefficients of D, V_i and V_j.
    /// `None` for a measure that is no function of such a ratio.
    pub(crate) fn numerator(self, (p, q): (f64, f64)) -> Option<(f64, f64, f64)> {
        let share = p / (p + q) * (q / (p + q));
        match self {
            Formula::ChA => Some((share, 0.0, 0.0)),
            Formula::ChC => Some((share, -share / (p - 1.0), -share / (q - 1.0))),
            Formula::DbC => None,
        }
    }
}

fn ch(z: f64) -> f64 {
    Form::from_zero(z_exp_z(z)).ranged(K::CH.value)
}

fn db_c(moments: &PairMoments, s2: f64) -> f64 {
    let gap = moments.unbiased_gap();
    let (vi, vj, total) = moments.unbiased();
    let wider = |variance| excess(variance, total, s2, MOMENT_ROUNDING);
    let extent = log_sum_exp(wider(vi), wider(vj));
    if gap == 0.0 || extent == f64::INFINITY {
        return 0.0;
    }
    let size = ((gap.abs() / s2).ln() - extent).exp();
    Form::from_zero(size.copysign(gap)).ranged(K::DB_C.value)
}

/// `d tanh(k f / 2) / df`.
fn steepness(k: f64, f: f64) -> f64 {
    let value = (k * f / 2.0).tanh();
    k / 2.0 * (1.0 - value * value)
}

/// With `gap + chance.0 V_i + chance.1 V_j` in the numerator of z.
fn ch_slopes(moments: &PairMoments, gap: f64, s2: f64, chance: (f64, f64)) -> Slopes {
    let share = moments.share();
    let z = share * gap / s2;
    let slope = steepness(K::CH.value, z_exp_z(z)) * (1.0 + z) * z.exp();
    let per_gap = slope * share / s2;
    Slopes {
        gap: per_gap,
        variances: (per_gap * chance.0, per_gap * chance.1),
        square: -slope * z / (2.0 * moments.square),
    }
}

fn db_slopes(moments: &PairMoments, s2: f64) -> Slopes {
    let (p, q) = moments.sizes;
    let n = p + q;
    let gap = moments.unbiased_gap();
    let (vi, vj, total) = moments.unbiased();
    let (a, b) = ((vi - total) / s2, (vj - total) / s2);
    let extent = log_sum_exp(a, b);
    let (at_a, at_b) = ((a - extent).exp(), (b - extent).exp());
    let per_gap = (-extent).exp() / s2;
    let f = gap * per_gap;
    let slope = steepness(K::DB_C.value, f);
    // d a = (d V_i' - d T')/s2 and so on; T' = n/(n-1) ((p V_i + q V_j)/n + share D).
    let total_slope = f / s2;
    let to_total = |part: f64| total_slope * n / (n - 1.0) * part;
    let own = |at: f64, size: f64| -total_slope * at * size / (size - 1.0);
    Slopes {
        gap: slope * (per_gap + to_total(moments.share())),
        variances: (
            slope * (-per_gap / (p - 1.0) + own(at_a, p) + to_total(p / n)),
            slope * (-per_gap / (q - 1.0) + own(at_b, q) + to_total(q / n)),
        ),
        square: slope * f * (at_a * a + at_b * b - 1.0) / (2.0 * moments.square),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Formula; 3] = [Formula::ChA, Formula::ChC, Formula::DbC];

    fn cases() -> Vec<PairMoments> {
        let mut cases = Vec::new();
        for sizes in [(10.0, 10.0), (7.0, 40.0)] {
            for gap in [0.05, 1.3, 4.0] {
                for variances in [(0.4, 0.9), (1.0, 0.2)] {
                    for square in [0.3, 2.0] {
                        cases.push(PairMoments { sizes, gap, variances, square });
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
                let along = |change: fn(&mut PairMoments, f64)| {
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
        let pair = |gap, variances, square| PairMoments { sizes: (5.0, 5.0), gap, variances, square };
        for formula in ALL {
            assert_eq!(formula.score(&pair(1.0, (0.0, 0.0), 0.0)), 1.0);
            assert_eq!(formula.score(&pair(0.0, (0.0, 0.0), 0.0)), 0.0);
            assert_eq!(formula.slopes(&pair(1.0, (0.0, 0.0), 0.0)), Slopes::default());
        }
        assert_eq!(Formula::ChA.score(&pair(1.0, (0.2, 0.2), 0.0)), 1.0);
        assert_eq!(Formula::ChA.score(&pair(0.0, (0.2, 0.2), 1.0)), 0.0);
    }
}

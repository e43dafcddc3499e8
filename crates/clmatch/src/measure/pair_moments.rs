//! The formulas of `ch_a`, `ch_c` and `db_c` on two classes, as functions of a few moments.
//!
//! ```text
//! z  = n_i n_j D / (N^2 s2)       T' = T N/(N - 1)        V_i' = V_i n_i/(n_i - 1)
//! z' = n_i n_j D' / (N^2 s2)      D' = D - V_i/(n_i - 1) - V_j/(n_j - 1)
//! ```
//!
//! A shift of all squared distances by beta adds exactly beta/2 to T' and V_i' and leaves D' unchanged; the mean of
//! D' over all permutations of the labels is exactly 0.

use crate::protocol::shift::{MOMENT_ROUNDING, excess, log_sum_exp, ratio, z_exp_z};
use crate::statistics::View;

/// Equal terms differ by less than this share of them because of rounding.
const ROUNDING: f64 = 1e-14;

/// The moments of two classes that the formulas need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairMoments {
    /// `n_i` and `n_j`: the numbers of points.
    pub(crate) sizes: (f64, f64),
    /// `D`: the squared distance of the centroids.
    pub(crate) gap: f64,
    /// `V_i` and `V_j`: mean squared distances to the class centroids.
    pub(crate) variances: (f64, f64),
    /// `T`: the mean squared distance to the common centroid.
    pub(crate) total: f64,
    /// `s2`: the standard deviation of the squared distances to the common centroid.
    pub(crate) s2: f64,
}

impl PairMoments {
    /// The moments of a set of two classes.
    pub(super) fn of(view: &View<'_>) -> PairMoments {
        let (i, j) = view.two_classes();
        PairMoments {
            sizes: (view.size(i), view.size(j)),
            gap: view.gap(i, j),
            variances: (view.variance(i), view.variance(j)),
            total: view.total(),
            s2: view.s2(),
        }
    }

    /// `n_i n_j / N^2`.
    pub(crate) fn share(&self) -> f64 {
        let (p, q) = self.sizes;
        p / (p + q) * (q / (p + q))
    }

    /// `D'`: the squared distance of the centroids less what chance contributes to it.
    /// Exactly 0 where the two are equal up to rounding.
    pub(crate) fn unbiased_gap(&self) -> f64 {
        let (p, q) = self.sizes;
        let chance = self.variances.0 / (p - 1.0) + self.variances.1 / (q - 1.0);
        if (self.gap - chance).abs() <= ROUNDING * (self.gap + chance) { 0.0 } else { self.gap - chance }
    }

    /// `V_i'` and `V_j'`: the scatter of either class, estimated without bias.
    pub(crate) fn unbiased_variances(&self) -> (f64, f64) {
        let ((p, q), (vi, vj)) = (self.sizes, self.variances);
        (vi * p / (p - 1.0), vj * q / (q - 1.0))
    }

    /// `T'`: the total scatter, estimated without bias.
    pub(crate) fn unbiased_total(&self) -> f64 {
        let n = self.sizes.0 + self.sizes.1;
        self.total * n / (n - 1.0)
    }

    /// `z e^z`, which T4 turns into `ch_a`.
    pub(crate) fn calinski_harabasz(&self) -> f64 {
        shifted_calinski_harabasz(self.share() * self.gap, self.s2)
    }

    /// `z' e^z'`, which T4 turns into `ch_c`.
    pub(crate) fn unbiased_calinski_harabasz(&self) -> f64 {
        shifted_calinski_harabasz(self.share() * self.unbiased_gap(), self.s2)
    }

    /// `(D'/s2) / (e^((V_i' - T')/s2) + e^((V_j' - T')/s2))`, which T4 turns into `db_c`; computed with logarithms because the
    /// exponents may be large.
    pub(crate) fn unbiased_davies_bouldin(&self) -> f64 {
        let (gap, (vi, vj), total) = (self.unbiased_gap(), self.unbiased_variances(), self.unbiased_total());
        let wider = |variance| excess(variance, total, self.s2, MOMENT_ROUNDING);
        let extent = log_sum_exp(wider(vi), wider(vj));
        if gap == 0.0 || extent == f64::INFINITY {
            return 0.0;
        }
        ((gap.abs() / self.s2).ln() - extent).exp().copysign(gap)
    }
}

/// `z e^z` with `z = between / s2`: the Calinski-Harabasz index of two classes after T1 and T2.
pub(super) fn shifted_calinski_harabasz(between: f64, s2: f64) -> f64 {
    z_exp_z(ratio(between, s2))
}

/// `D'` of two classes: the squared distance of their centroids less what chance contributes to it.
#[doc(hidden)]
pub fn unbiased_gap(view: &View<'_>) -> f64 {
    PairMoments::of(view).unbiased_gap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::{Needs, Plan};
    use crate::statistics::Statistics;
    use crate::{Classes, Control, Labels, Points};

    #[test]
    fn the_unbiased_gap_by_hand() {
        let points = Points::new(&[0.0, 2.0, 10.0, 12.0, 14.0], 1).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1, 1])).unwrap();
        let plan = Plan::pairs(Needs::MOMENTS);
        let statistics = Statistics::compute(&classes, plan, Control::none()).unwrap();
        let view = statistics.pair(0, 1);
        // D = 11^2, V = 1 and 8/3 of 2 and 3 points: 121 - 1/1 - (8/3)/2.
        let found = unbiased_gap(&view) * view.unit() * view.unit();
        assert!((found - (120.0 - 4.0 / 3.0)).abs() < 1e-12, "{found}");
    }
}

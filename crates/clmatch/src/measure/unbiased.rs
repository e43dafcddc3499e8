//! Unbiased estimates of scatter, shared by `ch_c` and `db_c`.
//!
//! ```text
//! T' = T N/(N - 1)        V_i' = V_i n_i/(n_i - 1)        D' = D - V_i/(n_i - 1) - V_j/(n_j - 1)
//! ```
//!
//! A shift of all squared distances by beta adds exactly beta/2 to T' and V_i' and leaves D' unchanged; the mean of
//! D' over all permutations of the labels is exactly 0.

use crate::statistics::View;

/// A difference of equal terms below this share of them is rounding.
const ROUNDING: f64 = 1e-14;

/// `D'` of a pair of classes: the squared distance of their centroids less what chance contributes to it.
/// Exactly 0 where the two are equal up to rounding.
pub fn unbiased_gap(view: &View<'_>, i: usize, j: usize) -> f64 {
    let gap = view.gap(i, j);
    let chance = view.variance(i) / (view.size(i) - 1.0) + view.variance(j) / (view.size(j) - 1.0);
    if (gap - chance).abs() <= ROUNDING * (gap + chance) { 0.0 } else { gap - chance }
}

/// `V_i'`.
pub(super) fn unbiased_variance(view: &View<'_>, class: usize) -> f64 {
    view.variance(class) * view.size(class) / (view.size(class) - 1.0)
}

/// `T'`.
pub(super) fn unbiased_total(view: &View<'_>) -> f64 {
    view.total() * view.n() / (view.n() - 1.0)
}

/// The two classes of a pair.
pub(super) fn pair(view: &View<'_>) -> (usize, usize) {
    (view.members()[0], view.members()[1])
}

//! `db_c`: the adjusted Davies-Bouldin index with unbiased estimates and every shifting term in an exponential.
//!
//! ```text
//! db_c = mean over pairs of tanh(k/2 (D'/s2) / (e^((V_i' - T')/s2) + e^((V_j' - T')/s2)))
//! ```
//!
//! Slightly negative where centroids are closer than chance would have them. Degenerate cases: 0 if D' = 0; if
//! s2 = 0, then 0 where a class is wider than the pair as a whole, else 1; 1 for two point-like classes apart.

use super::Verdict::{Breaks, Holds};
use super::unbiased::{pair, unbiased_gap, unbiased_total, unbiased_variance};
use super::{Axioms, Better, Kind, Measure, Scope};
use crate::calibration::K;
use crate::needs::Needs;
use crate::protocol::Form;
use crate::protocol::shift::{excess, log_sum_exp};
use crate::statistics::View;

/// `db_c`.
pub(super) static DB_C: Measure = Measure {
    id: "db_c",
    aliases: &[],
    name: "corrected Davies-Bouldin index",
    kind: Kind::Corrected,
    better: Better::Higher,
    range: (-1.0, 1.0),
    scope: Scope::Pairs,
    needs: Needs::MOMENTS,
    axioms: Axioms {
        w1: Holds,
        w2: Breaks,
        w3: Holds,
        w4: Holds,
        a1: Holds,
        a2: Holds,
        a3: Holds,
        a4: Holds,
    },
    reference: "this project: db_a with unbiased estimates, shift invariant",
    score,
    point_scores: None,
};

fn score(view: &View<'_>) -> f64 {
    if let Some(stated) = view.point_like() {
        return stated;
    }
    let (i, j) = pair(view);
    let (gap, s2) = (unbiased_gap(view, i, j), view.s2());
    let wider = |class| excess(unbiased_variance(view, class), unbiased_total(view), s2);
    let extent = log_sum_exp(wider(i), wider(j));
    if gap == 0.0 || extent == f64::INFINITY {
        return 0.0;
    }
    let size = ((gap.abs() / s2).ln() - extent).exp();
    Form::from_zero(size.copysign(gap)).ranged(K::DB_C.value)
}

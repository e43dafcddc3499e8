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
use crate::protocol::shift::{MOMENT_ROUNDING, excess, log_sum_exp};
use crate::protocol::{Form, Index, Mean, Steps, TakesT4, Variant};
use crate::statistics::View;

/// `(D'/s2) / (e^((V_i' - T')/s2) + e^((V_j' - T')/s2))` of a pair of classes: S is part of it, and R makes it `db_c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnbiasedDaviesBouldin;

impl TakesT4 for UnbiasedDaviesBouldin {}

impl Index for UnbiasedDaviesBouldin {
    fn needs(self, _: Steps, _: bool) -> Needs {
        Needs::MOMENTS
    }

    fn value(self, _: Steps, view: &View<'_>) -> f64 {
        let (i, j) = pair(view);
        let (gap, s2) = (unbiased_gap(view, i, j), view.s2());
        let wider = |class| excess(unbiased_variance(view, class), unbiased_total(view), s2, MOMENT_ROUNDING);
        let extent = log_sum_exp(wider(i), wider(j));
        if gap == 0.0 || extent == f64::INFINITY {
            return 0.0;
        }
        ((gap.abs() / s2).ln() - extent).exp().copysign(gap)
    }

    fn form(self, steps: Steps, view: &View<'_>) -> Form {
        Form::from_zero(self.value(steps, view))
    }
}

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
    score: |view| db_c().of(view),
    point_scores: None,
};

fn db_c() -> Variant<UnbiasedDaviesBouldin> {
    UnbiasedDaviesBouldin.t4(K::DB_C).t3(Mean)
}

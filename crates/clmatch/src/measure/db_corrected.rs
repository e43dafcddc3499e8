//! `db_c`: the adjusted Davies-Bouldin index with unbiased estimates and every shifting term in an exponential.
//!
//! ```text
//! db_c = mean over pairs of tanh(k/2 (D'/s2) / (e^((V_i' - T')/s2) + e^((V_j' - T')/s2))), k = 0.9432
//! ```
//!
//! Slightly negative where centroids are closer than chance would have them. Degenerate cases: 0 if D' = 0; if
//! s2 = 0, then 0 where a class is wider than the pair as a whole, else 1; 1 for two point-like classes apart.

use super::Verdict::{Breaks, Holds};
use super::pair_moments::PairMoments;
use super::{Axioms, Better, Kind, Measure};
use crate::calibration::GrowthRate;
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::{BaseMeasure, Mean, RawScore, Steps, TakesT4, Variant};
use crate::statistics::View;

/// `(D'/s2) / (e^((V_i' - T')/s2) + e^((V_j' - T')/s2))` of a pair of classes: S is part of it, and R makes it `db_c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnbiasedDaviesBouldin;

impl Sealed for UnbiasedDaviesBouldin {}
impl TakesT4 for UnbiasedDaviesBouldin {}

impl BaseMeasure for UnbiasedDaviesBouldin {
    fn needs(self, _: Steps, _: bool) -> Needs {
        Needs::MOMENTS
    }

    fn value(self, _: Steps, view: &View<'_>) -> f64 {
        PairMoments::of(view).unbiased_davies_bouldin()
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        RawScore::from_zero(self.value(steps, view))
    }
}

/// `db_c`: corrected Davies-Bouldin index.
pub static DB_C: Measure = Measure {
    id: "db_c",
    aliases: &[],
    name: "corrected Davies-Bouldin index",
    kind: Kind::Corrected,
    better: Better::Higher,
    range: (-1.0, 1.0),
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
    meaning: "as db_a, and it does not change when all squared distances grow by the same amount; noise scores 0",
    formula: "\
mean over pairs of classes of
tanh(k/2 (D'/s2) / (e^((V_i' - T')/s2) + e^((V_j' - T')/s2)))
k = 0.9432

D'         as in ch_c
V_i'       V_i n_i/(n_i - 1)
T'         T N/(N - 1)
T, V_i, s2 as in db_a",
    reference: "this project: db_a with unbiased estimates, shift invariant",
    background: "",
    definition: &Variant::new(UnbiasedDaviesBouldin).with_growth(GrowthRate::DB_C.value).t3(Mean),
    point_scores: None,
};

//! `ch_c`: the adjusted Calinski-Harabasz index with unbiased estimates.
//!
//! ```text
//! ch_c = mean over pairs of tanh(k z' e^z' / 2)        where z' = n_i n_j D' / (N^2 s2)
//! ```
//!
//! Keeps A1, A2 and A4 where `ch_a` does so only as classes grow; breaks W2, and stays below 1 for classes of unequal
//! size, as `ch_a` does. Slightly negative where centroids are closer than chance would have them. Degenerate cases as
//! `ch_a`.

use super::Verdict::{Breaks, Holds};
use super::pair_moments::PairMoments;
use super::{Axioms, Better, Kind, Measure};
use crate::calibration::GrowthRate;
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::{BaseMeasure, Mean, RawScore, Steps, TakesT4, Variant};
use crate::statistics::View;

/// `z' e^z'` of a pair of classes: D and S are part of it, and R makes it `ch_c`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnbiasedCalinskiHarabasz;

impl Sealed for UnbiasedCalinskiHarabasz {}
impl TakesT4 for UnbiasedCalinskiHarabasz {}

impl BaseMeasure for UnbiasedCalinskiHarabasz {
    fn needs(self, _: Steps, _: bool) -> Needs {
        Needs::MOMENTS
    }

    fn value(self, _: Steps, view: &View<'_>) -> f64 {
        PairMoments::of(view).unbiased_calinski_harabasz()
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        RawScore::from_zero(self.value(steps, view))
    }
}

/// `ch_c`: corrected Calinski-Harabasz index.
pub static CH_C: Measure = Measure {
    id: "ch_c",
    aliases: &[],
    name: "corrected Calinski-Harabasz index",
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
    meaning: "as ch_a, and on few points in many dimensions it is not mistaken: noise scores 0",
    formula: "\
mean over pairs of classes of tanh(k z' e^z' / 2), k = 2.2160052679191475

z'      n_i n_j D' / (N^2 s2)
D'      |c_i - c_j|^2 - V_i/(n_i - 1) - V_j/(n_j - 1)
V_i, s2 as in db_a",
    reference: "this project: ch_a with unbiased estimates",
    background: "",
    definition: &Variant::new(UnbiasedCalinskiHarabasz).with_growth(GrowthRate::CH.value).t3(Mean),
    point_scores: None,
};

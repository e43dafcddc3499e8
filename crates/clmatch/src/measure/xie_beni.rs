//! Xie and Beni's index: scatter within over the smallest gap between centroids. Lower is better.
//!
//! ```text
//! XB    = W / min D                    XB R   = tanh(k/2 / XB)
//! XB S  = e^z sqrt(min D) / s1         XB_A   = mean over pairs of tanh(k/2 e^z sqrt(D) / s1) = II_A
//! ```
//!
//! Where we differ from the paper: XB_A breaks W2 (s1 and s2 react to the change) and A2 (s1 is that of distances, and vanishes
//! as squared distances shift); for random labels it is 0 only as classes grow, falling as 1/sqrt(n).
//!
//! Degenerate cases: XB is infinite if two centroids coincide. XB_A is 0 if D = 0, 1 if s1 = 0 < D, and 1 for two
//! point-like classes apart.

use super::Verdict::{Breaks, Holds, Limit};
use super::{Axioms, Better, Kind, Measure};
use crate::calibration::GrowthRate;
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::shift::ratio;
use crate::protocol::{BaseMeasure, DatasetMeasure, Mean, RawScore, Steps, TakesT2, TakesT4, Variant};
use crate::statistics::View;

/// The Xie-Beni index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XieBeni;

impl Sealed for XieBeni {}
impl DatasetMeasure for XieBeni {}
impl TakesT2 for XieBeni {}
impl TakesT4 for XieBeni {}

impl BaseMeasure for XieBeni {
    fn needs(self, steps: Steps, _: bool) -> Needs {
        if steps.s { Needs::ROOTS } else { Needs::MOMENTS }
    }

    fn value(self, steps: Steps, view: &View<'_>) -> f64 {
        let gap = narrowest(view);
        if steps.s {
            shifted(view, gap)
        } else if gap == 0.0 {
            f64::INFINITY
        } else {
            view.within() / gap
        }
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        let gap = narrowest(view);
        RawScore::from_zero(if steps.s { shifted(view, gap) } else { ratio(gap, view.within()) })
    }
}

fn narrowest(view: &View<'_>) -> f64 {
    view.pairs().map(|(i, j)| view.gap(i, j)).fold(f64::INFINITY, f64::min)
}

/// `e^z sqrt(D) / s1`: the result of T2 for both XB and II.
pub(super) fn shifted(view: &View<'_>, gap: f64) -> f64 {
    if gap == 0.0 {
        return 0.0;
    }
    ratio(view.between(), view.s2()).exp() * ratio(gap.sqrt(), view.s1())
}

/// `xb`: Xie-Beni index.
pub static XB: Measure = Measure {
    id: "xb",
    aliases: &[],
    name: "Xie-Beni index",
    kind: Kind::Standard,
    better: Better::Lower,
    range: (0.0, f64::INFINITY),
    axioms: Axioms {
        w1: Holds,
        w2: Holds,
        w3: Holds,
        w4: Holds,
        a1: Limit,
        a2: Breaks,
        a3: Breaks,
        a4: Breaks,
    },
    meaning: "points lie near the centre of their class against the nearest two centres",
    formula: "\
sum over points of |x - c_i|^2 / (n * smallest |c_i - c_j|^2)",
    reference: "Xie and Beni, IEEE TPAMI 13 (1991)",
    background: "",
    definition: &Variant::new(XieBeni),
    point_scores: None,
};

/// `xb_a`: adjusted Xie-Beni index, the same as the adjusted I index.
pub static XB_A: Measure = Measure {
    id: "xb_a",
    aliases: &["ii_a"],
    name: "adjusted Xie-Beni index, the same as the adjusted I index",
    kind: Kind::Adjusted,
    better: Better::Higher,
    range: (0.0, 1.0),
    axioms: Axioms {
        w1: Holds,
        w2: Breaks,
        w3: Holds,
        w4: Holds,
        a1: Limit,
        a2: Breaks,
        a3: Holds,
        a4: Limit,
    },
    meaning: "the centres of two classes are far from each other against how much distances to their common centre vary",
    formula: "\
mean over pairs of classes of tanh(k e^z |c_i - c_j| / (2 s1))
k = 0.29289310158571386

z   as in ch_a
s1  the standard deviation of |x - c_S| over the points of both
c_S the centre of both",
    reference: "Jeon et al., IEEE TPAMI (2025)",
    background: "",
    definition: &Variant::new(XieBeni).t2().with_growth(GrowthRate::XB.value).t3(Mean),
    point_scores: None,
};

//! Maulik and Bandyopadhyay's I index, with the power 2 of the paper.
//!
//! ```text
//! II   = (1/K  E_1/E_K  max sqrt(D))^2      II S = e^z sqrt(max D) / s1
//! where E_1 = sum of distances to the centroid of the set, E_K = sum of distances to the own class centroid
//! ```
//!
//! The worst case of II is found by random relabellings (T4-a). Its adjusted form is that of XB: `xb_a`.
//! II has the units of a squared length: it changes with the scale of the data. Where we differ from the paper: it
//! breaks W2, because E_K may grow while all distances within classes shrink.
//!
//! Degenerate cases: infinite if all classes are point-like but do not all coincide, 0 if all points coincide.

use super::Verdict::{Breaks, Holds, Limit};
use super::xie_beni::shifted;
use super::{Axioms, Better, Kind, Measure};
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::shift::ratio;
use crate::protocol::{BaseMeasure, DatasetMeasure, RawScore, Steps, TakesT2, TakesT4, Variant, Worst};
use crate::statistics::View;

/// The I index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IIndex;

impl Sealed for IIndex {}
impl DatasetMeasure for IIndex {}
impl TakesT2 for IIndex {}
impl TakesT4 for IIndex {}

impl BaseMeasure for IIndex {
    fn needs(self, steps: Steps, rescaled: bool) -> Needs {
        if rescaled && !steps.s { Needs::ROOTS.union(Needs::SHUFFLES) } else { Needs::ROOTS }
    }

    fn value(self, steps: Steps, view: &View<'_>) -> f64 {
        if steps.s {
            shifted(view, widest(view))
        } else {
            let within =
                view.members().iter().map(|&class| view.size(class) * view.class_radius(class)).sum();
            index(view, within, widest(view))
        }
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        let value = self.value(steps, view);
        if steps.s {
            return RawScore::from_zero(value);
        }
        let sample = view.relabellings().iter().map(|labels| index(view, labels.within, labels.widest));
        RawScore { value, worst: Worst::Sampled(sample.collect()) }
    }
}

fn widest(view: &View<'_>) -> f64 {
    view.pairs().map(|(i, j)| view.gap(i, j)).fold(0.0, f64::max)
}

fn index(view: &View<'_>, within: f64, widest: f64) -> f64 {
    let around_one = view.n() * view.radius();
    let root = ratio(around_one * widest.sqrt(), view.k() * within) * view.unit();
    root * root
}

/// `ii`: I index.
pub static II: Measure = Measure {
    id: "ii",
    aliases: &[],
    name: "I index",
    kind: Kind::Standard,
    better: Better::Higher,
    range: (0.0, f64::INFINITY),
    axioms: Axioms {
        w1: Breaks,
        w2: Breaks,
        w3: Holds,
        w4: Holds,
        a1: Limit,
        a2: Breaks,
        a3: Breaks,
        a4: Breaks,
    },
    meaning: "centres lie apart, and points are nearer to that of their class than to that of all",
    formula: "\
((1/K) * sum |x - c| / sum |x - c_i| * largest |c_i - c_j|)^2

c   the centre of all points
c_i the centre of the point's class",
    reference: "Maulik and Bandyopadhyay, IEEE TPAMI 24 (2002)",
    background: "",
    definition: &Variant::new(IIndex),
    point_scores: None,
};

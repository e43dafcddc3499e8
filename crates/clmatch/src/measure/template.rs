//! The ratio of the widest gap to the total scatter.
use super::Verdict::{Breaks, Holds};
use super::{Axioms, Better, Formula, Kind, Measure, Needs};
use crate::protocol::Mean;

/// `gap`: gap ratio.
pub static GAP: Measure = Measure {
    id: "gap",
    aliases: &[],
    name: "gap ratio",
    kind: Kind::Standard,
    better: Better::Higher,
    range: (0.0, 1.0),
    axioms: Axioms {
        w1: Holds,
        w2: Breaks,
        w3: Holds,
        w4: Holds,
        a1: Holds,
        a2: Breaks,
        a3: Holds,
        a4: Breaks,
    },
    meaning: "what a good score says of the classes",
    formula: "the formula as people read it, with its symbols",
    reference: "where it is defined",
    background: "", // how it was found and where it is weak, if the reference does not say
    // The statistics that the formula reads (a view refuses all others), the mean over pairs of classes, and the formula.
    // `Formula::of_all` looks at all classes at once.
    definition: &Formula::of_pairs(Needs::MOMENTS, Mean, |view| view.between() / view.total()),
    point_scores: None,
};

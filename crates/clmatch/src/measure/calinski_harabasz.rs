//! Calinski and Harabasz's index: scatter between classes over scatter within.
//!
//! ```text
//! CH    = (n - K)/(K - 1) B/W          CH_1 (D) = B / ((K - 1) W)
//! CH S  = n/(K - 1) z e^z              CH DS    = 1/(K - 1) z e^z
//! CH_A  = mean over pairs of tanh(k z e^z / 2)
//! where z = B/s2; e^z is the paper's e^(T/s2) / e^(W/s2), because T - W = B
//! ```
//!
//! Where we differ from the paper: s2 reacts to changes of the data, so CH_A breaks W2, and its limit for classes with shares p
//! and q of the points, ever farther apart, is not 1 but that for z = sqrt(p q)/|q - p| (.54 for 10% and 90%). D is biased on few
//! points in many dimensions: A1, A2 and A4 hold only as classes grow; `ch_c` corrects that. CH keeps W2 except for its fixed
//! value at W = 0.
//!
//! Degenerate cases: CH is 1 if W = 0, as in scikit-learn. CH_A is 0 if B = 0, 1 if s2 = 0 < B, and 1 for two
//! point-like classes apart.

use super::Verdict::{Breaks, Holds, Limit};
use super::pair_moments::shifted_calinski_harabasz;
use super::{Axioms, Better, Kind, Measure};
use crate::calibration::GrowthRate;
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::shift::ratio;
use crate::protocol::{
    BaseMeasure, DatasetMeasure, Mean, RawScore, Steps, TakesT1, TakesT2, TakesT4, Variant,
};
use crate::statistics::View;

/// The Calinski-Harabasz index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalinskiHarabasz;

impl Sealed for CalinskiHarabasz {}
impl DatasetMeasure for CalinskiHarabasz {}
impl TakesT1 for CalinskiHarabasz {}
impl TakesT2 for CalinskiHarabasz {}
impl TakesT4 for CalinskiHarabasz {}

impl BaseMeasure for CalinskiHarabasz {
    fn needs(self, _: Steps, _: bool) -> Needs {
        Needs::MOMENTS
    }

    fn value(self, steps: Steps, view: &View<'_>) -> f64 {
        if steps == Steps::default() && view.within() == 0.0 { 1.0 } else { unbounded(steps, view) }
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        RawScore::from_zero(unbounded(steps, view))
    }
}

fn unbounded(steps: Steps, view: &View<'_>) -> f64 {
    let shape = if steps.s {
        shifted_calinski_harabasz(view.between(), view.s2())
    } else {
        ratio(view.between(), view.within())
    };
    let points = match (steps.d, steps.s) {
        (true, _) => 1.0,
        (false, true) => view.n(),
        (false, false) => view.n() - view.k(),
    };
    points / (view.k() - 1.0) * shape
}

/// `ch`: Calinski-Harabasz index.
pub static CH: Measure = Measure {
    id: "ch",
    aliases: &[],
    name: "Calinski-Harabasz index",
    kind: Kind::Standard,
    better: Better::Higher,
    range: (0.0, f64::INFINITY),
    axioms: Axioms {
        w1: Holds,
        w2: Holds,
        w3: Holds,
        w4: Holds,
        a1: Breaks,
        a2: Breaks,
        a3: Breaks,
        a4: Breaks,
    },
    meaning: "classes lie apart against how far their points scatter",
    formula: "\
(n - K)/(K - 1) * B / W

B   the sum over classes of n_i |c_i - c|^2, c the centre of all points
W   the sum over points of |x - c_i|^2, c_i the centre of the point's class",
    reference: "Calinski and Harabasz, Communications in Statistics 3 (1974)",
    background: "",
    definition: &Variant::new(CalinskiHarabasz),
    point_scores: None,
};

/// `ch_a`: adjusted Calinski-Harabasz index.
pub static CH_A: Measure = Measure {
    id: "ch_a",
    aliases: &[],
    name: "adjusted Calinski-Harabasz index",
    kind: Kind::Adjusted,
    better: Better::Higher,
    range: (0.0, 1.0),
    axioms: Axioms {
        w1: Holds,
        w2: Breaks,
        w3: Holds,
        w4: Holds,
        a1: Limit,
        a2: Limit,
        a3: Holds,
        a4: Limit,
    },
    meaning: "the variance between two classes is large against how much squared distances to their common centre vary",
    formula: "\
mean over pairs of classes of tanh(k z e^z / 2), k = 2.2160052679191475

z   B/s2
B   n_i n_j |c_i - c_j|^2 / N^2
s2  the standard deviation of |x - c_S|^2 over the N points of both
c_S the centre of both",
    reference: "Jeon et al., IEEE TPAMI (2025)",
    background: "",
    definition: &Variant::new(CalinskiHarabasz).t1().t2().with_growth(GrowthRate::CH.value).t3(Mean),
    point_scores: None,
};

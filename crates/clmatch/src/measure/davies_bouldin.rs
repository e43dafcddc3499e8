//! Davies and Bouldin's index: the mean over classes of the worst ratio of extents to gap. Lower is better.
//!
//! ```text
//! DB    = mean_i max_j (S_i + S_j) / sqrt(D)         DB R = tanh(k/2 / DB)
//! DB S  = mean_i min_j (D/s2) (T/s2) / (e^(V_i/s2) + e^(V_j/s2))
//! DB_A  = mean over pairs of tanh(k/2 DB S)
//! ```
//!
//! As published, T/s2 is not in an exponential, so DB_A is not shift invariant; `db_c` is. We also differ from the paper in W2:
//! DB breaks it, because S_i may grow while all distances within class i shrink (fold three points on a line at the middle one),
//! and DB_A breaks it, because s2 reacts to the change. Both are biased on few points.
//!
//! Degenerate cases: DB is infinite where two centroids coincide, the worst value, while scikit-learn leaves such
//! pairs out and may answer 0, the best one. DB_A is 0 if D = 0, or if s2 = 0 and a class has extent, and 1 for two
//! point-like classes apart.

use super::Verdict::{Breaks, Holds, Limit};
use super::{Axioms, Better, Kind, Measure};
use crate::calibration::GrowthRate;
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::shift::{log_sum_exp, ratio};
use crate::protocol::{BaseMeasure, DatasetMeasure, Mean, RawScore, Steps, TakesT2, TakesT4, Variant};
use crate::statistics::View;

/// The Davies-Bouldin index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaviesBouldin;

impl Sealed for DaviesBouldin {}
impl DatasetMeasure for DaviesBouldin {}
impl TakesT2 for DaviesBouldin {}
impl TakesT4 for DaviesBouldin {}

impl BaseMeasure for DaviesBouldin {
    fn needs(self, steps: Steps, _: bool) -> Needs {
        if steps.s { Needs::MOMENTS } else { Needs::ROOTS }
    }

    fn value(self, steps: Steps, view: &View<'_>) -> f64 {
        if steps.s {
            mean_over_classes(view, f64::min, |i, j| shifted(view, i, j))
        } else {
            mean_over_classes(view, f64::max, |i, j| overlap(view, i, j))
        }
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        let value = self.value(steps, view);
        RawScore::from_zero(if steps.s { value } else { 1.0 / value })
    }
}

fn mean_over_classes(view: &View<'_>, worse: fn(f64, f64) -> f64, pair: impl Fn(usize, usize) -> f64) -> f64 {
    let of_class = |&i: &usize| {
        let others = view.members().iter().filter(|&&j| j != i);
        others.map(|&j| pair(i, j)).reduce(worse).unwrap_or(0.0)
    };
    view.members().iter().map(of_class).sum::<f64>() / view.k()
}

fn overlap(view: &View<'_>, i: usize, j: usize) -> f64 {
    let gap = view.gap(i, j).sqrt();
    if gap == 0.0 { f64::INFINITY } else { (view.class_radius(i) + view.class_radius(j)) / gap }
}

/// `(D/s2) (T/s2) / (e^(V_i/s2) + e^(V_j/s2))`, computed with logarithms because the exponents may be large.
fn shifted(view: &View<'_>, i: usize, j: usize) -> f64 {
    let (gap, s2) = (view.gap(i, j), view.s2());
    if gap == 0.0 {
        return 0.0;
    }
    let extent = log_sum_exp(ratio(view.variance(i), s2), ratio(view.variance(j), s2));
    if extent == f64::INFINITY {
        return 0.0;
    }
    ((gap / s2).ln() + (view.total() / s2).ln() - extent).exp()
}

/// `db`: Davies-Bouldin index.
pub static DB: Measure = Measure {
    id: "db",
    aliases: &[],
    name: "Davies-Bouldin index",
    kind: Kind::Standard,
    better: Better::Lower,
    range: (0.0, f64::INFINITY),
    axioms: Axioms {
        w1: Holds,
        w2: Breaks,
        w3: Holds,
        w4: Holds,
        a1: Limit,
        a2: Breaks,
        a3: Breaks,
        a4: Breaks,
    },
    meaning: "the worst neighbour of each class is far against how far both scatter",
    formula: "\
mean over classes of the largest (S_i + S_j)/|c_i - c_j|

S_i the mean of |x - c_i| over class i",
    reference: "Davies and Bouldin, IEEE TPAMI 1 (1979)",
    background: "",
    definition: &Variant::new(DaviesBouldin),
    point_scores: None,
};

/// `db_a`: adjusted Davies-Bouldin index.
pub static DB_A: Measure = Measure {
    id: "db_a",
    aliases: &[],
    name: "adjusted Davies-Bouldin index",
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
    meaning: "the centres of two classes are far from each other, and both classes are compact",
    formula: "\
mean over pairs of classes of
tanh(k/2 (D/s2)(T/s2) / (e^(V_i/s2) + e^(V_j/s2)))
k = 2.4831185988914117

D   |c_i - c_j|^2
T   the mean of |x - c_S|^2 over the points of both, c_S their centre
s2  the standard deviation of |x - c_S|^2
V_i the mean of |x - c_i|^2 over class i",
    reference: "Jeon et al., IEEE TPAMI (2025)",
    background: "",
    definition: &Variant::new(DaviesBouldin).t2().with_growth(GrowthRate::DB.value).t3(Mean),
    point_scores: None,
};

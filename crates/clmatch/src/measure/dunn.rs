//! Dunn's index: the smallest distance between classes over the largest within them.
//!
//! ```text
//! DI    = min separation / max diameter          DI S  = e^((min separation - max diameter) / s1)
//! DI D  = b / m, worst case g / p                DI DS = e^((b - m) / s1), worst case e^((g - p) / s1)
//! DI_A  = mean over pairs of (L - E)/(1 - E), L = logistic(k DI DS), E the same of the worst case
//! where b = mean distance between classes, m = larger mean distance within a class,
//!       g = mean distance to the geometric median of the pair, p = mean distance of all points of the pair
//! ```
//!
//! Where we differ from the paper: DI_A breaks W2 (s1 reacts to the change), A2 (a shift of squared distances does not shift
//! distances, and g and p shift differently) and A4 (random labels score about .15: b - m is then 0, not g - p).
//!
//! Degenerate cases: DI is infinite if all diameters are 0 and no points of two classes coincide, 0 if some do. DI_A is 1 for two
//! point-like classes apart, 0 if all points coincide. If s1 = 0 < m, it is 1 where b > m, 0 where b < m, as for classes that are
//! the same points, and .2 where b = m (the corners of a simplex). If s1 > 0, classes that are the same points score like random
//! labels. The separation is taken over all pairs of classes.

use super::Verdict::{Breaks, Holds};
use super::{Axioms, Better, Kind, Measure};
use crate::calibration::GrowthRate;
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::shift::{excess, ratio};
use crate::protocol::{
    BaseMeasure, DatasetMeasure, Mean, RawScore, Steps, TakesT1, TakesT2, TakesT4, Variant, Worst,
};
use crate::statistics::View;

/// The Dunn index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dunn;

impl Sealed for Dunn {}
impl DatasetMeasure for Dunn {}
impl TakesT1 for Dunn {}
impl TakesT2 for Dunn {}
impl TakesT4 for Dunn {}

impl BaseMeasure for Dunn {
    fn needs(self, steps: Steps, rescaled: bool) -> Needs {
        let distances = match (steps.d, rescaled) {
            (false, _) => Needs::EXTREMES,
            (true, false) => Needs::SUMS,
            (true, true) => Needs::SUMS.union(Needs::MEDIAN),
        };
        if steps.s { distances.union(Needs::ROOTS) } else { distances }
    }

    fn value(self, steps: Steps, view: &View<'_>) -> f64 {
        let (apart, extent) = if steps.d {
            let between = view.pairs().map(|(i, j)| view.mean_between(i, j)).fold(f64::INFINITY, f64::min);
            let within = view.members().iter().map(|&class| view.mean_within(class)).fold(0.0, f64::max);
            (between, within)
        } else {
            (view.separation(), view.diameter())
        };
        compare(steps, apart, extent, view)
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        let value = self.value(steps, view);
        if !steps.d {
            return RawScore::from_zero(value);
        }
        let worst = compare(steps, view.median_radius(), view.mean_distance(), view);
        RawScore { value, worst: Worst::At(worst) }
    }
}

fn compare(steps: Steps, apart: f64, extent: f64, view: &View<'_>) -> f64 {
    if steps.s {
        excess(apart, extent, view.s1(), view.distance_rounding()).exp()
    } else {
        ratio(apart, extent)
    }
}

/// `di`: Dunn index.
pub static DI: Measure = Measure {
    id: "di",
    aliases: &[],
    name: "Dunn index",
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
    meaning: "the nearest two points of different classes are further apart than the furthest two of one class",
    formula: "\
smallest distance between points of different classes / largest distance within a class",
    reference: "Dunn, Journal of Cybernetics 4 (1974)",
    background: "",
    definition: &Variant::new(Dunn),
    point_scores: None,
};

/// `di_a`: adjusted Dunn index.
pub static DI_A: Measure = Measure {
    id: "di_a",
    aliases: &[],
    name: "adjusted Dunn index",
    kind: Kind::Adjusted,
    better: Better::Higher,
    range: (-1.0, 1.0),
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
    meaning: "points of two classes are further apart on average than points of the wider one",
    formula: "\
mean over pairs of classes of (L - E)/(1 - E), k = 0.40019810656179045

L   logistic(k e^((b - m)/s1))
b   the mean distance between the classes
m   the larger of the mean distances within each
E   logistic(k e^((g - p)/s1))
g   the mean distance of the points of both to their geometric median
p   the mean distance of the points of both to each other
s1  the standard deviation of the distances to the centre of both",
    reference: "Jeon et al., IEEE TPAMI (2025)",
    background: "",
    definition: &Variant::new(Dunn).t1().t2().with_growth(GrowthRate::DI.value).t3(Mean),
    point_scores: None,
};

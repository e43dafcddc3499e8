//! Rousseeuw's silhouette: how much nearer a point is to its own class than to the next one.
//!
//! ```text
//! s(x)   = (b - a) / max(a, b)                        SC   = mean over points
//! s_S(x) = e^((b - M)/s1) - e^((a - M)/s1)            SC S = mean over classes of the mean over their points
//! SC_A   = mean over pairs of SC S
//! where a = mean distance to the other points of the own class, b = mean distance to the nearest other class,
//!       M = max(a, b)
//! ```
//!
//! Where we differ from the paper: SC_A breaks W2 (s1 reacts to the change) and A2 (a shift of squared distances does not shift
//! distances). SC of random labels is below 0 if many small classes compete for being the nearest.
//!
//! Degenerate cases: s(x) is 0 for a point alone in its class and where a = b = 0, as in scikit-learn. SC_A is 1 for two
//! point-like classes apart, 0 if all points coincide. If s1 = 0, all points of the pair are equally far from its centre, and
//! s_S(x) is its limit: 1 where a < b, 0 where a = b, -1 where a > b. But it is 0 for all points if the two classes are the same
//! points: for these a > b only because the point itself, at distance 0, counts for b but not for a, which means nothing. Where
//! s1 > 0, this makes the score of such classes slightly negative, more so the fewer points there are. It is left so, because
//! classes that are nearly the same score alike.

use super::Verdict::{Breaks, Holds, Limit};
use super::{Axioms, Better, Kind, Measure};
use crate::needs::Needs;
use crate::protocol::sealed::Sealed;
use crate::protocol::shift::{excess, nearly_equal, ratio};
use crate::protocol::{BaseMeasure, DatasetMeasure, Mean, RawScore, Steps, TakesT2, Variant};
use crate::statistics::View;

/// The silhouette coefficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silhouette;

impl Sealed for Silhouette {}
impl DatasetMeasure for Silhouette {}
impl TakesT2 for Silhouette {}

impl BaseMeasure for Silhouette {
    fn needs(self, steps: Steps, _: bool) -> Needs {
        if steps.s { Needs::SUMS.union(Needs::ROOTS) } else { Needs::SUMS }
    }

    fn value(self, steps: Steps, view: &View<'_>) -> f64 {
        if !steps.s {
            let of_class = |&class: &usize| view.size(class) * mean(&widths(view, class));
            return view.members().iter().map(of_class).sum::<f64>() / view.n();
        }
        let of_class = |&class: &usize| mean(&shifted_widths(view, class));
        view.members().iter().map(of_class).sum::<f64>() / view.k()
    }

    fn raw_score(self, steps: Steps, view: &View<'_>) -> RawScore {
        RawScore::from_zero(self.value(steps, view))
    }
}

fn mean(widths: &[f64]) -> f64 {
    widths.iter().sum::<f64>() / widths.len() as f64
}

/// `s(x)` of a point of class `own`, from the sums of its distances to each class and the sizes of the classes.
///
/// Works with any dissimilarity: Rousseeuw's own examples are not distances between points.
pub fn silhouette_width(sums: &[f64], sizes: &[f64], own: usize) -> f64 {
    if sizes[own] < 2.0 {
        return 0.0;
    }
    let a = sums[own] / (sizes[own] - 1.0);
    let others = sums.iter().zip(sizes).enumerate().filter(|&(class, _)| class != own);
    let b = others.map(|(_, (sum, size))| sum / size).fold(f64::INFINITY, f64::min);
    ratio(b - a, a.max(b))
}

/// `s(x)` of the points of a class.
fn widths(view: &View<'_>, class: usize) -> Vec<f64> {
    let members = view.members();
    let own = members.iter().position(|&member| member == class).expect("the class is in the set");
    let sizes: Vec<f64> = members.iter().map(|&member| view.size(member)).collect();
    let mut sums = vec![0.0; members.len()];
    let mut width = |point: usize| {
        sums.iter_mut().zip(members).for_each(|(sum, &member)| *sum = view.distance_sum(point, member));
        silhouette_width(&sums, &sizes, own)
    };
    view.points(class).map(&mut width).collect()
}

/// `s_S(x)` of the points of a class.
fn shifted_widths(view: &View<'_>, class: usize) -> Vec<f64> {
    if let Some(stated) = view.point_like() {
        return vec![stated; view.points(class).len()];
    }
    if view.size(class) < 2.0 {
        return vec![0.0];
    }
    let (s1, rounding) = (view.s1(), view.distance_rounding());
    if s1 == 0.0 && coincide(view) {
        return vec![0.0; view.points(class).len()];
    }
    let width = |own: f64, other: f64| {
        let larger = own.max(other);
        excess(other, larger, s1, rounding).exp() - excess(own, larger, s1, rounding).exp()
    };
    distances(view, class).map(|(own, other)| width(own, other)).collect()
}

/// Whether two classes consist of the same points, each with the same share of its class.
///
/// Then and only then, every point has the same mean distance to both classes, itself included: the mean of the differences over
/// one class, less that over the other, is the energy distance of the two, which is 0 only for equal distributions (Szekely and
/// Rizzo, 2013).
fn coincide(view: &View<'_>) -> bool {
    let [i, j] = view.members()[..] else { return false };
    let mean = |point, class| view.distance_sum(point, class) / view.size(class);
    let mut points = [i, j].into_iter().flat_map(|class| view.points(class));
    points.all(|point| nearly_equal(mean(point, i), mean(point, j), view.distance_rounding()))
}

/// `(a, b)` of each point of a class.
fn distances<'a>(view: &'a View<'_>, class: usize) -> impl Iterator<Item = (f64, f64)> + 'a {
    view.points(class).map(move |point| {
        let own = view.distance_sum(point, class) / (view.size(class) - 1.0);
        let others = view.members().iter().filter(|&&other| other != class);
        let nearest = others.map(|&other| view.distance_sum(point, other) / view.size(other));
        (own, nearest.fold(f64::INFINITY, f64::min))
    })
}

/// `sc`: silhouette coefficient.
pub static SC: Measure = Measure {
    id: "sc",
    aliases: &[],
    name: "silhouette coefficient",
    kind: Kind::Standard,
    better: Better::Higher,
    range: (-1.0, 1.0),
    axioms: Axioms {
        w1: Holds,
        w2: Holds,
        w3: Holds,
        w4: Holds,
        a1: Holds,
        a2: Breaks,
        a3: Breaks,
        a4: Limit,
    },
    meaning: "points are nearer to their own class than to the nearest other one",
    formula: "\
mean over points of (b - a)/max(a, b); 0 for a point that is alone in its class

a   the mean distance to the others of its class
b   the smallest mean distance to another class",
    reference: "Rousseeuw, Journal of Computational and Applied Mathematics 20 (1987)",
    background: "",
    definition: &Variant::new(Silhouette),
    point_scores: Some(widths),
};

/// `sc_a`: adjusted silhouette coefficient.
pub static SC_A: Measure = Measure {
    id: "sc_a",
    aliases: &[],
    name: "adjusted silhouette coefficient",
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
        a4: Holds,
    },
    meaning: "points are nearer to their own class than to the other, class by class",
    formula: "\
mean over pairs of classes of the mean of both classes' mean s(x)

s(x) e^((b - M)/s1) - e^((a - M)/s1)
a    the mean distance of x to the others of its class
b    the mean distance of x to the other class
M    max(a, b)
s1   the standard deviation of the distances to the centre of both",
    reference: "Jeon et al., IEEE TPAMI (2025)",
    background: "",
    definition: &Variant::new(Silhouette).t2().t3(Mean),
    point_scores: Some(shifted_widths),
};

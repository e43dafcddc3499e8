//! `clm_pairs`, half of the headline score: three questions about a pair of classes.
//!
//! ```text
//! clm_pairs = mean over pairs of (u + kappa + nu) / 3        u = 1 - (1 - eta)(1 - kappa)
//! ```
//!
//! Are the classes apart, along the line between their centres or by a gap (u)? Is there a gap between them (kappa)? Do
//! neighbours share labels (nu)?
//!
//! * `eta`: how clearly the cost of belonging to one class rather than the other separates the two. With Hartigan's cost
//!   `h_c(x) = n_c/(n_c - 1) |x - c|^2` of keeping x in its own class with centroid c, or `n_c/(n_c + 1) |x - c|^2` of moving it
//!   to the other one, and `u(x) = h_i(x) - h_j(x)`, `eta` is the share of the variance of u that lies between the two classes,
//!   and 0 where their means lie on the wrong sides.
//! * `kappa`: for a distance r, join the points of the pair that are at most r apart. The components are a partition of the N
//!   points, in which all components of a single point form one group together, as the noise of DBSCAN does. `kappa` is the
//!   largest adjusted Rand index of such a partition with the labels over all r, and at least 0. These partitions are the cuts of
//!   the minimum spanning tree of the pair.
//! * `nu`: each point gives `q = min(5, N - 1)` votes to its nearest other points of the pair; `nu` is the normalised mutual
//!   information of the label of the point and the label of the neighbour, `I / mean(H_row, H_col)`.
//!
//! All three are scale invariant, unchanged by a shift of squared distances, and between 0 and 1. After a shift so large that two
//! squared distances differ by less than 1e-9 of themselves, `nu` and `kappa` treat them as equal. Both depend on how densely
//! classes are sampled: A1 holds only as classes grow. Any of the three may fall when classes move apart unevenly (W2).
//!
//! Each pair has its own cut and its own neighbours, so datasets with many classes are overrated: the far pairs dominate the
//! mean. The other half of [`clm`](super::clm) is computed on all classes at once.
//!
//! Degenerate cases: 1 for two point-like classes apart, 0 if all points coincide; `nu` is 0 where the entropies are. For two
//! classes that are the same points `eta` and `kappa` are 0, but `nu` is not quite 0: the nearest neighbour of a point is then
//! its copy in the other class, and a label that determines that of the neighbour is information, even if the two differ (.03
//! where 3 of 5 neighbours have the other label).

use super::Verdict::{Breaks, Holds, Limit};
use super::clm::ClmTerms;
use super::definition::Formula;
use super::neighbour_votes::{normalised_information, votes_of};
use super::{Axioms, Better, Kind, Measure};
use crate::needs::Needs;
use crate::protocol::Mean;
use crate::statistics::{TOUCHING, View};

/// The statistics of a pair of classes that the terms need.
pub(super) const NEEDS: Needs = Needs::NEAREST.union(Needs::ETA).union(Needs::KAPPA);

/// `clm_pairs`: cluster-label matching of pairs.
pub static CLM_PAIRS: Measure = Measure {
    id: "clm_pairs",
    aliases: &[],
    name: "cluster-label matching of pairs",
    kind: Kind::Own,
    better: Better::Higher,
    range: (0.0, 1.0),
    axioms: Axioms {
        w1: Holds,
        w2: Breaks,
        w3: Holds,
        w4: Holds,
        a1: Limit,
        a2: Holds,
        a3: Holds,
        a4: Limit,
    },
    meaning: "every two classes are apart, along a line or by a gap, and the neighbours of a point have its label",
    formula: "\
mean over pairs of classes of (u + kappa + nu)/3
u = 1 - (1 - eta)(1 - kappa)

eta    B_u/(B_u + W_u), the share of the variance of u(x) = h_i(x) - h_j(x)
       that lies between the two classes; h_c(x) is n_c/(n_c - 1) |x - c_c|^2
       for a point of class c and n_c/(n_c + 1) |x - c_c|^2 for another;
       0 where the mean of u(x) is larger in class i than in class j
kappa  the largest adjusted Rand index, with the labels, of the components
       when points at most r apart are joined, over all r; at least 0; all
       components of a single point are one group
nu     I/((H_row + H_col)/2) of the 2 x 2 table of labels of points and of
       their 5 nearest others in the pair",
    reference: "this project: separation, tree and neighbourhood agreement of pairs",
    background: "",
    definition: &Formula {
        needs: NEEDS,
        aggregate: Some(Mean),
        value: |view| terms(view).score(),
        terms: Some(terms),
        all: None,
    },
    point_scores: None,
};

/// The terms of a pair of classes.
pub fn terms(view: &View<'_>) -> ClmTerms {
    terms_with(view, || nu(view))
}

/// The terms of two classes; without extent, all of them are 1 or all are 0.
fn terms_with(view: &View<'_>, nu: impl FnOnce() -> f64) -> ClmTerms {
    match view.point_like() {
        Some(value) => ClmTerms { eta: value, kappa: value, nu: value },
        None => ClmTerms { eta: view.eta(), kappa: view.kappa(), nu: nu() },
    }
}

/// The score of a pair if these shares of the neighbours of either class belong to the other.
pub(crate) fn with_shares(view: &View<'_>, shares: [f64; 2]) -> f64 {
    let [a, b] = [0, 1].map(|label| view.size(view.members()[label]));
    let votes = [a * (1.0 - shares[0]), a * shares[0], b * shares[1], b * (1.0 - shares[1])];
    terms_with(view, || normalised_information(&votes, 2)).score()
}

/// The share of the nearest points of a point that belongs to each of the two classes.
pub(crate) fn neighbour_shares(view: &View<'_>, point: usize) -> [f64; 2] {
    let [a, b] = neighbours(view, point);
    [a / (a + b), b / (a + b)]
}

/// Agreement of neighbours in a pair of classes.
pub fn nu(view: &View<'_>) -> f64 {
    let mut votes = [[0.0; 2]; 2];
    for (label, row) in votes.iter_mut().enumerate() {
        for point in view.points(view.members()[label]) {
            let shares = neighbours(view, point);
            row[0] += shares[0];
            row[1] += shares[1];
        }
    }
    normalised_information(votes.as_flattened(), 2)
}

/// How many of the nearest points of a point belong to each of the two classes.
pub(crate) fn neighbours(view: &View<'_>, point: usize) -> [f64; 2] {
    let nearest = [0, 1].map(|label| view.nearest(point, view.members()[label]));
    let mut votes = [0.0; 2];
    let touching = TOUCHING * view.total();
    votes_of(nearest.into_iter(), view.n() as usize, touching, |label, count| votes[label] = count);
    votes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_follows_from_the_shares_of_neighbours() {
        use crate::{Classes, Control, Labels, Points};
        let values = [0.0, 0.4, 1.0, 1.5, 2.1, 2.2, 1.9, 3.0, 3.3];
        let labels = [0, 0, 0, 0, 0, 1, 1, 1, 1];
        let classes = Classes::new(Points::new(&values, 1).unwrap(), &Labels::encode(labels)).unwrap();
        let plan = crate::measure::find("clm_pairs").unwrap().plan();
        let statistics = crate::statistics::Statistics::compute(&classes, plan, Control::none()).unwrap();
        let view = statistics.pair(0, 1);
        // The mean share of neighbours in the other class, over the points of each class.
        let of = |label: usize, other: usize| {
            let points: Vec<usize> = view.points(view.members()[label]).collect();
            let shares = points.iter().map(|&point| neighbour_shares(&view, point));
            shares.clone().for_each(|[a, b]| assert!((a + b - 1.0).abs() < 1e-15));
            shares.map(|shares| shares[other]).sum::<f64>() / points.len() as f64
        };
        let shares = [of(0, 1), of(1, 0)];
        assert!(shares.iter().all(|&share| share > 0.0 && share < 0.5), "{shares:?}");
        let expected = terms_with(&view, || nu(&view)).score();
        assert!((with_shares(&view, shares) - expected).abs() < 1e-14, "{shares:?}");
    }
}

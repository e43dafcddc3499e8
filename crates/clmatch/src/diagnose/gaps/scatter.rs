//! Whether points amid a class that carry another label lie there at random.
//!
//! ```text
//! J = links between two points of class k that both carry the label y
//! z = (J - E(J)) / sqrt(Var(J))
//! ```
//!
//! Links run from every point to those of its 8 nearest that belong to the same class. The mean and the variance are taken over
//! all ways to give as many labels y to the points of class k; they are known exactly (the join counts of Cliff and Ord). With n
//! points, m labels y, f(i) = m (m - 1) .. (m - i + 1) / (n (n - 1) .. (n - i + 1)) and w = 1 for a link from x to x', else 0,
//!
//! ```text
//! E(J)   = S0 f(2)
//! E(J^2) = S1 f(2) + (S2 - 2 S1) f(3) + (S0^2 + S1 - S2) f(4)
//! S0     = sum of w(x, x')        S1 = sum of w(x, x') (w(x, x') + w(x', x))
//! S2     = sum over x of (links from x + links to x)^2
//! ```
//!
//! Labels that are wrong at random have z near 0. If a class overlaps this one, its points lie side by side, and z is large.

use std::collections::BTreeMap;

use super::super::evidence::Vote;
use super::near;

/// The links within a class.
#[derive(Debug, Clone, Copy, Default)]
struct ClassLinks {
    points: f64,
    s0: f64,
    s1: f64,
    s2: f64,
}

/// z of every label, for every other class amid which it occurs. 0 where J has no variance.
///
/// Time: O(n log n). Memory: O(n).
pub(super) fn clumping(
    votes: &[Vec<Vote>],
    labels: &[u32],
    class_of: &[u32],
    classes: usize,
) -> BTreeMap<(u32, u32), f64> {
    let mut of_class = vec![ClassLinks::default(); classes];
    let mut ends = vec![0.0; votes.len()];
    // How many points there are, and J.
    let mut foreign: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    for point in 0..votes.len() {
        let (label, class) = (labels[point], class_of[point]);
        let links = &mut of_class[class as usize];
        links.points += 1.0;
        let mut joins = 0.0;
        for other in near(&votes[point]).filter(|&other| class_of[other] == class) {
            links.s0 += 1.0;
            links.s1 += if near(&votes[other]).any(|back| back == point) { 2.0 } else { 1.0 };
            ends[point] += 1.0;
            ends[other] += 1.0;
            joins += if labels[other] == label { 1.0 } else { 0.0 };
        }
        if label != class {
            let found = foreign.entry((label, class)).or_default();
            *found = (found.0 + 1.0, found.1 + joins);
        }
    }
    for (ends, class) in ends.iter().zip(class_of) {
        of_class[*class as usize].s2 += ends * ends;
    }
    let z = |(pair, (labelled, joins)): ((u32, u32), (f64, f64))| {
        (pair, of_class[pair.1 as usize].z(labelled, joins))
    };
    foreign.into_iter().map(z).collect()
}

impl ClassLinks {
    /// z of J, if `labelled` points carry the label.
    fn z(&self, labelled: f64, joins: f64) -> f64 {
        let ClassLinks { points, s0, s1, s2 } = *self;
        let f = |of: u32| {
            let factor = |i: u32| (labelled - f64::from(i)).max(0.0) / (points - f64::from(i)).max(1.0);
            (0..of).map(factor).product::<f64>()
        };
        let mean = s0 * f(2);
        let square = s1 * f(2) + (s2 - 2.0 * s1) * f(3) + (s0 * s0 + s1 - s2) * f(4);
        let variance = square - mean * mean;
        if variance > 1e-9 * square { (joins - mean) / variance.sqrt() } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::votes_on_a_line;
    use super::*;

    /// All ways to give the label to 3 of 10 points, compared with the formulas.
    #[test]
    fn mean_and_variance_are_those_of_all_ways() {
        let places = [0.0, 1.0, 2.5, 4.0, 4.2, 7.0, 8.0, 8.5, 11.0, 15.0];
        let mut votes = votes_on_a_line(&places);
        votes.iter_mut().for_each(|votes| votes.truncate(3));
        let mut all = Vec::new();
        for chosen in (0..1024_u32).filter(|chosen| chosen.count_ones() == 3) {
            let labels: Vec<u32> = (0..10).map(|at| chosen >> at & 1).collect();
            all.push(clumping(&votes, &labels, &[0; 10], 2)[&(1, 0)]);
        }
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let variance = all.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12, "{mean} {variance}");
    }

    #[test]
    fn labels_side_by_side_clump() {
        let places: Vec<f64> = (0..60).map(|at| f64::from(at * at)).collect();
        let votes = votes_on_a_line(&places);
        let z = |labelled: fn(usize) -> bool| {
            let labels: Vec<u32> = (0..60).map(|at| u32::from(labelled(at))).collect();
            clumping(&votes, &labels, &[0; 60], 2)[&(1, 0)]
        };
        assert!(z(|at| at >= 45) > 5.0);
        assert!(z(|at| at % 4 == 1) < 0.0);
        // All points carry the label, which is possible in only one way.
        assert_eq!(z(|_| true), 0.0);
    }
}

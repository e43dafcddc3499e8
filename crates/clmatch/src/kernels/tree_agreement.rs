//! How well the cuts of a spanning tree agree with two classes.

use clmatch_kernels::trees::Tree;

use super::TIE;
use super::edge_agreement::PointEdge;

/// How many pairs `count` points make.
pub(crate) fn pairs_of(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// The adjusted Rand index of classes and clusters, from numbers of pairs of points: all pairs, pairs of one class, pairs in one
/// cluster, and pairs of one class in one cluster. Negative infinity where it is undefined.
pub(crate) fn adjusted_rand(all: f64, of_one_class: f64, in_one_cluster: u64, in_both: u64) -> f64 {
    let together = in_one_cluster as f64;
    let expected = of_one_class * together / all;
    let most = (of_one_class + together) / 2.0 - expected;
    if most > 0.0 { (in_both as f64 - expected) / most } else { f64::NEG_INFINITY }
}

/// The adjusted Rand index of two classes with clusters that are joined one after the other. All points that are still alone form
/// one group together, as the noise of DBSCAN does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RandIndex {
    all: f64,
    of_one_class: f64,
    in_one_cluster: u64,
    in_both: u64,
    /// Points of each class that are still alone.
    alone: [u64; 2],
}

impl RandIndex {
    /// The index while every point of two classes with these sizes is alone.
    pub(crate) fn new(sizes: [u64; 2]) -> RandIndex {
        let of_one_class = sizes.map(pairs_of).iter().sum::<u64>() as f64;
        let all = pairs_of(sizes[0] + sizes[1]) as f64;
        RandIndex { all, of_one_class, in_one_cluster: 0, in_both: 0, alone: sizes }
    }

    /// Joins two clusters, given how many points of each class they have.
    #[inline]
    pub(crate) fn join(&mut self, a: [u64; 2], b: [u64; 2]) {
        self.in_one_cluster += (a[0] + a[1]) * (b[0] + b[1]);
        self.in_both += a[0] * b[0] + a[1] * b[1];
        for [first, second] in [a, b] {
            if first + second == 1 {
                self.alone[0] -= first;
                self.alone[1] -= second;
            }
        }
    }

    /// The value of the index; negative infinity where it is undefined.
    pub(crate) fn value(&self) -> f64 {
        let [first, second] = self.alone;
        let in_one_cluster = self.in_one_cluster + pairs_of(first + second);
        let in_both = self.in_both + pairs_of(first) + pairs_of(second);
        adjusted_rand(self.all, self.of_one_class, in_one_cluster, in_both)
    }
}

/// The largest adjusted Rand index of the two classes with the clusters of a cut, over all cuts of the tree of a pair of classes;
/// at least 0. Clusters of a single point form one group together. With N points, over all pairs of points,
///
/// ```text
/// index = (S - A M / P) / ((A + M)/2 - A M / P)
/// ```
///
/// where P = N(N - 1)/2 counts all pairs, A those of one class, M those in one cluster, and S those of one class in one cluster.
/// Clusters are joined in the order of the gaps; the index is computed where the next gap is longer than the one before. Squared
/// lengths below `touching` count as 0.
///
/// `crossing` is called with each gap that joins clusters which are not all of one class, as an edge between the points on either
/// side of it.
///
/// Time: O(N). Memory: O(N).
pub(crate) fn tree_agreement(
    tree: &Tree,
    is_first: impl Fn(u32) -> bool,
    touching: f64,
    mut crossing: impl FnMut(PointEdge),
) -> f64 {
    let n = tree.n_points();
    // How many points of the first class come before each place.
    let mut firsts = vec![0_u32; n + 1];
    for (place, &point) in tree.order().iter().enumerate() {
        firsts[place + 1] = firsts[place] + u32::from(is_first(point));
    }
    let first = u64::from(firsts[n]);
    let mut index = RandIndex::new([first, n as u64 - first]);
    // A cluster is a run of places: the last place of a run holds its first place, and vice versa.
    let mut other_end: Vec<u32> = (0..n as u32).collect();
    let mut best = 0.0_f64;
    let gap = |at: u32| {
        let gap = tree.gaps()[at as usize];
        if gap < touching { 0.0 } else { gap }
    };
    for (at, &place) in tree.ascending().iter().enumerate() {
        let (start, end) = (other_end[place as usize], other_end[place as usize + 1]);
        other_end[start as usize] = end;
        other_end[end as usize] = start;
        let sizes = [u64::from(place + 1 - start), u64::from(end - place)];
        let middle = firsts[place as usize + 1];
        let ones = [middle - firsts[start as usize], firsts[end as usize + 1] - middle].map(u64::from);
        index.join([ones[0], sizes[0] - ones[0]], [ones[1], sizes[1] - ones[1]]);
        let joined = ones[0] + ones[1];
        if joined > 0 && joined < sizes[0] + sizes[1] {
            let ends = [tree.order()[place as usize], tree.order()[place as usize + 1]];
            crossing(PointEdge { square: tree.gaps()[place as usize], ends });
        }
        let next = tree.ascending().get(at + 1).map_or(f64::INFINITY, |&next| gap(next));
        if next > gap(place) * (1.0 + TIE) {
            best = best.max(index.value());
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::Control;
    use clmatch_kernels::trees::{Points, spanning_tree};

    use super::*;

    fn agreement(values: &[f64], first: usize, touching: f64) -> f64 {
        let tree = spanning_tree(Points::new(values, 1), (0..values.len() as u32).collect(), Control::none());
        tree_agreement(&tree.unwrap(), |point| (point as usize) < first, touching, drop)
    }

    #[test]
    fn cuts_by_hand() {
        // Two classes apart: the cut between them is perfect.
        assert_eq!(agreement(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], 3, 0.0), 1.0);
        // a a b b at equal distances: the only cut makes all points one cluster.
        assert_eq!(agreement(&[0.0, 1.0, 2.0, 3.0], 2, 0.0), 0.0);
        // a: 0, 1, 10; b: 11, 12.5. Clusters {0 1} {10 11} {12.5}: P = 10, A = 4, M = 2, S = 1, so that
        // (1 - .8)/(3 - .8) = .0909; {0 1} {10 11 12.5}: M = 4, S = 2, (2 - 1.6)/(4 - 1.6) = .1667.
        assert!((agreement(&[0.0, 1.0, 10.0, 11.0, 12.5], 3, 0.0) - 0.4 / 2.4).abs() < 1e-15);
    }

    #[test]
    fn ties_and_touching_points_have_no_cut_between_them() {
        // Nearly equal distances, squared 1 and 1 + 4e-10.
        assert_eq!(agreement(&[0.0, 1.0, 2.0 + 2e-10, 3.0 + 2e-10], 2, 0.0), 0.0);
        assert_eq!(agreement(&[0.0, 1.0, 2.0 + 2e-9, 3.0 + 2e-9], 2, 0.0), 1.0);
        // {0 0.1} and {0.3 0.5}: a perfect cut, unless all points touch.
        assert_eq!(agreement(&[0.0, 0.1, 0.3, 0.45], 2, 0.0), 1.0);
        assert_eq!(agreement(&[0.0, 0.1, 0.3, 0.45], 2, 0.05), 0.0);
        // Squares 1/16, 1/4 and 1/16: a square that equals the bound does not touch.
        assert_eq!(agreement(&[0.0, 0.25, 0.75, 1.0], 2, 0.25), 1.0);
    }
}

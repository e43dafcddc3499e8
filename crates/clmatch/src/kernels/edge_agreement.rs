//! How well two classes agree with the clusters that edges join, from the shortest edge on.

use super::TIE;
use super::tree_agreement::RandIndex;

/// An edge between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PointEdge {
    pub(crate) square: f64,
    pub(crate) ends: [u32; 2],
}

/// Sorts edges from the shortest to the longest, and equally long ones by their ends.
pub(crate) fn sort(edges: &mut [PointEdge]) {
    edges.sort_unstable_by(|a, b| a.square.total_cmp(&b.square).then(a.ends.cmp(&b.ends)));
}

/// Clusters of points: a union-find.
#[derive(Debug, Clone)]
pub(crate) struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// Clusters of one point each.
    pub(crate) fn new(n: usize) -> UnionFind {
        UnionFind { parents: (0..n as u32).collect() }
    }

    /// The point that represents the cluster of a point.
    #[inline]
    pub(crate) fn root(&mut self, mut point: u32) -> u32 {
        while self.parents[point as usize] != point {
            let above = self.parents[self.parents[point as usize] as usize];
            self.parents[point as usize] = above;
            point = above;
        }
        point
    }

    /// Joins the clusters of two points and returns their roots; `None` if they are the same cluster.
    #[inline]
    pub(crate) fn join(&mut self, [a, b]: [u32; 2]) -> Option<[u32; 2]> {
        let roots = [self.root(a), self.root(b)];
        if roots[0] == roots[1] {
            return None;
        }
        self.parents[roots[1] as usize] = roots[0];
        Some(roots)
    }
}

/// The clusters of two classes, while edges are offered from the shortest to the longest, and the best agreement so far.
///
/// Does step by step what [`tree_agreement`](super::tree_agreement::tree_agreement) does for a finished tree.
#[derive(Debug, Clone)]
pub(crate) struct GrowingAgreement {
    clusters: UnionFind,
    /// For each root: how many points of each class its cluster has.
    counts: Vec<[u32; 2]>,
    index: RandIndex,
    /// How many clusters there are, less one.
    apart: usize,
    last: f64,
    touching: f64,
    best: f64,
}

impl GrowingAgreement {
    /// Takes the points 0 .. n, of which those with a class take part; squares below `touching` count as 0.
    pub(crate) fn new(
        classes: impl ExactSizeIterator<Item = Option<usize>>,
        touching: f64,
    ) -> GrowingAgreement {
        let clusters = UnionFind::new(classes.len());
        let mut sizes = [0_u64; 2];
        let counts = classes.map(|class| {
            let mut count = [0; 2];
            if let Some(class) = class {
                count[class] = 1;
                sizes[class] += 1;
            }
            count
        });
        let counts = counts.collect();
        let (index, apart) = (RandIndex::new(sizes), (sizes[0] + sizes[1]) as usize - 1);
        GrowingAgreement { clusters, counts, index, apart, last: 0.0, touching, best: 0.0 }
    }

    /// Whether all points are in one cluster, so that nothing can change any more.
    pub(crate) fn is_complete(&self) -> bool {
        self.apart == 0
    }

    /// Whether two points are in different clusters.
    pub(crate) fn are_apart(&mut self, [a, b]: [u32; 2]) -> bool {
        self.clusters.root(a) != self.clusters.root(b)
    }

    /// Offers an edge between two points that take part, no shorter than the previous ones; returns whether it joins two
    /// clusters.
    #[inline]
    pub(crate) fn offer(&mut self, edge: PointEdge) -> bool {
        let Some([a, b]) = self.clusters.join(edge.ends) else { return false };
        let square = if edge.square < self.touching { 0.0 } else { edge.square };
        if square > self.last * (1.0 + TIE) {
            self.best = self.best.max(self.index.value());
        }
        self.last = square;
        let [of_a, of_b] = [a, b].map(|root| self.counts[root as usize].map(u64::from));
        self.index.join(of_a, of_b);
        self.counts[a as usize] = [0, 1].map(|class| (of_a[class] + of_b[class]) as u32);
        self.apart -= 1;
        true
    }

    /// Offers three lists of edges, each from the shortest to the longest, until all points are in one cluster; `joined` is
    /// called with each edge of the last list that joins two clusters.
    pub(crate) fn offer_all(
        &mut self,
        a: impl Iterator<Item = PointEdge>,
        b: impl Iterator<Item = PointEdge>,
        c: impl Iterator<Item = PointEdge>,
        mut joined: impl FnMut(PointEdge),
    ) {
        const NONE: PointEdge = PointEdge { square: f64::INFINITY, ends: [u32::MAX; 2] };
        let (mut a, mut b, mut c) = (a, b, c);
        let mut next = [a.next(), b.next(), c.next()].map(|edge| edge.unwrap_or(NONE));
        while !self.is_complete() {
            let [from_a, from_b, from_c] = next.map(|edge| edge.square);
            let list = if from_a <= from_b && from_a <= from_c {
                0
            } else if from_b <= from_c {
                1
            } else {
                2
            };
            if next[list] == NONE {
                break;
            }
            if self.offer(next[list]) && list == 2 {
                joined(next[list]);
            }
            next[list] = match list {
                0 => a.next(),
                1 => b.next(),
                _ => c.next(),
            }
            .unwrap_or(NONE);
        }
    }

    /// The best agreement over all cuts, at least 0.
    pub(crate) fn best(&self) -> f64 {
        self.best.max(self.index.value())
    }
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::Control;
    use clmatch_kernels::trees::{Points, spanning_tree};

    use super::*;
    use crate::kernels::random::SplitMix;
    use crate::kernels::tree_agreement::tree_agreement;

    /// All edges among points on a grid, with many ties, compared with the finished tree.
    #[test]
    fn growing_clusters_agree_as_the_finished_tree_does() {
        for seed in 0..30 {
            let mut random = SplitMix::new(seed);
            let n = 5 + random.below(30);
            let values: Vec<f64> = (0..2 * n).map(|_| random.below(9) as f64 / 8.0).collect();
            let first = 1 + random.below(n - 2);
            let touching = if seed % 2 == 0 { 0.0 } else { 0.02 };
            let square = |a: usize, b: usize| {
                (values[2 * a] - values[2 * b]).powi(2) + (values[2 * a + 1] - values[2 * b + 1]).powi(2)
            };
            let mut edges: Vec<PointEdge> = (0..n)
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .map(|(a, b)| PointEdge { square: square(a, b), ends: [a as u32, b as u32] })
                .collect();
            edges.sort_by(|a, b| a.square.total_cmp(&b.square));
            let mut growing =
                GrowingAgreement::new((0..n).map(|point| Some(usize::from(point >= first))), touching);
            edges.into_iter().for_each(|edge| {
                growing.offer(edge);
            });
            assert!(growing.is_complete());
            let tree =
                spanning_tree(Points::new(&values, 2), (0..n as u32).collect(), Control::none()).unwrap();
            let expected = tree_agreement(&tree, |point| (point as usize) < first, touching, drop);
            assert!((growing.best() - expected).abs() < 1e-14, "{seed}: {} {expected}", growing.best());
        }
    }

    #[test]
    fn edges_at_the_bound_do_not_touch() {
        // Two points of each class, joined at once; then the two classes.
        for (touching, expected) in [(0.25, 1.0), (0.26, 0.0)] {
            let classes = [Some(0), Some(0), Some(1), Some(1)];
            let mut growing = GrowingAgreement::new(classes.into_iter(), touching);
            assert!(growing.are_apart([0, 1]) && growing.are_apart([1, 2]) && !growing.are_apart([1, 1]));
            growing.offer(PointEdge { square: 0.0625, ends: [0, 1] });
            growing.offer(PointEdge { square: 0.0625, ends: [2, 3] });
            assert!(growing.are_apart([0, 3]) && !growing.are_apart([0, 1]) && !growing.are_apart([3, 2]));
            growing.offer(PointEdge { square: 0.25, ends: [1, 2] });
            assert!(!growing.are_apart([0, 3]) && growing.is_complete());
            assert_eq!(growing.best(), expected, "{touching}");
        }
    }
}

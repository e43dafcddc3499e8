//! How well any number of classes agree with the clusters that edges join, from the shortest edge on.

use super::TIE;
use super::edge_agreement::{PointEdge, UnionFind};
use super::tree_agreement::{adjusted_rand, pairs_of};

/// The class of a point that does not take part.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Like [`tree_agreement`](super::tree_agreement::tree_agreement), but for any number of classes: the largest adjusted Rand
/// index, at least 0, of `classes` classes with the clusters that all edges up to some length join. Clusters of a single point
/// form one group.
///
/// The edges come from the shortest to the longest and contain a minimum spanning tree; `class_of` has a class for each point, or
/// [`NOWHERE`] for points without an edge. Squares below `touching` count as 0.
///
/// Time: O(n min(n, K)). Memory: O(n).
pub(crate) fn class_agreement(edges: &[PointEdge], class_of: &[u32], classes: usize, touching: f64) -> f64 {
    let mut alone = vec![0_u64; classes];
    class_of.iter().filter(|&&class| class != NOWHERE).for_each(|&class| alone[class as usize] += 1);
    let mut index = ClassIndex::new(alone);
    let mut clusters = UnionFind::new(class_of.len());
    // For each root, unless the point is alone: how many points of each class its cluster has.
    let mut counts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); class_of.len()];
    let (mut best, mut last) = (0.0_f64, 0.0);
    for edge in edges {
        let Some(roots) = clusters.join(edge.ends) else { continue };
        let square = if edge.square < touching { 0.0 } else { edge.square };
        if square > last * (1.0 + TIE) {
            best = best.max(index.value());
        }
        last = square;
        let [a, b] = roots.map(|root| {
            let counts = std::mem::take(&mut counts[root as usize]);
            if counts.is_empty() {
                index.leaves(class_of[root as usize]);
                vec![(class_of[root as usize], 1)]
            } else {
                counts
            }
        });
        counts[roots[0] as usize] = index.join(&a, &b);
    }
    best.max(index.value())
}

/// The adjusted Rand index of classes with clusters that are joined one after the other.
struct ClassIndex {
    all: f64,
    of_one_class: f64,
    in_one_cluster: u64,
    in_both: u64,
    /// Points of each class that are still alone, and their total.
    alone: Vec<u64>,
    all_alone: u64,
    /// Pairs of points of one class that are still alone.
    alone_in_both: u64,
}

impl ClassIndex {
    fn new(alone: Vec<u64>) -> ClassIndex {
        let (n, of_one_class) = (alone.iter().sum(), alone.iter().copied().map(pairs_of).sum());
        ClassIndex {
            all: pairs_of(n) as f64,
            of_one_class: of_one_class as f64,
            in_one_cluster: 0,
            in_both: 0,
            alone,
            all_alone: n,
            alone_in_both: of_one_class,
        }
    }

    /// Records that a point of this class is no longer alone.
    fn leaves(&mut self, class: u32) {
        let of_class = &mut self.alone[class as usize];
        *of_class -= 1;
        self.alone_in_both -= *of_class;
        self.all_alone -= 1;
    }

    /// Joins two clusters, each given by its classes in ascending order with the number of points in each.
    fn join(&mut self, a: &[(u32, u32)], b: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut joined = Vec::with_capacity(a.len() + b.len());
        let (mut rest, mut sizes) = ([a, b], [0_u64; 2]);
        while let [[(first, of_a), after_a @ ..], [(second, of_b), after_b @ ..]] = rest {
            if first == second {
                self.in_both += u64::from(*of_a) * u64::from(*of_b);
                joined.push((*first, of_a + of_b));
                rest = [after_a, after_b];
            } else if first < second {
                joined.push((*first, *of_a));
                rest[0] = after_a;
            } else {
                joined.push((*second, *of_b));
                rest[1] = after_b;
            }
        }
        joined.extend(rest.concat());
        for (size, counts) in sizes.iter_mut().zip([a, b]) {
            *size = counts.iter().map(|&(_, count)| u64::from(count)).sum();
        }
        self.in_one_cluster += sizes[0] * sizes[1];
        joined
    }

    fn value(&self) -> f64 {
        let in_one_cluster = self.in_one_cluster + pairs_of(self.all_alone);
        adjusted_rand(self.all, self.of_one_class, in_one_cluster, self.in_both + self.alone_in_both)
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::SplitMix;
    use super::super::spanning_edges::spanning;
    use super::super::squared_distance;
    use super::*;

    /// All partitions by a bound on the distance, each computed from scratch.
    fn slow(values: &[f64], class_of: &[u32], touching: f64) -> f64 {
        let n = class_of.len();
        let zero_if_touching = |square: f64| if square < touching { 0.0 } else { square };
        let square = |a: usize, b: usize| {
            zero_if_touching(squared_distance(&values[2 * a..2 * a + 2], &values[2 * b..2 * b + 2]))
        };
        let pairs = || (0..n).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mut best = 0.0_f64;
        for (a, b) in pairs() {
            let bound = square(a, b) * (1.0 + TIE);
            let mut cluster: Vec<usize> = (0..n).collect();
            for (x, y) in pairs().filter(|&(x, y)| square(x, y) <= bound) {
                let (from, to) = (cluster[x], cluster[y]);
                cluster.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
            }
            let alone: Vec<usize> =
                (0..n).filter(|&x| cluster.iter().filter(|&&of| of == cluster[x]).count() == 1).collect();
            alone.iter().for_each(|&x| cluster[x] = n);
            let count =
                |pick: &dyn Fn(usize, usize) -> bool| pairs().filter(|&(x, y)| pick(x, y)).count() as u64;
            let same = |x: usize, y: usize| class_of[x] == class_of[y];
            let together = |x: usize, y: usize| cluster[x] == cluster[y];
            let index = adjusted_rand(
                pairs().count() as f64,
                count(&same) as f64,
                count(&together),
                count(&|x, y| same(x, y) && together(x, y)),
            );
            best = best.max(index);
        }
        best
    }

    #[test]
    fn agrees_with_all_partitions() {
        for seed in 0..25 {
            let mut random = SplitMix::new(seed);
            let (n, classes) = (6 + random.below(20), 2 + random.below(4));
            // On a grid, with many ties; copies too.
            let values: Vec<f64> = (0..2 * n).map(|_| random.below(7) as f64 / 8.0).collect();
            let class_of: Vec<u32> = (0..n)
                .map(|point| if point < classes { point as u32 } else { random.below(classes) as u32 })
                .collect();
            let touching = if seed % 2 == 0 { 0.0 } else { 0.03 };
            let edges = (0..n).flat_map(|a| (0..a).map(move |b| [a as u32, b as u32])).map(|ends| {
                let [a, b] = ends.map(|end| &values[2 * end as usize..2 * end as usize + 2]);
                PointEdge { square: squared_distance(a, b), ends }
            });
            let tree = spanning(edges.collect(), n);
            assert_eq!(tree.len(), n - 1);
            let found = class_agreement(&tree, &class_of, classes, touching);
            let expected = slow(&values, &class_of, touching);
            assert!((found - expected).abs() < 1e-14, "{seed}: {found} {expected}");
        }
    }

    #[test]
    fn single_points_are_one_group() {
        // Two close points of each of two classes, and four lone points of a third one: perfect where only the close ones are joined.
        let edge = |square: f64, a: u32, b: u32| PointEdge { square, ends: [a, b] };
        let class_of = [0, 0, 1, 1, 2, 2, 2, 2];
        let edges =
            [(1.0, 0, 1), (1.0, 2, 3), (9.0, 1, 4), (9.0, 3, 5), (9.0, 4, 6), (9.0, 6, 7), (9.0, 7, 5)];
        let edges = edges.map(|(square, a, b)| edge(square, a, b));
        assert_eq!(class_agreement(&edges, &class_of, 3, 0.0), 1.0);
        // A point that does not take part changes nothing.
        let class_of = [0, 0, 1, 1, 2, 2, 2, 2, NOWHERE];
        assert_eq!(class_agreement(&edges, &class_of, 3, 0.0), 1.0);
    }

    /// The agreement of edges with the classes of points, `a` or `b`.
    fn agreement(edges: &[(f64, [u32; 2])], classes: &str, touching: f64) -> f64 {
        let edges: Vec<PointEdge> = edges.iter().map(|&(square, ends)| PointEdge { square, ends }).collect();
        let class_of: Vec<u32> = classes.chars().map(|class| u32::from(class != 'a')).collect();
        class_agreement(&edges, &class_of, 2, touching)
    }

    #[test]
    fn cuts_by_hand() {
        // As in the test of the kernel: {0 1} {2 3 4} is the best cut, of 10 pairs A = 4, M = 4, S = 2: (2 - 1.6)/(4 - 1.6).
        // The edge 2-4 joins nothing.
        let edges = [(1.0, [0, 1]), (1.0, [2, 3]), (2.25, [3, 4]), (6.25, [2, 4]), (81.0, [1, 2])];
        assert!((agreement(&edges, "aaabb", 0.0) - 0.4 / 2.4).abs() < 1e-15);
        // The same clusters, joined from the other end.
        let turned = edges.map(|(length, [a, b])| (length, [b, a]));
        assert!((agreement(&turned, "aaabb", 0.0) - 0.4 / 2.4).abs() < 1e-15);
    }

    #[test]
    fn ties_and_touching_points_have_no_cut_between_them() {
        // The pairs 0-1 and 2-3 are the classes: perfect if there is a cut before the edge 1-2, and nothing otherwise.
        let of = |inside: f64, between: f64, touching: f64| {
            agreement(&[(inside, [0, 1]), (inside, [2, 3]), (between, [1, 2])], "aabb", touching)
        };
        for (inside, between, value) in [
            (1.0, 2.0, 1.0),
            (1.0, 1.0, 0.0),
            (1.0, 1.0 + 4e-10, 0.0),
            (1.0, 1.0 + TIE, 0.0),
            (1.0, 1.0 + 4e-9, 1.0),
            (0.0, 0.0, 0.0),
            (0.0, 1e-30, 1.0),
        ] {
            assert_eq!(of(inside, between, 0.0), value, "{inside} {between}");
        }
        // Squares below the bound touch, a square that equals it does not.
        assert_eq!(of(0.5, 1.0, 1.0), 1.0);
        assert_eq!(of(0.5, 1.0, 1.1), 0.0);
    }
}

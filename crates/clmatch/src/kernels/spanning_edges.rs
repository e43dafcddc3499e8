//! A minimum spanning tree that is built from the edges of many other trees, in bounded memory.
//!
//! Any two points, of different classes or of one, belong to a pair of classes. Therefore the spanning trees of all pairs
//! together have the same cuts as all edges between points.

use std::sync::{Mutex, PoisonError};

use clmatch_kernels::trees::Tree;
use rayon::slice::ParallelSliceMut;

use super::edge_agreement::{PointEdge, UnionFind};

/// How many edges per point are kept before those that no tree needs are dropped.
const EDGES_PER_POINT: usize = 16;

/// Edges that contain the minimum spanning tree of all points. Several threads may add to it at the same time.
pub(crate) struct SpanningEdges {
    points: usize,
    edges: Mutex<Vec<PointEdge>>,
}

impl SpanningEdges {
    /// No edges yet, between points 0 .. n.
    pub(crate) fn new(points: usize) -> SpanningEdges {
        SpanningEdges { points, edges: Mutex::new(Vec::new()) }
    }

    /// Adds edges. Memory: O(n), however many edges were added.
    pub(crate) fn add(&self, added: impl IntoIterator<Item = PointEdge>) {
        let mut edges = self.edges.lock().unwrap_or_else(PoisonError::into_inner);
        edges.extend(added);
        if edges.len() > EDGES_PER_POINT * self.points {
            let many = std::mem::take(&mut *edges);
            // A sorting thread may take up work that adds edges, so it must not hold the lock.
            drop(edges);
            let tree = spanning(many, self.points);
            self.edges.lock().unwrap_or_else(PoisonError::into_inner).extend(tree);
        }
    }

    /// The edges of the tree, from the shortest to the longest.
    pub(crate) fn into_tree(self) -> Vec<PointEdge> {
        spanning(self.edges.into_inner().unwrap_or_else(PoisonError::into_inner), self.points)
    }
}

/// The edges that join two clusters as they come, from the shortest to the longest: a minimum spanning tree.
///
/// Time: O(m log m) for m edges. Memory: O(n).
pub(crate) fn spanning(mut edges: Vec<PointEdge>, points: usize) -> Vec<PointEdge> {
    edges.par_sort_unstable_by(|a, b| a.square.total_cmp(&b.square).then(a.ends.cmp(&b.ends)));
    let mut clusters = UnionFind::new(points);
    edges.retain(|edge| clusters.join(edge.ends).is_some());
    edges
}

/// The edges between consecutive points in the order of a tree: they have the same cuts as the tree.
pub(crate) fn path(tree: &Tree) -> impl Iterator<Item = PointEdge> {
    let order = tree.order();
    let ends = order.iter().zip(order.iter().skip(1)).map(|(&a, &b)| [a, b]);
    tree.gaps().iter().zip(ends).map(|(&square, ends)| PointEdge { square, ends })
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::Control;
    use clmatch_kernels::trees::{Points, spanning_tree};

    use super::super::random::SplitMix;
    use super::super::squared_distance;
    use super::*;

    /// The lengths of the tree of all points, from all edges, added in batches.
    #[test]
    fn the_tree_is_that_of_the_points_however_many_edges_are_added() {
        // 435 edges are kept; 4,950 and 79,800 are thinned out along the way.
        for n in [30, 100, 400] {
            let mut random = SplitMix::new(n as u64);
            let values: Vec<f64> = (0..2 * n).map(|_| random.below(50) as f64).collect();
            let edge = |a: usize, b: usize| {
                let [of_a, of_b] = [a, b].map(|at| &values[2 * at..2 * at + 2]);
                PointEdge { square: squared_distance(of_a, of_b), ends: [a as u32, b as u32] }
            };
            let edges: Vec<PointEdge> =
                (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| edge(a, b)).collect();
            let points = Points::new(&values, 2);
            let tree = spanning_tree(points, (0..n as u32).collect(), Control::none()).unwrap();
            let mut expected = tree.gaps().to_vec();
            expected.sort_by(f64::total_cmp);
            let lengths = |tree: &[PointEdge]| tree.iter().map(|edge| edge.square).collect::<Vec<f64>>();
            let some = SpanningEdges::new(n);
            edges.chunks(97).for_each(|chunk| some.add(chunk.iter().copied()));
            assert!(some.edges.lock().unwrap().len() <= EDGES_PER_POINT * n);
            assert_eq!(lengths(&some.into_tree()), expected, "{n}");
            assert_eq!(lengths(&spanning(edges, n)), expected, "{n}");
            assert_eq!(lengths(&spanning(path(&tree).collect(), n)), expected, "{n}");
        }
    }
}

//! The tree agreement of all pairs of random classes, from one list of edges.
//!
//! Edges between near points are sorted once. For each permutation they are offered from the shortest on. An edge within a class
//! that joins two clusters of it belongs to the tree of the class, and so to those of all its pairs; an edge between two classes
//! is offered to that pair. Clusters that no near edge connects are joined where the minimum spanning tree of all points joins
//! them.

use clmatch_kernels::trees::{Points, Tree, spanning_tree};
use clmatch_kernels::{Control, Stopped};

use super::neighbours::NeighbourLists;
use crate::kernels::class_agreement::class_agreement;
use crate::kernels::edge_agreement::{GrowingAgreement, PointEdge, UnionFind, sort};
use crate::kernels::frame::Frame;
use crate::statistics::pair_index;

/// The edges that all permutations share.
pub(super) struct SharedEdges {
    /// Edges between near points, from the shortest to the longest.
    edges: Vec<PointEdge>,
    /// The tree of all points, regardless of their labels.
    tree: Tree,
    /// The edges of that tree, from the shortest to the longest.
    path: Vec<PointEdge>,
}

/// Random labels: the class of each point, and the point's place in it.
pub(super) struct Labelling<'a> {
    pub(super) labels: &'a [u32],
    pub(super) places: &'a [u32],
    pub(super) sizes: &'a [usize],
}

impl Labelling<'_> {
    /// The place of a point among the points of a pair of classes i < j.
    fn local(&self, point: u32, i: usize) -> u32 {
        let (label, place) = (self.labels[point as usize] as usize, self.places[point as usize]);
        if label == i { place } else { self.sizes[i] as u32 + place }
    }
}

impl SharedEdges {
    /// Takes the edges to the first `depth` points of lists of neighbours, and computes the tree of all points.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn new(
        frame: &Frame,
        lists: &NeighbourLists,
        depth: usize,
        control: Control<'_>,
    ) -> Result<SharedEdges, Stopped> {
        let edges_of = |a: usize| {
            lists.of(a).iter().take(depth).map(move |b| {
                let ends = [b.point.min(a as u32), b.point.max(a as u32)];
                PointEdge { square: b.square, ends }
            })
        };
        let mut edges: Vec<PointEdge> = (0..lists.len()).flat_map(edges_of).collect();
        sort(&mut edges);
        edges.dedup();
        let points = Points::new(&frame.rows, frame.features);
        let tree: Tree = spanning_tree(points, (0..frame.len() as u32).collect(), control.quiet())?;
        let order = tree.order();
        let edge = |&at: &u32| {
            let at = at as usize;
            PointEdge { square: tree.gaps()[at], ends: [order[at], order[at + 1]] }
        };
        let path = tree.ascending().iter().map(edge).collect();
        Ok(SharedEdges { edges, path, tree })
    }

    /// The tree agreement of all classes at once. Time: O(n min(n, K)). Memory: O(n).
    pub(super) fn agreement_of_all(&self, labelling: &Labelling<'_>, touching: f64) -> f64 {
        class_agreement(&self.path, labelling.labels, labelling.sizes.len(), touching)
    }

    /// The tree agreement of all pairs of classes, in their order.
    ///
    /// Time: O(n (depth + K)) up to inverse Ackermann. Memory: O(n (depth + K)).
    pub(super) fn agreements(&self, labelling: &Labelling<'_>, touching: &[f64]) -> Vec<f64> {
        let sizes = labelling.sizes;
        let count = sizes.len();
        let SortedEdges { within, between } = self.sorted(labelling);
        let mut agreements = Vec::with_capacity(touching.len());
        for i in 0..count {
            for j in i + 1..count {
                let classes = (0..sizes[i] + sizes[j]).map(|at| Some(usize::from(at >= sizes[i])));
                let mut pair = GrowingAgreement::new(classes, touching[agreements.len()]);
                let shifted = |edge: &PointEdge| PointEdge {
                    ends: edge.ends.map(|end| end + sizes[i] as u32),
                    ..*edge
                };
                let (of_i, of_j) = (within[i].iter().copied(), within[j].iter().map(shifted));
                pair.offer_all(of_i, of_j, between[agreements.len()].iter().copied(), drop);
                if !pair.is_complete() {
                    self.join_rest(&mut pair, labelling, [i, j]);
                }
                agreements.push(pair.best());
            }
        }
        agreements
    }

    /// Assigns the edges to the classes and pairs of classes that contain both of their ends, with the ends as places in these.
    /// Within a class, only the edges of its tree are kept.
    fn sorted(&self, labelling: &Labelling<'_>) -> SortedEdges {
        let sizes = labelling.sizes;
        let count = sizes.len();
        let pairs = count * (count - 1) / 2;
        let mut within: Vec<Vec<PointEdge>> = sizes.iter().map(|&size| Vec::with_capacity(size)).collect();
        let mut between: Vec<Vec<PointEdge>> =
            (0..pairs).map(|_| Vec::with_capacity(self.edges.len() / pairs)).collect();
        let mut clusters: Vec<UnionFind> = sizes.iter().map(|&size| UnionFind::new(size)).collect();
        for &PointEdge { square, ends } in &self.edges {
            let [a, b] = ends.map(|end| labelling.labels[end as usize] as usize);
            let places = ends.map(|end| labelling.places[end as usize]);
            if a == b {
                if within[a].len() + 1 < sizes[a] && clusters[a].join(places).is_some() {
                    within[a].push(PointEdge { square, ends: places });
                }
            } else {
                let (i, j, [of_i, of_j]) =
                    if a < b { (a, b, places) } else { (b, a, [places[1], places[0]]) };
                let ends = [of_i, of_j + sizes[i] as u32];
                between[pair_index(count, i, j)].push(PointEdge { square, ends });
            }
        }
        SortedEdges { within, between }
    }

    /// Joins the remaining clusters of a pair of classes where the tree of all points does.
    fn join_rest(&self, pair: &mut GrowingAgreement, labelling: &Labelling<'_>, [i, j]: [usize; 2]) {
        let (mut last, mut gap, mut joins) = (None, 0.0_f64, Vec::new());
        for (at, &point) in self.tree.order().iter().enumerate() {
            if at > 0 {
                gap = gap.max(self.tree.gaps()[at - 1]);
            }
            let label = labelling.labels[point as usize] as usize;
            if label == i || label == j {
                let local = labelling.local(point, i);
                if let Some(last) = last
                    && pair.are_apart([last, local])
                {
                    joins.push(PointEdge { square: gap, ends: [last, local] });
                }
                (last, gap) = (Some(local), 0.0);
            }
        }
        sort(&mut joins);
        for edge in joins {
            pair.offer(edge);
        }
    }
}

/// Edges between places of classes, from the shortest to the longest.
struct SortedEdges {
    /// For each class: the edges of its tree.
    within: Vec<Vec<PointEdge>>,
    /// For each pair of classes: the edges between them.
    between: Vec<Vec<PointEdge>>,
}

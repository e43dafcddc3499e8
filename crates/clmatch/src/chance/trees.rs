//! The tree agreement of all pairs of random classes, from one list of edges.
//!
//! Edges between near points are sorted once. For each permutation they are offered from the shortest on: an edge within a class
//! that joins two clusters of it belongs to the tree of the class, and so to those of all its pairs; an edge between two classes
//! is offered to that pair. What no near edge connects is joined where the minimum spanning tree of all points joins it.

use clmatch_stop::{Control, Stopped};
use clmatch_tree::{Points, Tree, spanning_tree};

use super::neighbours::Lists;
use crate::kernels::edge_agreement::{Clusters, Edge, GrowingAgreement};
use crate::kernels::frame::Frame;
use crate::statistics::pair_index;

/// The edges that all permutations share.
pub(super) struct SharedEdges {
    /// From the shortest to the longest.
    edges: Vec<Edge>,
    /// The tree of all points: their order, and the squared length at which each is joined to the one before.
    order: Vec<u32>,
    gaps: Vec<f64>,
}

/// Random labels: the class of each point, and its place in it.
pub(super) struct Labelling<'a> {
    pub(super) labels: &'a [u32],
    pub(super) places: &'a [u32],
    pub(super) sizes: &'a [usize],
}

impl Labelling<'_> {
    /// Where a point stands among those of a pair of classes i < j.
    fn local(&self, point: u32, i: usize) -> u32 {
        let (label, place) = (self.labels[point as usize] as usize, self.places[point as usize]);
        if label == i { place } else { self.sizes[i] as u32 + place }
    }
}

impl SharedEdges {
    /// Takes the edges of lists of neighbours, and computes the tree of all points.
    ///
    /// # Errors
    /// [`Stopped`] if `control` says so.
    pub(super) fn new(frame: &Frame, lists: &Lists, control: Control<'_>) -> Result<SharedEdges, Stopped> {
        let edges_of = |a: usize| {
            lists.of(a).iter().map(move |b| {
                let ends = [b.point.min(a as u32), b.point.max(a as u32)];
                Edge { square: b.square, ends }
            })
        };
        let mut edges: Vec<Edge> = (0..lists.len()).flat_map(edges_of).collect();
        edges.sort_unstable_by(|a, b| a.square.total_cmp(&b.square).then(a.ends.cmp(&b.ends)));
        edges.dedup();
        let points = Points::new(&frame.rows, frame.features);
        let tree: Tree = spanning_tree(points, (0..frame.len() as u32).collect(), control)?;
        Ok(SharedEdges { edges, order: tree.order().to_vec(), gaps: tree.gaps().to_vec() })
    }

    /// The tree agreement of all pairs of classes, in their order.
    ///
    /// Time: O(n (depth + K)) up to inverse Ackermann. Memory: O(n K).
    pub(super) fn agreements(&self, labelling: &Labelling<'_>, touching: &[f64]) -> Vec<f64> {
        let sizes = labelling.sizes;
        let count = sizes.len();
        let mut pairs: Vec<GrowingAgreement> = Vec::with_capacity(touching.len());
        for i in 0..count {
            for j in i + 1..count {
                let classes = (0..sizes[i] + sizes[j]).map(|at| Some(usize::from(at >= sizes[i])));
                pairs.push(GrowingAgreement::new(classes, touching[pairs.len()]));
            }
        }
        let mut of_classes: Vec<Clusters> = sizes.iter().map(|&size| Clusters::new(size)).collect();
        let mut open = pairs.len();
        for &edge in &self.edges {
            let [a, b] = edge.ends.map(|end| labelling.labels[end as usize] as usize);
            if a != b {
                open -= usize::from(offer(&mut pairs, labelling, edge, a.min(b), a.max(b)));
            } else if of_classes[a].join(edge.ends.map(|end| labelling.places[end as usize])).is_some() {
                for other in (0..count).filter(|&other| other != a) {
                    open -= usize::from(offer(&mut pairs, labelling, edge, a.min(other), a.max(other)));
                }
            }
            if open == 0 {
                break;
            }
        }
        if open > 0 {
            self.join_rest(&mut pairs, labelling);
        }
        pairs.iter().map(GrowingAgreement::best).collect()
    }

    /// Joins what is left where the tree of all points does.
    fn join_rest(&self, pairs: &mut [GrowingAgreement], labelling: &Labelling<'_>) {
        let count = labelling.sizes.len();
        for i in 0..count {
            for j in i + 1..count {
                let pair = &mut pairs[pair_index(count, i, j)];
                if pair.is_complete() {
                    continue;
                }
                let (mut last, mut gap, mut joins) = (None, 0.0_f64, Vec::new());
                for (at, &point) in self.order.iter().enumerate() {
                    if at > 0 {
                        gap = gap.max(self.gaps[at - 1]);
                    }
                    let label = labelling.labels[point as usize] as usize;
                    if label == i || label == j {
                        let local = labelling.local(point, i);
                        if let Some(last) = last
                            && pair.are_apart([last, local])
                        {
                            joins.push(Edge { square: gap, ends: [last, local] });
                        }
                        (last, gap) = (Some(local), 0.0);
                    }
                }
                joins.sort_unstable_by(|a, b| a.square.total_cmp(&b.square).then(a.ends.cmp(&b.ends)));
                joins.into_iter().for_each(|edge| pair.offer(edge));
            }
        }
    }
}

/// Offers an edge to a pair of classes; whether it has all that it needs now, and had not before.
fn offer(pairs: &mut [GrowingAgreement], labelling: &Labelling<'_>, edge: Edge, i: usize, j: usize) -> bool {
    let pair = &mut pairs[pair_index(labelling.sizes.len(), i, j)];
    if pair.is_complete() {
        return false;
    }
    pair.offer(Edge { square: edge.square, ends: edge.ends.map(|end| labelling.local(end, i)) });
    pair.is_complete()
}

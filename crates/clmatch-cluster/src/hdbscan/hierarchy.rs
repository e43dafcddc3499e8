//! The merges of a spanning tree, and the points that fall out of clusters on the way down.

use std::collections::VecDeque;
use std::ops::Range;

use super::condensed::{Cluster, Condensed};
use crate::forest::DisjointSets;
use crate::spanning::Edge;

/// Stands for `1/0` but is finite, so that differences and sums stay numbers: duplicates are at distance 0.
const STEEPEST: f64 = 1e200;

/// Two parts that merge at a distance.
#[derive(Debug, Clone)]
struct HierarchyMerge {
    /// Numbers below n are points, numbers from n on are merges.
    parts: [u32; 2],
    lambda: f64,
    /// The range of its points in `order`.
    points: Range<u32>,
}

/// A single-linkage hierarchy.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    n: usize,
    merges: Vec<HierarchyMerge>,
    /// The points, ordered so that those of each merge are consecutive.
    order: Vec<u32>,
}

impl Hierarchy {
    /// Takes the edges of a spanning tree, shortest first. Time: O(n log n). Memory: O(n).
    pub fn new(n: usize, tree: &[Edge]) -> Hierarchy {
        let mut forest = DisjointSets::new(n);
        let mut nodes: Vec<u32> = (0..n as u32).collect();
        let mut merges: Vec<HierarchyMerge> = Vec::with_capacity(tree.len());
        for edge in tree {
            let (a, b) = (forest.find(edge.from), forest.find(edge.to));
            let parts = [nodes[a as usize], nodes[b as usize]];
            let lambda = if edge.length > 0.0 { (1.0 / edge.length).min(STEEPEST) } else { STEEPEST };
            let root = forest.merge(a, b);
            nodes[root as usize] = (n + merges.len()) as u32;
            merges.push(HierarchyMerge { parts, lambda, points: 0..forest.size(root) });
        }
        let mut hierarchy = Hierarchy { n, merges, order: vec![0; n] };
        hierarchy.place();
        hierarchy
    }

    /// Fills `order`, from the root down.
    fn place(&mut self) {
        for at in (0..self.merges.len()).rev() {
            let HierarchyMerge { parts, points, .. } = self.merges[at].clone();
            let mut start = points.start;
            for part in parts {
                let size = self.size(part);
                match (part as usize).checked_sub(self.n) {
                    Some(merge) => self.merges[merge].points = start..start + size,
                    None => self.order[start as usize] = part,
                }
                start += size;
            }
        }
    }

    fn size(&self, node: u32) -> u32 {
        (node as usize).checked_sub(self.n).map_or(1, |merge| self.merges[merge].points.len() as u32)
    }

    fn place_of(&self, merge: usize) -> Range<usize> {
        let Range { start, end } = self.merges[merge].points;
        start as usize..end as usize
    }

    /// Keeps the splits into clusters of at least `min_cluster_size` points. Time: O(n). Memory: O(n).
    pub fn condense(&self, min_cluster_size: usize) -> Condensed {
        let least = min_cluster_size.max(2) as u32;
        let mut condensed = Condensed::new(self.n);
        let mut queue: VecDeque<(usize, u32)> = VecDeque::new();
        if let Some(root) = self.merges.len().checked_sub(1) {
            queue.push_back((root, 0));
        }
        while let Some((merge, cluster)) = queue.pop_front() {
            let HierarchyMerge { parts, lambda, .. } = &self.merges[merge];
            let large = parts.map(|part| self.size(part) >= least);
            for (&part, large_part) in parts.iter().zip(large) {
                let size = self.size(part);
                if large == [true, true] {
                    let born = condensed.add(cluster, Cluster::born(cluster, *lambda), size);
                    queue.push_back((part as usize - self.n, born));
                } else if large_part {
                    queue.push_back((part as usize - self.n, cluster));
                } else {
                    let points = match (part as usize).checked_sub(self.n) {
                        Some(merge) => &self.order[self.place_of(merge)],
                        None => &[part][..],
                    };
                    condensed.fall(cluster, *lambda, points);
                }
            }
        }
        condensed
    }
}

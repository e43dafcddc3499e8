//! The tree agreement of every pair of classes in every replicate, from the nearest neighbours of all points.
//!
//! The minimum spanning tree of the points that a replicate keeps is searched for among edges to near points: within a class, the
//! 16 nearest of each point; between two classes, the 8 nearest. If these do not connect a class (because it has far parts with
//! more points than the lists hold), the parts are joined where the tree of all its points joins them. Whole trees by
//! [`clmatch_kernels::trees`] would cost as much as the score itself, 21 times.

use clmatch_kernels::parallel;
use clmatch_kernels::trees::{Points, Tree, spanning_tree};
use clmatch_kernels::{Control, Stopped};

use super::GROUPS;
use super::groups::Groups;
use crate::kernels::class_agreement::{NOWHERE, class_agreement};
use crate::kernels::class_lists::ClassLists;
use crate::kernels::edge_agreement::{GrowingAgreement, PointEdge, UnionFind, sort};
use crate::kernels::frame::Frame;
use crate::kernels::spanning_edges::SpanningEdges;

/// How many edges lead from each point to another class.
const CROSS: usize = 8;

/// The data that all trees are made from.
pub(super) struct TreeSource<'a> {
    pub(super) frame: &'a Frame,
    pub(super) lists: &'a ClassLists,
    pub(super) groups: &'a Groups,
}

/// The tree of a class in a replicate, as edges from the shortest to the longest.
type ClassTree = Vec<PointEdge>;

/// The tree agreement in all replicates: of all pairs of classes and, if needed, of the whole dataset.
pub(super) type Agreements = (Vec<[f64; GROUPS]>, Option<[f64; GROUPS]>);

impl TreeSource<'_> {
    /// The tree agreement in all replicates of all pairs of classes, in their order, and of the whole dataset if needed;
    /// `touching` has for each pair the square below which distances count as 0, `touching_of_whole` is that of the whole
    /// dataset.
    ///
    /// Time: O(n K log n) for each replicate. Memory: O(n) for each replicate.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn agreements(
        &self,
        touching: &[f64],
        touching_of_whole: Option<f64>,
        control: Control<'_>,
    ) -> Result<Agreements, Stopped> {
        let count = self.frame.classes();
        let masks: Vec<Vec<bool>> = (0..GROUPS).map(|replicate| self.groups.mask(replicate)).collect();
        let trees: Vec<Vec<ClassTree>> =
            parallel::try_map_range(count, |class| self.class_trees(class, &masks, control))?;
        let pairs: Vec<(usize, usize)> =
            (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).collect();
        // The edges that join classes in the trees of pairs, and the trees of classes, make up the tree of all points.
        let wholes: Vec<SpanningEdges> = masks.iter().map(|_| SpanningEdges::new(self.frame.len())).collect();
        let of_pair = |at: usize| {
            control.check()?;
            let (i, j) = pairs[at];
            let cross = self.cross_edges(i, j);
            let mut agreements = [0.0; GROUPS];
            parallel::for_each_mut(&mut agreements, |replicate, agreement| {
                let trees = [&trees[i][replicate], &trees[j][replicate]];
                let (found, joining) = self.agreement([i, j], &masks[replicate], trees, &cross, touching[at]);
                *agreement = found;
                if touching_of_whole.is_some() {
                    wholes[replicate].add(joining);
                }
            });
            Ok(agreements)
        };
        let of_pairs: Vec<[f64; GROUPS]> = parallel::try_map_range(pairs.len(), of_pair)?;
        let Some(touching) = touching_of_whole else { return Ok((of_pairs, None)) };
        let mut of_whole = [0.0; GROUPS];
        for (replicate, whole) in wholes.into_iter().enumerate() {
            control.check()?;
            trees.iter().for_each(|of_class| whole.add(of_class[replicate].iter().copied()));
            let mut class_of = self.frame.class_of();
            class_of
                .iter_mut()
                .zip(&masks[replicate])
                .filter(|(_, kept)| !**kept)
                .for_each(|(class, _)| *class = NOWHERE);
            of_whole[replicate] = class_agreement(&whole.into_tree(), &class_of, count, touching);
        }
        Ok((of_pairs, Some(of_whole)))
    }

    fn members(&self, class: usize) -> std::ops::Range<u32> {
        self.frame.starts[class] as u32..self.frame.starts[class + 1] as u32
    }

    /// The trees of a class in all replicates.
    fn class_trees(
        &self,
        class: usize,
        masks: &[Vec<bool>],
        control: Control<'_>,
    ) -> Result<Vec<ClassTree>, Stopped> {
        let mut edges: Vec<PointEdge> = self
            .members(class)
            .flat_map(|a| self.lists.of(a as usize, class).map(move |b| edge(a, b.point, b.square)))
            .collect();
        sort(&mut edges);
        edges.dedup();
        let mut whole: Option<Tree> = None;
        let mut trees = Vec::with_capacity(GROUPS);
        for kept_points in masks {
            control.check()?;
            let kept = self.members(class).filter(|&point| kept_points[point as usize]).count();
            let first = self.frame.starts[class] as u32;
            let mut clusters = UnionFind::new(self.frame.size(class));
            let mut tree = Vec::with_capacity(kept);
            for &edge in &edges {
                if tree.len() + 1 == kept {
                    break;
                }
                let both = edge.ends.iter().all(|&end| kept_points[end as usize]);
                if both && clusters.join(edge.ends.map(|end| end - first)).is_some() {
                    tree.push(edge);
                }
            }
            if tree.len() + 1 < kept {
                if whole.is_none() {
                    let points = Points::new(&self.frame.rows, self.frame.features);
                    whole = Some(spanning_tree(points, self.members(class).collect(), control.quiet())?);
                }
                let longer = whole.iter().flat_map(|whole| joins_of(whole, kept_points));
                let longer = longer.filter(|edge| clusters.join(edge.ends.map(|end| end - first)).is_some());
                tree.extend(longer);
                sort(&mut tree);
            }
            trees.push(tree);
        }
        Ok(trees)
    }

    /// Edges between near points of two classes, from the shortest to the longest.
    fn cross_edges(&self, i: usize, j: usize) -> Vec<PointEdge> {
        let from = |class: usize, other: usize| {
            self.members(class).flat_map(move |a| {
                self.lists.of(a as usize, other).take(CROSS).map(move |b| edge(a, b.point, b.square))
            })
        };
        let mut edges: Vec<PointEdge> = from(i, j).chain(from(j, i)).collect();
        sort(&mut edges);
        edges.dedup();
        edges
    }

    /// The tree agreement of a pair of classes in a replicate, and the edges of its tree that run between the two classes.
    fn agreement(
        &self,
        [i, j]: [usize; 2],
        kept_points: &[bool],
        trees: [&ClassTree; 2],
        cross: &[PointEdge],
        touching: f64,
    ) -> (f64, Vec<PointEdge>) {
        let (of_i, of_j) = (self.members(i), self.members(j));
        let local = |PointEdge { square, ends }: PointEdge| {
            let local = |end: u32| {
                if of_i.contains(&end) { end - of_i.start } else { end - of_j.start + of_i.len() as u32 }
            };
            PointEdge { square, ends: ends.map(local) }
        };
        let classes: Vec<Option<usize>> = of_i
            .clone()
            .map(|point| (point, 0))
            .chain(of_j.clone().map(|point| (point, 1)))
            .map(|(point, class)| kept_points[point as usize].then_some(class))
            .collect();
        let mut growing = GrowingAgreement::new(classes.into_iter(), touching);
        let is_kept = |edge: &&PointEdge| edge.ends.iter().all(|&end| kept_points[end as usize]);
        let cross = cross.iter().filter(is_kept).map(|&edge| local(edge));
        let [a, b] = trees.map(|tree| tree.iter().map(|&edge| local(edge)));
        let mut joining = Vec::new();
        growing.offer_all(a, b, cross, |edge| joining.push(edge));
        let of_all = |end: u32| {
            let within = end.checked_sub(of_i.len() as u32);
            within.map_or(of_i.start + end, |within| of_j.start + within)
        };
        joining.iter_mut().for_each(|edge| edge.ends = edge.ends.map(of_all));
        (growing.best(), joining)
    }
}

/// An edge whose ends are in order, so that equal edges can be recognised.
fn edge(a: u32, b: u32, square: f64) -> PointEdge {
    PointEdge { square, ends: [a.min(b), a.max(b)] }
}

/// The edges by which the tree of all points of a class joins the points that a replicate keeps, from the shortest to the
/// longest.
fn joins_of(whole: &Tree, kept_points: &[bool]) -> Vec<PointEdge> {
    let mut joins = Vec::new();
    let (mut last, mut gap) = (None, 0.0_f64);
    for (place, &point) in whole.order().iter().enumerate() {
        if place > 0 {
            gap = gap.max(whole.gaps()[place - 1]);
        }
        if kept_points[point as usize] {
            joins.extend(last.map(|last| edge(last, point, gap)));
            (last, gap) = (Some(point), 0.0);
        }
    }
    sort(&mut joins);
    joins
}

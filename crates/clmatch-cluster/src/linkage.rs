//! Agglomerative clustering with single, average and complete linkage.
//!
//! Single linkage is read off a minimum spanning tree and needs no matrix. Average and complete linkage run on the
//! condensed matrix of all distances with the nearest-neighbour chain of the crate kodama.
//!
//! Where merges are equally high, the order of the points decides which comes first. For single linkage, this changes
//! only the partitions between such merges ([`Dendrogram::is_clear`] reports which partitions are unaffected); for
//! average and complete linkage, it may change everything that follows.

use crate::density::Density;
use crate::external::{Agreement, Merging, Truth};
use crate::forest::DisjointSets;
use crate::spanning::Edge;
use crate::ties::{Ties, clearly_longer};
use clmatch::Matrix;
use clmatch_kernels::parallel;
use clmatch_kernels::simd::LANES;
use clmatch_kernels::simd::panels::{Panels, QUERIES};
use clmatch_kernels::{Stop, Stopped};

/// How the distance between two clusters follows from the distances between their points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// The smallest distance.
    Single,
    /// The mean distance.
    Average,
    /// The largest distance.
    Complete,
}

/// A merge of two clusters, given by one point of each.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LinkageMerge {
    points: [u32; 2],
}

/// The merges from single points to one cluster: one computation that answers every number of clusters.
#[derive(Debug, Clone, PartialEq)]
pub struct Dendrogram {
    n: usize,
    /// The merges, in ascending order of height.
    merges: Vec<LinkageMerge>,
    heights: Vec<f64>,
}

impl Linkage {
    /// Merges points until one cluster is left.
    ///
    /// Time: O(n^2 d). Memory: O(n d) for single linkage (and at most half a gigabyte for distances), 4 n^2 bytes for the
    /// others: 3.7 GB for 30,000 points.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised; the merging itself is not interrupted.
    pub fn fit(self, points: &Matrix<'_>, ties: Ties, stop: &Stop) -> Result<Dendrogram, Stopped> {
        let method = match self {
            Linkage::Single => {
                return Ok(Dendrogram::of_tree(&Density::new(points, 1, ties, stop)?.tree(0, stop)?));
            }
            Linkage::Average => kodama::Method::Average,
            Linkage::Complete => kodama::Method::Complete,
        };
        let mut distances = condensed(points.values(), points.n_features(), stop)?;
        ties.round(&mut distances);
        let steps = kodama::linkage(&mut distances, points.n_points(), method);
        stop.check()?;
        // A representative of each part: the first point of its first part, and so on down.
        let n = points.n_points();
        let mut first: Vec<u32> = (0..n as u32).collect();
        let mut merges = Vec::with_capacity(n - 1);
        for step in steps.steps() {
            let points = [step.cluster1, step.cluster2].map(|part| first[part]);
            first.push(points[0]);
            merges.push(LinkageMerge { points });
        }
        let heights = steps.steps().iter().map(|step| step.dissimilarity).collect();
        Ok(Dendrogram { n, merges, heights })
    }
}

impl Dendrogram {
    /// Single linkage, from the edges of a spanning tree of plain distances, shortest first.
    pub fn of_tree(tree: &[Edge]) -> Dendrogram {
        let merges = tree.iter().map(|edge| LinkageMerge { points: [edge.from, edge.to] }).collect();
        let heights = tree.iter().map(|edge| edge.length).collect();
        Dendrogram { n: tree.len() + 1, merges, heights }
    }

    /// The distances at which clusters merge, ascending.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Whether the partition into `clusters` clusters does not depend on the order of the points: of merges that are
    /// equally high, either all are made or none.
    pub fn is_clear(&self, clusters: usize) -> bool {
        let made = self.merges_for(clusters);
        let split = made > 0 && made < self.heights.len();
        !split || clearly_longer(self.heights[made], self.heights[made - 1])
    }

    /// Whether points that coincide stay together in the partition into `clusters` clusters.
    pub fn keeps_copies(&self, clusters: usize) -> bool {
        self.heights.get(self.merges_for(clusters)).is_none_or(|&height| height > 0.0)
    }

    /// How well each partition agrees with the classes: that into one cluster, into two, and so on up to one per point.
    ///
    /// Time: O(n K). Memory: O(n).
    pub fn agreements(&self, truth: &Truth) -> Vec<Agreement> {
        let mut merging = Merging::new(truth);
        let mut agreements = vec![merging.agreement()];
        for merge in &self.merges {
            merging.merge(merge.points[0], merge.points[1]);
            agreements.push(merging.agreement());
        }
        agreements.reverse();
        agreements
    }

    /// How many merges lead to `clusters` clusters (at least 1, at most one per point).
    fn merges_for(&self, clusters: usize) -> usize {
        self.n - clusters.clamp(1, self.n)
    }

    /// The partition into `clusters` clusters (at least 1, at most one per point): all merges but the last ones.
    ///
    /// Clusters are numbered by their first point. Time: O(n).
    pub fn cut(&self, clusters: usize) -> Vec<i32> {
        let mut forest = DisjointSets::new(self.n);
        for merge in &self.merges[..self.merges_for(clusters)] {
            let [a, b] = merge.points.map(|point| forest.find(point));
            forest.merge(a, b);
        }
        let mut names = vec![-1; self.n];
        let mut next = 0;
        (0..self.n as u32)
            .map(|point| {
                let name = &mut names[forest.find(point) as usize];
                if *name < 0 {
                    *name = next;
                    next += 1;
                }
                *name
            })
            .collect()
    }
}

/// Distances of all pairs i < j of points, row after row. Time: O(n^2 d). Memory: 4 n^2 bytes.
pub(crate) fn condensed(values: &[f64], features: usize, stop: &Stop) -> Result<Vec<f64>, Stopped> {
    let n = values.len() / features;
    let panels = Panels::new(values.chunks_exact(features), features);
    let mut distances = vec![0.0; n * n.saturating_sub(1) / 2];
    let mut rows: Vec<&mut [f64]> = Vec::with_capacity(n);
    let mut rest = &mut distances[..];
    for at in 0..n {
        let (own, later) = rest.split_at_mut(n - at - 1);
        rows.push(own);
        rest = later;
    }
    parallel::try_for_chunks_mut(&mut rows, QUERIES, |chunk, rows| {
        let start = chunk * QUERIES;
        let queries = values.chunks_exact(features).skip(start).take(rows.len());
        // From the panel of the first row onwards.
        let width = panels.padded() - start / LANES * LANES;
        let mut squares = vec![0.0; rows.len() * width];
        panels.squared_distances_of(start / LANES, &queries, &mut squares);
        for (at, (own, squares)) in rows.iter_mut().zip(squares.chunks_exact(width)).enumerate() {
            let next = start + at + 1 - start / LANES * LANES;
            own.iter_mut().zip(&squares[next..]).for_each(|(distance, square)| *distance = square.sqrt());
        }
        stop.check()
    })?;
    Ok(distances)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_hand() {
        // Gaps of 1, 2, 4, 8 on a line.
        let line = Matrix::new(&[0.0, 1.0, 3.0, 7.0, 15.0], 1).unwrap();
        for linkage in [Linkage::Single, Linkage::Average, Linkage::Complete] {
            let tree = linkage.fit(&line, Ties::Exact, &Stop::new()).unwrap();
            assert_eq!(tree.cut(1), [0; 5]);
            assert_eq!(tree.cut(2), [0, 0, 0, 0, 1]);
            assert_eq!(tree.cut(3), [0, 0, 0, 1, 2]);
            assert_eq!(tree.cut(4), [0, 0, 1, 2, 3]);
            assert_eq!(tree.cut(5), tree.cut(99));
        }
        let heights =
            |linkage: Linkage| linkage.fit(&line, Ties::Exact, &Stop::new()).unwrap().heights().to_vec();
        assert_eq!(heights(Linkage::Single), [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(heights(Linkage::Complete), [1.0, 3.0, 7.0, 15.0]);
        assert_eq!(heights(Linkage::Average), [1.0, 2.5, 17.0 / 3.0, 49.0 / 4.0]);
    }

    #[test]
    fn one_point_is_one_cluster() {
        for linkage in [Linkage::Single, Linkage::Average, Linkage::Complete] {
            let point = Matrix::new(&[1.0, 2.0], 2).unwrap();
            let tree = linkage.fit(&point, Ties::Exact, &Stop::new()).unwrap();
            assert_eq!(tree.cut(3), [0]);
        }
    }
}

//! DBSCAN (Ester et al. 1996), for one radius or for many.
//!
//! A point is a core point if at least `min_samples` points, itself included, lie within `eps` of it. Core points within
//! `eps` of each other share a cluster; other points within `eps` of a core point join its cluster; the rest is noise.
//! A non-core point may be within reach of several clusters. The definition then takes the first one found, which depends
//! on the order of the points; [`Border`] chooses.
//!
//! As the radius grows, clusters of core points only merge: they are the parts into which the spanning tree of mutual
//! reachability distances falls when its edges longer than `eps` are cut. And a non-core point has fewer than
//! `min_samples` points around it, all among its nearest neighbours. So one tree and one list of neighbours answer every
//! radius.

use std::cmp::Reverse;

use crate::NOISE;
use crate::density::Density;
use crate::forest::DisjointSets;
use crate::spanning::Edge;
use crate::ties::{BEYOND, Ties, evenly, runs};
use clmatch::Matrix;
use clmatch_kernels::{Stop, Stopped};

/// DBSCAN with one setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dbscan {
    /// The radius within which points are neighbours.
    pub eps: f64,
    /// How many points, itself included, a core point needs within the radius; 0 counts as 1.
    pub min_samples: usize,
}

impl Dbscan {
    /// One label per point; noise is [`NOISE`].
    ///
    /// Time: O(n^2 d). Memory: O(n d), and at most half a gigabyte for distances.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&self, points: &Matrix<'_>, stop: &Stop) -> Result<Vec<i32>, Stopped> {
        let others = self.min_samples.saturating_sub(1);
        let density = Density::new(points, others.max(1), Ties::Exact, stop)?;
        let tree = density.tree(others, stop)?;
        Ok(Radii::new(&density, &tree, self.min_samples).labels(self.eps, Border::First))
    }
}

/// Which cluster a non-core point joins that is within reach of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// The one whose first core point comes first: what scikit-learn does. It depends on the order of the points.
    First,
    /// The one with the most core points, which is also the most likely to come first if points are in random order;
    /// among equally large ones, the one whose first core point comes first.
    Largest,
}

/// DBSCAN for growing radii.
#[derive(Debug)]
pub struct Radii<'a> {
    density: &'a Density<'a>,
    tree: &'a [Edge],
    /// The core distance of each point.
    cores: Vec<f64>,
    forest: DisjointSets,
    joined: usize,
}

impl<'a> Radii<'a> {
    /// Takes the spanning tree of rank `min_samples - 1`.
    pub fn new(density: &'a Density<'a>, tree: &'a [Edge], min_samples: usize) -> Radii<'a> {
        // If `min_samples` exceeds the number of points, no point is a core point.
        let others = min_samples.saturating_sub(1);
        let cores = if others < density.points() {
            density.neighbours().cores(others).into_iter().map(f64::sqrt).collect()
        } else {
            vec![f64::INFINITY; density.points()]
        };
        Radii { density, tree, cores, forest: DisjointSets::new(density.points()), joined: 0 }
    }

    /// One radius for each partition that any radius gives, ascending. If there are more than `limit`, some are left out,
    /// evenly.
    ///
    /// Each radius lies midway between two distances at which the partition changes and that differ by more than
    /// rounding, so that code that computes distances in another way finds the same partition.
    pub fn between_changes(&self, limit: usize) -> Vec<f64> {
        let changes = self.changes();
        let runs: Vec<(f64, f64)> = runs(&changes).collect();
        // From the last distance of one run to the first of the next; below the first run no two points are neighbours.
        let starts = std::iter::once(0.0).chain(runs.iter().map(|run| run.1));
        let ends = runs.iter().map(|run| run.0).chain([f64::INFINITY]);
        let middle = |(start, end): (f64, f64)| match (start, end) {
            (0.0, f64::INFINITY) => 1.0,
            (_, f64::INFINITY) => BEYOND * start,
            _ => f64::midpoint(start, end),
        };
        let radii: Vec<f64> = starts.zip(ends).filter(|&(start, end)| start < end).map(middle).collect();
        evenly(&radii, limit)
    }

    /// The distances at which the partition may change, ascending.
    fn changes(&self) -> Vec<f64> {
        let lengths = self.tree.iter().map(|edge| edge.length).chain(self.cores.iter().copied());
        // The distances at which a point that is not yet a core point comes within reach of one.
        let reaches = (0..self.cores.len()).flat_map(|point| {
            let near = self.density.neighbours().of(point).iter();
            let reach = near.map(|&(square, other)| square.sqrt().max(self.cores[other as usize]));
            reach.filter(move |&reach| reach < self.cores[point])
        });
        let mut changes: Vec<f64> = lengths.chain(reaches).filter(|length| length.is_finite()).collect();
        changes.sort_by(f64::total_cmp);
        changes
    }

    /// One label per point. The radius must be no smaller than in the call before.
    ///
    /// Time: O(n) per call, and O(n log n) over all radii.
    pub fn labels(&mut self, eps: f64, border: Border) -> Vec<i32> {
        while let Some(edge) = self.tree.get(self.joined).filter(|edge| edge.length <= eps) {
            let (a, b) = (self.forest.find(edge.from), self.forest.find(edge.to));
            self.forest.merge(a, b);
            self.joined += 1;
        }
        let n = self.cores.len();
        let mut labels = vec![NOISE; n];
        let mut clusters = vec![NOISE; n];
        // Core points of each cluster.
        let mut sizes: Vec<usize> = Vec::new();
        for point in 0..n {
            if self.cores[point] <= eps {
                let cluster = &mut clusters[self.forest.find(point as u32) as usize];
                if *cluster == NOISE {
                    *cluster = sizes.len() as i32;
                    sizes.push(0);
                }
                labels[point] = *cluster;
                sizes[*cluster as usize] += 1;
            }
        }
        let rank = |label: &i32| match border {
            Border::First => (Reverse(0), *label),
            Border::Largest => (Reverse(sizes[*label as usize]), *label),
        };
        for point in 0..n {
            if self.cores[point] > eps {
                let near = self.density.neighbours().of(point).iter();
                let within = near.take_while(|(square, _)| square.sqrt() <= eps);
                let cores =
                    within.map(|&(_, other)| other as usize).filter(|&other| self.cores[other] <= eps);
                labels[point] = cores.map(|other| labels[other]).min_by_key(rank).unwrap_or(NOISE);
            }
        }
        labels
    }
}

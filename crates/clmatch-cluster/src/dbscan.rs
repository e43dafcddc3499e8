//! DBSCAN (Ester et al. 1996), for one radius or for many.
//!
//! A point is a core point if at least `min_samples` points, itself included, lie within `eps` of it. Core points within
//! `eps` of each other share a cluster; other points within `eps` of a core point join its cluster, the first one found
//! if there are several (clusters are numbered by their first core point); the rest is noise.
//!
//! A radius grows, clusters of core points only merge: they are what the spanning tree of mutual reachability distances
//! falls into when its edges longer than `eps` are cut. And a point that is no core point has fewer than `min_samples`
//! points around it, all among its nearest neighbours. So one tree and one list of neighbours answer every radius.

use crate::NOISE;
use crate::density::Density;
use crate::forest::Forest;
use crate::matrix::Matrix;
use crate::spanning::Edge;
use clmatch_stop::{Stop, Stopped};

/// DBSCAN with one setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dbscan {
    /// The radius within which points are neighbours.
    pub eps: f64,
    /// How many points, itself included, a core point has within the radius; 0 counts as 1.
    pub min_samples: usize,
}

impl Dbscan {
    /// One label per point; noise is [`NOISE`].
    ///
    /// Time: O(n^2 d). Memory: O(n d), and at most half a gigabyte for distances.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&self, points: Matrix<'_>, stop: &Stop) -> Result<Vec<i32>, Stopped> {
        let others = self.min_samples.saturating_sub(1);
        let density = Density::new(points, others.max(1), stop)?;
        let tree = density.tree(others, stop)?;
        Ok(Radii::new(&density, &tree, self.min_samples).labels(self.eps))
    }
}

/// DBSCAN for growing radii.
#[derive(Debug)]
pub struct Radii<'a> {
    density: &'a Density<'a>,
    tree: &'a [Edge],
    /// Core distances.
    cores: Vec<f64>,
    forest: Forest,
    joined: usize,
}

impl<'a> Radii<'a> {
    /// For the spanning tree with the rank `min_samples - 1`.
    pub fn new(density: &'a Density<'a>, tree: &'a [Edge], min_samples: usize) -> Radii<'a> {
        // With more points asked for than there are, none is a core point.
        let others = min_samples.saturating_sub(1);
        let cores = match others < density.points() {
            true => density.neighbours().cores(others).into_iter().map(f64::sqrt).collect(),
            false => vec![f64::INFINITY; density.points()],
        };
        Radii { density, tree, cores, forest: Forest::new(density.points()), joined: 0 }
    }

    /// Radii from `low` to `high` at which the partition changes, `low` itself first; where there are more than
    /// `limit`, evenly many of them are left out.
    pub fn changes(&self, low: f64, high: f64, limit: usize) -> Vec<f64> {
        let lengths = self.tree.iter().map(|edge| edge.length).chain(self.cores.iter().copied());
        // Where a point that is no core point yet comes within reach of one.
        let reaches = (0..self.cores.len()).flat_map(|point| {
            let near = self.density.neighbours().of(point).iter();
            let reach = near.map(|&(square, other)| square.sqrt().max(self.cores[other as usize]));
            reach.filter(move |&reach| reach < self.cores[point])
        });
        let mut radii: Vec<f64> =
            lengths.chain(reaches).filter(|&length| length > low && length <= high).collect();
        radii.sort_by(f64::total_cmp);
        radii.dedup();
        let step = |at: usize| radii[at * (radii.len() - 1) / (limit - 2)];
        let thinned: Vec<f64> =
            if radii.len() < limit || limit < 3 { radii } else { (0..limit - 1).map(step).collect() };
        std::iter::once(low).chain(thinned).collect()
    }

    /// One label per point at a radius that is no smaller than the one before.
    ///
    /// Time: O(n) and, over all radii, O(n log n).
    pub fn labels(&mut self, eps: f64) -> Vec<i32> {
        while let Some(edge) = self.tree.get(self.joined).filter(|edge| edge.length <= eps) {
            let (a, b) = (self.forest.find(edge.from), self.forest.find(edge.to));
            self.forest.merge(a, b);
            self.joined += 1;
        }
        let n = self.cores.len();
        let mut labels = vec![NOISE; n];
        let mut clusters = vec![NOISE; n];
        let mut next = 0;
        for point in 0..n {
            if self.cores[point] <= eps {
                let cluster = &mut clusters[self.forest.find(point as u32) as usize];
                if *cluster == NOISE {
                    *cluster = next;
                    next += 1;
                }
                labels[point] = *cluster;
            }
        }
        for point in 0..n {
            if self.cores[point] > eps {
                let near = self.density.neighbours().of(point).iter();
                let within = near.take_while(|(square, _)| square.sqrt() <= eps);
                let cores =
                    within.map(|&(_, other)| other as usize).filter(|&other| self.cores[other] <= eps);
                labels[point] = cores.map(|other| labels[other]).min().unwrap_or(NOISE);
            }
        }
        labels
    }
}

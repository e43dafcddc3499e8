//! Birch (Zhang, Ramakrishnan and Livny 1996): one pass gathers points in small subclusters, and these are then
//! clustered.
//!
//! It follows scikit-learn: subclusters have a radius of at most `threshold`, Ward's method merges their centres, each
//! counting once, and a point belongs to the cluster of its nearest centre.
//!
//! Which points a subcluster gathers depends on the order of the points, and so does everything that follows.

mod chain;
mod merge;
mod tree;
mod ward;

use crate::packed::PackedPoints;
use crate::{Stop, Stopped};
use clmatch::Matrix;
use merge::Merge;

/// Birch with its settings.
///
/// Degenerate input: if the tree has no more subclusters than `clusters`, each subcluster is a cluster; points that
/// coincide make one subcluster. 0 clusters count as 1, branching factors below 2 as 2.
#[derive(Debug, Clone, PartialEq)]
pub struct Birch {
    /// Largest radius of a subcluster, the root of its points' mean squared distance to their mean; 0.5 by default.
    pub threshold: f64,
    /// The most subclusters that a node of the tree may have; 50 by default.
    pub branching_factor: usize,
    /// How many clusters; 3 by default. With `None` each subcluster is a cluster.
    pub clusters: Option<usize>,
}

impl Default for Birch {
    fn default() -> Self {
        Birch { threshold: 0.5, branching_factor: 50, clusters: Some(3) }
    }
}

/// What [`Birch`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct BirchFit {
    /// The cluster of each point, from 0. A cluster may be empty, because a subcluster may be the nearest of no point.
    pub labels: Vec<i32>,
    /// The centres of the subclusters, row after row.
    pub subclusters: Vec<f64>,
}

/// A tree's subclusters and Ward's merges of them: what all numbers of clusters share.
#[derive(Debug, Clone)]
pub struct BirchTree {
    centres: Vec<f64>,
    features: usize,
    /// The nearest subcluster of each point.
    nearest: Vec<u32>,
    /// Ward's merges of the subclusters, in ascending order of their heights.
    merges: Vec<Merge>,
}

impl Birch {
    /// Clusters points; for several numbers of clusters, use [`Birch::tree`].
    ///
    /// Time and memory: those of [`Birch::tree`].
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&self, points: &Matrix<'_>, stop: &Stop) -> Result<BirchFit, Stopped> {
        let mut tree = self.grow(points, stop)?;
        let labels = match self.clusters {
            Some(clusters) => {
                if clusters < tree.subclusters() {
                    tree.merges = ward::merges(&tree.centres, tree.features, stop)?;
                }
                tree.cut(clusters)
            }
            None => tree.cut(usize::MAX),
        };
        Ok(BirchFit { labels, subclusters: tree.centres })
    }

    /// Builds the tree and merges its subclusters: everything that does not depend on the number of clusters.
    ///
    /// Time: O(n log(m) b d) for the tree, O(n m d) for the nearest of m subclusters, about O(m^2 d) for Ward's method;
    /// the last two in parallel. Memory: O((n + m) d).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn tree(&self, points: &Matrix<'_>, stop: &Stop) -> Result<BirchTree, Stopped> {
        let mut tree = self.grow(points, stop)?;
        tree.merges = ward::merges(&tree.centres, tree.features, stop)?;
        Ok(tree)
    }

    /// Builds the tree without the merges.
    fn grow(&self, points: &Matrix<'_>, stop: &Stop) -> Result<BirchTree, Stopped> {
        let centres = tree::subclusters(points, self.threshold, self.branching_factor.max(2), stop)?;
        let nearest = PackedPoints::new(points).nearest(&centres, stop)?;
        Ok(BirchTree {
            features: points.n_features(),
            nearest: nearest.iter().map(|nearest| nearest.centre).collect(),
            merges: vec![],
            centres,
        })
    }
}

impl BirchTree {
    /// How many subclusters there are.
    pub fn subclusters(&self) -> usize {
        self.centres.len() / self.features
    }

    /// The labels of the points for a number of clusters. If there are no more subclusters than that, each one is a
    /// cluster.
    ///
    /// Time: O(n + m).
    pub fn cut(&self, clusters: usize) -> Vec<i32> {
        let labels = ward::cut(&self.merges, self.subclusters(), clusters.max(1));
        self.nearest.iter().map(|&subcluster| labels[subcluster as usize]).collect()
    }
}

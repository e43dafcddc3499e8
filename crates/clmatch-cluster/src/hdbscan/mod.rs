//! HDBSCAN (Campello, Moulavi and Sander 2013), with the selection threshold of Malzer and Baum (2020), for one setting
//! or for all cluster sizes and thresholds of one hierarchy.
//!
//! The single-linkage hierarchy of mutual reachability distances is walked from the root down, with `lambda =
//! 1/distance`. A split counts where both sides have at least `min_cluster_size` points; smaller sides are points that
//! fall out of their cluster. A cluster that is born at `lambda_c` has the stability `sum over its points of (lambda -
//! lambda_c)`, and the clusters that together are most stable are selected, never the root. Then clusters born at a
//! distance below `selection_epsilon` give way to their first ancestor that was not.
//!
//! Settings have the same meaning as in the Python package hdbscan: `min_samples` does not count the point itself
//! (scikit-learn's does).

mod condensed;
mod hierarchy;

pub use self::condensed::Condensed;
pub use self::hierarchy::Hierarchy;

use crate::density::Density;
use crate::ties::Ties;
use clmatch::Matrix;
use clmatch_kernels::{Stop, Stopped};

/// HDBSCAN with one setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hdbscan {
    /// The smallest number of points in a cluster; values below 2 count as 2.
    pub min_cluster_size: usize,
    /// The core distance of a point is the distance to its `min_samples`-th nearest other point.
    pub min_samples: usize,
    /// Clusters that are born at a smaller distance are not split off; 0 turns this off.
    pub selection_epsilon: f64,
}

impl Hdbscan {
    /// One label per point; noise is [`NOISE`](crate::NOISE).
    ///
    /// Time: O(n^2 d). Memory: O(n d), and at most half a gigabyte for distances.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&self, points: &Matrix<'_>, stop: &Stop) -> Result<Vec<i32>, Stopped> {
        let density = Density::new(points, self.min_samples.max(1), Ties::Exact, stop)?;
        let tree = density.tree(self.min_samples, stop)?;
        let condensed = Hierarchy::new(density.points(), &tree).condense(self.min_cluster_size);
        Ok(condensed.labels(&condensed.select(self.selection_epsilon)))
    }
}

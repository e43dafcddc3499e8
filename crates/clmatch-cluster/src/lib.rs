//! The nine clustering techniques of the ground truth, and the four external measures that score them.
//!
//! A technique takes a [`Matrix`] of points and gives one label per point; points that belong to no cluster have the
//! label [`NOISE`]. Everything random takes a seed. Results do not depend on the number of threads, and on the machine's
//! instruction set only by rounding. Long computations check a [`Stop`] now and then.
//!
//! ```
//! use clmatch_cluster::external::Truth;
//! use clmatch_cluster::{KMeans, Matrix, Stop};
//!
//! let points = Matrix::new(vec![0.0, 0.1, 0.2, 5.0, 5.1, 5.2], 1)?;
//! let fit = KMeans { clusters: 2, ..KMeans::default() }.fit(&points, &Stop::new())?;
//! let truth = Truth::new(["low", "low", "low", "high", "high", "high"]);
//! assert_eq!(truth.score(&fit.labels).ami, 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod birch;
mod dbscan;
mod density;
mod distances;
pub mod external;
mod forest;
mod hdbscan;
mod kmeans;
mod kmedoids;
mod linkage;
mod neighbours;
mod order;
mod packed;
mod rows;
#[cfg(test)]
mod scattered;
mod spanning;
mod ties;
mod xmeans;

pub use birch::{Birch, BirchFit, BirchTree};
pub use clmatch::Matrix;
pub use clmatch_kernels::{Stop, Stopped};
pub use dbscan::{Border, Dbscan, Radii};
pub use density::Density;
pub use distances::Distances;
pub use hdbscan::{Condensed, Hdbscan, Hierarchy};
pub use kmeans::{KMeans, KMeansFit};
pub use kmedoids::{KMedoids, KMedoidsAlgorithm, KMedoidsFit};
pub use linkage::{Dendrogram, Linkage};
pub use order::CentralFirst;
pub use spanning::Edge;
pub use ties::Ties;
pub use xmeans::{XMeans, XMeansFit, XMeansFits, XMeansValid};

/// The label of points that belong to no cluster.
pub const NOISE: i32 = -1;

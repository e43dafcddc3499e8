//! The nine clustering techniques of the ground truth, and the four external measures that score them.
//!
//! A technique takes a [`Matrix`] of points and gives one label per point; points that belong to no cluster have the
//! label [`NOISE`]. Everything random takes a seed, and results depend neither on the number of threads nor on the
//! machine's instruction set beyond rounding. Long work looks at a [`Stop`] now and then.

mod birch;
mod distances;
mod kernels;
mod kmeans;
mod kmedoids;
mod matrix;
mod packed;
mod stop;
mod tiles;
mod xmeans;

pub use birch::{Birch, BirchFit, BirchTree};
pub use distances::Distances;
pub use kmeans::{KMeans, KMeansFit};
pub use kmedoids::{KMedoids, KMedoidsAlgorithm, KMedoidsFit};
pub use matrix::{Matrix, MatrixError};
pub use stop::{Stop, Stopped};
pub use xmeans::{XMeans, XMeansFit};

/// The label of points that belong to no cluster.
pub const NOISE: i32 = -1;

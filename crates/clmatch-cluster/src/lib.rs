//! The nine clustering techniques of the ground truth, and the four external measures that score them.
//!
//! A technique takes a [`Matrix`] of points and gives one label per point; points that belong to no cluster have the
//! label [`NOISE`]. Everything random takes a seed, and results depend neither on the number of threads nor on the
//! machine's instruction set beyond rounding. Long work looks at a [`Stop`] now and then.

mod kernels;
mod matrix;
mod stop;

pub use matrix::{Matrix, MatrixError};
pub use stop::{Stop, Stopped};

/// The label of points that belong to no cluster.
pub const NOISE: i32 = -1;

//! Loops over slices of numbers; they do not depend on datasets or measures.
//!
//! | module | contents |
//! |---|---|
//! | [`control`] | how long work is stopped, and how it reports progress |
//! | [`parallel`] | loops on several threads whose results do not depend on the number of threads |
//! | [`simd`] | registers, products, sums and distances, for every instruction set |
//! | [`trees`] | exact minimum spanning trees of points |
//! | [`linalg`] | products, Cholesky's decomposition, eigenvectors, directions of the largest variance |
//! | [`quantile`] | quantiles, in one definition |

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test"))]

pub mod control;
pub mod linalg;
pub mod parallel;
mod quantile;
pub mod simd;
pub mod trees;

pub use control::{Control, Step, Stop, Stopped};
pub use linalg::{Cholesky, InLanes, InOrder, Summation, dot};
pub use quantile::{quantile, quantile_by};

//! Linear algebra on small dense matrices.

mod cholesky;

pub use cholesky::{Cholesky, InLanes, InOrder, Summation, dot};

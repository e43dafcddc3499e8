//! Linear algebra on dense matrices: products, Cholesky's decomposition, eigenvectors, directions of the largest variance.

mod cholesky;
mod directions;
mod eigen;

pub use cholesky::{Cholesky, InLanes, InOrder, Summation, dot};
pub use directions::{Direction, Rows, discriminant, unit};
pub use eigen::{Eigen, symmetric};

//! Numerical methods that several crates share: Cholesky's decomposition and quantiles.
//!
//! ```
//! use clmatch_numerics::{Cholesky, quantile};
//!
//! // 4 x + 2 y = 2, 2 x + 3 y = 5.
//! let factor = Cholesky::factor(vec![4.0, 2.0, 2.0, 3.0], 2).unwrap();
//! let solution = factor.solve(&[2.0, 5.0]);
//! assert!((solution[0] + 0.5).abs() < 1e-12 && (solution[1] - 2.0).abs() < 1e-12);
//!
//! assert_eq!(quantile(&[1.0, 2.0, 4.0, 8.0], 0.5), Some(3.0));
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test"))]

mod cholesky;
mod quantile;

pub use cholesky::{Cholesky, InLanes, InOrder, Summation, dot};
pub use quantile::{quantile, quantile_by};

//! Loops over points: slices in, numbers out. Definitions of measures live elsewhere.
//!
//! Notation: `n` points, `d` features, `K` classes; a *set* is the whole dataset or one pair of classes.

pub mod frame;
pub mod moments;
pub(crate) mod neighbourhoods;
pub mod pairs;
pub(crate) mod point_distances;
pub(crate) mod random;
pub mod shuffle;
pub mod stream;
pub(crate) mod tree_agreement;
#[cfg(test)]
mod twins;

pub use stream::median;

/// Squared Euclidean distance by differences: no cancellation between large norms.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

//! Loops over points: slices in, numbers out. Definitions of measures live elsewhere.
//!
//! Notation: `n` points, `d` features, `K` classes; a *set* is the whole dataset or one pair of classes.

pub(crate) mod class_agreement;
pub(crate) mod class_lists;
pub(crate) mod edge_agreement;
pub mod frame;
pub mod moments;
pub(crate) mod neighbourhoods;
pub mod pairs;
pub(crate) mod point_distances;
pub(crate) mod random;
pub(crate) mod reassignment;
pub(crate) mod row_sweep;
pub mod shuffle;
pub(crate) mod spanning_edges;
pub mod stream;
pub(crate) mod tree_agreement;
#[cfg(test)]
mod twins;

pub use stream::median;

/// Squared distances closer than this, relatively, are ties: neighbours of both classes share a place, and no cut of a spanning
/// tree lies between them.
pub(crate) const TIE: f64 = 1e-9;

/// Squared Euclidean distance by differences: no cancellation between large norms.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

//! Loops over points: they take slices and return numbers. The definitions of measures are elsewhere.
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

/// Squared distances count as ties if they differ by at most this share: neighbours of both classes share a place, and no cut of
/// a spanning tree lies between them.
pub(crate) const TIE: f64 = 1e-9;

/// Squared Euclidean distance from differences, which avoids cancellation between large norms.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

//! Moments of classes and of sets of classes: what [`stream`](super::stream) computes.
//!
//! For a set S with centroid `c_S`, and `r(x) = |x - c_S|^2`:
//!
//! ```text
//! T = mean r          s2 = std r          s1 = std sqrt(r)          V_i = mean over class i of |x - c_i|^2
//! ```

use super::frame::Frame;

/// What the centroids say about each class.
#[derive(Debug, Clone)]
pub struct ClassMoments {
    /// K x d centroids.
    pub centroids: Vec<f64>,
    /// `V_i`: mean squared distance to the class's own centroid.
    pub variances: Vec<f64>,
    /// `S_i`: mean distance to the class's own centroid.
    pub radii: Vec<f64>,
    /// K x K squared distances between centroids.
    pub gaps: Vec<f64>,
}

/// How the points of a set lie around its centroid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// `T`: mean squared distance.
    pub total: f64,
    /// `s2`: standard deviation of the squared distances.
    pub s2: f64,
    /// Mean distance.
    pub radius: f64,
    /// `s1`: standard deviation of the distances.
    pub s1: f64,
}

/// The centroid of the points of some classes, from the centroids of the classes.
pub(crate) fn joint_centroid(frame: &Frame, moments: &ClassMoments, members: &[usize]) -> Vec<f64> {
    let count: usize = members.iter().map(|&class| frame.size(class)).sum();
    let mut centre = vec![0.0; frame.features];
    for &class in members {
        let weight = frame.size(class) as f64 / count as f64;
        let centroid = &moments.centroids[class * frame.features..(class + 1) * frame.features];
        for (sum, c) in centre.iter_mut().zip(centroid) {
            *sum += weight * c;
        }
    }
    centre
}

pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Mean and population standard deviation, in two passes.
pub(crate) fn mean_and_deviation(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let centre = mean(values.clone());
    let variance = mean(values.map(|value| (value - centre) * (value - centre)));
    (centre, variance.sqrt())
}

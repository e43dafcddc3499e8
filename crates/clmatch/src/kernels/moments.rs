//! Centroids and moments of classes, of pairs of classes and of the whole dataset, by centred two-pass loops.
//!
//! For a set S with centroid `c_S`, and `r(x) = |x - c_S|^2`:
//!
//! ```text
//! T = mean r          s2 = std r          s1 = std sqrt(r)          V_i = mean over class i of |x - c_i|^2
//! ```

use rayon::prelude::*;

use super::frame::Frame;
use super::squared_distance;

/// What centroids tell about each class.
#[derive(Debug, Clone)]
pub struct ClassMoments {
    /// K x d centroids.
    pub centroids: Vec<f64>,
    /// `V_i`: mean squared distance to the own centroid.
    pub variances: Vec<f64>,
    /// `S_i`: mean distance to the own centroid.
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

/// Moments of each class. Time: O(n d + K^2 d). Memory: O(K d + K^2).
pub fn classes(frame: &Frame) -> ClassMoments {
    let (count, features) = (frame.classes(), frame.features);
    let centroids: Vec<f64> =
        (0..count).into_par_iter().flat_map_iter(|class| centroid(frame, class)).collect();
    let centre = |class: usize| &centroids[class * features..(class + 1) * features];
    let (variances, radii) = (0..count)
        .into_par_iter()
        .map(|class| {
            let squares: Vec<f64> = frame.class(class).map(|x| squared_distance(x, centre(class))).collect();
            (mean(squares.iter().copied()), mean(squares.iter().map(|r| r.sqrt())))
        })
        .unzip();
    let gaps = (0..count)
        .into_par_iter()
        .flat_map_iter(|i| (0..count).map(move |j| (i, j)))
        .map(|(i, j)| squared_distance(centre(i), centre(j)))
        .collect();
    ClassMoments { centroids, variances, radii, gaps }
}

/// Mean of a class; the second pass removes the rounding of the first.
fn centroid(frame: &Frame, class: usize) -> Vec<f64> {
    let mut centre = vec![0.0; frame.features];
    for _ in 0..2 {
        let mut correction = vec![0.0; frame.features];
        for row in frame.class(class) {
            for ((sum, x), c) in correction.iter_mut().zip(row).zip(&centre) {
                *sum += x - c;
            }
        }
        for (c, sum) in centre.iter_mut().zip(correction) {
            *c += sum / frame.size(class) as f64;
        }
    }
    centre
}

/// Spread of the points of some classes around their common centroid. Time: O(N d). Memory: O(N).
pub fn spread(frame: &Frame, moments: &ClassMoments, members: &[usize]) -> Spread {
    let centre = joint_centroid(frame, moments, members);
    let squares: Vec<f64> = members
        .iter()
        .flat_map(|&class| frame.class(class).map(|x| squared_distance(x, &centre)).collect::<Vec<_>>())
        .collect();
    let (total, s2) = mean_and_deviation(squares.iter().copied());
    let (radius, s1) = mean_and_deviation(squares.iter().map(|r| r.sqrt()));
    Spread { total, s2, radius, s1 }
}

/// Centroid of the points of some classes, from the centroids of the classes.
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

/// `eta` of a pair of classes: the share of the variance of `u` that lies between them, where
/// `u(x) = h_i(x) - h_j(x)`, and `h_c(x)` is Hartigan's cost `n/(n - 1) |x - c|^2` of keeping x in its class c, or
/// `n/(n + 1) |x - c|^2` of moving it there. 0 where the classes lie on the wrong sides, or coincide.
///
/// Time: O(N d). Memory: O(N).
pub fn eta(frame: &Frame, moments: &ClassMoments, i: usize, j: usize) -> f64 {
    let cost = |x: &[f64], class: usize, own: bool| {
        let size = frame.size(class) as f64;
        let factor = if own { size / (size - 1.0) } else { size / (size + 1.0) };
        let centre = &moments.centroids[class * frame.features..(class + 1) * frame.features];
        factor * squared_distance(x, centre)
    };
    let side = |class: usize| -> Vec<f64> {
        frame.class(class).map(|x| cost(x, i, class == i) - cost(x, j, class == j)).collect()
    };
    share_between(&side(i), &side(j))
}

/// B/(B + W) of two groups of numbers, 0 unless the first group lies below the second.
fn share_between(low: &[f64], high: &[f64]) -> f64 {
    let (low_mean, low_deviation) = mean_and_deviation(low.iter().copied());
    let (high_mean, high_deviation) = mean_and_deviation(high.iter().copied());
    let (p, q) = (low.len() as f64, high.len() as f64);
    let (p, q) = (p / (p + q), q / (p + q));
    let gap = high_mean - low_mean;
    if gap <= 0.0 {
        return 0.0;
    }
    let between = p * q * gap * gap;
    let within = p * low_deviation * low_deviation + q * high_deviation * high_deviation;
    between / (between + within)
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

/// Mean and population standard deviation, in two passes.
pub(crate) fn mean_and_deviation(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let centre = mean(values.clone());
    let variance = mean(values.map(|value| (value - centre) * (value - centre)));
    (centre, variance.sqrt())
}

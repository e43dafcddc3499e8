//! Slow twins of the fast kernels: centred two-pass loops, as plain as possible.

use super::frame::Frame;
use super::moments::{ClassMoments, Spread, joint_centroid, mean, mean_and_deviation};
use super::squared_distance;

/// Moments of each class. Time: O(n d + K^2 d). Memory: O(K d + K^2).
pub(super) fn classes(frame: &Frame) -> ClassMoments {
    let (count, features) = (frame.classes(), frame.features);
    let centroids: Vec<f64> = (0..count).flat_map(|class| centroid(frame, class)).collect();
    let centre = |class: usize| &centroids[class * features..(class + 1) * features];
    let (variances, radii) = (0..count)
        .map(|class| {
            let squares: Vec<f64> = frame.class(class).map(|x| squared_distance(x, centre(class))).collect();
            (mean(squares.iter().copied()), mean(squares.iter().map(|r| r.sqrt())))
        })
        .unzip();
    let gaps = (0..count)
        .flat_map(|i| (0..count).map(move |j| (i, j)))
        .map(|(i, j)| squared_distance(centre(i), centre(j)))
        .collect();
    ClassMoments { centroids, variances, radii, gaps }
}

/// The mean of a class; the second pass removes the rounding of the first.
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
pub(super) fn spread(frame: &Frame, moments: &ClassMoments, members: &[usize]) -> Spread {
    let centre = joint_centroid(frame, moments, members);
    let squares: Vec<f64> = members
        .iter()
        .flat_map(|&class| frame.class(class).map(|x| squared_distance(x, &centre)).collect::<Vec<_>>())
        .collect();
    let (total, s2) = mean_and_deviation(squares.iter().copied());
    let (radius, s1) = mean_and_deviation(squares.iter().map(|r| r.sqrt()));
    Spread { total, s2, radius, s1 }
}

/// `eta` of a pair of classes: the share of the variance of `u` that lies between them, where
/// `u(x) = h_i(x) - h_j(x)`, and `h_c(x)` is Hartigan's cost `n/(n - 1) |x - c|^2` of keeping x in its class c, or
/// `n/(n + 1) |x - c|^2` of moving it there. 0 where the classes lie on the wrong sides, or coincide.
///
/// Time: O(N d). Memory: O(N).
pub(super) fn eta(frame: &Frame, moments: &ClassMoments, i: usize, j: usize) -> f64 {
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

/// B/(B + W) of two groups of numbers, or 0 unless the first group lies below the second.
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

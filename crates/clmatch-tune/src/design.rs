//! Points that cover the unit cube evenly: a Latin hypercube, the best spread of several.
//!
//! Of n points, each of the n slices of every dimension holds exactly one, so that also a dimension that alone matters
//! is looked at n times.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::space::Space;

/// Hypercubes among which the one with the largest smallest distance is taken.
const DRAWS: usize = 20;

/// Draws n points, snapped to settings. Time: O(n^2 D).
pub(crate) fn latin_hypercube(space: &Space, n: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut best = (f64::NEG_INFINITY, Vec::new());
    for _ in 0..DRAWS {
        let points = draw(space, n, random);
        let spread = smallest_gap(space, &points);
        if spread > best.0 {
            best = (spread, points);
        }
    }
    best.1
}

fn draw(space: &Space, n: usize, random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut points = vec![Vec::new(); n];
    let mut slices: Vec<usize> = (0..n).collect();
    for _ in space.dimensions() {
        slices.shuffle(random);
        for (point, &slice) in points.iter_mut().zip(&slices) {
            point.push((slice as f64 + random.random::<f64>()) / n as f64);
        }
    }
    points.iter_mut().for_each(|point| space.snap(point));
    points
}

fn smallest_gap(space: &Space, points: &[Vec<f64>]) -> f64 {
    let axes = space.axes();
    let gap = |a: &[f64], b: &[f64]| -> f64 {
        axes.iter().zip(a.iter().zip(b)).map(|(axis, (&x, &y))| axis.squared_gap(x, y)).sum()
    };
    let pairs = points.iter().enumerate().flat_map(|(i, a)| points[..i].iter().map(move |b| gap(a, b)));
    pairs.fold(f64::INFINITY, f64::min)
}

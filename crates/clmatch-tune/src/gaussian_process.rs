//! A small, exact Gaussian process: what is known about a function after some observations.
//!
//! ```text
//! mean(x)     = k(x, X) K^-1 y
//! variance(x) = k(x, x) - k(x, X) K^-1 k(X, x)
//! ```
//!
//! where X are the observed points, y their standardised values and K, k as in [`Evidence`]. The variance is that of
//! the function, without the noise of another observation.

use crate::ascent::{Peak, climb};
use crate::dimension::Axis;
use crate::evidence::{JITTER, kernel};
use clmatch_numerics::{Cholesky, dot};

pub use crate::ascent::Slope;
pub use crate::evidence::{Evidence, Hyperparameters};

/// Steps of the climb from one start.
const STEPS: usize = 30;
/// Steps of the climb from other hyperparameters than the previous ones.
const OTHER_STEPS: usize = 15;
/// The other start: short length scales and noise that explains a good part of the variance.
const SHORT: f64 = 0.4;
/// See [`SHORT`].
const NOISY: f64 = 0.1;
/// Targets that differ by less than this, relative to the largest, are constant: the rest is rounding.
const CONSTANT: f64 = 1e-13;
/// The smallest variance of a prediction, relative to the signal: below it subtraction leaves rounding errors only.
const SMALLEST_VARIANCE: f64 = 1e-12;
/// Larger and larger additions to the diagonal of a matrix that cannot be factored, relative to the diagonal. The
/// last one, times n, makes any kernel matrix diagonally dominant.
const RESCUES: [f64; 6] = [0.0, 1e-10, 1e-8, 1e-6, 1e-3, 1.0];

/// What is known about the function at a point, in units of the observed values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The posterior mean.
    pub mean: f64,
    /// The posterior standard deviation of the function; positive.
    pub deviation: f64,
}

/// A shift and a scale that give values mean 0 and variance 1.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Standard {
    mean: f64,
    deviation: f64,
}

impl Standard {
    /// Constant values keep the scale 1. Values are divided by the largest first, so that no square overflows.
    fn of(values: &[f64]) -> Standard {
        let largest = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if largest == 0.0 {
            return Standard { mean: 0.0, deviation: 1.0 };
        }
        let n = values.len() as f64;
        let mean = values.iter().map(|x| x / largest).sum::<f64>() / n;
        let deviation = (values.iter().map(|x| (x / largest - mean).powi(2)).sum::<f64>() / n).sqrt();
        let constant = deviation <= CONSTANT;
        Standard { mean: mean * largest, deviation: if constant { largest } else { deviation * largest } }
    }

    fn apply(self, x: f64) -> f64 {
        // The halves keep the difference of two huge values finite.
        2.0 * ((0.5 * x - 0.5 * self.mean) / self.deviation)
    }
}

/// A Gaussian process that has seen its observations.
#[derive(Debug, Clone)]
pub struct GaussianProcess {
    axes: Vec<Axis>,
    points: Vec<Vec<f64>>,
    hyper: Hyperparameters,
    standard: Standard,
    factor: Cholesky,
    alpha: Vec<f64>,
}

impl GaussianProcess {
    /// Fits the hyperparameters to finite values at points of the unit cube, starting from previous ones if given.
    /// `None` without observations.
    ///
    /// Time: O(n^3) for each of some dozens of steps. Memory: O(n^2 D).
    pub fn fit(
        axes: &[Axis],
        points: &[Vec<f64>],
        values: &[f64],
        previous: Option<&Hyperparameters>,
    ) -> Option<GaussianProcess> {
        if points.is_empty() || points.len() != values.len() {
            return None;
        }
        let standard = Standard::of(values);
        let targets: Vec<f64> = values.iter().map(|&x| standard.apply(x)).collect();
        let evidence = Evidence::new(axes, points, &targets);
        let hyper = fitted(&evidence, axes.len(), previous);
        GaussianProcess::new(axes, points, values, hyper)
    }

    /// A process with known hyperparameters. `None` without observations.
    ///
    /// Time: O(n^3). Memory: O(n^2).
    pub fn new(
        axes: &[Axis],
        points: &[Vec<f64>],
        values: &[f64],
        hyper: Hyperparameters,
    ) -> Option<GaussianProcess> {
        let n = points.len();
        if n == 0 || n != values.len() {
            return None;
        }
        let standard = Standard::of(values);
        let targets: Vec<f64> = values.iter().map(|&x| standard.apply(x)).collect();
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..i {
                matrix[i * n + j] = kernel(axes, &hyper, &points[i], &points[j]);
            }
            matrix[i * n + i] = hyper.signal + hyper.noise + JITTER;
        }
        let factor = factor_at_any_rate(&matrix, n)?;
        let alpha = factor.solve(&targets);
        Some(GaussianProcess { axes: axes.to_vec(), points: points.to_vec(), hyper, standard, factor, alpha })
    }

    /// The hyperparameters, to start the next fit from.
    pub fn hyperparameters(&self) -> &Hyperparameters {
        &self.hyper
    }

    /// The posterior mean at a point. Time: O(n D).
    pub fn mean(&self, point: &[f64]) -> f64 {
        self.standard.mean + self.standard.deviation * dot(&self.covariances(point), &self.alpha)
    }

    /// The posterior at a point. Time: O(n^2 + n D).
    pub fn predict(&self, point: &[f64]) -> Prediction {
        let mut covariances = self.covariances(point);
        let mean = dot(&covariances, &self.alpha);
        self.factor.forward(&mut covariances);
        let left = self.hyper.signal - dot(&covariances, &covariances);
        let variance = left.max(SMALLEST_VARIANCE * self.hyper.signal);
        Prediction {
            mean: self.standard.mean + self.standard.deviation * mean,
            deviation: self.standard.deviation * variance.sqrt(),
        }
    }

    /// k(x, X).
    fn covariances(&self, point: &[f64]) -> Vec<f64> {
        self.points.iter().map(|seen| kernel(&self.axes, &self.hyper, point, seen)).collect()
    }
}

/// The hyperparameters with the greatest posterior density that some climbs find.
fn fitted(evidence: &Evidence, dimensions: usize, previous: Option<&Hyperparameters>) -> Hyperparameters {
    let typical = Hyperparameters::typical(dimensions);
    let lengths = typical.lengths.iter().map(|length| length * SHORT).collect();
    let noisy = Hyperparameters { lengths, signal: 1.0, noise: NOISY };
    let usable = previous.filter(|previous| previous.lengths.len() == dimensions);
    let starts = match usable {
        Some(previous) => [(previous, STEPS), (&typical, OTHER_STEPS)],
        None => [(&typical, STEPS), (&noisy, STEPS)],
    };
    let mut best: Option<Peak> = None;
    for (start, steps) in starts {
        let peak = climb(start.to_logs(), steps, |theta| evidence.at(theta));
        // The first of equals, so that a warm start is kept unless another one is better.
        if let Some(peak) = peak
            && best.as_ref().is_none_or(|best| peak.value > best.value)
        {
            best = Some(peak);
        }
    }
    best.map_or(typical, |peak| Hyperparameters::from_logs(&peak.at))
}

/// Factors a kernel matrix, if need be with a heavier diagonal.
fn factor_at_any_rate(matrix: &[f64], n: usize) -> Option<Cholesky> {
    RESCUES.iter().find_map(|rescue| {
        let mut heavier = matrix.to_vec();
        heavier.iter_mut().step_by(n + 1).for_each(|x| *x += rescue * n as f64 * *x);
        Cholesky::factor(heavier, n)
    })
}

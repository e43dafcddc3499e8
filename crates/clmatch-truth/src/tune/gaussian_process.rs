//! A small, exact Gaussian process: what is known about a function after some observations.
//!
//! ```text
//! mean(x)     = k(x, X) K^-1 y
//! variance(x) = k(x, x) - k(x, X) K^-1 k(X, x)
//! ```
//!
//! where X are the observed points, y their standardised values, and K and k as in [`Evidence`]. The variance is that of
//! the function, without the noise of another observation.

use crate::tune::ascent::{Peak, climb};
use crate::tune::dimension::Axis;
use crate::tune::evidence::{JITTER, kernel};
use clmatch_kernels::{Cholesky, dot};

pub use crate::tune::ascent::Slope;
pub use crate::tune::evidence::{Evidence, Hyperparameters};

/// The steps of the climb from one start.
const STEPS: usize = 30;
/// The steps of the climb from a start other than the previous hyperparameters.
const OTHER_STEPS: usize = 15;
/// The other start has short length scales, and noise that explains a good part of the variance.
const SHORT: f64 = 0.4;
/// See [`SHORT`].
const NOISY: f64 = 0.1;
/// Targets that differ by less than this, relative to the largest, are constant: such differences are rounding.
const CONSTANT: f64 = 1e-13;
/// The smallest variance of a prediction, relative to the signal: below it, subtraction leaves only rounding errors.
const SMALLEST_VARIANCE: f64 = 1e-12;
/// Increasing additions to the diagonal of a matrix that cannot be factored, relative to the diagonal. The last one,
/// times n, makes any kernel matrix diagonally dominant.
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
    /// For constant values, the scale is 1. Values are divided by the largest first, so that no square overflows.
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
        // Halving keeps the difference of two huge values finite.
        2.0 * ((0.5 * x - 0.5 * self.mean) / self.deviation)
    }
}

/// A Gaussian process conditioned on observations.
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
    /// Fits the hyperparameters to finite values at points of the unit cube, starting from the previous ones if given.
    /// `None` if there are no observations.
    ///
    /// Time: O(n^3) for each of a few dozen steps. Memory: O(n^2 D).
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

    /// A process with the given hyperparameters. `None` if there are no observations.
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

    /// The hyperparameters, from which the next fit can start.
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

/// The hyperparameters with the greatest posterior density that a few climbs find.
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
        // Takes the first among equals, so that a warm start is kept unless another one is better.
        if let Some(peak) = peak
            && best.as_ref().is_none_or(|best| peak.value > best.value)
        {
            best = Some(peak);
        }
    }
    best.map_or(typical, |peak| Hyperparameters::from_logs(&peak.at))
}

/// Factors a kernel matrix, increasing its diagonal if necessary.
fn factor_at_any_rate(matrix: &[f64], n: usize) -> Option<Cholesky> {
    RESCUES.iter().find_map(|rescue| {
        let mut heavier = matrix.to_vec();
        heavier.iter_mut().step_by(n + 1).for_each(|x| *x += rescue * n as f64 * *x);
        Cholesky::factor(heavier, n)
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    #[test]
    fn a_matrix_that_cannot_be_factored_gets_the_lightest_diagonal_that_helps() {
        // The tuples are (n, diagonal, other entries, the diagonal that is needed): n times 1e-10 of it makes a singular
        // matrix positive definite, and n times 1e-3 makes up for an eigenvalue of -5e-4, but n times 1e-6 does not.
        for (n, diagonal, other, heavier) in
            [(1, 4.0, 0.0, 4.0), (2, 4.0, 4.0, 4.0 + 8e-10), (3, 1.0, 1.0005, 1.003)]
        {
            let entry = |at: usize, diagonal: f64| if at.is_multiple_of(n + 1) { diagonal } else { other };
            let matrix: Vec<f64> = (0..n * n).map(|at| entry(at, diagonal)).collect();
            let lower = factor_at_any_rate(&matrix, n).unwrap().into_lower();
            for at in 0..n * n {
                let product = dot(&lower[at / n * n..][..n], &lower[at % n * n..][..n]);
                assert!((product - entry(at, heavier)).abs() < 1e-13, "{n} {at} {product}");
            }
        }
    }

    #[test]
    fn no_deviation_is_below_a_millionth_of_that_of_the_signal() {
        // At a point that was seen without noise, only the smallest variance is left.
        let hyper = Hyperparameters { lengths: vec![1.0], signal: 1e8, noise: 0.0 };
        let process = GaussianProcess::new(&[Axis::Ordered], &[vec![0.5]], &[3.0], hyper).unwrap();
        // A constant is its own unit of scale.
        assert!((process.predict(&[0.5]).deviation - 3.0 * 1e4 * 1e-6).abs() < 1e-12);
    }

    /// Waves on the unit interval, observed at unequal distances.
    struct Waves {
        points: Vec<Vec<f64>>,
        values: Vec<f64>,
        evidence: Evidence,
    }

    impl Waves {
        fn new(count: f64, seen: u32) -> Waves {
            let place = |i: u32| (f64::from(i) + 0.3 * (7.1 * f64::from(i)).sin().abs()) / f64::from(seen);
            let points: Vec<Vec<f64>> = (0..seen).map(|i| vec![place(i)]).collect();
            let values: Vec<f64> = points.iter().map(|point| (TAU * count * point[0]).sin()).collect();
            let standard = Standard::of(&values);
            let targets: Vec<f64> = values.iter().map(|&x| standard.apply(x)).collect();
            let evidence = Evidence::new(&[Axis::Ordered], &points, &targets);
            Waves { points, values, evidence }
        }

        fn fit(&self, previous: Option<&Hyperparameters>) -> Hyperparameters {
            let process = GaussianProcess::fit(&[Axis::Ordered], &self.points, &self.values, previous);
            process.unwrap().hyperparameters().clone()
        }

        fn height(&self, hyper: &Hyperparameters) -> f64 {
            self.evidence.at(&hyper.to_logs()).unwrap().value
        }

        /// The best hyperparameters of a grid whose length scales range from a hundredth to 1.
        fn best_of_grid(&self) -> Hyperparameters {
            let grid = (0..=12).flat_map(|i| [0.2, 0.5, 1.0, 2.0].map(move |signal| (i, signal)));
            let hypers = grid.flat_map(|(i, signal)| {
                let lengths = vec![10_f64.powf(f64::from(i) / 6.0 - 2.0)];
                [1e-4, 1e-2, 0.1, 1.0].map(|noise| Hyperparameters {
                    lengths: lengths.clone(),
                    signal,
                    noise,
                })
            });
            hypers.max_by(|a, b| self.height(a).total_cmp(&self.height(b))).unwrap()
        }
    }

    #[test]
    fn short_waves_are_found_from_the_second_start() {
        let waves = Waves::new(3.0, 15);
        let best = waves.best_of_grid();
        let typical = climb(Hyperparameters::typical(1).to_logs(), STEPS, |theta| waves.evidence.at(theta));
        assert!(typical.unwrap().value < waves.height(&best), "the first start is not enough");
        assert!(waves.height(&waves.fit(None)) >= waves.height(&best));
    }

    #[test]
    fn a_fit_starts_from_the_previous_one_if_that_has_as_many_dimensions() {
        // The waves are so short that only a start close by finds them.
        let waves = Waves::new(10.0, 30);
        let previous = waves.best_of_grid();
        assert!(waves.height(&waves.fit(None)) < waves.height(&previous));
        assert!(waves.height(&waves.fit(Some(&previous))) >= waves.height(&previous));
        let foreign = Hyperparameters::typical(2);
        assert_eq!(waves.fit(Some(&foreign)), waves.fit(None));
    }
}

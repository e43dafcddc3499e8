//! How well the hyperparameters of a Gaussian process explain observations: the log marginal likelihood plus weak priors.
//!
//! ```text
//! k(x, x') = s2 (1 + r + r^2 / 3) exp(-r)      r^2 = 5 sum over d of gap_d(x, x') / l_d^2     (Matern 5/2)
//! K        = k(X, X) + (t2 + jitter) I
//! log p(y) = -1/2 y' K^-1 y - 1/2 ln det K - n/2 ln 2 pi
//! d log p / d theta = 1/2 tr((a a' - K^-1) dK / d theta)                                       a = K^-1 y
//! dk / d ln l_d = 5/3 s2 (1 + r) exp(-r) gap_d / l_d^2
//! ```
//!
//! where l_d is the length scale of dimension d, s2 the variance of the signal, t2 that of the noise, gap_d the squared
//! distance along dimension d, and theta = (ln l_1, ..., ln l_D, ln s2, ln t2). Each theta has a normal prior.

use std::f64::consts::PI;

use crate::tune::ascent::Slope;
use crate::tune::dimension::Axis;
use clmatch_kernels::{Cholesky, dot};

/// Added to the diagonal of every kernel matrix, in units of the variance of the targets. It is far below any noise that
/// matters, but enough to factor a matrix with equal rows.
pub(crate) const JITTER: f64 = 1e-8;

/// The centre of the prior of a length scale in one dimension. In D dimensions, distances grow with the square root of D,
/// and the centre grows with them.
const LENGTH_CENTRE: f64 = 0.35;
/// The standard deviation of the logarithm of a length scale.
const LENGTH_WIDTH: f64 = 1.0;
/// The standard deviation of the logarithm of the signal variance. The centre is the variance of the targets, 1.
const SIGNAL_WIDTH: f64 = 1.5;
/// The centre of the prior of the noise variance: a percent of the targets' deviation.
const NOISE_CENTRE: f64 = 1e-4;
/// The standard deviation of the logarithm of the noise variance: from next to nothing to most of the variance.
const NOISE_WIDTH: f64 = 3.0;

/// The hyperparameters of a Gaussian process, for coordinates in the unit cube and targets of variance 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Hyperparameters {
    /// The length scale l of each dimension.
    pub lengths: Vec<f64>,
    /// The variance s2 of the function.
    pub signal: f64,
    /// The variance t2 of the noise.
    pub noise: f64,
}

impl Hyperparameters {
    /// The hyperparameters at the centres of the priors.
    pub fn typical(dimensions: usize) -> Hyperparameters {
        let length = LENGTH_CENTRE * (dimensions as f64).sqrt();
        Hyperparameters { lengths: vec![length; dimensions], signal: 1.0, noise: NOISE_CENTRE }
    }

    /// The vector theta.
    pub fn to_logs(&self) -> Vec<f64> {
        self.lengths.iter().chain([&self.signal, &self.noise]).map(|x| x.ln()).collect()
    }

    /// The hyperparameters of a theta, which has two more entries than there are dimensions.
    pub fn from_logs(logs: &[f64]) -> Hyperparameters {
        let (lengths, variances) = logs.split_at(logs.len().saturating_sub(2));
        let variance = |i: usize| variances.get(i).map_or(1.0, |x| x.exp());
        Hyperparameters {
            lengths: lengths.iter().map(|x| x.exp()).collect(),
            signal: variance(0),
            noise: variance(1),
        }
    }
}

/// (1 + r + r^2 / 3) exp(-r).
fn matern(r: f64, decay: f64) -> f64 {
    (1.0 + r + r * r / 3.0) * decay
}

/// The kernel between two points.
pub(crate) fn kernel(axes: &[Axis], hyper: &Hyperparameters, a: &[f64], b: &[f64]) -> f64 {
    let mut square = 0.0;
    for (((axis, length), &x), &y) in axes.iter().zip(&hyper.lengths).zip(a).zip(b) {
        square += axis.squared_gap(x, y) / (length * length);
    }
    let r = (5.0 * square).sqrt();
    hyper.signal * matern(r, (-r).exp())
}

/// Observations, prepared for judging hyperparameters. Memory: O(n^2 D).
#[derive(Debug, Clone)]
pub struct Evidence {
    n: usize,
    targets: Vec<f64>,
    /// For each dimension, the squared gaps of all pairs (1, 0), (2, 0), (2, 1), (3, 0), ...
    gaps: Vec<Vec<f64>>,
}

impl Evidence {
    /// Takes points in the unit cube and their values, standardised to mean 0 and variance 1.
    pub fn new(axes: &[Axis], points: &[Vec<f64>], targets: &[f64]) -> Evidence {
        let gaps_along = |(d, axis): (usize, &Axis)| -> Vec<f64> {
            let earlier = |i: usize| points[..i].iter().map(move |b| axis.squared_gap(points[i][d], b[d]));
            (0..points.len()).flat_map(earlier).collect()
        };
        let gaps = axes.iter().enumerate().map(gaps_along).collect();
        Evidence { n: points.len(), targets: targets.to_vec(), gaps }
    }

    /// The log posterior density of theta, up to a constant, and its gradient; `None` if the kernel matrix cannot be
    /// factored.
    ///
    /// Time: O(n^3 + n^2 D).
    pub fn at(&self, theta: &[f64]) -> Option<Slope> {
        let (n, hyper) = (self.n, Hyperparameters::from_logs(theta));
        let pairs = KernelValues::new(&self.gaps, &hyper, n);
        let factor = Cholesky::factor(pairs.matrix(n, &hyper), n)?;
        let alpha = factor.solve(&self.targets);
        let fit = -0.5 * dot(&self.targets, &alpha);
        let value = fit - 0.5 * factor.log_determinant() - 0.5 * n as f64 * (2.0 * PI).ln();
        let gradient = self.gradient(&hyper, &pairs, &alpha, &factor.inverse());
        let slope = with_priors(theta, self.gaps.len(), Slope { value, gradient });
        slope.value.is_finite().then_some(slope)
    }

    fn gradient(
        &self,
        hyper: &Hyperparameters,
        pairs: &KernelValues,
        alpha: &[f64],
        inverse: &[f64],
    ) -> Vec<f64> {
        let n = self.n;
        // The entries of a a' - K^-1 below the diagonal stand for two entries each, which cancels the factor 1/2.
        let below = (0..n).flat_map(|i| (0..i).map(move |j| alpha[i] * alpha[j] - inverse[i * n + j]));
        let (mut signal, mut weights) = (0.0, Vec::with_capacity(pairs.correlation.len()));
        for ((weight, correlation), steepness) in below.zip(&pairs.correlation).zip(&pairs.steepness) {
            signal += weight * correlation;
            weights.push(weight * steepness);
        }
        let trace: f64 = (0..n).map(|i| alpha[i] * alpha[i] - inverse[i * n + i]).sum();
        let along =
            |(length, gaps): (&f64, &Vec<f64>)| hyper.signal * dot(&weights, gaps) / (length * length);
        let mut gradient: Vec<f64> = hyper.lengths.iter().zip(&self.gaps).map(along).collect();
        gradient.push(hyper.signal * (signal + 0.5 * trace));
        gradient.push(hyper.noise * 0.5 * trace);
        gradient
    }
}

/// The kernel of all pairs, without the factor s2, and its derivative.
struct KernelValues {
    /// (1 + r + r^2 / 3) exp(-r).
    correlation: Vec<f64>,
    /// 5/3 (1 + r) exp(-r).
    steepness: Vec<f64>,
}

impl KernelValues {
    fn new(gaps: &[Vec<f64>], hyper: &Hyperparameters, n: usize) -> KernelValues {
        let mut squares = vec![0.0; n * n.saturating_sub(1) / 2];
        for (gaps, length) in gaps.iter().zip(&hyper.lengths) {
            let weight = 5.0 / (length * length);
            squares.iter_mut().zip(gaps).for_each(|(square, gap)| *square += weight * gap);
        }
        let of_square = |square: &f64| {
            let r = square.sqrt();
            let decay = (-r).exp();
            (matern(r, decay), 5.0 / 3.0 * (1.0 + r) * decay)
        };
        let (correlation, steepness) = squares.iter().map(of_square).unzip();
        KernelValues { correlation, steepness }
    }

    /// The lower triangle of K.
    fn matrix(&self, n: usize, hyper: &Hyperparameters) -> Vec<f64> {
        let mut matrix = vec![0.0; n * n];
        let mut next = self.correlation.iter();
        for (i, row) in matrix.chunks_exact_mut(n).enumerate() {
            row[..i]
                .iter_mut()
                .zip(&mut next)
                .for_each(|(entry, correlation)| *entry = hyper.signal * correlation);
            row[i] = hyper.signal + hyper.noise + JITTER;
        }
        matrix
    }
}

/// Adds the logarithm of the normal priors, up to a constant, and its gradient.
fn with_priors(theta: &[f64], dimensions: usize, mut slope: Slope) -> Slope {
    let centres = Hyperparameters::typical(dimensions).to_logs();
    let widths = std::iter::repeat_n(LENGTH_WIDTH, dimensions).chain([SIGNAL_WIDTH, NOISE_WIDTH]);
    for (i, ((x, centre), width)) in theta.iter().zip(centres).zip(widths).enumerate() {
        let z = (x - centre) / width;
        slope.value -= 0.5 * z * z;
        slope.gradient[i] -= z / width;
    }
    slope
}

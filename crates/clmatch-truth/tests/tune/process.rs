//! The Gaussian process against a direct dense computation, and its gradient against differences.

use std::f64::consts::PI;

use clmatch_truth::tune::Axis::{self, Ordered, Unordered};
use clmatch_truth::tune::gaussian_process::{Evidence, GaussianProcess, Hyperparameters};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The jitter on the process's diagonal.
const JITTER: f64 = 1e-8;
/// Matrices here have condition numbers below 1e5.
const EXACT: f64 = 1e-9;

struct Case {
    axes: Vec<Axis>,
    points: Vec<Vec<f64>>,
    values: Vec<f64>,
    hyper: Hyperparameters,
}

/// Points with a choice of three as their last coordinate; two of the points are equal.
fn case(n: usize, seed: u64) -> Case {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut point = || -> Vec<f64> {
        let choice = [1.0 / 6.0, 0.5, 5.0 / 6.0][random.random_range(0..3)];
        vec![random.random(), random.random(), choice]
    };
    let mut points: Vec<Vec<f64>> = (0..n).map(|_| point()).collect();
    if n > 3 {
        points[3] = points[1].clone();
    }
    let wave =
        |(i, p): (usize, &Vec<f64>)| 40.0 + 7.0 * (5.0 * p[0] - 3.0 * p[1] * p[2] + 0.1 * i as f64).sin();
    let values = points.iter().enumerate().map(wave).collect();
    let hyper = Hyperparameters { lengths: vec![0.3, 0.7, 1.4], signal: 1.7, noise: 0.02 };
    Case { axes: vec![Ordered, Ordered, Unordered], points, values, hyper }
}

/// The kernel, written as in the textbooks.
fn kernel(hyper: &Hyperparameters, axes: &[Axis], a: &[f64], b: &[f64]) -> f64 {
    let mut d2 = 0.0;
    for d in 0..axes.len() {
        let gap = match axes[d] {
            Ordered => a[d] - b[d],
            Unordered => f64::from(u8::from(a[d] != b[d])),
        };
        d2 += (gap / hyper.lengths[d]).powi(2);
    }
    let d = d2.sqrt();
    hyper.signal * (1.0 + 5_f64.sqrt() * d + 5.0 * d2 / 3.0) * (-(5_f64.sqrt()) * d).exp()
}

struct Dense {
    inverse: Vec<Vec<f64>>,
    log_determinant: f64,
}

/// Gauss-Jordan elimination without pivoting, which positive definite matrices do not need.
fn invert(matrix: &[Vec<f64>]) -> Dense {
    let n = matrix.len();
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .enumerate()
        .map(|(i, row)| row.iter().copied().chain((0..n).map(|j| f64::from(u8::from(i == j)))).collect())
        .collect();
    let mut log_determinant = 0.0;
    for i in 0..n {
        let pivot = rows[i][i];
        log_determinant += pivot.ln();
        rows[i].iter_mut().for_each(|x| *x /= pivot);
        let source = rows[i].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(k, _)| *k != i) {
            let factor = row[i];
            row.iter_mut().zip(&source).for_each(|(x, s)| *x -= factor * s);
        }
    }
    Dense { inverse: rows.into_iter().map(|row| row[n..].to_vec()).collect(), log_determinant }
}

fn covariance(case: &Case) -> Vec<Vec<f64>> {
    let n = case.points.len();
    let entry = |i: usize, j: usize| {
        let noise = if i == j { case.hyper.noise + JITTER } else { 0.0 };
        kernel(&case.hyper, &case.axes, &case.points[i], &case.points[j]) + noise
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

fn standardised(values: &[f64]) -> (f64, f64, Vec<f64>) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    (mean, deviation, values.iter().map(|x| (x - mean) / deviation).collect())
}

fn quadratic(a: &[f64], matrix: &[Vec<f64>], b: &[f64]) -> f64 {
    a.iter().zip(matrix).map(|(x, row)| x * row.iter().zip(b).map(|(m, y)| m * y).sum::<f64>()).sum()
}

#[test]
fn mean_and_deviation_agree_with_the_naive_inverse() {
    for (n, seed) in [(2, 1), (5, 2), (17, 3), (40, 4)] {
        let case = case(n, seed);
        let process =
            GaussianProcess::new(&case.axes, &case.points, &case.values, case.hyper.clone()).unwrap();
        let dense = invert(&covariance(&case));
        let (mean, deviation, targets) = standardised(&case.values);
        for x in [vec![0.2, 0.9, 0.5], vec![0.0, 0.0, 1.0 / 6.0], case.points[1].clone()] {
            let k: Vec<f64> = case.points.iter().map(|p| kernel(&case.hyper, &case.axes, &x, p)).collect();
            let expected = mean + deviation * quadratic(&k, &dense.inverse, &targets);
            let variance = case.hyper.signal - quadratic(&k, &dense.inverse, &k);
            let prediction = process.predict(&x);
            assert!((prediction.mean - expected).abs() < EXACT * expected.abs());
            assert!((process.mean(&x) - expected).abs() < EXACT * expected.abs());
            assert!((prediction.deviation - deviation * variance.sqrt()).abs() < EXACT * deviation);
        }
    }
}

/// ln of the normal priors: length scales about .35 sqrt(D) within a factor e, signal 1 within e^1.5, noise 1e-4
/// within e^3.
fn log_prior(hyper: &Hyperparameters) -> f64 {
    let centre = 0.35 * (hyper.lengths.len() as f64).sqrt();
    let lengths: f64 = hyper.lengths.iter().map(|l| (l / centre).ln().powi(2)).sum();
    -0.5 * (lengths + (hyper.signal.ln() / 1.5).powi(2) + ((hyper.noise / 1e-4).ln() / 3.0).powi(2))
}

#[test]
fn the_evidence_agrees_with_the_naive_determinant_and_inverse() {
    for (n, seed) in [(1, 5), (6, 6), (25, 7)] {
        let case = case(n, seed);
        let targets: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).cos()).collect();
        let dense = invert(&covariance(&case));
        let likelihood = -0.5 * quadratic(&targets, &dense.inverse, &targets)
            - 0.5 * dense.log_determinant
            - 0.5 * n as f64 * (2.0 * PI).ln();
        let slope = Evidence::new(&case.axes, &case.points, &targets).at(&case.hyper.to_logs()).unwrap();
        let expected = likelihood + log_prior(&case.hyper);
        assert!((slope.value - expected).abs() < EXACT * expected.abs(), "{} {expected}", slope.value);
    }
}

#[test]
fn the_gradient_agrees_with_central_differences() {
    const STEP: f64 = 1e-5;
    for (n, seed) in [(3, 8), (12, 9), (30, 10)] {
        let case = case(n, seed);
        let (_, _, targets) = standardised(&case.values);
        let evidence = Evidence::new(&case.axes, &case.points, &targets);
        let theta = case.hyper.to_logs();
        let slope = evidence.at(&theta).unwrap();
        assert_eq!(slope.gradient.len(), 5);
        for (i, derivative) in slope.gradient.iter().enumerate() {
            let shifted = |by: f64| {
                let mut theta = theta.clone();
                theta[i] += by;
                evidence.at(&theta).unwrap().value
            };
            let difference = (shifted(STEP) - shifted(-STEP)) / (2.0 * STEP);
            assert!(
                (difference - derivative).abs() < 1e-5 * (1.0 + derivative.abs()),
                "{i}: {difference} {derivative}"
            );
        }
    }
}

#[test]
fn a_fit_finds_no_worse_hyperparameters_than_a_search_over_a_grid() {
    let case = case(30, 11);
    let (_, _, targets) = standardised(&case.values);
    let evidence = Evidence::new(&case.axes, &case.points, &targets);
    let process = GaussianProcess::fit(&case.axes, &case.points, &case.values, None).unwrap();
    let found = evidence.at(&process.hyperparameters().to_logs()).unwrap().value;
    let mut best = f64::NEG_INFINITY;
    let steps = [-2.5, -1.5, -0.5, 0.5, 1.5];
    for code in 0..5_usize.pow(4) {
        let digit = |place: u32| steps[code / 5_usize.pow(place) % 5];
        for noise in [-12.0, -9.0, -6.0, -3.0, -1.0] {
            let theta = [digit(0), digit(1), digit(2), digit(3), noise];
            best = best.max(evidence.at(&theta).map_or(f64::NEG_INFINITY, |slope| slope.value));
        }
    }
    assert!(found >= best, "{found} {best}");
}

#[test]
fn it_learns_a_smooth_function_and_which_dimension_matters() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let points: Vec<Vec<f64>> = (0..40).map(|_| vec![random.random(), random.random()]).collect();
    let f = |p: &[f64]| (6.0 * p[0]).sin();
    let values: Vec<f64> = points.iter().map(|p| f(p)).collect();
    let process = GaussianProcess::fit(&[Ordered, Ordered], &points, &values, None).unwrap();
    let lengths = &process.hyperparameters().lengths;
    assert!(lengths[1] > 3.0 * lengths[0], "{lengths:?}");
    for _ in 0..50 {
        let x = vec![random.random_range(0.1..0.9), random.random_range(0.1..0.9)];
        assert!((process.mean(&x) - f(&x)).abs() < 0.02);
    }
}

#[test]
fn noise_is_told_from_signal() {
    let mut noise = crate::functions::Noise::new(13, 0.3);
    let points: Vec<Vec<f64>> = (0..80).map(|i| vec![f64::from(i) / 79.0]).collect();
    let values: Vec<f64> = points.iter().map(|p| (4.0 * p[0]).sin() + noise.draw()).collect();
    let process = GaussianProcess::fit(&[Ordered], &points, &values, None).unwrap();
    let (_, deviation, _) = standardised(&values);
    let found = process.hyperparameters().noise.sqrt() * deviation;
    assert!((0.24..0.36).contains(&found), "{found}");
}

#[test]
fn no_geometry_or_scale_of_the_values_breaks_it() {
    let spread: Vec<Vec<f64>> =
        (0..12).map(|i| vec![f64::from(i) / 11.0, f64::from(i * 7 % 12) / 11.0]).collect();
    let same = vec![vec![0.5, 0.5]; 12];
    let waves = |scale: f64| (0..12).map(|i| scale * f64::from(i).sin()).collect::<Vec<f64>>();
    let extreme = (0..12).map(|i| if i % 2 == 0 { 1e307 } else { -1e307 }).collect::<Vec<f64>>();
    for points in [&spread, &same] {
        for values in [
            waves(1.0),
            waves(1e-250),
            waves(1e250),
            waves(0.0),
            vec![3.7; 12],
            vec![1e300; 12],
            extreme.clone(),
        ] {
            let process = GaussianProcess::fit(&[Ordered, Ordered], points, &values, None).unwrap();
            let prediction = process.predict(&[0.3, 0.3]);
            assert!(prediction.mean.is_finite(), "{values:?}");
            assert!(prediction.deviation > 0.0 && prediction.deviation.is_finite(), "{values:?}");
        }
    }
    assert!(GaussianProcess::fit(&[Ordered], &[], &[], None).is_none());
}

#[test]
fn the_scale_of_the_values_changes_nothing_but_the_scale() {
    let points: Vec<Vec<f64>> = (0..12).map(|i| vec![f64::from(i) / 11.0]).collect();
    let predict = |scale: f64| {
        let values: Vec<f64> = (0..12).map(|i| scale * (0.5 * f64::from(i)).sin()).collect();
        GaussianProcess::fit(&[Ordered], &points, &values, None).unwrap().predict(&[0.37])
    };
    let plain = predict(1.0);
    for scale in [1e-250, 1e250] {
        let scaled = predict(scale);
        assert!((scaled.mean / scale - plain.mean).abs() < 1e-6);
        assert!((scaled.deviation / scale - plain.deviation).abs() < 1e-6);
    }
}

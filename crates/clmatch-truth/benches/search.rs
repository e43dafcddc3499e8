//! The cost of one step of the search: a fit of the process, and a proposal.
//!
//! Run it with `cargo bench -p clmatch-truth`.

#![allow(clippy::unwrap_used, reason = "the spaces are valid")]

use clmatch_truth::tune::gaussian_process::GaussianProcess;
use clmatch_truth::tune::{Axis, Dimension, Optimizer, Setting, Space};
use divan::Bencher;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn main() {
    divan::main();
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    observations: usize,
    dimensions: usize,
}

const SHAPES: [Shape; 6] = [
    Shape { observations: 30, dimensions: 2 },
    Shape { observations: 60, dimensions: 2 },
    Shape { observations: 60, dimensions: 3 },
    Shape { observations: 60, dimensions: 6 },
    Shape { observations: 120, dimensions: 6 },
    Shape { observations: 250, dimensions: 10 },
];

/// Smooth, with a different steepness along each dimension.
fn objective(point: &[f64]) -> f64 {
    point.iter().enumerate().map(|(d, x)| ((d + 2) as f64 * x).sin() / (d + 1) as f64).sum()
}

struct Data {
    axes: Vec<Axis>,
    points: Vec<Vec<f64>>,
    values: Vec<f64>,
}

fn data(shape: Shape) -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut point = || -> Vec<f64> { (0..shape.dimensions).map(|_| random.random()).collect() };
    let points: Vec<Vec<f64>> = (0..shape.observations).map(|_| point()).collect();
    let values = points.iter().map(|point| objective(point)).collect();
    Data { axes: vec![Axis::Ordered; shape.dimensions], points, values }
}

/// Fits without previous hyperparameters.
#[divan::bench(args = SHAPES)]
fn fit_cold(bencher: Bencher<'_, '_>, shape: Shape) {
    let data = data(shape);
    bencher.bench(|| GaussianProcess::fit(&data.axes, &data.points, &data.values, None));
}

/// Fits from the hyperparameters of one observation less, as in a search.
#[divan::bench(args = SHAPES)]
fn fit_warm(bencher: Bencher<'_, '_>, shape: Shape) {
    let data = data(shape);
    let before = shape.observations - 1;
    let previous =
        GaussianProcess::fit(&data.axes, &data.points[..before], &data.values[..before], None).unwrap();
    let previous = previous.hyperparameters();
    bencher.bench(|| GaussianProcess::fit(&data.axes, &data.points, &data.values, Some(previous)));
}

/// Makes a warm fit and chooses the next setting.
#[divan::bench(args = SHAPES)]
fn ask(bencher: Bencher<'_, '_>, shape: Shape) {
    let space =
        Space::new((0..shape.dimensions).map(|d| (format!("x{d}"), Dimension::real(0.0, 1.0)))).unwrap();
    let mut optimizer = Optimizer::new(&space, 1, 5);
    let value = |setting: &Setting| objective(&space.to_unit(setting).unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for i in 0..shape.observations {
        // Most settings are drawn at random, which is quicker than asking for each of them.
        let setting = if i < 5 { optimizer.ask().unwrap() } else { space.draw(&mut random) };
        let value = value(&setting);
        optimizer.tell(&setting, value).unwrap();
    }
    optimizer.ask();
    bencher.with_inputs(|| optimizer.clone()).bench_values(|mut optimizer| optimizer.ask());
}

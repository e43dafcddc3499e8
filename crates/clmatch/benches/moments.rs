//! The moments kernel alone, compared with one summing read of the same matrix.

#![allow(clippy::unwrap_used, reason = "the data are valid")]

use clmatch::internals::{MomentRequest, mean_distance_to_median, moments};
use clmatch::{Classes, Labels, Points};
use divan::{Bencher, black_box};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const SQUARES: MomentRequest = MomentRequest { whole: false, pairs: true, roots: false, eta: false };
const ALL: MomentRequest = MomentRequest { whole: true, pairs: true, roots: true, eta: true };
const LARGE: Shape = Shape { points: 1_000_000, features: 64, classes: 10 };
const FEW: Shape = Shape { points: 200_000, features: 32, classes: 2 };
const MANY: Shape = Shape { points: 200_000, features: 32, classes: 100 };

fn main() {
    divan::main();
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    points: usize,
    features: usize,
    classes: usize,
}

/// Labels in random order, and classes that overlap.
fn data(shape: Shape) -> (Vec<f64>, Labels) {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let codes: Vec<usize> = (0..shape.points).map(|_| random.random_range(0..shape.classes)).collect();
    let values = codes
        .iter()
        .flat_map(|&code| (0..shape.features).map(move |f| (code * f % 7) as f64 * 0.1))
        .map(|centre| centre + random.random_range(-1.0..1.0))
        .collect();
    (values, Labels::encode(codes))
}

fn run(bencher: Bencher<'_, '_>, shape: Shape, wanted: MomentRequest) {
    let (values, labels) = data(shape);
    let classes = Classes::new(Points::new(&values, shape.features).unwrap(), &labels).unwrap();
    bencher.bench_local(|| moments(black_box(&classes), None, wanted));
}

#[divan::bench(args = [LARGE, FEW, MANY], sample_count = 10)]
fn read(bencher: Bencher<'_, '_>, shape: &Shape) {
    let (values, _) = data(*shape);
    bencher.bench_local(|| {
        let sum = |part: &[f64]| {
            let mut sums = [0.0; 32];
            for chunk in part.chunks_exact(32) {
                for (sum, value) in sums.iter_mut().zip(chunk) {
                    *sum += value;
                }
            }
            sums.iter().sum::<f64>()
        };
        black_box(&values).par_chunks(values.len().div_ceil(32)).map(sum).sum::<f64>()
    });
}

#[divan::bench(args = [LARGE, FEW, MANY], sample_count = 10)]
fn squares(bencher: Bencher<'_, '_>, shape: &Shape) {
    run(bencher, *shape, SQUARES);
}

#[divan::bench(args = [LARGE, FEW, MANY], sample_count = 10)]
fn all(bencher: Bencher<'_, '_>, shape: &Shape) {
    run(bencher, *shape, ALL);
}

#[divan::bench(args = [(1540, 16), (6100, 21), (20, 4096)])]
fn geometric_median(bencher: Bencher<'_, '_>, (points, features): (usize, usize)) {
    let (values, _) = data(Shape { points, features, classes: 2 });
    let start: Vec<f64> =
        (0..features).map(|f| values[f..].iter().step_by(features).sum::<f64>() / points as f64).collect();
    bencher.bench_local(|| mean_distance_to_median(black_box(&values).chunks_exact(features), &start));
}

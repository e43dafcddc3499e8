#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
use clmatch_stop::Control;
use clmatch_tree::{Points, merge, spanning_tree};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use rayon::prelude::*;
use std::time::Instant;

fn main() {
    let a: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let (n, d, k) = (a[0], a[1], a[2]);
    let (mut random, normal) = (ChaCha8Rng::seed_from_u64(1), Normal::new(0.0, 1.0).unwrap());
    let centres: Vec<f64> = (0..k * d).map(|_| 1.0 * normal.sample(&mut random)).collect();
    let values: Vec<f64> =
        (0..n * d).map(|at| normal.sample(&mut random) + centres[(at / d * k / n) * d + at % d]).collect();
    let points = Points::new(&values, d);
    for _ in 0..3 {
        let start = Instant::now();
        let trees: Vec<_> = (0..k)
            .into_par_iter()
            .map(|c| {
                spanning_tree(
                    points,
                    (0..n as u32).filter(|&i| i as usize * k / n == c).collect(),
                    Control::none(),
                )
                .unwrap()
            })
            .collect();
        let t1 = start.elapsed().as_secs_f64();
        let pairs: Vec<(usize, usize)> = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j))).collect();
        let sum: f64 = pairs
            .par_iter()
            .map(|&(i, j)| merge(points, &trees[i], &trees[j], Control::none()).unwrap().gaps()[0])
            .sum();
        println!("classes {t1:.3} all {:.3} s ({sum:.3})", start.elapsed().as_secs_f64());
    }
}

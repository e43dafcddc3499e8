//! The all-pairs kernel, compared with the limits of the machine.
//!
//! `cargo bench -p clmatch --bench pairs`. Kernels count the multiply-adds of half of all pairs (d each) as items, so that their
//! rates compare with `limits::multiply_add` on one thread; for the square-root bound, divide by d and compare with
//! `limits::square_root`. The larger of the two times is the limit.

// The limits are measured in registers: anything slower would not be a limit.
#![allow(unsafe_code)]

use clmatch::Control;
use clmatch::internals::{DistanceTables, PairwiseRequest, Rows, all_pairs};
use divan::Bencher;
use divan::counter::ItemsCount;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

const SUMS: PairwiseRequest = PairwiseRequest { sums: true, nearest: false, extremes: false };
const EXTREMES: PairwiseRequest = PairwiseRequest { sums: false, nearest: false, extremes: true };
const ALL: PairwiseRequest = PairwiseRequest { sums: true, nearest: true, extremes: true };

fn main() {
    divan::main();
}

/// Normal points in class order.
struct Workload {
    double: Vec<f64>,
    single: Vec<f32>,
    features: usize,
    starts: Vec<usize>,
}

impl Workload {
    fn new(points: usize, features: usize, classes: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let double: Vec<f64> = (0..points * features)
            .map(|index| {
                let class = index / features * classes / points;
                let noise: f64 = StandardNormal.sample(&mut rng);
                // Within (-1, 1), as the kernel expects.
                ((class * (index % features + 1)) as f64).sin() / 4.0 + (noise / 10.0).clamp(-0.75, 0.75)
            })
            .collect();
        let single = double.iter().map(|&x| x as f32).collect();
        let starts = (0..=classes).map(|class| class * points / classes).collect();
        Workload { double, single, features, starts }
    }

    fn run(&self, bencher: Bencher<'_, '_>, threads: usize, request: PairwiseRequest, single: bool) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        let points = self.double.len() / self.features;
        let rows = if single { Rows::F32(&self.single) } else { Rows::F64(&self.double) };
        bencher.counter(ItemsCount::new(points * (points - 1) / 2 * self.features)).bench(
            || -> DistanceTables {
                pool.install(|| {
                    all_pairs(rows, self.features, &self.starts, request, Control::none())
                        .expect("nobody stops it")
                })
            },
        );
    }
}

/// 20,000 points of 64 features in 10 classes.
#[divan::bench_group(sample_count = 7, sample_size = 1)]
mod wide {
    use super::*;

    #[divan::bench(args = [1, 2])]
    fn sums_f64(bencher: Bencher<'_, '_>, threads: usize) {
        Workload::new(20_000, 64, 10).run(bencher, threads, SUMS, false);
    }

    #[divan::bench(args = [1, 2])]
    fn sums_f32(bencher: Bencher<'_, '_>, threads: usize) {
        Workload::new(20_000, 64, 10).run(bencher, threads, SUMS, true);
    }

    #[divan::bench(args = [1, 2])]
    fn all_f64(bencher: Bencher<'_, '_>, threads: usize) {
        Workload::new(20_000, 64, 10).run(bencher, threads, ALL, false);
    }

    #[divan::bench(args = [1, 2])]
    fn all_f32(bencher: Bencher<'_, '_>, threads: usize) {
        Workload::new(20_000, 64, 10).run(bencher, threads, ALL, true);
    }
}

/// 10,000 points of 16 features in 10 classes.
#[divan::bench_group(sample_count = 15, sample_size = 1)]
mod narrow {
    use super::*;

    #[divan::bench(args = [1, 2])]
    fn sums_f64(bencher: Bencher<'_, '_>, threads: usize) {
        Workload::new(10_000, 16, 10).run(bencher, threads, SUMS, false);
    }

    #[divan::bench(args = [1, 2])]
    fn extremes_f64(bencher: Bencher<'_, '_>, threads: usize) {
        Workload::new(10_000, 16, 10).run(bencher, threads, EXTREMES, false);
    }

    #[divan::bench(args = [1, 2])]
    fn all_f64(bencher: Bencher<'_, '_>, threads: usize) {
        Workload::new(10_000, 16, 10).run(bencher, threads, ALL, false);
    }
}

/// Other shapes: many features, many classes.
#[divan::bench_group(sample_count = 5, sample_size = 1)]
mod shapes {
    use super::*;

    #[divan::bench]
    fn all_2000_points_5000_features(bencher: Bencher<'_, '_>) {
        Workload::new(2_000, 5_000, 10).run(bencher, 2, ALL, false);
    }

    #[divan::bench]
    fn all_6000_points_600_classes(bencher: Bencher<'_, '_>) {
        Workload::new(6_000, 16, 600).run(bencher, 2, ALL, false);
    }
}

/// What one thread of this machine can do in f64.
#[divan::bench_group(sample_count = 20, sample_size = 1)]
mod limits {
    use std::hint::black_box;

    use clmatch_kernels::simd::{Isa, Level, Register, Work};

    use super::*;

    const ROUNDS: usize = 1_000_000;
    /// Independent chains of operations, which do not wait for each other.
    const CHAINS: usize = 16;

    #[divan::bench]
    fn multiply_add(bencher: Bencher<'_, '_>) {
        let items = ROUNDS * CHAINS * Level::best().run(Lanes);
        bencher.counter(ItemsCount::new(items)).bench(|| Level::best().run(MultiplyAdds));
    }

    #[divan::bench]
    fn square_root(bencher: Bencher<'_, '_>) {
        let items = ROUNDS / 10 * CHAINS * Level::best().run(Lanes);
        bencher.counter(ItemsCount::new(items)).bench(|| Level::best().run(SquareRoots));
    }

    /// Returns how many numbers a register holds.
    struct Lanes;

    impl Work<f64> for Lanes {
        type Output = usize;

        #[inline(always)]
        unsafe fn work<I: Isa<T = f64>>(self) -> usize {
            I::R::N
        }
    }

    struct MultiplyAdds;

    impl Work<f64> for MultiplyAdds {
        type Output = ();

        #[inline(always)]
        unsafe fn work<I: Isa<T = f64>>(self) {
            // SAFETY: the caller vouches for the instruction set.
            unsafe {
                let mut chains = black_box([I::R::splat(1.0); CHAINS]);
                for _ in 0..ROUNDS {
                    for x in &mut chains {
                        *x = x.mul_add(I::R::splat(0.999), I::R::splat(1e-3));
                    }
                }
                black_box(chains);
            }
        }
    }

    struct SquareRoots;

    impl Work<f64> for SquareRoots {
        type Output = ();

        #[inline(always)]
        unsafe fn work<I: Isa<T = f64>>(self) {
            // SAFETY: the caller vouches for the instruction set.
            unsafe {
                let mut chains = black_box([I::R::splat(2.0); CHAINS]);
                for _ in 0..ROUNDS / 10 {
                    for x in &mut chains {
                        *x = x.sqrt();
                    }
                }
                black_box(chains);
            }
        }
    }
}

//! What the machine can do at best: reading memory, f64 multiply-adds, f64 square roots.
//!
//! Independent chains of vector instructions, enough of them to hide the latency of each, in the widest vectors that the
//! processor has. The results are returned and summed so that nothing is optimised away.
// Vector instructions that the processor was asked for first.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use rayon::ThreadPool;
use rayon::prelude::*;

/// Numbers that a thread takes at a time when it reads: 1 MB.
const BLOCK: usize = 1 << 17;
/// Steps of each chain; a fraction of a second.
const FMA_STEPS: usize = 20_000_000;
const SQRT_STEPS: usize = 2_000_000;

/// Seconds to sum the numbers with the threads of the pool that this is called in.
pub(crate) fn read(values: &[f64]) -> f64 {
    let start = Instant::now();
    let sum: f64 = values.par_chunks(BLOCK).map(sum).sum();
    black_box(sum);
    start.elapsed().as_secs_f64()
}

/// Seconds per multiply-add, all threads together.
pub(crate) fn multiply_add(pool: &ThreadPool) -> f64 {
    cost(pool, || chains(Step::MultiplyAdd, FMA_STEPS))
}

/// Seconds per square root, all threads together.
pub(crate) fn square_root(pool: &ThreadPool) -> f64 {
    cost(pool, || chains(Step::SquareRoot, SQRT_STEPS))
}

/// Seconds per operation when every thread runs `work`, which says how many it did.
fn cost(pool: &ThreadPool, work: impl Fn() -> usize + Sync) -> f64 {
    let start = Instant::now();
    let done: usize = pool.broadcast(|_| work()).into_iter().sum();
    start.elapsed().as_secs_f64() / done as f64
}

#[derive(Clone, Copy, PartialEq)]
enum Step {
    MultiplyAdd,
    SquareRoot,
}

/// Runs the chains in the widest vectors there are; returns how many operations on single numbers that was.
fn chains(step: Step, steps: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F.
            return unsafe { x86::chains_512(step, steps) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { x86::chains_256(step, steps) };
        }
    }
    portable(step, steps)
}

fn sum(values: &[f64]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has AVX-512F.
            return unsafe { x86::sum_512(values) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { x86::sum_256(values) };
        }
    }
    sum_lanes(values)
}

/// A sum in 64 lanes, which compilers turn into vectors.
#[inline(always)]
fn sum_lanes(values: &[f64]) -> f64 {
    let mut lanes = [0.0; 64];
    let (chunks, rest) = values.as_chunks::<64>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// Plain arithmetic in as many lanes as most compilers keep in registers.
fn portable(step: Step, steps: usize) -> usize {
    const LANES: usize = 24;
    let (factor, term) = (black_box(0.999), black_box(0.001));
    let mut lanes = [1.5_f64; LANES];
    for _ in 0..steps {
        for lane in &mut lanes {
            *lane = match step {
                // Without a fused instruction `mul_add` would be a call.
                Step::MultiplyAdd if cfg!(target_arch = "x86_64") => *lane * factor + term,
                Step::MultiplyAdd => lane.mul_add(factor, term),
                Step::SquareRoot => (*lane + term).sqrt(),
            };
        }
    }
    black_box(lanes);
    steps * LANES
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm256_add_pd, _mm256_fmadd_pd, _mm256_set1_pd, _mm256_sqrt_pd, _mm512_add_pd, _mm512_fmadd_pd,
        _mm512_set1_pd, _mm512_sqrt_pd,
    };
    use std::hint::black_box;

    use super::{Step, sum_lanes};

    #[target_feature(enable = "avx512f")]
    pub(super) fn sum_512(values: &[f64]) -> f64 {
        sum_lanes(values)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn sum_256(values: &[f64]) -> f64 {
        sum_lanes(values)
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn chains_512(step: Step, steps: usize) -> usize {
        const CHAINS: usize = 24;
        let (factor, term) = (_mm512_set1_pd(black_box(0.999)), _mm512_set1_pd(black_box(0.001)));
        let mut chains = [_mm512_set1_pd(1.5); CHAINS];
        if step == Step::MultiplyAdd {
            for _ in 0..steps {
                for x in &mut chains {
                    *x = _mm512_fmadd_pd(*x, factor, term);
                }
            }
        } else {
            for _ in 0..steps {
                for x in &mut chains {
                    *x = _mm512_sqrt_pd(_mm512_add_pd(*x, term));
                }
            }
        }
        black_box(chains);
        steps * CHAINS * 8
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn chains_256(step: Step, steps: usize) -> usize {
        const CHAINS: usize = 12;
        let (factor, term) = (_mm256_set1_pd(black_box(0.999)), _mm256_set1_pd(black_box(0.001)));
        let mut chains = [_mm256_set1_pd(1.5); CHAINS];
        if step == Step::MultiplyAdd {
            for _ in 0..steps {
                for x in &mut chains {
                    *x = _mm256_fmadd_pd(*x, factor, term);
                }
            }
        } else {
            for _ in 0..steps {
                for x in &mut chains {
                    *x = _mm256_sqrt_pd(_mm256_add_pd(*x, term));
                }
            }
        }
        black_box(chains);
        steps * CHAINS * 4
    }
}

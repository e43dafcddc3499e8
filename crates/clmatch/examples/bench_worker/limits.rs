//! What the machine can do at best: reading memory, f64 multiply-adds, f64 square roots.
//!
//! Independent chains of vector instructions, enough of them to hide the latency of each, in the widest vectors that the
//! processor has. The results are returned and summed so that nothing is optimised away.
// Work for a chosen instruction set is `unsafe`.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::time::Instant;

use clmatch_kernels::simd::{Isa, Level, Register, Work};
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
    Level::best().run(Chains { step, steps })
}

fn sum(values: &[f64]) -> f64 {
    Level::best().run(Sum(values))
}

struct Sum<'a>(&'a [f64]);

impl Work<f64> for Sum<'_> {
    type Output = f64;

    /// In 64 lanes, which compilers turn into vectors.
    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> f64 {
        let mut lanes = [0.0; 64];
        let (chunks, rest) = self.0.as_chunks::<64>();
        for chunk in chunks {
            for (lane, value) in lanes.iter_mut().zip(chunk) {
                *lane += value;
            }
        }
        lanes.iter().sum::<f64>() + rest.iter().sum::<f64>()
    }
}

struct Chains {
    step: Step,
    steps: usize,
}

impl Work<f64> for Chains {
    type Output = usize;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> usize {
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            // As many chains as the registers hold beside a factor and a term.
            if I::M == 1 { self.of::<I::R, 24>() } else { self.of::<I::R, 12>() }
        }
    }
}

impl Chains {
    /// # Safety
    /// The processor has the instruction set of `R`.
    #[inline(always)]
    unsafe fn of<R: Register<T = f64>, const COUNT: usize>(self) -> usize {
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            let (factor, term) = (R::splat(black_box(0.999)), R::splat(black_box(0.001)));
            let mut chains = [R::splat(1.5); COUNT];
            if self.step == Step::MultiplyAdd {
                for _ in 0..self.steps {
                    for x in &mut chains {
                        *x = x.mul_add(factor, term);
                    }
                }
            } else {
                for _ in 0..self.steps {
                    for x in &mut chains {
                        *x = x.add(term).sqrt();
                    }
                }
            }
            black_box(chains);
        }
        self.steps * COUNT * R::N
    }
}

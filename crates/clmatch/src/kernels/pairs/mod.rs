//! All pairs of points, each visited once: sums of distances, nearest distances and extremes, point by class.
//!
//! Notation: n points x of d features in K classes, in class order;
//!
//! ```text
//! P(x, k) = sum of |x - y| over y in class k                      sums
//! N(x, k) = the five smallest |x - y|^2 over y != x in class k    nearest
//! S(i, j) = min |x - y|^2 over x in class i, y in class j         separation
//! D(k)    = max |x - y|^2 over x, y in class k                    diameter
//!
//! |x - y|^2 = |x - c|^2 + |y - c|^2 - 2 (x - c)'(y - c)
//! ```
//!
//! where c is the mean of one of the two blocks of points at hand. The work is divided between these files:
//!
//! * `schedule`: blocks of points meet in the rounds of a tournament, each unordered pair of blocks once. No two threads write to
//!   the rows of one block, and each row is added to in the order of the rounds: there is one copy of the tables, and its bits
//!   are the same for any number of threads.
//! * `pack`: a pair of blocks is packed and multiplied in the register tiles of [`clmatch_kernels::simd`], 8 x 24 (f64) or 8 x 48
//!   (f32), with AVX-512, AVX2 or plain code. f32 is multiplied in f32.
//! * `task`: where the product form cancels too much, the pair of points is recomputed from differences. Where this would affect
//!   many pairs, the whole pair of blocks is computed from differences, and so are points with few features.
//! * `absorb`, `nearest`: while a tile is in the first cache, all requested results are taken from it. Tiles may span several
//!   classes, each of which gets its patch.
//!
//! Every distance is good to 1e-9 relative in f64, as a rule to 1e-11, and to 5e-6 in f32; equal points have distance 0. Sums are
//! kept in f64; for f32 input, the 48 distances in a row of a tile are first added in f32. Squares below the range of f64
//! (distances below 1e-154 of the largest coordinate) are 0.

#![allow(unsafe_code)]

mod absorb;
mod nearest;
mod pack;
mod real;
mod schedule;
mod scratch;
mod task;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use clmatch_kernels::simd::Level;
pub use nearest::NEAREST;

use clmatch_kernels::simd::{Isa, Register, Work};
use clmatch_kernels::{Control, Stopped};
use pack::{PointBlocks, PointMatrix};
use real::FloatPrecision;
use scratch::{BlockPairScratch, BlockTables, Extremes};
use task::{BlockPair, SharedBlocks};

/// The largest relative error of a distance in f64.
pub const ROUNDING_F64: f64 = 1e-9;
/// The largest relative error of a distance in f32.
pub const ROUNDING_F32: f64 = 5e-6;

/// Points in class order, row-major, centred without rounding and scaled by a power of two so that the largest absolute
/// coordinate is in (0.5, 1], or all 0.
#[derive(Debug, Clone, Copy)]
pub enum Rows<'a> {
    /// Double precision.
    F64(&'a [f64]),
    /// Single precision.
    F32(&'a [f32]),
}

/// What to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairwiseRequest {
    /// [`DistanceTables::sums`].
    pub sums: bool,
    /// [`DistanceTables::nearest`].
    pub nearest: bool,
    /// [`DistanceTables::separation`] and [`DistanceTables::diameter`].
    pub extremes: bool,
}

/// The results for all pairs of points; tables that were not requested are empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DistanceTables {
    /// n x K: the sum of the distances from x to all points of class k.
    pub sums: Vec<f64>,
    /// n x K x [`NEAREST`]: the smallest squared distances from x to other points of class k, ascending, then infinity.
    pub nearest: Vec<f64>,
    /// K x K, symmetric: the smallest squared distance between a point of one class and one of the other; infinity on
    /// the diagonal.
    pub separation: Vec<f64>,
    /// K: the largest squared distance within a class.
    pub diameter: Vec<f64>,
}

/// Computes the requested tables over all pairs of points, on the threads of the current rayon pool; class k is rows
/// `starts[k]..starts[k + 1]`.
///
/// Results do not depend on the number of threads, bit for bit.
///
/// Time: O(n^2 d), halved by symmetry. Memory: O(n K) for the requested tables, O(K^2) for the extremes, about 2 MB per thread,
/// and a copy of f32 input in f64 if its squares do not fit f32.
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
pub fn all_pairs(
    rows: Rows<'_>,
    features: usize,
    starts: &[usize],
    request: PairwiseRequest,
    control: Control<'_>,
) -> Result<DistanceTables, Stopped> {
    let tables = all_pairs_at(Level::best(), rows, features, starts, request, control);
    control.check()?;
    Ok(tables)
}

/// [`all_pairs`] with the given instruction set, or the best one below it that the processor has. If `control` stops the work,
/// the rest is not computed.
#[must_use]
pub fn all_pairs_at(
    level: Level,
    rows: Rows<'_>,
    features: usize,
    starts: &[usize],
    request: PairwiseRequest,
    control: Control<'_>,
) -> DistanceTables {
    let wide: Vec<f64>;
    let rows = match rows {
        Rows::F32(values) if !squares_fit(values) => {
            wide = values.iter().map(|&x| f64::from(x)).collect();
            Rows::F64(&wide)
        }
        rows => rows,
    };
    let (points, classes) = (starts[starts.len() - 1], starts.len() - 1);
    match rows {
        Rows::F64(values) => {
            let size = block_size::<f64>(points, features, classes);
            level.run(AllPairs { values, features, starts, size, request, control })
        }
        Rows::F32(values) => {
            let size = block_size::<f32>(points, features, classes);
            level.run(AllPairs { values, features, starts, size, request, control })
        }
    }
}

/// Whether no squared distance between different points underflows in f32. Two different numbers of at least 2^-36 are at least
/// 2^-60 apart, and the square of that is a normal f32.
///
/// Time: O(n d). Memory: O(1).
fn squares_fit(values: &[f32]) -> bool {
    const SMALLEST: f32 = 1.0 / (1_u64 << 36) as f32;
    let small = |x: &f32| u32::from((*x != 0.0) & (x.abs() < SMALLEST));
    values.chunks(4096).all(|part| part.iter().map(small).sum::<u32>() == 0)
}

/// The number of points in a block is a multiple of this, which both sides of every register tile divide.
const STEP: usize = 48;

/// Points per block: as many as stay in the second cache. Blocks are smaller for few points, so that there is work for several
/// threads, and for tiny classes, of which a block has many. The number of threads must not matter: results depend on the blocks
/// in their last bits.
fn block_size<T: FloatPrecision>(points: usize, features: usize, classes: usize) -> usize {
    /// Bytes of a packed block.
    const CACHED: usize = 1 << 19;
    /// For features that come in several parts, or blocks with hundreds of classes.
    const SMALL: usize = 5 * STEP;
    const LARGE: usize = 40 * STEP;
    const BLOCKS: usize = 20;
    let most = if features > T::DEPTH || points < 16 * classes {
        SMALL
    } else {
        (CACHED / (features * size_of::<T>()) / STEP * STEP).clamp(SMALL, LARGE)
    };
    points.div_ceil(BLOCKS).next_multiple_of(STEP).clamp(STEP, most)
}

/// Locks, ignoring poison: a panic elsewhere ends the whole sweep anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// [`all_pairs`] in one precision.
#[derive(Clone, Copy)]
struct AllPairs<'a, T> {
    values: &'a [T],
    features: usize,
    starts: &'a [usize],
    /// Points per block, see [`block_size`].
    size: usize,
    request: PairwiseRequest,
    control: Control<'a>,
}

impl<T: FloatPrecision> Work<T> for AllPairs<'_, T> {
    type Output = DistanceTables;

    /// Not inlined, although such work should be: the code that matters is compiled for each pair of blocks, for all threads.
    unsafe fn work<I: Isa<T = T>>(self) -> DistanceTables {
        // SAFETY: the caller vouches for the instruction set.
        unsafe { run::<I>(self) }
    }
}

/// [`all_pairs`] with the instructions `I`.
///
/// # Safety
/// The processor has them.
unsafe fn run<I: Isa<T: FloatPrecision>>(work: AllPairs<'_, I::T>) -> DistanceTables {
    let AllPairs { values, features, starts, size, request, control } = work;
    let points = PointMatrix { values, features };
    let classes = starts.len() - 1;
    let n = starts[classes];
    assert!(
        size.is_multiple_of(STEP) && values.len() == n * features,
        "whole tiles, and a row for each point"
    );
    let blocks = PointBlocks::new(points, size);
    let when = |wanted: bool, len: usize, value: f64| if wanted { vec![value; len] } else { Vec::new() };
    let mut sums = when(request.sums, n * classes, 0.0);
    let mut nearest = when(request.nearest, n * classes * NEAREST, f64::INFINITY);
    let extremes = Mutex::new(Extremes {
        separation: when(request.extremes, classes * classes, f64::INFINITY),
        diameter: when(request.extremes, classes, 0.0),
    });
    {
        let mut sum_blocks = sums.chunks_mut(size * classes);
        let mut nearest_blocks = nearest.chunks_mut(size * classes * NEAREST);
        let tables: Vec<Mutex<BlockTables<'_>>> = (0..blocks.count)
            .map(|_| {
                let sums = sum_blocks.next().unwrap_or_default();
                let nearest = nearest_blocks.next().unwrap_or_default();
                Mutex::new(BlockTables { sums, nearest })
            })
            .collect();
        let shared = SharedBlocks { points, blocks: &blocks, request };
        let scratch = || BlockPairScratch::<I::T>::new(size, features);
        let (so_far, all) = (AtomicUsize::new(0), blocks.count * (blocks.count + 1) / 2 * size * size);
        schedule::in_turns(blocks.count, scratch, |scratch, a, b| {
            if control.check().is_err() {
                return;
            }
            let mut own = lock(&tables[a]);
            let mut other = (a != b).then(|| lock(&tables[b]));
            scratch.begin(&blocks, starts, [a, b], I::COLUMNS, request);
            if request.nearest {
                scratch.load_lists(0, Some(&own), classes);
                scratch.load_lists(1, other.as_deref(), classes);
            }
            // SAFETY: the caller vouches for the instruction set.
            unsafe { I::run(BlockPair { shared: &shared, scratch: &mut *scratch, diagonal: a == b }) };
            for side in [0, 1] {
                let table = if side == 0 { &mut own } else { other.as_mut().unwrap_or(&mut own) };
                if request.sums {
                    scratch.put_sums(side, table, classes, I::R::ROOT);
                }
                if request.nearest {
                    scratch.store_lists(side, table, classes, a == b && side == 1);
                }
            }
            if request.extremes {
                scratch.put_extremes(&mut lock(&extremes));
            }
            control.report_parts("distances", &so_far, size * size, all);
        });
    }
    let Extremes { separation, diameter } = extremes.into_inner().unwrap_or_else(PoisonError::into_inner);
    DistanceTables { sums, nearest, separation, diameter }
}

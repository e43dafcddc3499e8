//! What the kernels need from an instruction set, kept to a minimum.
//!
//! Notation: a *group* is one register or a pair of them. It has the same number of logical lanes for every instruction set,
//! 8 for f64 and 16 for f32, so that every instruction set adds in the same order.

use crate::simd::float::Float;
use crate::simd::register::Register;

/// How many logical lanes a group of doubles has.
pub const LANES: usize = 8;
/// How many rows a register tile has, and a panel on its left side.
pub const ROWS: usize = 8;
/// How many groups are side by side in a register tile of products: with AVX-512, the sums are 24 of the 32 registers.
pub const GROUPS: usize = 3;
/// The largest number of registers in a row of a register tile.
pub const ROW_REGISTERS: usize = 2 * GROUPS;
/// The largest number of columns of a register tile.
pub const MOST_COLUMNS: usize = 16 * GROUPS;

/// Code to be compiled for an instruction set.
pub trait Work<T: Float> {
    /// The result of the work.
    type Output;

    /// Must be `#[inline(always)]`, like everything it calls.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    unsafe fn work<I: Isa<T = T>>(self) -> Self::Output;
}

/// An instruction set for one scalar type.
pub trait Isa: Copy + Send + Sync + 'static {
    /// The scalar type.
    type T: Float;
    /// A register of the processor.
    type R: Register<T = Self::T>;
    /// A group of `LANES` numbers.
    type Group: Register<T = Self::T>;
    /// A register for one number per row of a tile, or for some of the rows.
    type Side: Register<T = Self::T>;
    /// How many registers a group has.
    const M: usize = Self::LANES / Self::R::N;
    /// How many logical lanes a group has.
    const LANES: usize = Self::Group::N;
    /// How many columns a register tile of products has.
    const COLUMNS: usize = GROUPS * Self::LANES;

    /// Runs `work` compiled for this instruction set.
    ///
    /// # Safety
    /// The processor has the instruction set.
    unsafe fn run<W: Work<Self::T>>(work: W) -> W::Output;

    /// `a b + c`, rounded once if the instruction set can. Use it only inside [`Work::work`]: elsewhere it may be slow.
    fn fused(a: f64, b: f64, c: f64) -> f64;

    /// Adds `a'b` to the register tile `c`, or `sum (a - b)^2` if `DIFF`; starts at 0 unless `resume`.
    ///
    /// `a` has `depth` lines of `ROWS` numbers, `step` apart; `b` has `depth` and `c` has `ROWS` lines of `columns` numbers.
    /// `columns` is a multiple of `WIDTH` registers; `WIDTH` columns of sums are computed at a time, as the registers allow.
    ///
    /// # Safety
    /// The processor has the instruction set; the pointers are valid for these sizes.
    unsafe fn multiply<const WIDTH: usize, const DIFF: bool>(
        a: (*const Self::T, usize),
        b: *const Self::T,
        columns: usize,
        depth: usize,
        c: *mut Self::T,
        resume: bool,
    );

    /// How many features [`Isa::transpose_centred`] takes at once.
    const TRANSPOSED: usize;

    /// Writes feature k of row l, minus `centre[k]`, to `to[k * width + l]`, for `TRANSPOSED` features and `ROWS` rows.
    ///
    /// # Safety
    /// The processor has the instruction set; the pointers are valid for these sizes.
    unsafe fn transpose_centred(
        rows: &[*const Self::T; ROWS],
        centre: *const Self::T,
        to: *mut Self::T,
        width: usize,
    );

    /// Adds the sum of the lanes of each row to one double per row.
    ///
    /// # Safety
    /// The processor has the instruction set; `rows` holds `ROWS` groups of registers, `to` `ROWS` doubles.
    unsafe fn add_row_sums(rows: *const Self::R, to: *mut f64);
}

/// Prefetches a cache line into the first cache. This is only a hint: any address will do.
#[inline(always)]
pub fn prefetch_near<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that is visible to the program, and does not fault; every x86-64 processor has it.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Prefetches a cache line into the second cache. This is only a hint: any address will do.
#[inline(always)]
pub fn prefetch_far<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as for `prefetch_near`.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

//! The product of two panels in registers: the one loop that all kernels with tiles run.

use crate::simd::register::Register;

/// Adds `left(k, i) * right(k, j)` to `sums[i][j]` for all k, or `(left(k, i) - right(k, j))^2` if `DIFF`, with a number on the
/// left and a register on the right. A register that was loaded once is used `HEIGHT` times, a number `WIDTH` times.
///
/// Time: O(depth HEIGHT WIDTH N). Memory: O(1).
///
/// # Safety
/// The processor has the instruction set of `R`; `left` points to a number and `right` to `N` numbers, for all k below
/// `depth`, i below `HEIGHT` and j below `WIDTH`.
#[inline(always)]
pub unsafe fn accumulate<R: Register, const HEIGHT: usize, const WIDTH: usize, const DIFF: bool>(
    sums: &mut [[R; WIDTH]; HEIGHT],
    depth: usize,
    left: impl Fn(usize, usize) -> *const R::T,
    right: impl Fn(usize, usize) -> *const R::T,
) {
    for k in 0..depth {
        // SAFETY: the caller guarantees instruction set and pointers.
        unsafe {
            let mut columns = [sums[0][0]; WIDTH];
            for (j, column) in columns.iter_mut().enumerate() {
                *column = R::load(right(k, j));
            }
            for (i, sums) in sums.iter_mut().enumerate() {
                let factor = R::splat(*left(k, i));
                for (sum, &column) in sums.iter_mut().zip(&columns) {
                    if DIFF {
                        let gap = factor.sub(column);
                        *sum = gap.mul_add(gap, *sum);
                    } else {
                        *sum = factor.mul_add(column, *sum);
                    }
                }
            }
        }
    }
}

/// A part of [`Isa::multiply`](crate::simd::Isa::multiply) that fits into the registers: `HEIGHT` rows and `WIDTH` registers.
///
/// # Safety
/// As for [`Isa::multiply`](crate::simd::Isa::multiply).
#[inline(always)]
pub(crate) unsafe fn multiply_part<R: Register, const HEIGHT: usize, const WIDTH: usize, const DIFF: bool>(
    (a, step): (*const R::T, usize),
    b: *const R::T,
    columns: usize,
    depth: usize,
    c: *mut R::T,
    resume: bool,
) {
    // SAFETY: the caller guarantees instruction set and sizes.
    unsafe {
        let mut sums = [[R::splat(crate::simd::Float::ZERO); WIDTH]; HEIGHT];
        if resume {
            for (i, row) in sums.iter_mut().enumerate() {
                for (j, sum) in row.iter_mut().enumerate() {
                    *sum = R::load(c.add(i * columns + j * R::N));
                }
            }
        }
        let left = |k: usize, i: usize| a.wrapping_add(k * step + i);
        let right = |k: usize, j: usize| b.wrapping_add(k * columns + j * R::N);
        accumulate::<R, HEIGHT, WIDTH, DIFF>(&mut sums, depth, left, right);
        for (i, row) in sums.iter().enumerate() {
            for (j, sum) in row.iter().enumerate() {
                sum.store(c.add(i * columns + j * R::N));
            }
        }
    }
}

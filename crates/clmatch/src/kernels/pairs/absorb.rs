//! What happens to a register tile of squared distances: the guard, sums, the smallest, extremes.
//!
//! Notation: the tile is `ROWS x COLUMNS`, row i is a point x, column j a point y. A *patch* is the part of a tile in which all x
//! are of one class and all y are of one class (mostly the whole tile); bit j of `patch[i]` says that pair (i, j) is in it. With
//! `FULL` the patch is the whole tile, and the bits are ignored.

use clmatch_kernels::simd::{Float, GROUPS, Isa, ROW_REGISTERS, ROWS, Register};

use super::real::FloatPrecision;

/// Bits of the columns, row by row.
pub(super) type Patch = [u64; ROWS];

/// The largest number of registers for one group per row of a tile.
const SIDE_REGISTERS: usize = 2 * ROWS;

/// Turns products into squared distances, `|x|^2 + |y|^2 - 2 x'y`, and returns whether one of them cancels too much.
///
/// # Safety
/// The processor has the instruction set; `tile` is a tile, `x_norms` holds `ROWS` and `y_norms` `COLUMNS` numbers.
#[inline(always)]
pub(super) unsafe fn finish<I: Isa<T: FloatPrecision>>(
    tile: *mut I::T,
    x_norms: *const I::T,
    y_norms: *const I::T,
) -> bool {
    // SAFETY: the caller vouches for instruction set and sizes.
    unsafe {
        let minus_two = I::R::splat(I::T::MINUS_TWO);
        let minus_guard = I::R::splat(I::T::MINUS_GUARD);
        let mut least = [I::R::splat(I::T::INFINITY); ROW_REGISTERS];
        for i in 0..ROWS {
            let x = I::R::splat(*x_norms.add(i));
            for (r, least) in least.iter_mut().enumerate().take(GROUPS * I::M) {
                let place = tile.add(i * I::COLUMNS + r * I::R::N);
                let scale = x.add(I::R::load(y_norms.add(r * I::R::N)));
                let squared = I::R::load(place).mul_add(minus_two, scale);
                *least = least.min(scale.mul_add(minus_guard, squared));
                squared.store(place);
            }
        }
        let mut any = least[0];
        for least in &least[1..GROUPS * I::M] {
            any = any.min(*least);
        }
        any.less(I::R::splat(I::T::TINY)) != 0
    }
}

/// Which squared distances of a finished tile cancel too much.
///
/// # Safety
/// As [`finish`].
#[inline(always)]
pub(super) unsafe fn cancelled<I: Isa<T: FloatPrecision>>(
    tile: *const I::T,
    x_norms: *const I::T,
    y_norms: *const I::T,
) -> Patch {
    let mut cancelled = [0; ROWS];
    // SAFETY: the caller vouches for instruction set and sizes.
    unsafe {
        let (minus_guard, tiny) = (I::R::splat(I::T::MINUS_GUARD), I::R::splat(I::T::TINY));
        for (i, bits) in cancelled.iter_mut().enumerate() {
            let x = I::R::splat(*x_norms.add(i));
            for r in 0..GROUPS * I::M {
                let scale = x.add(I::R::load(y_norms.add(r * I::R::N)));
                let squared = I::R::load(tile.add(i * I::COLUMNS + r * I::R::N));
                *bits |= scale.mul_add(minus_guard, squared).less(tiny) << (r * I::R::N);
            }
        }
    }
    cancelled
}

/// Adds the distances of a patch, divided by [`Register::ROOT`], to one sum per row and one sum per column.
///
/// # Safety
/// The processor has the instruction set; `tile` is a tile, `row_sums` holds `ROWS` and `column_sums` `COLUMNS`
/// numbers.
#[inline(always)]
pub(super) unsafe fn add_distances<I: Isa, const FULL: bool>(
    tile: *const I::T,
    patch: &Patch,
    row_sums: *mut f64,
    column_sums: *mut f64,
) {
    // SAFETY: the caller vouches for instruction set and sizes.
    unsafe {
        let zero = I::R::splat(I::T::ZERO);
        let mut columns = [zero; ROW_REGISTERS];
        let mut rows = [zero; SIDE_REGISTERS];
        for i in 0..ROWS {
            for g in 0..GROUPS {
                for m in 0..I::M {
                    let r = g * I::M + m;
                    let bits = patch[i] >> (r * I::R::N);
                    if !FULL && bits & ((1 << I::R::N) - 1) == 0 {
                        continue;
                    }
                    let mut squared = I::R::load(tile.add(i * I::COLUMNS + r * I::R::N));
                    if !FULL {
                        squared = squared.keep(bits, zero);
                    }
                    let [g, t] = squared.root();
                    rows[i * I::M + m] = g.mul_add(t, rows[i * I::M + m]);
                    columns[r] = g.mul_add(t, columns[r]);
                }
            }
        }
        I::add_row_sums(rows.as_ptr(), row_sums);
        for (r, column) in columns.iter().enumerate().take(GROUPS * I::M) {
            column.add_to(column_sums.add(r * I::R::N));
        }
    }
}

/// Lowers `extreme` to the smallest squared distance of a patch, or raises it to the largest if `LARGEST`.
///
/// # Safety
/// The processor has the instruction set; `tile` is a tile.
#[inline(always)]
pub(super) unsafe fn update_extreme<I: Isa, const FULL: bool, const LARGEST: bool>(
    tile: *const I::T,
    patch: &Patch,
    extreme: &mut I::T,
) {
    // SAFETY: the caller vouches for instruction set and sizes.
    unsafe {
        let start = I::R::splat(*extreme);
        let mut best = [start; ROW_REGISTERS];
        for (i, &bits) in patch.iter().enumerate() {
            if !FULL && bits == 0 {
                continue;
            }
            for (r, best) in best.iter_mut().enumerate().take(GROUPS * I::M) {
                let mut squared = I::R::load(tile.add(i * I::COLUMNS + r * I::R::N));
                if !FULL {
                    squared = squared.keep(bits >> (r * I::R::N), start);
                }
                *best = if LARGEST { best.max(squared) } else { best.min(squared) };
            }
        }
        for best in best.into_iter().take(GROUPS * I::M) {
            let changed = if LARGEST { start.less(best) } else { best.less(start) };
            if changed != 0 {
                let mut lanes = [I::T::ZERO; 16];
                best.store(lanes.as_mut_ptr());
                for &lane in &lanes[..I::R::N] {
                    if if LARGEST { *extreme < lane } else { lane < *extreme } {
                        *extreme = lane;
                    }
                }
            }
        }
    }
}

//! The five smallest squared distances of a point to a class.
//!
//! The five smallest members of a multiset do not depend on the order in which the members come, so the lists are the same
//! whatever the order of the tiles. There are two ways to the same lists: if few values of a tile are below the largest of a
//! list, they are inserted one by one; if many are, as at the beginning, all values run through the lists of several points side
//! by side, without a branch.
//!
//! Notation: while a pair of blocks is being processed, its lists are stored rank by rank: number `r * stride + i` is the r-th
//! smallest of point i.

use std::ops::Range;

use clmatch_kernels::simd::{Float, GROUPS, Isa, MOST_COLUMNS, ROW_REGISTERS, ROWS, Register};

use super::absorb::Patch;

/// Rows of a table whose classes are processed one after the other: this many rows stay in the first cache.
pub(super) const ROWS_AT_ONCE: usize = 64;

/// The length of a list.
pub const NEAREST: usize = 5;

/// From this many rows with a hit on, all values of a tile run through the lists of all rows.
const MANY_ROWS: u32 = 4;
/// From this many columns of a register with a hit on, all values run through the lists of all its columns.
const MANY_COLUMNS: u32 = 3;

/// The lists of the points of one block for the classes of another.
pub(super) struct NearestLists<T> {
    values: Vec<T>,
}

impl<T: Float> NearestLists<T> {
    pub(super) fn new() -> Self {
        NearestLists { values: Vec::new() }
    }

    /// Copies the lists of `rows` points from the table of their block (rows x `of` classes x [`NEAREST`]), or starts with empty
    /// lists if there is no table.
    ///
    /// Time: O(stride K). Memory: O(stride K), where K counts `classes`.
    pub(super) fn load(
        &mut self,
        table: Option<&[f64]>,
        rows: usize,
        stride: usize,
        classes: Range<usize>,
        of: usize,
    ) {
        self.values.clear();
        self.values.resize(stride * classes.len() * NEAREST, T::INFINITY);
        // These places hold no point: no value is below 0.
        self.values.chunks_exact_mut(stride).for_each(|places| places[rows..].fill(T::ZERO));
        let Some(table) = table else { return };
        for first in (0..rows).step_by(ROWS_AT_ONCE) {
            let last = rows.min(first + ROWS_AT_ONCE);
            for (class, lists) in classes.clone().zip(self.values.chunks_exact_mut(stride * NEAREST)) {
                for (rank, places) in lists.chunks_exact_mut(stride).enumerate() {
                    let table = table[(first * of + class) * NEAREST + rank..].iter().step_by(of * NEAREST);
                    for (to, &from) in places[first..last].iter_mut().zip(table) {
                        *to = T::narrow(from);
                    }
                }
            }
        }
    }

    /// Copies the lists back to the table, or merges them with those in the table.
    ///
    /// Time: O(stride K). Memory: O(1).
    pub(super) fn store(
        &self,
        table: &mut [f64],
        rows: usize,
        stride: usize,
        classes: Range<usize>,
        of: usize,
        merge: bool,
    ) {
        for first in (0..rows).step_by(ROWS_AT_ONCE) {
            let last = rows.min(first + ROWS_AT_ONCE);
            for (class, lists) in classes.clone().zip(self.values.chunks_exact(stride * NEAREST)) {
                for (rank, places) in lists.chunks_exact(stride).enumerate() {
                    for (row, value) in (first..last).zip(&places[first..last]) {
                        let list = &mut table[(row * of + class) * NEAREST..][..NEAREST];
                        if merge {
                            insert(list, value.wide());
                        } else {
                            list[rank] = value.wide();
                        }
                    }
                }
            }
        }
    }

    /// The lists for one class (counted from the first one), starting at point `from`.
    #[inline(always)]
    pub(super) fn from(&mut self, class: usize, stride: usize, from: usize) -> &mut [T] {
        &mut self.values[class * stride * NEAREST..][..stride * NEAREST][from..]
    }
}

/// Puts `value` into an ascending list.
fn insert(list: &mut [f64], value: f64) {
    let mut carried = value;
    for place in list {
        if carried < *place {
            std::mem::swap(&mut carried, place);
        }
    }
}

/// Puts one value into one list.
///
/// # Safety
/// `list` points to [`NEAREST`] numbers, `stride` apart.
#[inline(always)]
unsafe fn insert_one<T: Float>(list: *mut T, stride: usize, value: T) {
    let mut carried = value;
    for rank in 0..NEAREST {
        // SAFETY: the caller vouches for the list.
        let place = unsafe { &mut *list.add(rank * stride) };
        let (low, high) = if carried < *place { (carried, *place) } else { (*place, carried) };
        *place = low;
        carried = high;
    }
}

/// Ascending lists side by side, one per lane.
struct SortedLanes<R>([R; NEAREST]);

impl<R: Register> SortedLanes<R> {
    /// # Safety
    /// The processor has the instruction set; `lists` points to [`NEAREST`] registers, `stride` numbers apart.
    #[inline(always)]
    unsafe fn load(lists: *const R::T, stride: usize) -> Self {
        // SAFETY: the caller vouches for the lists.
        unsafe {
            let mut ranks = [R::splat(R::T::ZERO); NEAREST];
            for (rank, values) in ranks.iter_mut().enumerate() {
                *values = R::load(lists.add(rank * stride));
            }
            SortedLanes(ranks)
        }
    }

    /// Puts one value into each list.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn insert(&mut self, values: R) {
        let mut carried = values;
        for rank in &mut self.0 {
            // SAFETY: the caller vouches for the instruction set.
            unsafe {
                let low = rank.min(carried);
                carried = rank.max(carried);
                *rank = low;
            }
        }
    }

    /// # Safety
    /// As [`SortedLanes::load`].
    #[inline(always)]
    unsafe fn store(&self, lists: *mut R::T, stride: usize) {
        for (rank, values) in self.0.iter().enumerate() {
            // SAFETY: the caller vouches for the lists.
            unsafe { values.store(lists.add(rank * stride)) };
        }
    }
}

/// Offers the squared distances of a patch to the lists of its rows and of its columns.
///
/// # Safety
/// The processor has the instruction set; `tile` is a tile; `rows` and `columns` point to the lists of the tile's first
/// row and column, `stride` apart, for all rows and columns.
#[inline(always)]
pub(super) unsafe fn offer<I: Isa, const FULL: bool>(
    tile: *const I::T,
    patch: &Patch,
    rows: *mut I::T,
    columns: *mut I::T,
    stride: usize,
) {
    // SAFETY: the caller vouches for instruction set and sizes.
    unsafe {
        let infinity = I::R::splat(I::T::INFINITY);
        let mut lowest = [infinity; ROW_REGISTERS];
        let mut hit_rows = 0_u32;
        for (i, bits) in patch.iter().enumerate() {
            let mut least = infinity;
            for (r, lowest) in lowest.iter_mut().enumerate().take(GROUPS * I::M) {
                let mut squared = I::R::load(tile.add(i * I::COLUMNS + r * I::R::N));
                if !FULL {
                    squared = squared.keep(bits >> (r * I::R::N), infinity);
                }
                least = least.min(squared);
                *lowest = lowest.min(squared);
            }
            let limit = I::R::splat(*rows.add((NEAREST - 1) * stride + i));
            hit_rows |= u32::from(least.less(limit) != 0) << i;
        }
        if hit_rows.count_ones() >= MANY_ROWS {
            offer_to_rows::<I, FULL>(tile, patch, rows, stride);
        } else {
            while hit_rows != 0 {
                let i = hit_rows.trailing_zeros() as usize;
                hit_rows &= hit_rows - 1;
                offer_to_row::<I, FULL>(tile.add(i * I::COLUMNS), patch[i], rows.add(i), stride);
            }
        }
        for (r, lowest) in lowest.iter().enumerate().take(GROUPS * I::M) {
            let first = r * I::R::N;
            let mut hits = lowest.less(I::R::load(columns.add((NEAREST - 1) * stride + first)));
            if hits.count_ones() >= MANY_COLUMNS {
                let mut lists = SortedLanes::<I::R>::load(columns.add(first), stride);
                for (i, bits) in patch.iter().enumerate() {
                    let squared = I::R::load(tile.add(i * I::COLUMNS + first));
                    lists.insert(if FULL { squared } else { squared.keep(bits >> first, infinity) });
                }
                lists.store(columns.add(first), stride);
                continue;
            }
            while hits != 0 {
                let j = first + hits.trailing_zeros() as usize;
                hits &= hits - 1;
                for (i, bits) in patch.iter().enumerate() {
                    let squared = *tile.add(i * I::COLUMNS + j);
                    if squared < *columns.add((NEAREST - 1) * stride + j) && (FULL || bits >> j & 1 == 1) {
                        insert_one(columns.add(j), stride, squared);
                    }
                }
            }
        }
    }
}

/// Inserts the few values of one row that are below the largest of its list.
///
/// # Safety
/// As [`offer`], for one row.
#[inline(always)]
unsafe fn offer_to_row<I: Isa, const FULL: bool>(
    row: *const I::T,
    bits: u64,
    list: *mut I::T,
    stride: usize,
) {
    // SAFETY: the caller vouches for instruction set and sizes.
    unsafe {
        let limit = list.add((NEAREST - 1) * stride);
        let mut hits = 0;
        for r in 0..GROUPS * I::M {
            hits |= I::R::load(row.add(r * I::R::N)).less(I::R::splat(*limit)) << (r * I::R::N);
        }
        if !FULL {
            hits &= bits;
        }
        while hits != 0 {
            let squared = *row.add(hits.trailing_zeros() as usize);
            hits &= hits - 1;
            if squared < *limit {
                insert_one(list, stride, squared);
            }
        }
    }
}

/// Runs all values of a patch through the lists of its rows: the tile is transposed, so that a register holds a column.
///
/// # Safety
/// As [`offer`].
#[inline(always)]
unsafe fn offer_to_rows<I: Isa, const FULL: bool>(
    tile: *const I::T,
    patch: &Patch,
    rows: *mut I::T,
    stride: usize,
) {
    let zeros = [I::T::ZERO; ROWS];
    let mut transposed = [I::T::ZERO; MOST_COLUMNS * ROWS];
    // SAFETY: `transposed` holds a tile, `zeros` at least `TRANSPOSED` numbers; the rest is the caller's.
    unsafe {
        for j in (0..I::COLUMNS).step_by(I::TRANSPOSED) {
            let mut pointers = [tile; ROWS];
            for (i, pointer) in pointers.iter_mut().enumerate() {
                *pointer = tile.add(i * I::COLUMNS + j);
            }
            I::transpose_centred(&pointers, zeros.as_ptr(), transposed.as_mut_ptr().add(j * ROWS), ROWS);
        }
        let infinity = I::Side::splat(I::T::INFINITY);
        let any = patch.iter().fold(0, |any, bits| any | bits);
        let columns = match any {
            _ if FULL => 0..I::COLUMNS,
            _ => any.trailing_zeros() as usize..(u64::BITS - any.leading_zeros()) as usize,
        };
        for first in (0..ROWS).step_by(I::Side::N) {
            let mut lists = SortedLanes::<I::Side>::load(rows.add(first), stride);
            for j in columns.clone() {
                let mut squared = I::Side::load(transposed.as_ptr().add(j * ROWS + first));
                if !FULL {
                    let mut bits = 0;
                    for (i, row) in patch[first..first + I::Side::N].iter().enumerate() {
                        bits |= (row >> j & 1) << i;
                    }
                    squared = squared.keep(bits, infinity);
                }
                lists.insert(squared);
            }
            lists.store(rows.add(first), stride);
        }
    }
}

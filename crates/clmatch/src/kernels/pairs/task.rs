//! One pair of blocks: all distances between the points of block a and those of block b.
//!
//! Notation: x is a point of block a (rows of the tiles), y one of block b (columns), c the centre of the pair of
//! blocks. Squared distances are `|x - c|^2 + |y - c|^2 - 2 (x - c)'(y - c)`, from a packed matrix product, or
//! `sum (x - y)^2` where that costs nothing or where too much would cancel.

use clmatch_kernels::simd::{GROUPS, Isa, ROWS, Work};

use super::PairwiseRequest;
use super::absorb::{Patch, add_distances, cancelled, finish, update_extreme};
use super::nearest::offer;
use super::pack::{PackRange, PointBlocks, PointMatrix, add_norms, pack, squared_distance};
use super::real::FloatPrecision;
use super::scratch::{BlockPairScratch, Segment};

/// The data that all pairs of blocks share.
pub(super) struct SharedBlocks<'a, T> {
    pub(super) points: PointMatrix<'a, T>,
    pub(super) blocks: &'a PointBlocks,
    pub(super) request: PairwiseRequest,
}

/// One pair of blocks, for which the scratch memory was prepared.
pub(super) struct BlockPair<'t, 'a, T> {
    pub(super) shared: &'t SharedBlocks<'a, T>,
    pub(super) scratch: &'t mut BlockPairScratch<T>,
    /// Whether both blocks are the same: then only pairs with x before y count.
    pub(super) diagonal: bool,
}

impl<T: FloatPrecision> Work<T> for BlockPair<'_, '_, T> {
    type Output = ();

    /// Time: O(|a| |b| d). Memory: O(1).
    #[inline(always)]
    unsafe fn work<I: Isa<T = T>>(mut self) {
        let few = self.shared.points.features <= T::FEW_FEATURES;
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            let differences = few || self.cancels();
            if differences {
                self.scratch.centre.fill(T::ZERO);
            }
            self.sweep::<I>(differences);
        }
    }
}

impl<T: FloatPrecision> BlockPair<'_, '_, T> {
    /// Whether many pairs would have to be recomputed, judged by a sample that is spread over both blocks.
    #[inline(always)]
    fn cancels(&self) -> bool {
        /// Points sampled in each block.
        const SAMPLE: usize = 8;
        /// One pair in this many is too many: recomputing it costs what this many pairs save.
        const MANY: usize = 32;
        let points = self.shared.points;
        let mut picks = [[(0, 0.0); SAMPLE]; 2];
        let mut counts = [0; 2];
        for (side, (picks, count)) in self.scratch.sides.iter().zip(picks.iter_mut().zip(&mut counts)) {
            *count = SAMPLE.min(side.len.div_ceil(24));
            for (s, pick) in picks.iter_mut().enumerate().take(*count) {
                let index = side.start + (2 * s + 1) * side.len / (2 * *count);
                *pick = (index, squared_distance(points.row(index), &self.scratch.centre));
            }
        }
        let mut pairs = 0;
        let mut cancelled = 0;
        for &(x, x_norm) in &picks[0][..counts[0]] {
            for &(y, y_norm) in &picks[1][..counts[1]] {
                if x != y {
                    let squared = squared_distance(points.row(x), points.row(y));
                    let margin = squared + (x_norm + y_norm) * T::MINUS_GUARD.wide();
                    pairs += 1;
                    cancelled += usize::from(margin < T::TINY.wide());
                }
            }
        }
        cancelled * MANY > pairs
    }

    /// All tiles, from differences or from products.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn sweep<I: Isa<T = T>>(&mut self, differences: bool) {
        let features = self.shared.points.features;
        let tile_len = ROWS * I::COLUMNS;
        let [row_panels, column_panels] = [self.scratch.sides[0].panels(), self.scratch.sides[1].panels()];
        for from in (0..features).step_by(T::DEPTH) {
            let depth = T::DEPTH.min(features - from);
            let last = from + depth == features;
            // SAFETY: the caller vouches for the instruction set.
            unsafe { self.pack::<I>(from, depth, differences) };
            for q in 0..column_panels {
                for p in 0..row_panels {
                    if self.diagonal && p * ROWS >= (q + 1) * I::COLUMNS {
                        break;
                    }
                    let [a, b] = &self.scratch.packed;
                    let place = if features > T::DEPTH { (q * row_panels + p) * tile_len } else { 0 };
                    let tile = self.scratch.tiles[place..place + tile_len].as_mut_ptr();
                    let a = a[p * depth * ROWS..(p + 1) * depth * ROWS].as_ptr();
                    let b = b[q * depth * I::COLUMNS..(q + 1) * depth * I::COLUMNS].as_ptr();
                    // SAFETY: the slices above have the sizes of panels and tile; the caller vouches for the
                    // instruction set.
                    unsafe {
                        if differences {
                            I::multiply::<GROUPS, true>((a, ROWS), b, I::COLUMNS, depth, tile, from > 0);
                        } else {
                            I::multiply::<GROUPS, false>((a, ROWS), b, I::COLUMNS, depth, tile, from > 0);
                            if last {
                                self.finish::<I>(p, q, tile);
                            }
                        }
                        if last {
                            self.absorb::<I>(p, q, tile);
                        }
                    }
                }
            }
        }
    }

    /// Packs features `from..from + depth` of both blocks, and adds up the norms that products need.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn pack<I: Isa<T = T>>(&mut self, from: usize, depth: usize, differences: bool) {
        let points = self.shared.points;
        let BlockPairScratch { packed, centre, wide_norms, norms, sides, .. } = &mut *self.scratch;
        for (which, width) in [(0, ROWS), (1, I::COLUMNS)] {
            let (side, to) = (&sides[which], &mut packed[which][..]);
            let part = PackRange { start: side.start, len: side.len, from, depth };
            // SAFETY: the caller vouches for the instruction set.
            unsafe { pack::<I>(points, part, centre, width, to) };
            if !differences {
                let wide = &mut wide_norms[which][..side.panels() * width];
                add_norms(&to[..wide.len() * depth], width, depth, wide);
                norms[which].iter_mut().zip(wide).for_each(|(norm, wide)| *norm = T::narrow(*wide));
            }
        }
    }

    /// The columns of a tile at (i0, j0) whose point comes after that of row i, where that matters.
    #[inline(always)]
    fn above(&self, i0: usize, j0: usize, i: usize) -> u64 {
        match (i0 + i + 1).checked_sub(j0) {
            Some(skip) if self.diagonal => u64::MAX.checked_shl(skip as u32).unwrap_or(0),
            _ => u64::MAX,
        }
    }

    /// Turns the products of one tile into squared distances.
    ///
    /// # Safety
    /// The processor has the instruction set; `tile` is a tile.
    #[inline(always)]
    unsafe fn finish<I: Isa<T = T>>(&mut self, p: usize, q: usize, tile: *mut T) {
        let (i0, j0) = (p * ROWS, q * I::COLUMNS);
        let [x_norms, y_norms] = &self.scratch.norms;
        let x_norms = x_norms[i0..i0 + ROWS].as_ptr();
        let y_norms = y_norms[j0..j0 + I::COLUMNS].as_ptr();
        // SAFETY: the slices have the sizes of the tile's sides; the rest is the caller's.
        let cancelled = unsafe {
            if !finish::<I>(tile, x_norms, y_norms) {
                return;
            }
            cancelled::<I>(tile, x_norms, y_norms)
        };
        let points = self.shared.points;
        let [rows, columns] = &self.scratch.sides;
        for (i, bits) in cancelled.iter().enumerate().take(rows.len - i0) {
            let mut bits = bits & self.above(i0, j0, i);
            while bits != 0 {
                let j = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if j0 + j < columns.len {
                    let (x, y) = (points.row(rows.start + i0 + i), points.row(columns.start + j0 + j));
                    // SAFETY: i and j are within the tile.
                    unsafe { *tile.add(i * I::COLUMNS + j) = T::narrow(squared_distance(x, y)) };
                }
            }
        }
    }

    /// Takes the requested results from one tile of squared distances, class by class.
    ///
    /// # Safety
    /// The processor has the instruction set; `tile` is a tile.
    #[inline(always)]
    unsafe fn absorb<I: Isa<T = T>>(&mut self, p: usize, q: usize, tile: *const T) {
        let (i0, j0) = (p * ROWS, q * I::COLUMNS);
        let crossing = self.diagonal && i0 + ROWS > j0;
        for s in 0..self.scratch.sides[0].segments(p).len() {
            let rows = self.scratch.sides[0].segments(p)[s];
            for t in 0..self.scratch.sides[1].segments(q).len() {
                let columns = self.scratch.sides[1].segments(q)[t];
                let mut patch: Patch = [0; ROWS];
                // SAFETY: the caller vouches for tile and instruction set.
                unsafe {
                    if !crossing && rows.to - rows.from == ROWS && columns.to - columns.from == I::COLUMNS {
                        self.absorb_patch::<I, true>(tile, &patch, [i0, j0], rows, columns);
                    } else {
                        let bits = ((1 << columns.to) - 1) & !((1 << columns.from) - 1);
                        for (i, row) in patch.iter_mut().enumerate().take(rows.to).skip(rows.from) {
                            *row = bits & self.above(i0, j0, i);
                        }
                        self.absorb_patch::<I, false>(tile, &patch, [i0, j0], rows, columns);
                    }
                }
            }
        }
    }

    /// [`BlockPair::absorb`] for one class of rows and one of columns.
    ///
    /// # Safety
    /// The processor has the instruction set; `tile` is a tile.
    #[inline(always)]
    unsafe fn absorb_patch<I: Isa<T = T>, const FULL: bool>(
        &mut self,
        tile: *const T,
        patch: &Patch,
        [i0, j0]: [usize; 2],
        rows: Segment,
        columns: Segment,
    ) {
        let SharedBlocks { blocks, request, .. } = *self.shared;
        let BlockPairScratch { sides, sums, lists, extremes, .. } = &mut *self.scratch;
        let size = blocks.size;
        if request.sums {
            let [row_sums, column_sums] = sums;
            let row_sums = row_sums[columns.class * size + i0..][..ROWS].as_mut_ptr();
            let column_sums = column_sums[rows.class * size + j0..][..I::COLUMNS].as_mut_ptr();
            // SAFETY: the slices have the sizes of the tile's sides; the rest is the caller's.
            unsafe { add_distances::<I, FULL>(tile, patch, row_sums, column_sums) };
        }
        if request.nearest {
            let [row_lists, column_lists] = lists;
            let row_lists = row_lists.from(columns.class, size, i0).as_mut_ptr();
            let column_lists = column_lists.from(rows.class, size, j0).as_mut_ptr();
            // SAFETY: there are lists for `size` points, a multiple of both panels' widths; the rest is the caller's.
            unsafe { offer::<I, FULL>(tile, patch, row_lists, column_lists, size) };
        }
        if request.extremes {
            let [row_side, column_side] = sides;
            let extreme = &mut extremes[rows.class * column_side.classes + columns.class];
            let same = row_side.first_class + rows.class == column_side.first_class + columns.class;
            // SAFETY: the caller vouches for tile and instruction set.
            unsafe {
                if same {
                    update_extreme::<I, FULL, true>(tile, patch, extreme);
                } else {
                    update_extreme::<I, FULL, false>(tile, patch, extreme);
                }
            }
        }
    }
}

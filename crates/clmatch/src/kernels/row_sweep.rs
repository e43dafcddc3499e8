//! Squared distances of each point to all points, a block of rows and a chunk of columns at a time.
//!
//! Unlike [`pairs`](super::pairs), which meets every pair of points once, this hands out whole rows, for callers that need to
//! know which points are near, not only how near.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::cross::{COLUMNS, PackedSide, squares};
use clmatch_kernels::simd::{Aligned, ROWS};
use clmatch_kernels::{Control, Stopped};

use super::frame::Frame;

/// Rows in a block.
pub(crate) const BLOCK: usize = 8 * ROWS;
/// Panels of columns in a chunk: chunk and block together stay in the second cache for up to a few hundred features.
const CHUNK: usize = 32;

/// The points, packed as rows and as columns. Memory: O(n d).
pub(crate) struct RowSweep {
    rows: PackedSide,
    columns: PackedSide,
    n: usize,
}

/// Squared distances of a block of rows to a chunk of columns, computed from products and lowered by a bound on their rounding,
/// about 1e-14 of the squared norms, so that they may be slightly negative.
pub(crate) struct SquaredDistances<'a> {
    /// The first column.
    pub(crate) first: usize,
    /// How many columns there are.
    pub(crate) len: usize,
    width: usize,
    squares: &'a [f64],
}

impl SquaredDistances<'_> {
    /// The squared distances of a row, by its place in the block.
    pub(crate) fn row(&self, at: usize) -> &[f64] {
        &self.squares[at * self.width..at * self.width + self.len]
    }
}

impl RowSweep {
    /// Packs the points of a frame.
    pub(crate) fn new(frame: &Frame) -> RowSweep {
        let centre = vec![0.0; frame.features];
        let points = || frame.rows.chunks_exact(frame.features);
        RowSweep {
            rows: PackedSide::rows(points(), &centre),
            columns: PackedSide::columns(points(), &centre),
            n: frame.len(),
        }
    }

    /// Works on every block of [`BLOCK`] rows (fewer in the last one) in parallel. Each block has its own part of `output`, with
    /// `per_row` items for each row. `take` gets the first row, each chunk of columns in order, its own scratch memory, and the
    /// part.
    ///
    /// Time: O(n^2 d). Memory: about 0.4 MB per thread.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(crate) fn each_block<T: Send, S>(
        &self,
        output: &mut [T],
        per_row: usize,
        scratch: impl Fn() -> S + Sync,
        control: Control<'_>,
        take: impl Fn(usize, &SquaredDistances<'_>, &mut S, &mut [T]) + Sync,
    ) -> Result<(), Stopped> {
        let scratch = || (Aligned::zeros(BLOCK * CHUNK * COLUMNS), scratch());
        let mut parts: Vec<&mut [T]> = output.chunks_mut(BLOCK * per_row).collect();
        let sweep = |(buffer, scratch): &mut (Aligned<f64>, S), block: usize, part: &mut &mut [T]| {
            control.check()?;
            let first_row = block * BLOCK;
            let panels = first_row / ROWS..(first_row + BLOCK).min(self.n).div_ceil(ROWS);
            for start in (0..self.columns.panels()).step_by(CHUNK) {
                let columns = start..(start + CHUNK).min(self.columns.panels());
                let width = columns.len() * COLUMNS;
                let buffer = &mut buffer[..panels.len() * ROWS * width];
                squares([&self.rows, &self.columns], panels.clone(), columns.clone(), buffer);
                let first = start * COLUMNS;
                let len = width.min(self.n - first);
                take(first_row, &SquaredDistances { first, len, width, squares: buffer }, scratch, part);
            }
            Ok(())
        };
        parallel::try_map_mut_with(&mut parts, scratch, sweep).map(drop)
    }
}

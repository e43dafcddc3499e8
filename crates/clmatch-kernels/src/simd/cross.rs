//! Two points of different sets that are near each other, found in register tiles of products.
//!
//! Squared distances are computed as `|x|^2 + |y|^2 - 2 x'y`, lowered by a bound on the rounding of that form: none is above
//! the squared distance that differences would give. A caller that asks for everything below some limit therefore misses
//! nothing, but gets a few too many, which it can recognise by computing differences.
//!
//! Notation: a *panel* is [`ROWS`] rows, or [`COLUMNS`] columns; a *tile* is a panel of rows against one of columns.

use crate::simd::aligned::Aligned;
use crate::simd::isa::{GROUPS, Isa, LANES, ROWS, Work};
use crate::simd::level::Level;
use crate::simd::pack::Packing;
use crate::simd::register::Register;

/// How many columns a panel has.
pub const COLUMNS: usize = GROUPS * LANES;

/// Points packed as one side of the tiles. Memory: O(n d).
#[derive(Debug, Clone)]
pub struct PackedSide {
    values: Aligned<f64>,
    /// Lowered by the bound on rounding; infinite for points missing from the last panel.
    norms: Vec<f64>,
    features: usize,
    width: usize,
}

impl PackedSide {
    /// Packs points, minus a centre, as rows of tiles.
    pub fn rows<'a>(points: impl ExactSizeIterator<Item = &'a [f64]>, centre: &[f64]) -> Self {
        PackedSide::new(points, centre, ROWS)
    }

    /// Packs points, minus a centre, as columns of tiles.
    pub fn columns<'a>(points: impl ExactSizeIterator<Item = &'a [f64]>, centre: &[f64]) -> Self {
        PackedSide::new(points, centre, COLUMNS)
    }

    fn new<'a>(points: impl ExactSizeIterator<Item = &'a [f64]>, centre: &[f64], width: usize) -> Self {
        let (features, len) = (centre.len(), points.len());
        let mut values = Aligned::zeros(len.next_multiple_of(width) * features);
        let packing = Packing { centre: Some(centre), ..Packing::plain(features, width) };
        packing.pack(points, &mut values);
        let mut norms = vec![0.0; len.next_multiple_of(width)];
        for (panel, norms) in values.chunks_exact(features * width).zip(norms.chunks_exact_mut(width)) {
            for line in panel.chunks_exact(width) {
                norms.iter_mut().zip(line).for_each(|(norm, x)| *norm += x * x);
            }
        }
        let lowered = 1.0 - rounding(features);
        norms.iter_mut().for_each(|norm| *norm *= lowered);
        norms[len..].fill(f64::INFINITY);
        PackedSide { values, norms, features, width }
    }

    /// How many panels there are.
    #[must_use]
    pub fn panels(&self) -> usize {
        self.norms.len() / self.width
    }

    /// How many points there are, including those missing from the last panel.
    #[must_use]
    pub fn padded(&self) -> usize {
        self.norms.len()
    }
}

/// The error of the product form of a squared distance, as a share of `|x|^2 + |y|^2`: d products and sums for each norm
/// and for the product, and the rounding of the centred coordinates.
fn rounding(features: usize) -> f64 {
    const UNIT: f64 = 1.2e-16;
    (2 * features + 16) as f64 * UNIT
}

/// A row and a column that are near each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The index of the row.
    pub row: u32,
    /// The index of the column.
    pub column: u32,
    /// A lower bound on their squared distance.
    pub square: f64,
}

/// Limits below which a row and a column are near each other.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// One number per row, including those missing from the last panel.
    pub rows: &'a [f64],
    /// One number per column, including those missing from the last panel.
    pub columns: &'a [f64],
    /// One number per tile, panel of rows after panel of rows; a tile with a negative number is skipped.
    pub tiles: &'a [f64],
}

/// Finds all rows in some panels of rows and columns in a range of panels of columns whose (lowered) squared distance is below
/// the largest of the limits of row, column and tile.
///
/// # Panics
/// If there are fewer limits than the panels have points or tiles.
///
/// Time: O(n m d). Memory: O(1) in addition to the results.
pub fn near(
    [rows, columns]: [&PackedSide; 2],
    row_panels: &[u32],
    column_panels: std::ops::Range<usize>,
    limits: Limits<'_>,
    found: &mut Vec<Near>,
) {
    assert!(limits.rows.len() >= rows.padded() && limits.columns.len() >= columns.padded());
    assert!(limits.tiles.len() >= row_panels.len() * column_panels.len());
    Level::best().run(InTiles { rows, columns, row_panels, column_panels, take: Below { limits, found } });
}

/// For each point of one side, the nearest point of the other side seen so far.
#[derive(Debug, Clone)]
pub struct NearestSoFar {
    squares: Vec<f64>,
    points: Vec<u32>,
}

impl NearestSoFar {
    /// Starts before anything was seen.
    #[must_use]
    pub fn new(side: &PackedSide) -> Self {
        NearestSoFar { squares: vec![f64::INFINITY; side.padded()], points: vec![u32::MAX; side.padded()] }
    }

    /// The nearest point seen so far from a point.
    #[must_use]
    pub fn of(&self, point: usize) -> Option<u32> {
        (self.squares[point] < f64::INFINITY).then_some(self.points[point])
    }
}

/// Examines all rows of some panels against all columns, for the nearest of each row and of each column.
///
/// Time: O(n m d). Memory: O(1).
pub fn nearest(
    [rows, columns]: [&PackedSide; 2],
    row_panels: &[u32],
    [of_rows, of_columns]: [&mut NearestSoFar; 2],
) {
    assert!(of_rows.squares.len() == rows.padded() && of_columns.squares.len() == columns.padded());
    let column_panels = 0..columns.panels();
    let take = TakeNearest { rows: of_rows, columns: of_columns };
    Level::best().run(InTiles { rows, columns, row_panels, column_panels, take });
}

/// Lowered squared distances of some panels of rows to some panels of columns, row after row.
///
/// # Panics
/// If the length of `squares` is not the number of rows times the number of columns in the panels.
///
/// Time: O(n m d). Memory: O(1).
pub fn squares(
    [rows, columns]: [&PackedSide; 2],
    row_panels: std::ops::Range<usize>,
    column_panels: std::ops::Range<usize>,
    squares: &mut [f64],
) {
    let (first_row, first_column) = (row_panels.start * ROWS, column_panels.start * COLUMNS);
    let width = column_panels.len() * COLUMNS;
    assert!(squares.len() == row_panels.len() * ROWS * width);
    let row_panels: Vec<u32> = row_panels.map(|panel| panel as u32).collect();
    let take = Write { squares, width, first_row, first_column };
    Level::best().run(InTiles { rows, columns, row_panels: &row_panels, column_panels, take });
}

/// Squared distances of all rows to all columns from differences, row after row, with as many columns as are packed.
/// Both sides must have the same centre.
///
/// # Panics
/// If the length of `squares` is not the number of rows times the number of columns, both including those missing from the
/// last panels.
///
/// Time: O(n m d). Memory: O(1).
pub fn squares_by_differences([rows, columns]: [&PackedSide; 2], squares: &mut [f64]) {
    assert!(squares.len() == rows.padded() * columns.padded() && rows.features == columns.features);
    Level::best().run(Differences { rows, columns, squares });
}

struct Differences<'a> {
    rows: &'a PackedSide,
    columns: &'a PackedSide,
    squares: &'a mut [f64],
}

impl Work<f64> for Differences<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        let Differences { rows, columns, squares } = self;
        let (depth, wide) = (rows.features, columns.padded());
        let mut tile = Aligned::zeros(ROWS * COLUMNS);
        for p in 0..rows.panels() {
            let a = rows.values[p * depth * ROWS..(p + 1) * depth * ROWS].as_ptr();
            for q in 0..columns.panels() {
                let b = columns.values[q * depth * COLUMNS..(q + 1) * depth * COLUMNS].as_ptr();
                // SAFETY: panels and tile have these sizes; the caller guarantees the instruction set.
                unsafe {
                    I::multiply::<GROUPS, true>((a, ROWS), b, COLUMNS, depth, tile.as_mut_ptr(), false);
                }
                for (i, from) in tile.chunks_exact(COLUMNS).enumerate() {
                    squares[(p * ROWS + i) * wide + q * COLUMNS..][..COLUMNS].copy_from_slice(from);
                }
            }
        }
    }
}

/// How to process a tile of lowered squared distances.
trait TakeTile {
    /// Whether a tile is to be computed; its panels are given by their indexes in the request.
    fn wants(&self, row_panel: usize, column_panel: usize, column_panels: usize) -> bool;

    /// # Safety
    /// The processor has the instruction set; the tile begins at this row and column, which have whole panels.
    unsafe fn take<I: Isa<T = f64>>(&mut self, tile: &[f64], row: usize, column: usize, limit: usize);
}

struct InTiles<'a, T> {
    rows: &'a PackedSide,
    columns: &'a PackedSide,
    row_panels: &'a [u32],
    column_panels: std::ops::Range<usize>,
    take: T,
}

impl<T: TakeTile> Work<f64> for InTiles<'_, T> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        let InTiles { rows, columns, row_panels, column_panels, mut take } = self;
        let depth = rows.features;
        assert!(depth == columns.features && rows.width == ROWS && columns.width == COLUMNS);
        assert!(column_panels.end <= columns.panels());
        let mut tile = Aligned::zeros(ROWS * COLUMNS);
        for (q, column_panel) in column_panels.clone().enumerate() {
            let b = &columns.values[column_panel * depth * COLUMNS..(column_panel + 1) * depth * COLUMNS];
            let y = &columns.norms[column_panel * COLUMNS..(column_panel + 1) * COLUMNS];
            for (p, &row_panel) in row_panels.iter().enumerate() {
                if !take.wants(p, q, column_panels.len()) {
                    continue;
                }
                let row_panel = row_panel as usize;
                let a = &rows.values[row_panel * depth * ROWS..(row_panel + 1) * depth * ROWS];
                let x = &rows.norms[row_panel * ROWS..(row_panel + 1) * ROWS];
                // SAFETY: panels, norms and tile have these sizes; the caller guarantees the instruction set.
                unsafe {
                    let to = tile.as_mut_ptr();
                    I::multiply::<GROUPS, false>((a.as_ptr(), ROWS), b.as_ptr(), COLUMNS, depth, to, false);
                    let twice = I::R::splat(-2.0);
                    for (i, &x) in x.iter().enumerate() {
                        let x = I::R::splat(x);
                        for j in (0..COLUMNS).step_by(I::R::N) {
                            let place = to.add(i * COLUMNS + j);
                            let norms = x.add(I::R::load(y.as_ptr().add(j)));
                            I::R::load(place).mul_add(twice, norms).store(place);
                        }
                    }
                    let limit = p * column_panels.len() + q;
                    take.take::<I>(&tile, row_panel * ROWS, column_panel * COLUMNS, limit);
                }
            }
        }
    }
}

struct Write<'a> {
    squares: &'a mut [f64],
    width: usize,
    first_row: usize,
    first_column: usize,
}

impl TakeTile for Write<'_> {
    #[inline(always)]
    fn wants(&self, _: usize, _: usize, _: usize) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn take<I: Isa<T = f64>>(&mut self, tile: &[f64], row: usize, column: usize, _: usize) {
        let start = (row - self.first_row) * self.width + column - self.first_column;
        for (i, line) in tile.chunks_exact(COLUMNS).enumerate() {
            self.squares[start + i * self.width..][..COLUMNS].copy_from_slice(line);
        }
    }
}

struct Below<'a> {
    limits: Limits<'a>,
    found: &'a mut Vec<Near>,
}

impl TakeTile for Below<'_> {
    #[inline(always)]
    fn wants(&self, row_panel: usize, column_panel: usize, column_panels: usize) -> bool {
        self.limits.tiles[row_panel * column_panels + column_panel] >= 0.0
    }

    #[inline(always)]
    unsafe fn take<I: Isa<T = f64>>(&mut self, tile: &[f64], row: usize, column: usize, limit: usize) {
        let limit = self.limits.tiles[limit];
        let columns = &self.limits.columns[column..column + COLUMNS];
        for (i, &of_row) in self.limits.rows[row..row + ROWS].iter().enumerate() {
            // SAFETY: tile and limits have whole panels; the caller guarantees the instruction set.
            let mut bits = unsafe {
                let of_row = I::R::splat(if of_row > limit { of_row } else { limit });
                let mut bits = 0;
                for j in (0..COLUMNS).step_by(I::R::N) {
                    let limit = I::R::load(columns.as_ptr().add(j)).max(of_row);
                    bits |= I::R::load(tile.as_ptr().add(i * COLUMNS + j)).less(limit) << j;
                }
                bits
            };
            while bits != 0 {
                let j = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let (row, column) = ((row + i) as u32, (column + j) as u32);
                self.found.push(Near { row, column, square: tile[i * COLUMNS + j] });
            }
        }
    }
}

struct TakeNearest<'a> {
    rows: &'a mut NearestSoFar,
    columns: &'a mut NearestSoFar,
}

impl TakeTile for TakeNearest<'_> {
    #[inline(always)]
    fn wants(&self, _: usize, _: usize, _: usize) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn take<I: Isa<T = f64>>(&mut self, tile: &[f64], row: usize, column: usize, _: usize) {
        let columns = &mut self.columns.squares[column..column + COLUMNS];
        for (i, line) in tile.chunks_exact(COLUMNS).enumerate() {
            let least = &mut self.rows.squares[row + i];
            // SAFETY: tile and lists have whole panels; the caller guarantees the instruction set.
            let [mut nearer, mut nearer_columns] = unsafe {
                let limit = I::R::splat(*least);
                let mut bits = [0; 2];
                for j in (0..COLUMNS).step_by(I::R::N) {
                    let squares = I::R::load(line.as_ptr().add(j));
                    bits[0] |= squares.less(limit) << j;
                    bits[1] |= squares.less(I::R::load(columns.as_ptr().add(j))) << j;
                }
                bits
            };
            while nearer != 0 {
                let j = nearer.trailing_zeros() as usize;
                nearer &= nearer - 1;
                if line[j] < *least {
                    *least = line[j];
                    self.rows.points[row + i] = (column + j) as u32;
                }
            }
            while nearer_columns != 0 {
                let j = nearer_columns.trailing_zeros() as usize;
                nearer_columns &= nearer_columns - 1;
                columns[j] = line[j];
                self.columns.points[column + j] = (row + i) as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests;

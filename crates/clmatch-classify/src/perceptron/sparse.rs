//! Rows most of whose numbers are zero, and their products with matrices.
//!
//! Sums are made in the order of `matrixmultiply`, which computes the other products: in blocks of [`BLOCK`] terms, each
//! of which starts at zero. Terms that are zero change no finite sum, so that on processors with AVX-512 both give the
//! same bits.
#![allow(unsafe_code)]

use std::array::from_fn;

use clmatch_kernels::simd::{Isa, Level, Register, Work};

/// At most one in this many numbers may be other than zero, on average.
const SHARE: usize = 4;
/// The numbers of a group: matrices need at least this many columns.
pub(super) const LEAST_COLUMNS: usize = 16;
/// The number of terms in a block.
const BLOCK: u32 = 256;
/// The rows and columns of a tile. In the rows and columns that are left beside whole tiles, sums are scaled and rounded
/// before they are added.
const TILE: usize = 16;

/// A number and its position: the column (in rows) or the row (in columns).
#[derive(Debug, Clone, Copy, PartialEq)]
struct SparseEntry {
    value: f32,
    place: u32,
}

/// For each row, the numbers that are not zero, with their columns in ascending order.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    columns: usize,
    /// The start of each row, and the end of the last one.
    starts: Vec<usize>,
    entries: Vec<SparseEntry>,
}

impl Sparse {
    /// Takes the numbers of rows, if few of them are not zero. Time: O(n d).
    pub(super) fn of(values: &[f32], columns: usize) -> Option<Sparse> {
        let count = values.iter().filter(|value| **value != 0.0).count();
        if count > values.len() / SHARE {
            return None;
        }
        let mut sparse = Sparse { columns, starts: vec![0], entries: Vec::with_capacity(count) };
        for row in values.chunks_exact(columns) {
            let entries = row.iter().zip(0..).map(|(&value, place)| SparseEntry { value, place });
            sparse.entries.extend(entries.filter(|entry| entry.value != 0.0));
            sparse.starts.push(sparse.entries.len());
        }
        Some(sparse)
    }

    pub(super) fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn row(&self, row: usize) -> &[SparseEntry] {
        &self.entries[self.starts[row]..self.starts[row + 1]]
    }

    /// Replaces the contents by some rows of `all`.
    pub(super) fn collect(&mut self, all: &Sparse, rows: &[usize]) {
        self.columns = all.columns;
        self.entries.clear();
        self.starts.clear();
        self.starts.push(0);
        for &row in rows {
            self.entries.extend_from_slice(all.row(row));
            self.starts.push(self.entries.len());
        }
    }

    /// Replaces the contents by the transpose of `other`. Time: O(d + numbers that are not zero).
    pub(super) fn transpose(&mut self, other: &Sparse) {
        self.columns = other.rows();
        // The start of each row stays one place too far to the right until the row is filled.
        self.starts.clear();
        self.starts.resize(other.columns + 2, 0);
        other.entries.iter().for_each(|entry| self.starts[entry.place as usize + 2] += 1);
        (2..self.starts.len()).for_each(|at| self.starts[at] += self.starts[at - 1]);
        self.entries.clear();
        self.entries.resize(other.entries.len(), SparseEntry { value: 0.0, place: 0 });
        for row in 0..other.rows() {
            for entry in other.row(row) {
                let start = &mut self.starts[entry.place as usize + 1];
                self.entries[*start] = SparseEntry { value: entry.value, place: row as u32 };
                *start += 1;
            }
        }
        self.starts.pop();
    }

    /// `out += scale * self * matrix`, where all are row after row, and the matrix has at least [`LEAST_COLUMNS`] columns.
    pub(super) fn add_product(&self, scale: f32, matrix: &[f32], out: &mut [f32]) {
        let width = matrix.len() / self.columns;
        assert!(width >= LEAST_COLUMNS && out.len() == self.rows() * width, "a matrix of {width} columns");
        Level::best().run(Product { sparse: self, scale, matrix, width, out });
    }
}

struct Product<'a> {
    sparse: &'a Sparse,
    scale: f32,
    matrix: &'a [f32],
    width: usize,
    out: &'a mut [f32],
}

impl Work<f32> for Product<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f32>>(self) {
        let Product { sparse, scale, matrix, width, out } = self;
        let groups = width.div_ceil(I::LANES);
        // As many sums as fit in registers.
        let most = 8 / I::M;
        for (row, out) in out.chunks_exact_mut(width).enumerate() {
            let is_whole = row < sparse.rows() / TILE * TILE;
            for terms in sparse.row(row).chunk_by(|a, b| a.place / BLOCK == b.place / BLOCK) {
                let sums = WeightedRows { terms, matrix, width, scale, is_whole };
                for first in (0..groups).step_by(most) {
                    // SAFETY: the caller vouches for the instruction set.
                    unsafe {
                        match most.min(groups - first) {
                            1 => sums.add::<I, 1>(first, out),
                            2 => sums.add::<I, 2>(first, out),
                            3 => sums.add::<I, 3>(first, out),
                            4 => sums.add::<I, 4>(first, out),
                            5 => sums.add::<I, 5>(first, out),
                            6 => sums.add::<I, 6>(first, out),
                            7 => sums.add::<I, 7>(first, out),
                            _ => sums.add::<I, 8>(first, out),
                        }
                    }
                }
            }
        }
    }
}

/// Rows of a matrix, each multiplied by a number, to be added to one row.
struct WeightedRows<'a> {
    terms: &'a [SparseEntry],
    matrix: &'a [f32],
    width: usize,
    scale: f32,
    /// Whether the row belongs to a whole tile.
    is_whole: bool,
}

impl WeightedRows<'_> {
    /// Adds the sums of `N` groups of columns.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn add<I: Isa<T = f32>, const N: usize>(&self, first: usize, out: &mut [f32]) {
        let width = self.width;
        assert!(out.len() == width && width >= I::LANES);
        // The last group ends with the row, and may overlap the columns of the group before it.
        let places: [usize; N] = from_fn(|at| ((first + at) * I::LANES).min(width - I::LANES));
        // SAFETY: the caller vouches for the instruction set; a group that begins at one of the places ends within a row.
        unsafe {
            let mut sums = [I::Group::splat(0.0); N];
            for term in self.terms {
                let row = self.matrix[term.place as usize * width..][..width].as_ptr();
                let value = I::Group::splat(term.value);
                for (sum, place) in sums.iter_mut().zip(places) {
                    *sum = value.mul_add(I::Group::load(row.add(place)), *sum);
                }
            }
            let scale = I::Group::splat(self.scale);
            for ((at, sum), place) in sums.into_iter().enumerate().zip(places) {
                let to = out.as_mut_ptr().add(place);
                let old = I::Group::load(to);
                // How many of its columns the group before it has already covered.
                let done = (first + at) * I::LANES - place;
                if self.is_whole && done == 0 {
                    scale.mul_add(sum, old).store(to);
                } else {
                    old.add(scale.mul(sum).keep(u64::MAX << done, I::Group::splat(0.0))).store(to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{MatrixView, Number};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Numbers of which one in ten is not zero, and some rows and columns have none.
    fn scattered(random: &mut ChaCha8Rng, rows: usize, columns: usize) -> Vec<f32> {
        let mut values = vec![0.0; rows * columns];
        for row in (0..rows).filter(|row| row % 7 != 3) {
            for column in (0..columns).filter(|column| column % 11 != 5) {
                if random.random_range(0..10) == 0 {
                    values[row * columns + column] = random.random_range(-1.0..1.0);
                }
            }
        }
        values
    }

    #[test]
    fn products_are_those_of_all_numbers() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let widths = [16, 17, 31, 48, 64, 80, 90, 100, 128, 300];
        let sizes = [(1, 60), (40, 300), (33, 700), (64, 64), (300, 50)];
        for ((rows, columns), width) in sizes.into_iter().flat_map(|size| widths.map(|width| (size, width))) {
            let values = scattered(&mut random, rows, columns);
            let sparse = Sparse::of(&values, columns).unwrap();
            let mut transposed = Sparse::default();
            transposed.transpose(&sparse);
            let view = MatrixView::new(&values, rows, columns);
            for (sparse, view, [m, k]) in
                [(&sparse, view, [rows, columns]), (&transposed, view.transposed(), [columns, rows])]
            {
                let matrix: Vec<f32> = (0..k * width).map(|_| random.random_range(-1.0..1.0)).collect();
                let mut expected: Vec<f32> = (0..m * width).map(|_| random.random_range(-1.0..1.0)).collect();
                let mut found = expected.clone();
                f32::product(0.3, view, MatrixView::new(&matrix, k, width), 1.0, &mut expected);
                sparse.add_product(0.3, &matrix, &mut found);
                for (found, expected) in found.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-5, "{m} x {k} x {width}: {found} {expected}");
                }
                // The sums of matrixmultiply 0.3. If it changes its order, this line goes, and accuracies change a
                // little.
                assert!(Level::best() < Level::Avx512 || found == expected, "{m} x {k} x {width}: the bits");
            }
        }
    }

    #[test]
    fn rows_are_taken_and_numbers_that_are_many_are_not() {
        let values = [0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, -2.0, 0.0, 1.0, 0.0, 0.0];
        let sparse = Sparse::of(&values, 4).unwrap();
        let mut taken = Sparse::default();
        taken.collect(&sparse, &[2, 0, 2]);
        let entries = |sparse: &Sparse| -> Vec<Vec<(u32, f32)>> {
            let row = |row| sparse.row(row).iter().map(|entry| (entry.place, entry.value)).collect();
            (0..sparse.rows()).map(row).collect()
        };
        assert_eq!(entries(&taken), [vec![(1, 1.0)], vec![(2, 3.0)], vec![(1, 1.0)]]);
        let mut transposed = Sparse::default();
        transposed.transpose(&taken);
        assert_eq!(entries(&transposed), [vec![], vec![(0, 1.0), (2, 1.0)], vec![(1, 3.0)], vec![]]);
        // A quarter counts as few, more does not.
        assert!(Sparse::of(&[1.0, 0.0, 0.0, 0.0], 2).is_some());
        assert!(Sparse::of(&[1.0, 0.0, 0.0], 3).is_none());
    }
}

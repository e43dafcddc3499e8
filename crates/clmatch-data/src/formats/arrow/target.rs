//! Some columns of some rows of a matrix, which one thread writes while others write other columns of the same rows.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::ops::Range;

/// Exclusive access to some columns of some rows of a row-major matrix.
pub(super) struct MatrixTarget<'a, T> {
    /// The first column of the first row.
    first: *mut T,
    rows: usize,
    /// The indexes of the columns in the matrix.
    columns: Range<usize>,
    stride: usize,
    matrix: PhantomData<&'a mut [T]>,
}

// SAFETY: like a mutable slice, it can be sent to another thread.
unsafe impl<T: Send> Send for MatrixTarget<'_, T> {}

impl<'a, T> MatrixTarget<'a, T> {
    /// All columns of all rows; each row has `stride` numbers.
    pub(super) fn new(values: &'a mut [T], stride: usize) -> Self {
        assert!(stride > 0 && values.len().is_multiple_of(stride), "whole rows");
        let (rows, first) = (values.len() / stride, values.as_mut_ptr());
        MatrixTarget { first, rows, columns: 0..stride, stride, matrix: PhantomData }
    }

    /// Cuts the target into groups of rows with the given numbers of rows, and each group into ranges of columns, given in
    /// ascending order.
    ///
    /// # Panics
    /// If there are not enough rows, or the ranges overlap or go beyond the target's columns.
    pub(super) fn cut(self, groups: &[usize], ranges: &[Range<usize>]) -> Vec<Vec<MatrixTarget<'a, T>>> {
        let ascending = ranges.is_sorted_by(|a, b| a.end <= b.start)
            && ranges.iter().all(|range| range.start <= range.end);
        let ends = ranges.first().zip(ranges.last());
        let inside = ends.is_none_or(|(a, b)| a.start >= self.columns.start && b.end <= self.columns.end);
        assert!(ascending && inside, "columns {ranges:?} of {:?}", self.columns);
        let mut left = self.rows;
        let mut cut = Vec::with_capacity(groups.len());
        for &rows in groups {
            let start = self.rows - left;
            left = left.checked_sub(rows).expect("rows are left");
            let target = |columns: &Range<usize>| {
                // Does not add to the pointer if there is nothing to point to.
                let place =
                    if rows == 0 { 0 } else { start * self.stride + columns.start - self.columns.start };
                // SAFETY: the row and the column belong to this target. It is consumed, and no two new targets share a row
                // and a column.
                let first = unsafe { self.first.add(place) };
                MatrixTarget {
                    first,
                    rows,
                    columns: columns.clone(),
                    stride: self.stride,
                    matrix: PhantomData,
                }
            };
            cut.push(ranges.iter().map(target).collect());
        }
        cut
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Some rows of the target.
    pub(super) fn some_rows(&mut self, rows: Range<usize>) -> MatrixTarget<'_, T> {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows {rows:?} of {}", self.rows);
        let start = if rows.is_empty() { 0 } else { rows.start * self.stride };
        // SAFETY: the rows belong to this target, which cannot be used while the new one lives.
        let first = unsafe { self.first.add(start) };
        MatrixTarget {
            first,
            rows: rows.len(),
            columns: self.columns.clone(),
            stride: self.stride,
            matrix: PhantomData,
        }
    }

    /// The elements of a column, row by row. Columns are numbered as in the matrix.
    pub(super) fn column(&mut self, column: usize) -> impl Iterator<Item = &mut T> {
        assert!(self.columns.contains(&column), "column {column} of {:?}", self.columns);
        let at = column - self.columns.start;
        let (first, stride) = (self.first, self.stride);
        // SAFETY: every row has this column, and no element is returned twice.
        (0..self.rows).map(move |row| unsafe { &mut *first.add(row * stride + at) })
    }

    /// `N` neighbouring columns of each row. Columns are numbered as in the matrix.
    pub(super) fn groups<const N: usize>(&mut self, first: usize) -> impl Iterator<Item = &mut [T; N]> {
        assert!(
            first >= self.columns.start && first.checked_add(N).is_some_and(|end| end <= self.columns.end),
            "{N} columns from {first} on of {:?}",
            self.columns
        );
        let at = first - self.columns.start;
        let (start, stride) = (self.first, self.stride);
        // SAFETY: every row has these columns, side by side, and no element is returned twice.
        (0..self.rows).map(move |row| unsafe { &mut *start.add(row * stride + at).cast::<[T; N]>() })
    }

    /// Neighbouring columns of a row.
    pub(super) fn row(&mut self, row: usize, columns: Range<usize>) -> &mut [T] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        assert!(
            columns.start >= self.columns.start
                && columns.start <= columns.end
                && columns.end <= self.columns.end,
            "columns {columns:?} of {:?}",
            self.columns
        );
        let start = row * self.stride + columns.start - self.columns.start;
        // SAFETY: the row and its columns belong to this target, and the columns are side by side.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(start), columns.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_write_their_columns_of_the_same_rows() {
        let mut values = vec![0; 16];
        let cut = MatrixTarget::new(&mut values, 4).cut(&[1, 3], &[0..1, 1..4]);
        let [_, second]: [Vec<_>; 2] = cut.try_into().ok().unwrap();
        let [mut left, mut right]: [MatrixTarget<'_, _>; 2] = second.try_into().ok().unwrap();
        std::thread::scope(|threads| {
            threads.spawn(|| left.column(0).zip(1..).for_each(|(place, number)| *place = number));
            threads.spawn(|| {
                right.row(0, 2..4).copy_from_slice(&[50, 60]);
                let mut last = right.some_rows(2..3);
                assert_eq!(last.rows(), 1);
                last.column(3).for_each(|place| *place = 70);
                right.groups::<2>(1).for_each(|[one, _]| *one += 7);
            });
        });
        assert_eq!(values, [0, 0, 0, 0, 1, 7, 50, 60, 2, 7, 0, 0, 3, 7, 0, 70]);
    }

    #[test]
    fn nothing_outside_of_a_target_is_written() {
        let mut values = vec![0; 12];
        type Step = fn(MatrixTarget<'_, i32>);
        let steps: [Step; 11] = [
            |mut target| drop(target.column(0)),
            |mut target| drop(target.column(3)),
            |mut target| assert_eq!(target.some_rows(1..4).rows(), 3),
            |mut target| target.row(3, 1..3).fill(1),
            |mut target| target.row(0, 0..2).fill(1),
            |mut target| target.row(0, 1..4).fill(1),
            |mut target| target.groups::<2>(0).for_each(|group| *group = [1; 2]),
            |mut target| target.groups::<2>(2).for_each(|group| *group = [1; 2]),
            |target| drop(target.cut(&[2, 2], &[1..2, 2..3])),
            |target| drop(target.cut(&[1], &[1..3, 2..3])),
            |target| drop(target.cut(&[1], &[0..1, 1..2])),
        ];
        for (number, step) in steps.into_iter().enumerate() {
            let target = MatrixTarget::new(&mut values, 4).cut(&[3], &[0..1, 1..3]).remove(0).remove(1);
            let step = std::panic::AssertUnwindSafe(|| step(target));
            assert!(std::panic::catch_unwind(step).is_err(), "{number}");
        }
        assert_eq!(values, [0; 12]);
    }
}

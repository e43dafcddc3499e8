//! Rows of squared distances between all points, stored where they fit in memory and computed again where they do not.

use std::ops::Range;

use crate::ties::Ties;
use clmatch::Matrix;
use clmatch_kernels::parallel;
use clmatch_kernels::simd::panels::{Panels, QUERIES};
use clmatch_kernels::{Stop, Stopped};

/// The most bytes that a stored table of distances may take.
const KEPT: usize = 1 << 29;

/// Squared Euclidean distances from each point to all.
///
/// Memory: O(n d), and 8 n^2 bytes where that is at most half a gigabyte (n up to 8192).
pub(crate) struct SquaredRows<'a> {
    points: &'a Matrix<'a>,
    ties: Ties,
    panels: Panels,
    kept: Option<Vec<f64>>,
}

impl<'a> SquaredRows<'a> {
    /// Time: O(n d), or O(n^2 d) where the table is kept.
    pub(crate) fn new(points: &'a Matrix<'a>, ties: Ties, stop: &Stop) -> Result<SquaredRows<'a>, Stopped> {
        SquaredRows::within(points, ties, KEPT, stop)
    }

    /// Like [`SquaredRows::new`], but with another byte limit.
    pub(crate) fn within(
        points: &'a Matrix<'a>,
        ties: Ties,
        bytes: usize,
        stop: &Stop,
    ) -> Result<SquaredRows<'a>, Stopped> {
        let panels = Panels::new(points.rows(), points.n_features());
        let (rows, width) = (points.n_points(), panels.padded());
        let kept = if rows * width * size_of::<f64>() <= bytes {
            let mut table = vec![0.0; rows * width];
            parallel::try_for_chunks_mut(&mut table, QUERIES * width, |chunk, squares| {
                let queries = points.rows().skip(chunk * QUERIES);
                panels.squared_distances_of(0, &queries, squares);
                ties.round(squares);
                stop.check()
            })?;
            Some(table)
        } else {
            None
        };
        Ok(SquaredRows { points, ties, panels, kept })
    }

    /// The points themselves.
    pub(crate) fn points(&self) -> &'a Matrix<'a> {
        self.points
    }

    /// Which distances count as equal.
    pub(crate) fn ties(&self) -> Ties {
        self.ties
    }

    /// The squared distances from one point to all points, itself included, if they are stored.
    pub(crate) fn of(&self, row: usize) -> Option<&[f64]> {
        let table = self.kept.as_ref()?;
        Some(&table[row * self.panels.padded()..][..self.points.n_points()])
    }

    /// Calls `see` with each of the given rows and its squared distances to all points.
    pub(crate) fn each(&self, rows: Range<usize>, mut see: impl FnMut(usize, &[f64])) {
        if self.kept.is_some() {
            return rows.for_each(|row| self.of(row).into_iter().for_each(|squares| see(row, squares)));
        }
        let width = self.panels.padded();
        let mut squares = vec![0.0; rows.len().min(QUERIES) * width];
        for start in rows.clone().step_by(QUERIES) {
            let end = (start + QUERIES).min(rows.end);
            let queries = (start..end).map(|row| self.points.row(row));
            self.panels.squared_distances_of(0, &queries, &mut squares);
            self.ties.round(&mut squares);
            for (row, squares) in (start..end).zip(squares.chunks_exact(width)) {
                see(row, &squares[..self.points.n_points()]);
            }
        }
    }
}

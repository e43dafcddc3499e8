//! Rows of squared distances between all points: kept where they fit, computed again where they do not.

use rayon::prelude::*;

use crate::kernels::Panels;
use crate::matrix::Matrix;
use crate::stop::{Stop, Stopped};

/// Bytes that a kept table of distances takes at most.
const KEPT: usize = 1 << 29;

/// Squared Euclidean distances from each point to all.
///
/// Memory: O(n d), and 8 n^2 bytes where that is at most half a gigabyte (n up to 8192).
pub(crate) struct Rows<'a> {
    points: Matrix<'a>,
    panels: Panels,
    kept: Option<Vec<f64>>,
}

impl<'a> Rows<'a> {
    /// Time: O(n d), or O(n^2 d) where the table is kept.
    pub(crate) fn new(points: Matrix<'a>, stop: &Stop) -> Result<Rows<'a>, Stopped> {
        let panels = Panels::new(points.values().chunks_exact(points.features()), points.features());
        let (rows, width) = (points.rows(), panels.padded());
        let kept = match rows * width * size_of::<f64>() <= KEPT {
            true => {
                let mut table = vec![0.0; rows * width];
                table.par_chunks_exact_mut(width).enumerate().try_for_each(|(row, squares)| {
                    panels.squared_distances(points.row(row), squares);
                    stop.check()
                })?;
                Some(table)
            }
            false => None,
        };
        Ok(Rows { points, panels, kept })
    }

    /// The points themselves.
    pub(crate) fn points(&self) -> Matrix<'a> {
        self.points
    }

    /// Whether rows are kept, so that asking again is cheap.
    pub(crate) fn are_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// A buffer for [`Rows::of`].
    pub(crate) fn buffer(&self) -> Vec<f64> {
        if self.kept.is_some() { Vec::new() } else { vec![0.0; self.panels.padded()] }
    }

    /// Squared distances of one point to all, itself included.
    pub(crate) fn of<'b>(&'b self, row: usize, buffer: &'b mut [f64]) -> &'b [f64] {
        let (rows, width) = (self.points.rows(), self.panels.padded());
        match &self.kept {
            Some(table) => &table[row * width..][..rows],
            None => {
                self.panels.squared_distances(self.points.row(row), buffer);
                &buffer[..rows]
            }
        }
    }
}

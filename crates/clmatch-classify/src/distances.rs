//! All squared distances, for every kernel width and every number of neighbours.

use crate::data::Data;
use crate::kernels::squared_distance;
use clmatch_stop::{Stop, Stopped};

/// Up to this many points the matrix is kept (512 MB); beyond, rows are computed when they are asked for.
const MOST_KEPT: usize = 8192;

/// Squared Euclidean distances between points.
#[derive(Debug)]
pub struct Distances<'a> {
    data: Data<'a>,
    /// Row after row; empty if rows are computed anew.
    kept: Vec<f64>,
}

impl<'a> Distances<'a> {
    /// Computes them, if there are at most 8,192 points.
    ///
    /// Time: O(n^2 d). Memory: 8 n^2 bytes.
    ///
    /// # Errors
    /// [`Stopped`] if the flag was raised.
    pub fn new(data: Data<'a>, stop: &Stop) -> Result<Self, Stopped> {
        Distances::with_limit(data, MOST_KEPT, stop)
    }

    pub(crate) fn with_limit(data: Data<'a>, most_kept: usize, stop: &Stop) -> Result<Self, Stopped> {
        let n = data.n_points();
        if n > most_kept {
            return Ok(Distances { data, kept: Vec::new() });
        }
        let mut kept = vec![0.0; n * n];
        for i in 0..n {
            stop.check()?;
            for j in 0..i {
                let squared = squared_distance(data.row(i), data.row(j));
                kept[i * n + j] = squared;
                kept[j * n + i] = squared;
            }
        }
        Ok(Distances { data, kept })
    }

    /// The points.
    pub fn data(&self) -> Data<'a> {
        self.data
    }

    /// The whole matrix, row after row, where it is kept.
    pub(crate) fn kept(&self) -> Option<&[f64]> {
        (!self.kept.is_empty()).then_some(&self.kept)
    }

    /// The squared distances from one point to others, in their order.
    pub fn to(&self, from: usize, others: &[usize], out: &mut Vec<f64>) {
        out.clear();
        let n = self.data.n_points();
        if self.kept.is_empty() {
            let point = self.data.row(from);
            out.extend(others.iter().map(|&other| squared_distance(point, self.data.row(other))));
        } else {
            let row = &self.kept[from * n..(from + 1) * n];
            out.extend(others.iter().map(|&other| row[other]));
        }
    }
}

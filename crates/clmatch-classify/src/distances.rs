//! All squared distances, shared by every kernel width and every number of neighbours.

use crate::data::Data;
use crate::kernels::squared_distance;
use clmatch_kernels::{Stop, Stopped};

/// Up to this many points, the matrix is stored (512 MB); beyond that, rows are computed when they are needed.
const MOST_KEPT: usize = 8192;

/// Squared Euclidean distances between points.
#[derive(Debug)]
pub struct Distances<'a> {
    data: Data<'a>,
    /// The matrix, row after row; empty if rows are computed on demand.
    kept: Vec<f64>,
}

impl<'a> Distances<'a> {
    /// Computes the distances if there are at most 8,192 points.
    ///
    /// Time: O(n^2 d). Memory: 8 n^2 bytes.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
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

    /// The whole matrix, row after row, if it is stored.
    pub(crate) fn kept(&self) -> Option<&[f64]> {
        (!self.kept.is_empty()).then_some(&self.kept)
    }

    /// The squared distances from one point to others, in the order of `others`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::Matrix;

    #[test]
    fn up_to_the_limit_they_are_kept_and_beyond_they_are_the_same() {
        let points = Matrix::new(&[0.0, 0.0, 3.0, 4.0, 3.0, 0.0], 2).unwrap();
        let data = Data::new(&points, &[0, 1, 1]).unwrap();
        for (most_kept, kept) in [(0, false), (2, false), (3, true), (4, true)] {
            let distances = Distances::with_limit(data, most_kept, &Stop::new()).unwrap();
            assert_eq!(distances.kept().is_some(), kept, "{most_kept}");
            let mut squared = vec![7.0];
            distances.to(1, &[2, 0, 1], &mut squared);
            assert_eq!(squared, [16.0, 25.0, 0.0], "{most_kept}");
        }
    }
}

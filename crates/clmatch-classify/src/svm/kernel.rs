//! The Gaussian kernel, from distances.

use crate::distances::Distances;
use clmatch_kernels::{Stop, Stopped};

/// The similarities `exp(-gamma d^2)` of all points, for one gamma and every fold.
#[derive(Debug)]
pub struct Kernel<'a> {
    distances: &'a Distances<'a>,
    gamma: f64,
    /// The matrix, row after row in single precision, as in LIBSVM; empty where the distances are not stored either.
    kept: Vec<f32>,
}

impl<'a> Kernel<'a> {
    /// Time: O(n^2). Memory: 4 n^2 bytes, or none if the distances are not stored.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn new(distances: &'a Distances<'a>, gamma: f64, stop: &Stop) -> Result<Self, Stopped> {
        let n = distances.data().n_points();
        let mut kept = Vec::new();
        if let Some(matrix) = distances.kept() {
            kept = vec![0.0; n * n];
            for i in 0..n {
                stop.check()?;
                for j in 0..=i {
                    let similar = (-gamma * matrix[i * n + j]).exp() as f32;
                    kept[i * n + j] = similar;
                    kept[j * n + i] = similar;
                }
            }
        }
        Ok(Kernel { distances, gamma, kept })
    }

    /// The similarities of one point with others, in the order of `others`.
    pub(super) fn between(&self, from: usize, others: &[usize], out: &mut Vec<f32>) {
        out.clear();
        if self.kept.is_empty() {
            let mut squared = Vec::with_capacity(others.len());
            self.distances.to(from, others, &mut squared);
            out.extend(squared.iter().map(|squared| (-self.gamma * squared).exp() as f32));
        } else {
            let n = self.distances.data().n_points();
            let row = &self.kept[from * n..(from + 1) * n];
            out.extend(others.iter().map(|&other| row[other]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;

    #[test]
    fn similarities_are_the_same_whether_distances_are_kept_or_not() {
        let points = Matrix::new(&[0.0, 1.0, 3.0], 1).unwrap();
        let data = Data::new(&points, &[0, 1, 1]).unwrap();
        for most_kept in [0, 3] {
            let distances = Distances::with_limit(data, most_kept, &Stop::new()).unwrap();
            let kernel = Kernel::new(&distances, 0.25, &Stop::new()).unwrap();
            assert_eq!(kernel.kept.is_empty(), most_kept == 0);
            let mut similar = vec![7.0];
            kernel.between(1, &[2, 0, 1], &mut similar);
            // From 1 to 3, 0 and 1.
            assert_eq!(similar, [-0.25 * 4.0, -0.25, 0.0].map(|exponent: f64| exponent.exp() as f32));
        }
    }
}

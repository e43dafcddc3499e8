//! The Gaussian kernel, from distances.

use crate::distances::Distances;
use clmatch_stop::{Stop, Stopped};

/// Similarities `exp(-gamma d^2)` of all points, for one gamma and every fold.
#[derive(Debug)]
pub struct Kernel<'a> {
    distances: &'a Distances<'a>,
    gamma: f64,
    /// Row after row in single precision, as LIBSVM keeps them; empty where distances are not kept either.
    kept: Vec<f32>,
}

impl<'a> Kernel<'a> {
    /// Time: O(n^2). Memory: 4 n^2 bytes, none where the distances are not kept.
    ///
    /// # Errors
    /// [`Stopped`] if the flag was raised.
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

    /// The similarities of one point with others, in their order.
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

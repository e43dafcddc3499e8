//! How much each feature varies, computed in one read of the data.

use rayon::prelude::*;

use crate::classes::Classes;
use crate::points::Values;

/// Values in a block: as many as the cache holds.
const BLOCK: usize = 1 << 14;
/// Blocks whose moments are computed before they are merged: keeping the moments of all blocks would take much memory.
const TOGETHER: usize = 32;

/// The variance of each feature over the points that count, up to a factor that all features share. `largest` is the largest
/// absolute value of the numbers: it keeps squares within the range of f64.
///
/// Time: O(n d), one read of the data. Memory: O(d), and O(n) where some points do not count.
pub fn feature_variances(classes: &Classes<'_>, largest: f64) -> Vec<f64> {
    let rows = PointsThatCount::of(classes);
    let features = classes.points().n_features();
    // Multiplying by a power of two does not round.
    let exponent = largest.log2().floor().clamp(-1022.0, 1022.0) as i32;
    let factor = 2.0_f64.powi(-exponent);
    match classes.points().values() {
        Values::F64(values) => RowMoments::of(values, features, &rows, factor).squares,
        Values::F32(values) => RowMoments::of(values, features, &rows, factor).squares,
    }
}

/// The rows that count, in the order of the input.
struct PointsThatCount {
    /// `None` if all rows count.
    some: Option<Vec<usize>>,
    count: usize,
}

impl PointsThatCount {
    fn of(classes: &Classes<'_>) -> Self {
        let count = classes.n_points();
        let some = (count < classes.points().n_points()).then(|| {
            let mut rows = classes.order().to_vec();
            rows.sort_unstable();
            rows
        });
        PointsThatCount { some, count }
    }

    fn row(&self, at: usize) -> usize {
        self.some.as_ref().map_or(at, |rows| rows[at])
    }
}

/// Means, and sums of squared deviations from them, of all features over some rows.
struct RowMoments {
    rows: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl RowMoments {
    /// The moments, merged block by block in their order, however many threads there are.
    fn of<T: Copy + Into<f64> + Sync>(
        values: &[T],
        features: usize,
        rows: &PointsThatCount,
        factor: f64,
    ) -> Self {
        let mut all = RowMoments::zero(features);
        let in_block = (BLOCK / features).max(2);
        let starts: Vec<usize> = (0..rows.count).step_by(in_block).collect();
        for some in starts.chunks(TOGETHER) {
            let parts: Vec<RowMoments> = some
                .par_iter()
                .map(|&start| {
                    let block = start..(start + in_block).min(rows.count);
                    let row = |at: usize| &values[rows.row(at) * features..][..features];
                    RowMoments::of_block(block.map(row), features, factor)
                })
                .collect();
            parts.iter().for_each(|part| all.merge(part));
        }
        all
    }

    fn zero(features: usize) -> Self {
        RowMoments { rows: 0.0, means: vec![0.0; features], squares: vec![0.0; features] }
    }

    /// Reads a block twice while it is in the cache: once for its means, once for the deviations from them.
    fn of_block<'a, T: Copy + Into<f64> + 'a>(
        block: impl ExactSizeIterator<Item = &'a [T]> + Clone,
        features: usize,
        factor: f64,
    ) -> Self {
        let mut part = RowMoments { rows: block.len() as f64, ..RowMoments::zero(features) };
        for row in block.clone() {
            part.means.iter_mut().zip(row).for_each(|(mean, &value)| *mean += value.into() * factor);
        }
        part.means.iter_mut().for_each(|mean| *mean /= part.rows);
        for row in block {
            for ((square, mean), &value) in part.squares.iter_mut().zip(&part.means).zip(row) {
                let deviation = value.into() * factor - mean;
                *square += deviation * deviation;
            }
        }
        part
    }

    /// Merges the moments of two sets, by the formulas of Chan, Golub and LeVeque.
    fn merge(&mut self, part: &RowMoments) {
        let rows = self.rows + part.rows;
        for at in 0..self.means.len() {
            let apart = part.means[at] - self.means[at];
            self.means[at] += apart * part.rows / rows;
            self.squares[at] += part.squares[at] + apart * apart * self.rows * part.rows / rows;
        }
        self.rows = rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_put_together() {
        // Far more rows than a block holds, in ascending order, so that the means of the blocks differ.
        let rows = 3 * BLOCK;
        let values: Vec<f64> = (0..rows).flat_map(|at| [at as f64, (at % 2) as f64 * 1e4]).collect();
        let sums = RowMoments::of(&values, 2, &PointsThatCount { some: None, count: rows }, 1.0);
        let n = rows as f64;
        // The variance of 0..n is (n^2 - 1) / 12, that of a fair coin 1/4.
        for (found, expected) in sums.squares.iter().zip([(n * n - 1.0) / 12.0, 1e8 / 4.0]) {
            assert!((found / n / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        }
    }
}

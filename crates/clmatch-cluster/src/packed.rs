//! Points in the two forms that the centroid techniques use: as rows, and packed in blocks.

use std::ops::Range;

use crate::{Stop, Stopped};
use clmatch::Matrix;
use clmatch_kernels::parallel;
use clmatch_kernels::simd::tiles::{BLOCK, Blocks, Groups, Nearest, two_nearest};

/// Blocks that a thread handles at a time: 256 points, which take a few milliseconds at most with a hundred centres in
/// thousands of features, so that a raised [`Stop`] is noticed soon.
pub(crate) const CHUNK: usize = 16;

/// Points in rows and in blocks. Memory: O(n d).
pub(crate) struct PackedPoints<'a> {
    /// The rows.
    pub(crate) points: &'a Matrix<'a>,
    /// The points, packed in blocks.
    pub(crate) blocks: Blocks,
}

impl<'a> PackedPoints<'a> {
    /// Packs all rows.
    pub(crate) fn new(points: &'a Matrix<'a>) -> Self {
        let rows = points.rows();
        PackedPoints { points, blocks: Blocks::new(rows, points.n_features()) }
    }

    /// How many chunks of [`CHUNK`] blocks there are.
    pub(crate) fn chunks(&self) -> usize {
        self.blocks.count().div_ceil(CHUNK)
    }

    /// The blocks of a chunk.
    pub(crate) fn blocks_of(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK..((chunk + 1) * CHUNK).min(self.blocks.count())
    }

    /// For each point, the two nearest of some centres, which are given row after row.
    ///
    /// Time: O(n k d), in parallel.
    pub(crate) fn nearest(&self, centres: &[f64], stop: &Stop) -> Result<Vec<Nearest>, Stopped> {
        let features = self.points.n_features();
        let groups = Groups::new(centres.chunks_exact(features), features);
        let nobody = Nearest { centre: 0, first: 0.0, second: 0.0 };
        let mut nearest = vec![nobody; self.blocks.count() * BLOCK];
        parallel::try_for_chunks_mut(&mut nearest, CHUNK * BLOCK, |chunk, nearest| {
            stop.check()?;
            two_nearest(&self.blocks, self.blocks_of(chunk), &groups, nearest);
            Ok(())
        })?;
        nearest.truncate(self.points.n_points());
        Ok(nearest)
    }
}

/// The means of the points of each label in 0..clusters, row after row, and the number of points with each label. A label
/// without points has the mean 0.
///
/// Time: O(n d).
pub(crate) fn means(points: &Matrix<'_>, labels: &[u32], clusters: usize) -> (Vec<f64>, Vec<usize>) {
    let features = points.n_features();
    let mut sums = vec![0.0; clusters * features];
    let mut counts = vec![0_usize; clusters];
    for (row, &label) in points.rows().zip(labels) {
        counts[label as usize] += 1;
        let sum = &mut sums[label as usize * features..][..features];
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    for (sum, &count) in sums.chunks_exact_mut(features).zip(&counts) {
        sum.iter_mut().for_each(|sum| *sum /= count.max(1) as f64);
    }
    (sums, counts)
}

/// Labels in the type that the crate returns.
pub(crate) fn signed(labels: &[u32]) -> Vec<i32> {
    labels.iter().map(|&label| label as i32).collect()
}

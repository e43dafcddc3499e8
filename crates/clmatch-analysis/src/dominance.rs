//! One feature that outweighs all others: distances are then hardly more than its differences.

use clmatch::{Classes, Values};
use clmatch_data::{Advice, Dataset};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::remark::Remark;
use crate::scores::Scores;

/// A feature with more than this share of the variance dominates: all others together decide less than a tenth of a
/// squared distance.
const DOMINANT: f64 = 0.9;
/// Up to so many points, all measures are computed in well under a second: the scores with the other scaling are shown
/// beside the ones that were asked for.
pub(crate) const SCORED_TWICE: usize = 20_000;

/// Values that are looked at together: as many as the cache holds.
const BLOCK: usize = 1 << 14;
/// Blocks that are looked at before their moments are put together: moments of all blocks would take much memory.
const TOGETHER: usize = 32;

/// A feature that outweighs all others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dominance {
    /// Its name.
    pub feature: String,
    /// Its share of the variance of all features.
    pub share: f64,
    /// The scores when every feature has the same weight (scaled by standard), if they were computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard: Option<Scores>,
}

impl Dominance {
    /// The feature that dominates the points that count, if one of several does.
    ///
    /// Time: O(n d), one read of the data. Memory: O(d), and O(n) where some points do not count.
    pub(crate) fn of(dataset: &Dataset, classes: &Classes<'_>) -> Option<Self> {
        if dataset.n_features() < 2 {
            return None;
        }
        let variances = variances(dataset, &PointsThatCount::of(classes));
        let total: f64 = variances.iter().sum();
        let (at, most) = variances.iter().enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let share = most / total;
        let feature = || dataset.features()[at].clone();
        (share > DOMINANT).then(|| Dominance { feature: feature(), share, standard: None })
    }

    /// The share as people read it; what is not all of it is never rounded up to that.
    pub fn percent(&self) -> String {
        let most = if self.share < 1.0 { 99.9 } else { 100.0 };
        format!("{:.1}%", (100.0 * self.share).min(most))
    }

    /// What should be said about it.
    pub(crate) fn remark(&self) -> Remark {
        let text = format!("the feature '{}' carries {} of the variance", self.feature, self.percent());
        Remark::info(text).advise(Advice::EqualWeights)
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

/// The variance of each feature over some rows, times their number, up to a common factor.
fn variances(dataset: &Dataset, rows: &PointsThatCount) -> Vec<f64> {
    // A power of two rounds nothing, and keeps squares inside the range of numbers.
    let exponent = dataset.largest().log2().floor().clamp(-1022.0, 1022.0) as i32;
    let factor = 2.0_f64.powi(-exponent);
    match dataset.values() {
        Values::F64(values) => Moments::of(values, dataset.n_features(), rows, factor).squares,
        Values::F32(values) => Moments::of(values, dataset.n_features(), rows, factor).squares,
    }
}

/// Means, and sums of squared deviations from them, of all features over some rows.
struct Moments {
    rows: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Moments {
    /// Block by block, in their order however many threads there are.
    fn of<T: Copy + Into<f64> + Sync>(
        values: &[T],
        features: usize,
        rows: &PointsThatCount,
        factor: f64,
    ) -> Self {
        let mut all = Moments::zero(features);
        let in_block = (BLOCK / features).max(2);
        let starts: Vec<usize> = (0..rows.count).step_by(in_block).collect();
        for some in starts.chunks(TOGETHER) {
            let parts: Vec<Moments> = some
                .par_iter()
                .map(|&start| {
                    let block = start..(start + in_block).min(rows.count);
                    let row = |at: usize| &values[rows.row(at) * features..][..features];
                    Moments::of_block(block.map(row), features, factor)
                })
                .collect();
            parts.iter().for_each(|part| all.merge(part));
        }
        all
    }

    fn zero(features: usize) -> Self {
        Moments { rows: 0.0, means: vec![0.0; features], squares: vec![0.0; features] }
    }

    /// A block is read twice while it is in the cache, for its means and for the deviations from them.
    fn of_block<'a, T: Copy + Into<f64> + 'a>(
        block: impl ExactSizeIterator<Item = &'a [T]> + Clone,
        features: usize,
        factor: f64,
    ) -> Self {
        let mut part = Moments { rows: block.len() as f64, ..Moments::zero(features) };
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

    /// Chan, Golub and LeVeque: the moments of two sets from those of each.
    fn merge(&mut self, part: &Moments) {
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
    use clmatch::Labels;

    fn dominance(columns: [[f64; 4]; 2]) -> Option<Dominance> {
        let values: Vec<f64> = (0..4).flat_map(|row| columns.map(|column| column[row])).collect();
        let names = ["small", "large"].map(String::from).to_vec();
        let dataset = Dataset::new("any", names, values, Labels::encode(["a", "a", "b", "b"])).unwrap();
        let classes = Classes::new(dataset.points(), dataset.labels()).unwrap();
        Dominance::of(&dataset, &classes)
    }

    #[test]
    fn the_share_by_hand() {
        // Variances 1 and 16: 16/17 of the total.
        let found = dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 8.0, 8.0, 0.0]]).unwrap();
        assert_eq!((found.feature.as_str(), found.standard.as_ref()), ("large", None));
        assert!((found.share - 16.0 / 17.0).abs() < 1e-15);
        assert_eq!(found.percent(), "94.1%");
        // Variances 1 and 4: 80% is a large share, but leaves something to the other.
        assert_eq!(dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 4.0, 4.0, 0.0]]), None);
    }

    #[test]
    fn blocks_are_put_together() {
        // Far more rows than a block holds, in order, so that the means of the blocks differ.
        let rows = 3 * BLOCK;
        let values: Vec<f64> = (0..rows).flat_map(|at| [at as f64, (at % 2) as f64 * 1e4]).collect();
        let sums = Moments::of(&values, 2, &PointsThatCount { some: None, count: rows }, 1.0);
        let n = rows as f64;
        // The variance of 0..n is (n^2 - 1) / 12, that of a fair coin 1/4.
        for (found, expected) in sums.squares.iter().zip([(n * n - 1.0) / 12.0, 1e8 / 4.0]) {
            assert!((found / n / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn numbers_of_any_size_are_compared() {
        for unit in [1e-300, 1e300] {
            let found = dominance([[1.0, 3.0, 1.0, 3.0], [0.0, 8.0, 8.0, 0.0]].map(|c| c.map(|x| x * unit)));
            assert!((found.unwrap().share - 16.0 / 17.0).abs() < 1e-15);
        }
        assert_eq!(dominance([[5.0; 4], [7.0; 4]]), None, "nothing varies");
        // Far from 0, and a share that must not be called all of it.
        let found = dominance([[1e6, 1e6 + 1e2, 1e6, 1e6], [1e6, 2e6, 1e6, 2e6]]).unwrap();
        assert_eq!(found.percent(), "99.9%");
    }
}

//! Squared Euclidean distances from one point to many, by differences: exact to rounding wherever the points are.
//!
//! The points are packed in panels of [`LANES`] points, feature after feature, so that a group of lanes holds one feature of
//! eight points. Differences are used because products of matrices (`|x|^2 - 2 x.y + |y|^2`) lose the small distances on
//! which density techniques depend.

use crate::simd::isa::{Isa, LANES, Work};
use crate::simd::level::Level;
use crate::simd::pack::Packing;
use crate::simd::register::Register;
use crate::simd::tile::accumulate;

/// How many queries share panels in [`Panels::squared_distances_of`].
pub const QUERIES: usize = 16;
/// How many bytes of panels stay in the cache for several queries.
const CACHED: usize = 256 << 10;
/// How many panels are processed at a time, so that the sums of one do not wait for each other.
const AT_ONCE: usize = 4;

/// Points packed for [`Panels::squared_distances`]. Memory: O(n d).
#[derive(Debug, Clone)]
pub struct Panels {
    /// Panel after panel, feature after feature, lane after lane; missing points of the last panel are 0.
    values: Vec<f64>,
    rows: usize,
    features: usize,
}

impl Panels {
    /// Packs rows of `features` numbers; `features` is at least one.
    pub fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [f64]>, features: usize) -> Self {
        let count = rows.len();
        let mut values = vec![0.0; count.next_multiple_of(LANES) * features];
        Packing::plain(features, LANES).pack(rows, &mut values);
        Panels { values, rows: count, features }
    }

    /// How many points are packed.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many numbers [`Panels::squared_distances`] writes: the number of points, rounded up to whole panels.
    #[must_use]
    pub fn padded(&self) -> usize {
        self.rows.next_multiple_of(LANES)
    }

    /// Writes the squared distance of `query` to each point; the numbers after the last point are meaningless.
    ///
    /// Time: O(n d). Memory: O(1).
    pub fn squared_distances(&self, query: &[f64], squares: &mut [f64]) {
        self.squared_distances_from(0, query, squares);
    }

    /// Like [`Panels::squared_distances`], for the points from panel `first` on.
    pub fn squared_distances_from(&self, first: usize, query: &[f64], squares: &mut [f64]) {
        let panels = &self.values[first * LANES * self.features..];
        let squares = &mut squares[..panels.len() / self.features];
        Level::best().run(Squares { panels, query: self.checked(query), squares });
    }

    /// [`Panels::squared_distances_from`] for several queries, each with its own row of `squares`: all queries use some
    /// panels at a time while these are in the cache.
    ///
    /// Time: O(n d) for each query. Memory traffic: O(n d) for all of them.
    pub fn squared_distances_of<'q>(
        &self,
        first: usize,
        queries: &(impl Iterator<Item = &'q [f64]> + Clone),
        squares: &mut [f64],
    ) {
        let (count, width) = (self.padded() / LANES, self.padded() - first * LANES);
        let panel = LANES * self.features;
        let step = (CACHED / (panel * size_of::<f64>())).next_multiple_of(AT_ONCE).max(AT_ONCE);
        for start in (first..count).step_by(step) {
            let end = (start + step).min(count);
            let panels = &self.values[start * panel..end * panel];
            let place = (start - first) * LANES..(end - first) * LANES;
            for (query, squares) in queries.clone().zip(squares.chunks_exact_mut(width)) {
                let squares = &mut squares[place.clone()];
                Level::best().run(Squares { panels, query: self.checked(query), squares });
            }
        }
    }

    fn checked<'q>(&self, query: &'q [f64]) -> &'q [f64] {
        assert_eq!(query.len(), self.features, "features of a query");
        query
    }
}

/// Squared distances of a query to whole panels with the same number of features.
struct Squares<'a> {
    panels: &'a [f64],
    query: &'a [f64],
    squares: &'a mut [f64],
}

impl Work<f64> for Squares<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        let Squares { panels, query, squares } = self;
        let panel = LANES * query.len();
        let mut several = panels.chunks_exact(AT_ONCE * panel);
        let mut outs = squares.chunks_exact_mut(AT_ONCE * LANES);
        // SAFETY: the caller guarantees the instruction set.
        unsafe {
            for (panels, out) in several.by_ref().zip(outs.by_ref()) {
                squares_to::<I, AT_ONCE>(panels, query, out);
            }
            let outs = outs.into_remainder().chunks_exact_mut(LANES);
            for (panels, out) in several.remainder().chunks_exact(panel).zip(outs) {
                squares_to::<I, 1>(panels, query, out);
            }
        }
    }
}

/// Squared distances of a query to `COUNT` panels.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn squares_to<I: Isa<T = f64>, const COUNT: usize>(panels: &[f64], query: &[f64], out: &mut [f64]) {
    let panel = LANES * query.len();
    assert!(panels.len() == COUNT * panel && out.len() == COUNT * LANES);
    // SAFETY: the caller guarantees the instruction set, the assertion the sizes.
    unsafe {
        let mut sums = [[I::Group::splat(0.0); COUNT]];
        let left = |k: usize, _: usize| query.as_ptr().wrapping_add(k);
        let right = |k: usize, j: usize| panels.as_ptr().wrapping_add(j * panel + k * LANES);
        accumulate::<I::Group, 1, COUNT, true>(&mut sums, query.len(), left, right);
        for (j, sum) in sums[0].iter().enumerate() {
            sum.store(out.as_mut_ptr().add(j * LANES));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sizes_agree_with_the_definition() {
        for rows in [1, 7, 8, 9, 31, 32, 33, 70] {
            // With the last number of features, points take so many bytes that several queries share 32 rows at a time.
            for features in [1, 2, 5, 17, 1030] {
                let values: Vec<f64> =
                    (0..rows * features).map(|i| (i * i % 97) as f64 * 0.37 - 11.0).collect();
                let panels = Panels::new(values.chunks_exact(features), features);
                let query = &values[(rows / 2) * features..][..features];
                let mut squares = vec![f64::NAN; panels.padded() + 3];
                panels.squared_distances(query, &mut squares);
                assert_eq!(squares[rows / 2], 0.0);
                assert!(squares[panels.padded()..].iter().all(|square| square.is_nan()));
                for level in Level::ALL {
                    let mut at_level = vec![f64::NAN; panels.padded()];
                    level.run(Squares { panels: &panels.values, query, squares: &mut at_level });
                    for (row, square) in values.chunks_exact(features).zip(&at_level) {
                        let direct: f64 = row.iter().zip(query).map(|(a, b)| (a - b) * (a - b)).sum();
                        assert!((square - direct).abs() <= 1e-12 * direct, "{level:?}: {rows} x {features}");
                    }
                    assert!(level < Level::best() || at_level[..rows] == squares[..rows]);
                }
                let mut later = vec![f64::NAN; panels.padded() + 100];
                panels.squared_distances_from(rows / LANES, query, &mut later);
                assert_eq!(later[..rows % LANES], squares[rows / LANES * LANES..rows]);
                for first in [0, rows / LANES / 2] {
                    let queries = values.chunks_exact(features);
                    let width = panels.padded() - first * LANES;
                    let mut all = vec![f64::NAN; rows * width];
                    panels.squared_distances_of(first, &queries, &mut all);
                    assert_eq!(all[rows / 2 * width..][..rows - first * LANES], squares[first * LANES..rows]);
                }
            }
        }
    }
}

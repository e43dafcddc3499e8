//! Euclidean distances between all points, computed once for many fits.

use std::sync::OnceLock;

use crate::ties::{Ties, rounded};
use crate::{Stop, Stopped};
use clmatch::Matrix;
use clmatch_kernels::parallel;
use clmatch_kernels::simd::panels::Panels;
use clmatch_kernels::simd::tiles::{BLOCK, Blocks, GROUP, Groups, tile};

/// Rows that a thread computes at a time: 4 groups, while a block of points stays in the L1 cache.
const ROWS: usize = 4 * GROUP;
/// Blocks between two checks of [`Stop`].
const BLOCKS: usize = 64;

/// The distances between all points of a dataset.
///
/// They are stored as f64 up to [`Distances::DOUBLE_BYTES`] (n up to 11,585) and as f32 up to [`Distances::SINGLE_BYTES`]
/// (n up to 32,768); beyond that, they are computed each time they are needed. A distance in f32 has a relative error of
/// at most 6e-8 (zero stays zero, and equal distances stay equal). Sums of distances are always accumulated in f64, so
/// that an objective has the same relative error, and only candidates that are closer to each other than that may change
/// places.
#[derive(Debug)]
pub struct Distances {
    rows: usize,
    storage: Storage,
    /// All points, the most central ones first; computed by the first fit that needs them, and reused by all later ones.
    pub(crate) central: OnceLock<Vec<usize>>,
}

#[derive(Debug)]
enum Storage {
    /// The matrix, row after row.
    Double(Vec<f64>),
    /// The matrix, row after row, in single precision.
    Single(Vec<f32>),
    /// The points themselves: as queries, and packed.
    Points { points: Matrix<'static>, panels: Panels, ties: Ties },
}

/// The distances from one point to all points.
#[derive(Clone, Copy)]
pub(crate) enum DistanceRow<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

impl Distances {
    /// The largest matrix of f64: 1 GiB.
    pub const DOUBLE_BYTES: usize = 1 << 30;
    /// The largest matrix of f32: 4 GiB.
    pub const SINGLE_BYTES: usize = 4 << 30;

    /// Computes all distances, or prepares to compute them on demand.
    ///
    /// Time: O(n^2 d), in parallel. Memory: O(n^2) up to the limits above, O(n d) beyond.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn new(points: &Matrix<'_>, ties: Ties, stop: &Stop) -> Result<Self, Stopped> {
        Self::within(points, ties, Self::DOUBLE_BYTES, Self::SINGLE_BYTES, stop)
    }

    /// Like [`Distances::new`], but with other byte limits for the matrices of f64 and f32.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn within(
        points: &Matrix<'_>,
        ties: Ties,
        double_bytes: usize,
        single_bytes: usize,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let (rows, features) = (points.n_points(), points.n_features());
        let fits = |size: usize, bytes: usize| {
            rows.checked_mul(rows).and_then(|n| n.checked_mul(size)).is_some_and(|needed| needed <= bytes)
        };
        let storage = if fits(size_of::<f64>(), double_bytes) {
            match ties {
                Ties::Rounded => Storage::Double(matrix(points, rounded, stop)?),
                Ties::Exact => Storage::Double(matrix(points, |distance| distance, stop)?),
            }
        } else if fits(size_of::<f32>(), single_bytes) {
            Storage::Single(matrix(points, |distance| distance as f32, stop)?)
        } else {
            let panels = Panels::new(points.rows(), features);
            Storage::Points { points: points.clone().into_owned(), panels, ties }
        };
        Ok(Distances { rows, storage, central: OnceLock::new() })
    }

    /// How many points there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The distance between two points.
    pub fn get(&self, a: usize, b: usize) -> f64 {
        match &self.storage {
            Storage::Double(values) => values[a * self.rows + b],
            Storage::Single(values) => f64::from(values[a * self.rows + b]),
            Storage::Points { .. } => self.row(a, &mut vec![]).at(b),
        }
    }

    /// The distances from one point to all points; `scratch` holds them if they are not stored.
    ///
    /// Time: O(1) where they are stored, O(n d) otherwise.
    pub(crate) fn row<'a>(&'a self, at: usize, scratch: &'a mut Vec<f64>) -> DistanceRow<'a> {
        match &self.storage {
            Storage::Double(values) => DistanceRow::Double(&values[at * self.rows..][..self.rows]),
            Storage::Single(values) => DistanceRow::Single(&values[at * self.rows..][..self.rows]),
            Storage::Points { points, panels, ties } => {
                scratch.resize(panels.padded(), 0.0);
                panels.squared_distances(points.row(at), scratch);
                scratch.truncate(panels.rows());
                scratch.iter_mut().for_each(|square| *square = square.sqrt());
                ties.round(scratch);
                DistanceRow::Double(scratch)
            }
        }
    }
}

impl DistanceRow<'_> {
    /// The distance to one point.
    #[inline(always)]
    pub(crate) fn at(self, point: usize) -> f64 {
        match self {
            DistanceRow::Double(row) => row[point],
            DistanceRow::Single(row) => f64::from(row[point]),
        }
    }

    /// Calls a function with each point's number and distance, in ascending order of the numbers.
    #[inline(always)]
    pub(crate) fn each(self, mut take: impl FnMut(usize, f64)) {
        match self {
            DistanceRow::Double(row) => row.iter().enumerate().for_each(|(at, &distance)| take(at, distance)),
            DistanceRow::Single(row) => {
                row.iter().enumerate().for_each(|(at, &distance)| take(at, f64::from(distance)));
            }
        }
    }

    /// The sum of the distances to some points.
    pub(crate) fn sum_over(self, members: &[u32]) -> f64 {
        match self {
            DistanceRow::Double(row) => sum(members, |at| row[at]),
            DistanceRow::Single(row) => sum(members, |at| f64::from(row[at])),
        }
    }

    /// Adds the distances to `members`, times a factor, to `sums`.
    pub(crate) fn add_to(self, members: &[u32], factor: f64, sums: &mut [f64]) {
        match self {
            DistanceRow::Double(row) => {
                sums.iter_mut().zip(members).for_each(|(sum, &at)| *sum += factor * row[at as usize]);
            }
            DistanceRow::Single(row) => sums
                .iter_mut()
                .zip(members)
                .for_each(|(sum, &at)| *sum += factor * f64::from(row[at as usize])),
        }
    }
}

/// Sums into eight independent accumulators, which are added in a fixed order.
#[inline(always)]
fn sum(members: &[u32], distance: impl Fn(usize) -> f64) -> f64 {
    const SUMS: usize = 8;
    let mut sums = [0.0; SUMS];
    let (wholes, rest) = members.as_chunks::<SUMS>();
    for members in wholes {
        for (sum, &at) in sums.iter_mut().zip(members) {
            *sum += distance(at as usize);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|&at| distance(at as usize)).sum::<f64>()
}

/// All distances, row after row, computed for [`ROWS`] rows at a time against one block after the other.
fn matrix<T: Copy + Default + Send + Sync>(
    points: &Matrix<'_>,
    store: impl Fn(f64) -> T + Sync,
    stop: &Stop,
) -> Result<Vec<T>, Stopped> {
    let (rows, features) = (points.n_points(), points.n_features());
    let blocks = Blocks::new(points.rows(), features);
    let mut values = vec![T::default(); rows * rows];
    parallel::try_for_chunks_mut(&mut values, ROWS * rows, |at, out| {
        let first = at * ROWS;
        let count = out.len() / rows;
        let queries = points.values()[first * features..][..count * features].chunks_exact(features);
        let groups = Groups::new(queries, features);
        for block in 0..blocks.count() {
            if block % BLOCKS == 0 {
                stop.check()?;
            }
            let lanes = block * BLOCK..((block + 1) * BLOCK).min(rows);
            for group in 0..groups.count() {
                let squares = tile(&blocks, block, &groups, group);
                let outs = out[group * GROUP * rows..].chunks_exact_mut(rows);
                for (out, squares) in outs.zip(&squares) {
                    let roots = squares.map(f64::sqrt);
                    for (out, root) in out[lanes.clone()].iter_mut().zip(roots) {
                        *out = store(root);
                    }
                }
            }
        }
        Ok(())
    })?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scattered::numbers;

    #[test]
    fn all_storages_hold_the_distances() {
        for (rows, features) in [(1, 1), (7, 2), (16, 3), (35, 5), (100, 20)] {
            let values = numbers(rows * features, 11);
            let points = Matrix::new(&values, features).unwrap();
            let stop = Stop::new();
            let double = Distances::new(&points, Ties::Exact, &stop).unwrap();
            let single = Distances::within(&points, Ties::Exact, 0, usize::MAX, &stop).unwrap();
            let none = Distances::within(&points, Ties::Exact, 0, 0, &stop).unwrap();
            assert!(matches!(double.storage, Storage::Double(_)));
            assert!(matches!(single.storage, Storage::Single(_)));
            assert!(matches!(none.storage, Storage::Points { .. }));
            for a in 0..rows {
                for b in 0..rows {
                    let square: f64 =
                        points.row(a).iter().zip(points.row(b)).map(|(a, b)| (a - b) * (a - b)).sum();
                    let direct = square.sqrt();
                    assert!((double.get(a, b) - direct).abs() <= 1e-13 * direct);
                    assert!((none.get(a, b) - direct).abs() <= 1e-13 * direct);
                    assert!((single.get(a, b) - direct).abs() <= 6e-8 * direct);
                    assert_eq!(double.get(a, b), double.get(b, a));
                }
            }
            let members: Vec<u32> = (0..rows as u32).step_by(3).collect();
            let mut scratch = vec![];
            let direct: f64 = members.iter().map(|&at| double.get(0, at as usize)).sum();
            for distances in [&double, &single, &none] {
                let row = distances.row(0, &mut scratch);
                assert!((row.sum_over(&members) - direct).abs() <= 6e-8 * direct);
                let mut sums = vec![1.0; members.len()];
                row.add_to(&members, -2.0, &mut sums);
                for (&at, sum) in members.iter().zip(sums) {
                    assert!((sum - (1.0 - 2.0 * double.get(0, at as usize))).abs() <= 1e-6);
                }
            }
        }
    }

    #[test]
    fn a_raised_flag_stops() {
        let stop = Stop::new();
        stop.raise();
        let points = Matrix::new(&[0.0, 1.0], 1).unwrap();
        assert!(Distances::new(&points, Ties::Exact, &stop).is_err());
    }
}

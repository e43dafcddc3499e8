//! X-Means (Pelleg and Moore 2000): K-Means that splits clusters in two while the Bayesian information criterion rises.
//!
//! For the R points of one parent cluster, seen as K spherical Gaussians of one variance in M dimensions,
//!
//! s^2 = sum_i |x_i - m_(i)|^2 / (R - K),
//! l_n = R_n ln R_n - R_n ln R - R_n/2 ln(2 pi) - R_n M/2 ln s^2 - (R_n - K)/2,
//! BIC = sum_n (l_n - p/2 ln R)    with p = (K - 1) + M K + 1 free parameters,
//!
//! where R_n is the size of cluster n and m_(i) the centre of point i. The penalty is taken once per cluster, as in the
//! library pyclustering (the paper takes it once). This reproduces what was measured with that library, and a split has
//! to pay a little more. If R <= K or s^2 = 0, the description is perfect and BIC is infinite.

mod rounds;

pub use self::rounds::XMeansFits;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::packed::{PackedPoints, means};
use crate::{Stop, Stopped};
use clmatch::Matrix;
use clmatch_kernels::parallel;
use clmatch_kernels::simd::tiles::squared_distance;

/// The most iterations of a K-Means.
const ITERATIONS: usize = 100;
/// How many draws are made for the second of the first two centres; the farthest point is taken.
const FIRST_DRAWS: usize = 3;
/// How many draws are made for the second centre when a cluster is halved.
const SPLIT_DRAWS: usize = 5;

/// X-Means with its settings.
///
/// Degenerate input: points that all coincide, a single point, or `kmax` below 2 make one cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct XMeans {
    /// The most clusters; 20 by default.
    pub kmax: usize,
    /// An inner K-Means ends once no centre moves by more than this; 0.001 by default. It is compared with the
    /// **squared** distance moved, as in pyclustering.
    pub tolerance: f64,
    /// How often to try to halve a cluster; the smallest sum of squares is taken. 1 by default; 0 counts as 1.
    pub repeats: usize,
    /// The seed of the random draws; 0 by default.
    pub seed: u64,
}

impl Default for XMeans {
    fn default() -> Self {
        XMeans { kmax: 20, tolerance: 0.001, repeats: 1, seed: 0 }
    }
}

/// What [`XMeans`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct XMeansFit {
    /// The cluster of each point, from 0; no cluster is empty.
    pub labels: Vec<i32>,
    /// The mean of each cluster, row after row.
    pub centroids: Vec<f64>,
    /// Sum of squared distances of the points to the centroids of their clusters.
    pub inertia: f64,
    /// Rounds of improving and splitting.
    pub iterations: usize,
    /// For which other settings a fit with this seed is the same.
    pub valid: XMeansValid,
}

/// The settings for which a fit is the same, so that one fit answers for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct XMeansValid {
    /// The fit is the same for every `kmax` from this one on; `None` if `kmax` prevented a split.
    pub kmax_from: Option<usize>,
    /// The smallest tolerance: the largest squared move that counted as none.
    pub tolerance_from: f64,
    /// The tolerance must be below this: the smallest squared move that counted as one.
    pub tolerance_below: f64,
}

impl XMeansValid {
    const ANY: XMeansValid =
        XMeansValid { kmax_from: Some(0), tolerance_from: 0.0, tolerance_below: f64::INFINITY };

    /// Whether the fit is the same with this tolerance.
    pub fn tolerates(&self, tolerance: f64) -> bool {
        self.tolerance_from <= tolerance && tolerance < self.tolerance_below
    }

    fn and(&mut self, other: &XMeansValid) {
        self.kmax_from = self.kmax_from.zip(other.kmax_from).map(|(a, b)| a.max(b));
        self.tolerance_from = self.tolerance_from.max(other.tolerance_from);
        self.tolerance_below = self.tolerance_below.min(other.tolerance_below);
    }
}

/// A partition of some points.
struct Partition {
    labels: Vec<u32>,
    counts: Vec<usize>,
    centres: Vec<f64>,
    inertia: f64,
    valid: XMeansValid,
}

/// The result of trying to halve one cluster: two centres, if halving pays.
struct ClusterHalves {
    centres: Option<Vec<f64>>,
    valid: XMeansValid,
}

impl XMeans {
    /// Clusters points; with several settings and one seed, use [`XMeansFits`].
    ///
    /// Time: O(n k d) per iteration of a K-Means, of which there are at most `kmax` rounds. Memory: O(n d).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&self, points: &Matrix<'_>, stop: &Stop) -> Result<XMeansFit, Stopped> {
        XMeansFits::new(points).fit(self, stop)
    }

    /// Runs K-Means from the given centres; drops clusters that lose all their points.
    fn improve(
        &self,
        packed: &PackedPoints<'_>,
        mut centres: Vec<f64>,
        stop: &Stop,
    ) -> Result<Partition, Stopped> {
        let (points, features) = (packed.points, packed.points.n_features());
        let mut iteration = 0;
        let mut valid = XMeansValid::ANY;
        loop {
            iteration += 1;
            let nearest = packed.nearest(&centres, stop)?;
            let mut labels: Vec<u32> = nearest.iter().map(|nearest| nearest.centre).collect();
            let clusters = renumber(&mut labels, centres.len() / features);
            let (moved, counts) = means(points, &labels, clusters);
            let farthest = moved
                .chunks_exact(features)
                .zip(centres.chunks_exact(features))
                .map(|(new, old)| squared_distance(new, old))
                // A move that overflowed is NaN, and does not count as settled.
                .fold(0.0, |most, next| if f64::is_nan(most) || next <= most { most } else { next });
            let all_there = moved.len() == centres.len();
            let settled = all_there && farthest <= self.tolerance;
            match (all_there, settled) {
                (true, true) => valid.tolerance_from = valid.tolerance_from.max(farthest),
                (true, false) => valid.tolerance_below = valid.tolerance_below.min(farthest),
                (false, _) => {}
            }
            centres = moved;
            if settled || iteration == ITERATIONS {
                let inertia = points
                    .values()
                    .chunks_exact(features)
                    .zip(&labels)
                    .map(|(row, &label)| {
                        squared_distance(row, &centres[label as usize * features..][..features])
                    })
                    .sum();
                return Ok(Partition { labels, counts, centres, inertia, valid });
            }
        }
    }

    /// The result of trying to halve each cluster.
    fn halves(
        &self,
        points: &Matrix<'_>,
        whole: &Partition,
        round: u64,
        stop: &Stop,
    ) -> Result<Vec<ClusterHalves>, Stopped> {
        let mut members = vec![vec![]; whole.counts.len()];
        for (at, &label) in whole.labels.iter().enumerate() {
            members[label as usize].push(at);
        }
        let features = points.n_features();
        parallel::try_map_range(members.len(), |cluster| {
            let centre = &whole.centres[cluster * features..(cluster + 1) * features];
            self.halve(&points.select(&members[cluster]), centre, (round << 32) | cluster as u64, stop)
        })
    }

    /// The centres of the two halves of one cluster, if their criterion is higher than that of the whole.
    fn halve(
        &self,
        points: &Matrix<'_>,
        centre: &[f64],
        stream: u64,
        stop: &Stop,
    ) -> Result<ClusterHalves, Stopped> {
        let features = points.n_features();
        let packed = PackedPoints::new(points);
        let mut valid = XMeansValid::ANY;
        let mut best: Option<Partition> = None;
        for repeat in 0..self.repeats.max(1) {
            let Some(seeds) = self.two_seeds(points, SPLIT_DRAWS, (stream << 8) ^ repeat as u64 ^ 1 << 63)
            else {
                return Ok(ClusterHalves { centres: None, valid });
            };
            let found = self.improve(&packed, seeds, stop)?;
            valid.and(&found.valid);
            if best.as_ref().is_none_or(|best| found.inertia < best.inertia) {
                best = Some(found);
            }
        }
        let scatter = points.rows().map(|row| squared_distance(row, centre)).sum();
        let whole = criterion(&[points.n_points()], scatter, features);
        let centres = best
            .filter(|two| two.counts.len() == 2 && whole < criterion(&two.counts, two.inertia, features))
            .map(|two| two.centres);
        Ok(ClusterHalves { centres, valid })
    }

    /// Two points: one drawn uniformly, and the farthest of several drawn with a probability proportional to the squared
    /// distance to it. `None` if all points coincide.
    fn two_seeds(&self, points: &Matrix<'_>, draws: usize, stream: u64) -> Option<Vec<f64>> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(stream);
        let first = points.row(random.random_range(0..points.n_points()));
        let rows = points.rows();
        let squares: Vec<f64> = rows.map(|row| squared_distance(row, first)).collect();
        let total: f64 = squares.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let draw = |target: f64| {
            let mut sum = 0.0;
            let passed = squares.iter().position(|square| {
                sum += square;
                sum > target
            });
            // Rounding may leave the last draw beyond the last sum.
            passed.or_else(|| squares.iter().rposition(|&square| square > 0.0))
        };
        let second = (0..draws)
            .filter_map(|_| draw(random.random::<f64>() * total))
            .reduce(|best, next| if squares[next] > squares[best] { next } else { best })?;
        Some([first, points.row(second)].concat())
    }
}

/// Renumbers the labels that occur from 0, keeping their order; returns how many there are.
fn renumber(labels: &mut [u32], count: usize) -> usize {
    let mut names = vec![u32::MAX; count];
    labels.iter().for_each(|&label| names[label as usize] = 0);
    let mut next = 0;
    for name in names.iter_mut().filter(|name| **name == 0) {
        *name = next;
        next += 1;
    }
    labels.iter_mut().for_each(|label| *label = names[*label as usize]);
    next as usize
}

/// The Bayesian information criterion of clusters of given sizes, whose squared distances to their centres sum to
/// `scatter`; see the head of this file.
fn criterion(sizes: &[usize], scatter: f64, features: usize) -> f64 {
    let clusters = sizes.len() as f64;
    let all = sizes.iter().sum::<usize>() as f64;
    let dimensions = features as f64;
    let variance = scatter / (all - clusters);
    if all <= clusters || variance <= 0.0 {
        return f64::INFINITY;
    }
    let parameters = (clusters - 1.0) + dimensions * clusters + 1.0;
    sizes
        .iter()
        .map(|&size| {
            let size = size as f64;
            let likelihood = size * size.ln()
                - size * all.ln()
                - size / 2.0 * std::f64::consts::TAU.ln()
                - size * dimensions / 2.0 * variance.ln()
                - (size - clusters) / 2.0;
            likelihood - parameters / 2.0 * all.ln()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four points on a line at 0, 1, 9, 10 in one cluster (variance 82 / 3 around 5) and in two (1 / 2).
    #[test]
    fn the_criterion_by_hand() {
        let tau = std::f64::consts::TAU.ln();
        let one = -2.0 * tau - 2.0 * (82.0_f64 / 3.0).ln() - 1.5 - 4.0_f64.ln();
        assert!((criterion(&[4], 82.0, 1) - one).abs() < 1e-12);
        let half = 2.0 * 2.0_f64.ln() - 2.0 * 4.0_f64.ln() - tau - 0.5_f64.ln() - 2.0 * 4.0_f64.ln();
        assert!((criterion(&[2, 2], 1.0, 1) - 2.0 * half).abs() < 1e-12);
    }

    #[test]
    fn perfect_descriptions_are_infinitely_good() {
        assert_eq!(criterion(&[1, 1], 0.0, 3), f64::INFINITY);
        assert_eq!(criterion(&[5], 0.0, 3), f64::INFINITY);
    }

    #[test]
    fn labels_are_renumbered_in_order() {
        let mut labels = [4, 1, 4, 6];
        assert_eq!(renumber(&mut labels, 8), 3);
        assert_eq!(labels, [1, 0, 1, 2]);
    }
}

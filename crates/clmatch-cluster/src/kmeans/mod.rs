//! K-Means: k centres that minimise the sum of squared distances of the points to the nearest one.
//!
//! inertia = sum_i min_c |x_i - m_c|^2
//!
//! where x_i are the points and m_c the centres, each the mean of its points.
//!
//! It runs Lloyd's iteration several times, from seeds drawn by k-means++; the smallest inertia wins. Hamerly's bounds
//! (2010) skip the points whose nearest centre cannot have changed.

mod lloyd;
pub(crate) mod seeding;

use std::collections::BTreeMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::packed::{PackedPoints, signed};
use crate::{Stop, Stopped};
use clmatch::Matrix;
use clmatch_kernels::parallel;
use lloyd::{LloydLimits, Run};
use seeding::rows;

/// K-Means with its settings.
///
/// Degenerate input: with at least as many clusters as distinct points, every distinct point is a cluster, the inertia is
/// 0 and there may be fewer clusters than `clusters`; 0 clusters count as 1.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeans {
    /// How many clusters; 8 by default.
    pub clusters: usize,
    /// How many starts to make, each from other seeds; 10 by default, 0 counts as 1.
    pub starts: usize,
    /// The seed of the random draws; 0 by default. A start draws the same numbers whatever the number of starts.
    pub seed: u64,
    /// The most iterations per start; 300 by default.
    pub max_iterations: usize,
    /// A start has converged once the squared shifts of its centres sum to no more than this times the mean variance of
    /// the features; 1e-4 by default. It has also converged once no point changes its cluster.
    pub tolerance: f64,
}

impl Default for KMeans {
    fn default() -> Self {
        KMeans { clusters: 8, starts: 10, seed: 0, max_iterations: 300, tolerance: 1e-4 }
    }
}

/// What [`KMeans`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct KMeansFit {
    /// The cluster of each point, from 0; no cluster is empty.
    pub labels: Vec<i32>,
    /// The mean of each cluster, row after row.
    pub centroids: Vec<f64>,
    /// Sum of squared distances of the points to the centroids of their clusters.
    pub inertia: f64,
    /// The iterations of the winning start.
    pub iterations: usize,
}

impl KMeans {
    /// Clusters points; for several numbers of clusters, use [`KMeans::fit_each`].
    ///
    /// Time: O(starts iterations n k d) at most, in parallel over starts and points. Memory: O(n d + starts k d).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&self, points: &Matrix<'_>, stop: &Stop) -> Result<KMeansFit, Stopped> {
        let mut fits = self.fit_each(points, &[self.clusters], |fit| fit, stop)?;
        Ok(fits.pop().unwrap_or_else(|| unreachable!("there is one fit")))
    }

    /// For each number of clusters, what `result` makes of its fit. The fits are the same as in separate calls, but seeds
    /// that numbers share are drawn once. [`KMeans::clusters`] is ignored.
    ///
    /// Time: that of the fits, except that seeds take only the time of the largest number. Memory: that of a fit for each
    /// thread.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit_each<R: Send>(
        &self,
        points: &Matrix<'_>,
        numbers: &[usize],
        result: impl Fn(KMeansFit) -> R + Sync,
        stop: &Stop,
    ) -> Result<Vec<R>, Stopped> {
        let packed = PackedPoints::new(points);
        let limits = LloydLimits {
            iterations: self.max_iterations.max(1),
            shift: self.tolerance * mean_variance(points),
        };
        let seeds: Vec<SharedSeeds> = parallel::try_map_range(self.starts.max(1), |start| {
            SharedSeeds::draw(&packed, numbers, (self.seed, start as u64), stop)
        })?;
        let fit = |&clusters: &usize| {
            let runs: Vec<Run> = parallel::try_map(&seeds, |seeds| {
                lloyd::run(&packed, rows(points, seeds.of(clusters)), limits, stop)
            })?;
            let best =
                runs.into_iter().reduce(|best, run| if run.inertia < best.inertia { run } else { best });
            Ok(result(best.map_or_else(
                || unreachable!("there is a start at least"),
                |run| KMeansFit {
                    labels: signed(&run.labels),
                    centroids: run.centres,
                    inertia: run.inertia,
                    iterations: run.iterations,
                },
            )))
        };
        parallel::try_map(numbers, fit)
    }
}

/// The seeds of one start for several numbers of clusters. Numbers that make equally many draws per seed share their
/// first seeds.
struct SharedSeeds(BTreeMap<usize, Vec<usize>>);

impl SharedSeeds {
    fn draw(
        packed: &PackedPoints<'_>,
        numbers: &[usize],
        (seed, stream): (u64, u64),
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let mut largest: BTreeMap<usize, usize> = BTreeMap::new();
        for clusters in numbers.iter().map(|&clusters| clusters.max(1)) {
            let most = largest.entry(seeding::draws(clusters)).or_default();
            *most = clusters.max(*most);
        }
        let drawn = largest.into_iter().map(|(draws, clusters)| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(stream);
            Ok((draws, seeding::greedy(packed, clusters, &mut random, stop)?))
        });
        drawn.collect::<Result<_, Stopped>>().map(SharedSeeds)
    }

    /// The seeds of one of the given numbers.
    fn of(&self, clusters: usize) -> &[usize] {
        let clusters = clusters.max(1);
        let seeds = &self.0[&seeding::draws(clusters)];
        &seeds[..clusters.min(seeds.len())]
    }
}

/// The mean over features of their variance (divided by n).
///
/// Time: O(n d).
fn mean_variance(points: &Matrix<'_>) -> f64 {
    let (features, rows) = (points.n_features(), points.n_points() as f64);
    let mut means = vec![0.0; features];
    for row in points.rows() {
        means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / rows);
    }
    let mut sum = 0.0;
    for row in points.rows() {
        sum += clmatch_kernels::simd::tiles::squared_distance(row, &means);
    }
    sum / (rows * features as f64)
}

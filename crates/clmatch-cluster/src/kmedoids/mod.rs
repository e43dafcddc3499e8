//! K-Medoids: k points of the dataset that minimise the sum of distances of all points to the nearest one.
//!
//! objective = sum_i min_c d(x_i, m_c)
//!
//! where d is the Euclidean distance and the medoids m_c are points. The distances of all points, [`Distances`], are
//! computed once for any number of fits.

mod alternate;
mod pam;
mod seeding;

use clmatch_kernels::parallel;

use crate::packed::signed;
use crate::{Distances, Stop, Stopped, Ties};
use clmatch::Matrix;

/// How medoids are improved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KMedoidsAlgorithm {
    /// Park and Jun (2009): assign all points to the nearest medoid, take the best medoid of each cluster, repeat.
    #[default]
    Alternating,
    /// Schubert and Rousseeuw (2021): swap a medoid with another point as soon as the objective falls. Slower, but ends
    /// in better optima, which no single swap improves.
    FasterPam,
}

/// K-Medoids with its settings.
///
/// Degenerate input: a medoid always belongs to its own cluster, so that there are exactly `clusters` clusters, each with
/// at least one point, even where points coincide. With more clusters than points, each point is one; 0 clusters count as
/// 1.
#[derive(Debug, Clone, PartialEq)]
pub struct KMedoids {
    /// How many clusters; 8 by default.
    pub clusters: usize,
    /// How medoids are improved; alternating by default.
    pub algorithm: KMedoidsAlgorithm,
    /// How many starts to make; the best objective wins. 10 by default, 0 counts as 1. Start 0 takes Park and Jun's
    /// seeds: the most central points. The others draw seeds like k-means++, by distances instead of squared distances.
    pub starts: usize,
    /// The seed of the random draws; 0 by default.
    pub seed: u64,
    /// The most iterations per start; 300 by default. An iteration of FasterPam is a pass over all points.
    pub max_iterations: usize,
}

impl Default for KMedoids {
    fn default() -> Self {
        let algorithm = KMedoidsAlgorithm::default();
        KMedoids { clusters: 8, algorithm, starts: 10, seed: 0, max_iterations: 300 }
    }
}

/// What [`KMedoids`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct KMedoidsFit {
    /// The cluster of each point, from 0; no cluster is empty.
    pub labels: Vec<i32>,
    /// The medoid of each cluster.
    pub medoids: Vec<usize>,
    /// Sum of distances of the points to their medoids.
    pub objective: f64,
    /// The iterations of the winning start.
    pub iterations: usize,
}

/// The state of a start, or its result.
#[derive(Debug, Clone)]
struct KMedoidsRun {
    labels: Vec<u32>,
    medoids: Vec<usize>,
    objective: f64,
    iterations: usize,
}

impl KMedoids {
    /// Clusters points; to cluster the same points several times, use [`KMedoids::fit_distances`].
    ///
    /// Time: O(n^2 d), plus that of [`KMedoids::fit_distances`]. Memory: that of [`Distances`].
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit(&self, points: &Matrix<'_>, stop: &Stop) -> Result<KMedoidsFit, Stopped> {
        self.fit_distances(&Distances::new(points, Ties::Exact, stop)?, stop)
    }

    /// Clusters points whose distances are known.
    ///
    /// Time: O(n^2) for Park and Jun's seeds; then for each start O(n^2 / k) for the first iteration with clusters of
    /// equal sizes and O(n k + moved n / k) for each later one, or O(n^2) per pass of FasterPam; in parallel. Memory:
    /// O(starts n).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn fit_distances(&self, distances: &Distances, stop: &Stop) -> Result<KMedoidsFit, Stopped> {
        let clusters = self.clusters.clamp(1, distances.rows());
        let limit = self.max_iterations.max(1);
        let runs: Vec<KMedoidsRun> = parallel::try_map_range(self.starts.max(1), |start| {
            let medoids = match start {
                0 => seeding::central(distances, clusters, stop)?,
                _ => seeding::draw(distances, clusters, self.seed, start as u64, stop)?,
            };
            match self.algorithm {
                // One medoid has no second nearest to swap with, and the alternation finds the best one.
                KMedoidsAlgorithm::FasterPam if clusters > 1 => pam::run(distances, medoids, limit, stop),
                _ => alternate::run(distances, medoids, limit, stop),
            }
        })?;
        let best =
            runs.into_iter().reduce(|best, run| if run.objective < best.objective { run } else { best });
        Ok(best.map_or_else(
            || unreachable!("there is a start at least"),
            |run| KMedoidsFit {
                labels: signed(&run.labels),
                medoids: run.medoids,
                objective: run.objective,
                iterations: run.iterations,
            },
        ))
    }
}

/// A point's nearest medoid and its distance.
#[derive(Debug, Clone, Copy)]
struct NearMedoid {
    medoid: u32,
    distance: f64,
}

/// The nearest medoid of each point, the first of equally near ones; a medoid's nearest is itself.
///
/// Time: O(n k).
fn nearest_medoids(
    distances: &Distances,
    medoids: &[usize],
    stop: &Stop,
) -> Result<Vec<NearMedoid>, Stopped> {
    let mut near = vec![NearMedoid { medoid: 0, distance: f64::INFINITY }; distances.rows()];
    let mut scratch = vec![];
    for (index, &medoid) in medoids.iter().enumerate() {
        stop.check()?;
        distances.row(medoid, &mut scratch).each(|at, distance| {
            if distance < near[at].distance {
                near[at] = NearMedoid { medoid: index as u32, distance };
            }
        });
    }
    for (index, &medoid) in medoids.iter().enumerate() {
        near[medoid] = NearMedoid { medoid: index as u32, distance: 0.0 };
    }
    Ok(near)
}

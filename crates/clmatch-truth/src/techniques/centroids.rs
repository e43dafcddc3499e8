//! K-Means and K-Medoids, for every number of clusters.

use std::ops::Range;
use std::time::Duration;

use clmatch_cluster::{Distances, KMeans, KMeansFit, KMedoids, Stopped, Ties};
use clmatch_kernels::parallel;

use super::best_per_measure::BestPerMeasure;
use super::race::{RaceRules, RaceRun, race};
use super::{Technique, TechniqueJob, TechniqueScore};

/// The number of starts of K-Means; the best one counts.
const STARTS: usize = 4;

/// Tries every number of clusters, the best ones with many seeds.
pub(super) fn kmeans(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let numbers: Vec<usize> = (2..=job.most_clusters()).collect();
    let sample = |places: &[usize], starts: Range<usize>| {
        let asked: Vec<usize> = places.iter().map(|&place| numbers[place]).collect();
        let by_start: Vec<Vec<RaceRun>> = parallel::try_map_range(starts.len(), |at| {
            let start = KMeans { starts: 1, seed: job.seed(starts.start + at), ..KMeans::default() };
            let run = |fit: KMeansFit| RaceRun { cost: fit.inertia, agreement: job.truth.score(&fit.labels) };
            start.fit_each(job.points, &asked, run, job.stop)
        })?;
        Ok((0..places.len()).map(|at| by_start.iter().map(|runs| runs[at]).collect()).collect())
    };
    let rules = RaceRules { starts: STARTS, ..job.rules(numbers.len(), job.truth.classes(), 1) };
    let tune = || race(&numbers, rules, sample);
    job.run(Technique::KMeans, Duration::ZERO, tune, |clusters| format!("clusters={clusters}"))
}

/// Tries every number of clusters, from Park and Jun's seeds, so that nothing is random.
pub(super) fn kmedoids(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let tune = || {
        let distances = Distances::new(job.points, Ties::Rounded, job.stop)?;
        let score = |&clusters: &usize| {
            let fit = KMedoids { clusters, starts: 1, ..KMedoids::default() };
            let labels = fit.fit_distances(&distances, job.stop)?.labels;
            Ok(BestPerMeasure::of(&job.truth.score(&labels), &clusters))
        };
        let numbers: Vec<usize> = (2..=job.most_clusters()).collect();
        let bests: Vec<BestPerMeasure<usize>> = parallel::try_map(&numbers, score)?;
        Ok(bests.iter().fold(BestPerMeasure::default(), BestPerMeasure::or))
    };
    job.run(Technique::KMedoids, Duration::ZERO, tune, |clusters| format!("clusters={clusters}"))
}

//! K-Means and K-Medoids, for every number of clusters.

use std::ops::Range;
use std::time::Duration;

use clmatch_cluster::{Distances, KMeans, KMedoids, Stopped, Ties};
use rayon::prelude::*;

use super::best_per_measure::BestPerMeasure;
use super::race::{Rules, Run, race};
use super::{Job, Technique, TechniqueScore};

/// Starts of K-Means; the best one counts.
const STARTS: usize = 4;

/// Every number of clusters, the best ones with many seeds.
pub(super) fn kmeans(job: &Job<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let start = |clusters: usize, seed: u64| {
        let fit = KMeans { clusters, starts: 1, seed, ..KMeans::default() }.fit(job.points, job.stop)?;
        Ok(Run { cost: fit.inertia, agreement: job.truth.score(&fit.labels) })
    };
    let numbers: Vec<usize> = (2..=job.most_clusters()).collect();
    let sample = |places: &[usize], starts: Range<usize>| {
        let of = |&place: &usize| {
            let seeds = starts.clone().into_par_iter().map(|number| job.seed(number));
            seeds.map(|seed| start(numbers[place], seed)).collect()
        };
        places.par_iter().map(of).collect()
    };
    let rules = Rules { starts: STARTS, ..job.rules(numbers.len(), job.truth.classes(), 1) };
    let tune = || race(&numbers, rules, sample);
    job.run(Technique::KMeans, Duration::ZERO, tune, |clusters| format!("clusters={clusters}"))
}

/// Every number of clusters, from Park and Jun's seeds: nothing is random.
pub(super) fn kmedoids(job: &Job<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let tune = || {
        let distances = Distances::new(job.points, Ties::Rounded, job.stop)?;
        let score = |clusters: usize| {
            let fit = KMedoids { clusters, starts: 1, ..KMedoids::default() };
            let labels = fit.fit_distances(&distances, job.stop)?.labels;
            Ok(BestPerMeasure::of(&job.truth.score(&labels), &clusters))
        };
        let numbers = (2..=job.most_clusters()).into_par_iter();
        let bests: Vec<BestPerMeasure<usize>> = numbers.map(score).collect::<Result<_, Stopped>>()?;
        Ok(bests.iter().fold(BestPerMeasure::default(), BestPerMeasure::or))
    };
    job.run(Technique::KMedoids, Duration::ZERO, tune, |clusters| format!("clusters={clusters}"))
}

//! K-Means and K-Medoids, for every number of clusters.

use std::time::Duration;

use clmatch_cluster::external::Agreement;
use clmatch_cluster::{Distances, KMeans, KMedoids, Stopped};
use rayon::prelude::*;

use super::bests::Bests;
use super::{Job, Outcome, Technique};

/// Starts of K-Means; the best one counts.
const STARTS: usize = 4;
/// Seeds over which the score of a random technique is averaged.
pub(super) const SEEDS: u64 = 20;

/// Every number of clusters with one seed, then the best ones with many.
pub(super) fn kmeans(job: &Job<'_>) -> Result<Vec<Outcome>, Stopped> {
    let score = |clusters: usize, seed: u64| {
        let fit = KMeans { clusters, starts: STARTS, seed, ..KMeans::default() }.fit(job.points, job.stop)?;
        Ok(job.truth.score(&fit.labels))
    };
    let tune = || {
        averaged(job, &every_number(job, |clusters| score(clusters, job.plan.seed))?, |&clusters, seed| {
            score(clusters, seed)
        })
    };
    job.run(Technique::KMeans, Duration::ZERO, tune, |clusters| format!("clusters={clusters}"))
}

/// Every number of clusters, from Park and Jun's seeds: nothing is random.
pub(super) fn kmedoids(job: &Job<'_>) -> Result<Vec<Outcome>, Stopped> {
    let tune = || {
        let distances = Distances::new(job.points, job.stop)?;
        every_number(job, |clusters| {
            let fit = KMedoids { clusters, starts: 1, ..KMedoids::default() };
            Ok(job.truth.score(&fit.fit_distances(&distances, job.stop)?.labels))
        })
    };
    job.run(Technique::KMedoids, Duration::ZERO, tune, |clusters| format!("clusters={clusters}"))
}

fn every_number(
    job: &Job<'_>,
    score: impl Fn(usize) -> Result<Agreement, Stopped> + Sync,
) -> Result<Bests<usize>, Stopped> {
    let numbers = (2..=job.most_clusters()).into_par_iter();
    let bests: Result<Vec<_>, Stopped> =
        numbers.map(|clusters| Ok(Bests::of(&score(clusters)?, &clusters))).collect();
    Ok(bests?.iter().fold(Bests::default(), Bests::or))
}

/// The same settings with the mean score over many seeds, none of them the one of the search.
pub(super) fn averaged<S: Clone + PartialEq + Sync + Send>(
    job: &Job<'_>,
    found: &Bests<S>,
    score: impl Fn(&S, u64) -> Result<Agreement, Stopped> + Sync,
) -> Result<Bests<S>, Stopped> {
    let mut settings: Vec<S> = Vec::new();
    for external in &job.plan.externals {
        let best = found.get(*external).map(|best| best.setting.clone());
        settings.extend(best.filter(|best| !settings.contains(best)));
    }
    let first = job.plan.seed.wrapping_add(1);
    let runs: Result<Vec<Vec<Agreement>>, Stopped> = settings
        .par_iter()
        .map(|setting| {
            (0..SEEDS).into_par_iter().map(|seed| score(setting, first.wrapping_add(seed))).collect()
        })
        .collect();
    let mut means = Bests::default();
    for (setting, runs) in settings.iter().zip(runs?) {
        for &external in &job.plan.externals {
            if found.get(external).is_some_and(|best| best.setting == *setting) {
                let mean = runs.iter().map(|run| run.get(external)).sum::<f64>() / SEEDS as f64;
                means.offer_one(external, mean, setting);
            }
        }
    }
    Ok(means)
}

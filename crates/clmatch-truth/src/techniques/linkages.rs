//! Agglomerative clustering: one dendrogram answers every number of clusters.

use std::time::Duration;

use clmatch_cluster::{Dendrogram, Linkage, Stopped, Ties};
use rayon::prelude::*;

use super::best_per_measure::BestPerMeasure;
use super::density::Trees;
use super::{Job, Technique, TechniqueScore};

/// Single linkage, from the spanning tree of plain distances.
pub(super) fn single(job: &Job<'_>, trees: &Trees<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    cuts(job, Technique::AggloSingle, trees.time(), || Ok(Dendrogram::of_tree(trees.of_rank(0))))
}

/// Average linkage.
pub(super) fn average(job: &Job<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let dendrogram = || Linkage::Average.fit(job.points, Ties::Rounded, job.stop);
    cuts(job, Technique::AggloAverage, Duration::ZERO, dendrogram)
}

/// Complete linkage.
pub(super) fn complete(job: &Job<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let dendrogram = || Linkage::Complete.fit(job.points, Ties::Rounded, job.stop);
    cuts(job, Technique::AggloComplete, Duration::ZERO, dendrogram)
}

fn cuts(
    job: &Job<'_>,
    technique: Technique,
    before: Duration,
    dendrogram: impl FnOnce() -> Result<Dendrogram, Stopped>,
) -> Result<Vec<TechniqueScore>, Stopped> {
    let tune = || {
        let dendrogram = dendrogram()?;
        let of = |clusters: usize| BestPerMeasure::of(&job.truth.score(&dendrogram.cut(clusters)), &clusters);
        let mut numbers = dendrogram.clear_cuts(job.most_clusters());
        // All points in one cluster are no partition to look for, but what is left where all merges are equally high.
        if numbers.len() > 1 {
            numbers.remove(0);
        }
        let bests: Vec<BestPerMeasure<usize>> = numbers.into_par_iter().map(of).collect();
        Ok(bests.iter().fold(BestPerMeasure::default(), BestPerMeasure::or))
    };
    job.run(technique, before, tune, |clusters| format!("clusters={clusters}"))
}

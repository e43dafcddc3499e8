//! Agglomerative clustering: one dendrogram answers every number of clusters.

use std::time::Duration;

use clmatch_cluster::external::External;
use clmatch_cluster::{Dendrogram, Linkage, Stopped, Ties};

use super::best_per_measure::BestPerMeasure;
use super::density::Trees;
use super::{Technique, TechniqueJob, TechniqueScore};

/// Single linkage, from the spanning tree of plain distances.
pub(super) fn single(job: &TechniqueJob<'_>, trees: &Trees<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    cuts(job, Technique::AggloSingle, trees.time(), || Ok(Dendrogram::of_tree(trees.of_rank(0))))
}

/// Average linkage.
pub(super) fn average(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let dendrogram = || Linkage::Average.fit(job.points, Ties::Rounded, job.stop);
    cuts(job, Technique::AggloAverage, Duration::ZERO, dendrogram)
}

/// Complete linkage.
pub(super) fn complete(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let dendrogram = || Linkage::Complete.fit(job.points, Ties::Rounded, job.stop);
    cuts(job, Technique::AggloComplete, Duration::ZERO, dendrogram)
}

/// Every cut into 2 .. 3K clusters and, by measures that do not reward mere numbers of clusters, every other cut that
/// splits no ties.
fn cuts(
    job: &TechniqueJob<'_>,
    technique: Technique,
    before: Duration,
    dendrogram: impl FnOnce() -> Result<Dendrogram, Stopped>,
) -> Result<Vec<TechniqueScore>, Stopped> {
    let tune = || {
        let dendrogram = dendrogram()?;
        let agreements = dendrogram.agreements(job.truth);
        let (few, alone) = (job.most_clusters(), agreements.len());
        let mut bests = BestPerMeasure::default();
        for (clusters, agreement) in
            (1..).zip(&agreements).filter(|(clusters, _)| dendrogram.keeps_copies(*clusters))
        {
            if clusters <= few {
                bests.offer(agreement, &clusters);
            } else if clusters < alone && dendrogram.is_clear(clusters) {
                bests.offer_where(External::is_adjusted, agreement, &clusters);
            }
        }
        Ok(bests.rescored(|clusters| job.truth.score(&dendrogram.cut(*clusters))))
    };
    job.run(technique, before, tune, |clusters| format!("clusters={clusters}"))
}

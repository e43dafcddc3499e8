//! DBSCAN and HDBSCAN, searched through spanning trees.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use clmatch_cluster::external::Overlap;
use clmatch_cluster::{Border, Density, Edge, Hierarchy, Radii, Stopped, Ties};
use clmatch_kernels::parallel;
use rayon::prelude::*;

use super::best_per_measure::BestPerMeasure;
use super::{Technique, TechniqueJob, TechniqueScore};

/// The radii and thresholds of the paper's search, for data whose largest absolute value is 1.
pub(super) const DISTANCES: (f64, f64) = (0.01, 1.0);
/// The number of points that makes a neighbourhood dense.
pub(super) const MIN_SAMPLES: RangeInclusive<usize> = 1..=10;
/// The smallest number of points in a cluster of HDBSCAN.
pub(super) const CLUSTER_SIZES: RangeInclusive<usize> = 2..=50;
/// The most radii of DBSCAN for each `min_samples`.
pub(super) const RADII: usize = 1000;
/// The most thresholds of HDBSCAN for each pair of sizes.
pub(super) const THRESHOLDS: usize = 100;

/// Points with their spanning trees.
pub(super) struct Trees<'a> {
    density: Density<'a>,
    /// The trees that are needed, by the rank of the neighbour that gives core distances; those of rank 1 are those of
    /// rank 0.
    trees: Vec<Vec<Edge>>,
    time: Duration,
}

impl<'a> Trees<'a> {
    /// Grows the trees; `None` if no technique needs them.
    pub(super) fn grow(job: &TechniqueJob<'a>) -> Result<Option<Trees<'a>>, Stopped> {
        let start = Instant::now();
        let most = *MIN_SAMPLES.end();
        let ranks = match (job.wants(Technique::Hdbscan), job.wants(Technique::Dbscan)) {
            (true, _) => most,
            (false, true) => most - 1,
            (false, false) if job.wants(Technique::AggloSingle) => 0,
            (false, false) => return Ok(None),
        };
        let density = Density::new(job.points, ranks.max(1), Ties::Rounded, job.stop)?;
        let trees: Result<Vec<Vec<Edge>>, Stopped> = (0..ranks + 1)
            .into_par_iter()
            .with_max_len(1)
            .map(|rank| if rank == 1 { Ok(Vec::new()) } else { density.tree(rank, job.stop) })
            .collect();
        Ok(Some(Trees { density, trees: trees?, time: start.elapsed() }))
    }

    /// The tree for core distances of this rank.
    pub(super) fn of_rank(&self, rank: usize) -> &[Edge] {
        &self.trees[if rank == 1 { 0 } else { rank }]
    }

    /// The points with their neighbours.
    pub(super) fn density(&self) -> &Density<'a> {
        &self.density
    }

    /// The time that growing took.
    pub(super) fn time(&self) -> Duration {
        self.time
    }
}

#[derive(Debug, Clone, Copy)]
struct SizesAndThreshold {
    min_cluster_size: usize,
    min_samples: usize,
    epsilon: f64,
}

/// Tries every cluster size, number of samples and threshold; counts whole clusters instead of going through the points.
pub(super) fn hdbscan(job: &TechniqueJob<'_>, trees: &Trees<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let tune = || {
        let numbers: Vec<usize> = MIN_SAMPLES.collect();
        let sizes: Vec<usize> = CLUSTER_SIZES.collect();
        let bests: Vec<BestPerMeasure<SizesAndThreshold>> = parallel::try_map(&numbers, |&min_samples| {
            let hierarchy = Hierarchy::new(job.points.n_points(), trees.of_rank(min_samples));
            let bests = parallel::try_map(&sizes, |&min_cluster_size| {
                job.stop.check()?;
                Ok(all_thresholds(job, &hierarchy, min_cluster_size, min_samples))
            })?;
            Ok(bests.iter().fold(BestPerMeasure::default(), BestPerMeasure::or))
        })?;
        Ok(bests.iter().fold(BestPerMeasure::default(), BestPerMeasure::or))
    };
    let describe = |setting: &SizesAndThreshold| {
        let SizesAndThreshold { min_cluster_size, min_samples, epsilon } = setting;
        format!("min_cluster_size={min_cluster_size} min_samples={min_samples} epsilon={epsilon}")
    };
    job.run(Technique::Hdbscan, trees.time(), tune, describe)
}

fn all_thresholds(
    job: &TechniqueJob<'_>,
    hierarchy: &Hierarchy,
    min_cluster_size: usize,
    min_samples: usize,
) -> BestPerMeasure<SizesAndThreshold> {
    let condensed = hierarchy.condense(min_cluster_size);
    let census = condensed.census(job.truth);
    let mut bests = BestPerMeasure::default();
    let mut before = None;
    for epsilon in condensed.thresholds(THRESHOLDS) {
        let selected = condensed.select(epsilon);
        if before.as_ref() != Some(&selected) {
            let agreement = job.truth.agreement(&condensed.overlap(&selected, &census));
            bests.offer(&agreement, &SizesAndThreshold { min_cluster_size, min_samples, epsilon });
            before = Some(selected);
        }
    }
    bests
}

#[derive(Debug, Clone, Copy)]
struct Radius {
    eps: f64,
    min_samples: usize,
}

/// Tries every number of samples and radius.
pub(super) fn dbscan(job: &TechniqueJob<'_>, trees: &Trees<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let mut lonely = BestPerMeasure::default();
    let tune = || {
        let numbers: Vec<usize> = MIN_SAMPLES.collect();
        let bests: Vec<[BestPerMeasure<Radius>; 2]> =
            parallel::try_map(&numbers, |&min_samples| all_radii(job, trees, min_samples))?;
        lonely = bests.iter().fold(BestPerMeasure::default(), |best, [_, lonely]| best.or(lonely));
        Ok(bests.iter().fold(BestPerMeasure::default(), |best, [ordinary, _]| best.or(ordinary)))
    };
    let describe = |setting: &Radius| format!("eps={} min_samples={}", setting.eps, setting.min_samples);
    let ordinary = job.run(Technique::Dbscan, trees.time(), tune, describe)?;
    let seconds = ordinary.first().map_or(0.0, |outcome| outcome.seconds);
    let mut lonely = job.outcomes(Technique::Dbscan, seconds, &lonely, describe);
    lonely.iter_mut().for_each(|outcome| outcome.near_singletons = true);
    let wins = |lonely: &TechniqueScore| {
        let same = ordinary.iter().find(|outcome| outcome.external == lonely.external);
        same.is_none_or(|same| lonely.score > same.score)
    };
    lonely.retain(wins);
    Ok([ordinary, lonely].concat())
}

/// The best settings among ordinary partitions, and among those that leave nearly every point alone.
fn all_radii(
    job: &TechniqueJob<'_>,
    trees: &Trees<'_>,
    min_samples: usize,
) -> Result<[BestPerMeasure<Radius>; 2], Stopped> {
    let mut radii = Radii::new(&trees.density, trees.of_rank(min_samples - 1), min_samples);
    let mut bests = [BestPerMeasure::default(), BestPerMeasure::default()];
    for eps in radii.between_changes(RADII) {
        job.stop.check()?;
        let overlap = Overlap::of_labels(job.truth, &radii.labels(eps, Border::Largest));
        let lonely = min_samples == 1 && overlap.clusters() > job.points.n_points() / 2;
        bests[usize::from(lonely)].offer(&job.truth.agreement(&overlap), &Radius { eps, min_samples });
    }
    Ok(bests)
}

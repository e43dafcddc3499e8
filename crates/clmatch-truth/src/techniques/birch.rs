//! BIRCH, on a grid of its settings.
//!
//! Where subclusters end up depends on the order in which points come, and a threshold that is a little larger gathers
//! them in another way: as a function of its threshold the score of BIRCH jumps up and down, and no search finds a slope
//! to follow. A search by chance only ends elsewhere with every seed. So the settings lie on a grid.

use std::time::Duration;

use clmatch_cluster::{Birch, BirchTree, Stopped};
use rayon::prelude::*;

use super::best_per_measure::BestPerMeasure;
use super::{Job, Technique, TechniqueScore};

/// The smallest and the largest threshold, for data whose largest absolute value is 1.
pub(super) const THRESHOLDS: (f64, f64) = (0.01, 1.0);
/// Subclusters in a node of the tree.
const BRANCHING_FACTORS: [usize; 5] = [10, 25, 50, 75, 100];
/// Clusters to end with, as in the paper's experiments.
pub(super) const CLUSTERS: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Setting {
    threshold: f64,
    branching_factor: usize,
    clusters: usize,
}

/// Every threshold with every branching factor; one tree answers every number of clusters. In the order of the file: the
/// points decide by their order what the subclusters are.
pub(super) fn birch(job: &Job<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let thresholds = thresholds(job.plan.birch_thresholds);
    let tune = || {
        let factors = BRANCHING_FACTORS.into_par_iter();
        let bests: Vec<BestPerMeasure<Setting>> =
            factors.map(|factor| all_thresholds(job, &thresholds, factor)).collect::<Result<_, Stopped>>()?;
        Ok(bests.iter().fold(BestPerMeasure::default(), BestPerMeasure::or))
    };
    let describe = |setting: &Setting| {
        let Setting { threshold, branching_factor, clusters } = setting;
        format!("threshold={threshold} branching_factor={branching_factor} clusters={clusters}")
    };
    job.run(Technique::Birch, Duration::ZERO, tune, describe)
}

/// From the largest threshold down, evenly on the logarithmic scale.
fn thresholds(count: usize) -> Vec<f64> {
    let steps = count.max(2) - 1;
    let (low, high) = THRESHOLDS;
    (0..=steps).map(|step| high * (low / high).powf(step as f64 / steps as f64)).collect()
}

fn all_thresholds(
    job: &Job<'_>,
    thresholds: &[f64],
    branching_factor: usize,
) -> Result<BestPerMeasure<Setting>, Stopped> {
    let mut bests = BestPerMeasure::default();
    let mut before: Option<BirchTree> = None;
    for &threshold in thresholds {
        if before.as_ref().is_some_and(|tree| tree.same_from() <= threshold) {
            continue;
        }
        let tree = Birch { threshold, branching_factor, clusters: None }.tree(job.listed, job.stop)?;
        let numbers = if job.plan.birch_clusters { 2..=job.most_clusters() } else { CLUSTERS..=CLUSTERS };
        for clusters in numbers {
            let agreement = job.listed_truth.score(&tree.cut(clusters));
            bests.offer(&agreement, &Setting { threshold, branching_factor, clusters });
        }
        before = Some(tree);
    }
    Ok(bests)
}

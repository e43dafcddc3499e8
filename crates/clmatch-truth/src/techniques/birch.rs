//! BIRCH, on a grid of its settings.
//!
//! Where subclusters end up depends on the order of the points, and a slightly larger threshold gathers the points in
//! another way. As a function of its threshold, the score of BIRCH jumps up and down, and no search finds a slope to
//! follow; a random search merely ends elsewhere with every seed. So the thresholds lie on a grid, as fine as the work
//! allows, each with its own branching factor: another threshold reveals more than the same one with another factor,
//! which changes nothing if there are no more subclusters than that.

use std::time::Duration;

use clmatch_cluster::{Birch, Matrix, Stopped};
use clmatch_kernels::parallel;

use super::best_per_measure::BestPerMeasure;
use super::{Technique, TechniqueJob, TechniqueScore};

/// The thresholds of the paper's search, for data whose largest absolute value is 1.
pub(super) const THRESHOLDS: (f64, f64) = (0.01, 1.0);
/// The subclusters in a node of the tree: at least, and at most.
pub(super) const BRANCHING_FACTORS: (usize, usize) = (10, 100);
/// The fractional parts of its multiples are spread evenly, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// How many trees grow at a time; each may store a matrix of distances.
const TREES: usize = 5;
/// The approximate number of multiplications for all trees: n m d for the nearest of m subclusters, and m^2 d for merging
/// them.
const WORK: f64 = 4e10;
/// The final number of clusters, as in the paper's experiments.
pub(super) const CLUSTERS: usize = 3;

#[derive(Debug, Clone, Copy)]
struct BirchSetting {
    threshold: f64,
    branching_factor: usize,
    clusters: usize,
}

/// Tries every threshold, or as many as the work allows; one tree answers every number of clusters. The points come in
/// the order of the file, which determines the subclusters.
pub(super) fn birch(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let tune = || {
        let trees = trees(radius(job.listed), job.plan.birch_thresholds);
        let every_fifth = |first: usize| {
            some_trees(job, trees.iter().skip(first).step_by(TREES), WORK / trees.len() as f64)
        };
        let bests: Vec<BestPerMeasure<BirchSetting>> = parallel::try_map_range(TREES, every_fifth)?;
        Ok(bests.iter().fold(BestPerMeasure::default(), BestPerMeasure::or))
    };
    let describe = |setting: &BirchSetting| {
        let BirchSetting { threshold, branching_factor, clusters } = setting;
        format!("threshold={threshold} branching_factor={branching_factor} clusters={clusters}")
    };
    job.run(Technique::Birch, Duration::ZERO, tune, describe)
}

/// The root of the mean squared distance to the mean: with this threshold, nearly all points are in one subcluster.
fn radius(points: &Matrix<'_>) -> f64 {
    let n = points.n_points() as f64;
    let mut mean = vec![0.0; points.n_features()];
    points.rows().for_each(|row| mean.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / n));
    let square = |row: &[f64]| row.iter().zip(&mean).map(|(value, mean)| (value - mean).powi(2)).sum::<f64>();
    points.rows().map(|row| square(row) / n).sum::<f64>().sqrt()
}

/// Thresholds evenly spaced below a radius, the largest first, and factors evenly spaced between the ends on the
/// logarithmic scale.
fn trees(radius: f64, count: usize) -> Vec<Birch> {
    let count = count.max(2);
    let (fewest, most) = BRANCHING_FACTORS;
    let ratio = (most + 1) as f64 / fewest as f64;
    let of = |step: usize| Birch {
        threshold: radius * step as f64 / (count + 1) as f64,
        branching_factor: (fewest as f64 * ratio.powf((step as f64 * GOLDEN).fract())) as usize,
        clusters: None,
    };
    (1..=count).rev().map(of).collect()
}

/// Goes from the largest threshold to the smallest. Smaller ones leave more subclusters and take longer: where a tree
/// took more than its share of the work, the next thresholds are skipped until their shares make up for it.
fn some_trees<'a>(
    job: &TechniqueJob<'_>,
    trees: impl Iterator<Item = &'a Birch>,
    share: f64,
) -> Result<BestPerMeasure<BirchSetting>, Stopped> {
    let (n, features) = (job.listed.n_points() as f64, job.listed.n_features() as f64);
    let numbers = if job.plan.birch_clusters { 2..=job.most_clusters() } else { CLUSTERS..=CLUSTERS };
    let mut bests = BestPerMeasure::default();
    let mut left = 0.0;
    for birch in trees {
        left += share;
        if left < 0.0 {
            continue;
        }
        let tree = birch.tree(job.listed, job.stop)?;
        let subclusters = tree.subclusters() as f64;
        left = left.min(share) - (n + subclusters) * subclusters * features;
        for clusters in numbers.clone() {
            let agreement = job.listed_truth.score(&tree.cut(clusters));
            let &Birch { threshold, branching_factor, .. } = birch;
            bests.offer(&agreement, &BirchSetting { threshold, branching_factor, clusters });
        }
    }
    Ok(bests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_fill_their_space() {
        assert_eq!(radius(&Matrix::new(&[0.0, 1.0, 4.0, 1.0], 2).unwrap()), 2.0);
        let trees = trees(2.0, 199);
        assert_eq!((trees[0].threshold, trees[198].threshold), (1.99, 0.01));
        for start in [0, 50, 150] {
            let mut factors: Vec<usize> =
                trees[start..start + 34].iter().map(|tree| tree.branching_factor).collect();
            factors.sort_unstable();
            assert!(factors[0] <= 11 && (95..=100).contains(&factors[33]), "{factors:?}");
            assert!(factors.windows(2).all(|pair| pair[1] <= pair[0] + pair[0] / 5), "{factors:?}");
        }
    }
}

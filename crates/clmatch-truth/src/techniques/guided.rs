//! The search that the paper's authors ran: Bayesian optimisation of every technique with 5 random and 25 guided
//! evaluations, over the spaces that [`techniques`](super) lists.
//!
//! * Each external measure has its own search, except for HDBSCAN, which is tuned by `ami` and scored by all.
//! * A space with no more than 30 settings is evaluated as a whole, which the guided search could not beat.
//! * K-Means takes the best of [`STARTS`] starts and X-Means a single one, both with one seed: whatever luck that seed
//!   has is part of the score, as it was for the authors.
//! * Partitions of DBSCAN that leave nearly every point alone count like all others.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::time::Duration;

use crate::tune::{Budget, Dimension, Setting, Space, maximize};
use clmatch_cluster::external::{Agreement, External};
use clmatch_cluster::{
    Birch, Border, Dendrogram, Distances, Hierarchy, KMeans, KMedoids, Linkage, Radii, Stopped, Ties, XMeans,
    XMeansFits,
};

use super::best_per_measure::BestPerMeasure;
use super::density::{CLUSTER_SIZES, DISTANCES, MIN_SAMPLES, Trees};
use super::{Technique, TechniqueJob, TechniqueScore, birch, xmeans};

/// The number of starts of K-Means: the default of scikit-learn when the paper was written.
const STARTS: usize = 10;

/// Tunes all techniques of the plan.
pub(super) fn ground_truth(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let (linkages, rest) = rayon::join(
        || -> Result<Vec<TechniqueScore>, Stopped> {
            let average = linkage(job, Technique::AggloAverage, Linkage::Average)?;
            Ok([average, linkage(job, Technique::AggloComplete, Linkage::Complete)?].concat())
        },
        || -> Result<Vec<TechniqueScore>, Stopped> {
            let centroids = [kmeans(job)?, kmedoids(job)?, xmeans(job)?, birch(job)?].concat();
            Ok([by_trees(job)?, centroids].concat())
        },
    );
    Ok([rest?, linkages?].concat())
}

/// Tunes the techniques that share spanning trees.
fn by_trees(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let Some(trees) = Trees::grow(job)? else { return Ok(Vec::new()) };
    let single =
        cuts(job, Technique::AggloSingle, trees.time(), || Ok(Dendrogram::of_tree(trees.of_rank(0))))?;
    Ok([hdbscan(job, &trees)?, dbscan(job, &trees)?, single].concat())
}

/// Searches once for each measure, without evaluating any setting twice.
fn tune(
    job: &TechniqueJob<'_>,
    technique: Technique,
    before: Duration,
    space: &Space,
    mut evaluate: impl FnMut(&Setting) -> Result<Agreement, Stopped>,
) -> Result<Vec<TechniqueScore>, Stopped> {
    let seed = job.seed(technique as usize);
    let searches = || {
        let mut bests = BestPerMeasure::default();
        let mut known: HashMap<Setting, Agreement> = HashMap::new();
        let mut stopped = None;
        for &external in &job.plan.externals {
            let objective = if technique == Technique::Hdbscan { External::Ami } else { external };
            let found = maximize(space, Budget::default(), seed, |setting| {
                if let Some(agreement) = known.get(setting) {
                    return agreement.get(objective);
                }
                match job.stop.check().and_then(|()| evaluate(setting)) {
                    Ok(agreement) => {
                        known.insert(setting.clone(), agreement);
                        agreement.get(objective)
                    }
                    Err(stop) => {
                        stopped = Some(stop);
                        f64::NAN
                    }
                }
            });
            if let Some(stop) = stopped {
                return Err(stop);
            }
            if let Ok(found) = found
                && let Some(agreement) = known.get(&found.best.setting)
            {
                bests.offer_one(external, agreement.get(external), &found.best.setting);
            }
        }
        Ok(bests)
    };
    job.run(technique, before, searches, Setting::to_string)
}

/// A space of dimensions that are known to be valid.
fn space<const N: usize>(dimensions: [(&str, Dimension); N]) -> Space {
    match Space::new(dimensions) {
        Ok(space) => space,
        Err(error) => unreachable!("{error}"),
    }
}

fn between((low, high): (f64, f64)) -> Dimension {
    Dimension::real(low, high)
}

fn counts(low: usize, high: usize) -> Dimension {
    Dimension::integer(low as i64, high as i64)
}

fn whole(setting: &Setting, name: &str) -> usize {
    setting.integer(name).and_then(|value| usize::try_from(value).ok()).unwrap_or_default()
}

fn real(setting: &Setting, name: &str) -> f64 {
    setting.real(name).unwrap_or_default()
}

/// 2 .. 3K clusters.
fn clusters(job: &TechniqueJob<'_>) -> Space {
    space([("clusters", counts(2, job.most_clusters()))])
}

fn kmeans(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let seed = job.seed(0);
    tune(job, Technique::KMeans, Duration::ZERO, &clusters(job), |setting| {
        let fit = KMeans { clusters: whole(setting, "clusters"), starts: STARTS, seed, ..KMeans::default() };
        Ok(job.truth.score(&fit.fit(job.points, job.stop)?.labels))
    })
}

fn kmedoids(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    if !job.wants(Technique::KMedoids) {
        return Ok(Vec::new());
    }
    let distances = Distances::new(job.points, Ties::Rounded, job.stop)?;
    tune(job, Technique::KMedoids, Duration::ZERO, &clusters(job), |setting| {
        let fit = KMedoids { clusters: whole(setting, "clusters"), starts: 1, ..KMedoids::default() };
        Ok(job.truth.score(&fit.fit_distances(&distances, job.stop)?.labels))
    })
}

fn xmeans(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let space = space([
        ("kmax", counts(xmeans::CLUSTERS.0, xmeans::CLUSTERS.1)),
        ("tolerance", between(xmeans::TOLERANCE_RANGE)),
    ]);
    let seed = job.seed(0);
    let mut fits = XMeansFits::new(job.points);
    tune(job, Technique::XMeans, Duration::ZERO, &space, |setting| {
        let (kmax, tolerance) = (whole(setting, "kmax"), real(setting, "tolerance"));
        let fit = fits.fit(&XMeans { kmax, tolerance, seed, ..XMeans::default() }, job.stop)?;
        Ok(job.truth.score(&fit.labels))
    })
}

fn birch(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let (fewest, most) = birch::BRANCHING_FACTORS;
    let space =
        space([("threshold", between(birch::THRESHOLDS)), ("branching_factor", counts(fewest, most))]);
    tune(job, Technique::Birch, Duration::ZERO, &space, |setting| {
        let (threshold, branching_factor) = (real(setting, "threshold"), whole(setting, "branching_factor"));
        let tree = Birch { threshold, branching_factor, clusters: None }.tree(job.listed, job.stop)?;
        Ok(job.listed_truth.score(&tree.cut(birch::CLUSTERS)))
    })
}

fn linkage(
    job: &TechniqueJob<'_>,
    technique: Technique,
    linkage: Linkage,
) -> Result<Vec<TechniqueScore>, Stopped> {
    cuts(job, technique, Duration::ZERO, || linkage.fit(job.points, Ties::Rounded, job.stop))
}

/// Cuts one dendrogram, which answers every number of clusters.
fn cuts(
    job: &TechniqueJob<'_>,
    technique: Technique,
    before: Duration,
    dendrogram: impl FnOnce() -> Result<Dendrogram, Stopped>,
) -> Result<Vec<TechniqueScore>, Stopped> {
    if !job.wants(technique) {
        return Ok(Vec::new());
    }
    let start = std::time::Instant::now();
    let dendrogram = dendrogram()?;
    tune(job, technique, before + start.elapsed(), &clusters(job), |setting| {
        Ok(job.truth.score(&dendrogram.cut(whole(setting, "clusters"))))
    })
}

fn hdbscan(job: &TechniqueJob<'_>, trees: &Trees<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let space = space([
        ("min_cluster_size", counts(*CLUSTER_SIZES.start(), *CLUSTER_SIZES.end())),
        ("min_samples", counts(*MIN_SAMPLES.start(), *MIN_SAMPLES.end())),
        ("epsilon", between(DISTANCES)),
    ]);
    let hierarchies: Vec<OnceCell<Hierarchy>> = MIN_SAMPLES.map(|_| OnceCell::new()).collect();
    tune(job, Technique::Hdbscan, trees.time(), &space, |setting| {
        let min_samples = whole(setting, "min_samples");
        let hierarchy = hierarchies[min_samples - MIN_SAMPLES.start()]
            .get_or_init(|| Hierarchy::new(job.points.n_points(), trees.of_rank(min_samples)));
        let condensed = hierarchy.condense(whole(setting, "min_cluster_size"));
        let selected = condensed.select(real(setting, "epsilon"));
        Ok(job.truth.score(&condensed.labels(&selected)))
    })
}

fn dbscan(job: &TechniqueJob<'_>, trees: &Trees<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let space = space([
        ("eps", between(DISTANCES)),
        ("min_samples", counts(*MIN_SAMPLES.start(), *MIN_SAMPLES.end())),
    ]);
    tune(job, Technique::Dbscan, trees.time(), &space, |setting| {
        let min_samples = whole(setting, "min_samples");
        let mut radii = Radii::new(trees.density(), trees.of_rank(min_samples - 1), min_samples);
        Ok(job.truth.score(&radii.labels(real(setting, "eps"), Border::Largest)))
    })
}

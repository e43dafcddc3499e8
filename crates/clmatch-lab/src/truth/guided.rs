//! X-Means and BIRCH, by Bayesian optimisation.

use std::time::Duration;

use clmatch_cluster::external::External;
use clmatch_cluster::{Birch, Stopped, XMeans};
use clmatch_tune::{Dimension, Optimizer, Setting, Space};

use super::bests::Bests;
use super::centroids::averaged;
use super::{Job, Outcome, Technique};

/// Clusters that BIRCH ends with, as in the paper's experiments.
const BIRCH_CLUSTERS: usize = 3;

/// A setting of the search, and the number of clusters that served it best.
type Found = (Setting, usize);

/// `kmax` and `tolerance`.
pub(super) fn xmeans(job: &Job<'_>) -> Result<Vec<Outcome>, Stopped> {
    let space = Space::new([
        ("kmax", Dimension::Integer { low: 2, high: 50, log: false }),
        ("tolerance", Dimension::Real { low: 0.01, high: 1.0, log: false }),
    ]);
    let Ok(space) = space else { return Ok(Vec::new()) };
    let score = |setting: &Setting, seed: u64| {
        let (kmax, tolerance) = (whole(setting, "kmax"), real(setting, "tolerance"));
        let fit = XMeans { kmax, tolerance, seed, ..XMeans::default() }.fit(job.points, job.stop)?;
        Ok(job.truth.score(&fit.labels))
    };
    let tune = || {
        let found = search(job, &space, |setting| Ok(Bests::of(&score(setting, job.plan.seed)?, &0)))?;
        averaged(job, &found, |(setting, _), seed| score(setting, seed))
    };
    job.run(Technique::XMeans, Duration::ZERO, tune, |(setting, _)| setting.to_string())
}

/// `threshold` and `branching_factor`; one tree answers every number of clusters.
pub(super) fn birch(job: &Job<'_>) -> Result<Vec<Outcome>, Stopped> {
    let space = Space::new([
        ("threshold", Dimension::Real { low: 0.01, high: 1.0, log: false }),
        ("branching_factor", Dimension::Integer { low: 10, high: 100, log: false }),
    ]);
    let Ok(space) = space else { return Ok(Vec::new()) };
    let numbers =
        if job.plan.birch_clusters { 2..=job.most_clusters() } else { BIRCH_CLUSTERS..=BIRCH_CLUSTERS };
    let score = |setting: &Setting| {
        let branching_factor = whole(setting, "branching_factor");
        let birch = Birch { threshold: real(setting, "threshold"), branching_factor, clusters: None };
        let tree = birch.tree(job.points, job.stop)?;
        let mut bests = Bests::default();
        numbers.clone().for_each(|clusters| bests.offer(&job.truth.score(&tree.cut(clusters)), &clusters));
        Ok(bests)
    };
    let describe = |(setting, clusters): &Found| format!("{setting} clusters={clusters}");
    job.run(Technique::Birch, Duration::ZERO, || search(job, &space, score), describe)
}

fn whole(setting: &Setting, name: &str) -> usize {
    setting.integer(name).and_then(|value| usize::try_from(value).ok()).unwrap_or_default()
}

fn real(setting: &Setting, name: &str) -> f64 {
    setting.real(name).unwrap_or_default()
}

/// Searches for each external measure in turn; each search starts from all that was evaluated before.
fn search(
    job: &Job<'_>,
    space: &Space,
    score: impl Fn(&Setting) -> Result<Bests<usize>, Stopped>,
) -> Result<Bests<Found>, Stopped> {
    let mut known: Vec<(Setting, Bests<usize>)> = Vec::new();
    let mut bests = Bests::default();
    for (turn, &external) in job.plan.externals.iter().enumerate() {
        let random = if turn == 0 { job.plan.budget.random } else { 0 };
        let mut optimizer = Optimizer::new(space, job.plan.seed, random);
        for (setting, scores) in &known {
            tell(&mut optimizer, setting, scores, external);
        }
        for _ in 0..random + job.plan.budget.guided {
            let Some(setting) = optimizer.ask() else { break };
            let scores = score(&setting)?;
            tell(&mut optimizer, &setting, &scores, external);
            known.push((setting, scores));
        }
    }
    for (setting, scores) in &known {
        for external in External::ALL {
            if let Some(best) = scores.get(external) {
                bests.offer_one(external, best.score, &(setting.clone(), best.setting));
            }
        }
    }
    Ok(bests)
}

fn tell(optimizer: &mut Optimizer, setting: &Setting, scores: &Bests<usize>, external: External) {
    let value = scores.get(external).map_or(f64::NAN, |best| best.score);
    // Settings of the same space always fit it.
    let told = optimizer.tell(setting, value);
    debug_assert!(told.is_ok());
}

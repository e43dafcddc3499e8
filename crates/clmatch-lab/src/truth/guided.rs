//! X-Means and BIRCH, by Bayesian optimisation.

use std::time::Duration;

use clmatch_cluster::external::External;
use clmatch_cluster::{Birch, Stopped, XMeans};
use clmatch_tune::{Dimension, Optimizer, Setting, Space};
use rayon::prelude::*;

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

/// The same random settings for all external measures, then a guided search for each of them, side by side.
fn search(
    job: &Job<'_>,
    space: &Space,
    score: impl Fn(&Setting) -> Result<Bests<usize>, Stopped> + Sync,
) -> Result<Bests<Found>, Stopped> {
    let evaluate = |setting: Setting| score(&setting).map(|scores| Evaluated { setting, scores });
    let mut design = Optimizer::new(space, job.plan.seed, job.plan.budget.random);
    let settings: Vec<Setting> = (0..job.plan.budget.random).filter_map(|_| design.ask()).collect();
    let random: Vec<Evaluated> = settings.into_par_iter().map(&evaluate).collect::<Result<_, _>>()?;
    let guided = job.plan.externals.par_iter().map(|&external| {
        let mut optimizer = Optimizer::new(space, job.plan.seed, job.plan.budget.random);
        random.iter().for_each(|known| known.tell(&mut optimizer, external));
        let mut found = Vec::new();
        while let Some(setting) = (found.len() < job.plan.budget.guided).then(|| optimizer.ask()).flatten() {
            let evaluated = evaluate(setting)?;
            evaluated.tell(&mut optimizer, external);
            found.push(evaluated);
        }
        Ok(found)
    });
    let guided: Vec<Vec<Evaluated>> = guided.collect::<Result<_, Stopped>>()?;
    let mut bests = Bests::default();
    for Evaluated { setting, scores } in random.iter().chain(guided.iter().flatten()) {
        for external in External::ALL {
            if let Some(best) = scores.get(external) {
                bests.offer_one(external, best.score, &(setting.clone(), best.setting));
            }
        }
    }
    Ok(bests)
}

/// A setting with its scores, and the number of clusters that served each measure best.
struct Evaluated {
    setting: Setting,
    scores: Bests<usize>,
}

impl Evaluated {
    fn tell(&self, optimizer: &mut Optimizer, external: External) {
        let value = self.scores.get(external).map_or(f64::NAN, |best| best.score);
        // Settings of the same space always fit it.
        let told = optimizer.tell(&self.setting, value);
        debug_assert!(told.is_ok());
    }
}

//! X-Means, on a grid of its settings.

use std::ops::Range;
use std::time::Duration;

use clmatch_cluster::{Stopped, XMeans, XMeansFit, XMeansFits};
use clmatch_kernels::parallel;

use super::race::{RaceRun, race};
use super::{Technique, TechniqueJob, TechniqueScore};

/// The largest numbers of clusters: every number where one more makes a difference, then ever fewer.
const KMAX: [usize; 17] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30, 40, 50];
/// The tolerances, evenly spaced on the logarithmic scale.
const TOLERANCES: [f64; 5] = [0.01, 0.03, 0.1, 0.3, 1.0];
/// The ends of [`KMAX`].
pub(super) const CLUSTERS: (usize, usize) = (KMAX[0], KMAX[KMAX.len() - 1]);
/// The ends of [`TOLERANCES`].
pub(super) const TOLERANCE_RANGE: (f64, f64) = (TOLERANCES[0], TOLERANCES[TOLERANCES.len() - 1]);
/// The number of clusters of a typical fit, for estimating the cost.
const TYPICAL: usize = 10;
/// The number of K-Means fits in a fit of X-Means: of all points after every round of splits, and of the points of every
/// cluster.
const FITS: usize = 10;

#[derive(Debug, Clone, Copy)]
struct XMeansSetting {
    kmax: usize,
    tolerance: f64,
}

/// A fit, its setting, and its scores.
struct KnownFit {
    kmax: usize,
    fit: XMeansFit,
    run: RaceRun,
}

impl KnownFit {
    /// Whether another setting would give the same fit with the same seed.
    fn answers(&self, setting: XMeansSetting) -> bool {
        let valid = &self.fit.valid;
        let same_kmax = self.kmax == setting.kmax || valid.kmax_from.is_some_and(|from| from <= setting.kmax);
        same_kmax && valid.tolerates(setting.tolerance)
    }
}

/// Tries every `kmax` with every `tolerance`, the best ones with many seeds.
pub(super) fn xmeans(job: &TechniqueJob<'_>) -> Result<Vec<TechniqueScore>, Stopped> {
    let settings: Vec<XMeansSetting> = KMAX
        .into_iter()
        .flat_map(|kmax| TOLERANCES.into_iter().map(move |tolerance| XMeansSetting { kmax, tolerance }))
        .collect();
    let sample = |places: &[usize], seeds: Range<usize>| {
        let asked: Vec<XMeansSetting> = places.iter().map(|&place| settings[place]).collect();
        let by_seed: Vec<Vec<RaceRun>> =
            parallel::try_map_range(seeds.len(), |at| with_seed(job, &asked, job.seed(seeds.start + at)))?;
        Ok((0..places.len()).map(|at| by_seed.iter().map(|runs| runs[at]).collect()).collect())
    };
    // One fit answers for several settings.
    let rules = job.rules(KMAX.len(), TYPICAL, FITS);
    let tune = || race(&settings, rules, sample);
    let describe = |setting: &XMeansSetting| format!("kmax={} tolerance={}", setting.kmax, setting.tolerance);
    job.run(Technique::XMeans, Duration::ZERO, tune, describe)
}

/// Fits all settings with one seed, from the largest on: a fit that no limit restricted answers for many.
fn with_seed(job: &TechniqueJob<'_>, settings: &[XMeansSetting], seed: u64) -> Result<Vec<RaceRun>, Stopped> {
    let mut fits = XMeansFits::new(job.points);
    let mut known: Vec<KnownFit> = Vec::new();
    let mut runs = Vec::with_capacity(settings.len());
    for &setting in settings.iter().rev() {
        if let Some(same) = known.iter().find(|known| known.answers(setting)) {
            runs.push(same.run);
            continue;
        }
        let XMeansSetting { kmax, tolerance } = setting;
        let fit = fits.fit(&XMeans { kmax, tolerance, seed, ..XMeans::default() }, job.stop)?;
        let run = RaceRun { cost: fit.inertia, agreement: job.truth.score(&fit.labels) };
        runs.push(run);
        known.push(KnownFit { kmax, fit, run });
    }
    runs.reverse();
    Ok(runs)
}

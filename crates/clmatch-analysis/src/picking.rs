//! Choosing datasets for a benchmark: valid and diverse ones over which a ranking of clustering techniques holds.
//!
//! 1. **Valid**: the verdict on each dataset ([`crate::verdict`]) is at least the weakest accepted one.
//! 2. **Diverse**: a dataset is described by the logarithms of its points, features and classes, and by the ranks of the
//!    techniques on it. The distance of two datasets is the root of the mean of these four squared differences, each divided
//!    by its mean over all pairs of valid datasets. The diversity of a choice is the mean distance of its datasets from the
//!    one most like them, in multiples of that of a random choice.
//! 3. **A ranking that holds**: among the choices that are diverse enough, the one with the highest pairwise rank stability
//!    under draws of half of its datasets ([`clmatch_truth::picking`]).
//!
//! The result includes what that costs: the same numbers for the best datasets by score, for the most stable choice regardless of
//! diversity, and for random choices. Stability looks inward: a choice can be stable because its datasets favour the same
//! techniques. `agreement` measures how closely its ranking follows that of all valid datasets.

mod input;

use clmatch::Measure;
use clmatch_data::Advice;
use clmatch_kernels::Control;
use clmatch_truth::picking::{self, Candidates, Pick, PickError, PickSettings, Picked};
use clmatch_truth::rank::ranks;
use serde::Serialize;

use crate::error::AnalysisError;
use crate::remark::Remark;
use crate::resume::VERSION;
use crate::scored::Scored;
use crate::source::Document;
use crate::verdict::AcceptedVerdict;
use input::{Candidate, Input};

/// Names the JSON schema of a [`Benchmark`], with its version.
pub const SCHEMA: &str = "clmatch/pick/1";

/// What to choose from, and how.
#[derive(Debug, Clone)]
pub struct BenchmarkSettings {
    /// The scores of the datasets, as ranking writes them to CSV or JSON; the catalogue if not given.
    pub ranking: Option<Document>,
    /// The scores of techniques on the datasets; those of the catalogue if not given.
    pub truth: Option<Document>,
    /// The measure of the verdict; if not given, the measure of the ranking, else `clm` or the first one.
    pub by: Option<&'static Measure>,
    /// The external measure that techniques are ranked by; the first one of the table if not given.
    pub external: Option<String>,
    /// Rank only these techniques; all if the list is empty.
    pub techniques: Vec<String>,
    /// The weakest verdict that makes a dataset valid.
    pub accept: AcceptedVerdict,
    /// How many datasets to choose, how diverse they must be, and the seed.
    pub pick: PickSettings,
}

/// A choice of datasets, and what was traded for it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Benchmark {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The file of the ranking; `None` for the catalogue.
    pub ranking: Option<String>,
    /// The file of the scores of techniques; `None` for those of the catalogue.
    pub truth: Option<String>,
    /// The measure of the verdict.
    pub by: String,
    /// The external measure that techniques are ranked by, if the file states it.
    pub external: Option<String>,
    /// The weakest verdict that was accepted.
    pub accept: AcceptedVerdict,
    /// The least diversity, in multiples of that of a random choice.
    pub least_diversity: f64,
    /// The seed of everything random.
    pub seed: u64,
    /// Datasets of the ranking.
    pub datasets: usize,
    /// How many of them have an accepted verdict.
    pub valid: usize,
    /// How many of the valid ones have scores of techniques: these can be chosen from.
    pub candidates: usize,
    /// Whether all choices were examined, so that none is better.
    pub exact: bool,
    /// The datasets, best score first.
    pub picked: Vec<BenchmarkDataset>,
    /// The ranking of techniques over them, best first.
    pub techniques: Vec<BenchmarkTechnique>,
    /// This choice and the ones it is compared with, which show what was traded.
    pub choices: Vec<Choice>,
    /// The range of random choices.
    pub random: RandomRange,
}

/// A chosen dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchmarkDataset {
    /// Its name.
    pub dataset: String,
    /// Its points.
    pub points: usize,
    /// Its features.
    pub features: usize,
    /// Its classes.
    pub classes: usize,
    /// Its score by the measure of the verdict.
    pub score: f64,
    /// The verdict on it, in a few words.
    pub verdict: String,
    /// The techniques that do best on it.
    pub best: Vec<String>,
    /// The score that these techniques reach.
    pub best_score: f64,
    /// Its file, or the page where its authors distribute it, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// A technique over the chosen datasets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenchmarkTechnique {
    /// Its name.
    pub technique: String,
    /// Its rank, 1 for the best.
    pub rank: f64,
    /// Its mean score.
    pub mean: f64,
}

/// A choice of this many datasets, judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// How the choice was made.
    pub choice: ChoiceKind,
    /// The mean pairwise rank stability under draws of half of the datasets.
    pub stability: f64,
    /// The diversity, in multiples of that of a random choice.
    pub diversity: f64,
    /// The share of pairs of techniques whose order is the same as over all valid datasets.
    pub agreement: f64,
    /// The mean score of the datasets.
    pub mean_score: f64,
    /// The datasets; empty for the mean over random choices.
    pub datasets: Vec<String>,
}

/// How a choice was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceKind {
    /// The most stable choice that is diverse enough: the pick.
    Pick,
    /// The best datasets by score.
    TopByScore,
    /// The most stable choice, whatever its diversity.
    MostStable,
    /// Random choices: the mean over many.
    Random,
}

/// The range that holds 90% of the random choices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RandomRange {
    /// How many choices were drawn.
    pub picks: usize,
    /// The 5% and the 95% quantile of the stability.
    pub stability: [f64; 2],
    /// The 5% and the 95% quantile of the diversity.
    pub diversity: [f64; 2],
}

impl Benchmark {
    /// The choice of a kind.
    pub fn choice(&self, kind: ChoiceKind) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.choice == kind)
    }
}

/// Chooses datasets for a benchmark.
///
/// # Errors
/// Files that cannot be read, fewer valid datasets than wanted, too few of them in the table of techniques, or datasets that are
/// too similar; [`AnalysisError::Stopped`] if `control` says so.
pub fn choose_benchmark(
    settings: &BenchmarkSettings,
    control: Control<'_>,
) -> Result<(Benchmark, Vec<Remark>), AnalysisError> {
    let input = Input::read(settings)?;
    let candidates = Candidates {
        scores: input.candidates.iter().map(|one| one.techniques.clone()).collect(),
        distances: distances(&input.candidates),
    };
    let picked = picking::pick(&candidates, settings.pick, control).map_err(|error| refused(&error))?;
    let mut remarks = input.remarks.clone();
    if input.candidates.len() == settings.pick.count {
        remarks.push(Remark::warning(format!(
            "there are only {} datasets to choose from: all of them are taken",
            settings.pick.count
        )));
    }
    Ok((benchmark(settings, &input, &picked), remarks))
}

fn refused(error: &PickError) -> AnalysisError {
    let advice = match error {
        PickError::Stopped => return AnalysisError::Stopped(clmatch_kernels::Stopped),
        PickError::TooSimilar { .. } => Advice::AskForLessDiversity,
        PickError::TooFewDatasets { .. } => Advice::PickFewerOrAcceptMore,
        PickError::NothingToRank => {
            Advice::from("choose at least two datasets, and rank at least two techniques")
        }
    };
    AnalysisError::unfit(error.to_string(), advice)
}

fn benchmark(settings: &BenchmarkSettings, input: &Input, picked: &Picked) -> Benchmark {
    let name = |document: &Option<Document>| Some(document.as_ref()?.name.display().to_string());
    let chosen = |pick: &Pick| -> Vec<&Candidate> {
        let mut chosen: Vec<&Candidate> = pick.members.iter().map(|&at| &input.candidates[at]).collect();
        chosen.sort_by(|a, b| input.better_first(a, b));
        chosen
    };
    Benchmark {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        ranking: name(&settings.ranking),
        truth: name(&settings.truth),
        by: input.by.id.to_owned(),
        external: input.external.clone(),
        accept: settings.accept,
        least_diversity: settings.pick.diversity,
        seed: settings.pick.seed,
        datasets: input.ranked,
        valid: input.valid,
        candidates: input.candidates.len(),
        exact: picked.exact,
        picked: chosen(&picked.pick)
            .into_iter()
            .map(|one| input.described(one, settings.ranking.is_none()))
            .collect(),
        techniques: techniques(&input.methods, &chosen(&picked.pick)),
        choices: choices(settings, input, picked, chosen),
        random: RandomRange {
            picks: picked.random.picks,
            stability: picked.random.stability_range.into(),
            diversity: picked.random.diversity_range.into(),
        },
    }
}

/// The pick and the choices it is compared with.
fn choices<'a>(
    settings: &BenchmarkSettings,
    input: &Input,
    picked: &Picked,
    chosen: impl Fn(&Pick) -> Vec<&'a Candidate>,
) -> Vec<Choice> {
    let mean_score =
        |chosen: &[&Candidate]| chosen.iter().map(|one| one.score).sum::<f64>() / chosen.len().max(1) as f64;
    let of = |kind: ChoiceKind, pick: &Pick| {
        let chosen = chosen(pick);
        Choice {
            choice: kind,
            stability: pick.stability,
            diversity: pick.diversity,
            agreement: pick.agreement,
            mean_score: mean_score(&chosen),
            datasets: chosen.iter().map(|one| one.scored.dataset.clone()).collect(),
        }
    };
    let mut order: Vec<usize> = (0..input.candidates.len()).collect();
    order.sort_by(|&a, &b| input.better_first(&input.candidates[a], &input.candidates[b]));
    order.truncate(settings.pick.count);
    let random = Choice {
        choice: ChoiceKind::Random,
        stability: picked.random.stability,
        diversity: 1.0,
        agreement: picked.random.agreement,
        mean_score: mean_score(&input.candidates.iter().collect::<Vec<_>>()),
        datasets: Vec::new(),
    };
    vec![
        of(ChoiceKind::Pick, &picked.pick),
        of(ChoiceKind::TopByScore, &picked.judge(&order)),
        of(ChoiceKind::MostStable, &picked.most_stable),
        random,
    ]
}

/// The ranking of techniques over some datasets, best first.
fn techniques(methods: &[String], chosen: &[&Candidate]) -> Vec<BenchmarkTechnique> {
    let mean = |at: usize| chosen.iter().map(|one| one.techniques[at]).sum::<f64>() / chosen.len() as f64;
    let means: Vec<f64> = (0..methods.len()).map(mean).collect();
    let places = ranks(&means.iter().map(|mean| -mean).collect::<Vec<_>>());
    let mut techniques: Vec<BenchmarkTechnique> = methods
        .iter()
        .zip(places)
        .zip(means)
        .map(|((technique, rank), mean)| BenchmarkTechnique { technique: technique.clone(), rank, mean })
        .collect();
    techniques.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    techniques
}

/// The four traits that datasets are compared by, each one number or several.
fn traits(one: &Candidate) -> [Vec<f64>; 4] {
    let Scored { points, features, classes, .. } = one.scored;
    let log = |count: usize| vec![(count.max(1) as f64).ln()];
    [log(points), log(features), log(classes), ranks(&one.techniques)]
}

/// How dissimilar each two datasets are.
fn distances(candidates: &[Candidate]) -> Vec<Vec<f64>> {
    let traits: Vec<[Vec<f64>; 4]> = candidates.iter().map(traits).collect();
    let count = traits.len();
    let mut squares = vec![vec![0.0; count]; count];
    for at in 0..4 {
        let values: Vec<&[f64]> = traits.iter().map(|of_dataset| of_dataset[at].as_slice()).collect();
        let square = |a: usize, b: usize| -> f64 {
            values[a].iter().zip(values[b]).map(|(one, other)| (one - other).powi(2)).sum()
        };
        let sum: f64 = (0..count).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| square(a, b)).sum();
        let mean = sum / (count * count.saturating_sub(1) / 2).max(1) as f64;
        // A trait that all datasets share distinguishes none of them.
        if mean > 0.0 {
            for (a, row) in squares.iter_mut().enumerate() {
                row.iter_mut().enumerate().for_each(|(b, cell)| *cell += square(a, b) / mean / 4.0);
            }
        }
    }
    squares.into_iter().map(|row| row.into_iter().map(f64::sqrt).collect()).collect()
}

#[cfg(test)]
mod tests;

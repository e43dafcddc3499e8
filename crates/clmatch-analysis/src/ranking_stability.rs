//! How well a ranking of techniques holds, as finished numbers.

use std::path::Path;

use clmatch::Measure;
use clmatch_data::Advice;
use clmatch_truth::results::{self, Results};
use clmatch_truth::stability::{DrawSettings, MethodPair, Stability, Thirds, stability};
use serde::{Deserialize, Serialize};

use crate::error::AnalysisError;
use crate::source::Document;

/// Names the JSON schema of a [`RankingStability`], with its version.
pub const SCHEMA: &str = "clmatch/stability/1";

/// What to rank, and how to draw.
#[derive(Debug, Clone)]
pub struct StabilitySettings {
    /// The external measure to rank by; the first one of the table if not given.
    pub external: Option<String>,
    /// Compare only these techniques; all if the list is empty.
    pub techniques: Vec<String>,
    /// A table of scores of the datasets, and the measure that cuts them into thirds.
    pub thirds: Option<(Document, &'static Measure)>,
    /// How to draw.
    pub draws: DrawSettings,
}

/// How well the ranking of techniques in a table of scores holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankingStability {
    /// [`SCHEMA`].
    pub schema: String,
    /// The measure by which techniques are ranked, if the file states it.
    pub external: Option<String>,
    /// The measure by which datasets are cut into thirds, if they are.
    pub thirds_by: Option<String>,
    /// How many datasets each draw has.
    pub size: usize,
    /// How many draws.
    pub draws: usize,
    /// The seed of the draws.
    pub seed: u64,
    /// Whether a draw may hold the same dataset several times; earlier results were drawn without replacement.
    #[serde(default)]
    pub replacement: bool,
    /// The set of all datasets, and its thirds if they were requested.
    pub sets: Vec<DatasetSet>,
}

/// One set of datasets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetSet {
    /// `all`, `top third` or `bottom third`.
    pub set: String,
    /// How many datasets it has.
    pub datasets: usize,
    /// The share of draws in which the whole ranking equals that of the set.
    pub whole: f64,
    /// The share of draws in which two techniques have the same order as over the set: the mean over all pairs.
    pub pairs_kept: f64,
    /// The paper's pairwise rank stability: the mean over all pairs.
    pub stability: f64,
    /// The techniques, best first.
    pub techniques: Vec<RankedTechnique>,
    /// The pairs of techniques, those whose order holds least first.
    pub pairs: Vec<TechniquePair>,
}

/// A technique in the ranking of a set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedTechnique {
    /// Its name.
    pub technique: String,
    /// Its rank, 1 for the best.
    pub rank: f64,
    /// The mean score over the set.
    pub mean: f64,
    /// The share of draws in which it is first.
    pub first: f64,
    /// The share of draws in which it has this rank.
    pub kept: f64,
}

/// Two techniques, and how well their order holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TechniquePair {
    /// The one with the higher mean score over the set.
    pub ahead: String,
    /// The one with the lower mean score.
    pub behind: String,
    /// Whether neither is ahead, because the means over the set are equal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tied: bool,
    /// The share of draws in which they have this order; a tie in the draw or over the set, but not in both, counts half.
    pub kept: f64,
    /// The paper's pairwise rank stability: the share of draws with whichever order is more frequent, this one or the opposite.
    pub stability: f64,
}

impl DatasetSet {
    fn new(set: &str, methods: &[String], found: &Stability) -> DatasetSet {
        let mut techniques: Vec<RankedTechnique> = methods
            .iter()
            .enumerate()
            .map(|(at, name)| RankedTechnique {
                technique: name.clone(),
                rank: found.ranks[at],
                mean: found.means[at],
                first: found.first[at],
                kept: found.kept[at],
            })
            .collect();
        techniques.sort_by(|a, b| a.rank.total_cmp(&b.rank));
        let pair = |pair: &MethodPair| {
            let (a, b) = (found.means[pair.a], found.means[pair.b]);
            let (ahead, behind) = if a >= b { (pair.a, pair.b) } else { (pair.b, pair.a) };
            TechniquePair {
                ahead: methods[ahead].clone(),
                behind: methods[behind].clone(),
                tied: a == b,
                kept: pair.kept,
                stability: pair.stability(),
            }
        };
        let mut pairs: Vec<TechniquePair> = found.pairs.iter().map(pair).collect();
        pairs.sort_by(|a, b| a.kept.total_cmp(&b.kept));
        DatasetSet {
            set: set.to_owned(),
            datasets: found.datasets,
            whole: found.whole,
            pairs_kept: found.mean_kept(),
            stability: found.mean_stability(),
            techniques,
            pairs,
        }
    }
}

/// Draws datasets repeatedly from a table of scores of techniques.
///
/// # Errors
/// A table that cannot be read, or that has too few datasets for the draws.
pub fn ranking_stability(
    scores: &Document,
    settings: &StabilitySettings,
) -> Result<RankingStability, AnalysisError> {
    let path = &scores.name;
    let refuse = |error| AnalysisError::table(path, error);
    let rows = results::read(&scores.text).map_err(refuse)?;
    let external = external(path, settings.external.as_deref(), &results::externals(&rows))?;
    let results = Results::new(&rows, external.as_deref(), &settings.techniques).map_err(refuse)?;
    let draws = settings.draws;
    let all: Vec<usize> = (0..results.datasets.len()).collect();
    let thirds = settings.thirds.as_ref().map(|(scores, by)| thirds(scores, by, &results)).transpose()?;
    let sets: Vec<(&'static str, &[usize])> = match &thirds {
        Some(thirds) => thirds.named().to_vec(),
        None => vec![("all", &all)],
    };
    let mut ranked = Vec::new();
    for (set, places) in sets {
        let found = stability(&results, places, draws)
            .map_err(|error| AnalysisError::unfit(format!("{set}: {error}"), Advice::DrawFewerDatasets))?;
        ranked.push(DatasetSet::new(set, &results.methods, &found));
    }
    Ok(RankingStability {
        schema: SCHEMA.to_owned(),
        external,
        thirds_by: settings.thirds.as_ref().map(|(_, by)| by.id.to_owned()),
        size: draws.size,
        draws: draws.draws,
        seed: draws.seed,
        replacement: draws.replacement,
        sets: ranked,
    })
}

/// The measure to rank by: the requested one, or the first one.
pub(crate) fn external(
    path: &Path,
    asked: Option<&str>,
    known: &[&str],
) -> Result<Option<String>, AnalysisError> {
    match asked {
        Some(id) if !known.contains(&id) => {
            let what = format!("{}: there is no external measure {id}", path.display());
            let advice = match known {
                [] => Advice::LeaveOutExternal,
                known => Advice::Text(format!("there are: {}", known.join(", "))),
            };
            Err(AnalysisError::unfit(what, advice))
        }
        Some(id) => Ok(Some(id.to_owned())),
        None => Ok(known.first().map(|&first| first.to_owned())),
    }
}

fn thirds(scores: &Document, by: &Measure, results: &Results) -> Result<Thirds, AnalysisError> {
    let path = &scores.name;
    let scores =
        results::read_column(&scores.text, by.id).map_err(|error| AnalysisError::table(path, error))?;
    let of = |dataset: &String| {
        let found = scores.iter().find(|(name, _)| name == dataset);
        found.map(|(_, value)| by.upward(*value)).ok_or_else(|| {
            let what = format!("{}: there is no score of {dataset}", path.display());
            AnalysisError::unfit(what, Advice::from("rank the same datasets"))
        })
    };
    Ok(Thirds::new(&results.datasets.iter().map(of).collect::<Result<Vec<f64>, AnalysisError>>()?))
}

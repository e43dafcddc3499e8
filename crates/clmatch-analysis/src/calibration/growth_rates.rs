//! Growth rates that are fitted to judgements.

use std::path::Path;

use super::fit::{Fit, FitError, Judged, Options, fit};
use super::gaussians::{PLANE, Source};
use super::judgements::{self, Judgement, Subject};
use super::variants::{Variant, forms};
use clmatch::Classes;
use clmatch::protocol::RawScore;
use clmatch_data::{Advice, ReadOptions, Scale};
use serde::Serialize;

use crate::error::AnalysisError;
use crate::source;

/// Names the JSON schema of [`GrowthRates`], with its version.
pub const SCHEMA: &str = "clmatch/calibrate/1";

/// What to fit, and how.
#[derive(Debug, Clone)]
pub struct GrowthRateSettings {
    /// Variants to fit.
    pub variants: Vec<Variant>,
    /// How many points are drawn from two Gaussians.
    pub points: usize,
    /// How to fit.
    pub fit: Options,
}

/// Scores against judgements for one variant.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedScores {
    /// The name of the variant.
    pub variant: String,
    /// Judgement and score of each dataset.
    pub points: Vec<(f64, f64)>,
}

/// The growth rates of some variants.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GrowthRates {
    /// [`SCHEMA`].
    pub schema: String,
    /// How many datasets were judged.
    pub datasets: usize,
    /// The seed of everything random.
    pub seed: u64,
    /// One row per variant.
    pub variants: Vec<GrowthRateRow>,
}

/// The growth rate of one variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GrowthRateRow {
    /// The name of the variant.
    pub variant: String,
    /// The growth rate.
    pub k: f64,
    /// The standard error of k.
    pub error: f64,
    /// The weighted R2 of scores and judgements.
    pub r2: f64,
    /// Whether k lies at an end of the interval, and so cannot be trusted.
    pub at_end: bool,
    /// The growth rate that this program uses.
    pub built_in: Option<f64>,
}

impl GrowthRateRow {
    fn new(variant: Variant, fit: &Fit) -> GrowthRateRow {
        GrowthRateRow {
            variant: variant.name(),
            k: fit.k,
            error: fit.error,
            r2: fit.r2,
            at_end: fit.at_end,
            built_in: variant.growth().map(|k| k.value),
        }
    }
}

/// Fits growth rates to the judgements in a file. Datasets that it names are searched for beside it.
///
/// # Errors
/// A file or dataset that cannot be read, or judgements to which nothing can be fitted.
pub fn fit_judgements(
    path: &Path,
    settings: &GrowthRateSettings,
) -> Result<(GrowthRates, Vec<FittedScores>), AnalysisError> {
    let (low, high) = (settings.fit.interval.low, settings.fit.interval.high);
    if low >= high {
        let what = format!("there is nothing to search between {low} and {high}");
        return Err(AnalysisError::unfit(what, Advice::WidenInterval));
    }
    let judgements =
        judgements::read(&source::read_text(path)?).map_err(|error| AnalysisError::table(path, error))?;
    let forms = judgements.iter().map(|one| forms_of(one, path, settings)).collect::<Result<Vec<_>, _>>()?;
    let (mut rates, mut scores) = (Vec::new(), Vec::new());
    for (at, &variant) in settings.variants.iter().enumerate() {
        let judge =
            |(one, forms): (&Judgement, &Vec<RawScore>)| Judged { form: forms[at].clone(), score: one.score };
        let judged: Vec<Judged> = judgements.iter().zip(&forms).map(judge).collect();
        let found =
            fit(&judged, &settings.fit).map_err(|error| refused(&error, variant, &judgements, path))?;
        scores.push(FittedScores {
            variant: variant.name(),
            points: judged.iter().map(|one| (one.score, one.form.rescale(found.k))).collect(),
        });
        rates.push(GrowthRateRow::new(variant, &found));
    }
    let rates = GrowthRates {
        schema: SCHEMA.to_owned(),
        datasets: judgements.len(),
        seed: settings.fit.seed,
        variants: rates,
    };
    Ok((rates, scores))
}

/// The form that T4 is applied to, for each variant.
fn forms_of(
    judgement: &Judgement,
    path: &Path,
    settings: &GrowthRateSettings,
) -> Result<Vec<RawScore>, AnalysisError> {
    let refuse = |error: &dyn std::fmt::Display| {
        AnalysisError::unfit(format!("{}: line {}: {error}", path.display(), judgement.line), None)
    };
    let variants = &settings.variants;
    match &judgement.subject {
        Subject::Gaussians(two) => {
            let source = Source { seed: settings.fit.seed, number: judgement.line };
            let sample = two.sample(settings.points, PLANE, source);
            let classes = sample.classes().map_err(|error| refuse(&error))?;
            forms(&classes, variants).map_err(|error| refuse(&error))
        }
        Subject::Dataset(name) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            let source = source::only(&folder.join(name), &ReadOptions::default())?;
            let mut dataset = clmatch_data::read(&source, &ReadOptions::default())?;
            dataset.scale(Scale::default());
            let points = dataset.points();
            let classes = Classes::new(points, dataset.labels()).map_err(|error| refuse(&error))?;
            forms(&classes, variants).map_err(|error| refuse(&error))
        }
    }
}

/// The error for a fit that is not possible, with the line of the file if one is to blame.
fn refused(error: &FitError, variant: Variant, judgements: &[Judgement], path: &Path) -> AnalysisError {
    let line = match error {
        FitError::NotFinite { dataset } | FitError::Judgement { dataset, .. } => {
            judgements.get(*dataset).map(|one| format!("line {}: ", one.line))
        }
        _ => None,
    };
    let what = format!("{}: {}{}: {error}", path.display(), line.unwrap_or_default(), variant.name());
    AnalysisError::unfit(what, None)
}

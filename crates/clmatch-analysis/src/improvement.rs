//! The finished numbers of an improvement, which every export shows.

use clmatch::improve::{self, Change, Improvement, LEVEL, Null, Options, Split, reweight};
use clmatch::{Classes, Singletons};
use clmatch_data::{
    Advice, Dataset, Edits, LabelOrigin, LabelSource, Original, ReadOptions, Scale, Target, Written,
};
use clmatch_kernels::{Control, Stop};
use serde::Serialize;

use crate::error::AnalysisError;
use crate::noise;
use crate::relabelling::lost;
use crate::remark::Remark;

/// Names the JSON schema of an [`Improved`] dataset, with its version.
pub const SCHEMA: &str = "clmatch/improve/2";

/// Everything besides the data that determines a result.
#[derive(Debug, Clone)]
pub struct ImproveSettings {
    /// How the dataset is read.
    pub read: ReadOptions,
    /// How its features are scaled.
    pub scale: Scale,
    /// Points with this label are left out.
    pub noise: Option<String>,
    /// How classes of a single point are treated.
    pub singletons: Singletons,
    /// How features are searched for.
    pub search: Options,
}

/// An improved dataset that was written, with remarks about it.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The result.
    pub improved: Improved,
    /// The files that hold it.
    pub written: Written,
    /// Remarks about the dataset and the result.
    pub remarks: Vec<Remark>,
}

/// Improves a dataset that is already scaled, and writes the file that it was read from with its features. `stop` ends the search with the best result so far.
///
/// # Errors
/// A dataset that cannot be scored, or a target that cannot be written.
pub fn improve_and_write(
    original: &Original,
    dataset: &Dataset,
    settings: &ImproveSettings,
    target: &Target,
    stop: &Stop,
) -> Result<Finished, AnalysisError> {
    let Searched { mut improved, weights, mut remarks } =
        search_features(dataset, settings, Control::new(stop))?;
    let written = write(original, dataset, target, &weights)?;
    // A reader finds the only column whose name says label, unless a feature has such a name, too.
    let found = dataset.label_origin().is_some_and(|label| {
        label.source == LabelSource::Name
            && label.alternatives.is_empty()
            && written.label.as_ref() == Some(&label.name)
    });
    improved.score_with.label = written.label.clone().filter(|label| label != "label" && !found);
    improved.score_with.keep.clone_from(&written.keep);
    improved.score_with.drop.clone_from(&written.others);
    remarks.extend(lost(&written));
    Ok(Finished { improved, written, remarks })
}

/// What a search for features found, before anything is written.
#[derive(Debug, Clone)]
pub struct Searched {
    /// The result; it is scored again with the settings of the dataset.
    pub improved: Improved,
    /// The weight of every feature, 0 for the features left out.
    pub weights: Vec<f64>,
    /// Remarks about the dataset and the result.
    pub remarks: Vec<Remark>,
}

/// Searches for the features of a dataset that is already scaled, or for weights on them. If `control` asks to stop, the search
/// ends with the best result so far.
///
/// # Errors
/// A dataset that cannot be scored.
pub fn search_features(
    dataset: &Dataset,
    settings: &ImproveSettings,
    control: Control<'_>,
) -> Result<Searched, AnalysisError> {
    let refuse = |error| AnalysisError::data(&dataset.name, error);
    let noise = noise::label(dataset, settings.noise.as_deref());
    let said = noise::remark(dataset, settings.noise.as_deref());
    let settings = &ImproveSettings { noise: noise.map(str::to_owned), ..settings.clone() };
    let classes =
        Classes::with(dataset.points(), dataset.labels(), noise, settings.singletons).map_err(refuse)?;
    let found = improve::improve(&classes, &settings.search, control).map_err(refuse)?;
    let warnings = warnings(&classes, &settings.search, &found);
    let improved = Improved::new(dataset, &classes, settings, &found, &warnings);
    let remarks = dataset.notes.iter().map(Remark::from).chain(said).chain(warnings).collect();
    Ok(Searched { improved, weights: found.selection.weights, remarks })
}

/// Writes the file with the features as they were scored, whichever search found them: scaled if each column was scaled on its own, and
/// multiplied by the roots of their weights. Scaling all columns by one number changes no objective, so features scaled that way
/// are written in the units of the input. Rows that were left out on reading are not written: they were not scored.
fn write(
    original: &Original,
    dataset: &Dataset,
    target: &Target,
    weights: &[f64],
) -> Result<Written, AnalysisError> {
    let kept = |(name, weight): (&String, &f64)| (*weight > 0.0).then(|| name.clone());
    let features = dataset.features().iter().zip(weights).filter_map(kept).collect();
    let values = reweight(dataset.values(), dataset.n_features(), weights);
    let reduced = Dataset::new(dataset.name.clone(), features, values, dataset.labels().clone())
        .map_err(|error| AnalysisError::data(&dataset.name, error))?;
    let kept: Vec<bool> = weights.iter().map(|weight| *weight > 0.0).collect();
    let edits = Edits {
        read: dataset,
        result: &reduced,
        dropped: &[],
        unread: &|_, _| None,
        features: Some(&kept),
        column: None,
    };
    Ok(original.write(&edits, target)?)
}

/// The settings with which the written file has the score of all points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreWith {
    /// The features are written as they were scored.
    pub scale: Scale,
    /// The column with the labels, if it is not called `label`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The label of points that do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<String>,
    /// Whether classes of a single point are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub drop_singletons: bool,
    /// Features that look like ids and would otherwise be left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Columns that are no features: ids, texts, and what was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
}

impl ScoreWith {
    fn new(settings: &ImproveSettings) -> Self {
        ScoreWith {
            scale: Scale::None,
            label: None,
            noise: settings.noise.clone(),
            drop_singletons: settings.singletons == Singletons::Drop,
            keep: Vec::new(),
            drop: Vec::new(),
        }
    }
}

/// An improved dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Improved {
    /// [`SCHEMA`].
    pub schema: String,
    /// The name of the dataset.
    pub dataset: String,
    /// Where its labels come from, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// Points that count.
    pub points: usize,
    /// Features of the input.
    pub features: usize,
    /// Their names.
    pub features_used: Vec<String>,
    /// Classes that count.
    pub classes: usize,
    /// How the features were scaled.
    pub scale: Scale,
    /// The measure that was raised.
    pub objective: String,
    /// How features were searched for.
    pub method: String,
    /// The method that found the result; of interest for `auto`.
    pub found_by: String,
    /// The seed of everything random.
    pub seed: u64,
    /// How many features are kept.
    pub kept: usize,
    /// Whether the features have weights.
    pub weighted: bool,
    /// Scores before and after.
    pub scores: ScoreTable,
    /// The settings with which the written file has the score of all points.
    pub score_with: ScoreWith,
    /// What the same search gains by chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null: Option<NullTable>,
    /// The kept features, those that contribute most first.
    pub kept_features: Vec<Kept>,
    /// The score against the number of features.
    pub path: Vec<PathStep>,
    /// Warnings about the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The scores on the two halves and on all points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreTable {
    /// On the points that the features were chosen on, unless those are all points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<BeforeAfter>,
    /// On the points that were held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<BeforeAfter>,
    /// On all points.
    pub all: BeforeAfter,
}

/// Scores with all features and with the chosen ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BeforeAfter {
    /// How many points are scored.
    pub points: usize,
    /// With all features.
    pub before: f64,
    /// With the chosen features.
    pub after: f64,
}

impl From<Change> for BeforeAfter {
    fn from(Change { points, before, after, .. }: Change) -> Self {
        BeforeAfter { points, before, after }
    }
}

/// The same search repeated with shuffled labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NullTable {
    /// How many searches were made.
    pub shuffles: usize,
    /// The mean gain of these searches on the points the features were chosen on.
    pub mean_gain_chosen: f64,
    /// Their mean gain on the points held out.
    pub mean_gain_held_out: f64,
    /// The gain of each of these searches on the points held out.
    pub gains_held_out: Vec<f64>,
    /// The share of searches that gain at least as much as the reported one, which is counted among them.
    pub p_value: f64,
    /// Whether such a gain is rare by chance.
    pub significant: bool,
}

impl NullTable {
    fn new(null: &Null) -> Option<Self> {
        let count = null.held_out.len();
        let mean = |gains: &[f64]| gains.iter().sum::<f64>() / count as f64;
        (count > 0).then(|| NullTable {
            shuffles: count,
            mean_gain_chosen: mean(&null.chosen),
            mean_gain_held_out: mean(&null.held_out),
            gains_held_out: null.held_out.clone(),
            p_value: null.p_value,
            significant: null.significant(),
        })
    }
}

/// A feature that is kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    /// Its name.
    pub feature: String,
    /// Its place among the features, counted from 0.
    pub index: usize,
    /// Its weight; the largest one is 1.
    pub weight: f64,
    /// What the objective loses without it.
    pub contribution: f64,
}

/// A feature subset on the greedy path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PathStep {
    /// How many features.
    pub features: usize,
    /// The score on the points that features were chosen on.
    pub chosen: f64,
    /// The score on the points held out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<f64>,
}

impl Improved {
    fn new(
        dataset: &Dataset,
        classes: &Classes<'_>,
        settings: &ImproveSettings,
        found: &Improvement,
        warnings: &[Remark],
    ) -> Self {
        let options = &settings.search;
        let kept = found.kept.iter().map(|kept| Kept {
            feature: dataset.features()[kept.feature].clone(),
            index: kept.feature,
            weight: kept.weight,
            contribution: kept.contribution,
        });
        let path = found.path.iter();
        let path = path.map(|p| PathStep { features: p.features, chosen: p.chosen, held_out: p.held_out });
        Improved {
            schema: SCHEMA.to_owned(),
            dataset: dataset.name.clone(),
            label: dataset.label_origin().cloned(),
            points: classes.n_points(),
            features: dataset.n_features(),
            features_used: dataset.features().to_vec(),
            classes: classes.n_classes(),
            scale: settings.scale,
            objective: options.objective.to_string(),
            method: options.method.to_string(),
            found_by: found.selection.method.to_string(),
            seed: options.seed,
            kept: found.selection.kept(),
            weighted: !found.selection.is_subset(),
            scores: ScoreTable {
                chosen: found.held_out.is_some().then(|| found.chosen.into()),
                held_out: found.held_out.map(BeforeAfter::from),
                all: found.all.into(),
            },
            score_with: ScoreWith::new(settings),
            null: found.null.as_ref().and_then(NullTable::new),
            kept_features: kept.collect(),
            path: path.collect(),
            warnings: warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Warnings about the result, whatever form it takes.
fn warnings(classes: &Classes<'_>, options: &Options, found: &Improvement) -> Vec<Remark> {
    let mut warnings = Vec::new();
    if !found.unsplit.is_empty() {
        let names: Vec<&str> = found.unsplit.iter().map(|&class| classes.names()[class].as_str()).collect();
        let names = names.join("', '");
        warnings.push(Remark::warning(format!(
            "classes with fewer than 4 points took no part in the choice: '{names}'"
        )));
    }
    warnings.extend(verdict(options, found));
    if found.selection.screened > 0 {
        let screened = found.selection.screened;
        warnings.push(Remark::warning(format!(
            "{screened} features were left out before the search, because their own score is low"
        )));
    }
    if found.selection.stopped {
        let text = "the search was stopped early: this is the best so far";
        warnings.push(Remark::warning(text).advise(Advice::SearchLonger));
    }
    warnings
}

/// The number of shuffles needed to distinguish a gain from chance.
const ENOUGH_SHUFFLES: usize = (1.0 / LEVEL) as usize - 1;

/// The evidence against the gain, if there is any.
fn verdict(options: &Options, found: &Improvement) -> Option<Remark> {
    let text = match (&found.held_out, &found.null) {
        _ if found.selection.is_everything() => {
            "nothing better was found: no features or weights that were tried raise the score enough, so all features \
             are kept as before"
                .to_owned()
        }
        (Some(held_out), _) if held_out.gain() <= 0.0 => {
            "the gain is no more than chance: on the held-out points, the features that were chosen score no higher than \
             all features do"
                .to_owned()
        }
        (Some(_), Some(null)) if !null.conclusive() => {
            let text = format!("{} shuffles are too few to tell the gain from chance", null.held_out.len());
            return Some(Remark::warning(text).advise(Advice::MoreShuffles(ENOUGH_SHUFFLES)));
        }
        (Some(held_out), Some(null)) if !null.significant() => format!(
            "the held-out gain of {:+.3} is not significant (p = {:.2}): shuffled labels gain as much",
            held_out.gain(),
            null.p_value
        ),
        (None, _) if options.split == Split::Half => {
            "no two classes have 4 points: features were chosen on the same points that are scored, so the score is too \
             optimistic"
                .to_owned()
        }
        (None, _) => "features were chosen on the same points that are scored, so the score is too optimistic".to_owned(),
        _ => return None,
    };
    Some(Remark::warning(text))
}

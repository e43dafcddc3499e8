//! The finished ground truth of one dataset, and the order of many.

use std::borrow::Cow;

use clmatch::Singletons;
use clmatch_cluster::external::{External, Truth};
use clmatch_data::{Dataset, LabelOrigin, ReadOptions, Scale, Severity, Source};
use clmatch_kernels::Control;
use clmatch_truth::techniques::{self, TechniqueScore, TruthSettings, best_of, is_near_singletons};
use serde::{Deserialize, Serialize};

use crate::error::AnalysisError;
use crate::evidence::{Rescaled, better_scaled};
use crate::remark::Remark;
use crate::resume::{Identity, read_options};
use crate::subsample::{SampleSpec, Subsample};

/// Names the JSON schema of a [`GroundTruth`], with its version.
pub const SCHEMA: &str = "clmatch/truth/2";

/// Everything besides the data that determines a result.
#[derive(Debug, Clone, Default)]
pub struct GroundTruthSettings {
    /// How the dataset is read.
    pub read: ReadOptions,
    /// How its features are scaled; the search spaces are designed for the default.
    pub scale: Scale,
    /// Which points are clustered.
    pub sample: SampleSpec,
    /// Which techniques are tuned, and how.
    pub search: TruthSettings,
}

impl GroundTruthSettings {
    /// The settings for a dataset, which may have options of its own.
    fn with_own(&self, source: &Source) -> Cow<'_, GroundTruthSettings> {
        let Some(own) = source.options() else { return Cow::Borrowed(self) };
        let mut settings = self.clone();
        let GroundTruthSettings { read, scale, sample, .. } = &mut settings;
        own.set_all(read, scale, &mut sample.noise, &mut sample.singletons);
        Cow::Owned(settings)
    }

    /// What a resumed run must have in common with this one.
    pub fn identity(&self) -> Identity {
        let TruthSettings { techniques, externals, search, birch_thresholds, birch_clusters, seed } =
            &self.search;
        let techniques: Vec<&str> = techniques.iter().map(|technique| technique.id()).collect();
        let externals: Vec<&str> = externals.iter().map(|external| external.id()).collect();
        let identity = read_options(Identity::new("truth"), &self.read)
            .with("scale", self.scale)
            .with("techniques", techniques.join(","))
            .with("externals", externals.join(","))
            .with("search", search.id())
            .with("birch_thresholds", birch_thresholds)
            .with("birch_clusters", birch_clusters)
            .with("seed", seed);
        self.sample.identify(identity)
    }
}

/// The best scores of the techniques on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroundTruth {
    /// [`SCHEMA`].
    pub schema: String,
    /// The name of the dataset.
    pub dataset: String,
    /// Where its labels come from, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// How many points were clustered.
    pub points: usize,
    /// How many points the dataset has.
    pub all_points: usize,
    /// Features of each point.
    pub features: usize,
    /// The names of the features that were used; empty in results of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features_used: Vec<String>,
    /// How many classes the dataset has.
    pub classes: usize,
    /// The best score of every technique by every external measure.
    pub techniques: Vec<TechniqueRow>,
}

/// One technique by one external measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TechniqueRow {
    /// The name of the technique, with the suffix `_singletons` for partitions that do not count.
    pub technique: String,
    /// The external measure.
    pub external: String,
    /// The best score.
    pub score: f64,
    /// The setting that reached it, as `name=value` words.
    pub settings: String,
    /// Seconds that the technique took for all external measures together.
    pub seconds: f64,
}

impl TechniqueRow {
    /// Whether it counts for the ground truth.
    pub fn counts(&self) -> bool {
        !is_near_singletons(&self.technique)
    }
}

impl From<&TechniqueScore> for TechniqueRow {
    fn from(found: &TechniqueScore) -> TechniqueRow {
        TechniqueRow {
            technique: found.label(),
            external: found.external.id().to_owned(),
            score: found.score,
            settings: found.settings.clone(),
            seconds: found.seconds,
        }
    }
}

impl GroundTruth {
    /// The best technique by a measure: the approximate true match.
    pub fn best(&self, external: External) -> Option<&TechniqueRow> {
        let rows = self.techniques.iter().filter(|row| row.external == external.id() && row.counts());
        best_of(rows, |row| row.score)
    }
}

/// Orders datasets by an external measure, best first, then by name.
pub fn rank(mut datasets: Vec<GroundTruth>, by: External) -> Vec<GroundTruth> {
    let score = |dataset: &GroundTruth| dataset.best(by).map_or(f64::NEG_INFINITY, |row| row.score);
    datasets.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.dataset.cmp(&b.dataset)));
    datasets
}

/// Reads a dataset and tunes the techniques on it. Reports each finished technique to `control` as a step.
///
/// # Errors
/// A dataset that cannot be read or used, or [`AnalysisError::Stopped`].
pub fn read_and_tune(
    source: &Source,
    settings: &GroundTruthSettings,
    control: Control<'_>,
) -> Result<(GroundTruth, Vec<Remark>), AnalysisError> {
    let settings = &*settings.with_own(source);
    let mut dataset = clmatch_data::read(source, &settings.read)?;
    dataset.scale(settings.scale);
    let (truth, mut remarks) = tune(&dataset, settings, control)?;
    remarks.extend(scaling(&dataset, settings.scale, control));
    Ok((truth, remarks))
}

/// The remark if another scaling is better. Being stopped meanwhile does not discard the result.
pub(crate) fn scaling(dataset: &Dataset, scale: Scale, control: Control<'_>) -> Option<Remark> {
    let better = better_scaled(dataset, scale, None, Singletons::Drop, None, control).ok()?;
    better.as_ref().map(Rescaled::remark)
}

/// Tunes the techniques on a dataset that is already scaled.
///
/// # Errors
/// A dataset that cannot be used, or [`AnalysisError::Stopped`].
pub fn tune(
    dataset: &Dataset,
    settings: &GroundTruthSettings,
    control: Control<'_>,
) -> Result<(GroundTruth, Vec<Remark>), AnalysisError> {
    let sample = Subsample::of(dataset, &settings.sample)?;
    let classes = Truth::new(&sample.classes);
    let found = techniques::ground_truth(&sample.points, &classes, &settings.search, control)?;
    let truth = GroundTruth {
        schema: SCHEMA.to_owned(),
        dataset: dataset.name.clone(),
        label: dataset.label_origin().cloned(),
        points: sample.points.n_points(),
        all_points: sample.all,
        features: dataset.n_features(),
        features_used: dataset.features().to_vec(),
        classes: classes.classes(),
        techniques: found.iter().map(TechniqueRow::from).collect(),
    };
    Ok((truth, remarks(dataset, sample.notes())))
}

/// The warnings of the reader, and further notes.
pub(crate) fn remarks(dataset: &Dataset, notes: impl IntoIterator<Item = String>) -> Vec<Remark> {
    let warnings = dataset.notes.iter().filter(|note| note.severity() == Severity::Warning);
    warnings.map(Remark::from).chain(notes.into_iter().map(Remark::info)).collect()
}

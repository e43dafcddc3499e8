//! What is wrong with a dataset and what would help, as finished numbers with the names of classes, features and rows.

mod named;
mod summary;

use self::named::Named;
use clmatch::diagnose::{PairVerdict, Term, explain};
use clmatch::intervals::Groups;
use clmatch::{Classes, ClmTerms, Control, Singletons};
use clmatch_data::{Dataset, LabelOrigin, ReadOptions, Scale, ShownColumn, Source};
use serde::{Serialize, Serializer};

use crate::dominance::Dominance;
use crate::error::AnalysisError;
use crate::evidence::{Rescaled, better_scaled};
use crate::noise;
use crate::remark::Remark;

/// A copy is the nearest neighbour of its original.
const REPEATED_ROWS: &str =
    "rows repeat: copies agree with each other, which hides wrong labels and makes classes look split";

/// Names the JSON schema of an [`ExplainedDataset`], with its version.
pub const SCHEMA: &str = "clmatch/explain/2";

/// Everything besides the data that determines a result.
#[derive(Debug, Clone, Default)]
pub struct ExplainSettings {
    /// How the dataset is read.
    pub read: ReadOptions,
    /// How its features are scaled.
    pub scale: Scale,
    /// Points with this label are left out.
    pub noise: Option<String>,
    /// How classes of a single point are treated.
    pub singletons: Singletons,
    /// The seed of the search for clusters within classes.
    pub seed: u64,
}

/// An explained dataset, with all of its points and remarks about it.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The result.
    pub explained: ExplainedDataset,
    /// What is known about each point that counts, in the order of the input.
    pub points: Vec<ExplainedPoint>,
    /// The ids of these points, and the columns of the file that were asked for.
    pub shown: Vec<ShownColumn>,
    /// Remarks about the dataset.
    pub remarks: Vec<Remark>,
}

/// What is wrong with a dataset. Rows are counted from 1: the first row of data, not a header, is row 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedDataset {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The name of the dataset.
    pub dataset: String,
    /// Where its labels come from, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// Points that count.
    pub points: usize,
    /// Features of each point.
    pub features: usize,
    /// The names of the features.
    pub features_used: Vec<String>,
    /// Classes that count.
    pub classes: usize,
    /// How the features were scaled.
    pub scale: Scale,
    /// The seed of the search for clusters within classes.
    pub seed: u64,
    /// `clm` of the dataset.
    pub clm: f64,
    /// The main findings, in a few sentences.
    pub summary: Vec<String>,
    /// All pairs of classes, worst first.
    pub pairs: Vec<ExplainedPair>,
    /// Every class, and the clusters it consists of.
    pub class_clusters: Vec<ExplainedClass>,
    /// Points that look mislabelled, the most probable first.
    pub mislabelled: Vec<MislabelledPoint>,
    /// How many other points are outvoted: most of their neighbours share another label. Either classes overlap there, or labels
    /// near a border are wrong.
    pub outvoted: usize,
    /// Points far from every class, the farthest first.
    pub outliers: Vec<OutlierPoint>,
    /// What each feature contributes over all classes together; the features that separate most come first.
    pub feature_shares: Vec<ExplainedFeature>,
    /// Changes that would raise the score of the dataset and of either half of it, the largest gain first.
    pub actions: Vec<ExplainedAction>,
    /// The other scaling, if the score is clearly higher with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub better_scaled: Option<Rescaled>,
    /// Notes about the dataset.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A pair of classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedPair {
    /// One class.
    pub a: String,
    /// The other one.
    pub b: String,
    /// How the two classes relate.
    pub verdict: PairVerdict,
    /// `clm` of the two.
    pub clm: f64,
    /// The terms of `clm` of the two.
    pub terms: ClmTerms,
    /// The share of the points of `a` that lie closer to `b`.
    pub a_closer_to_b: f64,
    /// The share of the points of `b` that lie closer to `a`.
    pub b_closer_to_a: f64,
    /// The terms that fail, the lowest first; empty for a separate pair.
    pub fails: Vec<Term>,
    /// `clm` of the dataset if the two were merged, where that was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clm_if_merged: Option<f64>,
    /// The few features that carry most of the separation; not determined for a separate pair.
    pub separated_by: Vec<ExplainedFeature>,
    /// Features that carry scatter only.
    pub scatter_only: Vec<ExplainedFeature>,
}

/// A class, and the clusters it consists of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedClass {
    /// Its name.
    pub class: String,
    /// How many points it has.
    pub points: usize,
    /// The clusters, the largest first; a single one if the class is one cluster.
    pub clusters: Vec<ExplainedCluster>,
    /// `clm` of the dataset if the class were split into these clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clm_if_split: Option<f64>,
}

/// A cluster within a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedCluster {
    /// How many points it has.
    pub points: usize,
    /// The row whose point lies closest to the centre of the cluster.
    pub typical_row: usize,
}

/// A point that looks mislabelled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MislabelledPoint {
    /// Its row.
    pub row: usize,
    /// Its class.
    pub label: String,
    /// The class that it looks like.
    pub suggested: String,
    /// How probable it is that the label is wrong.
    pub probability: f64,
    /// Its id, and the columns of the file that were asked for.
    #[serde(skip_serializing_if = "ShownCells::is_empty")]
    pub shown: ShownCells,
}

/// A point far from every class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutlierPoint {
    /// Its row.
    pub row: usize,
    /// Its class.
    pub label: String,
    /// Its distance from every class; above 3 it counts as an outlier.
    pub distance: f64,
    /// Its id, and the columns of the file that were asked for.
    #[serde(skip_serializing_if = "ShownCells::is_empty")]
    pub shown: ShownCells,
}

/// Cells of the file about a point, by the names of their columns: an object in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownCells(pub Vec<(String, String)>);

impl ShownCells {
    /// The cells of a point of a dataset.
    fn of(dataset: &Dataset, point: usize) -> Self {
        let cell = |column: &ShownColumn| (column.name.clone(), column.cells[point].clone());
        ShownCells(dataset.shown().iter().map(cell).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The title of a shown column of the file in a table that has columns of its own.
pub fn file_column(name: &str, own: &[&str]) -> String {
    if own.contains(&name) { format!("{name} (file)") } else { name.to_owned() }
}

impl Serialize for ShownCells {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(column, cell)| (column, cell)))
    }
}

/// What a feature contributes to the separation of classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedFeature {
    /// Its name.
    pub feature: String,
    /// The share of its variance that lies between the classes.
    pub eta: f64,
    /// Its share of the separation of the classes.
    pub share_between: f64,
    /// Its share of the scatter within the classes.
    pub share_within: f64,
    /// Whether it carries scatter only.
    pub scatter_only: bool,
}

/// A change of the labels that raises the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedAction {
    /// What to do.
    #[serde(flatten)]
    pub change: LabelChange,
    /// `clm` of the dataset afterwards.
    pub clm: f64,
    /// By how much that is higher.
    pub gain: f64,
    /// By how much `clm` rises on either half of the points when the parts and the wrong labels are determined on the other half.
    pub held_out: [f64; 2],
}

/// Something that can be done to the labels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LabelChange {
    /// Two classes become one.
    Merge([String; 2]),
    /// The clusters of a class become classes.
    Split(String),
    /// Rows are left out.
    DropRows(Vec<usize>),
}

/// What is known about one point.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedPoint {
    /// Its row.
    pub row: usize,
    /// Its class.
    pub label: String,
    /// The class that it looks like.
    pub suggested: String,
    /// How probable it is that the label is wrong.
    pub probability: f64,
    /// Its distance from every class; above 3 it counts as an outlier.
    pub outlier: f64,
    /// The share of its neighbours' votes for the strongest other class; above .5 the neighbours contradict the label.
    pub outvoted: f64,
    /// The cluster of its class that it belongs to, from 1.
    pub part: usize,
}

/// Reads and explains a dataset.
///
/// # Errors
/// A dataset that cannot be read or scored, or [`AnalysisError::Stopped`] if `control` says so.
pub fn read_and_explain(
    source: &Source,
    settings: &ExplainSettings,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    control.check()?;
    explain_with(clmatch_data::read(source, &settings.read)?, settings, control)
}

/// Explains a dataset. This can take long, and can be stopped.
///
/// # Errors
/// A dataset that cannot be scored, or [`AnalysisError::Stopped`] if `control` says so.
pub fn explain_with(
    mut dataset: Dataset,
    settings: &ExplainSettings,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    dataset.scale(settings.scale);
    let refuse = |error| AnalysisError::data(&dataset.name, error);
    let noise = noise::label(&dataset, settings.noise.as_deref());
    let classes =
        Classes::with(dataset.points(), dataset.labels(), noise, settings.singletons).map_err(refuse)?;
    let found = explain(&classes, settings.seed, control).map_err(refuse)?;
    let mut remarks: Vec<Remark> = dataset.notes.iter().map(Remark::from).collect();
    remarks.extend(noise::remark(&dataset, settings.noise.as_deref()));
    remarks.extend(noise::doubt(&classes, settings.noise.as_deref()));
    remarks.extend(Dominance::of(&dataset, &classes).as_ref().map(Dominance::remark));
    let copies = Groups::new(&classes, 0).is_ok_and(|groups| groups.has_copies());
    remarks.extend(copies.then(|| Remark::warning(REPEATED_ROWS)));
    remarks.sort_by_key(|remark| remark.severity);
    let named = Named { dataset: &dataset, classes: &classes };
    let better = better_scaled(
        &dataset,
        settings.scale,
        noise,
        settings.singletons,
        Some(found.diagnosis.score),
        control,
    );
    let explained = named.explained(&found, better.map_err(refuse)?, settings, &remarks);
    let points = named.points(&found);
    let shown = named.shown();
    Ok(Finished { explained, points, shown, remarks })
}

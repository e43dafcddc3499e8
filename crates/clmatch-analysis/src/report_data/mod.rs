//! What a page shows of one dataset beyond its scores: its points in two dimensions, each bad pair of classes along the line that
//! separates it, and silhouettes. Everything is thinned to what a page can hold, and is finished, so that a page only draws it.

mod class_match;
pub mod many;
mod pair_plane;
mod principal;
mod silhouettes;
mod thinning;

pub use self::class_match::ClassMatch;

use clmatch::{Classes, Control};
use clmatch_data::{Dataset, Source};
use serde::Serialize;

use crate::error::AnalysisError;
use crate::explanation::{ExplainSettings, ExplainedDataset, ExplainedPair, explain_with};
use crate::judging::attach_verdict;
use crate::noise;
use crate::remark::Remark;
use crate::scored::Scored;
use crate::scoring::{ScoreSettings, score_with};

/// Everything besides the data that determines a report.
#[derive(Debug, Clone)]
pub struct ReportSettings {
    /// How the dataset is read, scaled and scored.
    pub score: ScoreSettings,
    /// The seed of the search for clusters within classes.
    pub seed: u64,
    /// How much of the points is kept.
    pub views: ViewSettings,
}

/// How much of the points a page can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewSettings {
    /// How many points of the whole dataset are shown in its principal plane.
    pub plane_points: usize,
    /// How many pairs of classes get a plane of their own, the worst first.
    pub pairs: usize,
    /// How many points of all pairs together are shown.
    pub pair_points: usize,
    /// How many silhouettes of all classes together are shown.
    pub silhouettes: usize,
}

impl Default for ViewSettings {
    fn default() -> Self {
        ViewSettings { plane_points: 3000, pairs: 100, pair_points: 25_000, silhouettes: 2400 }
    }
}

/// Everything that a page about one dataset shows.
#[derive(Debug, Clone)]
pub struct DatasetReport {
    /// The scores, with intervals and random labels if they were requested, and the verdict.
    pub scored: Scored,
    /// What is wrong with the labels, and what would help.
    pub explained: ExplainedDataset,
    /// Each class by itself, in the order of the dataset.
    pub classes: Vec<ClassMatch>,
    /// The points.
    pub views: PointViews,
    /// Remarks about the dataset.
    pub remarks: Vec<Remark>,
}

/// The points of a dataset as a page shows them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointViews {
    /// All classes in the plane in which the points spread most.
    pub principal: PrincipalPlane,
    /// The worst pairs of classes, each in a plane of its own, in the order of [`ExplainedDataset::pairs`].
    pub pairs: Vec<PairPlane>,
    /// How well each point sits in its class.
    pub silhouettes: Silhouettes,
}

/// Points in the plane in which they spread most.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrincipalPlane {
    /// The share of the variance along the first direction.
    pub first_share: f64,
    /// The share along the second direction; `None` for a dataset with one feature, whose points are spread by their order.
    pub second_share: Option<f64>,
    /// Every class, in the order of the dataset.
    pub classes: Vec<PlacedClass>,
    /// How many points are kept.
    pub shown: usize,
    /// How many points there are.
    pub of: usize,
}

/// The points of one class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacedClass {
    /// Its name.
    pub class: String,
    /// Its points, thinned.
    pub points: Vec<PlacedPoint>,
}

/// A point in a plane.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PlacedPoint {
    /// Its row of the input, from 1.
    pub row: usize,
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
}

/// How the line of a pair was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairLine {
    /// The discriminant of one half of the points; the other half is shown, so that the line cannot flatter them.
    Discriminant,
    /// The line between the centres: there are too few points to find a better one.
    Centres,
}

/// Two classes in the plane of the line that separates them (across) and of the direction beside it in which they spread most
/// (up).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairPlane {
    /// The points of the class that the pair names first.
    pub a: PlacedClass,
    /// The points of the other class.
    pub b: PlacedClass,
    /// How the line was found.
    pub line: PairLine,
    /// Whether there is a second direction; otherwise points are spread by their order.
    pub has_second: bool,
    /// Where the bins along the line start, and where the last one ends.
    pub bins: [f64; 2],
    /// How many shown points of either class lie in each bin.
    pub counts: [Vec<usize>; 2],
    /// How many points the two classes have.
    pub of: usize,
}

/// How well points sit in their classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Silhouettes {
    /// The mean over all points: the standard silhouette coefficient, of the points that were compared.
    pub mean: f64,
    /// Every class, in the order of the dataset.
    pub classes: Vec<ClassSilhouette>,
    /// How many points were compared: all of them, or a sample of many.
    pub compared: usize,
}

/// The silhouettes of one class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassSilhouette {
    /// Its name.
    pub class: String,
    /// How many points it has.
    pub points: usize,
    /// The mean silhouette of these points.
    pub mean: f64,
    /// The share of points that lie closer to another class.
    pub negative: f64,
    /// Values from the highest to the lowest, thinned evenly.
    pub values: Vec<f64>,
}

/// Reads a dataset and computes everything that a page about it shows.
///
/// # Errors
/// A dataset that cannot be read or scored, or [`AnalysisError::Stopped`] if `control` says so.
pub fn read_and_report(
    source: &Source,
    settings: &ReportSettings,
    control: Control<'_>,
) -> Result<DatasetReport, AnalysisError> {
    control.check()?;
    let mut report = report_with(clmatch_data::read(source, &settings.score.read)?, settings, control)?;
    let is_file = source.path.as_os_str() != "-" && !source.is_embedded();
    report.scored.path = is_file.then(|| source.path.display().to_string());
    Ok(report)
}

/// Computes everything that a page about a dataset shows. This can take long, and can be stopped.
///
/// # Errors
/// A dataset that cannot be scored, or [`AnalysisError::Stopped`] if `control` says so.
pub fn report_with(
    mut dataset: Dataset,
    settings: &ReportSettings,
    control: Control<'_>,
) -> Result<DatasetReport, AnalysisError> {
    let score = &settings.score;
    let mut finished = score_with(dataset.clone(), score, control)?;
    if let Some(judge) = crate::deciding::judge(&score.measures) {
        attach_verdict(&mut finished.scored, judge);
    }
    let explain = ExplainSettings {
        read: score.read.clone(),
        scale: score.scale,
        noise: score.noise.clone(),
        singletons: score.singletons,
        seed: settings.seed,
    };
    let explained = explain_with(dataset.clone(), &explain, control)?.explained;
    dataset.scale(score.scale);
    let noise = noise::label(&dataset, score.noise.as_deref());
    let refuse = |error| AnalysisError::data(&dataset.name, error);
    let classes =
        Classes::with(dataset.points(), dataset.labels(), noise, score.singletons).map_err(refuse)?;
    let views = point_views(&dataset, &classes, &explained.pairs, settings.views, control)?;
    let classes = class_match::of(&explained);
    Ok(DatasetReport { scored: finished.scored, explained, classes, views, remarks: finished.remarks })
}

/// The points of a scaled dataset, as a page shows them; `pairs` are its pairs of classes, worst first.
///
/// # Errors
/// [`AnalysisError::Stopped`] if `control` says so.
pub fn point_views(
    dataset: &Dataset,
    classes: &Classes<'_>,
    pairs: &[ExplainedPair],
    settings: ViewSettings,
    control: Control<'_>,
) -> Result<PointViews, AnalysisError> {
    let refuse = |error| AnalysisError::data(&dataset.name, error);
    let principal = principal::plane(dataset, classes, settings.plane_points).map_err(refuse)?;
    control.check()?;
    let place = |name: &str| classes.names().iter().position(|known| known == name);
    let chosen = pairs.iter().take(settings.pairs);
    let chosen: Vec<(usize, usize)> =
        chosen.filter_map(|pair| Some((place(&pair.a)?, place(&pair.b)?))).collect();
    let room = settings.pair_points / (2 * chosen.len().max(1));
    let mut planes = Vec::with_capacity(chosen.len());
    for (a, b) in chosen {
        control.check()?;
        planes.push(pair_plane::plane(dataset, classes, (a, b), room).map_err(refuse)?);
    }
    let silhouettes = silhouettes::of(classes, settings.silhouettes, control).map_err(refuse)?;
    Ok(PointViews { principal, pairs: planes, silhouettes })
}

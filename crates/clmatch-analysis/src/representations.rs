//! The same rows in several representations: raw, scaled, reduced, or layer after layer of a network. Which one separates the
//! classes best, and is the difference more than chance?
//!
//! Every representation is scored on its own. All of them must have the same rows with the same labels in the same order. The
//! replicates of their intervals ([`clmatch::intervals`]) leave out the same rows, so that the interval of a difference is a
//! paired one: what moves both scores alike does not count.
//!
//! A difference is significant if its p-value is below .05 after Holm's correction over all pairs of representations:
//! `p = P(|t| > |d|/se)` with 20 degrees of freedom, where d is the difference and se its standard error over the replicates.
//! A representation wins by a measure if it is the best and differs significantly from every other one. The correction covers
//! the choice of the best one, but not the number of measures examined.

mod significance;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clmatch::intervals::{self, Groups, Replicates};
use clmatch::{Classes, Control, Labels, Measure, evaluate_with};
use clmatch_data::{Advice, Dataset, LabelOrigin, Note, Scale, Source};
use serde::Serialize;

use crate::error::AnalysisError;
use crate::noise;
use crate::remark::Remark;
use crate::resume::{Settings, VERSION};
use crate::scores::Scores;
use crate::scoring::{ScoreSettings, scores};
use crate::uncertainty::ScoreInterval;

pub use significance::{LEVEL, PairedDifference};

/// Names the JSON schema of [`Representations`], with its version.
pub const SCHEMA: &str = "clmatch/compare/1";

/// What to compare, and how.
#[derive(Debug, Clone)]
pub struct CompareSettings {
    /// How the representations are read and scored.
    pub score: ScoreSettings,
    /// A file that holds the labels of all of them; it may be one of them.
    pub label_of: Option<PathBuf>,
    /// The seed of the replicates.
    pub seed: u64,
}

/// Representations of the same rows, compared.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Representations {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// Where the labels of the first representation come from, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// Points that count.
    pub points: usize,
    /// Classes that count.
    pub classes: usize,
    /// How the features of each representation were scaled.
    pub scale: Scale,
    /// The other settings that determine the scores, by name.
    pub settings: Settings,
    /// The seed of the replicates.
    pub seed: u64,
    /// The level of the intervals.
    pub confidence: f64,
    /// Notes about the representations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The representations, in the order in which they were given.
    pub representations: Vec<Representation>,
    /// For each measure, which representations differ.
    pub measures: Vec<MeasureComparison>,
}

/// One representation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Representation {
    /// What it is called: the name of its file, or the whole path where two files have the same name.
    pub name: String,
    /// Where it was read from, if that was a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How many features it has.
    pub features: usize,
    /// Fingerprint of points and labels as read, before scaling.
    pub checksum: String,
    /// The value of each measure.
    pub scores: Scores,
    /// The 95% interval of each score, in the same order; empty where a class has too few points.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<ScoreInterval>,
}

/// All representations compared by one measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MeasureComparison {
    /// The id of the measure.
    pub measure: String,
    /// The representation with the best score; the first one in a tie.
    pub best: String,
    /// The best representation, if it differs significantly from every other one.
    pub winner: Option<String>,
    /// Every pair of representations, in their order; empty where a class has too few points.
    pub differences: Vec<PairedDifference>,
}

impl Representation {
    /// The interval of a measure.
    pub fn interval(&self, id: &str) -> Option<&ScoreInterval> {
        self.intervals.iter().find(|interval| interval.measure == id)
    }
}

/// A representation before it is scored.
struct Loaded {
    name: String,
    path: Option<String>,
    dataset: Dataset,
}

/// What is kept of a representation after it was scored.
struct MeasuredRepresentation {
    shown: Representation,
    replicates: Vec<Replicates>,
    remarks: Vec<Remark>,
}

/// What all representations must have in common.
struct CommonRows {
    name: String,
    labels: Labels,
    label: Option<LabelOrigin>,
    points: usize,
    classes: usize,
    /// Which rows the replicates of all representations leave out; none where a class has too few points.
    groups: Option<Groups>,
}

/// Scores representations of the same rows and compares them.
///
/// # Errors
/// Fewer than two representations, one that cannot be read or scored, or rows or labels that differ from those of the first (the
/// error says where); [`AnalysisError::Stopped`] if `control` says so.
pub fn compare_representations(
    sources: &[Source],
    settings: &CompareSettings,
    control: Control<'_>,
) -> Result<(Representations, Vec<Remark>), AnalysisError> {
    let names = names(sources);
    let read = |(source, name): (&Source, String)| {
        let is_file = source.path.as_os_str() != "-" && !source.is_embedded();
        let path = is_file.then(|| source.path.display().to_string());
        Ok(Loaded { name, path, dataset: read(source, settings)? })
    };
    compare_loaded(sources.iter().zip(names).map(read), settings, control)
}

/// Scores representations of the same rows that are in memory, each named after its dataset, and compares them.
///
/// # Errors
/// The errors of [`compare_representations`], and two representations of the same name.
pub fn compare_datasets(
    datasets: Vec<Dataset>,
    settings: &CompareSettings,
    control: Control<'_>,
) -> Result<(Representations, Vec<Remark>), AnalysisError> {
    let mut names = BTreeSet::new();
    if let Some(twin) = datasets.iter().find(|one| !names.insert(one.name.clone())) {
        let what = format!("two representations are called '{}'", twin.name);
        return Err(AnalysisError::unfit(what, Advice::from("give each one a name of its own")));
    }
    let loaded = |dataset: Dataset| Ok(Loaded { name: dataset.name.clone(), path: None, dataset });
    compare_loaded(datasets.into_iter().map(loaded), settings, control)
}

/// Loads one representation after the other, so that only one is in memory while they are read.
fn compare_loaded(
    all: impl Iterator<Item = Result<Loaded, AnalysisError>>,
    settings: &CompareSettings,
    control: Control<'_>,
) -> Result<(Representations, Vec<Remark>), AnalysisError> {
    let mut common: Option<CommonRows> = None;
    let mut measured = Vec::new();
    for loaded in all {
        control.check()?;
        let loaded = loaded?;
        refuse_dropped_rows(&loaded.name, &loaded.dataset)?;
        if let Some(common) = &common {
            same_rows(common, &loaded.name, loaded.dataset.labels())?;
        }
        let (one, rows) = measure(loaded, common.as_ref(), settings, control)?;
        common.get_or_insert(rows);
        measured.push(one);
    }
    match common {
        Some(common) if measured.len() > 1 => Ok(finished(common, measured, settings)),
        _ => {
            let advice = Advice::from("give two or more representations of the same rows");
            Err(AnalysisError::unfit("there is nothing to compare with", advice))
        }
    }
}

/// The names of the files, or their paths where names coincide; repetitions of the same file are numbered.
fn names(sources: &[Source]) -> Vec<String> {
    let unique = |name: &str| sources.iter().filter(|other| other.name == name).count() == 1;
    let mut names: Vec<String> = Vec::with_capacity(sources.len());
    for source in sources {
        let name = if unique(&source.name) { source.name.clone() } else { source.path.display().to_string() };
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name));
        names.push(free.unwrap_or(name));
    }
    names
}

/// One representation, with the labels of the common file unless it is that file.
fn read(source: &Source, settings: &CompareSettings) -> Result<Dataset, AnalysisError> {
    let mut options = settings.score.read.clone();
    let Some(file) = settings.label_of.as_deref().filter(|file| !is_same(file, &source.path)) else {
        return Ok(clmatch_data::read(source, &options)?);
    };
    options.labels_file = Some(file.to_owned());
    let dataset = clmatch_data::read(source, &options)?;
    // `species in raw.csv` where the file has several columns.
    let column =
        dataset.label_origin().and_then(|origin| origin.name.split_once(" in ")).map(|(name, _)| name);
    match column.and_then(|column| dataset.features().iter().find(|feature| *feature == column)) {
        Some(feature) => {
            let what = format!(
                "{} has a column '{feature}' of its own beside the labels that are given for all",
                source.name
            );
            Err(AnalysisError::unfit(what, Advice::DropNamedColumn(feature.clone())))
        }
        None => Ok(dataset),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    canonical(one) == canonical(other)
}

/// Refuses a representation that lost rows: the rows of the others could no longer be matched with it.
fn refuse_dropped_rows(name: &str, dataset: &Dataset) -> Result<(), AnalysisError> {
    match dataset
        .notes
        .iter()
        .find(|note| matches!(note, Note::RowsDropped { .. } | Note::UnlabelledDropped { .. }))
    {
        Some(note) => {
            let what = format!("{name}: {note}, so that its rows are no longer those of the others");
            Err(AnalysisError::unfit(what, Advice::DropColumnsOrImpute))
        }
        None => Ok(()),
    }
}

/// Refuses a representation whose rows are not those of the first, and says where they differ.
fn same_rows(common: &CommonRows, name: &str, labels: &Labels) -> Result<(), AnalysisError> {
    let advice = || {
        Advice::from("every representation must have the same rows with the same labels, in the same order")
    };
    let (rows, first) = (labels.len(), common.labels.len());
    if rows != first {
        let what = format!("{name} has {rows} rows, and {} has {first}", common.name);
        return Err(AnalysisError::unfit(what, advice()));
    }
    let label = |row: usize| (common.labels.name_of(row), labels.name_of(row));
    let other: Vec<usize> = (0..rows).filter(|&row| label(row).0 != label(row).1).collect();
    let Some(&row) = other.first() else { return Ok(()) };
    let (here, there) = label(row);
    let more =
        if other.len() > 1 { format!(", and {} more rows differ", other.len() - 1) } else { String::new() };
    let what =
        format!("row {} is labelled '{here}' in {} and '{there}' in {name}{more}", row + 1, common.name);
    Err(AnalysisError::unfit(what, advice()))
}

/// Scores one representation and its replicates, which leave out the same rows as those of the first.
fn measure(
    loaded: Loaded,
    first: Option<&CommonRows>,
    settings: &CompareSettings,
    control: Control<'_>,
) -> Result<(MeasuredRepresentation, CommonRows), AnalysisError> {
    let Loaded { name, path, mut dataset } = loaded;
    let checksum = dataset.checksum();
    dataset.scale(settings.score.scale);
    let score = &settings.score;
    let refuse = |error| AnalysisError::data(&name, error);
    let noise = noise::label(&dataset, score.noise.as_deref());
    let classes =
        Classes::with(dataset.points(), dataset.labels(), noise, score.singletons).map_err(refuse)?;
    let evaluation = evaluate_with(&classes, &score.measures, false, control).map_err(refuse)?;
    let scores = scores(&evaluation);
    let mut remarks: Vec<Remark> = dataset.notes.iter().map(Remark::from).collect();
    remarks.extend(noise::remark(&dataset, score.noise.as_deref()));
    let groups = match first
        .map_or_else(|| Groups::new(&classes, settings.seed).map(Some), |first| Ok(first.groups.clone()))
    {
        Ok(groups) => groups,
        Err(error) => {
            remarks.push(Remark::warning(format!("{error}: there are scores only")));
            None
        }
    };
    let replicates = match &groups {
        Some(groups) => {
            intervals::replicates_of(&classes, &score.measures, groups, control).map_err(refuse)?
        }
        None => Vec::new(),
    };
    let shown = Representation {
        name: name.clone(),
        path,
        features: dataset.n_features(),
        checksum,
        intervals: replicates.iter().filter_map(|one| interval(one, &scores)).collect(),
        scores,
    };
    let common = CommonRows {
        name,
        label: dataset.label_origin().cloned(),
        points: classes.n_points(),
        classes: classes.n_classes(),
        labels: dataset.labels().clone(),
        groups,
    };
    Ok((MeasuredRepresentation { shown, replicates, remarks }, common))
}

fn interval(replicates: &Replicates, scores: &Scores) -> Option<ScoreInterval> {
    Some(ScoreInterval::of(replicates, scores.get(replicates.id)?))
}

fn finished(
    common: CommonRows,
    measured: Vec<MeasuredRepresentation>,
    settings: &CompareSettings,
) -> (Representations, Vec<Remark>) {
    let measures = settings.score.measures.iter().map(|&measure| compared(measure, &measured)).collect();
    let mut remarks: Vec<Remark> = Vec::new();
    for one in &measured {
        for remark in &one.remarks {
            // A remark that applies to all representations is made once.
            let everywhere = measured.iter().all(|other| other.remarks.contains(remark));
            let text = if everywhere { remark.text.clone() } else { format!("{}: {remark}", one.shown.name) };
            let named = Remark { text, ..remark.clone() };
            if !remarks.contains(&named) {
                remarks.push(named);
            }
        }
    }
    remarks.sort_by_key(|remark| remark.severity);
    let label_of = settings.label_of.as_ref().map(|path| path.display());
    let identity = settings.score.identity().with_option("label_of", label_of);
    let found = Representations {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        label: common.label,
        points: common.points,
        classes: common.classes,
        scale: settings.score.scale,
        settings: Settings::from(identity),
        seed: settings.seed,
        confidence: 0.95,
        notes: remarks.iter().map(ToString::to_string).collect(),
        representations: measured.into_iter().map(|one| one.shown).collect(),
        measures,
    };
    (found, remarks)
}

/// All pairs of representations by one measure, and who wins.
fn compared(measure: &'static Measure, measured: &[MeasuredRepresentation]) -> MeasureComparison {
    let value = |at: usize| measured[at].shown.scores.get(measure.id).unwrap_or(f64::NAN);
    let best = (1..measured.len())
        .fold(0, |best, at| if measure.prefers(value(at), value(best)) { at } else { best });
    let replicates =
        |at: usize| measured[at].replicates.iter().find(|replicates| replicates.id == measure.id);
    let mut differences = Vec::new();
    for a in 0..measured.len() {
        for b in a + 1..measured.len() {
            if let (Some(one), Some(other)) = (replicates(a), replicates(b)) {
                let names = [a, b].map(|at| measured[at].shown.name.clone());
                differences.push(significance::difference(names, (one, value(a)), (other, value(b))));
            }
        }
    }
    significance::correct(&mut differences);
    let name = &measured[best].shown.name;
    let mut of_best = differences.iter().filter(|one| one.a == *name || one.b == *name);
    let wins = !differences.is_empty() && of_best.all(|one| one.significant);
    MeasureComparison {
        measure: measure.id.to_owned(),
        best: name.clone(),
        winner: wins.then(|| name.clone()),
        differences,
    }
}

#[cfg(test)]
mod tests;

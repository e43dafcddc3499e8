//! A dataset with repaired labels: classes merged, split and renamed, rows relabelled and left out.
//!
//! A list of [`Changes`] describes what to change. All names are those of the classes as they were read, and all changes are made
//! at once. The features, and the order of the rows that stay, are those of the input.

mod changes;
mod points_table;
#[cfg(test)]
mod tests;

pub use changes::{Changes, Merge, Rename, RowRange, class_list, listed_classes, split_name};
pub use points_table::{PointVerdict, read_points};

use clmatch::diagnose::{ClassParts, class_parts};
use clmatch::{Classes, Control, Labels, Singletons, Values, measure};
use clmatch_data::{Dataset, Edits, LabelOrigin, Original, ReadError, ReadOptions, Scale, Target, Written};
use serde::Serialize;

use crate::error::AnalysisError;
use crate::noise;
use crate::remark::Remark;
use crate::scores::ClassSize;
use crate::scoring::{ScoreSettings, score_with};

/// Names the JSON schema of a [`Relabelled`] dataset, with its version.
pub const SCHEMA: &str = "clmatch/relabel/1";

/// Everything besides the data that determines a result.
#[derive(Debug, Clone)]
pub struct RelabelSettings {
    /// How the dataset was read.
    pub read: ReadOptions,
    /// How its features are scaled before it is scored or split; the written features are not scaled.
    pub scale: Scale,
    /// Points with this label count neither in scores nor in splits.
    pub noise: Option<String>,
    /// How scores treat classes of a single point.
    pub singletons: Singletons,
    /// The seed of the search for parts of classes, the same as that of the explanation.
    pub seed: u64,
    /// What to change.
    pub changes: Changes,
}

/// A relabelled dataset that was written, with remarks about it.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The result.
    pub relabelled: Relabelled,
    /// The files that hold it.
    pub written: Written,
    /// Remarks about the dataset and the result.
    pub remarks: Vec<Remark>,
}

/// A number before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BeforeAfter<T> {
    /// In the input.
    pub before: T,
    /// In the written dataset.
    pub after: T,
}

/// Classes that were merged into one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergedClasses {
    /// The names of the classes.
    pub classes: Vec<String>,
    /// The name of the merged class.
    pub into: String,
}

/// A class whose parts became classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitClass {
    /// Its name.
    pub class: String,
    /// The new classes, with the sizes of the parts.
    pub into: Vec<ClassSize>,
}

/// A class that was renamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RenamedClass {
    /// The old name.
    pub from: String,
    /// The new one.
    pub to: String,
}

/// A row that was given another class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RelabelledRow {
    /// The row of the input, counted from 1.
    pub row: usize,
    /// Its label in the input.
    pub from: String,
    /// The class that was suggested.
    pub to: String,
}

/// What was changed in a dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Relabelled {
    /// [`SCHEMA`].
    pub schema: String,
    /// The name of the dataset.
    pub dataset: String,
    /// Where its labels come from, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// How many features each row has.
    pub features: usize,
    /// The names of the features.
    pub features_used: Vec<String>,
    /// How many rows there are.
    pub rows: BeforeAfter<usize>,
    /// How many classes there are.
    pub classes: BeforeAfter<usize>,
    /// `clm`; `None` where it cannot be computed.
    pub clm: BeforeAfter<Option<f64>>,
    /// How the features were scaled for `clm`.
    pub scale: Scale,
    /// Classes that were merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged: Vec<MergedClasses>,
    /// Classes that were split.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub split: Vec<SplitClass>,
    /// Classes that were renamed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub renamed: Vec<RenamedClass>,
    /// Rows that were given another class.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub relabelled_rows: Vec<RelabelledRow>,
    /// Rows of the input that were left out, counted from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped_rows: Vec<usize>,
    /// The classes that were written, with their sizes.
    pub sizes: Vec<ClassSize>,
    /// Warnings about the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A dataset with other labels, and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The dataset.
    pub dataset: Dataset,
    /// Classes that were merged.
    pub merged: Vec<MergedClasses>,
    /// Classes that were split.
    pub split: Vec<SplitClass>,
    /// Classes that were renamed.
    pub renamed: Vec<RenamedClass>,
    /// Rows that were given another class.
    pub relabelled_rows: Vec<RelabelledRow>,
    /// Rows that were left out, counted from 1.
    pub dropped_rows: Vec<usize>,
}

/// The clusters of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassClusters {
    /// The name of the class.
    pub class: String,
    /// The points of each cluster, as places in the dataset.
    pub clusters: Vec<Vec<usize>>,
}

/// A dataset as far as relabelling needs it.
#[derive(Debug, Clone)]
pub struct Relabellable {
    /// The points; those of a table that cannot be scored have a single feature that means nothing.
    pub dataset: Dataset,
    /// Why the features could not be read, if they could not. Splitting a class needs them.
    pub unread: Option<ReadError>,
}

/// Reads a dataset or, if its features cannot be read, nothing but its labels.
///
/// # Errors
/// Labels that cannot be read either, or are no classes.
pub fn read_relabellable(original: &Original) -> Result<Relabellable, AnalysisError> {
    match original.read() {
        Ok(dataset) => Ok(Relabellable { dataset, unread: None }),
        Err(error) => match original.read_labels() {
            Ok(Some(dataset)) => Ok(Relabellable { dataset, unread: Some(error) }),
            Ok(None) | Err(_) => Err(error.into()),
        },
    }
}

/// Changes the labels of a dataset as it was read, and writes the file again; `column` is the name of a new column for them.
///
/// # Errors
/// As [`relabel`], and a target that cannot be written.
pub fn relabel_and_write(
    original: &Original,
    read: &Relabellable,
    settings: &RelabelSettings,
    column: Option<&str>,
    target: &Target,
    control: Control<'_>,
) -> Result<Finished, AnalysisError> {
    let Relabellable { dataset, unread } = read;
    if let Some(error) = unread.as_ref().filter(|_| !settings.changes.split.is_empty()) {
        return Err(error.clone().into());
    }
    let (relabelled, repaired, mut remarks) = relabel_with(dataset, settings, unread.as_ref(), control)?;
    let merged = |label: &str| {
        relabelled.merged.iter().find(|merged| merged.classes.iter().any(|class| class == label))
    };
    let renamed = |label: &str| relabelled.renamed.iter().find(|renamed| renamed.from == label);
    // Rows in which something is missing are no points, but have their class: it is merged and renamed as everywhere.
    let rest = |row: usize, label: &str| {
        let dropped =
            settings.changes.drop_rows.iter().any(|range| (range.first..=range.last).contains(&row));
        let label = merged(label).map_or(label, |merged| &merged.into);
        (!dropped).then(|| renamed(label).map_or(label, |renamed| &renamed.to).to_owned())
    };
    let edits = Edits {
        read: dataset,
        result: &repaired,
        dropped: &relabelled.dropped_rows,
        unread: &rest,
        features: None,
        column,
    };
    let written = original.write(&edits, target)?;
    remarks.extend(lost(&written));
    Ok(Finished { relabelled, written, remarks })
}

/// The warning that columns of the input are not in the output.
pub(crate) fn lost(written: &Written) -> Option<Remark> {
    const NAMED: usize = 8;
    let some: Vec<&str> = written.lost.iter().take(NAMED).map(String::as_str).collect();
    let more = if written.lost.len() > NAMED { ", …" } else { "" };
    let text = format!("not written, because the format cannot hold it: {}{more}", some.join(", "));
    (!some.is_empty()).then(|| Remark::warning(text))
}

/// Changes the labels of a dataset as it was read: the result, the dataset with the changes made, and what should be said.
///
/// # Errors
/// Changes that name what is not there, do not go together or leave fewer than 2 classes; a class that is one cluster and
/// cannot be split; [`AnalysisError::Stopped`] if `control` says so.
pub fn relabel(
    dataset: &Dataset,
    settings: &RelabelSettings,
    control: Control<'_>,
) -> Result<(Relabelled, Dataset, Vec<Remark>), AnalysisError> {
    relabel_with(dataset, settings, None, control)
}

/// Like [`relabel`]; `unread` says why there are no features to score.
fn relabel_with(
    dataset: &Dataset,
    settings: &RelabelSettings,
    unread: Option<&ReadError>,
    control: Control<'_>,
) -> Result<(Relabelled, Dataset, Vec<Remark>), AnalysisError> {
    settings.changes.check(dataset)?;
    let clusters = find_clusters(dataset, settings, control)?;
    let repaired = repair(dataset, &settings.changes, &clusters)?;
    let ((before, without), (after, without_after)) = match unread {
        Some(error) => {
            let said = Remark::warning(format!("there is no score: {error}"));
            ((None, Some(Remark { advice: error.advice.clone(), ..said })), (None, None))
        }
        None => (
            score(dataset, settings, "before", control)?,
            score(&repaired.dataset, settings, "after", control)?,
        ),
    };
    let warnings: Vec<Remark> = without.into_iter().chain(without_after).collect();
    let labels = repaired.dataset.labels();
    let features_used = if unread.is_some() { Vec::new() } else { dataset.features().to_vec() };
    let relabelled = Relabelled {
        schema: SCHEMA.to_owned(),
        dataset: dataset.name.clone(),
        label: dataset.label_origin().cloned(),
        features: features_used.len(),
        features_used,
        rows: BeforeAfter { before: dataset.n_points(), after: repaired.dataset.n_points() },
        classes: BeforeAfter { before: dataset.labels().names().len(), after: labels.names().len() },
        clm: BeforeAfter { before, after },
        scale: settings.scale,
        merged: repaired.merged,
        split: repaired.split,
        renamed: repaired.renamed,
        relabelled_rows: repaired.relabelled_rows,
        dropped_rows: repaired.dropped_rows,
        sizes: sizes(labels),
        warnings: warnings.iter().map(ToString::to_string).collect(),
    };
    let remarks = dataset.notes.iter().map(Remark::from).chain(warnings).collect();
    Ok((relabelled, repaired.dataset, remarks))
}

/// The clusters of the classes that are to be split.
fn find_clusters(
    dataset: &Dataset,
    settings: &RelabelSettings,
    control: Control<'_>,
) -> Result<Vec<ClassClusters>, AnalysisError> {
    let wanted = &settings.changes.split;
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let refuse = |error| AnalysisError::data(&dataset.name, error);
    let mut scaled = dataset.clone();
    scaled.scale(settings.scale);
    let noise = noise::label(&scaled, settings.noise.as_deref());
    let classes =
        Classes::with(scaled.points(), scaled.labels(), noise, settings.singletons).map_err(refuse)?;
    let found: Vec<ClassParts> = class_parts(&classes, settings.seed, control).map_err(refuse)?;
    let clusters_of = |name: &String| {
        let class = classes.names().iter().position(|known| known == name);
        let clusters = class.map_or(Vec::new(), |class| {
            let mut clusters = vec![Vec::new(); found[class].parts.len()];
            for (&row, &part) in classes.order()[classes.range(class)].iter().zip(&found[class].part_of) {
                clusters[part].push(row);
            }
            clusters
        });
        if clusters.len() < 2 {
            let what = format!("the class '{name}' is one cluster: there is nothing to split");
            return Err(AnalysisError::unfit(what, None));
        }
        Ok(ClassClusters { class: name.clone(), clusters })
    };
    wanted.iter().map(clusters_of).collect()
}

/// The dataset with all changes made, given the clusters of every class that is to be split.
///
/// # Errors
/// Changes that name what is not there, do not go together, or leave fewer than 2 classes.
pub fn repair(
    dataset: &Dataset,
    changes: &Changes,
    split_into: &[ClassClusters],
) -> Result<Repaired, AnalysisError> {
    changes.check(dataset)?;
    let mut names: Vec<String> = (0..dataset.n_points()).map(|row| label(dataset, row)).collect();
    let mut split = Vec::new();
    for ClassClusters { class, clusters } in split_into {
        let mut into = Vec::new();
        for (part, rows) in clusters.iter().enumerate() {
            let name = split_name(class, part);
            rows.iter().for_each(|&row| names[row].clone_from(&name));
            into.push(ClassSize { class: name, points: rows.len() });
        }
        split.push(SplitClass { class: class.clone(), into });
    }
    let relabelled_rows = changes.relabel_rows(dataset, &mut names)?;
    let merged = changes.merges();
    for merge in &merged {
        let members = names.iter_mut().filter(|name| merge.classes.contains(name));
        members.for_each(|name| name.clone_from(&merge.into));
    }
    let renamed = changes.rename_classes(&mut names)?;
    let dropped = changes.dropped(dataset)?;
    let kept: Vec<usize> = (0..dataset.n_points()).filter(|&row| !dropped[row]).collect();
    refuse_too_few(kept.iter().map(|&row| names[row].as_str()))?;
    let labels = Labels::encode(kept.iter().map(|&row| names[row].as_str()));
    let values = match dataset.values() {
        Values::F64(values) => Values::F64(rows_of(values, dataset.n_features(), &kept).into()),
        Values::F32(values) => Values::F32(rows_of(values, dataset.n_features(), &kept).into()),
    };
    let repaired = Dataset::new(dataset.name.clone(), dataset.features().to_vec(), values, labels)
        .map_err(|error| AnalysisError::data(&dataset.name, error))?;
    let row_numbers = (0..dataset.n_points()).filter(|&row| dropped[row]);
    let dropped_rows = row_numbers.map(|row| dataset.row_number(row)).collect();
    Ok(Repaired { dataset: repaired, merged, split, renamed, relabelled_rows, dropped_rows })
}

fn label(dataset: &Dataset, row: usize) -> String {
    dataset.labels().name_of(row).to_owned()
}

fn rows_of<T: Copy>(values: &[T], features: usize, rows: &[usize]) -> Vec<T> {
    rows.iter().flat_map(|&row| &values[row * features..(row + 1) * features]).copied().collect()
}

/// Refuses labels of which nothing could be scored.
fn refuse_too_few<'a>(mut labels: impl Iterator<Item = &'a str>) -> Result<(), AnalysisError> {
    let Some(first) = labels.next() else {
        return Err(AnalysisError::unfit("these changes leave out every row", None));
    };
    if labels.all(|label| label == first) {
        let what = format!("these changes leave a single class, '{first}': a dataset needs at least 2");
        return Err(AnalysisError::unfit(what, None));
    }
    Ok(())
}

/// `clm`, or why there is none.
fn score(
    dataset: &Dataset,
    settings: &RelabelSettings,
    when: &str,
    control: Control<'_>,
) -> Result<(Option<f64>, Option<Remark>), AnalysisError> {
    let how = ScoreSettings {
        read: settings.read.clone(),
        scale: settings.scale,
        noise: settings.noise.clone().or_else(|| dataset.noise().map(str::to_owned)),
        singletons: settings.singletons,
        ..ScoreSettings::new(measure::find("clm").into_iter().collect())
    };
    match score_with(dataset.clone(), &how, control) {
        Ok(finished) => Ok((finished.scored.scores.0.first().map(|(_, value)| *value), None)),
        Err(error @ AnalysisError::Data { .. }) => {
            let advice = error.advice();
            let said = Remark::warning(format!("there is no score {when}: {error}"));
            Ok((None, Some(Remark { advice, ..said })))
        }
        Err(error) => Err(error),
    }
}

fn sizes(labels: &Labels) -> Vec<ClassSize> {
    let mut points = vec![0; labels.names().len()];
    labels.codes().iter().for_each(|&code| points[code as usize] += 1);
    let names = labels.names().iter().cloned();
    names.zip(points).map(|(class, points)| ClassSize { class, points }).collect()
}

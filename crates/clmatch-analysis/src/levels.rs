//! Labels that form a tree, such as `animal/dog/poodle`: how well they match at each level, and below each node.
//!
//! A label is cut at a separator into parts. Level L scores all points with their labels cut to the first L parts; a node
//! scores the points below it with the next part as their labels: its children among themselves. The children of the
//! root are level 1.
//!
//! * A label that ends early and that no other label continues stays as it is at deeper levels.
//! * A label that ends early and that others continue (`animal` beside `animal/dog`) does not determine the class of its
//!   points further down: they are left out of deeper levels and of the children of that node, and counted as `undecided`.
//! * A level or node with one class, with a class of one point, or with as many classes as points is not scored, and
//!   states why; the rest is. Classes of one point can be left out instead ([`Singletons::Drop`](clmatch::Singletons)).
//! * Scaling is done once, for all points.

mod tree;

use std::fmt;

use clmatch::{Classes, Control, DataError, Labels};
use clmatch_data::{Advice, Dataset, LabelOrigin, Scale, Source};
use serde::{Deserialize, Serialize};

use crate::error::AnalysisError;
use crate::noise;
use crate::pair_summary::PairSummary;
use crate::remark::Remark;
use crate::resume::{Settings, VERSION};
use crate::scores::Scores;
use crate::scoring::{ScoreSettings, evaluated, over_pairs, scores};
use tree::LabelTree;

/// Names the JSON schema of [`Levels`], with its version.
pub const SCHEMA: &str = "clmatch/levels/1";
/// The label of points that do not count; no part of a label is empty.
const LEFT_OUT: &str = "";

/// The scores of a dataset whose labels form a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Levels {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of the program.
    pub version: String,
    /// The name of the dataset.
    pub dataset: String,
    /// Where it was read from, if that was a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where its labels come from, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// What stands between two parts of a label.
    pub separator: String,
    /// Points that count.
    pub points: usize,
    /// Points that are left out as noise.
    pub noise: usize,
    /// Features of each point.
    pub features: usize,
    /// Different labels.
    pub labels: usize,
    /// How the features were scaled.
    pub scale: Scale,
    /// The other settings that determine the scores, by name.
    pub settings: Settings,
    /// Fingerprint of points and labels as read, before scaling.
    pub checksum: String,
    /// Notes about the dataset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Level after level, from the first part of the labels to all parts.
    pub levels: Vec<Level>,
    /// Nodes with children, each followed by its own descendants; the root is level 1.
    pub nodes: Vec<Node>,
}

/// All points, with their labels cut to `level` parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// The number of parts that the labels are cut to.
    pub level: usize,
    /// The scores of these labels.
    #[serde(flatten)]
    pub classes: LevelScores,
}

/// The children of one node among themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The start that the labels below the node have in common.
    pub node: String,
    /// The number of parts in that start.
    pub level: usize,
    /// The scores with the next part as labels.
    #[serde(flatten)]
    pub classes: LevelScores,
}

/// The scores of one set of points with one set of labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelScores {
    /// Classes that count.
    pub classes: usize,
    /// Points that count.
    pub points: usize,
    /// Points whose label ends higher up although other labels continue it, so that their class is unknown.
    pub undecided: usize,
    /// Classes of a single point that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub singletons: Vec<String>,
    /// Why the points were not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_scored: Option<NotScored>,
    /// The value of each measure; `None` if the points were not scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
    /// What accompanies the mean over pairs of classes: the mean weighted by size, the worst pair and the weakest class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over_pairs: Vec<PairSummary>,
}

/// Why a level or a node has no scores. Displayed as a few words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum NotScored {
    /// There is nothing to compare the only class with.
    OneClass {
        /// The class.
        class: String,
    },
    /// A class has a single point, and a measure needs two.
    Singleton {
        /// The class.
        class: String,
    },
    /// Every class has a single point.
    OnlySingletons,
}

impl fmt::Display for NotScored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotScored::OneClass { class } => write!(f, "one class only, '{class}'"),
            NotScored::Singleton { class } => write!(f, "the class '{class}' has a single point"),
            NotScored::OnlySingletons => f.write_str("every class has a single point"),
        }
    }
}

/// Reads a dataset and scores every level of its labels, and the children of every node.
///
/// # Errors
/// A dataset that cannot be read, labels that do not form a tree (see [`score_levels`]), or [`AnalysisError::Stopped`].
pub fn read_and_score_levels(
    source: &Source,
    separator: &str,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<(Levels, Vec<Remark>), AnalysisError> {
    control.check()?;
    let dataset = clmatch_data::read(source, &settings.read)?;
    let (mut levels, remarks) = score_levels(dataset, separator, settings, control)?;
    let is_file = source.path.as_os_str() != "-" && !source.is_embedded();
    levels.path = is_file.then(|| source.path.display().to_string());
    Ok((levels, remarks))
}

/// Scores every level of the labels, and the children of every node.
///
/// # Errors
/// A separator that does not occur in any label, a label with an empty part, labels of which no level can be scored, a measure
/// that cannot be estimated, or [`AnalysisError::Stopped`].
pub fn score_levels(
    mut dataset: Dataset,
    separator: &str,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<(Levels, Vec<Remark>), AnalysisError> {
    let checksum = dataset.checksum();
    dataset.scale(settings.scale);
    let noise = noise::label(&dataset, settings.noise.as_deref());
    let tree = LabelTree::new(dataset.labels(), noise, separator)
        .map_err(|error| AnalysisError::unfit(format!("{}: {error}", dataset.name), error.advice()))?;
    let of = |names: Vec<Option<String>>| level_scores(&dataset, &tree, names, settings, control);
    let mut levels = Vec::with_capacity(tree.depth());
    for level in 1..=tree.depth() {
        levels.push(Level { level, classes: of(tree.cut(level))? });
    }
    let mut nodes = Vec::with_capacity(tree.nodes().len());
    for node in tree.nodes() {
        let classes = of(tree.children(node))?;
        nodes.push(Node { node: node.join(separator), level: node.len(), classes });
    }
    refuse_if_nothing_is_scored(&dataset.name, &levels)?;
    let remarks = remarks(&dataset, &tree, &levels, &nodes, settings);
    let levels = Levels {
        schema: SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        dataset: dataset.name.clone(),
        path: None,
        label: dataset.label_origin().cloned(),
        separator: separator.to_owned(),
        points: tree.points(),
        noise: dataset.n_points() - tree.points(),
        features: dataset.n_features(),
        labels: tree.labels(),
        scale: settings.scale,
        settings: Settings::from(settings.identity().with("levels", separator)),
        checksum,
        notes: remarks.iter().map(ToString::to_string).collect(),
        levels,
        nodes,
    };
    Ok((levels, remarks))
}

/// The scores of the points that have a new label, with the new labels.
fn level_scores(
    dataset: &Dataset,
    tree: &LabelTree<'_>,
    names: Vec<Option<String>>,
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Result<LevelScores, AnalysisError> {
    control.check()?;
    let undecided = tree.undecided(&names);
    let named = || names.iter().enumerate().filter_map(|(code, name)| Some((code, name.as_deref()?)));
    let distinct: std::collections::BTreeSet<&str> =
        named().filter(|(_, name)| *name != LEFT_OUT).map(|(_, name)| name).collect();
    let mut found = LevelScores {
        classes: distinct.len(),
        points: named().filter(|(_, name)| *name != LEFT_OUT).map(|(code, _)| tree.size(code)).sum(),
        undecided,
        singletons: Vec::new(),
        not_scored: None,
        scores: None,
        over_pairs: Vec::new(),
    };
    let names: Vec<String> = names.into_iter().map(Option::unwrap_or_default).collect();
    let labels = Labels::from_codes(dataset.labels().codes().to_vec(), &names);
    let outcome = Classes::with(dataset.points(), &labels, Some(LEFT_OUT), settings.singletons)
        .map_err(|error| AnalysisError::data(&dataset.name, error))
        .and_then(|classes| {
            let found = evaluated(&dataset.name, &classes, settings, control)?;
            Ok((classes, found.evaluation))
        });
    match outcome {
        Ok((classes, evaluation)) => {
            found.classes = classes.n_classes();
            found.points = classes.n_points();
            found.singletons = classes.dropped().singletons.clone();
            found.over_pairs = over_pairs(&classes, &evaluation);
            found.scores = Some(scores(&evaluation));
        }
        Err(AnalysisError::Data { error, dataset }) => match reason(&error) {
            Some(reason) => found.not_scored = Some(reason),
            None => return Err(AnalysisError::Data { error, dataset }),
        },
        Err(error) => return Err(error),
    }
    Ok(found)
}

/// Why these points cannot be scored, for errors that do not concern the dataset as a whole.
fn reason(error: &DataError) -> Option<NotScored> {
    match error {
        DataError::OneClass { class } => Some(NotScored::OneClass { class: class.clone() }),
        DataError::Singleton { class, .. } => Some(NotScored::Singleton { class: class.clone() }),
        DataError::TooManyClasses { .. } | DataError::NothingLeft => Some(NotScored::OnlySingletons),
        _ => None,
    }
}

fn refuse_if_nothing_is_scored(dataset: &str, levels: &[Level]) -> Result<(), AnalysisError> {
    if levels.iter().any(|level| level.classes.scores.is_some()) {
        return Ok(());
    }
    let reasons: Vec<String> = levels
        .iter()
        .filter_map(|level| Some(format!("level {}: {}", level.level, level.classes.not_scored.as_ref()?)))
        .collect();
    let what = format!("{dataset}: no level of the labels can be scored ({})", reasons.join("; "));
    let single =
        levels.iter().any(|level| matches!(level.classes.not_scored, Some(NotScored::Singleton { .. })));
    Err(AnalysisError::unfit(what, if single { Advice::DropSingletons } else { Advice::ChooseSeparator }))
}

fn is_about_singletons(classes: &LevelScores) -> bool {
    classes.not_scored.as_ref().is_some_and(|reason| !matches!(reason, NotScored::OneClass { .. }))
}

/// Notes first, then warnings.
fn remarks(
    dataset: &Dataset,
    tree: &LabelTree<'_>,
    levels: &[Level],
    nodes: &[Node],
    settings: &ScoreSettings,
) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = dataset.notes.iter().map(Remark::from).collect();
    remarks.extend(noise::remark(dataset, settings.noise.as_deref()));
    if let Some(noise) = settings.noise.as_ref().filter(|_| tree.points() == dataset.n_points()) {
        remarks.push(Remark::warning(format!("no point is labelled '{noise}'")));
    }
    let all = levels.iter().map(|level| &level.classes).chain(nodes.iter().map(|node| &node.classes));
    let skipped = all.clone().filter(|classes| is_about_singletons(classes)).count();
    if skipped > 0 {
        let text = format!(
            "{skipped} of {} levels and nodes have no scores, because of classes of a single point",
            levels.len() + nodes.len()
        );
        remarks.push(Remark::warning(text).advise(Advice::DropSingletons));
    }
    remarks.sort_by_key(|remark| remark.severity);
    remarks
}

#[cfg(test)]
mod tests;

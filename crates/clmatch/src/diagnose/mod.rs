//! What is wrong with a dataset: which classes overlap, which are several clusters, what would raise the score.
//!
//! Everything follows from the geometry of the points; no model is trained. [`diagnose()`] takes an opinion about single
//! points, which of them have a say and which class they look like.

mod actions;
mod cells;
mod features;
mod pairs;
mod splits;

pub use actions::{Action, Change, MERGES};
pub use features::{FeatureShare, PairFeatures};
pub use pairs::{Pair, PairVerdict, Term};
pub use splits::{ClassParts, Part};

use clmatch_stop::Control;
use rayon::prelude::*;

use self::cells::Cells;
use self::features::FeatureMoments;
use self::splits::Evidence;
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::checked_plan;
use crate::measure::clm::CLM;

/// The steps of a diagnosis that are reported, in their order.
const STEPS: [&str; 4] = ["pairs of classes", "merges", "parts of classes", "actions"];

/// An opinion about the points of a dataset, by row of the input.
#[derive(Debug, Clone, Copy)]
pub struct Opinion<'a> {
    /// Whether a point has a say: `false` for those that are probably mislabelled, and for outliers.
    pub keep: &'a [bool],
    /// The class that a point looks like, whatever its label.
    pub predicted: &'a [usize],
}

/// What is wrong with a dataset.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// `clm` of the dataset.
    pub score: f64,
    /// All pairs of classes, in the order of [`Classes::pairs`].
    pub pairs: Vec<Pair>,
    /// The clusters that each class consists of.
    pub classes: Vec<ClassParts>,
    /// For each class that is several clusters, `clm` of the dataset if it were split into them.
    pub split_scores: Vec<Option<f64>>,
    /// `clm` without the rows that have no say; `None` if there are none, or too few others.
    pub score_without: Option<f64>,
    /// What every feature does for all classes together.
    pub features: Vec<FeatureShare>,
    /// What would raise the score, from the largest gain on.
    pub actions: Vec<Action>,
}

/// Looks for what is wrong with a dataset. `seed` decides about the starts and subsamples of the search for parts.
///
/// Time: O(n^2 d), some evaluations of `clm`. Memory: O(n (d + K)).
///
/// # Errors
/// A class with a single point, and [`DataError::Stopped`] if `control` says so.
///
/// # Panics
/// If the opinion is not about as many rows as there are points.
pub fn diagnose(
    classes: &Classes<'_>,
    opinion: Opinion<'_>,
    seed: u64,
    control: Control<'_>,
) -> Result<Diagnosis, DataError> {
    let report = |step: usize| control.report(STEPS[step], step + 1, STEPS.len());
    let (cells, mut pairs) = look_at_pairs(classes, control)?;
    let score = pairs.iter().map(|pair| pair.score).sum::<f64>() / pairs.len() as f64;
    report(0);
    add_merges(&cells, &mut pairs, control)?;
    report(1);
    let parts = splits::find(classes, cells.frame(), evidence(&pairs, opinion, seed), control)?;
    report(2);
    let features = FeatureMoments::of(cells.frame());
    for pair in pairs.iter_mut().filter(|pair| pair.verdict != PairVerdict::Separate) {
        pair.features = features.of_pair(pair.classes.0, pair.classes.1);
    }
    drop(cells);
    let split_scores = actions::split_scores(classes, &pairs, &parts, control)?;
    let rows: Vec<usize> = dropped_rows(classes, opinion.keep);
    let score_without =
        if rows.is_empty() { None } else { actions::without(classes, opinion.keep, control)? };
    report(3);
    let dropped = score_without.map(|after| (rows, after));
    let actions = actions::ranked(score, &pairs, &split_scores, dropped);
    let features = features.of_all();
    Ok(Diagnosis { score, pairs, classes: parts, split_scores, score_without, features, actions })
}

/// The clusters that each class consists of: those of [`diagnose()`] with the same arguments.
///
/// # Errors
/// As [`diagnose()`].
///
/// # Panics
/// As [`diagnose()`].
pub fn parts(
    classes: &Classes<'_>,
    opinion: Opinion<'_>,
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<ClassParts>, DataError> {
    let (cells, pairs) = look_at_pairs(classes, control)?;
    splits::find(classes, cells.frame(), evidence(&pairs, opinion, seed), control)
}

fn look_at_pairs(classes: &Classes<'_>, control: Control<'_>) -> Result<(Cells, Vec<Pair>), DataError> {
    checked_plan(classes, &[&CLM])?;
    let cells = Cells::compute(classes, control)?;
    let all: Vec<(usize, usize)> = classes.pairs().collect();
    let pairs = all.par_iter().map(|&(i, j)| pairs::diagnose(&cells, i, j)).collect();
    Ok((cells, pairs))
}

/// What merging would do, of the worst pairs.
fn add_merges(cells: &Cells, pairs: &mut [Pair], control: Control<'_>) -> Result<(), DataError> {
    let mut worst: Vec<usize> =
        (0..pairs.len()).filter(|&at| pairs[at].verdict != PairVerdict::Separate).collect();
    worst.sort_by(|&a, &b| pairs[a].score.total_cmp(&pairs[b].score));
    worst.truncate(MERGES);
    let merged = |&at: &usize| {
        control.check()?;
        Ok(actions::merged(cells, pairs, pairs[at].classes))
    };
    let scores = worst.par_iter().map(merged).collect::<Result<Vec<_>, DataError>>()?;
    for (at, score) in worst.into_iter().zip(scores) {
        pairs[at].merged_score = score;
    }
    Ok(())
}

fn evidence<'a>(pairs: &[Pair], opinion: Opinion<'a>, seed: u64) -> Evidence<'a> {
    let mut scores: Vec<f64> = pairs.iter().map(|pair| pair.score).collect();
    scores.sort_by(f64::total_cmp);
    let usual_score = clmatch_numerics::quantile(&scores, 0.5).unwrap_or(0.0);
    Evidence { keep: opinion.keep, predicted: opinion.predicted, usual_score, seed }
}

/// Rows of the input, in their order, that belong to a class and have no say.
fn dropped_rows(classes: &Classes<'_>, keep: &[bool]) -> Vec<usize> {
    let mut rows: Vec<usize> = classes.order().iter().copied().filter(|&row| !keep[row]).collect();
    rows.sort_unstable();
    rows
}

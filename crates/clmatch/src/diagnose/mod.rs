//! What is wrong with a dataset: which classes overlap, which consist of several clusters, which points look mislabelled or lie
//! far from all classes, and what would raise the score.
//!
//! Everything follows from the geometry of the points. [`suspects()`] examines single points; [`diagnose()`] examines classes,
//! given an opinion about points: which of them have a say, and which class they look like. [`explain()`] does both.

mod actions;
mod cells;
mod class_distances;
mod evidence;
mod features;
mod gaps;
mod held_out;
mod label_noise;
mod label_rates;
mod outliers;
mod pairs;
mod second_names;
mod splits;
mod suspects;
#[cfg(test)]
mod tests;

pub use actions::{Action, Change, MERGES};
pub use features::{FeatureShare, PairFeatures};
pub use outliers::OUTLIER;
pub use pairs::{Pair, PairVerdict, Term};
pub(crate) use splits::SAMPLE;
pub use splits::{ClassParts, Part, SplitClass, split_classes};
pub use suspects::{LEFT_OUT, OUTVOTED, Suspects, suspects};

use clmatch_kernels::Control;
use clmatch_kernels::parallel;

use self::actions::CellPartition;
use self::cells::Cells;
use self::features::FeatureMoments;
use self::held_out::HeldOutHalves;
use self::pairs::Jury;
use self::splits::SplitEvidence;
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::checked_plan;
use crate::measure::clm::CLM;

/// The steps of a diagnosis that are reported as progress, in order.
const STEPS: [&str; 4] = ["pairs of classes", "merges", "parts of classes", "actions"];

/// A point has no say in what its class looks like if its label is wrong with a probability above this.
pub const MISLABELLED: f64 = 0.5;

/// An opinion about the points of a dataset, by row of the input.
#[derive(Debug, Clone, Copy)]
pub struct Opinion<'a> {
    /// Whether a point has a say: `false` for points that are probably mislabelled, and for outliers.
    pub keep: &'a [bool],
    /// The class that a point looks like, regardless of its label.
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
    /// For each class that consists of several clusters, `clm` of the dataset if it were split into them.
    pub split_scores: Vec<Option<f64>>,
    /// `clm` without the rows that have no say; `None` if there are none, or if too few rows would be left.
    pub score_without: Option<f64>,
    /// What every feature contributes to the separation of all classes together.
    pub features: Vec<FeatureShare>,
    /// The changes that would raise the score, in descending order of gain, which is known for all points and for either half
    /// with what the other half says.
    pub actions: Vec<Action>,
}

/// Finds what is wrong with a dataset. `seed` determines the starts and subsamples of the search for parts.
///
/// Time: O(n^2 d), as much as several evaluations of `clm`. Memory: O(n (d + K)).
///
/// # Errors
/// A class with a single point, or [`DataError::Stopped`] if `control` stops the work.
///
/// # Panics
/// If the opinion does not cover as many rows as there are points.
pub fn diagnose(
    classes: &Classes<'_>,
    opinion: Opinion<'_>,
    seed: u64,
    control: Control<'_>,
) -> Result<Diagnosis, DataError> {
    let report = |step: usize| control.report(STEPS[step], step + 1, STEPS.len());
    let (cells, mut pairs) = look_at_pairs(classes, opinion.keep, control)?;
    let score = partition(&cells, &pairs).score(control)?;
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
    let outcomes = actions::outcomes(classes, &pairs, &parts, opinion.keep, control)?;
    let dropped = outcomes.without.map(|after| (dropped_rows(classes, opinion.keep), after));
    let actions = actions::ranked(score, &pairs, &outcomes.split, dropped);
    let actions = HeldOutHalves::new(classes, &parts, opinion, evidence(&pairs, opinion, seed))
        .confirmed(actions, control)?;
    report(3);
    Ok(Diagnosis {
        score,
        pairs,
        classes: parts,
        split_scores: outcomes.split,
        score_without: outcomes.without,
        features: features.of_all(),
        actions,
    })
}

/// What is wrong with a dataset and with its points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// What looks wrong with each row of the input.
    pub suspects: Suspects,
    /// What is wrong with the classes, where suspect points have no say.
    pub diagnosis: Diagnosis,
}

/// Finds what is wrong with a dataset and with its points. Points that are probably mislabelled (above [`MISLABELLED`]), and
/// outliers (above [`OUTLIER`]), have no say in what a class looks like.
///
/// ```
/// use clmatch::diagnose::{Change, PairVerdict, explain};
/// use clmatch::{Classes, Control, Labels, Points};
/// // Three classes on a line; nothing tells the first two apart.
/// let values: Vec<f64> = (0..90).map(|row| f64::from(row * row % 37) + if row < 60 { 0.0 } else { 90.0 }).collect();
/// let labels = Labels::encode((0..90).map(|row| if row < 60 { ["a", "b"][row % 2] } else { "c" }));
/// let classes = Classes::new(Points::new(values, 1)?, &labels)?;
/// let found = explain(&classes, 0, Control::none())?.diagnosis;
/// assert_eq!(found.pairs[0].verdict, PairVerdict::OneCluster);
/// assert_eq!(found.actions[0].change, Change::Merge(0, 1));
/// assert!(found.score < 0.8 && found.actions[0].score > 0.99);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// # Errors
/// As [`diagnose()`].
pub fn explain(classes: &Classes<'_>, seed: u64, control: Control<'_>) -> Result<Explanation, DataError> {
    checked_plan(classes, &[&CLM])?;
    let suspects = suspects(classes, control)?;
    let keep = suspects.have_a_say();
    let opinion = Opinion { keep: &keep, predicted: &suspects.suggested };
    let diagnosis = diagnose(classes, opinion, seed, control)?;
    Ok(Explanation { suspects, diagnosis })
}

/// The clusters that each class consists of, found as by [`explain()`] with the same seed.
///
/// # Errors
/// As [`diagnose()`].
pub fn class_parts(
    classes: &Classes<'_>,
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<ClassParts>, DataError> {
    checked_plan(classes, &[&CLM])?;
    let suspects = suspects(classes, control)?;
    let opinion = Opinion { keep: &suspects.have_a_say(), predicted: &suspects.suggested };
    let (cells, pairs) = look_at_pairs(classes, opinion.keep, control)?;
    splits::find(classes, cells.frame(), evidence(&pairs, opinion, seed), control)
}

impl Suspects {
    /// By row: whether it is neither probably mislabelled nor an outlier.
    fn have_a_say(&self) -> Vec<bool> {
        let fine = |(&wrong, &far): (&f64, &f64)| wrong <= MISLABELLED && far <= OUTLIER;
        self.mislabelled.iter().zip(&self.outlier).map(fine).collect()
    }
}

fn look_at_pairs(
    classes: &Classes<'_>,
    keep: &[bool],
    control: Control<'_>,
) -> Result<(Cells, Vec<Pair>), DataError> {
    checked_plan(classes, &[&CLM])?;
    let cells = Cells::compute(classes, control)?;
    let jury = Jury::new(&cells, |row| keep[classes.order()[row]]);
    let all: Vec<(usize, usize)> = classes.pairs().collect();
    let pairs = parallel::map(&all, |&(i, j)| jury.diagnose(i, j));
    drop(jury);
    Ok((cells, pairs))
}

/// Computes what merging the worst pairs would do.
fn add_merges(cells: &Cells, pairs: &mut [Pair], control: Control<'_>) -> Result<(), DataError> {
    let mut worst: Vec<usize> =
        (0..pairs.len()).filter(|&at| pairs[at].verdict != PairVerdict::Separate).collect();
    worst.sort_by(|&a, &b| pairs[a].score.total_cmp(&pairs[b].score));
    worst.truncate(MERGES);
    let partition = partition(cells, pairs);
    let scores = parallel::try_map(&worst, |&at| {
        control.check()?;
        Ok::<_, DataError>(partition.merged(pairs[at].classes, control)?)
    })?;
    for (at, score) in worst.into_iter().zip(scores) {
        pairs[at].merged_score = score;
    }
    Ok(())
}

/// Each class as it is, as a union of its only cell.
fn partition<'a>(cells: &'a Cells, pairs: &[Pair]) -> CellPartition<'a> {
    CellPartition::known(cells, (0..cells.count()).map(|class| vec![class]).collect(), pairs)
}

fn evidence<'a>(pairs: &[Pair], opinion: Opinion<'a>, seed: u64) -> SplitEvidence<'a> {
    let mut scores: Vec<f64> = pairs.iter().map(|pair| pair.score).collect();
    scores.sort_by(f64::total_cmp);
    let usual_score = clmatch_kernels::quantile(&scores, 0.5).unwrap_or(0.0);
    SplitEvidence { keep: opinion.keep, predicted: opinion.predicted, usual_score, seed, share: 1.0 }
}

/// Rows of the input, in their order, that belong to a class but have no say.
fn dropped_rows(classes: &Classes<'_>, keep: &[bool]) -> Vec<usize> {
    let mut rows: Vec<usize> = classes.order().iter().copied().filter(|&row| !keep[row]).collect();
    rows.sort_unstable();
    rows
}

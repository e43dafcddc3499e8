//! What the score would become if something were done about it, exactly.

use clmatch_stop::Control;

use super::cells::Cells;
use super::pairs::{Pair, PairVerdict};
use super::splits::ClassParts;
use crate::classes::{Classes, Singletons};
use crate::error::DataError;
use crate::evaluate::evaluate_with;
use crate::labels::Labels;
use crate::measure::clm::{CLM, ClmTerms};
use crate::points::Points;

/// Of so many pairs, the worst first, it is known what merging them would do.
pub const MERGES: usize = 20;
/// Changes of the score below this are not worth an action.
const WORTH: f64 = 0.001;

/// Something that can be done to the labels of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Two classes become one.
    Merge(usize, usize),
    /// The parts of a class become classes.
    Split(usize),
    /// Rows of the input are left out.
    Drop(Vec<usize>),
}

/// A change that raises the score.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Action {
    /// What to do.
    pub change: Change,
    /// `clm` of the dataset afterwards.
    pub score: f64,
    /// How much more that is.
    pub gain: f64,
}

/// `clm` of the dataset if the two classes of a pair were merged; `None` if that left a single one.
pub(super) fn merged(cells: &Cells, pairs: &[Pair], (a, b): (usize, usize)) -> Option<f64> {
    if cells.count() < 3 {
        return None;
    }
    let others = pairs.iter().filter(|pair| {
        let (i, j) = pair.classes;
        ![a, b].contains(&i) && ![a, b].contains(&j)
    });
    let unchanged: f64 = others.map(|pair| pair.score).sum();
    let merged = [a, b];
    let with = |other: usize| cells.pair_terms([&merged, &[other]]).score();
    let changed: f64 = (0..cells.count()).filter(|other| !merged.contains(other)).map(with).sum();
    Some((unchanged + changed) / pairs_of(cells.count() - 1))
}

fn pairs_of(classes: usize) -> f64 {
    (classes * (classes - 1) / 2) as f64
}

/// For each class, `clm` of the dataset if it were split into its parts; `None` for a class that is one cluster.
///
/// # Errors
/// [`DataError::Stopped`] if `control` says so.
pub(super) fn split_scores(
    classes: &Classes<'_>,
    pairs: &[Pair],
    parts: &[ClassParts],
    control: Control<'_>,
) -> Result<Vec<Option<f64>>, DataError> {
    if parts.iter().all(|class| class.parts.len() == 1) {
        return Ok(vec![None; parts.len()]);
    }
    let mut cells_of: Vec<Vec<usize>> = Vec::new();
    for class in parts {
        let first = cells_of.last().and_then(|cells| cells.last()).map_or(0, |last| last + 1);
        cells_of.push((first..first + class.parts.len()).collect());
    }
    let refined = relabelled(classes, |class, at| Some(cells_of[class][parts[class].part_of[at]]))?;
    let cells = Cells::compute(&refined, control)?;
    let of = |class: usize| {
        (parts[class].parts.len() > 1).then(|| {
            let unchanged = pairs.iter().filter(|pair| ![pair.classes.0, pair.classes.1].contains(&class));
            let groups: Vec<Vec<usize>> = cells_of[class].iter().map(|&cell| vec![cell]).collect();
            let inside: Vec<ClmTerms> = cells.terms(&groups);
            let others = (0..parts.len()).filter(|&other| other != class);
            let mut sum: f64 = unchanged.map(|pair| pair.score).sum();
            sum += inside.iter().map(ClmTerms::score).sum::<f64>();
            for other in others {
                let with = |part: &Vec<usize>| cells.pair_terms([part, &cells_of[other]]).score();
                sum += groups.iter().map(with).sum::<f64>();
            }
            let count = parts.len() - 1 + groups.len();
            sum / pairs_of(count)
        })
    };
    Ok((0..parts.len()).map(of).collect())
}

/// `clm` without some rows of the input; `None` if a class would have fewer than 2 points.
///
/// # Errors
/// [`DataError::Stopped`] if `control` says so.
pub(super) fn without(
    classes: &Classes<'_>,
    keep: &[bool],
    control: Control<'_>,
) -> Result<Option<f64>, DataError> {
    let left = |class: usize| classes.order()[classes.range(class)].iter().filter(|&&row| keep[row]).count();
    if (0..classes.n_classes()).any(|class| left(class) < 2) {
        return Ok(None);
    }
    let fewer =
        relabelled(classes, |class, at| keep[classes.order()[classes.range(class)][at]].then_some(class))?;
    Ok(Some(evaluate_with(&fewer, &[&CLM], false, control)?.scores[0].1.value))
}

/// The same points in other classes, in the order of their numbers: `class_of` takes a class and the place of a point in
/// it. Points in no class are left out.
fn relabelled<'p>(
    classes: &'p Classes<'_>,
    class_of: impl Fn(usize, usize) -> Option<usize>,
) -> Result<Classes<'p>, DataError> {
    let mut new: Vec<Option<usize>> = vec![None; classes.points().n_points()];
    for class in 0..classes.n_classes() {
        for (at, &row) in classes.order()[classes.range(class)].iter().enumerate() {
            new[row] = class_of(class, at);
        }
    }
    // Numbers are sorted by value, so that the order is kept.
    let nowhere = new.iter().flatten().max().map_or(0, |last| last + 1);
    let labels = Labels::encode(new.iter().map(|class| class.unwrap_or(nowhere)));
    let points: Points<'p> = classes.points().borrowed();
    Classes::with(points, &labels, Some(&nowhere.to_string()), Singletons::Keep)
}

/// The changes that raise the score, from the largest gain on.
pub(super) fn ranked(
    score: f64,
    pairs: &[Pair],
    split_scores: &[Option<f64>],
    dropped: Option<(Vec<usize>, f64)>,
) -> Vec<Action> {
    let action = |change: Change, after: f64| Action { change, score: after, gain: after - score };
    let mixed = |pair: &&Pair| matches!(pair.verdict, PairVerdict::OneCluster | PairVerdict::Overlapping);
    let merges = pairs.iter().filter(mixed).filter_map(|pair| {
        let (i, j) = pair.classes;
        pair.merged_score.map(|after| action(Change::Merge(i, j), after))
    });
    let splits = split_scores
        .iter()
        .enumerate()
        .filter_map(|(class, after)| after.map(|after| action(Change::Split(class), after)));
    let drops = dropped.map(|(rows, after)| action(Change::Drop(rows), after));
    let mut all: Vec<Action> =
        merges.chain(splits).chain(drops).filter(|action| action.gain >= WORTH).collect();
    all.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    all
}

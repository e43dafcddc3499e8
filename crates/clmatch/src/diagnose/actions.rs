//! How the score would change, exactly, if something were done about a dataset.
//!
//! Every action is tried on halves of the points before it is suggested: see [`held_out`](super::held_out).

use clmatch_kernels::{Control, Stopped};

use super::cells::Cells;
use super::pairs::{Pair, PairVerdict};
use super::splits::ClassParts;
use crate::classes::{Classes, Singletons};
use crate::error::DataError;
use crate::evaluate::evaluate_with;
use crate::labels::Labels;
use crate::measure::clm::{CLM, ClmTerms};
use crate::points::Points;

/// How many pairs, the worst first, are tried for a merge.
pub const MERGES: usize = 20;
/// With more cells than this, splits and the loss of rows are computed one after the other, which needs less memory.
const MOST_CELLS: usize = 256;
/// Changes of the score below this are not worth an action.
const WORTH: f64 = 0.001;

/// Something that can be done to the labels of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Two classes become one.
    Merge(usize, usize),
    /// The parts of a class become classes.
    Split(usize),
    /// These rows of the input are left out.
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
    /// How much larger `score` is than `clm` of the dataset as it is.
    pub gain: f64,
    /// How much `clm` rises on either half of the points, where the other half determines the change: which parts a class has,
    /// and which labels look wrong. Neither number is negative.
    pub held_out: [f64; 2],
}

/// Classes as unions of cells, with the score of each pair of them.
pub(super) struct CellPartition<'a> {
    cells: &'a Cells,
    classes: Vec<Vec<usize>>,
    scores: Vec<f64>,
}

impl<'a> CellPartition<'a> {
    pub(super) fn new(cells: &'a Cells, classes: Vec<Vec<usize>>) -> CellPartition<'a> {
        let scores = cells.terms(&classes).iter().map(ClmTerms::score).collect();
        CellPartition { cells, classes, scores }
    }

    /// Classes whose pairs were scored before.
    pub(super) fn known(cells: &'a Cells, classes: Vec<Vec<usize>>, pairs: &[Pair]) -> CellPartition<'a> {
        CellPartition { cells, classes, scores: pairs.iter().map(|pair| pair.score).collect() }
    }

    /// `clm` of all classes.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn score(&self, control: Control<'_>) -> Result<f64, Stopped> {
        let of_pairs = self.scores.iter().sum::<f64>() / self.scores.len() as f64;
        Ok((of_pairs + self.cells.all_terms(&self.classes, control)?.score()) / 2.0)
    }

    /// `clm` if the two classes of a pair were merged; `None` if a single class would be left.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn merged(
        &self,
        (a, b): (usize, usize),
        control: Control<'_>,
    ) -> Result<Option<f64>, Stopped> {
        self.changed(&[a, b], &[[&self.classes[a][..], &self.classes[b]].concat()], control)
    }

    /// `clm` if other unions of cells replaced some classes; `None` if a single class would be left.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn changed(
        &self,
        old: &[usize],
        new: &[Vec<usize>],
        control: Control<'_>,
    ) -> Result<Option<f64>, Stopped> {
        let count = self.classes.len() - old.len() + new.len();
        if count < 2 {
            return Ok(None);
        }
        let all = 0..self.classes.len();
        let pairs = all.clone().flat_map(|i| (i + 1..self.classes.len()).map(move |j| [i, j]));
        let stays = |pair: &[usize; 2]| !pair.iter().any(|class| old.contains(class));
        let unchanged: f64 =
            pairs.zip(&self.scores).filter(|(pair, _)| stays(pair)).map(|(_, score)| score).sum();
        let among: f64 = self.cells.terms(new).iter().map(ClmTerms::score).sum();
        let with = |class: usize| {
            let pair = |group: &Vec<usize>| self.cells.pair_terms([group, &self.classes[class]]).score();
            new.iter().map(pair).sum::<f64>()
        };
        let others = || all.clone().filter(|class| !old.contains(class));
        let across: f64 = others().map(with).sum();
        let of_pairs = (unchanged + among + across) / pairs_of(count);
        let classes: Vec<Vec<usize>> =
            others().map(|class| self.classes[class].clone()).chain(new.iter().cloned()).collect();
        Ok(Some((of_pairs + self.cells.all_terms(&classes, control)?.score()) / 2.0))
    }
}

fn pairs_of(classes: usize) -> f64 {
    (classes * (classes - 1) / 2) as f64
}

/// How the score would change.
pub(super) struct Outcomes {
    /// For each class that is several clusters: `clm` if it were split into them.
    pub(super) split: Vec<Option<f64>>,
    /// `clm` without the rows that have no say; `None` if there are none, or if a class would have fewer than 2 points.
    pub(super) without: Option<f64>,
}

/// How splits, and leaving out rows, would change the score. If both are wanted, both follow from the same cells: the parts of
/// classes, each without the rows that have no say, and these rows separately.
///
/// # Errors
/// [`DataError::Stopped`] if `control` stops the work.
pub(super) fn outcomes(
    classes: &Classes<'_>,
    pairs: &[Pair],
    parts: &[ClassParts],
    keep: &[bool],
    control: Control<'_>,
) -> Result<Outcomes, DataError> {
    outcomes_within(MOST_CELLS, classes, pairs, parts, keep, control)
}

fn outcomes_within(
    most_cells: usize,
    classes: &Classes<'_>,
    pairs: &[Pair],
    parts: &[ClassParts],
    keep: &[bool],
    control: Control<'_>,
) -> Result<Outcomes, DataError> {
    let rows = |class: usize| &classes.order()[classes.range(class)];
    let left = |class: usize| rows(class).iter().filter(|&&row| keep[row]).count();
    let splitting = parts.iter().any(|class| class.parts.len() > 1);
    let dropping = classes.order().iter().any(|&row| !keep[row])
        && (0..classes.n_classes()).all(|class| left(class) >= 2);
    let mut outcomes = Outcomes { split: vec![None; parts.len()], without: None };
    if splitting && dropping {
        let refinement = Refinement::new(classes, parts, |class, at| keep[rows(class)[at]]);
        if refinement.count <= most_cells {
            let cells = refinement.compute(classes, control)?;
            outcomes.split = refinement.split_scores(&cells, pairs, control)?;
            outcomes.without = Some(CellPartition::new(&cells, refinement.kept_cells()).score(control)?);
            return Ok(outcomes);
        }
    }
    if splitting {
        let refinement = Refinement::new(classes, parts, |_, _| true);
        outcomes.split = refinement.split_scores(&refinement.compute(classes, control)?, pairs, control)?;
    }
    if dropping {
        let fewer = relabelled(classes, |class, at| keep[rows(class)[at]].then_some(class))?;
        outcomes.without = Some(evaluate_with(&fewer, &[&CLM], false, control)?.scores[0].1.value);
    }
    Ok(outcomes)
}

/// Parts of classes as cells; for each part first the points that have a say, then those that do not, if there are any.
struct Refinement {
    /// By class, part, and whether the points have no say: their cell.
    cells: Vec<Vec<[Option<usize>; 2]>>,
    /// By class: the cell of each of its points.
    cell_of: Vec<Vec<usize>>,
    /// How many cells there are.
    count: usize,
}

impl Refinement {
    fn new(
        classes: &Classes<'_>,
        parts: &[ClassParts],
        has_a_say: impl Fn(usize, usize) -> bool,
    ) -> Refinement {
        let mut refinement = Refinement { cells: Vec::new(), cell_of: Vec::new(), count: 0 };
        for (class, found) in parts.iter().enumerate() {
            let silent: Vec<usize> =
                (0..classes.size(class)).map(|at| usize::from(!has_a_say(class, at))).collect();
            let mut cells = vec![[None; 2]; found.parts.len()];
            for (part, cells) in cells.iter_mut().enumerate() {
                for (kind, cell) in cells.iter_mut().enumerate() {
                    let occurs =
                        silent.iter().zip(&found.part_of).any(|(&silent, &of)| silent == kind && of == part);
                    *cell = occurs.then_some(refinement.count);
                    refinement.count += usize::from(occurs);
                }
            }
            let cell = |at: usize| cells[found.part_of[at]][silent[at]].unwrap_or(0);
            refinement.cell_of.push((0..silent.len()).map(cell).collect());
            refinement.cells.push(cells);
        }
        refinement
    }

    fn compute(&self, classes: &Classes<'_>, control: Control<'_>) -> Result<Cells, DataError> {
        let refined = relabelled(classes, |class, at| Some(self.cell_of[class][at]))?;
        Ok(Cells::compute(&refined, control)?)
    }

    /// All cells of a part.
    fn of_part(&self, class: usize, part: usize) -> Vec<usize> {
        self.cells[class][part].iter().flatten().copied().collect()
    }

    /// All cells of a class.
    fn of_class(&self, class: usize) -> Vec<usize> {
        self.cells[class].iter().flatten().flatten().copied().collect()
    }

    /// The cells of each class whose points have a say.
    fn kept_cells(&self) -> Vec<Vec<usize>> {
        self.cells.iter().map(|parts| parts.iter().filter_map(|cells| cells[0]).collect()).collect()
    }

    /// For each class of several parts, `clm` of the dataset if it were split into them.
    fn split_scores(
        &self,
        cells: &Cells,
        pairs: &[Pair],
        control: Control<'_>,
    ) -> Result<Vec<Option<f64>>, Stopped> {
        let classes = (0..self.cells.len()).map(|class| self.of_class(class)).collect();
        let partition = CellPartition::known(cells, classes, pairs);
        let of = |class: usize| {
            let parts: Vec<Vec<usize>> =
                (0..self.cells[class].len()).map(|part| self.of_part(class, part)).collect();
            if parts.len() > 1 { partition.changed(&[class], &parts, control) } else { Ok(None) }
        };
        (0..self.cells.len()).map(of).collect()
    }
}

/// The same points in other classes, in the order of the class numbers: `class_of` takes a class and the place of a point in it.
/// Points in no class are left out.
pub(super) fn relabelled<'p>(
    classes: &'p Classes<'_>,
    class_of: impl Fn(usize, usize) -> Option<usize>,
) -> Result<Classes<'p>, DataError> {
    let mut new: Vec<Option<usize>> = vec![None; classes.points().n_points()];
    for class in 0..classes.n_classes() {
        for (at, &row) in classes.order()[classes.range(class)].iter().enumerate() {
            new[row] = class_of(class, at);
        }
    }
    // Labels that are numbers are sorted by value, so the order is kept.
    let nowhere = new.iter().flatten().max().map_or(0, |last| last + 1);
    let labels = Labels::encode(new.iter().map(|class| class.unwrap_or(nowhere)));
    let points: Points<'p> = classes.points().borrowed();
    Classes::with(points, &labels, Some(&nowhere.to_string()), Singletons::Keep)
}

/// The changes that raise the score, in descending order of gain.
pub(super) fn ranked(
    score: f64,
    pairs: &[Pair],
    split_scores: &[Option<f64>],
    dropped: Option<(Vec<usize>, f64)>,
) -> Vec<Action> {
    let action =
        |change: Change, after: f64| Action { change, score: after, gain: after - score, held_out: [0.0; 2] };
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

#[cfg(test)]
mod tests {
    use super::super::{Part, look_at_pairs};
    use super::*;

    /// `clm` of some rows in these classes.
    fn clm(values: &[f64], class_of: impl Fn(usize) -> Option<usize>) -> f64 {
        let (values, labels): (Vec<f64>, Vec<usize>) = values
            .iter()
            .enumerate()
            .filter_map(|(row, &value)| class_of(row).map(|class| (value, class)))
            .unzip();
        let classes = Classes::new(Points::new(values, 1).unwrap(), &Labels::encode(labels)).unwrap();
        evaluate_with(&classes, &[&CLM], false, Control::none()).unwrap().scores[0].1.value
    }

    /// Two classes of two halves each, so that no class is a single cluster.
    #[test]
    fn every_class_may_be_split() {
        let values: Vec<f64> = (0..24).map(|row| f64::from(row * row % 17 + 9 * (row / 6))).collect();
        let labels = Labels::encode((0..24).map(|row| row / 12));
        let classes = Classes::new(Points::new(values.clone(), 1).unwrap(), &labels).unwrap();
        let half = |typical: usize| Part { size: 6, typical };
        let halves = ClassParts {
            parts: vec![half(0), half(6)],
            part_of: (0..12).map(|at| usize::from(at >= 6)).collect(),
        };
        for dropped in [&[][..], &[5, 13, 20]] {
            let keep: Vec<bool> = (0..24).map(|row| !dropped.contains(&row)).collect();
            let (_, pairs) = look_at_pairs(&classes, &keep, Control::none()).unwrap();
            let parts = [halves.clone(), halves.clone()];
            // Four parts, in each of which one row has no say: seven cells, from which everything is computed at once, or not.
            for most in [7, 6] {
                let found = outcomes_within(most, &classes, &pairs, &parts, &keep, Control::none()).unwrap();
                for (class, score) in found.split.iter().enumerate() {
                    let expected = clm(&values, |row| Some(if row / 12 == class { row / 6 } else { 9 }));
                    assert!((score.unwrap() - expected).abs() < 1e-9, "{score:?} instead of {expected}");
                }
                let expected = clm(&values, |row| keep[row].then_some(row / 12));
                assert_eq!(found.without.is_some(), !dropped.is_empty());
                assert!(found.without.is_none_or(|score| (score - expected).abs() < 1e-9));
            }
        }
    }
}

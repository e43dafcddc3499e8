//! Changes that are chosen on one half of the points and tried on the other.
//!
//! An action gains by chance, too, if it is scored on the points that it was derived from. Every class is therefore dealt into
//! two halves, each with as many points of each of its clusters, and as many of those that have no say. On each of the halves
//!
//! | change | is decided by the other half | compares `clm` of |
//! |---|---|---|
//! | merge | - | the points that have a say, merged and not |
//! | split | the parts that are found there; points go with the nearest point | the same, split and not |
//! | drop | of points that look like another class, those whose label fewer than half of the nearest 15 have | all points, without these and with them |
//!
//! and an action is suggested if neither half loses and one of them gains. As suspicious points have no say about merges, a few
//! wrong labels do not merge two classes.
//!
//! Degenerate cases: classes of which fewer than 2 points have a say in either half are left out, and no action is suggested for
//! them.

use std::ops::Range;

use clmatch_kernels::Control;
use clmatch_kernels::parallel;

use super::Opinion;
use super::actions::{Action, CellPartition, Change, relabelled};
use super::cells::Cells;
use super::splits::{self, ClassParts, SplitEvidence};
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::evaluate_with;
use crate::kernels::frame::Frame;
use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::kernels::stream::Origin;
use crate::measure::clm::CLM;

/// How many points of the other half vote on a label.
const NEIGHBOURS: usize = 15;

/// A dataset in two halves.
pub(super) struct HeldOutHalves<'a> {
    classes: &'a Classes<'a>,
    opinion: Opinion<'a>,
    evidence: SplitEvidence<'a>,
    /// By row of the input: the half that the point is in.
    half: Vec<usize>,
    /// The classes that are large enough, in ascending order.
    tried: Vec<usize>,
}

impl<'a> HeldOutHalves<'a> {
    pub(super) fn new(
        classes: &'a Classes<'a>,
        parts: &[ClassParts],
        opinion: Opinion<'a>,
        evidence: SplitEvidence<'a>,
    ) -> HeldOutHalves<'a> {
        let mut random = SplitMix::new(evidence.seed);
        let mut half = vec![0; classes.points().n_points()];
        let mut tried = Vec::new();
        for (class, parts) in parts.iter().enumerate() {
            let rows = &classes.order()[classes.range(class)];
            let mut places: Vec<usize> = (0..rows.len()).collect();
            random.shuffle(&mut places);
            places.sort_by_key(|&at| (opinion.keep[rows[at]], parts.part_of[at]));
            places.iter().enumerate().for_each(|(turn, &at)| half[rows[at]] = turn % 2);
            let heard = |of: usize| rows.iter().filter(|&&row| opinion.keep[row] && half[row] == of).count();
            if heard(0).min(heard(1)) > 1 {
                tried.push(class);
            }
        }
        HeldOutHalves { classes, opinion, evidence, half, tried }
    }

    /// The actions that hold on both halves, with what they gain there.
    ///
    /// Time: O(n^2 d), about one evaluation of `clm` of all points.
    ///
    /// # Errors
    /// [`DataError::Stopped`] if `control` stops the work.
    pub(super) fn confirmed(
        &self,
        actions: Vec<Action>,
        control: Control<'_>,
    ) -> Result<Vec<Action>, DataError> {
        if actions.is_empty() || self.tried.len() < 2 {
            return Ok(Vec::new());
        }
        let frame = Frame::new(self.classes, &Origin::exact(self.classes));
        let [first, second] =
            [self.gains(0, &actions, &frame, control)?, self.gains(1, &actions, &frame, control)?];
        let gains = first.into_iter().zip(second);
        let hold = |(action, gains): (Action, (Option<f64>, Option<f64>))| {
            let held_out = [gains.0?, gains.1?];
            let holds = held_out.iter().all(|&gain| gain >= 0.0) && held_out.iter().any(|&gain| gain > 0.0);
            holds.then_some(Action { held_out, ..action })
        };
        Ok(actions.into_iter().zip(gains).filter_map(hold).collect())
    }

    /// What each action gains on one half; `None` where it cannot be tried there.
    fn gains(
        &self,
        half: usize,
        actions: &[Action],
        frame: &Frame,
        control: Control<'_>,
    ) -> Result<Vec<Option<f64>>, DataError> {
        let heard: Vec<bool> =
            self.half.iter().zip(self.opinion.keep).map(|(&of, &keep)| keep && of != half).collect();
        let evidence = SplitEvidence { keep: &heard, share: 0.5, ..self.evidence };
        let mut parts: Vec<Option<ClassParts>> = vec![None; self.classes.n_classes()];
        for action in actions {
            if let Change::Split(class) = action.change {
                parts[class] = Some(splits::find_in(self.classes, frame, class, evidence, control)?);
            }
        }
        let refined = self.refined(half, &parts)?;
        let cells = Cells::compute(&refined.classes, control)?;
        let classes = refined.cells.iter().map(|cells| cells.clone().collect()).collect();
        let partition = CellPartition::new(&cells, classes);
        let place = |class: usize| self.tried.binary_search(&class).ok();
        let before = partition.score(control)?;
        let after = |change: &Change| match change {
            Change::Merge(a, b) => match (place(*a), place(*b)) {
                (Some(a), Some(b)) => partition.merged((a, b), control),
                _ => Ok(None),
            },
            Change::Split(class) => {
                let Some(place) = place(*class) else { return Ok(None) };
                let parts: Vec<Vec<usize>> = refined.cells[place].clone().map(|cell| vec![cell]).collect();
                if parts.len() > 1 { partition.changed(&[place], &parts, control) } else { Ok(None) }
            }
            Change::Drop(_) => Ok(None),
        };
        parallel::try_map(actions, |action| match &action.change {
            Change::Drop(rows) => self.dropped(half, rows, frame, control).map(Some),
            change => Ok(after(change)?.map(|after| after - before)),
        })
    }

    /// The points of a half that have a say, by the parts of their classes, if each part has at least two points.
    fn refined(&self, half: usize, parts: &[Option<ClassParts>]) -> Result<Refined<'_>, DataError> {
        let rows = |class: usize| &self.classes.order()[self.classes.range(class)];
        let here = |row: usize| self.half[row] == half && self.opinion.keep[row];
        let mut cell_of = vec![None; self.half.len()];
        let (mut cells, mut count) = (Vec::new(), 0);
        for &class in &self.tried {
            let part = |at: usize| parts[class].as_ref().map_or(0, |parts| parts.part_of[at]);
            let places: Vec<usize> = (0..rows(class).len()).filter(|&at| here(rows(class)[at])).collect();
            let mut sizes = vec![0; parts[class].as_ref().map_or(1, |parts| parts.parts.len())];
            places.iter().for_each(|&at| sizes[part(at)] += 1);
            let whole = sizes.iter().any(|&size| size < 2);
            let of = |at: usize| count + if whole { 0 } else { part(at) };
            places.iter().for_each(|&at| cell_of[rows(class)[at]] = Some(of(at)));
            let found = if whole { 1 } else { sizes.len() };
            cells.push(count..count + found);
            count += found;
        }
        let classes = relabelled(self.classes, |class, at| cell_of[rows(class)[at]])?;
        Ok(Refined { classes, cells })
    }

    /// What a half gains without those of the given rows whose labels the other half contradicts.
    fn dropped(
        &self,
        half: usize,
        rows: &[usize],
        frame: &Frame,
        control: Control<'_>,
    ) -> Result<f64, DataError> {
        let mut dropped = vec![false; self.half.len()];
        let here: Vec<usize> = rows.iter().copied().filter(|&row| self.half[row] == half).collect();
        let contradicted: Vec<bool> = parallel::map(&here, |&row| self.contradicted(row, half, frame));
        here.iter().zip(contradicted).for_each(|(&row, contradicted)| dropped[row] = contradicted);
        let score = |without: bool| {
            let class = |class: usize, at: usize| {
                let row = self.classes.order()[self.classes.range(class)][at];
                let stays = self.half[row] == half && !(without && dropped[row]);
                (stays && self.tried.binary_search(&class).is_ok()).then_some(class)
            };
            let classes = relabelled(self.classes, class)?;
            Ok::<f64, DataError>(evaluate_with(&classes, &[&CLM], false, control)?.scores[0].1.value)
        };
        if dropped.contains(&true) { Ok(score(true)? - score(false)?) } else { Ok(0.0) }
    }

    /// Whether the nearest points of the other half contradict the label of a point that looks like another class.
    fn contradicted(&self, row: usize, half: usize, frame: &Frame) -> bool {
        let order = self.classes.order();
        let Some(place) = order.iter().position(|&other| other == row) else { return false };
        let class_of = |place: usize| frame.starts.partition_point(|&start| start <= place) - 1;
        if self.opinion.predicted[row] == class_of(place) {
            return true;
        }
        let asked = |&other: &usize| self.half[order[other]] != half && self.opinion.keep[order[other]];
        let square = |other: usize| squared_distance(frame.row(place), frame.row(other));
        let mut near: Vec<(f64, usize)> =
            (0..order.len()).filter(asked).map(|other| (square(other), other)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(NEIGHBOURS);
        let own = near.iter().filter(|(_, other)| class_of(*other) == class_of(place)).count();
        2 * own < near.len()
    }
}

/// One half of the points, as cells.
struct Refined<'a> {
    classes: Classes<'a>,
    /// For each class that is tried: the cells of its parts.
    cells: Vec<Range<usize>>,
}

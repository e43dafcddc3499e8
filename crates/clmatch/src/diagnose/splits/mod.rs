//! Is a class one cluster, or several?
//!
//! A class is cut in two by 2-means and by the longest edge of its spanning tree that has at least 20 points and 5% of the
//! class on either side. A cut is a split where there is a valley between the parts (v below .45), where the parts
//! are as separate as classes of this dataset are (`clm` of the two is at least .6 of the median over the pairs of classes),
//! where most points of either part look like points of their class and not of another one, and where a split is found
//! again in 3 of 5 subsamples of 80%. The parts are looked at in the same way.
//!
//! Points that are probably mislabelled, and outliers, have no say; they go with the part of their nearest neighbour.

mod plane;
mod proposals;

use clmatch_stop::Control;
use rayon::prelude::*;

use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::evaluate_with;
use crate::kernels::frame::Frame;
use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::labels::Labels;
use crate::matrix::Matrix;
use crate::measure::clm::CLM;
use crate::points::Points;

/// A valley below this lies between two clusters.
const VALLEY: f64 = 0.45;
/// The parts of a class are as separate as this share of the median pair of classes, at least.
const AS_SEPARATE: f64 = 0.6;
/// The smallest part: so many points, and this share of what is cut.
const LEAST: (usize, f64) = (20, 0.05);
/// In so many of so many subsamples of this share a split must be found again.
const AGAIN: (usize, usize, f64) = (3, 5, 0.8);

/// A class, and the clusters that it consists of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClassParts {
    /// The clusters, the largest first; a single one if the class is one cluster.
    pub parts: Vec<Part>,
    /// The part of each point of the class, in the order of [`Classes::order`].
    pub part_of: Vec<usize>,
}

/// A cluster within a class.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// How many points it has.
    pub size: usize,
    /// The row of the input whose point lies closest to its centre.
    pub typical: usize,
}

/// What decides about splits besides the points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence<'a> {
    /// By row of the input: whether the point has a say.
    pub(super) keep: &'a [bool],
    /// By row of the input: the class that the point looks like.
    pub(super) predicted: &'a [usize],
    /// The median over pairs of classes of their `clm`.
    pub(super) usual_score: f64,
    /// The seed of starts and subsamples.
    pub(super) seed: u64,
}

/// The parts of every class.
///
/// # Errors
/// [`DataError::Stopped`] if `control` says so.
pub(super) fn find(
    classes: &Classes<'_>,
    frame: &Frame,
    evidence: Evidence<'_>,
    control: Control<'_>,
) -> Result<Vec<ClassParts>, DataError> {
    let all = 0..classes.n_classes();
    all.into_par_iter().map(|class| parts_of(classes, frame, class, evidence, control)).collect()
}

fn parts_of(
    classes: &Classes<'_>,
    frame: &Frame,
    class: usize,
    evidence: Evidence<'_>,
    control: Control<'_>,
) -> Result<ClassParts, DataError> {
    control.check()?;
    let rows = &classes.order()[classes.range(class)];
    let first = frame.starts[class];
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| evidence.keep[rows[at]]).collect();
    let mut parts = vec![kept.clone()];
    if kept.len() >= 2 * LEAST.0 {
        let values: Vec<f64> = kept.iter().flat_map(|&at| frame.row(first + at)).copied().collect();
        let points = Matrix::trusted(values, frame.features);
        let fits: Vec<bool> = kept.iter().map(|&at| evidence.predicted[rows[at]] == class).collect();
        let mut search = Search {
            points: &points,
            fits: &fits,
            bar: AS_SEPARATE * evidence.usual_score,
            random: SplitMix::new(evidence.seed.wrapping_add(class as u64)),
            control,
        };
        let found = search.divide((0..kept.len()).collect())?;
        parts = found.iter().map(|part| part.iter().map(|&at| kept[at]).collect()).collect();
    }
    parts.sort_by(|a, b| b.len().cmp(&a.len()).then(a.first().cmp(&b.first())));
    Ok(finish(frame, first, rows, &parts))
}

/// All points of the class go with the part of the nearest one that has a say.
fn finish(frame: &Frame, first: usize, rows: &[usize], parts: &[Vec<usize>]) -> ClassParts {
    let mut part_of = vec![usize::MAX; rows.len()];
    for (part, members) in parts.iter().enumerate() {
        members.iter().for_each(|&at| part_of[at] = part);
    }
    let (decided, others): (Vec<usize>, Vec<usize>) =
        (0..rows.len()).partition(|&at| part_of[at] != usize::MAX);
    for at in others {
        let square = |&other: &usize| squared_distance(frame.row(first + at), frame.row(first + other));
        let nearest = || decided.iter().min_by(|a, b| square(a).total_cmp(&square(b)));
        part_of[at] = if parts.len() == 1 { 0 } else { nearest().map_or(0, |&other| part_of[other]) };
    }
    let part = |part: usize| {
        let all: Vec<usize> = (0..rows.len()).filter(|&at| part_of[at] == part).collect();
        let voters: Vec<usize> = if parts[part].is_empty() { all.clone() } else { parts[part].clone() };
        Part { size: all.len(), typical: rows[closest_to_centre(frame, first, &voters)] }
    };
    ClassParts { parts: (0..parts.len()).map(part).collect(), part_of }
}

/// Which of some points of a class lies closest to their mean.
fn closest_to_centre(frame: &Frame, first: usize, members: &[usize]) -> usize {
    let mut centre = vec![0.0; frame.features];
    for &at in members {
        centre.iter_mut().zip(frame.row(first + at)).for_each(|(sum, x)| *sum += x / members.len() as f64);
    }
    let square = |&at: &usize| squared_distance(frame.row(first + at), &centre);
    members.iter().copied().min_by(|a, b| square(a).total_cmp(&square(b))).unwrap_or(0)
}

/// The search for the parts of one class.
struct Search<'a> {
    /// The points of the class that have a say.
    points: &'a Matrix<'a>,
    /// Whether each looks like a point of the class.
    fits: &'a [bool],
    /// `clm` of two parts, at least.
    bar: f64,
    random: SplitMix,
    control: Control<'a>,
}

impl Search<'_> {
    /// The clusters among some points.
    fn divide(&mut self, members: Vec<usize>) -> Result<Vec<Vec<usize>>, DataError> {
        let Some([a, b]) = self.split(&members, 1.0)? else { return Ok(vec![members]) };
        if !self.again(&members)? {
            return Ok(vec![members]);
        }
        let mut parts = self.divide(a)?;
        parts.extend(self.divide(b)?);
        Ok(parts)
    }

    /// Whether some points split in subsamples, too.
    fn again(&mut self, members: &[usize]) -> Result<bool, DataError> {
        let (needed, draws, share) = AGAIN;
        let mut found = 0;
        for _ in 0..draws {
            let mut sample = members.to_vec();
            self.random.shuffle(&mut sample);
            sample.truncate((share * members.len() as f64).round() as usize);
            sample.sort_unstable();
            found += usize::from(self.split(&sample, share)?.is_some());
        }
        Ok(found >= needed)
    }

    /// The best of the proposed cuts that is a split; `share` of all points are here.
    fn split(&mut self, members: &[usize], share: f64) -> Result<Option<[Vec<usize>; 2]>, DataError> {
        self.control.check()?;
        let least = (share * LEAST.0 as f64).max(LEAST.1 * members.len() as f64).ceil() as usize;
        if members.len() < 2 * least {
            return Ok(None);
        }
        let points = self.points.select(members);
        let proposals = [
            proposals::two_means(&points, &mut self.random),
            proposals::longest_edge(&points, least, self.control)?,
        ];
        let mut cuts: Vec<(f64, Vec<bool>)> = proposals
            .into_iter()
            .flatten()
            .filter(|second| {
                let size = second.iter().filter(|&&second| second).count();
                size >= least && second.len() - size >= least
            })
            .map(|second| (plane::valley(&points, &second), second))
            .filter(|(valley, _)| *valley < VALLEY)
            .collect();
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, second) in cuts {
            let part = |side: bool| -> Vec<usize> {
                members
                    .iter()
                    .zip(&second)
                    .filter(|(_, second)| **second == side)
                    .map(|(&at, _)| at)
                    .collect()
            };
            let parts = [part(false), part(true)];
            if parts.iter().all(|part| self.fits(part)) && self.score(&points, &second)? >= self.bar {
                return Ok(Some(parts));
            }
        }
        Ok(None)
    }

    /// Whether most points look like points of their class.
    fn fits(&self, part: &[usize]) -> bool {
        2 * part.iter().filter(|&&at| self.fits[at]).count() >= part.len()
    }

    /// `clm` of two parts.
    fn score(&self, points: &Matrix<'_>, second: &[bool]) -> Result<f64, DataError> {
        let classes = Classes::new(Points::from(points), &Labels::encode(second))?;
        Ok(evaluate_with(&classes, &[&CLM], false, self.control)?.scores[0].1.value)
    }
}

//! Whether a class is one cluster or several.
//!
//! A class is cut in two by 2-means and by the longest edge of its spanning tree that has at least 20 points and 5% of the class
//! on either side. A cut is a split if there is a valley between the parts (v below .45), if the parts are as separate as classes
//! of this dataset are (`clm` of the two is at least .6 of the median over the pairs of classes), if most points of either part
//! look like points of their class and not of another one, and if a split is found again in 3 of 5 subsamples of 80% of either
//! part. The parts are then examined in the same way.
//!
//! Values of low resolution (rounded ones, integers, answers on a scale) lie in clumps that are not clusters. Before a valley is
//! measured, such values are spread evenly over their steps: see [`resolution`].
//!
//! Points that are probably mislabelled, and outliers, have no say; each goes with the part of its nearest neighbour.

mod plane;
mod proposals;
mod resolution;
mod screen;
mod ward;

pub(crate) use screen::SAMPLE;
pub use screen::{SplitClass, split_classes};

use clmatch_kernels::Control;
use clmatch_kernels::parallel;

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

/// A valley below this separates two clusters.
const VALLEY: f64 = 0.45;
/// `clm` of the parts of a class is at least this share of the median over pairs of classes.
const AS_SEPARATE: f64 = 0.6;
/// The smallest part: at least this many points, and this share of the points that are cut.
const LEAST: (usize, f64) = (20, 0.05);
/// In how many of how many subsamples, each of this share of the points, a split must be found again.
const AGAIN: (usize, usize, f64) = (3, 5, 0.8);

/// A class and the clusters that it consists of.
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

/// What splits are judged by besides the points.
#[derive(Debug, Clone, Copy)]
pub(super) struct SplitEvidence<'a> {
    /// For each row of the input: whether the point has a say.
    pub(super) keep: &'a [bool],
    /// For each row of the input: the class that the point looks like.
    pub(super) predicted: &'a [usize],
    /// The median of `clm` over pairs of classes.
    pub(super) usual_score: f64,
    /// The seed of starts and subsamples.
    pub(super) seed: u64,
    /// The share of all points that may have a say. If it is less than 1, splits need not be found again.
    pub(super) share: f64,
}

/// The parts of every class.
///
/// # Errors
/// [`DataError::Stopped`] if `control` stops the work.
pub(super) fn find(
    classes: &Classes<'_>,
    frame: &Frame,
    evidence: SplitEvidence<'_>,
    control: Control<'_>,
) -> Result<Vec<ClassParts>, DataError> {
    let steps = resolution::steps(frame);
    let of_class = |class: usize| parts_of(classes, frame, class, evidence, &steps, control);
    parallel::try_map_range(classes.n_classes(), of_class)
}

/// The parts of one class, found from the points that have a say.
///
/// # Errors
/// [`DataError::Stopped`] if `control` stops the work.
pub(super) fn find_in(
    classes: &Classes<'_>,
    frame: &Frame,
    class: usize,
    evidence: SplitEvidence<'_>,
    control: Control<'_>,
) -> Result<ClassParts, DataError> {
    parts_of(classes, frame, class, evidence, &resolution::steps(frame), control)
}

fn parts_of(
    classes: &Classes<'_>,
    frame: &Frame,
    class: usize,
    evidence: SplitEvidence<'_>,
    steps: &[f64],
    control: Control<'_>,
) -> Result<ClassParts, DataError> {
    control.check()?;
    let rows = &classes.order()[classes.range(class)];
    let first = frame.starts[class];
    let kept: Vec<usize> = (0..rows.len()).filter(|&at| evidence.keep[rows[at]]).collect();
    let mut parts = vec![kept.clone()];
    if !kept.is_empty() {
        let values: Vec<f64> = kept.iter().flat_map(|&at| frame.row(first + at)).copied().collect();
        let points = Matrix::trusted(values, frame.features);
        let fits: Vec<bool> = kept.iter().map(|&at| evidence.predicted[rows[at]] == class).collect();
        let mut search = PartSearch {
            points: &points,
            steps,
            fits: &fits,
            share: evidence.share,
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

/// The points on either side of a cut.
fn sides(members: &[usize], second: &[bool]) -> [Vec<usize>; 2] {
    [false, true].map(|side| {
        members.iter().zip(second).filter(|(_, second)| **second == side).map(|(&at, _)| at).collect()
    })
}

/// How many points are on the smaller side of a cut.
fn smaller_side(second: &[bool]) -> usize {
    let size = second.iter().filter(|&&second| second).count();
    size.min(second.len() - size)
}

/// Assigns each point of the class to the part of the nearest point that has a say.
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

/// Which of the given points of a class lies closest to their mean.
fn closest_to_centre(frame: &Frame, first: usize, members: &[usize]) -> usize {
    let mut centre = vec![0.0; frame.features];
    for &at in members {
        centre.iter_mut().zip(frame.row(first + at)).for_each(|(sum, x)| *sum += x / members.len() as f64);
    }
    let square = |&at: &usize| squared_distance(frame.row(first + at), &centre);
    members.iter().copied().min_by(|a, b| square(a).total_cmp(&square(b))).unwrap_or(0)
}

/// The search for the parts of one class.
struct PartSearch<'a> {
    /// The points of the class that have a say.
    points: &'a Matrix<'a>,
    /// For each feature: the step between its values, 0 if it has none.
    steps: &'a [f64],
    /// Whether each point looks like a point of the class.
    fits: &'a [bool],
    /// The share of the points of the class that these points are.
    share: f64,
    /// The smallest `clm` of two parts.
    bar: f64,
    random: SplitMix,
    control: Control<'a>,
}

impl PartSearch<'_> {
    /// The clusters among some points.
    fn divide(&mut self, members: Vec<usize>) -> Result<Vec<Vec<usize>>, DataError> {
        let Some(parts) = self.split(&members, self.share)? else { return Ok(vec![members]) };
        if self.share == 1.0 && !self.again(&parts)? {
            return Ok(vec![members]);
        }
        let [a, b] = parts;
        let mut parts = self.divide(a)?;
        parts.extend(self.divide(b)?);
        Ok(parts)
    }

    /// Whether two parts split in subsamples, too. Both parts lose the same share of their points, so that the smallest part that
    /// is a split is large enough in every subsample.
    fn again(&mut self, parts: &[Vec<usize>; 2]) -> Result<bool, DataError> {
        let (needed, draws, share) = AGAIN;
        let mut found = 0;
        for _ in 0..draws {
            let mut sample = Vec::new();
            for part in parts {
                let mut part = part.clone();
                self.random.shuffle(&mut part);
                part.truncate((share * part.len() as f64).ceil() as usize);
                sample.extend(part);
            }
            sample.sort_unstable();
            found += usize::from(self.split(&sample, share)?.is_some());
        }
        Ok(found >= needed)
    }

    /// The best of the proposed cuts that is a split; `members` are the given `share` of all points.
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
            .filter(|second| smaller_side(second) >= least)
            .map(|second| (plane::valley(&points, &second, self.steps), second))
            .filter(|(valley, _)| *valley < VALLEY)
            .collect();
        cuts.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, second) in cuts {
            let parts = sides(members, &second);
            if parts.iter().all(|part| self.fits(part)) && self.score(&points, &second)? >= self.bar {
                return Ok(Some(parts));
            }
        }
        Ok(None)
    }

    /// Whether most points of a part look like points of their class.
    fn fits(&self, part: &[usize]) -> bool {
        2 * part.iter().filter(|&&at| self.fits[at]).count() >= part.len()
    }

    /// `clm` of two parts.
    fn score(&self, points: &Matrix<'_>, second: &[bool]) -> Result<f64, DataError> {
        let classes = Classes::new(Points::from(points), &Labels::encode(second))?;
        Ok(evaluate_with(&classes, &[&CLM], false, self.control)?.scores[0].1.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::stream::Origin;

    /// Evenly spaced points on a line, in runs that lie far apart.
    fn runs(sizes: &[usize]) -> Matrix<'static> {
        let run = |(at, &size): (usize, &usize)| (0..size).map(move |x| (10_000 * at + x) as f64);
        Matrix::new(sizes.iter().enumerate().flat_map(run).collect::<Vec<f64>>(), 1).unwrap()
    }

    fn search<'a>(points: &'a Matrix<'a>, fits: &'a [bool], seed: u64) -> PartSearch<'a> {
        let random = SplitMix::new(seed);
        PartSearch { points, steps: &[0.0], fits, share: 1.0, bar: 0.0, random, control: Control::none() }
    }

    fn everyone(points: &Matrix<'_>) -> Vec<usize> {
        (0..points.n_points()).collect()
    }

    #[test]
    fn either_part_has_20_points_and_a_twentieth() {
        for (sizes, seeds, splits) in [
            ([20, 20], 3, true),
            ([20, 19], 3, false),
            ([19, 41], 20, false),
            ([25, 475], 1, true),
            ([24, 476], 1, false),
        ] {
            let points = runs(&sizes);
            let fits = vec![true; points.n_points()];
            for seed in 0..seeds {
                let found = search(&points, &fits, seed).split(&everyone(&points), 1.0).unwrap();
                assert_eq!(found.is_some(), splits, "{sizes:?}, {seed}");
                let Some(mut parts) = found else { continue };
                parts.sort();
                let second: Vec<usize> = (sizes[0]..points.n_points()).collect();
                assert_eq!(parts, [(0..sizes[0]).collect(), second]);
            }
        }
    }

    #[test]
    fn too_few_points_are_not_looked_at() {
        let points = runs(&[20, 19]);
        let mut search = search(&points, &[true; 39], 1);
        let mut random = search.random.clone();
        assert!(search.split(&everyone(&points), 1.0).unwrap().is_none());
        assert_eq!(search.random.next(), random.next(), "a random number was drawn");
    }

    #[test]
    fn both_parts_fit_and_are_as_separate_as_asked_for() {
        let points = runs(&[20, 20]);
        let everyone = everyone(&points);
        let split = |fits: &[bool], bar: f64| {
            let mut search = PartSearch { bar, ..search(&points, fits, 1) };
            search.split(&everyone, 1.0).unwrap().is_some()
        };
        let fitting = |first: usize, second: usize| -> Vec<bool> {
            (0..40).map(|at| if at < 20 { at < first } else { at - 20 < second }).collect()
        };
        assert!(split(&fitting(20, 20), 0.9));
        assert!(split(&fitting(10, 10), 0.9), "half of either part is enough");
        assert!(!split(&fitting(20, 9), 0.9) && !split(&fitting(9, 20), 0.9) && !split(&fitting(0, 0), 0.9));
        assert!(!split(&fitting(20, 20), 1.1), "nothing is that separate");
    }

    #[test]
    fn the_score_is_that_of_the_parts() {
        let points = runs(&[20, 25]);
        let score = |second: fn(usize) -> bool| {
            let second: Vec<bool> = (0..45).map(second).collect();
            search(&points, &[true; 45], 1).score(&points, &second).unwrap()
        };
        assert!(score(|row| row >= 20) > 0.99);
        assert!(score(|row| row % 2 == 0) < 0.1);
    }

    /// Parts with as few points as possible: 20, or a twentieth.
    #[test]
    fn the_smallest_parts_are_found_again_whatever_the_class_and_the_seed() {
        for sizes in [[20, 20], [20, 100], [20, 120], [20, 230], [20, 380], [25, 475], [23, 437], [41, 779]] {
            let points = runs(&sizes);
            let fits = vec![true; points.n_points()];
            let parts = [(0..sizes[0]).collect(), (sizes[0]..points.n_points()).collect()];
            for seed in 0..10 {
                assert!(search(&points, &fits, seed).again(&parts).unwrap(), "{sizes:?}, {seed}");
            }
        }
        // A single run is not two clusters, wherever it is cut.
        let points = runs(&[80]);
        let halves = [(0..40).collect(), (40..80).collect()];
        assert!(!search(&points, &[true; 80], 1).again(&halves).unwrap());
    }

    /// Two mirrored halves. Where the points are dense, 7 others lie within 2 of a point, and 2 is the median distance to the
    /// sixth neighbour. The five closest pairs have their middles at 0, .5, 1, 1.5 and 2, with 2, 3, 2, 3 and 3 points within 2.
    #[test]
    fn a_valley_at_the_bar_is_none() {
        let half = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 6.5, 7.5, 8.5, 8.5, 9.5, 10.5, 10.5, 11.5, 12.5, 12.5];
        let half = [&half[..], &[13.5, 14.5, 14.5, 15.5]].concat();
        let split = |apart: f64| {
            let halves = half.iter().map(|x| -apart - x).chain(half.iter().map(|x| apart + x));
            let points = Matrix::new(halves.collect::<Vec<f64>>(), 1).unwrap();
            let second: Vec<bool> = (0..40).map(|row| row >= 20).collect();
            let found = search(&points, &[true; 40], 1).split(&everyone(&points), 1.0).unwrap();
            (plane::valley(&points, &second, &[0.0]), found.is_some())
        };
        assert_eq!(split(0.0), (0.45, false));
        let (valley, found) = split(1.0);
        assert!(valley < 0.45 && found, "{valley}");
    }

    /// A run, and a class of two runs, in which the first and the last point of the second run have no say.
    #[test]
    fn parts_of_classes() {
        let points = runs(&[25, 31, 25]);
        let labels: Vec<usize> = (0..81).map(|row| usize::from(row >= 25)).collect();
        let classes = Classes::new(Points::from(&points), &Labels::encode(&labels)).unwrap();
        let frame = Frame::new(&classes, &Origin::exact(&classes));
        let parts = |keep: &[bool], usual_score: f64| {
            let evidence = SplitEvidence { keep, predicted: &labels, usual_score, seed: 1, share: 1.0 };
            find(&classes, &frame, evidence, Control::none()).unwrap()
        };
        let keep: Vec<bool> = (0..81).map(|row| row != 56 && row != 80).collect();
        let whole = ClassParts { parts: vec![Part { size: 25, typical: 12 }], part_of: vec![0; 25] };
        let (first, second) = (Part { size: 31, typical: 40 }, Part { size: 25, typical: 68 });
        let split = ClassParts {
            parts: vec![first, second],
            part_of: (0..56).map(|at| usize::from(at >= 31)).collect(),
        };
        assert_eq!(parts(&keep, 0.5), [whole.clone(), split.clone()]);
        // No parts are as separate as this requires.
        assert_eq!(parts(&keep, 2.0)[1].parts.len(), 1);
        // If no point of the first class has a say, all its points are one part.
        let keep: Vec<bool> = keep.iter().enumerate().map(|(row, keep)| *keep && row >= 25).collect();
        assert_eq!(parts(&keep, 0.5), [whole, split]);
    }
}

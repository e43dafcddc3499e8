//! The scores that meaningless labels would have: label permutations within the dataset.
//!
//! Every permutation deals the labels anew to the points, so that classes keep their sizes. If rows repeat, as
//! [`Groups::has_copies`] reports, the copies of a row get the labels of as many copies of another row: copies are one
//! observation, and tearing them apart would make any labels look better than chance. With N permutations, b of which score at
//! least as well as the labels themselves,
//!
//! ```text
//! p = (1 + b) / (1 + N)
//! ```
//!
//! is a valid p-value for any N; it is never below 1/(1 + N), and nothing is extrapolated. Labels are dealt over the whole
//! dataset: permuting within pairs of classes would understate the spread if there are more than two classes.
//!
//! A permutation costs a fraction of an evaluation: all of them share the distances between points, one list of neighbours for
//! each point and one spanning tree. With more than 64 classes, each permutation is scored on its own.
//!
//! Sharing makes some permuted scores approximations. The differences below are relative to 1 + |score|:
//!
//! * `sc`, `sc_a`: sums of distances in single precision, off by less than 1e-6;
//! * `di_a`: geometric medians by one Newton step if there are more than two classes, off by less than 4e-3 with 60 points and
//!   1e-3 with 600;
//! * `clm`: trees from lists of near neighbours if the lists do not contain all points, off by less than 2e-3.
//!
//! All others are exact up to rounding. A permuted score that is so close to that of the labels that these errors matter is
//! computed again without sharing, so that p-values count exact ties: with 3 + 3 points, one permutation in ten is the labels
//! themselves.

mod neighbours;
mod shared;
#[cfg(test)]
mod tests;
mod trees;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use clmatch_kernels::Control;
use clmatch_kernels::parallel;
use rayon::slice::ParallelSliceMut;

use self::shared::SharedStatistics;
use crate::classes::Classes;
use crate::error::DataError;
use crate::evaluate::{Evaluation, checked_plan, evaluate_with, evaluation_of};
use crate::intervals::{Groups, Interval};
use crate::kernels::random::SplitMix;
use crate::measure::Measure;
use crate::needs::Needs;

/// Scores that differ by less than this share of themselves count as equal: a permutation that changes nothing must not lose to
/// the labels because of rounding.
const TOLERANCE: f64 = 1e-9;
/// Permuted scores from sums of distances in single precision, or from trees, are computed again if they are this close.
const SUM_DOUBT: f64 = 1e-5;
/// Like [`SUM_DOUBT`], for geometric medians by one Newton step; divided by the number of points to the power of 1.5, with which
/// the error falls.
const MEDIAN_DOUBT: f64 = 4.0;
/// With more classes than this, each permutation is scored on its own: lists of neighbours would contain too few points of each
/// class.
const MOST_CLASSES: usize = 64;

/// The scores of a measure under random labels.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Chance {
    /// The mean of the scores.
    pub mean: f64,
    /// The middle 95% of the scores.
    pub range: Interval,
    /// The share of random labels that score at least as well as the labels, including the labels themselves.
    pub p: f64,
    /// How many permutations were scored.
    pub permutations: usize,
}

impl Chance {
    /// Summarises the scores of permutations, compared with that of the labels.
    fn of(measure: &Measure, score: f64, mut scores: Vec<f64>) -> Chance {
        let upward = |value: f64| measure.upward(value);
        let slack = if score.is_finite() { TOLERANCE * score.abs() } else { 0.0 };
        let bar = upward(score) - slack;
        let as_good = scores.iter().filter(|&&random| upward(random) >= bar).count();
        let permutations = scores.len();
        scores.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let place = share * (permutations - 1) as f64;
            let (below, above) = (scores[place.floor() as usize], scores[place.ceil() as usize]);
            if below == above { below } else { below + (above - below) * place.fract() }
        };
        Chance {
            mean: scores.iter().sum::<f64>() / permutations as f64,
            range: Interval { low: quantile(0.025), high: quantile(0.975) },
            p: (1 + as_good) as f64 / (1 + permutations) as f64,
            permutations,
        }
    }
}

/// Scores label permutations, for each measure of an evaluation.
///
/// ```
/// use clmatch::{Classes, Control, Labels, Points, chance, evaluate, measure};
/// let points: Vec<f64> = (0..60).map(|row| f64::from(row % 30 * 7 % 30) + f64::from(row / 30) * 20.0).collect();
/// let classes = Classes::new(Points::new(points, 1)?, &Labels::encode((0..60).map(|row| row / 30)))?;
/// let measures = [measure::find("sc_a").unwrap()];
/// let evaluation = evaluate(&classes, &measures)?;
/// let random = chance::random_labels(&classes, &measures, &evaluation, 99, 1, Control::none())?;
/// assert!(random[0].p == 0.01 && random[0].mean < 0.1);
/// # Ok::<(), clmatch::DataError>(())
/// ```
///
/// # Errors
/// No permutations, an evaluation that lacks one of the measures, or any error of [`evaluate_with`].
pub fn random_labels(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    evaluation: &Evaluation,
    permutations: usize,
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<Chance>, DataError> {
    if permutations == 0 {
        return Err(DataError::NoPermutations);
    }
    let of_labels = |measure: &&'static Measure| {
        evaluation.value(measure.id).ok_or(DataError::NotEvaluated { measure: measure.id })
    };
    let labels: Vec<f64> = measures.iter().map(of_labels).collect::<Result<_, _>>()?;
    let orders = Permutations::new(classes, permutations, seed, control)?;
    let evaluations = if classes.n_classes() <= MOST_CLASSES {
        let mut evaluations = together(classes, measures, &orders, control)?;
        decide_near_ties(classes, measures, &labels, &orders, &mut evaluations, control)?;
        evaluations
    } else {
        one_by_one(classes, measures, &orders, control)?
    };
    let of_measure = |(at, measure): (usize, &&'static Measure)| {
        let scores = evaluations.iter().map(|evaluation| evaluation.scores[at].1.value).collect();
        Chance::of(measure, labels[at], scores)
    };
    Ok(measures.iter().enumerate().map(of_measure).collect())
}

/// Recomputes permuted scores that are approximations and too close to the score of the labels to know which is higher.
///
/// Time: that of an evaluation for each permutation with such a score.
fn decide_near_ties(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    labels: &[f64],
    permutations: &Permutations,
    evaluations: &mut [Evaluation],
    control: Control<'_>,
) -> Result<(), DataError> {
    for (order, evaluation) in permutations.orders.iter().zip(evaluations) {
        let is_near = |at: usize| {
            let apart = (evaluation.scores[at].1.value - labels[at]).abs();
            // Scores that agree to many digits are ties already.
            let tie = TOLERANCE * labels[at].abs();
            tie < apart && apart <= doubt(measures[at], classes) * (1.0 + labels[at].abs())
        };
        let near: Vec<usize> = (0..measures.len()).filter(|&at| is_near(at)).collect();
        if near.is_empty() {
            continue;
        }
        let of_near: Vec<&'static Measure> = near.iter().map(|&at| measures[at]).collect();
        let permuted = Permutations::classes(classes, order);
        let exact = evaluate_with(&permuted, &of_near, false, control)?;
        for (at, score) in near.into_iter().zip(exact.scores) {
            evaluation.scores[at] = score;
        }
    }
    Ok(())
}

/// How far permuted scores of a measure may be off, relative to 1 + |score|.
fn doubt(measure: &Measure, classes: &Classes<'_>) -> f64 {
    let needs = measure.needs();
    let of_medians = MEDIAN_DOUBT / (classes.n_points() as f64).powf(1.5);
    let all = [
        (needs.has(Needs::SUMS), SUM_DOUBT),
        (needs.has(Needs::MEDIAN) && classes.n_classes() > 2, of_medians),
        (needs.has(Needs::KAPPA), SUM_DOUBT),
    ];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, doubt)| doubt).fold(0.0, f64::max)
}

/// Random orders of all points; the first points of an order get the first label, and so on.
struct Permutations {
    /// Places in class order; within each random class, rows are in ascending order.
    orders: Vec<Vec<u32>>,
}

impl Permutations {
    fn new(
        classes: &Classes<'_>,
        count: usize,
        seed: u64,
        control: Control<'_>,
    ) -> Result<Permutations, DataError> {
        let mut random = SplitMix::new(seed);
        let mut repeated = repeated_rows(classes, seed);
        let permuted = |_| {
            control.check()?;
            let mut order = vec![0; classes.n_points()];
            for RepeatedRows { copies, places, order: rows } in &mut repeated {
                random.shuffle(rows);
                let dealt = rows.iter().flat_map(|&row| &places[row as usize * *copies..][..*copies]);
                places.iter().zip(dealt).for_each(|(&place, &dealt)| order[place as usize] = dealt);
            }
            // The rows of a class must be in ascending order, but places of different classes need not be.
            let row = |&place: &u32| classes.order()[place as usize];
            (0..classes.n_classes()).for_each(|class| order[classes.range(class)].sort_unstable_by_key(row));
            Ok(order)
        };
        Ok(Permutations { orders: (0..count).map(permuted).collect::<Result<_, DataError>>()? })
    }

    fn classes<'a>(classes: &'a Classes<'_>, order: &[u32]) -> Classes<'a> {
        let rows = order.iter().map(|&place| classes.order()[place as usize]).collect();
        classes.regrouped(rows, classes.starts().to_vec())
    }
}

/// All rows that occur `copies` times.
struct RepeatedRows {
    copies: usize,
    /// The places of the copies, row after row.
    places: Vec<u32>,
    /// A random order of the rows.
    order: Vec<u32>,
}

/// The rows, grouped by how many copies they have. If no rows repeat, all of them count once.
///
/// Time: O(n (d + log n)). Memory: O(n).
fn repeated_rows(classes: &Classes<'_>, seed: u64) -> Vec<RepeatedRows> {
    let repeated = Groups::new(classes, seed).is_ok_and(|groups| groups.has_copies());
    let row = |place: u32| {
        let hash = || classes.hash_of_row(classes.order()[place as usize], seed);
        (if repeated { hash() } else { u64::from(place) }, place)
    };
    let mut places: Vec<(u64, u32)> = parallel::map_range(classes.n_points(), |place| row(place as u32));
    places.par_sort_unstable();
    let mut by_copies: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for copies in places.chunk_by(|a, b| a.0 == b.0) {
        by_copies.entry(copies.len()).or_default().extend(copies.iter().map(|&(_, place)| place));
    }
    let rows = |(copies, places): (usize, Vec<u32>)| {
        let order = (0..(places.len() / copies) as u32).collect();
        RepeatedRows { copies, places, order }
    };
    by_copies.into_iter().map(rows).collect()
}

/// Scores all permutations from the statistics that they share.
fn together(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    permutations: &Permutations,
    control: Control<'_>,
) -> Result<Vec<Evaluation>, DataError> {
    let shared = SharedStatistics::new(classes, checked_plan(classes, measures)?, control)?;
    let mut evaluations = Vec::with_capacity(permutations.orders.len());
    let done = AtomicUsize::new(0);
    for batch in permutations.orders.chunks(shared.at_once()) {
        let sums = shared.sums(batch, control)?;
        let score = |at: usize| {
            control.check()?;
            let (classes, statistics) = shared.permuted(&batch[at], at, &sums, control)?;
            let evaluation = evaluation_of(&statistics, &classes, measures, control)?;
            let scored = done.fetch_add(1, Ordering::Relaxed) + 1;
            control.report("random labels", scored, permutations.orders.len());
            Ok::<Evaluation, DataError>(evaluation)
        };
        evaluations.extend(parallel::try_map_range(batch.len(), score)?);
    }
    Ok(evaluations)
}

/// Scores all permutations, each on its own.
fn one_by_one(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    permutations: &Permutations,
    control: Control<'_>,
) -> Result<Vec<Evaluation>, DataError> {
    let orders = permutations.orders.iter();
    orders
        .map(|order| evaluate_with(&Permutations::classes(classes, order), measures, false, control))
        .collect()
}

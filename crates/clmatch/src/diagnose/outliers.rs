//! Points that are far from every class, compared with distances within the classes.
//!
//! ```text
//! z(x, k) = (log D(x, k) - median) / (q90 - median)
//! z(x)    = the least over all classes k, the larger one of two kinds of distance
//! ```
//!
//! where D(x, k) is the distance of x from the mean of class k without x, and median and 90% quantile are taken over the points
//! of class k that are likely to be of this class. For small classes the denominator is drawn towards that of all classes.
//! Distances are Euclidean and Mahalanobis'. A point whose 15 nearest points are far away as well is part of a cluster, not an
//! outlier: its z counts as 3 at most.

use clmatch_kernels::{parallel, quantile};

use super::class_distances::ClassDistances;
use super::evidence::{CandidateClasses, Surroundings, Vote};

/// A point whose z is above this is an outlier.
pub const OUTLIER: f64 = 3.0;

/// Points whose z is above this also lie outside every class.
const OUTSIDE: f64 = 2.0;
/// Points of a class count towards its quantiles if their labels are right with more than this probability.
const LIKELY: f64 = 0.5;
/// In the spread of its distances, this many points of a class weigh as much as all classes together.
const SMALL_CLASS: f64 = 20.0;
/// The smallest spread of the logarithms of distances: where all distances are equal, 3% more is far.
const LEAST_SPREAD: f64 = 0.01;
/// Distances below this share of the median count as equal to it, so that a distance of 0 has a logarithm.
const LEAST_DISTANCE: f64 = 1e-3;

/// z of every point, in class order. 0 if all points coincide.
///
/// Time: O(n C D) for C candidates per point. Memory: O(n).
pub(super) fn outliers(
    kinds: [&ClassDistances<'_>; 2],
    around: &Surroundings,
    starts: &[usize],
    right: &[f64],
) -> Vec<f64> {
    let [mut z, other] = kinds.map(|distances| of_kind(distances, &around.candidates, starts, right));
    z.iter_mut().zip(other).for_each(|(z, other)| *z = z.max(other));
    let in_cluster = |near: &Vec<Vote>| near.iter().all(|vote| z[vote.point as usize] > OUTSIDE);
    let of = |(&z, near): (&f64, &Vec<Vote>)| if z > OUTLIER && in_cluster(near) { OUTLIER } else { z };
    z.iter().zip(&around.votes).map(of).collect()
}

/// How distances from a class are distributed within it.
#[derive(Debug, Clone, Copy)]
struct ReferenceDistances {
    median: f64,
    spread: f64,
}

fn of_kind(
    distances: &ClassDistances<'_>,
    candidates: &CandidateClasses,
    starts: &[usize],
    right: &[f64],
) -> Vec<f64> {
    let n = right.len();
    let own = |point: usize| distances.square(point, distances.class_of(point)).sqrt();
    let own: Vec<f64> = parallel::map_range(n, own);
    let mut sorted = own.clone();
    sorted.sort_by(f64::total_cmp);
    let least = LEAST_DISTANCE * quantile(&sorted, 0.5).unwrap_or(0.0);
    let log = |distance: f64| distance.max(least).max(f64::MIN_POSITIVE).ln();
    let references = references(&own, starts, right, log);
    let z = |point: usize| {
        let of_class = |&class: &u32| {
            let class = class as usize;
            let ReferenceDistances { median, spread } = references[class]?;
            Some((log(distances.square(point, class).sqrt()) - median) / spread)
        };
        candidates.of(point).iter().filter_map(of_class).fold(f64::INFINITY, f64::min)
    };
    let z: Vec<f64> = parallel::map_range(n, z);
    // No class has a second point only where one of them has all others: never of validated classes.
    z.into_iter().map(|z| if z.is_finite() { z } else { 0.0 }).collect()
}

/// One reference for every class of at least 2 points.
fn references(
    own: &[f64],
    starts: &[usize],
    right: &[f64],
    log: impl Fn(f64) -> f64,
) -> Vec<Option<ReferenceDistances>> {
    let of_class = |bounds: &[usize]| {
        let points = bounds[0]..bounds[1];
        if points.len() < 2 {
            return None;
        }
        let likely = points.clone().filter(|&point| right[point] > LIKELY);
        let mut logs: Vec<f64> = likely.map(|point| log(own[point])).collect();
        if logs.len() < 2 {
            logs = points.map(|point| log(own[point])).collect();
        }
        logs.sort_by(f64::total_cmp);
        let median = quantile(&logs, 0.5)?;
        Some((logs.len() as f64, ReferenceDistances { median, spread: quantile(&logs, 0.9)? - median }))
    };
    let found: Vec<Option<(f64, ReferenceDistances)>> = starts.windows(2).map(of_class).collect();
    let count: f64 = found.iter().flatten().map(|(count, _)| count).sum();
    let mean_square =
        found.iter().flatten().map(|(size, of)| size * of.spread * of.spread).sum::<f64>() / count.max(1.0);
    let drawn = |(size, of): (f64, ReferenceDistances)| {
        let square = (size * of.spread * of.spread + SMALL_CLASS * mean_square) / (size + SMALL_CLASS);
        ReferenceDistances { spread: square.sqrt().max(LEAST_SPREAD), ..of }
    };
    found.into_iter().map(|found| found.map(drawn)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uses plain numbers instead of distances, without logarithms.
    #[test]
    fn references_by_hand() {
        let own = [7.0, 1.0, 3.0, 2.0, 4.0, 10.0, 5.0, 6.0, 8.0, 0.0, 5.0];
        let right = [1.0, 1.0, 1.0, 0.9, 0.6, 0.5, 0.2, 0.9, 0.3, 0.9, 0.1];
        let found = references(&own, &[0, 1, 3, 6, 9, 11], &right, |x| x);
        // One point alone; 1 and 3; 2 and 4, as 10 is as likely wrong as right; all of 5, 6 and 8; and both 0 and 5, of which
        // only one is likely right. The 90% quantile of two points lies .4 of their gap above the median, that of three lies .8
        // of the upper gap above it.
        assert!(found[0].is_none());
        let expected = [(2.0, 2.0, 0.8), (2.0, 3.0, 0.8), (3.0, 6.0, 1.6), (2.0, 2.5, 2.0)];
        let mean_square = (2.0 * 0.64 + 2.0 * 0.64 + 3.0 * 2.56 + 2.0 * 4.0) / 9.0;
        for (found, (size, median, spread)) in found[1..].iter().zip(expected) {
            let ReferenceDistances { median: found_median, spread: found_spread } = found.unwrap();
            let drawn: f64 = (size * spread * spread + 20.0 * mean_square) / (size + 20.0);
            assert_eq!(found_median, median);
            assert!((found_spread - drawn.sqrt()).abs() < 1e-12, "{found_spread} instead of {drawn}");
        }
    }
}

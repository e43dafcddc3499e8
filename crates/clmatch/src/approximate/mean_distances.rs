//! Measures that depend only on mean distances within and between classes, such as the adjusted Dunn index.
//!
//! The mean distance between two classes, estimated from drawn points x of one and y of the other:
//!
//! ```text
//! b' = mean over x of d(x, all of the other) + mean over y of d(y, all of the one) - mean over x, y of d(x, y)
//! ```
//!
//! The effects of x alone and of y alone cancel; the error is the mean of the residual
//! `r(x, y) = d(x, y) - d(x, all) - d(y, all) + b` over all drawn pairs, which are uncorrelated: it falls in proportion to the
//! size of the sample, not to its root. The mean distance within a class is estimated alike. Points chosen with certainty count
//! exactly. The change of a score is the sum in quadrature of its changes when each mean distance moves by its standard error.

use std::sync::Arc;

use clmatch_kernels::parallel;

use super::Estimated;
use super::sample::{ClassSample, PointSample};
use super::variance::Variance;
use crate::evaluate::views_of;
use crate::kernels::frame::Frame;
use crate::kernels::point_distances::ChosenPart;
use crate::kernels::squared_distance;
use crate::measure::{Measure, Scope};
use crate::statistics::{BaseStatistics, Statistics, View, pair_index};

/// Where `r(x, y)` is nearly a function of x times a function of y, its mean over all drawn pairs is nearly a product of two
/// normal numbers, whose tails are longer than those of a normal number: 95% of it lies within 2.18 standard errors, as for a
/// t-distribution with this many degrees of freedom.
const MOST_FREEDOM: f64 = 12.0;
/// The squares of such products are known from as many points, not from as many pairs, as were drawn. How many points are worth
/// one degree of freedom is taken from `cargo xtask coverage`: with 3, small samples cover moons too seldom.
const POINTS_A_DEGREE: f64 = 6.0;

/// Sums of distances between and within classes, with their standard errors.
pub(super) struct MeanDistances {
    statistics: Statistics,
    /// For `i <= j`, the errors of the sums that are not exact.
    errors: Vec<BlockError>,
}

/// The uncertainty of the sum of distances between two classes, or within one.
#[derive(Debug, Clone, Copy)]
struct BlockError {
    i: usize,
    j: usize,
    standard_error: f64,
    /// From how many pairs of points the error is effectively estimated: few if some are far larger than all others.
    freedom: f64,
}

impl MeanDistances {
    /// Time: O(m^2 d + n K) for m drawn points. Memory: O(K^2).
    pub(super) fn new(base: &Arc<BaseStatistics>, sample: &PointSample) -> Self {
        let count = sample.classes.len();
        let pairs: Vec<(usize, usize)> = (0..count).flat_map(|i| (i..count).map(move |j| (i, j))).collect();
        let blocks: Vec<(f64, BlockError)> =
            parallel::map(&pairs, |&(i, j)| SampledDistances { sample, i, j }.total(base.frame()));
        let mut totals = vec![0.0; count * count];
        let mut errors = Vec::new();
        for (&(i, j), (total, error)) in pairs.iter().zip(blocks) {
            totals[i * count + j] = total;
            totals[j * count + i] = total;
            if error.standard_error > 0.0 {
                errors.push(error);
            }
        }
        MeanDistances { statistics: Statistics::with_totals(base.clone(), totals), errors }
    }

    /// The score of a measure, with its error.
    pub(super) fn estimate(&mut self, measure: &Measure) -> Estimated {
        let scores = |statistics: &Statistics| -> Vec<f64> {
            views_of(statistics, measure).iter().map(|view| measure.definition.value(view)).collect()
        };
        let values = scores(&self.statistics);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let mut variance = Variance::default();
        let mut weighted = 0.0;
        for at in 0..self.errors.len() {
            let error = self.errors[at];
            let change = self.move_by_error(measure, error, &values);
            variance = variance.plus(Variance::new(change * change, error.freedom));
            weighted += change * change * error.freedom;
        }
        // Blocks that share a class share its drawn points, and so their errors: two classes contribute the freedom of one block.
        let shared = weighted / variance.value() * self.statistics.n_classes() as f64 / 2.0;
        let pairs = if measure.scope() == Scope::Pairs { values.clone() } else { Vec::new() };
        Estimated { value: mean(&values), pairs, error: variance.half_width_with(shared) }
    }

    /// How far the score moves when one mean distance moves up or down, whichever is more.
    fn move_by_error(&mut self, measure: &Measure, error: BlockError, values: &[f64]) -> f64 {
        let BlockError { i, j, standard_error, .. } = error;
        let count = self.statistics.n_classes();
        let needs = measure.needs();
        let score = |view: &View<'_>| measure.definition.value(view);
        let total = self.statistics.total(i, j);
        let mut largest = 0.0_f64;
        for moved in [total + standard_error, (total - standard_error).max(0.0)] {
            self.statistics.set_total(i, j, moved);
            let change = match measure.scope() {
                Scope::Dataset => score(&self.statistics.whole_with(needs)) - values[0],
                Scope::Pairs => {
                    let touched = (0..count).filter(|&other| other != i && (i == j || other == j));
                    let changes = touched.map(|other| {
                        let (a, b) = (i.min(other), i.max(other));
                        score(&self.statistics.pair_with(a, b, needs)) - values[pair_index(count, a, b)]
                    });
                    changes.sum::<f64>() / values.len() as f64
                }
            };
            largest = largest.max(change.abs());
        }
        self.statistics.set_total(i, j, total);
        largest
    }
}

/// The distances between the points of two classes, or within one class.
struct SampledDistances<'a> {
    sample: &'a PointSample,
    i: usize,
    j: usize,
}

impl SampledDistances<'_> {
    /// The sum over all ordered pairs of points, one from each class, and its error.
    fn total(&self, frame: &Frame) -> (f64, BlockError) {
        let (one, other) = (&self.sample.classes[self.i], &self.sample.classes[self.j]);
        // All pairs of which at least one end was chosen with certainty.
        let whole_rows: f64 = one.rows[..one.certain].iter().map(|row| row.sums[self.j]).sum();
        let rows_of_others: f64 = (0..other.certain)
            .map(|place| other.rows[place].sums[self.i] - self.certain(other, place, self.i))
            .sum();
        let known = whole_rows + rows_of_others;
        let (mean, error, freedom) = self.mean_of_rest(frame);
        let (a, b) = (one.rest() as f64, other.rest() as f64);
        let pairs = a * if self.i == self.j { b - 1.0 } else { b };
        let error = BlockError { i: self.i, j: self.j, standard_error: pairs * error, freedom };
        (known + pairs * mean, error)
    }

    /// The mean distance between points that were left to chance, its standard error, and the degrees of freedom of that error.
    fn mean_of_rest(&self, frame: &Frame) -> (f64, f64, f64) {
        let (one, other) = (&self.sample.classes[self.i], &self.sample.classes[self.j]);
        let within = self.i == self.j;
        if one.rest() == 0 || other.rest() == 0 || (within && one.rest() < 2) {
            return (0.0, 0.0, 1.0);
        }
        let of_one = self.row_means(one, self.j, other, within);
        let of_other = if within { of_one.clone() } else { self.row_means(other, self.i, one, false) };
        let mean = |means: &[f64]| means.iter().sum::<f64>() / means.len() as f64;
        let drawn_sum: f64 = (one.certain..one.rows.len()).map(|place| self.drawn(one, place, self.j)).sum();
        let (m, k) = (of_one.len() as f64, of_other.len() as f64);
        let drawn_pairs = m * if within { k - 1.0 } else { k };
        let middle = mean(&of_one) + mean(&of_other) - drawn_sum / drawn_pairs;
        let unseen = |class: &ClassSample| 1.0 - class.drawn() as f64 / class.rest() as f64;
        let unseen = unseen(one) * unseen(other);
        if unseen == 0.0 {
            return (middle, 0.0, 1.0);
        }
        let (squares, fourths) = self.residual_powers(frame, &of_one, &of_other, middle);
        // Within a class, each pair is seen from both ends but is one pair.
        let independent = if within { drawn_pairs / 2.0 } else { drawn_pairs };
        let variance = squares / (independent - 1.0) / independent * unseen;
        let cells = if fourths > 0.0 { squares * squares / fourths } else { 1.0 };
        let freedom = cells.min(MOST_FREEDOM).min(m.min(k) / POINTS_A_DEGREE);
        (middle, variance.sqrt(), freedom)
    }

    /// The mean distance of each drawn point to the points of a class that were left to chance.
    fn row_means(&self, from: &ClassSample, to: usize, other: &ClassSample, within: bool) -> Vec<f64> {
        let others = other.rest() as f64 - if within { 1.0 } else { 0.0 };
        let places = from.certain..from.rows.len();
        places.map(|place| (from.rows[place].sums[to] - self.certain(from, place, to)) / others).collect()
    }

    /// The sum of the distances from an examined point to the points that were chosen with certainty.
    fn certain(&self, class: &ClassSample, place: usize, to: usize) -> f64 {
        self.sample.columns.sums(class.order[place], to)[ChosenPart::Certain as usize]
    }

    /// The sum of the distances from an examined point to the points that were drawn.
    fn drawn(&self, class: &ClassSample, place: usize, to: usize) -> f64 {
        let parts = self.sample.columns.sums(class.order[place], to);
        parts[ChosenPart::First as usize] + parts[ChosenPart::Second as usize]
    }

    /// Sums of `r(x, y)^2` and `r(x, y)^4` over drawn pairs, each pair once.
    fn residual_powers(&self, frame: &Frame, of_one: &[f64], of_other: &[f64], middle: f64) -> (f64, f64) {
        let (one, other) = (&self.sample.classes[self.i], &self.sample.classes[self.j]);
        let row = |at: usize| {
            let x = frame.row(one.order[one.certain + at]);
            let first = if self.i == self.j { at + 1 } else { 0 };
            let square = |to: usize| {
                let y = frame.row(other.order[other.certain + to]);
                (squared_distance(x, y).sqrt() - of_one[at] - of_other[to] + middle).powi(2)
            };
            (first..of_other.len()).map(square).fold((0.0, 0.0), |sums, r2| (sums.0 + r2, sums.1 + r2 * r2))
        };
        // Collected in order, so that the sums are the same for any number of threads.
        let rows: Vec<(f64, f64)> = parallel::map_range(of_one.len(), row);
        rows.into_iter().fold((0.0, 0.0), |sums, row| (sums.0 + row.0, sums.1 + row.1))
    }
}

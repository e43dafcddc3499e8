//! Measures that are a mean over points of a bounded quantity, such as silhouettes.
//!
//! The columns of the sample give approximate mean distances of *every* point to each class, and so an estimate `t'(x)` of the
//! contribution of each point. Drawn points are used only for the mean of the difference from the truth:
//!
//! ```text
//! sum of t over a class = sum over looked at  t(x) + sum over the others  t'(x) + (others) x mean over drawn  (t - t')
//! ```
//!
//! `t'` uses the distances to one half of the sample, and the difference uses the points of the other half, so that the two are
//! independent; then the halves change places, and the mean is taken. What is rare but present is in `t'`, and the difference is
//! small: the error falls in proportion to the size of the sample, not to its root.
//!
//! The two halves mostly see the same distances from both ends. Their errors are treated as fully dependent, which overstates the
//! error by at most a factor of 1.4.

use std::sync::Arc;

use super::Estimated;
use super::sample::{ClassSample, PointSample};
use super::variance::Variance;
use crate::evaluate::views_of;
use crate::kernels::pairs::DistanceTables;
use crate::kernels::point_distances::ChosenPart;
use crate::measure::{Measure, Scope};
use crate::statistics::{BaseStatistics, Statistics, View};

/// The two halves of a sample in both roles: the first of each pair gives the estimates, the second the differences.
const HALVES: [(ChosenPart, ChosenPart); 2] =
    [(ChosenPart::First, ChosenPart::Second), (ChosenPart::Second, ChosenPart::First)];

/// What the sample says about the distances of all points.
pub(super) struct PointMeans<'a> {
    sample: &'a PointSample,
    /// Exact statistics of the points that were examined.
    known: Statistics,
    /// Statistics of all points, estimated from either half.
    estimated: [Statistics; 2],
}

impl<'a> PointMeans<'a> {
    /// Time and memory: O(n K).
    pub(super) fn new(base: &Arc<BaseStatistics>, sample: &'a PointSample) -> Self {
        let estimated = HALVES.map(|(from, _)| {
            let distances =
                DistanceTables { sums: estimated_sums(sample, from), ..DistanceTables::default() };
            Statistics::with_distances(base.clone(), distances, base.starts.clone())
        });
        PointMeans { sample, known: known(base, sample), estimated }
    }

    /// The score of a measure, with its error.
    pub(super) fn estimate(&self, measure: &Measure) -> Estimated {
        let count = self.sample.classes.len();
        let mut drafts: Vec<Draft> = self.sample.classes.iter().map(Draft::new).collect();
        let views = views_of(&self.known, measure);
        let shadows = [0, 1].map(|half| views_of(&self.estimated[half], measure));
        let mut pairs = Vec::new();
        for (at, view) in views.iter().enumerate() {
            let mut means = 0.0;
            for &class in view.members() {
                let weight = match measure.scope() {
                    Scope::Dataset => view.size(class) / view.n(),
                    Scope::Pairs => 1.0 / (2.0 * views.len() as f64),
                };
                let shadows = [&shadows[0][at], &shadows[1][at]];
                means += self.add_class(&mut drafts[class], measure, view, shadows, class, weight) / 2.0;
            }
            pairs.push(means);
        }
        if measure.scope() == Scope::Dataset {
            pairs.clear();
        }
        let value = drafts.iter().map(|draft| draft.value).sum();
        let error = (0..count).fold(Variance::default(), |sum, class| {
            sum.plus(drafts[class].variance(&self.sample.classes[class]))
        });
        Estimated { value, pairs, error: error.half_width() }
    }

    /// Adds the mean of a measure over the points of a class, with a weight; returns the mean.
    fn add_class(
        &self,
        draft: &mut Draft,
        measure: &Measure,
        view: &View<'_>,
        shadows: [&View<'_>; 2],
        class: usize,
        weight: f64,
    ) -> f64 {
        let Some(of_class) = measure.point_scores else { return 0.0 };
        let sample = &self.sample.classes[class];
        let exact = of_class(view, class);
        let start = self.known_start(class);
        let mean = if sample.is_complete() {
            exact.iter().sum::<f64>() / exact.len() as f64
        } else {
            let means = [0, 1].map(|half| {
                draft.add_half(sample, &exact, &of_class(shadows[half], class), start, half, weight)
            });
            (means[0] + means[1]) / 2.0
        };
        draft.value += weight * mean;
        mean
    }

    /// The first point of a class.
    fn known_start(&self, class: usize) -> usize {
        self.estimated[0].starts()[class]
    }
}

/// The contribution of one class to a score.
struct Draft {
    value: f64,
    /// Differences between truth and estimate at the drawn points of either half, summed over views.
    differences: [Vec<f64>; 2],
}

impl Draft {
    fn new(sample: &ClassSample) -> Self {
        let count = |part| (0..sample.rows.len()).filter(|&place| sample.part(place) == part).count();
        Draft { value: 0.0, differences: HALVES.map(|(_, judge)| vec![0.0; count(judge)]) }
    }

    /// Adds the mean over the class, with estimates from one half and differences from the other.
    fn add_half(
        &mut self,
        sample: &ClassSample,
        exact: &[f64],
        estimated: &[f64],
        start: usize,
        half: usize,
        weight: f64,
    ) -> f64 {
        let (from, judge) = HALVES[half];
        let estimate = |place: usize| estimated[sample.order[place] - start];
        let mut known = 0.0;
        let mut difference = 0.0;
        let mut judged = 0;
        for (place, &value) in exact.iter().enumerate() {
            let part = sample.part(place);
            if part == judge {
                difference += value - estimate(place);
                self.differences[half][judged] += weight * (value - estimate(place));
                judged += 1;
            } else if part == from || part == ChosenPart::Certain {
                known += value;
            }
        }
        let unknown = |&place: &usize| place >= exact.len() || sample.part(place) == judge;
        let places = (0..sample.size()).filter(unknown);
        let (sum, count) =
            places.fold((0.0, 0_usize), |(sum, count), place| (sum + estimate(place), count + 1));
        (known + sum + count as f64 * difference / judged as f64) / sample.size() as f64
    }

    /// The variance of the class's contribution: the mean of the variances of the halves.
    fn variance(&self, sample: &ClassSample) -> Variance {
        if sample.is_complete() {
            return Variance::default();
        }
        let size = sample.size() as f64;
        let of_half = |differences: &[f64]| {
            let judged = differences.len() as f64;
            let unknown = (sample.rest() - (sample.drawn() - differences.len())) as f64;
            let mean = differences.iter().sum::<f64>() / judged;
            let squares = differences.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            (unknown / size).powi(2) * squares / (judged - 1.0) * (1.0 / judged - 1.0 / unknown)
        };
        let value = (of_half(&self.differences[0]) + of_half(&self.differences[1])) / 2.0;
        let freedom = (self.differences[0].len() - 1).max(1) as f64;
        Variance::new(value, freedom)
    }
}

/// The exact distances of the points that were examined.
pub(super) fn known(base: &Arc<BaseStatistics>, sample: &PointSample) -> Statistics {
    let mut distances = DistanceTables::default();
    let mut seen = vec![0];
    for class in &sample.classes {
        for row in &class.rows {
            distances.sums.extend(&row.sums);
            distances.nearest.extend(&row.nearest);
        }
        seen.push(seen[seen.len() - 1] + class.rows.len());
    }
    Statistics::with_distances(base.clone(), distances, seen)
}

/// n x K: the sums of distances of all points to each class, estimated from one half of the sample.
fn estimated_sums(sample: &PointSample, half: ChosenPart) -> Vec<f64> {
    let points: usize = sample.classes.iter().map(ClassSample::size).sum();
    let count = sample.classes.len();
    let mut sums = Vec::with_capacity(points * count);
    let drawn: Vec<f64> = sample
        .classes
        .iter()
        .map(|class| {
            (class.certain..class.rows.len()).filter(|&place| class.part(place) == half).count() as f64
        })
        .collect();
    let mut point = 0;
    for (own, of_own) in sample.classes.iter().enumerate() {
        for _ in 0..of_own.size() {
            for (class, other) in sample.classes.iter().enumerate() {
                let parts = sample.columns.sums(point, class);
                sums.push(if other.is_complete() {
                    parts.iter().sum()
                } else {
                    // A point is not compared with itself.
                    let others = other.rest() as f64 - if class == own { 1.0 } else { 0.0 };
                    parts[ChosenPart::Certain as usize] + parts[half as usize] * others / drawn[class]
                });
            }
            point += 1;
        }
    }
    sums
}

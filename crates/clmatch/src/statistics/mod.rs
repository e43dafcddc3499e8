//! Statistics of a dataset, computed once, and the [`View`]s of them that measures are defined on.

mod base;
mod view;

pub use self::view::View;

pub(crate) use self::base::{BaseStatistics, KnownOfSets};

use std::sync::Arc;

use clmatch_kernels::trees::Tree;
use clmatch_kernels::{Control, Stopped};

use crate::classes::Classes;
use crate::kernels::frame::Frame;
use crate::kernels::pairs::{self, DistanceTables, NEAREST, PairwiseRequest, Rows};
use crate::needs::{Needs, Plan};
use base::SetStatistics;

/// Everything that measures need to know about a dataset.
#[derive(Debug, Clone)]
pub struct Statistics {
    base: Arc<BaseStatistics>,
    distances: DistanceTables,
    /// Where each class starts in the tables of distances, which have fewer rows than there are points if they are from a sample.
    seen: Vec<usize>,
    /// K x K: sums of distances between (or within) classes, over ordered pairs.
    totals: Vec<f64>,
}

/// Squared distances below this share of the total scatter of a set count as 0.
pub(crate) const TOUCHING: f64 = 1e-12;

impl Statistics {
    /// Computes the statistics of the plan.
    ///
    /// Time: O(n d K) for moments, O(n^2 d) if distances or trees are needed. Memory: O(n (d + K)).
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub fn compute(classes: &Classes<'_>, plan: Plan, control: Control<'_>) -> Result<Statistics, Stopped> {
        Statistics::complete(
            Arc::new(BaseStatistics::compute(classes, plan, control, control)?),
            plan,
            control,
        )
    }

    /// Computes the statistics of the plan, and returns the spanning tree of every pair of classes, in the order of
    /// [`Classes::pairs`], whose points are rows of the [`Statistics::frame`].
    ///
    /// Memory: O(n K) for the trees.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(crate) fn compute_with_trees(
        classes: &Classes<'_>,
        plan: Plan,
        control: Control<'_>,
    ) -> Result<(Statistics, Vec<Tree>), Stopped> {
        let mut trees = Vec::new();
        let base = BaseStatistics::compute_keeping(classes, plan, control, control, Some(&mut trees))?;
        Ok((Statistics::complete(Arc::new(base), plan, control)?, trees))
    }

    /// Adds the distances between all points.
    pub(crate) fn complete(
        base: Arc<BaseStatistics>,
        plan: Plan,
        control: Control<'_>,
    ) -> Result<Statistics, Stopped> {
        let needs = plan.any();
        let distances = if needs.any_distance() {
            let request = PairwiseRequest {
                sums: needs.has(Needs::SUMS),
                nearest: needs.has(Needs::NEAREST),
                extremes: needs.has(Needs::EXTREMES),
            };
            let frame = base.frame();
            let sweep =
                |rows: Rows<'_>| pairs::all_pairs(rows, frame.features, &frame.starts, request, control);
            frame.with_rows(request, sweep)?
        } else {
            DistanceTables::default()
        };
        let seen = base.starts.clone();
        Ok(Statistics::with_distances(base, distances, seen))
    }

    /// The squared distance of each point, in class order, to the nearest other point; empty unless the plan includes neighbours.
    pub(crate) fn nearest_squares(&self) -> Vec<f64> {
        let of_point =
            |classes: &[f64]| classes.iter().step_by(NEAREST).copied().fold(f64::INFINITY, f64::min);
        self.distances.nearest.chunks_exact(self.n_classes() * NEAREST).map(of_point).collect()
    }

    /// Takes distances from some points, in class order, to all points.
    pub(crate) fn with_distances(
        base: Arc<BaseStatistics>,
        distances: DistanceTables,
        seen: Vec<usize>,
    ) -> Statistics {
        let totals = class_totals(&distances.sums, &seen);
        Statistics { base, distances, seen, totals }
    }

    /// Takes sums of distances between and within classes, K x K, or none.
    pub(crate) fn with_totals(base: Arc<BaseStatistics>, totals: Vec<f64>) -> Statistics {
        let seen = base.starts.clone();
        Statistics { base, distances: DistanceTables::default(), seen, totals }
    }

    /// Turns the distances between these points, which are a sample, into statistics of all points, whose moments are in `base`.
    ///
    /// A sum of distances to m of n points of a class is multiplied by n/m, or by (n - 1)/(m - 1) within the class of the point
    /// itself; medians, trees and neighbours are those of the sample.
    pub(crate) fn stand_for(self, mut base: BaseStatistics) -> Statistics {
        let count = self.n_classes();
        let sample = self.base.as_ref();
        let (length, sizes) = (sample.unit / base.unit, |starts: &[usize]| -> Vec<f64> {
            starts.windows(2).map(|bounds| (bounds[1] - bounds[0]) as f64).collect()
        });
        for (to, from) in base.pairs.iter_mut().zip(&sample.pairs) {
            to.median = from.median.map(|median| median * length);
            to.kappa = from.kappa;
        }
        if let (Some(to), Some(from)) = (&mut base.whole, &sample.whole) {
            to.median = from.median.map(|median| median * length);
            (to.kappa, to.lambda) = (from.kappa, from.lambda);
        }
        base.distance_rounding = sample.distance_rounding;
        let (all, seen) = (sizes(&base.starts), sizes(&self.seen));
        let factor = |from: usize, to: usize| {
            let own = if from == to && all[to] > 1.0 { 1.0 } else { 0.0 };
            length * (all[to] - own) / (seen[to] - own)
        };
        let mut distances = self.distances;
        if !distances.sums.is_empty() {
            for (class, bounds) in self.seen.windows(2).enumerate() {
                let factors: Vec<f64> = (0..count).map(|to| factor(class, to)).collect();
                for row in distances.sums[bounds[0] * count..bounds[1] * count].chunks_exact_mut(count) {
                    row.iter_mut().zip(&factors).for_each(|(sum, factor)| *sum *= factor);
                }
            }
        }
        let squares = [&mut distances.nearest, &mut distances.separation, &mut distances.diameter];
        squares.into_iter().flatten().for_each(|square| *square *= length * length);
        let mut statistics = Statistics::with_distances(Arc::new(base), distances, self.seen);
        for (class, totals) in statistics.totals.chunks_exact_mut(count).enumerate() {
            totals.iter_mut().for_each(|total| *total *= all[class] / seen[class]);
        }
        statistics
    }

    /// Sum of the distances between two classes, or within one.
    pub(crate) fn total(&self, i: usize, j: usize) -> f64 {
        self.totals[i * self.n_classes() + j]
    }

    /// Sets the sum of the distances between two classes, or within one.
    pub(crate) fn set_total(&mut self, i: usize, j: usize, total: f64) {
        let count = self.n_classes();
        self.totals[i * count + j] = total;
        self.totals[j * count + i] = total;
    }

    /// The copy of the points, class after class.
    ///
    /// # Panics
    /// If the plan has no use for the copy.
    pub(crate) fn frame(&self) -> &Frame {
        self.base.frame()
    }

    /// The smallest squared distances from a point, by its row in the frame, to other points of a class, ascending.
    ///
    /// # Panics
    /// If the plan does not include neighbours.
    pub(crate) fn nearest(&self, point: usize, class: usize) -> &[f64] {
        let start = (point * self.n_classes() + class) * pairs::NEAREST;
        &self.distances.nearest[start..start + pairs::NEAREST]
    }

    /// Where each class starts among all points, followed by the end of the last.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.base.starts
    }

    /// The whole dataset as one set, with everything that the plan includes.
    ///
    /// # Panics
    /// If the plan does not include it.
    pub fn whole(&self) -> View<'_> {
        self.whole_with(self.base.plan.whole.unwrap_or_default())
    }

    /// The whole dataset as one set, with some of what the plan includes.
    ///
    /// # Panics
    /// If the plan does not include it.
    pub(crate) fn whole_with(&self, needs: Needs) -> View<'_> {
        let set = self.base.whole.as_ref().expect("the plan asked for the whole dataset");
        assert!(self.base.plan.whole.is_some_and(|all| all.has(needs)), "{needs:?} are not in the plan");
        View::new(self, set, (0..self.n_classes()).collect(), needs)
    }

    /// The pair of classes `i < j`, with everything that the plan includes.
    ///
    /// # Panics
    /// If the plan does not include pairs, or there is no such pair.
    pub fn pair(&self, i: usize, j: usize) -> View<'_> {
        self.pair_with(i, j, self.base.plan.pairs.unwrap_or_default())
    }

    /// The pair of classes `i < j`, with some of what the plan includes.
    ///
    /// # Panics
    /// If the plan does not include it, or there is no such pair.
    pub(crate) fn pair_with(&self, i: usize, j: usize, needs: Needs) -> View<'_> {
        assert!(self.base.plan.pairs.is_some_and(|all| all.has(needs)), "{needs:?} are not in the plan");
        let set = &self.base.pairs[pair_index(self.n_classes(), i, j)];
        View::new(self, set, vec![i, j], needs)
    }

    /// How many classes there are.
    pub fn n_classes(&self) -> usize {
        self.base.starts.len() - 1
    }
}

/// Sums the rows of each class in an n x K table.
fn class_totals(sums: &[f64], starts: &[usize]) -> Vec<f64> {
    let count = starts.len() - 1;
    let mut totals = vec![0.0; count * count];
    for (class, bounds) in starts.windows(2).enumerate() {
        let total = &mut totals[class * count..(class + 1) * count];
        for row in sums.chunks_exact(count).skip(bounds[0]).take(bounds[1] - bounds[0]) {
            total.iter_mut().zip(row).for_each(|(total, sum)| *total += sum);
        }
    }
    totals
}

/// The place of a pair `i < j` among all pairs of `count` classes, in the order of [`Classes::pairs`].
///
/// # Panics
/// If there is no such pair: the place would be that of another pair.
pub(crate) fn pair_index(count: usize, i: usize, j: usize) -> usize {
    assert!(i < j && j < count, "classes {i} and {j} of {count} are no pair i < j");
    i * count - i * (i + 1) / 2 + (j - i - 1)
}

#[cfg(test)]
mod tests;

//! How a measure sees the statistics.

use super::{SetStatistics, Statistics};
use crate::kernels::moments::ClassMoments;
use crate::kernels::pairs::NEAREST;
use crate::kernels::shuffle::Relabelling;
use crate::needs::Needs;

/// A squared length below this share of the scatter that it was computed from is rounding, and counts as 0.
const ROUNDING: f64 = 1e-26;

/// A set of classes, with the symbols of the formulas as methods: this is what measures are defined on.
///
/// Lengths are in the view's own unit, see [`View::unit`]. A method panics if the measure does not declare its statistic, even if
/// that was computed for another measure: a view never returns a wrong number.
#[derive(Debug, Clone)]
pub struct View<'a> {
    statistics: &'a Statistics,
    set: &'a SetStatistics,
    members: Vec<usize>,
    /// The statistics that the measure declares.
    granted: Needs,
}

impl<'a> View<'a> {
    pub(super) fn new(
        statistics: &'a Statistics,
        set: &'a SetStatistics,
        members: Vec<usize>,
        granted: Needs,
    ) -> Self {
        View { statistics, set, members, granted }
    }
}

impl View<'_> {
    /// Panics if the measure does not declare a statistic.
    #[track_caller]
    fn require(&self, need: Needs) {
        assert!(self.granted.has(need), "{need:?} are read but not among the declared {:?}", self.granted);
    }

    /// The two classes of a pair.
    ///
    /// # Panics
    /// If the set has more than two classes.
    pub fn two_classes(&self) -> (usize, usize) {
        match self.members[..] {
            [i, j] => (i, j),
            _ => panic!("two classes are compared, not {}", self.members.len()),
        }
    }

    /// The classes of the set.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// All pairs of classes of the set.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.members
            .iter()
            .enumerate()
            .flat_map(|(at, &i)| self.members[at + 1..].iter().map(move |&j| (i, j)))
    }

    /// `K`: how many classes the set has.
    pub fn k(&self) -> f64 {
        self.members.len() as f64
    }

    /// `N`: how many points the set has.
    pub fn n(&self) -> f64 {
        self.members.iter().map(|&class| self.size(class)).sum()
    }

    /// `n_i`: how many points a class has.
    pub fn size(&self, class: usize) -> f64 {
        (self.statistics.base.starts[class + 1] - self.statistics.base.starts[class]) as f64
    }

    /// The factor that converts a length of the view into the [unit](crate::Points::unit) of the points.
    pub fn unit(&self) -> f64 {
        self.statistics.base.unit
    }

    /// `T`: mean squared distance to the centroid of the set.
    pub fn total(&self) -> f64 {
        self.set.spread.total
    }

    /// `V_i`: mean squared distance of class i to its own centroid. 0 where it is rounding compared with that of the set, as `s2`
    /// is there.
    pub fn variance(&self, class: usize) -> f64 {
        let variance = self.statistics.base.moments.variances[class];
        if variance <= ROUNDING * self.total() { 0.0 } else { variance }
    }

    /// `W`: mean squared distance of all points to the centroids of their classes, however far apart the classes are.
    pub fn within(&self) -> f64 {
        let variances = &self.statistics.base.moments.variances;
        self.members.iter().map(|&class| self.size(class) * variances[class]).sum::<f64>() / self.n()
    }

    /// `D`: squared distance between the centroids of two classes. Whether it counts as rounding depends on the extent of these
    /// two classes alone, however far away others are.
    pub fn gap(&self, i: usize, j: usize) -> f64 {
        let ClassMoments { variances, gaps, .. } = &self.statistics.base.moments;
        let gap = gaps[i * self.statistics.n_classes() + j];
        if gap <= ROUNDING * (variances[i] + variances[j]) { 0.0 } else { gap }
    }

    /// `B`: mean squared distance of the class centroids to the centroid of the set, weighted by class size; computed as the sum
    /// over pairs of `n_i n_j D / N^2`, which does not subtract.
    pub fn between(&self) -> f64 {
        let n = self.n();
        self.pairs().map(|(i, j)| self.size(i) / n * (self.size(j) / n) * self.gap(i, j)).sum()
    }

    /// `s2`: standard deviation of the squared distances to the centroid of the set.
    pub fn s2(&self) -> f64 {
        let s2 = self.set.spread.s2;
        if s2 <= ROUNDING.sqrt() * self.total() { 0.0 } else { s2 }
    }

    /// `s1`: standard deviation of the distances to the centroid of the set.
    pub fn s1(&self) -> f64 {
        self.require(Needs::ROOTS);
        let s1 = self.set.spread.s1;
        if s1 <= ROUNDING.sqrt() * self.set.spread.radius { 0.0 } else { s1 }
    }

    /// Mean distance to the centroid of the set.
    pub fn radius(&self) -> f64 {
        self.require(Needs::ROOTS);
        self.set.spread.radius
    }

    /// `S_i`: mean distance of class i to its own centroid.
    pub fn class_radius(&self, class: usize) -> f64 {
        self.require(Needs::ROOTS);
        self.statistics.base.moments.radii[class]
    }

    /// `a_i`: mean distance between two different points of class i.
    pub fn mean_within(&self, class: usize) -> f64 {
        let n = self.size(class);
        if n < 2.0 { 0.0 } else { self.distance_total(class, class) / (n * (n - 1.0)) }
    }

    /// `b`: mean distance between a point of class i and one of class j.
    pub fn mean_between(&self, i: usize, j: usize) -> f64 {
        self.distance_total(i, j) / (self.size(i) * self.size(j))
    }

    /// `p`: mean distance between two different points of the set.
    pub fn mean_distance(&self) -> f64 {
        let inside = |i| self.members.iter().map(move |&j| self.distance_total(i, j)).sum::<f64>();
        self.members.iter().map(|&i| inside(i)).sum::<f64>() / (self.n() * (self.n() - 1.0))
    }

    /// `g`: mean distance to the geometric median of the set.
    pub fn median_radius(&self) -> f64 {
        self.require(Needs::MEDIAN);
        self.set.median.expect("medians were computed")
    }

    /// Smallest distance between points of two classes of the set.
    pub fn separation(&self) -> f64 {
        self.require(Needs::EXTREMES);
        let table = &self.statistics.distances.separation;
        let between = self.pairs().map(|(i, j)| table[i * self.statistics.n_classes() + j]);
        between.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Largest distance within a class of the set.
    pub fn diameter(&self) -> f64 {
        self.require(Needs::EXTREMES);
        let table = &self.statistics.distances.diameter;
        self.members.iter().map(|&class| table[class]).fold(0.0, f64::max).sqrt()
    }

    /// `eta` of a pair: the share of the variance of `u` that lies between the two classes, or 0 where their means lie on the
    /// wrong sides. `u(x) = h_i(x) - h_j(x)`, and `h_c(x)` is Hartigan's cost `n/(n - 1) |x - c|^2` of keeping x in its class
    /// with n points and centroid c, or `n/(n + 1) |x - c|^2` of moving it there.
    pub fn eta(&self) -> f64 {
        self.require(Needs::ETA);
        self.set.eta.expect("eta is that of a pair")
    }

    /// `kappa`: the largest adjusted Rand index of the classes with the clusters of any cut of the set's minimum spanning tree,
    /// at least 0. All clusters of a single point count as one cluster; cuts lie between lengths whose squares differ by more
    /// than 1e-9 of them, and squares below 1e-12 of the total scatter count as 0.
    pub fn kappa(&self) -> f64 {
        self.require(Needs::KAPPA);
        self.set.kappa.expect("trees were computed")
    }

    /// `lambda` of the whole dataset: the adjusted Rand index, at least 0, of the classes with those that their points are in
    /// after at most 60 rounds, in each of which every point moves to the class with the least of Hartigan's costs, see
    /// [`View::eta`].
    pub fn lambda(&self) -> f64 {
        self.require(Needs::LAMBDA);
        self.set.lambda.expect("lambda is that of the whole dataset")
    }

    /// The points of a class, as rows of the tables of distances: all of them, or a sample.
    pub fn points(&self, class: usize) -> std::ops::Range<usize> {
        self.statistics.seen[class]..self.statistics.seen[class + 1]
    }

    /// `P(x, j)`: sum of the distances from a point to a class.
    pub fn distance_sum(&self, point: usize, class: usize) -> f64 {
        self.require(Needs::SUMS);
        self.statistics.distances.sums[point * self.statistics.n_classes() + class]
    }

    /// The largest relative error of distances and of their sums.
    pub fn distance_rounding(&self) -> f64 {
        assert!(self.granted.any_distance(), "no distances are among the declared {:?}", self.granted);
        self.statistics.base.distance_rounding
    }

    /// The smallest squared distances from a point to other points of a class, ascending.
    pub fn nearest(&self, point: usize, class: usize) -> &[f64] {
        self.require(Needs::NEAREST);
        let start = (point * self.statistics.n_classes() + class) * NEAREST;
        &self.statistics.distances.nearest[start..start + NEAREST]
    }

    /// The smallest squared distances from a point to other points of each class of the dataset, ascending within each class.
    pub(crate) fn all_nearest(&self, point: usize) -> &[f64] {
        self.require(Needs::NEAREST);
        let width = self.statistics.n_classes() * NEAREST;
        &self.statistics.distances.nearest[point * width..(point + 1) * width]
    }

    /// Random relabellings of the set.
    pub fn relabellings(&self) -> &[Relabelling] {
        self.require(Needs::SHUFFLES);
        &self.set.relabellings
    }

    /// The fixed value of two classes without extent: 1 if they are apart, 0 if they coincide. `None` for any other set.
    pub fn point_like(&self) -> Option<f64> {
        match self.members[..] {
            [i, j] if self.variance(i) == 0.0 && self.variance(j) == 0.0 => {
                Some(if self.gap(i, j) > 0.0 { 1.0 } else { 0.0 })
            }
            _ => None,
        }
    }

    /// Sum of the distances from class i to class j.
    fn distance_total(&self, i: usize, j: usize) -> f64 {
        self.require(Needs::SUMS);
        self.statistics.total(i, j)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::Plan;
    use crate::{Classes, Control, Labels, Points};

    /// Statistics with `eta`, of two classes.
    fn statistics() -> Statistics {
        let points = Points::new(&[0.0, 0.1, 5.0, 5.3], 1).unwrap();
        let classes = Classes::new(points, &Labels::encode([0, 0, 1, 1])).unwrap();
        Statistics::compute(&classes, Plan::pairs(Needs::ETA), Control::none()).unwrap()
    }

    #[test]
    fn what_a_measure_declares_is_there() {
        let statistics = statistics();
        assert!(statistics.pair_with(0, 1, Needs::ETA).eta() > 0.9);
        assert!(statistics.pair_with(0, 1, Needs::MOMENTS).total() > 0.0);
    }

    #[test]
    #[should_panic(expected = "not among the declared")]
    fn what_a_measure_does_not_declare_is_refused() {
        statistics().pair_with(0, 1, Needs::MOMENTS).eta();
    }
}

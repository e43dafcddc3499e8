//! Statistics of a dataset, computed once, and [`View`]s of them on which measures are defined.

use std::sync::Arc;

use rayon::prelude::*;

use crate::classes::Classes;
use crate::kernels::frame::Frame;
use crate::kernels::median;
use crate::kernels::moments::{self, ClassMoments, Spread};
use crate::kernels::pairs::{self, DistanceTables, NEAREST, Sweep};
use crate::kernels::shuffle::{self, Relabelling};
use crate::kernels::stream::{self, Moments, Origin, Wanted};
use crate::needs::{Needs, Plan};

/// A squared length below this share of the scatter that it was computed from is rounding, and counts as 0.
const ROUNDING: f64 = 1e-26;

/// Everything that measures ask of a dataset.
#[derive(Debug, Clone)]
pub struct Statistics {
    base: Arc<Base>,
    distances: DistanceTables,
    /// Where each class starts in the tables of distances: fewer rows than points where they are a sample.
    seen: Vec<usize>,
    /// K x K: sums of distances between (or within) classes, ordered pairs.
    totals: Vec<f64>,
}

/// What can be known without comparing all points with each other.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    pub(crate) starts: Vec<usize>,
    /// That of the origin, in the unit of the points.
    unit: f64,
    moments: ClassMoments,
    whole: Option<SetStatistics>,
    pairs: Vec<SetStatistics>,
    /// A copy of the points, where something must compare them.
    frame: Option<Frame>,
}

/// Statistics of one set: the whole dataset or a pair of classes.
#[derive(Debug, Clone)]
struct SetStatistics {
    spread: Spread,
    median: f64,
    eta: f64,
    relabellings: Vec<Relabelling>,
}

impl Statistics {
    /// Computes what the plan asks for.
    ///
    /// Time: O(n d K) for moments, O(n^2 d) if distances are needed. Memory: O(n (d + K)).
    pub fn compute(classes: &Classes<'_>, plan: Plan) -> Statistics {
        Statistics::complete(Arc::new(Base::compute(classes, plan)), plan)
    }

    /// Adds the distances between all points.
    pub(crate) fn complete(base: Arc<Base>, plan: Plan) -> Statistics {
        let needs = plan.any();
        let distances = if needs.any_distance() {
            let sweep = Sweep {
                sums: needs.has(Needs::SUMS),
                nearest: needs.has(Needs::NEAREST),
                extremes: needs.has(Needs::EXTREMES),
            };
            let frame = base.frame();
            frame.with_rows(sweep, |rows| pairs::all_pairs(rows, frame.features, &frame.starts, sweep))
        } else {
            DistanceTables::default()
        };
        let seen = base.starts.clone();
        Statistics::with_distances(base, distances, seen)
    }

    /// Takes distances from some points, in class order, to all points.
    pub(crate) fn with_distances(base: Arc<Base>, distances: DistanceTables, seen: Vec<usize>) -> Statistics {
        let totals = class_totals(&distances.sums, &seen);
        Statistics { base, distances, seen, totals }
    }

    /// Takes sums of distances between and within classes, K x K, or none.
    pub(crate) fn with_totals(base: Arc<Base>, totals: Vec<f64>) -> Statistics {
        let seen = base.starts.clone();
        Statistics { base, distances: DistanceTables::default(), seen, totals }
    }

    /// Sum of the distances between two classes, or within one.
    pub(crate) fn total(&self, i: usize, j: usize) -> f64 {
        self.totals[i * self.count() + j]
    }

    /// Changes the sum of the distances between two classes, or within one.
    pub(crate) fn set_total(&mut self, i: usize, j: usize, total: f64) {
        let count = self.count();
        self.totals[i * count + j] = total;
        self.totals[j * count + i] = total;
    }

    /// Where each class starts among all points, and the end.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.base.starts
    }

    /// The whole dataset as one set.
    ///
    /// # Panics
    /// If the plan did not ask for it.
    pub fn whole(&self) -> View<'_> {
        let set = self.base.whole.as_ref().expect("the plan asked for the whole dataset");
        View { statistics: self, set, members: (0..self.count()).collect() }
    }

    /// The pair of classes `i < j`.
    ///
    /// # Panics
    /// If the plan did not ask for pairs.
    pub fn pair(&self, i: usize, j: usize) -> View<'_> {
        let count = self.count();
        let index = i * count - i * (i + 1) / 2 + (j - i - 1);
        View { statistics: self, set: &self.base.pairs[index], members: vec![i, j] }
    }

    /// How many classes there are.
    pub fn count(&self) -> usize {
        self.base.starts.len() - 1
    }
}

impl Base {
    pub(crate) fn compute(classes: &Classes<'_>, plan: Plan) -> Base {
        let needs = plan.any();
        let compares = needs.any_distance() || needs.has(Needs::MEDIAN) || needs.has(Needs::SHUFFLES);
        let origin = compares.then(|| Origin::exact(classes));
        let wanted = Wanted {
            whole: plan.whole.is_some(),
            pairs: plan.pairs.is_some(),
            roots: needs.has(Needs::ROOTS),
            eta: needs.has(Needs::ETA),
        };
        let Moments { classes: moments, whole, pairs: spreads, eta, origin } =
            stream::moments(classes, origin, wanted);
        let frame = compares.then(|| Frame::new(classes, &origin));
        let set = |members: &[usize], spread, eta, needs| {
            let mut set = SetStatistics { spread, eta, median: f64::NAN, relabellings: Vec::new() };
            if let Some(frame) = &frame {
                set.compare(frame, &moments, members, needs);
            }
            set
        };
        let pairs: Vec<(usize, usize)> = classes.pairs().collect();
        let pair = |(at, &spread): (usize, &Spread)| {
            let (i, j) = pairs[at];
            let eta = eta.get(at).copied().unwrap_or(f64::NAN);
            set(&[i, j], spread, eta, plan.pairs.unwrap_or_default())
        };
        let pairs = spreads.par_iter().enumerate().map(pair).collect();
        let everyone: Vec<usize> = (0..classes.count()).collect();
        let whole = whole.map(|spread| set(&everyone, spread, f64::NAN, plan.whole.unwrap_or_default()));
        let unit = origin.unit / classes.points().unit();
        Base { starts: classes.starts().to_vec(), unit, moments, whole, pairs, frame }
    }

    /// The copy of the points.
    ///
    /// # Panics
    /// If the plan has no use for it.
    pub(crate) fn frame(&self) -> &Frame {
        self.frame.as_ref().expect("the plan asked for distances")
    }
}

impl SetStatistics {
    /// Adds what must be computed from the points themselves.
    fn compare(&mut self, frame: &Frame, moments: &ClassMoments, members: &[usize], needs: Needs) {
        if needs.has(Needs::MEDIAN) {
            let points = members.iter().flat_map(|&class| frame.class(class));
            let start = moments::joint_centroid(frame, moments, members);
            self.median = median::mean_distance_to_median(points, &start);
        }
        if needs.has(Needs::SHUFFLES) {
            self.relabellings = shuffle::relabellings(frame, members);
        }
    }
}

/// Sums of the rows of each class in an n x K table.
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

/// A set of classes, with the symbols of the formulas as methods. Lengths are in the units of the [`Frame`].
#[derive(Debug, Clone)]
pub struct View<'a> {
    statistics: &'a Statistics,
    set: &'a SetStatistics,
    members: Vec<usize>,
}

impl View<'_> {
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

    /// `n_i`.
    pub fn size(&self, class: usize) -> f64 {
        (self.statistics.base.starts[class + 1] - self.statistics.base.starts[class]) as f64
    }

    /// What a length of the view must be multiplied by to be one in the [unit](crate::Points::unit) of the points.
    pub fn unit(&self) -> f64 {
        self.statistics.base.unit
    }

    /// `T`: mean squared distance to the centroid of the set.
    pub fn total(&self) -> f64 {
        self.set.spread.total
    }

    /// `V_i`: mean squared distance of class i to its own centroid. 0 where it is rounding beside that of the set, as `s2`
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

    /// `D`: squared distance between the centroids of two classes. It is rounding beside the extent of these two, however
    /// far away others are.
    pub fn gap(&self, i: usize, j: usize) -> f64 {
        let ClassMoments { variances, gaps, .. } = &self.statistics.base.moments;
        let gap = gaps[i * self.statistics.count() + j];
        if gap <= ROUNDING * (variances[i] + variances[j]) { 0.0 } else { gap }
    }

    /// `B`: mean squared distance of the class centroids to the centroid of the set, weighted by class size;
    /// as the sum over pairs of `n_i n_j D / N^2`, which does not subtract.
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
        let s1 = self.set.spread.s1;
        if s1 <= ROUNDING.sqrt() * self.set.spread.radius { 0.0 } else { s1 }
    }

    /// Mean distance to the centroid of the set.
    pub fn radius(&self) -> f64 {
        self.set.spread.radius
    }

    /// `S_i`: mean distance of class i to its own centroid.
    pub fn class_radius(&self, class: usize) -> f64 {
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
        self.set.median
    }

    /// Smallest distance between points of two classes of the set.
    pub fn separation(&self) -> f64 {
        let table = &self.statistics.distances.separation;
        let between = self.pairs().map(|(i, j)| table[i * self.statistics.count() + j]);
        between.fold(f64::INFINITY, f64::min).sqrt()
    }

    /// Largest distance within a class of the set.
    pub fn diameter(&self) -> f64 {
        let table = &self.statistics.distances.diameter;
        self.members.iter().map(|&class| table[class]).fold(0.0, f64::max).sqrt()
    }

    /// `eta` of a pair, see [`moments::eta`].
    pub fn eta(&self) -> f64 {
        self.set.eta
    }

    /// The points of a class, as rows of the tables of distances: all of them, or a sample.
    pub fn points(&self, class: usize) -> std::ops::Range<usize> {
        self.statistics.seen[class]..self.statistics.seen[class + 1]
    }

    /// `P(x, j)`: sum of the distances from a point to a class.
    pub fn distance_sum(&self, point: usize, class: usize) -> f64 {
        self.statistics.distances.sums[point * self.statistics.count() + class]
    }

    /// The relative error of distances and of their sums, at most.
    pub fn distance_rounding(&self) -> f64 {
        self.statistics.base.frame().distance_rounding()
    }

    /// The smallest squared distances from a point to other points of a class, ascending.
    pub fn nearest(&self, point: usize, class: usize) -> &[f64] {
        let start = (point * self.statistics.count() + class) * NEAREST;
        &self.statistics.distances.nearest[start..start + NEAREST]
    }

    /// Random relabellings of the set.
    pub fn relabellings(&self) -> &[Relabelling] {
        &self.set.relabellings
    }

    /// The stated value of two classes without extent: 1 apart, 0 in one place. `None` for any other set.
    pub fn point_like(&self) -> Option<f64> {
        match self.members[..] {
            [i, j] if self.variance(i) == 0.0 && self.variance(j) == 0.0 => {
                Some(if self.gap(i, j) > 0.0 { 1.0 } else { 0.0 })
            }
            _ => None,
        }
    }

    /// Sum of distances from class i to class j.
    fn distance_total(&self, i: usize, j: usize) -> f64 {
        self.statistics.total(i, j)
    }
}

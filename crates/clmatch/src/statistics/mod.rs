//! Statistics of a dataset, computed once, and [`View`]s of them on which measures are defined.

mod view;

pub use self::view::View;

use std::sync::Arc;

use clmatch_stop::{Control, Stopped};
use clmatch_tree::{Tree, merge, spanning_tree};
use rayon::prelude::*;

use crate::classes::Classes;
use crate::kernels::frame::Frame;
use crate::kernels::median;
use crate::kernels::moments::{self, ClassMoments, Spread};
use crate::kernels::pairs::{self, DistanceTables, PairwiseRequest, Rows};
use crate::kernels::shuffle::{self, Relabelling};
use crate::kernels::stream::{self, MomentRequest, Moments, Origin};
use crate::kernels::tree_agreement::tree_agreement;
use crate::needs::{Needs, Plan};

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
    /// What was asked for; views offer nothing else.
    plan: Plan,
    pub(crate) starts: Vec<usize>,
    /// That of the origin, in the unit of the points.
    unit: f64,
    moments: ClassMoments,
    whole: Option<SetStatistics>,
    pairs: Vec<SetStatistics>,
    /// A copy of the points, where something must compare them.
    frame: Option<Frame>,
    /// The relative error of distances, at most.
    distance_rounding: f64,
}

/// Statistics of one set: the whole dataset or a pair of classes.
#[derive(Debug, Clone)]
struct SetStatistics {
    spread: Spread,
    /// Mean distance to the geometric median.
    median: Option<f64>,
    /// Of pairs only.
    eta: Option<f64>,
    /// Of pairs only.
    kappa: Option<f64>,
    relabellings: Vec<Relabelling>,
}

/// What compares the points of each set, where it is known without looking at them.
#[derive(Default)]
pub(crate) struct KnownOfSets {
    /// Mean distance to the geometric median of each pair of classes, if asked for.
    pub(crate) pair_medians: Vec<f64>,
    /// The same for the whole dataset.
    pub(crate) whole_median: f64,
    /// The tree agreement of each pair of classes, if asked for.
    pub(crate) kappas: Vec<f64>,
    /// The relative error of distances, at most.
    pub(crate) distance_rounding: f64,
}

impl MomentRequest {
    fn of(plan: Plan) -> MomentRequest {
        MomentRequest {
            whole: plan.whole.is_some(),
            pairs: plan.pairs.is_some(),
            roots: plan.any().has(Needs::ROOTS),
            eta: plan.any().has(Needs::ETA),
        }
    }
}

impl Statistics {
    /// Computes what the plan asks for.
    ///
    /// Time: O(n d K) for moments, O(n^2 d) if distances or trees are needed. Memory: O(n (d + K)).
    ///
    /// # Errors
    /// [`Stopped`] if `control` says so.
    pub fn compute(classes: &Classes<'_>, plan: Plan, control: Control<'_>) -> Result<Statistics, Stopped> {
        Statistics::complete(Arc::new(Base::compute(classes, plan, control, control)?), plan, control)
    }

    /// Computes what the plan asks for, and hands out the spanning tree of every pair of classes, in the order of
    /// [`Classes::pairs`], whose points are rows of the [`Statistics::frame`].
    ///
    /// Memory: O(n K) for the trees.
    ///
    /// # Errors
    /// [`Stopped`] if `control` says so.
    pub(crate) fn compute_with_trees(
        classes: &Classes<'_>,
        plan: Plan,
        control: Control<'_>,
    ) -> Result<(Statistics, Vec<Tree>), Stopped> {
        let mut trees = Vec::new();
        let base = Base::compute_keeping(classes, plan, control, control, Some(&mut trees))?;
        Ok((Statistics::complete(Arc::new(base), plan, control)?, trees))
    }

    /// Adds the distances between all points.
    pub(crate) fn complete(base: Arc<Base>, plan: Plan, control: Control<'_>) -> Result<Statistics, Stopped> {
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
        self.totals[i * self.n_classes() + j]
    }

    /// Changes the sum of the distances between two classes, or within one.
    pub(crate) fn set_total(&mut self, i: usize, j: usize, total: f64) {
        let count = self.n_classes();
        self.totals[i * count + j] = total;
        self.totals[j * count + i] = total;
    }

    /// The copy of the points, class after class.
    ///
    /// # Panics
    /// If the plan has no use for it.
    pub(crate) fn frame(&self) -> &Frame {
        self.base.frame()
    }

    /// The smallest squared distances from a point, by its row in the frame, to other points of a class, ascending.
    ///
    /// # Panics
    /// If the plan did not ask for neighbours.
    pub(crate) fn nearest(&self, point: usize, class: usize) -> &[f64] {
        let start = (point * self.n_classes() + class) * pairs::NEAREST;
        &self.distances.nearest[start..start + pairs::NEAREST]
    }

    /// Where each class starts among all points, and the end.
    pub(crate) fn starts(&self) -> &[usize] {
        &self.base.starts
    }

    /// The whole dataset as one set, with all that the plan asked for.
    ///
    /// # Panics
    /// If the plan did not ask for it.
    pub fn whole(&self) -> View<'_> {
        self.whole_with(self.base.plan.whole.unwrap_or_default())
    }

    /// The whole dataset as one set, with some of what the plan asked for.
    ///
    /// # Panics
    /// If the plan did not ask for it.
    pub(crate) fn whole_with(&self, needs: Needs) -> View<'_> {
        let set = self.base.whole.as_ref().expect("the plan asked for the whole dataset");
        assert!(self.base.plan.whole.is_some_and(|all| all.has(needs)), "{needs:?} are not in the plan");
        View::new(self, set, (0..self.n_classes()).collect(), needs)
    }

    /// The pair of classes `i < j`, with all that the plan asked for.
    ///
    /// # Panics
    /// If the plan did not ask for pairs, or there is no such pair.
    pub fn pair(&self, i: usize, j: usize) -> View<'_> {
        self.pair_with(i, j, self.base.plan.pairs.unwrap_or_default())
    }

    /// The pair of classes `i < j`, with some of what the plan asked for.
    ///
    /// # Panics
    /// If the plan did not ask for it, or there is no such pair.
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

impl Base {
    /// Computes what the plan asks for but distances. Trees, which take longest, listen to a control of their own.
    pub(crate) fn compute(
        classes: &Classes<'_>,
        plan: Plan,
        control: Control<'_>,
        trees: Control<'_>,
    ) -> Result<Base, Stopped> {
        Base::compute_keeping(classes, plan, control, trees, None)
    }

    /// As [`Base::compute`], and keeps the spanning tree of every pair for those who ask for it.
    fn compute_keeping(
        classes: &Classes<'_>,
        plan: Plan,
        control: Control<'_>,
        trees: Control<'_>,
        kept: Option<&mut Vec<Tree>>,
    ) -> Result<Base, Stopped> {
        let needs = plan.any();
        let compares = needs.compares_points();
        let origin = compares.then(|| Origin::exact(classes));
        let wanted = MomentRequest::of(plan);
        let Moments { classes: moments, whole, pairs: spreads, eta, origin } =
            stream::moments(classes, origin, wanted);
        let frame = compares.then(|| Frame::new(classes, &origin));
        let set = |members: &[usize], spread, eta, needs| {
            control.check()?;
            let mut set = SetStatistics { spread, eta, kappa: None, median: None, relabellings: Vec::new() };
            if let Some(frame) = &frame {
                set.compare(frame, &moments, members, needs);
            }
            Ok(set)
        };
        let pairs: Vec<(usize, usize)> = classes.pairs().collect();
        let pair = |(at, &spread): (usize, &Spread)| {
            let (i, j) = pairs[at];
            set(&[i, j], spread, eta.get(at).copied(), plan.pairs.unwrap_or_default())
        };
        let mut sets: Vec<SetStatistics> =
            spreads.par_iter().enumerate().map(pair).collect::<Result<_, _>>()?;
        if let Some(frame) = &frame
            && plan.pairs.is_some_and(|needs| needs.has(Needs::KAPPA))
        {
            add_kappas(&mut sets, &pairs, frame, kept, trees)?;
        }
        let everyone: Vec<usize> = (0..classes.n_classes()).collect();
        let whole =
            whole.map(|spread| set(&everyone, spread, None, plan.whole.unwrap_or_default())).transpose()?;
        let unit = origin.unit / classes.points().unit();
        let distance_rounding = frame.as_ref().map_or(0.0, Frame::distance_rounding);
        let starts = classes.starts().to_vec();
        Ok(Base { plan, starts, unit, moments, whole, pairs: sets, frame, distance_rounding })
    }

    /// Computes moments in the coordinates of `origin`; what compares points is known from elsewhere.
    pub(crate) fn of_moments(
        classes: &Classes<'_>,
        plan: Plan,
        origin: &Origin,
        known: &KnownOfSets,
    ) -> Base {
        let needs = plan.any();
        let wanted = MomentRequest::of(plan);
        let Moments { classes: moments, whole, pairs: spreads, eta, origin } =
            stream::moments(classes, Some(origin.clone()), wanted);
        let set = |spread, eta, median, kappa| SetStatistics {
            spread,
            median: needs.has(Needs::MEDIAN).then_some(median),
            eta,
            kappa,
            relabellings: Vec::new(),
        };
        let pairs = spreads
            .into_iter()
            .enumerate()
            .map(|(at, spread)| {
                let median = known.pair_medians.get(at).copied().unwrap_or_default();
                set(spread, eta.get(at).copied(), median, known.kappas.get(at).copied())
            })
            .collect();
        let whole = whole.map(|spread| set(spread, None, known.whole_median, None));
        let (starts, unit) = (classes.starts().to_vec(), origin.unit / classes.points().unit());
        let distance_rounding = known.distance_rounding;
        Base { plan, starts, unit, moments, whole, pairs, frame: None, distance_rounding }
    }

    /// `T` of each pair of classes.
    pub(crate) fn pair_totals(&self) -> impl Iterator<Item = f64> {
        self.pairs.iter().map(|set| set.spread.total)
    }

    /// Takes the tree agreement of each pair of classes.
    pub(crate) fn set_kappas(&mut self, kappas: &[f64]) {
        self.pairs.iter_mut().zip(kappas).for_each(|(set, &kappa)| set.kappa = Some(kappa));
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
            self.median = Some(median::mean_distance_to_median(points, &start));
        }
        if needs.has(Needs::SHUFFLES) {
            self.relabellings = shuffle::relabellings(frame, members);
        }
    }
}

/// Squared distances below this share of the total scatter of a set count as 0.
pub(crate) const TOUCHING: f64 = 1e-12;

/// The tree agreement of every pair: the trees of all classes, then those of all pairs, one at a time on each thread.
///
/// Time: O(n^2 d). Memory: O(n (d + log n)), and O(n K) where the trees are kept.
fn add_kappas(
    sets: &mut [SetStatistics],
    pairs: &[(usize, usize)],
    frame: &Frame,
    kept: Option<&mut Vec<Tree>>,
    control: Control<'_>,
) -> Result<(), Stopped> {
    let points = clmatch_tree::Points::new(&frame.rows, frame.features);
    let class_tree = |class: usize| {
        let members = (frame.starts[class]..frame.starts[class + 1]).map(|row| row as u32);
        spanning_tree(points, members.collect(), control)
    };
    let trees = (0..frame.classes()).into_par_iter().map(class_tree).collect::<Result<Vec<_>, _>>()?;
    let pair_tree = |set: &mut SetStatistics, (i, j): (usize, usize)| {
        let tree = merge(points, &trees[i], &trees[j], control)?;
        let of_first = frame.starts[i] as u32..frame.starts[i + 1] as u32;
        let touching = TOUCHING * set.spread.total;
        set.kappa = Some(tree_agreement(&tree, |row| of_first.contains(&row), touching));
        Ok(tree)
    };
    let sets = sets.par_iter_mut().zip(pairs);
    match kept {
        Some(kept) => {
            *kept = sets.map(|(set, &pair)| pair_tree(set, pair)).collect::<Result<_, Stopped>>()?;
            Ok(())
        }
        None => sets.try_for_each(|(set, &pair)| pair_tree(set, pair).map(drop)),
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

/// The place of a pair `i < j` among all pairs of `count` classes, in the order of [`Classes::pairs`].
///
/// # Panics
/// If there is no such pair: the place would be that of another one.
pub(crate) fn pair_index(count: usize, i: usize, j: usize) -> usize {
    assert!(i < j && j < count, "classes {i} and {j} of {count} are no pair i < j");
    i * count - i * (i + 1) / 2 + (j - i - 1)
}

#[cfg(test)]
mod tests;

//! The statistics that can be known without comparing all points with each other, and the spanning trees.

use std::sync::atomic::AtomicUsize;

use clmatch_kernels::parallel;
use clmatch_kernels::trees::{Tree, merge, spanning_tree};
use clmatch_kernels::{Control, Step, Stopped};

use super::TOUCHING;
use crate::classes::Classes;
use crate::kernels::class_agreement::class_agreement;
use crate::kernels::edge_agreement::PointEdge;
use crate::kernels::frame::Frame;
use crate::kernels::median;
use crate::kernels::moments::{self, ClassMoments, Spread};
use crate::kernels::reassignment;
use crate::kernels::shuffle::{self, Relabelling};
use crate::kernels::spanning_edges::{SpanningEdges, path};
use crate::kernels::stream::{self, MomentRequest, Moments, Origin};
use crate::kernels::tree_agreement::tree_agreement;
use crate::needs::{Needs, Plan};

/// The statistics that can be known without comparing all points with each other.
#[derive(Debug, Clone)]
pub(crate) struct BaseStatistics {
    /// The plan that was computed; views offer nothing else.
    pub(super) plan: Plan,
    pub(crate) starts: Vec<usize>,
    /// The unit of the origin, in the unit of the points.
    pub(super) unit: f64,
    pub(super) moments: ClassMoments,
    pub(super) whole: Option<SetStatistics>,
    pub(super) pairs: Vec<SetStatistics>,
    /// A copy of the points, if points are compared.
    frame: Option<Frame>,
    /// The largest relative error of distances.
    pub(super) distance_rounding: f64,
}

/// Statistics of one set: the whole dataset or a pair of classes.
#[derive(Debug, Clone)]
pub(super) struct SetStatistics {
    pub(super) spread: Spread,
    /// Mean distance to the geometric median.
    pub(super) median: Option<f64>,
    /// For pairs only.
    pub(super) eta: Option<f64>,
    pub(super) kappa: Option<f64>,
    /// For the whole dataset only.
    pub(super) lambda: Option<f64>,
    pub(super) relabellings: Vec<Relabelling>,
}

impl SetStatistics {
    fn new(spread: Spread, eta: Option<f64>) -> SetStatistics {
        SetStatistics { spread, median: None, eta, kappa: None, lambda: None, relabellings: Vec::new() }
    }
}

/// The statistics that compare the points of each set, where they are known from elsewhere.
#[derive(Default)]
pub(crate) struct KnownOfSets {
    /// Mean distance to the geometric median of each pair of classes, if needed.
    pub(crate) pair_medians: Vec<f64>,
    /// Mean distance to the geometric median of the whole dataset.
    pub(crate) whole_median: f64,
    /// The tree agreement of each pair of classes, if needed.
    pub(crate) kappas: Vec<f64>,
    /// The tree agreement of the whole dataset.
    pub(crate) whole_kappa: f64,
    /// The largest relative error of distances.
    pub(crate) distance_rounding: f64,
}

impl MomentRequest {
    /// The moments that a plan needs.
    pub(crate) fn of(plan: Plan) -> MomentRequest {
        MomentRequest {
            whole: plan.whole.is_some(),
            pairs: plan.pairs.is_some(),
            roots: plan.any().has(Needs::ROOTS),
            eta: plan.any().has(Needs::ETA),
        }
    }
}

impl BaseStatistics {
    /// Computes everything that the plan needs except distances. Trees, which take longest, have their own control.
    pub(crate) fn compute(
        classes: &Classes<'_>,
        plan: Plan,
        control: Control<'_>,
        trees: Control<'_>,
    ) -> Result<BaseStatistics, Stopped> {
        BaseStatistics::compute_keeping(classes, plan, control, trees, None)
    }

    /// As [`BaseStatistics::compute`], and keeps the spanning tree of every pair for callers that need it.
    pub(super) fn compute_keeping(
        classes: &Classes<'_>,
        plan: Plan,
        control: Control<'_>,
        trees: Control<'_>,
        kept: Option<&mut Vec<Tree>>,
    ) -> Result<BaseStatistics, Stopped> {
        let needs = plan.any();
        let compares = needs.compares_points();
        let origin = compares.then(|| Origin::exact(classes));
        let wanted = MomentRequest::of(plan);
        let Moments { classes: moments, whole, pairs: spreads, eta, origin } =
            stream::moments(classes, origin, wanted);
        let frame = compares.then(|| Frame::new(classes, &origin));
        let set = |members: &[usize], spread, eta, needs| {
            control.check()?;
            let mut set = SetStatistics::new(spread, eta);
            if let Some(frame) = &frame {
                set.compare(frame, &moments, members, needs);
            }
            Ok(set)
        };
        let pairs: Vec<(usize, usize)> = classes.pairs().collect();
        let pair = |at: usize| {
            let (i, j) = pairs[at];
            set(&[i, j], spreads[at], eta.get(at).copied(), plan.pairs.unwrap_or_default())
        };
        let mut sets: Vec<SetStatistics> = parallel::try_map_range(spreads.len(), pair)?;
        let everyone: Vec<usize> = (0..classes.n_classes()).collect();
        let of_whole = plan.whole.unwrap_or_default();
        let mut whole = whole.map(|spread| set(&everyone, spread, None, of_whole)).transpose()?;
        if let (Some(frame), Some(whole), true) = (&frame, &mut whole, of_whole.has(Needs::LAMBDA)) {
            whole.lambda = Some(lambda(frame, control)?);
        }
        if let Some(frame) = &frame
            && plan.any().has(Needs::KAPPA)
        {
            let whole = whole.as_mut().filter(|_| of_whole.has(Needs::KAPPA));
            add_kappas(&mut sets, whole, &pairs, frame, kept, trees)?;
        }
        let unit = origin.unit / classes.points().unit();
        let distance_rounding = frame.as_ref().map_or(0.0, Frame::distance_rounding);
        let starts = classes.starts().to_vec();
        Ok(BaseStatistics { plan, starts, unit, moments, whole, pairs: sets, frame, distance_rounding })
    }

    /// Computes moments in the coordinates of `origin`; statistics that compare points are known from elsewhere.
    pub(crate) fn of_moments(
        classes: &Classes<'_>,
        plan: Plan,
        origin: &Origin,
        known: &KnownOfSets,
        control: Control<'_>,
    ) -> Result<BaseStatistics, Stopped> {
        let needs = plan.any();
        let wanted = MomentRequest::of(plan);
        let Moments { classes: moments, whole, pairs: spreads, eta, origin } =
            stream::moments(classes, Some(origin.clone()), wanted);
        let set = |spread, eta, median, kappa| SetStatistics {
            median: needs.has(Needs::MEDIAN).then_some(median),
            kappa,
            ..SetStatistics::new(spread, eta)
        };
        let pairs = spreads
            .into_iter()
            .enumerate()
            .map(|(at, spread)| {
                let median = known.pair_medians.get(at).copied().unwrap_or_default();
                set(spread, eta.get(at).copied(), median, known.kappas.get(at).copied())
            })
            .collect();
        let mut whole = whole.map(|spread| set(spread, None, known.whole_median, Some(known.whole_kappa)));
        if let (Some(whole), true) = (&mut whole, plan.whole.unwrap_or_default().has(Needs::LAMBDA)) {
            whole.lambda = Some(lambda(&Frame::new(classes, &origin), control)?);
        }
        let (starts, unit) = (classes.starts().to_vec(), origin.unit / classes.points().unit());
        let distance_rounding = known.distance_rounding;
        Ok(BaseStatistics { plan, starts, unit, moments, whole, pairs, frame: None, distance_rounding })
    }

    /// Takes moments that were summed elsewhere. Statistics that compare points are added by
    /// [`Statistics::stand_for`](super::Statistics).
    pub(crate) fn of_sums(plan: Plan, sizes: &[u64], moments: Moments, unit: f64) -> BaseStatistics {
        let Moments { classes, whole, pairs, eta, origin } = moments;
        let set = SetStatistics::new;
        let starts = std::iter::once(0).chain(sizes.iter().scan(0, |end, &size| {
            *end += size as usize;
            Some(*end)
        }));
        BaseStatistics {
            plan,
            starts: starts.collect(),
            unit: origin.unit / unit,
            moments: classes,
            whole: whole.map(|spread| set(spread, None)),
            pairs: pairs
                .into_iter()
                .enumerate()
                .map(|(at, spread)| set(spread, eta.get(at).copied()))
                .collect(),
            frame: None,
            distance_rounding: 0.0,
        }
    }

    /// `T` of each pair of classes.
    pub(crate) fn pair_totals(&self) -> impl Iterator<Item = f64> {
        self.pairs.iter().map(|set| set.spread.total)
    }

    /// `T` of the whole dataset, if the plan includes it.
    pub(crate) fn whole_total(&self) -> Option<f64> {
        self.whole.as_ref().map(|set| set.spread.total)
    }

    /// Sets the tree agreement of each pair of classes, and of the whole dataset.
    pub(crate) fn set_kappas(&mut self, kappas: &[f64], of_whole: Option<f64>) {
        self.pairs.iter_mut().zip(kappas).for_each(|(set, &kappa)| set.kappa = Some(kappa));
        if let Some(whole) = &mut self.whole {
            whole.kappa = of_whole;
        }
    }

    /// The copy of the points.
    ///
    /// # Panics
    /// If the plan has no use for the copy.
    pub(crate) fn frame(&self) -> &Frame {
        self.frame.as_ref().expect("the plan asked for distances")
    }
}

impl SetStatistics {
    /// Adds the statistics that must be computed from the points themselves.
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

/// `lambda`: how far k-means keeps the classes.
fn lambda(frame: &Frame, control: Control<'_>) -> Result<f64, Stopped> {
    reassignment::lambda(&frame.rows, frame.features, &frame.starts, control)
}

/// Adds the tree agreement of every pair and, if needed, of the whole dataset: the trees of all classes are computed first, then
/// those of all pairs, one at a time on each thread. The edges between different classes in the trees of pairs, together with the
/// trees of the classes, make up the tree of all points.
///
/// Time: O(n^2 d). Memory: O(n (d + log n)), or O(n K) if the trees are kept.
fn add_kappas(
    sets: &mut [SetStatistics],
    whole: Option<&mut SetStatistics>,
    pairs: &[(usize, usize)],
    frame: &Frame,
    kept: Option<&mut Vec<Tree>>,
    control: Control<'_>,
) -> Result<(), Stopped> {
    let points = clmatch_kernels::trees::Points::new(&frame.rows, frame.features);
    let (so_far, all) = (AtomicUsize::new(0), frame.len() * (frame.len() - 1) / 2);
    let hear = |step: Step<'_>| control.report_parts("spanning trees", &so_far, step.done, all);
    let control = control.with_progress(&hear);
    let class_tree = |class: usize| {
        let members = (frame.starts[class]..frame.starts[class + 1]).map(|row| row as u32);
        spanning_tree(points, members.collect(), control)
    };
    let trees = parallel::try_map_range(frame.classes(), class_tree)?;
    // If there are only two classes, the whole dataset is their pair.
    let of_all = (whole.is_some() && pairs.len() > 1).then(|| SpanningEdges::new(frame.len()));
    let pair_tree = |at: usize, set: &mut SetStatistics| {
        let (i, j) = pairs[at];
        let tree = merge(points, &trees[i], &trees[j], control)?;
        let of_first = frame.starts[i] as u32..frame.starts[i + 1] as u32;
        let touching = TOUCHING * set.spread.total;
        let mut crossing = Vec::new();
        let hear = |edge: PointEdge| {
            if of_all.is_some() {
                crossing.push(edge);
            }
        };
        set.kappa = Some(tree_agreement(&tree, |row| of_first.contains(&row), touching, hear));
        if let Some(of_all) = &of_all {
            of_all.add(crossing);
        }
        Ok(tree)
    };
    match kept {
        Some(kept) => *kept = parallel::try_map_mut(sets, pair_tree)?,
        None => parallel::try_map_mut(sets, |at, set| pair_tree(at, set).map(drop)).map(drop)?,
    }
    if let Some(whole) = whole {
        whole.kappa = match of_all {
            None => sets[0].kappa,
            Some(edges) => {
                trees.iter().for_each(|tree| edges.add(path(tree)));
                let touching = TOUCHING * whole.spread.total;
                Some(class_agreement(&edges.into_tree(), &frame.class_of(), frame.classes(), touching))
            }
        };
    }
    Ok(())
}

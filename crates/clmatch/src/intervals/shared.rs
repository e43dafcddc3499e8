//! The statistics that all replicates share, so that no replicate compares points anew.
//!
//! * Sums of distances: one sweep over all pairs of points, in which every group of every class is a separate class.
//! * Nearest neighbours: the 16 nearest of every class; each replicate takes the five nearest of those that it keeps. Fewer than
//!   five are left about twice in 100,000 lists.
//! * Trees: from these lists, see [`trees`](super::trees).
//! * Geometric medians: those of all points. The sum of distances is smallest there, so that it hardly differs from that to the
//!   median of the points that are kept.
//! * Moments: computed from the points that are kept, in a single pass over the data.

use std::sync::Arc;

use clmatch_kernels::parallel;
use clmatch_kernels::simd::sums::squared_distance;
use clmatch_kernels::{Control, Stopped};

use super::GROUPS;
use super::groups::{Groups, kept_groups};
use super::trees::TreeSource;
use crate::classes::Classes;
use crate::kernels::class_lists::ClassLists;
use crate::kernels::frame::Frame;
use crate::kernels::median::geometric_median;
use crate::kernels::moments;
use crate::kernels::pairs::{DistanceTables, NEAREST, PairwiseRequest, all_pairs};
use crate::kernels::stream::{MomentRequest, Origin, moments};
use crate::needs::{Needs, Plan};
use crate::statistics::{BaseStatistics, KnownOfSets, Statistics, TOUCHING};

/// How many neighbours of each class are kept.
const DEPTH: usize = 16;
/// How many numbers the tables may hold; if they would hold more, every replicate is scored on its own.
const MOST_NUMBERS: usize = 1 << 28;

/// The statistics that all replicates share.
pub(super) struct ReplicateStatistics<'a> {
    classes: &'a Classes<'a>,
    groups: &'a Groups,
    plan: Plan,
    origin: Origin,
    distance_rounding: f64,
    sums: GroupSums,
    lists: Option<ClassLists>,
    /// n x [`GROUPS`]: the largest squared distance from a point to a group of its class; empty unless needed.
    farthest: Vec<f64>,
    /// For each pair, then for the whole dataset: the sum of the distances to the median in each group.
    medians: Vec<[f64; GROUPS]>,
    /// For each pair: the tree agreement in each replicate.
    kappas: Vec<[f64; GROUPS]>,
    /// The tree agreement of the whole dataset in each replicate, if needed.
    whole_kappas: Option<[f64; GROUPS]>,
}

/// Sums of distances from each point to each group of each class that has points.
#[derive(Default)]
struct GroupSums {
    /// The class and the group of each column.
    columns: Vec<(usize, u8)>,
    /// The row of each place in `sums`.
    rows: Vec<usize>,
    /// n x columns: the sums.
    sums: Vec<f64>,
    /// n x K: the sums over whole classes.
    of_classes: Vec<f64>,
}

impl<'a> ReplicateStatistics<'a> {
    /// Whether the tables fit into memory.
    pub(super) fn fits(classes: &Classes<'_>, groups: &Groups, plan: Plan) -> bool {
        let needs = plan.any();
        let per_class = GROUPS * usize::from(needs.has(Needs::SUMS))
            + 2 * DEPTH * usize::from(needs.has(Needs::NEAREST) || needs.has(Needs::KAPPA));
        groups.len() * classes.n_classes() * per_class <= MOST_NUMBERS
    }

    /// Computes the statistics that the plan needs, of the points that were dealt into groups.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn new(
        classes: &'a Classes<'a>,
        groups: &'a Groups,
        plan: Plan,
        control: Control<'_>,
    ) -> Result<Self, Stopped> {
        let needs = plan.any();
        let sorted = classes.regrouped(groups.order.clone(), groups.starts.clone());
        let origin = Origin::exact(&sorted);
        let mut shared = ReplicateStatistics {
            classes,
            groups,
            plan,
            origin,
            distance_rounding: 0.0,
            sums: GroupSums::default(),
            lists: None,
            farthest: Vec::new(),
            medians: Vec::new(),
            kappas: Vec::new(),
            whole_kappas: None,
        };
        if !needs.compares_points() {
            return Ok(shared);
        }
        let frame = Frame::new(&sorted, &shared.origin);
        shared.distance_rounding = frame.distance_rounding();
        if needs.has(Needs::SUMS) {
            shared.sums = GroupSums::new(&frame, groups, control)?;
        }
        let trees = needs.has(Needs::KAPPA);
        if needs.has(Needs::NEAREST) || needs.has(Needs::EXTREMES) || trees {
            shared.lists = Some(ClassLists::new(&frame, DEPTH, control)?);
        }
        if needs.has(Needs::EXTREMES) {
            shared.farthest = farthest(&frame, groups, control)?;
        }
        let of_whole = plan.whole.is_some_and(|needs| needs.has(Needs::KAPPA));
        let request = MomentRequest { pairs: true, whole: of_whole, ..MomentRequest::default() };
        if needs.has(Needs::MEDIAN) || trees {
            let known = moments(&sorted, Some(shared.origin.clone()), request);
            if needs.has(Needs::MEDIAN) {
                shared.medians = medians(&frame, groups, plan, &known.classes, control)?;
            }
            if let (true, Some(lists)) = (trees, &shared.lists) {
                let touching: Vec<f64> = known.pairs.iter().map(|spread| TOUCHING * spread.total).collect();
                let of_whole = known.whole.map(|spread| TOUCHING * spread.total);
                let source = TreeSource { frame: &frame, lists, groups };
                (shared.kappas, shared.whole_kappas) = source.agreements(&touching, of_whole, control)?;
            }
        }
        Ok(shared)
    }

    /// The classes that a replicate keeps, and their statistics.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn replicate(
        &self,
        replicate: usize,
        control: Control<'_>,
    ) -> Result<(Classes<'_>, Statistics), Stopped> {
        let needs = self.plan.any();
        let (places, starts) = self.groups.kept(replicate);
        let rows = places.iter().map(|&place| self.groups.order[place]).collect();
        let classes = self.classes.regrouped(rows, starts.clone());
        let median_of = |set: usize, members: &[usize]| {
            let Some(sums) = self.medians.get(set) else { return 0.0 };
            let count: usize = members.iter().map(|&class| classes.size(class)).sum();
            let kept = sums.iter().zip(kept_groups(replicate)).filter(|&(_, kept)| kept);
            kept.map(|(sum, _)| sum).sum::<f64>() / count as f64
        };
        let everyone: Vec<usize> = (0..classes.n_classes()).collect();
        let pairs = || classes.pairs().enumerate();
        let known = KnownOfSets {
            pair_medians: pairs().map(|(at, (i, j))| median_of(at, &[i, j])).collect(),
            whole_median: median_of(pairs().count(), &everyone),
            kappas: self.kappas.iter().map(|of_pair| of_pair[replicate]).collect(),
            whole_kappa: self.whole_kappas.map_or(0.0, |of_whole| of_whole[replicate]),
            distance_rounding: self.distance_rounding,
        };
        let base = BaseStatistics::of_moments(&classes, self.plan, &self.origin, &known, control)?;
        let mut distances = DistanceTables::default();
        if needs.has(Needs::SUMS) {
            distances.sums = self.sums.of_replicate(replicate, &places, classes.n_classes());
        }
        if let Some(lists) = &self.lists {
            let mask = self.groups.mask(replicate);
            let is_kept = |point: u32| mask[point as usize];
            if needs.has(Needs::NEAREST) {
                distances.nearest = nearest(lists, &places, classes.n_classes(), is_kept);
            }
            if needs.has(Needs::EXTREMES) {
                distances.separation = separation(lists, &places, &starts, is_kept);
                distances.diameter = self.diameters(replicate, &places, &starts);
            }
        }
        let statistics = Statistics::with_distances(Arc::new(base), distances, starts);
        Ok((classes, statistics))
    }

    /// The largest squared distance within each class of a replicate.
    fn diameters(&self, replicate: usize, places: &[usize], starts: &[usize]) -> Vec<f64> {
        let kept = kept_groups(replicate);
        let from = |&place: &usize| {
            let groups = self.farthest[place * GROUPS..(place + 1) * GROUPS].iter().zip(kept);
            groups.filter(|&(_, kept)| kept).fold(0.0_f64, |most, (&square, _)| most.max(square))
        };
        let of_class = |bounds: &[usize]| places[bounds[0]..bounds[1]].iter().map(from).fold(0.0, f64::max);
        starts.windows(2).map(of_class).collect()
    }
}

impl GroupSums {
    fn new(frame: &Frame, groups: &Groups, control: Control<'_>) -> Result<GroupSums, Stopped> {
        let (mut columns, mut starts) = (Vec::new(), Vec::new());
        let mut places: Vec<usize> = (0..frame.len()).collect();
        for class in 0..frame.classes() {
            let members = frame.starts[class]..frame.starts[class + 1];
            places[members.clone()].sort_by_key(|&place| groups.of_place[place]);
            for at in members {
                let column = (class, groups.of_place[places[at]]);
                if columns.last() != Some(&column) {
                    columns.push(column);
                    starts.push(at);
                }
            }
        }
        starts.push(frame.len());
        let grouped = frame.regrouped(&places, starts);
        let request = PairwiseRequest { sums: true, nearest: false, extremes: false };
        let tables = grouped.with_rows(request, |rows| {
            all_pairs(rows, grouped.features, &grouped.starts, request, control)
        })?;
        let count = frame.classes();
        let (mut of_classes, mut rows) = (vec![0.0; frame.len() * count], vec![0; frame.len()]);
        for (row, (&place, from)) in places.iter().zip(tables.sums.chunks_exact(columns.len())).enumerate() {
            let to = &mut of_classes[place * count..(place + 1) * count];
            from.iter().zip(&columns).for_each(|(sum, &(class, _))| to[class] += sum);
            rows[place] = row;
        }
        Ok(GroupSums { columns, rows, sums: tables.sums, of_classes })
    }

    /// Subtracts what a replicate leaves out, which is less than what it keeps.
    fn of_replicate(&self, replicate: usize, places: &[usize], classes: usize) -> Vec<f64> {
        let groups = kept_groups(replicate);
        let left_out: Vec<(usize, usize)> = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, (_, group))| !groups[usize::from(*group)])
            .map(|(column, &(class, _))| (column, class))
            .collect();
        let mut sums = Vec::with_capacity(places.len() * classes);
        for &place in places {
            let from = &self.sums[self.rows[place] * self.columns.len()..][..self.columns.len()];
            let start = sums.len();
            sums.extend_from_slice(&self.of_classes[place * classes..(place + 1) * classes]);
            for &(column, class) in &left_out {
                sums[start + class] -= from[column];
            }
        }
        sums
    }
}

fn nearest(lists: &ClassLists, places: &[usize], classes: usize, is_kept: impl Fn(u32) -> bool) -> Vec<f64> {
    let mut nearest = vec![f64::INFINITY; places.len() * classes * NEAREST];
    for (to, &place) in nearest.chunks_exact_mut(classes * NEAREST).zip(places) {
        for (class, to) in to.chunks_exact_mut(NEAREST).enumerate() {
            let mut found = 0;
            for neighbour in lists.of(place, class) {
                if is_kept(neighbour.point) {
                    to[found] = neighbour.square;
                    found += 1;
                    if found == NEAREST {
                        break;
                    }
                }
            }
        }
    }
    nearest
}

/// The smallest squared distance between any two classes.
fn separation(
    lists: &ClassLists,
    places: &[usize],
    starts: &[usize],
    is_kept: impl Fn(u32) -> bool,
) -> Vec<f64> {
    let classes = starts.len() - 1;
    let mut separation = vec![f64::INFINITY; classes * classes];
    for (i, bounds) in starts.windows(2).enumerate() {
        for j in (0..classes).filter(|&j| j != i) {
            let first = |&place: &usize| lists.of(place, j).find(|neighbour| is_kept(neighbour.point));
            let squares = places[bounds[0]..bounds[1]].iter().filter_map(first);
            let least = squares.map(|neighbour| neighbour.square).fold(f64::INFINITY, f64::min);
            for at in [i * classes + j, j * classes + i] {
                separation[at] = separation[at].min(least);
            }
        }
    }
    separation
}

/// The largest squared distance from each point to each group of its class.
///
/// Time: O(n^2 d / K). Memory: O(n).
fn farthest(frame: &Frame, groups: &Groups, control: Control<'_>) -> Result<Vec<f64>, Stopped> {
    let mut farthest = vec![0.0_f64; frame.len() * GROUPS];
    parallel::try_for_chunks_mut(&mut farthest, GROUPS, |point, farthest| {
        if point.is_multiple_of(64) {
            control.check()?;
        }
        let class = frame.starts.partition_point(|&start| start <= point) - 1;
        for other in frame.starts[class]..frame.starts[class + 1] {
            let square = squared_distance(frame.row(point), frame.row(other));
            let most = &mut farthest[usize::from(groups.of_place[other])];
            *most = most.max(square);
        }
        Ok(())
    })?;
    Ok(farthest)
}

/// For each pair of classes and then, if needed, for the whole dataset: the sum of the distances to the geometric median in each
/// group.
fn medians(
    frame: &Frame,
    groups: &Groups,
    plan: Plan,
    moments: &moments::ClassMoments,
    control: Control<'_>,
) -> Result<Vec<[f64; GROUPS]>, Stopped> {
    let count = frame.classes();
    let mut sets: Vec<Vec<usize>> =
        (0..count).flat_map(|i| (i + 1..count).map(move |j| vec![i, j])).collect();
    let asked = |needs: Option<Needs>| needs.is_some_and(|needs| needs.has(Needs::MEDIAN));
    if asked(plan.whole) {
        sets.push((0..count).collect());
    }
    let of_set = |members: &Vec<usize>| {
        control.check()?;
        let start = moments::joint_centroid(frame, moments, members);
        let median = geometric_median(members.iter().flat_map(|&class| frame.class(class)), &start);
        let mut sums = [0.0; GROUPS];
        for &class in members {
            for (place, point) in (frame.starts[class]..).zip(frame.class(class)) {
                sums[usize::from(groups.of_place[place])] += squared_distance(point, &median).sqrt();
            }
        }
        Ok(sums)
    };
    parallel::try_map(&sets, of_set)
}

//! The statistics that all permutations of the labels share, so that no permutation compares points anew.
//!
//! * Sums of distances: one sweep over all pairs of points for a batch of permutations. A block of rows is kept as columns of
//!   distances; each column is added to the sums of the class that its point has in every permutation.
//! * Nearest and farthest neighbours: one list for each point among all points, long enough for the five nearest of two random
//!   classes; if it is not, the two classes are searched.
//! * Trees: from these lists, see [`trees`](super::trees).
//! * Geometric medians: from that of all points by one Newton step; the medians of random classes are nearly the same.
//! * Moments: computed from the points, in a single pass over the data.

use std::sync::Arc;

use clmatch_kernels::simd::labelled_sums::{LABELLINGS, add_by_label};
use clmatch_kernels::simd::sums::squared_distance;
use clmatch_kernels::{Control, Stopped};

use super::Permutations;
use super::neighbours::{End, NeighbourLists};
use super::trees::{Labelling, SharedEdges};
use crate::classes::Classes;
use crate::kernels::class_lists::insert_square;
use crate::kernels::frame::Frame;
use crate::kernels::median::{geometric_median, mean_distance_to_median};
use crate::kernels::pairs::{DistanceTables, NEAREST};
use crate::kernels::row_sweep::{BLOCK, RowSweep};
use crate::kernels::stream::Origin;
use crate::needs::{Needs, Plan};
use crate::statistics::{BaseStatistics, KnownOfSets, Statistics, TOUCHING, pair_index};

/// How many neighbours of each point are kept for each class in the dataset, at least [`SHORTEST`] and at most [`LONGEST`].
const PER_CLASS: usize = 10;
const SHORTEST: usize = 64;
const LONGEST: usize = 512;
/// A squared distance that is larger by this factor does not count as a tie.
const BEHIND: f64 = 1.0 + 1e-8;
/// How far into the lists edges of trees are searched for, for each class in the dataset: about 8 edges lead to points of a pair.
const EDGES_PER_CLASS: usize = 4;
/// The lists are searched at least this far.
const FEWEST_EDGES: usize = 24;
/// How many sums of distances are kept for a batch of permutations.
const MOST_SUMS: usize = 1 << 25;

/// The statistics that all permutations share.
pub(super) struct SharedStatistics<'a> {
    classes: &'a Classes<'a>,
    plan: Plan,
    origin: Origin,
    /// Present if points are compared.
    frame: Option<Frame>,
    sweep: Option<RowSweep>,
    nearest: Option<NeighbourLists>,
    farthest: Option<NeighbourLists>,
    edges: Option<SharedEdges>,
    median: Option<Median>,
}

/// The geometric median of all points, and the distance and direction of each point from it.
struct Median {
    /// Mean distance of all points to the median.
    mean: f64,
    /// Distances to the median.
    distances: Vec<f64>,
    /// n x d: directions away from the median, 0 for points that lie on it.
    directions: Vec<f64>,
}

/// A permutation in the form in which tables are indexed: by point.
struct Relabelled {
    labels: Vec<u32>,
    places: Vec<u32>,
}

impl<'a> SharedStatistics<'a> {
    /// Computes the statistics that the plan needs.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn new(classes: &'a Classes<'a>, plan: Plan, control: Control<'_>) -> Result<Self, Stopped> {
        let needs = plan.any();
        let origin = Origin::exact(classes);
        let frame = needs.compares_points().then(|| Frame::new(classes, &origin));
        let sweep =
            frame.as_ref().filter(|_| needs.any_distance() || needs.has(Needs::KAPPA)).map(RowSweep::new);
        let depth = (PER_CLASS * classes.n_classes()).clamp(SHORTEST, LONGEST).min(classes.n_points() - 1);
        let lists = |end: End, wanted: bool| match (&frame, &sweep) {
            (Some(frame), Some(sweep)) if wanted => {
                NeighbourLists::new(frame, sweep, end, depth, control).map(Some)
            }
            _ => Ok(None),
        };
        let (trees, extremes) = (needs.has(Needs::KAPPA), needs.has(Needs::EXTREMES));
        let nearest = lists(End::Nearest, needs.has(Needs::NEAREST) || extremes || trees)?;
        let farthest = lists(End::Farthest, extremes)?;
        let edges = match (&frame, &nearest) {
            (Some(frame), Some(lists)) if trees => {
                // If the lists contain all points, the trees are exact.
                let complete = depth + 1 == classes.n_points();
                let most = (EDGES_PER_CLASS * classes.n_classes()).max(FEWEST_EDGES);
                Some(SharedEdges::new(frame, lists, if complete { depth } else { most }, control)?)
            }
            _ => None,
        };
        let median = frame.as_ref().filter(|_| needs.has(Needs::MEDIAN)).map(Median::new);
        Ok(SharedStatistics { classes, plan, origin, frame, sweep, nearest, farthest, edges, median })
    }

    /// How many permutations a batch has.
    pub(super) fn at_once(&self) -> usize {
        let one = self.classes.n_points() * self.classes.n_classes();
        (MOST_SUMS / one).max(1)
    }

    /// Sums of the distances from each point to each class of each permutation: n x permutations x K; empty unless needed.
    ///
    /// Time: O(n^2 (d + permutations)). Memory: O(n K permutations).
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn sums(&self, orders: &[Vec<u32>], control: Control<'_>) -> Result<Vec<f64>, Stopped> {
        let (Some(sweep), true) = (&self.sweep, self.plan.any().has(Needs::SUMS)) else {
            return Ok(Vec::new());
        };
        let count = self.classes.n_classes();
        let labels: Vec<Vec<u32>> = orders.iter().map(|order| self.relabel(order).labels).collect();
        let per_row = orders.len() * count;
        let mut sums = vec![0.0; self.classes.n_points() * per_row];
        let scratch = || (Vec::new(), vec![[0.0_f32; BLOCK]; LABELLINGS * count]);
        sweep.each_block(
            &mut sums,
            per_row,
            scratch,
            control,
            |first_row, chunk, (columns, of_classes), part| {
                let rows = part.len() / per_row;
                columns.clear();
                columns.resize(chunk.len, [0.0_f32; BLOCK]);
                for at in 0..rows {
                    for ((column, to), &square) in (chunk.first..).zip(columns.iter_mut()).zip(chunk.row(at))
                    {
                        to[at] = if column == first_row + at { 0.0 } else { square.max(0.0).sqrt() as f32 };
                    }
                }
                for (group, labels) in labels.chunks(LABELLINGS).enumerate() {
                    let labels: Vec<&[u32]> = labels.iter().map(|labels| &labels[chunk.first..]).collect();
                    let sums = &mut of_classes[..labels.len() * count];
                    sums.fill([0.0; BLOCK]);
                    add_by_label(columns, &labels, sums);
                    for (at, to) in part.chunks_exact_mut(per_row).enumerate() {
                        let to = &mut to[group * LABELLINGS * count..][..sums.len()];
                        to.iter_mut().zip(&*sums).for_each(|(to, sums)| *to += f64::from(sums[at]));
                    }
                }
            },
        )?;
        Ok(sums)
    }

    /// The classes of a permutation, and their statistics; it has the number `at` in the batch whose sums are given.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn permuted(
        &self,
        order: &[u32],
        at: usize,
        sums: &[f64],
        control: Control<'_>,
    ) -> Result<(Classes<'_>, Statistics), Stopped> {
        let needs = self.plan.any();
        let classes = Permutations::classes(self.classes, order);
        let relabelled = self.relabel(order);
        let known = KnownOfSets {
            pair_medians: self.pair_medians(&relabelled),
            whole_median: self.median.as_ref().map_or(0.0, |median| median.mean),
            kappas: Vec::new(),
            whole_kappa: 0.0,
            distance_rounding: self.frame.as_ref().map_or(0.0, Frame::distance_rounding),
        };
        let mut base = BaseStatistics::of_moments(&classes, self.plan, &self.origin, &known, control)?;
        if let Some(edges) = &self.edges {
            let sizes: Vec<usize> = (0..classes.n_classes()).map(|class| classes.size(class)).collect();
            let labelling =
                Labelling { labels: &relabelled.labels, places: &relabelled.places, sizes: &sizes };
            let touching: Vec<f64> = base.pair_totals().map(|total| TOUCHING * total).collect();
            let of_all = |total: f64| edges.agreement_of_all(&labelling, TOUCHING * total);
            let of_whole = base.whole_total().map(of_all);
            base.set_kappas(&edges.agreements(&labelling, &touching), of_whole);
        }
        let count = classes.n_classes();
        let mut distances = DistanceTables::default();
        if needs.has(Needs::SUMS) {
            let per_row = sums.len() / order.len();
            distances.sums.reserve_exact(order.len() * count);
            for &point in order {
                distances.sums.extend_from_slice(&sums[point as usize * per_row + at * count..][..count]);
            }
        }
        if needs.has(Needs::NEAREST) {
            distances.nearest = self.nearest_of(order, &relabelled, &classes);
        }
        if needs.has(Needs::EXTREMES) {
            distances.separation = self.separation(&relabelled, &classes, order);
            distances.diameter = self.diameters(&relabelled, &classes, order);
        }
        let starts = classes.starts().to_vec();
        Ok((classes, Statistics::with_distances(Arc::new(base), distances, starts)))
    }

    fn relabel(&self, order: &[u32]) -> Relabelled {
        let mut relabelled = Relabelled { labels: vec![0; order.len()], places: vec![0; order.len()] };
        for class in 0..self.classes.n_classes() {
            for (place, &point) in order[self.classes.range(class)].iter().enumerate() {
                relabelled.labels[point as usize] = class as u32;
                relabelled.places[point as usize] = place as u32;
            }
        }
        relabelled
    }

    /// The nearest points of each class, for all points in the order of a permutation.
    fn nearest_of(&self, order: &[u32], relabelled: &Relabelled, classes: &Classes<'_>) -> Vec<f64> {
        let count = classes.n_classes();
        let mut nearest = vec![f64::INFINITY; order.len() * count * NEAREST];
        let Some(lists) = &self.nearest else { return nearest };
        let mut found = vec![0; count];
        for (to, &point) in nearest.chunks_exact_mut(count * NEAREST).zip(order) {
            found.fill(0);
            let own = relabelled.labels[point as usize] as usize;
            for neighbour in lists.of(point as usize) {
                let label = relabelled.labels[neighbour.point as usize] as usize;
                if found[label] < NEAREST {
                    to[label * NEAREST + found[label]] = neighbour.square;
                    found[label] += 1;
                }
                // No point beyond the fifth of its own class is among the five nearest of any pair.
                if found[own] == NEAREST && neighbour.square > to[own * NEAREST + NEAREST - 1] * BEHIND {
                    break;
                }
            }
            // The five nearest points of a pair are known if five of its points are: points that are not in the list are farther
            // away.
            let is_known = |class: usize| {
                let wanted = (classes.size(own) + classes.size(class) - 1).min(NEAREST);
                found[own].saturating_add(found[class]) >= wanted
            };
            let unknown: Vec<usize> = (0..count).filter(|&class| class != own && !is_known(class)).collect();
            if !unknown.is_empty() {
                for class in unknown.into_iter().chain([own]) {
                    let members = &order[classes.range(class)];
                    self.search(point, members, &mut to[class * NEAREST..(class + 1) * NEAREST]);
                }
            }
        }
        nearest
    }

    /// Finds the nearest of the given points.
    fn search(&self, point: u32, members: &[u32], nearest: &mut [f64]) {
        nearest.fill(f64::INFINITY);
        let Some(frame) = &self.frame else { return };
        for &other in members.iter().filter(|&&other| other != point) {
            insert_square(nearest, squared_distance(frame.row(point as usize), frame.row(other as usize)));
        }
    }

    /// The smallest squared distance between every two classes.
    fn separation(&self, relabelled: &Relabelled, classes: &Classes<'_>, order: &[u32]) -> Vec<f64> {
        let count = classes.n_classes();
        let mut separation = vec![f64::INFINITY; count * count];
        let Some(lists) = &self.nearest else { return separation };
        for &point in order {
            let own = relabelled.labels[point as usize] as usize;
            for neighbour in lists.of(point as usize) {
                let other = relabelled.labels[neighbour.point as usize] as usize;
                if own != other {
                    for at in [own * count + other, other * count + own] {
                        separation[at] = separation[at].min(neighbour.square);
                    }
                }
            }
        }
        for (i, j) in classes.pairs() {
            if separation[i * count + j] < f64::INFINITY {
                continue;
            }
            let least =
                self.extreme(&order[classes.range(i)], &order[classes.range(j)], f64::INFINITY, f64::min);
            (separation[i * count + j], separation[j * count + i]) = (least, least);
        }
        separation
    }

    /// The largest squared distance within each class.
    fn diameters(&self, relabelled: &Relabelled, classes: &Classes<'_>, order: &[u32]) -> Vec<f64> {
        let mut diameters = vec![-1.0_f64; classes.n_classes()];
        let Some(lists) = &self.farthest else { return diameters };
        for &point in order {
            let own = relabelled.labels[point as usize];
            let same = |other: &u32| relabelled.labels[*other as usize] == own;
            if let Some(first) = lists.of(point as usize).iter().find(|neighbour| same(&neighbour.point)) {
                diameters[own as usize] = diameters[own as usize].max(first.square);
            }
        }
        for class in (0..classes.n_classes()).filter(|&class| classes.size(class) > 1) {
            if diameters[class] < 0.0 {
                let members = &order[classes.range(class)];
                diameters[class] = self.extreme(members, members, 0.0, f64::max);
            }
        }
        diameters.iter().map(|diameter| diameter.max(0.0)).collect()
    }

    fn extreme(&self, a: &[u32], b: &[u32], start: f64, better: fn(f64, f64) -> f64) -> f64 {
        let Some(frame) = &self.frame else { return start };
        let squares = a.iter().flat_map(|&a| {
            b.iter().map(move |&b| squared_distance(frame.row(a as usize), frame.row(b as usize)))
        });
        squares.fold(start, better)
    }

    /// Mean distance to the geometric median of each pair of classes, computed from the median m of all points: with
    /// `F = sum |x - m|`, the pull `p = sum (x - m)/|x - m|` and `W = sum 1/|x - m|`, it is `F - p^2 / (2 W (1 - 1/d))` over the
    /// points of the pair.
    fn pair_medians(&self, relabelled: &Relabelled) -> Vec<f64> {
        let (Some(frame), Some(median)) = (&self.frame, &self.median) else { return Vec::new() };
        let (count, features) = (frame.classes(), frame.features);
        let mut sums = vec![[0.0; 2]; count];
        let mut pulls = vec![0.0; count * features];
        for (point, &label) in relabelled.labels.iter().enumerate() {
            let distance = median.distances[point];
            let [sum, weight] = &mut sums[label as usize];
            *sum += distance;
            if distance > 0.0 {
                *weight += 1.0 / distance;
            }
            let pull = &mut pulls[label as usize * features..][..features];
            let direction = &median.directions[point * features..(point + 1) * features];
            pull.iter_mut().zip(direction).for_each(|(pull, direction)| *pull += direction);
        }
        let mut medians = vec![0.0; count * (count - 1) / 2];
        for i in 0..count {
            for j in i + 1..count {
                let size = (frame.size(i) + frame.size(j)) as f64;
                medians[pair_index(count, i, j)] = if features == 1 {
                    let points = || {
                        (0..relabelled.labels.len())
                            .filter(|&at| [i, j].contains(&(relabelled.labels[at] as usize)))
                    };
                    mean_distance_to_median(points().map(|at| frame.row(at)), &[0.0])
                } else {
                    let pull: f64 = (0..features)
                        .map(|at| (pulls[i * features + at] + pulls[j * features + at]).powi(2))
                        .sum();
                    let curvature = (sums[i][1] + sums[j][1]) * (1.0 - 1.0 / features as f64);
                    let gain = if curvature > 0.0 { pull / (2.0 * curvature) } else { 0.0 };
                    (sums[i][0] + sums[j][0] - gain).max(0.0) / size
                };
            }
        }
        medians
    }
}

impl Median {
    fn new(frame: &Frame) -> Median {
        let median = geometric_median(frame.rows.chunks_exact(frame.features), &vec![0.0; frame.features]);
        let mut directions = Vec::with_capacity(frame.rows.len());
        let mut distances = Vec::with_capacity(frame.len());
        for point in frame.rows.chunks_exact(frame.features) {
            let distance = squared_distance(point, &median).sqrt();
            let scale = if distance > 0.0 { 1.0 / distance } else { 0.0 };
            directions.extend(point.iter().zip(&median).map(|(x, m)| (x - m) * scale));
            distances.push(distance);
        }
        Median { mean: distances.iter().sum::<f64>() / distances.len() as f64, distances, directions }
    }
}

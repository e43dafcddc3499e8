//! A partition of the points into cells, from which `clm` of every coarser partition follows without another sweep.
//!
//! Let A and B be unions of cells. With sizes `n_k`, centroids `c_k` and `D_kl = |c_k - c_l|^2`:
//!
//! ```text
//! |x - c_A|^2 = sum w_k |x - c_k|^2 - sum over k < l of w_k w_l D_kl,    w_k = n_k / n_A
//! ```
//!
//! so that u(x), and with it eta, follows from the squared distances of the points to the centroids of the cells. The
//! nearest points of A are among the nearest of its cells, which gives nu. Every edge between points of A and B lies within
//! one pair of cells, and is no shorter than the longest edge between its ends in the spanning tree of that pair: the union
//! of the trees of all pairs of cells has the same cuts as all edges together, which gives kappa, of a pair and of all classes.
//! What k-means makes of the points (lambda) is computed from the points themselves, without comparing them with each other.

use clmatch_kernels::parallel;
use clmatch_kernels::trees::Tree;
use clmatch_kernels::{Control, Stopped};

use crate::classes::Classes;
use crate::kernels::class_agreement::{NOWHERE, class_agreement};
use crate::kernels::edge_agreement::PointEdge;
use crate::kernels::frame::Frame;
use crate::kernels::pairs::NEAREST;
use crate::kernels::reassignment::lambda;
use crate::kernels::spanning_edges::{SpanningEdges, path};
use crate::kernels::squared_distance;
use crate::measure::clm::{self, AllTerms, ClmTerms};
use crate::measure::{CLM_PAIRS, normalised_information, votes_of};
use crate::needs::Needs;
use crate::statistics::{Statistics, TOUCHING, View, pair_index};

/// A squared length below this share of the scatter that it was computed from is rounding, and counts as 0.
const ROUNDING: f64 = 1e-26;

/// The classes of a dataset, or parts of them, with everything that `clm` of unions of them needs.
pub(super) struct Cells {
    statistics: Statistics,
    needs: Needs,
    /// The spanning tree of each pair of cells.
    trees: Vec<Tree>,
    /// The edges of the spanning tree of all points, from the shortest to the longest.
    spanning: Vec<PointEdge>,
    /// n x K: squared distances to the centroids.
    to_centroids: Vec<f64>,
    /// K x K: squared distances between the centroids.
    gaps: Vec<f64>,
}

impl Cells {
    /// Time: O(n^2 d). Memory: O(n (d + K)).
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn compute(classes: &Classes<'_>, control: Control<'_>) -> Result<Cells, Stopped> {
        let (statistics, trees) = Statistics::compute_with_trees(classes, CLM_PAIRS.plan(), control)?;
        let frame = statistics.frame();
        let everyone: Vec<Vec<usize>> = (0..frame.classes())
            .map(|class| (frame.starts[class]..frame.starts[class + 1]).collect())
            .collect();
        let centroids = means(frame, &everyone);
        let to_centroids = squares_to(frame, &centroids);
        let centres = || centroids.chunks_exact(frame.features);
        let gaps = centres().flat_map(|a| centres().map(|b| squared_distance(a, b))).collect();
        let all: Vec<usize> = (0..frame.classes()).collect();
        let spanning = spanning_edges(&trees, &all, frame);
        Ok(Cells { needs: CLM_PAIRS.needs(), trees, spanning, to_centroids, gaps, statistics })
    }

    /// How many cells there are.
    pub(super) fn count(&self) -> usize {
        self.statistics.n_classes()
    }

    /// The points, cell after cell.
    pub(super) fn frame(&self) -> &Frame {
        self.statistics.frame()
    }

    /// The pair of cells `i < j`.
    pub(super) fn pair(&self, i: usize, j: usize) -> View<'_> {
        self.statistics.pair_with(i, j, self.needs)
    }

    /// The points of a cell, as rows of the frame.
    pub(super) fn points(&self, cell: usize) -> std::ops::Range<usize> {
        self.statistics.starts()[cell]..self.statistics.starts()[cell + 1]
    }

    fn size(&self, cell: usize) -> f64 {
        self.points(cell).len() as f64
    }

    /// `u(x) = h_i(x) - h_j(x)` of the points of two cells: negative where it is cheaper to belong to the first.
    pub(super) fn costs(&self, i: usize, j: usize) -> [Vec<f64>; 2] {
        self.costs_of([&[i], &[j]])
    }

    /// n x K: squared distances of all points to the means of `members` of each cell.
    pub(super) fn squares_to_means_of(&self, members: &[Vec<usize>]) -> Vec<f64> {
        squares_to(self.frame(), &means(self.frame(), members))
    }

    /// The terms of each pair of unions of cells, in the order of [`Classes::pairs`].
    pub(super) fn terms(&self, groups: &[Vec<usize>]) -> Vec<ClmTerms> {
        let pairs: Vec<(usize, usize)> =
            (0..groups.len()).flat_map(|a| (a + 1..groups.len()).map(move |b| (a, b))).collect();
        parallel::map(&pairs, |&(a, b)| self.pair_terms([&groups[a], &groups[b]]))
    }

    /// The terms of two unions of cells.
    pub(super) fn pair_terms(&self, groups: [&[usize]; 2]) -> ClmTerms {
        if let [&[i], &[j]] = groups {
            return clm::terms(&self.pair(i.min(j), i.max(j)));
        }
        let sides = groups.map(|cells| CellUnion::of(self, cells));
        let gap = self.gap([&sides[0], &sides[1]]);
        let total = total(&sides, gap);
        if sides.iter().all(|side| side.variance <= ROUNDING * total) {
            let value = if gap > 0.0 { 1.0 } else { 0.0 };
            return ClmTerms::new(value, value, value);
        }
        let touching = TOUCHING * total;
        ClmTerms::new(eta(&self.costs_of(groups)), self.kappa(groups, touching), self.nu(&groups, touching))
    }

    /// The terms of all classes at once, which are unions of cells.
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn all_terms(&self, groups: &[Vec<usize>], control: Control<'_>) -> Result<AllTerms, Stopped> {
        let mut cells = groups.concat();
        cells.sort_unstable();
        let total = CellUnion::of(self, &cells).variance;
        let sides: Vec<CellUnion> = groups.iter().map(|group| CellUnion::of(self, group)).collect();
        let pairs = || (0..sides.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let is_apart = |(a, b): (usize, usize)| {
            let [a, b] = [&sides[a], &sides[b]];
            self.gap([a, b]) > ROUNDING * (a.variance + b.variance)
        };
        let point_like = sides.iter().all(|side| side.variance <= ROUNDING * total);
        if let Some(value) = clm::without_extent(point_like, pairs().all(is_apart), total) {
            return Ok(AllTerms::new(value, value, value));
        }
        let lambda = if pairs().any(is_apart) { self.lambda(groups, control)? } else { 0.0 };
        let touching = TOUCHING * total;
        let mut group_of = vec![NOWHERE; self.frame().len()];
        for (group, cells) in groups.iter().enumerate() {
            cells.iter().for_each(|&cell| group_of[self.points(cell)].fill(group as u32));
        }
        let some;
        let spanning = if cells.len() == self.count() {
            &self.spanning
        } else {
            some = spanning_edges(&self.trees, &cells, self.frame());
            &some
        };
        let kappa = class_agreement(spanning, &group_of, groups.len(), touching);
        Ok(AllTerms::new(lambda, kappa, self.nu(groups, touching)))
    }

    fn lambda(&self, groups: &[Vec<usize>], control: Control<'_>) -> Result<f64, Stopped> {
        let frame = self.frame();
        let (mut rows, mut starts) = (Vec::with_capacity(frame.rows.len()), vec![0]);
        for group in groups {
            for points in group.iter().map(|&cell| self.points(cell)) {
                rows.extend_from_slice(
                    &frame.rows[points.start * frame.features..points.end * frame.features],
                );
            }
            starts.push(rows.len() / frame.features);
        }
        lambda(&rows, frame.features, &starts, control)
    }

    /// The squared distance between the centroids of two unions.
    fn gap(&self, [a, b]: [&CellUnion; 2]) -> f64 {
        let mut gap = -a.inner - b.inner;
        for &(k, p) in &a.weights {
            gap += b.weights.iter().map(|&(l, q)| p * q * self.gaps[k * self.count() + l]).sum::<f64>();
        }
        gap.max(0.0)
    }

    fn costs_of(&self, groups: [&[usize]; 2]) -> [Vec<f64>; 2] {
        let sides = groups.map(|cells| CellUnion::of(self, cells));
        [0, 1].map(|own| {
            let factor = |label: usize| {
                let n = sides[label].size;
                if label == own { n / (n - 1.0) } else { n / (n + 1.0) }
            };
            let factors = [factor(0), factor(1)];
            let cost =
                |x: usize| factors[0] * sides[0].square(self, x) - factors[1] * sides[1].square(self, x);
            groups[own].iter().flat_map(|&cell| self.points(cell)).map(cost).collect()
        })
    }

    fn nu<C: AsRef<[usize]> + Sync>(&self, groups: &[C], touching: f64) -> f64 {
        let cells = || groups.iter().flat_map(|cells| cells.as_ref().iter());
        let n = cells().map(|&cell| self.points(cell).len()).sum();
        let mut votes = vec![0.0; groups.len() * groups.len()];
        parallel::for_chunks_mut(&mut votes, groups.len(), |group, votes| {
            for x in groups[group].as_ref().iter().flat_map(|&cell| self.points(cell)) {
                let nearest: Vec<Vec<f64>> =
                    groups.iter().map(|cells| self.nearest(x, cells.as_ref())).collect();
                votes_of(nearest.iter().map(Vec::as_slice), n, touching, |of, count| votes[of] += count);
            }
        });
        normalised_information(&votes, groups.len())
    }

    /// The smallest squared distances from a point to other points of a union.
    fn nearest(&self, x: usize, cells: &[usize]) -> Vec<f64> {
        let mut nearest: Vec<f64> =
            cells.iter().flat_map(|&cell| self.statistics.nearest(x, cell)).copied().collect();
        nearest.sort_by(f64::total_cmp);
        nearest.truncate(NEAREST);
        nearest
    }

    fn kappa(&self, groups: [&[usize]; 2], touching: f64) -> f64 {
        let mut cells = groups.concat();
        cells.sort_unstable();
        let mut group_of = vec![NOWHERE; self.frame().len()];
        for (group, cells) in groups.iter().enumerate() {
            cells.iter().for_each(|&cell| group_of[self.points(cell)].fill(group as u32));
        }
        class_agreement(&spanning_edges(&self.trees, &cells, self.frame()), &group_of, 2, touching)
    }
}

/// The edges of the spanning tree of the points of some cells, from the shortest to the longest, given the trees of all pairs.
fn spanning_edges(trees: &[Tree], cells: &[usize], frame: &Frame) -> Vec<PointEdge> {
    let edges = SpanningEdges::new(frame.len());
    for (at, &k) in cells.iter().enumerate() {
        for &l in &cells[at + 1..] {
            edges.add(path(&trees[pair_index(frame.classes(), k, l)]));
        }
    }
    edges.into_tree()
}

/// Means of some rows of each class.
fn means(frame: &Frame, members: &[Vec<usize>]) -> Vec<f64> {
    let mut means = vec![0.0; members.len() * frame.features];
    for (mean, rows) in means.chunks_exact_mut(frame.features).zip(members) {
        for &row in rows {
            mean.iter_mut().zip(frame.row(row)).for_each(|(sum, x)| *sum += x);
        }
        mean.iter_mut().for_each(|sum| *sum /= rows.len() as f64);
    }
    means
}

/// n x K: squared distances of all points to K places.
fn squares_to(frame: &Frame, places: &[f64]) -> Vec<f64> {
    let count = places.len() / frame.features;
    let mut squares = vec![0.0; frame.len() * count];
    parallel::for_chunks_mut(&mut squares, count, |row, squares| {
        let places = places.chunks_exact(frame.features);
        squares.iter_mut().zip(places).for_each(|(to, place)| *to = squared_distance(frame.row(row), place));
    });
    squares
}

/// One union of cells of a pair.
struct CellUnion {
    size: f64,
    /// The cells of the union with their shares of its points.
    weights: Vec<(usize, f64)>,
    /// `sum over k < l of w_k w_l D_kl`.
    inner: f64,
    /// The mean squared distance of its points to its centroid.
    variance: f64,
}

impl CellUnion {
    fn of(cells: &Cells, members: &[usize]) -> CellUnion {
        let size: f64 = members.iter().map(|&cell| cells.size(cell)).sum();
        let weights: Vec<(usize, f64)> =
            members.iter().map(|&cell| (cell, cells.size(cell) / size)).collect();
        let mut inner = 0.0;
        let mut rest = weights.as_slice();
        while let [(k, p), after @ ..] = rest {
            inner += after.iter().map(|(l, q)| p * q * cells.gaps[k * cells.count() + l]).sum::<f64>();
            rest = after;
        }
        let scatter = |cell: usize| {
            cells.points(cell).map(|x| cells.to_centroids[x * cells.count() + cell]).sum::<f64>()
        };
        let variance = members.iter().map(|&cell| scatter(cell)).sum::<f64>() / size + inner;
        CellUnion { size, weights, inner, variance }
    }

    /// The squared distance of a point to the centroid.
    fn square(&self, cells: &Cells, x: usize) -> f64 {
        let of = |&(cell, weight): &(usize, f64)| weight * cells.to_centroids[x * cells.count() + cell];
        (self.weights.iter().map(of).sum::<f64>() - self.inner).max(0.0)
    }
}

/// The mean squared distance of the points of two unions to their common centroid. `gap` is the squared distance between
/// the centroids of the two.
fn total(sides: &[CellUnion; 2], gap: f64) -> f64 {
    let n = sides[0].size + sides[1].size;
    let within = sides.iter().map(|side| side.size / n * side.variance).sum::<f64>();
    within + sides[0].size / n * (sides[1].size / n) * gap
}

/// The share of the variance of u that lies between the two classes, or 0 where their means lie on the wrong sides.
pub(super) fn eta(costs: &[Vec<f64>; 2]) -> f64 {
    let means = [0, 1].map(|side| costs[side].iter().sum::<f64>() / costs[side].len() as f64);
    if means[1] <= means[0] {
        return 0.0;
    }
    let sizes = [0, 1].map(|side| costs[side].len() as f64);
    let squares = [0, 1].map(|side| {
        let square = |u: &f64| {
            let gap = u - means[side];
            gap * gap
        };
        costs[side].iter().map(square).sum::<f64>()
    });
    let rise = means[1] - means[0];
    let between = sizes[0] * sizes[1] / (sizes[0] + sizes[1]) * rise * rise;
    between / (between + squares[0] + squares[1])
}

#[cfg(test)]
mod tests;

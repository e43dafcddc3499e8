//! The tree of two sets whose trees are known.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::parallel;
use crate::simd::cross::{self, COLUMNS, Limits, NearestSoFar, PackedSide};
use crate::{Control, Stopped};

use crate::trees::direct;
use crate::trees::limits::{Balls, ROWS, TreeLimits};
use crate::trees::points::Points;
use crate::trees::tree::{Tree, TreeEdge};

/// Sets with at most this many points together are compared one by one.
const FEW: usize = 96;
/// One in this many panels of rows is examined for nearest neighbours, which give the first limits.
const SEED_STEP: usize = 16;
/// How many panels of rows are examined together: they stay in the second cache.
const ROW_CHUNK: usize = 16;
/// How many panels of columns are examined together.
const COLUMN_CHUNK: usize = 64;
/// With at most this many features, tiles whose points are far from each other are skipped.
const FEATURES_OF_BALLS: usize = 16;
/// What steps are made of.
const PAIRS: &str = "pairs of points";
/// From this many pairs of points on, the work is split between threads.
const MANY_PAIRS: usize = 1 << 18;

/// The minimum spanning tree of the points of two trees that have no point in common.
///
/// Progress is reported in pairs of points: each step says how many more were compared.
///
/// Time: O(n m d). Memory: O((n + m) (d + log(n + m))).
///
/// # Errors
/// [`Stopped`] if `control` says so.
pub fn merge(points: Points<'_>, a: &Tree, b: &Tree, control: Control<'_>) -> Result<Tree, Stopped> {
    control.check()?;
    if a.n_points() + b.n_points() <= FEW {
        return Ok(direct::merged(points, a, b));
    }
    // The larger set makes the columns, whose panels are wider.
    let (rows, columns) = if a.n_points() <= b.n_points() { (a, b) } else { (b, a) };
    let merging = TreeMerging::new(points, rows, columns);
    let tree = merging.run(control)?;
    if merging.pairs() < MANY_PAIRS {
        control.report(PAIRS, merging.pairs(), 0);
    }
    Ok(tree.renamed(|place| merging.members[place as usize]))
}

/// Two sets that are being merged: the rows are the points 0 .. n, the columns n .. n + m.
struct TreeMerging<'a> {
    points: Points<'a>,
    members: Vec<u32>,
    trees: [&'a Tree; 2],
    packed: [PackedSide; 2],
    balls: Option<[Balls; 2]>,
}

impl<'a> TreeMerging<'a> {
    fn new(points: Points<'a>, rows: &'a Tree, columns: &'a Tree) -> Self {
        let members: Vec<u32> = rows.order().iter().chain(columns.order()).copied().collect();
        let row = |&point: &u32| points.row(point);
        let (of_rows, of_columns) = (rows.order().iter().map(row), columns.order().iter().map(row));
        let features = points.features();
        let centre = tighter_mean(points, rows.order(), columns.order());
        let packed =
            [PackedSide::rows(of_rows.clone(), &centre), PackedSide::columns(of_columns.clone(), &centre)];
        let balls = (features <= FEATURES_OF_BALLS)
            .then(|| [Balls::of(of_rows, features, ROWS), Balls::of(of_columns, features, COLUMNS)]);
        TreeMerging { points, members, trees: [rows, columns], packed, balls }
    }

    fn first_column(&self) -> usize {
        self.trees[0].n_points()
    }

    fn run(&self, control: Control<'_>) -> Result<Tree, Stopped> {
        let n = self.members.len();
        let mut edges: Vec<TreeEdge> =
            self.trees[0].path(0).chain(self.trees[1].path(self.first_column() as u32)).collect();
        edges.append(&mut self.seeds(control)?);
        let mut tree = Tree::of_edges(n, &mut edges);
        let mut left = in_stages(self.packed[0].panels());
        let mut stage = left.len().div_ceil(SEED_STEP);
        if self.pairs() <= SMALL_PAIRS {
            stage = left.len();
        }
        while !left.is_empty() {
            let later = left.split_off(stage.min(left.len()));
            let (found, skipped) = self.look(&tree, &left, control)?;
            edges.clear();
            edges.extend(tree.edges());
            edges.extend(found);
            tree = Tree::of_edges(n, &mut edges);
            left = [skipped, later].concat();
            stage *= 2;
        }
        Ok(tree)
    }

    fn pairs(&self) -> usize {
        self.first_column() * (self.members.len() - self.first_column())
    }

    /// Edges to nearest neighbours: from some rows to all columns, and from all columns to these rows.
    fn seeds(&self, control: Control<'_>) -> Result<Vec<TreeEdge>, Stopped> {
        let [rows, columns] = &self.packed;
        let step = if self.pairs() <= SMALL_PAIRS { SMALL_SEED_STEP } else { SEED_STEP };
        let panels: Vec<u32> = (0..rows.panels() as u32).step_by(step).collect();
        let of_chunk = |panels: &[u32]| -> Result<[NearestSoFar; 2], Stopped> {
            control.check()?;
            let mut nearest = [NearestSoFar::new(rows), NearestSoFar::new(columns)];
            let [of_rows, of_columns] = &mut nearest;
            cross::nearest([rows, columns], panels, [of_rows, of_columns]);
            Ok(nearest)
        };
        // One list per chunk. All edges in the lists exist, and the shortest are used.
        let chunks: Vec<&[u32]> = panels.chunks(panels.len().div_ceil(SEED_CHUNKS).max(ROW_CHUNK)).collect();
        let lists = self.each(&chunks, |panels| of_chunk(panels))?;
        let (n, m) = (self.first_column(), self.members.len() - self.first_column());
        let mut edges = Vec::new();
        for [of_rows, of_columns] in &lists {
            let from_rows = (0..n).filter_map(|row| of_rows.of(row).map(|column| [row as u32, column]));
            let from_columns =
                (0..m).filter_map(|column| of_columns.of(column).map(|row| [row, column as u32]));
            edges.extend(from_rows.chain(from_columns).map(|[row, column]| self.edge(row, column)));
        }
        edges.sort_by(|a, b| a.length.total_cmp(&b.length));
        Ok(edges)
    }

    fn edge(&self, row: u32, column: u32) -> TreeEdge {
        let ends = [row, self.first_column() as u32 + column];
        let [a, b] = ends.map(|end| self.members[end as usize]);
        TreeEdge { length: self.points.length(a, b), ends }
    }

    /// Edges of some panels of rows that are shorter than the minimax of their ends, shortest first. Also returns the panels
    /// left for later, because so many edges were found that it pays to rebuild the tree first.
    fn look(
        &self,
        tree: &Tree,
        panels: &[u32],
        control: Control<'_>,
    ) -> Result<(Vec<TreeEdge>, Vec<u32>), Stopped> {
        let limits = TreeLimits::of(tree, self.first_column(), [&self.packed[0], &self.packed[1]]);
        let enough = self.members.len() / 2;
        let so_far = AtomicUsize::new(0);
        let chunks: Vec<&[u32]> = panels.chunks(ROW_CHUNK).collect();
        let found = self.each(&chunks, |panels| {
            if so_far.load(Ordering::Relaxed) > enough {
                return Ok((Vec::new(), panels.to_vec()));
            }
            control.check()?;
            let edges = self.look_at_chunk(&limits, panels);
            if self.pairs() >= MANY_PAIRS {
                control.report(PAIRS, panels.len() * ROWS * self.packed[1].panels() * COLUMNS, 0);
            }
            so_far.fetch_add(edges.len(), Ordering::Relaxed);
            Ok((edges, Vec::new()))
        })?;
        let (mut edges, skipped): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let mut edges = edges.drain(..).flatten().collect::<Vec<TreeEdge>>();
        edges.sort_by(|a, b| a.length.total_cmp(&b.length));
        Ok((edges, skipped.concat()))
    }

    fn look_at_chunk(&self, limits: &TreeLimits, panels: &[u32]) -> Vec<TreeEdge> {
        let [rows, columns] = &self.packed;
        let (mut edges, mut near, mut tiles) = (Vec::new(), Vec::new(), Vec::new());
        for first in (0..columns.panels()).step_by(COLUMN_CHUNK) {
            let column_panels = first..columns.panels().min(first + COLUMN_CHUNK);
            tiles.clear();
            for &row_panel in panels {
                tiles.extend(
                    column_panels.clone().map(|column| self.limit(limits, row_panel as usize, column)),
                );
            }
            near.clear();
            let given = Limits { rows: &limits.rows, columns: &limits.columns, tiles: &tiles };
            cross::near([rows, columns], panels, column_panels, given, &mut near);
            for pair in &near {
                let minimax = limits.between(pair.row, pair.column);
                if pair.square < minimax {
                    let edge = self.edge(pair.row, pair.column);
                    if edge.length < minimax {
                        edges.push(edge);
                    }
                }
            }
        }
        edges
    }

    /// The limit of a tile; negative if none of its edges can be useful.
    fn limit(&self, limits: &TreeLimits, row_panel: usize, column_panel: usize) -> f64 {
        let first = limits.of_panels(row_panel, column_panel);
        match &self.balls {
            Some([rows, columns])
                if rows.apart(row_panel, columns, column_panel)
                    >= limits.of_tile(row_panel, column_panel, first) =>
            {
                -1.0
            }
            _ => first,
        }
    }

    /// Calls `work` for each item, on several threads if there are many pairs of points.
    fn each<T: Sync, R: Send>(
        &self,
        items: &[T],
        work: impl Fn(&T) -> Result<R, Stopped> + Sync,
    ) -> Result<Vec<R>, Stopped> {
        if self.pairs() >= MANY_PAIRS {
            parallel::try_map(items, work)
        } else {
            items.iter().map(work).collect()
        }
    }
}

/// Up to this many pairs of points, all rows are examined in one stage, after more nearest neighbours.
const SMALL_PAIRS: usize = 160_000;
/// Takes the place of [`SEED_STEP`] up to [`SMALL_PAIRS`].
const SMALL_SEED_STEP: usize = 4;
/// At most this many lists of nearest neighbours are kept at the same time.
const SEED_CHUNKS: usize = 8;

/// Panels in an order in which every prefix is spread evenly over all panels.
fn in_stages(panels: usize) -> Vec<u32> {
    let mut order = Vec::with_capacity(panels);
    let mut step = SEED_STEP;
    let mut seen = vec![false; panels];
    while step > 0 {
        for panel in (step / 2..panels).step_by(step) {
            if !std::mem::replace(&mut seen[panel], true) {
                order.push(panel as u32);
            }
        }
        step /= 2;
    }
    order
}

/// The mean of the set with the smaller variance. Points of the other set are either far away from this set, or near its mean
/// themselves, so little cancels.
fn tighter_mean(points: Points<'_>, a: &[u32], b: &[u32]) -> Vec<f64> {
    let [(mean, variance), (other, other_variance)] =
        [a, b].map(|members| mean_and_variance(points, members));
    if variance <= other_variance { mean } else { other }
}

fn mean_and_variance(points: Points<'_>, members: &[u32]) -> (Vec<f64>, f64) {
    let share = 1.0 / members.len() as f64;
    let mut mean = vec![0.0; points.features()];
    for &member in members {
        mean.iter_mut().zip(points.row(member)).for_each(|(sum, x)| *sum += x * share);
    }
    let squares =
        members.iter().map(|&member| crate::simd::sums::squared_distance(points.row(member), &mean));
    let variance = squares.sum::<f64>() * share;
    (mean, variance)
}

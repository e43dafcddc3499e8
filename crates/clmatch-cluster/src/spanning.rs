//! Minimum spanning trees of all points, by Prim's algorithm, without a matrix of distances.
//!
//! The length of an edge is the mutual reachability distance `max(core(x), core(y), |x - y|)`; with cores of 0 it is
//! the distance itself. Cutting the tree at a height gives the clusters of single linkage, and with cores those of
//! DBSCAN at that radius; the merges in order of length are the hierarchy of HDBSCAN.
//!
//! Time: O(n^2 d). Memory: O(n d).

use crate::rows::SquaredRows;
use clmatch_kernels::simd::LANES;
use clmatch_kernels::simd::panels::Panels;
use clmatch_kernels::simd::tree::relax;
use clmatch_kernels::{Stop, Stopped};

/// The points outside the tree are packed anew once more than one in `REPACK` of the packed points is in the tree.
const REPACK: usize = 8;
/// Steps between two checks of the stop flag.
const LOOK: usize = 64;

/// An edge of the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The end that was in the tree before.
    pub from: u32,
    /// The end that this edge brought into the tree.
    pub to: u32,
    /// The length of the edge.
    pub length: f64,
}

/// The edges of a minimum spanning tree, shortest first. Equally long ones are in the order in which Prim's algorithm
/// finds them from point 0 on.
///
/// `cores` are squared.
pub(crate) fn spanning_tree(
    rows: &SquaredRows<'_>,
    cores: &[f64],
    stop: &Stop,
) -> Result<Vec<Edge>, Stopped> {
    let n = rows.points().n_points();
    let mut edges = Vec::with_capacity(n - 1);
    let mut outside = Outside::new(rows, cores);
    let mut current = 0;
    outside.leave(0);
    for step in 1..n {
        if step % LOOK == 0 {
            stop.check()?;
        }
        let place = outside.relax(rows, current, cores[current]);
        let (from, length) = (outside.sources[place], outside.best[place].sqrt());
        current = outside.points[place] as usize;
        edges.push(Edge { from, to: current as u32, length });
        outside.leave(place);
    }
    edges.sort_by(|a, b| a.length.total_cmp(&b.length));
    Ok(edges)
}

/// The points that are not in the tree, in ascending order, and the shortest edge from the tree to each. A point that
/// entered the tree may remain for a while, with infinite numbers.
struct Outside {
    points: Vec<u32>,
    cores: Vec<f64>,
    best: Vec<f64>,
    sources: Vec<u32>,
    /// `None` where distances are stored.
    panels: Option<Panels>,
    squares: Vec<f64>,
    left: usize,
}

impl Outside {
    fn new(rows: &SquaredRows<'_>, cores: &[f64]) -> Outside {
        let n = rows.points().n_points();
        let mut outside = Outside {
            points: (0..n as u32).collect(),
            cores: cores.to_vec(),
            best: vec![f64::INFINITY; n],
            sources: vec![0; n],
            panels: None,
            squares: Vec::new(),
            left: 0,
        };
        if rows.of(0).is_none() {
            outside.pack(rows);
        }
        outside
    }

    fn pack(&mut self, rows: &SquaredRows<'_>) {
        let points = rows.points();
        let panels =
            Panels::new(self.points.iter().map(|&point| points.row(point as usize)), points.n_features());
        self.squares.resize(panels.padded(), 0.0);
        self.panels = Some(panels);
    }

    /// Marks the point at this place as part of the tree.
    fn leave(&mut self, place: usize) {
        self.cores[place] = f64::INFINITY;
        self.best[place] = f64::INFINITY;
        self.left += 1;
    }

    /// Examines the edges from a point that just entered the tree, and returns the place of the nearest point outside.
    fn relax(&mut self, rows: &SquaredRows<'_>, current: usize, core: f64) -> usize {
        if self.panels.is_some() && self.left > (self.points.len() / REPACK).max(LANES) {
            self.forget();
            self.pack(rows);
        }
        if let Some(panels) = &self.panels {
            panels.squared_distances(rows.points().row(current), &mut self.squares);
            rows.ties().round(&mut self.squares);
        }
        let squares = rows.of(current).unwrap_or(&self.squares);
        relax(squares, &self.cores, core, current as u32, &mut self.best, &mut self.sources)
    }

    /// Drops the points that are in the tree.
    fn forget(&mut self) {
        let mut kept = 0;
        for place in 0..self.points.len() {
            if self.cores[place] < f64::INFINITY {
                self.points[kept] = self.points[place];
                self.cores[kept] = self.cores[place];
                self.best[kept] = self.best[place];
                self.sources[kept] = self.sources[place];
                kept += 1;
            }
        }
        self.points.truncate(kept);
        self.cores.truncate(kept);
        self.best.truncate(kept);
        self.sources.truncate(kept);
        self.left = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbours::Neighbours;
    use crate::ties::Ties;
    use clmatch::Matrix;

    #[test]
    fn distances_that_are_not_kept_give_the_same_tree() {
        let values: Vec<f64> = (0..900_u64).map(|at| (at * at * 7919 % 10_007) as f64 / 100.0).collect();
        for features in [1, 3] {
            let (points, stop) = (Matrix::new(&values, features).unwrap(), Stop::new());
            let [kept, computed] =
                [usize::MAX, 0].map(|bytes| SquaredRows::within(&points, Ties::Exact, bytes, &stop).unwrap());
            assert!(kept.of(0).is_some() && computed.of(0).is_none());
            for rank in [0, 4] {
                let tree = |rows: &SquaredRows<'_>| {
                    let cores = Neighbours::new(rows, 5, &stop).unwrap().cores(rank);
                    spanning_tree(rows, &cores, &stop).unwrap()
                };
                assert_eq!(tree(&kept), tree(&computed));
            }
        }
    }
}

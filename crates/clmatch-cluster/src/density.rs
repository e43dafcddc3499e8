//! What DBSCAN, HDBSCAN and single linkage share: nearest neighbours, and a spanning tree for each number of them.

use crate::neighbours::Neighbours;
use crate::rows::SquaredRows;
use crate::spanning::{Edge, spanning_tree};
use crate::ties::Ties;
use clmatch::Matrix;
use clmatch_kernels::{Stop, Stopped};

/// Points with their nearest neighbours, ready for spanning trees.
pub struct Density<'a> {
    rows: SquaredRows<'a>,
    neighbours: Neighbours,
}

impl<'a> Density<'a> {
    /// Finds the nearest `neighbours` other points of each point: enough for `min_samples` up to that number in HDBSCAN,
    /// and up to one more in DBSCAN, which counts the point itself.
    ///
    /// Time: O(n^2 d). Memory: O(n (d + neighbours)), and at most half a gigabyte for distances.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn new(
        points: &'a Matrix<'a>,
        neighbours: usize,
        ties: Ties,
        stop: &Stop,
    ) -> Result<Density<'a>, Stopped> {
        let rows = SquaredRows::new(points, ties, stop)?;
        let neighbours = Neighbours::new(&rows, neighbours, stop)?;
        Ok(Density { rows, neighbours })
    }

    /// The minimum spanning tree of mutual reachability distances, where the core distance of a point is its distance to
    /// its `rank`-th nearest other point; rank 0 and rank 1 both give the plain distances. Shortest edges first.
    ///
    /// Time: O(n^2 d), or O(n^2) where distances are kept. Memory: O(n d).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn tree(&self, rank: usize, stop: &Stop) -> Result<Vec<Edge>, Stopped> {
        // No other point is nearer than the nearest one, so a core distance of rank 1 never exceeds a distance.
        let rank = if rank == 1 { 0 } else { rank };
        spanning_tree(&self.rows, &self.neighbours.cores(rank), stop)
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.rows.points().n_points()
    }

    pub(crate) fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }
}

impl std::fmt::Debug for Density<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Density").field("points", &self.points()).finish_non_exhaustive()
    }
}

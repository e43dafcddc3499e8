//! For each point, the nearest of all points, or the farthest.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::sums::squared_distance;
use clmatch_kernels::{Control, Stopped};

use crate::kernels::class_lists::{Neighbour, insert_all};
use crate::kernels::frame::Frame;
use crate::kernels::row_sweep::RowSweep;

/// Which end of the distances to search for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Nearest,
    Farthest,
}

/// For each point, other points, the nearest (or farthest) first. Memory: O(n depth).
pub(super) struct NeighbourLists {
    depth: usize,
    neighbours: Vec<Neighbour>,
}

impl NeighbourLists {
    /// Finds `depth` points for each point; `depth` is less than the number of points.
    ///
    /// Time: O(n^2 d). Memory: O(n depth).
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn new(
        frame: &Frame,
        sweep: &RowSweep,
        end: End,
        depth: usize,
        control: Control<'_>,
    ) -> Result<NeighbourLists, Stopped> {
        let none = Neighbour { square: f64::INFINITY, point: u32::MAX };
        let mut neighbours = vec![none; frame.len() * depth];
        let sign = if end == End::Nearest { 1.0 } else { -1.0 };
        sweep.each_block(
            &mut neighbours,
            depth,
            || (),
            control,
            |first_row, chunk, (), part| {
                for (at, list) in part.chunks_exact_mut(depth).enumerate() {
                    let own = first_row + at;
                    match end {
                        End::Nearest => insert_all(list, chunk.row(at), chunk.first, own),
                        End::Farthest => {
                            let negated: Vec<f64> = chunk.row(at).iter().map(|square| -square).collect();
                            insert_all(list, &negated, chunk.first, own);
                        }
                    }
                }
            },
        )?;
        // Products lose digits to cancellation; differences do not.
        parallel::for_chunks_mut(&mut neighbours, depth, |row, list| {
            for neighbour in list.iter_mut() {
                neighbour.square = squared_distance(frame.row(row), frame.row(neighbour.point as usize));
            }
            list.sort_by(|a, b| (sign * a.square).total_cmp(&(sign * b.square)));
        });
        Ok(NeighbourLists { depth, neighbours })
    }

    /// The points in the list of a point.
    pub(super) fn of(&self, point: usize) -> &[Neighbour] {
        &self.neighbours[point * self.depth..(point + 1) * self.depth]
    }

    /// How many points have a list.
    pub(super) fn len(&self) -> usize {
        self.neighbours.len() / self.depth
    }
}

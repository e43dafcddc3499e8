//! The nearest points of each point among all points, or the farthest.

use clmatch_simd::sums::squared_distance;
use clmatch_stop::{Control, Stopped};
use rayon::prelude::*;

use crate::kernels::class_lists::Neighbour;
use crate::kernels::frame::Frame;
use crate::kernels::row_sweep::RowSweep;

/// Which end of the distances is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Nearest,
    Farthest,
}

/// Other points of each point, the nearest (or farthest) first. Memory: O(n depth).
pub(super) struct Lists {
    depth: usize,
    neighbours: Vec<Neighbour>,
}

impl Lists {
    /// Looks for `depth` points, fewer than there are.
    ///
    /// Time: O(n^2 d). Memory: O(n depth).
    ///
    /// # Errors
    /// [`Stopped`] if `control` says so.
    pub(super) fn new(
        frame: &Frame,
        sweep: &RowSweep,
        end: End,
        depth: usize,
        control: Control<'_>,
    ) -> Result<Lists, Stopped> {
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
                    let mut worst = list[depth - 1].square;
                    for (column, &square) in (chunk.first..).zip(chunk.row(at)) {
                        let square = sign * square;
                        if square < worst && column != own {
                            let place = list.partition_point(|neighbour| neighbour.square <= square);
                            list.copy_within(place..depth - 1, place + 1);
                            list[place] = Neighbour { square, point: column as u32 };
                            worst = list[depth - 1].square;
                        }
                    }
                }
            },
        )?;
        // Products cancel; differences do not.
        neighbours.par_chunks_exact_mut(depth).enumerate().for_each(|(row, list)| {
            for neighbour in list.iter_mut() {
                neighbour.square = squared_distance(frame.row(row), frame.row(neighbour.point as usize));
            }
            list.sort_by(|a, b| (sign * a.square).total_cmp(&(sign * b.square)));
        });
        Ok(Lists { depth, neighbours })
    }

    /// The points that are in the list of a point.
    pub(super) fn of(&self, point: usize) -> &[Neighbour] {
        &self.neighbours[point * self.depth..(point + 1) * self.depth]
    }

    /// How many points have a list.
    pub(super) fn len(&self) -> usize {
        self.neighbours.len() / self.depth
    }
}

//! The nearest other points of each point.

use crate::rows::SquaredRows;
use clmatch_kernels::parallel;
use clmatch_kernels::{Stop, Stopped};

/// How many points a thread handles at a time.
const CHUNK: usize = 64;

/// The `count` nearest other points of each point, nearest first, equally near ones by index.
#[derive(Debug, Clone)]
pub(crate) struct Neighbours {
    count: usize,
    /// The (squared distance, index) of each neighbour: `count` for each of n points.
    nearest: Vec<(f64, u32)>,
}

impl Neighbours {
    /// Time: O(n^2 d), or O(n^2) where distances are kept. Memory: O(n count).
    pub(crate) fn new(rows: &SquaredRows<'_>, count: usize, stop: &Stop) -> Result<Neighbours, Stopped> {
        let n = rows.points().n_points();
        let count = count.min(n - 1);
        let mut nearest = vec![(f64::INFINITY, u32::MAX); n * count];
        if count > 0 {
            parallel::try_for_chunks_mut(&mut nearest, CHUNK * count, |chunk, nearest| {
                let first = chunk * CHUNK;
                rows.each(first..first + nearest.len() / count, |point, squares| {
                    fill(&mut nearest[(point - first) * count..][..count], point, squares);
                });
                stop.check()
            })?;
        }
        Ok(Neighbours { count, nearest })
    }

    /// The neighbours of a point, nearest first.
    pub(crate) fn of(&self, point: usize) -> &[(f64, u32)] {
        &self.nearest[point * self.count..(point + 1) * self.count]
    }

    /// The squared distance of each point to its `rank`-th nearest other point (from 1); 0 for rank 0. If there are fewer
    /// other points, the distance to the last of them.
    pub(crate) fn cores(&self, rank: usize) -> Vec<f64> {
        let n = self.nearest.len().checked_div(self.count).unwrap_or(1);
        match rank.min(self.count) {
            0 => vec![0.0; n],
            rank => (0..n).map(|point| self.of(point)[rank - 1].0).collect(),
        }
    }
}

/// Inserts a point's distances into a short sorted list; most points are farther than its end and cost one comparison.
fn fill(list: &mut [(f64, u32)], point: usize, squares: &[f64]) {
    let last = list.len() - 1;
    for (other, &square) in squares.iter().enumerate() {
        if square < list[last].0 && other != point {
            let place = list.partition_point(|&(nearer, _)| nearer <= square);
            list[place..].rotate_right(1);
            list[place] = (square, other as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ties::Ties;
    use clmatch::Matrix;

    #[test]
    fn neighbours_on_a_line() {
        let values = [0.0, 1.0, 3.0, 3.0, 10.0];
        let points = Matrix::new(&values, 1).unwrap();
        let rows = SquaredRows::new(&points, Ties::Exact, &Stop::new()).unwrap();
        let neighbours = Neighbours::new(&rows, 2, &Stop::new()).unwrap();
        assert_eq!(neighbours.of(0), [(1.0, 1), (9.0, 2)]);
        assert_eq!(neighbours.of(1), [(1.0, 0), (4.0, 2)]);
        assert_eq!(neighbours.of(2), [(0.0, 3), (4.0, 1)]);
        assert_eq!(neighbours.cores(0), [0.0; 5]);
        assert_eq!(neighbours.cores(2), [9.0, 4.0, 4.0, 4.0, 49.0]);
        assert_eq!(Neighbours::new(&rows, 9, &Stop::new()).unwrap().of(4)[3], (100.0, 0));
    }
}

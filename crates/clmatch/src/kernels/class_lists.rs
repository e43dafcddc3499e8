//! For every point, the nearest points of every class, with their indices.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::sums::squared_distance;
use clmatch_kernels::{Control, Stopped};

use super::frame::Frame;
use super::row_sweep::RowSweep;

/// A point near another one, in class order, and its squared distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighbour {
    pub(crate) square: f64,
    pub(crate) point: u32,
}

/// Fills a list if a class has no more points.
const NONE: Neighbour = Neighbour { square: f64::INFINITY, point: u32::MAX };

/// For every point, the nearest points of every class. Memory: O(n K depth).
#[derive(Debug, Clone)]
pub(crate) struct ClassLists {
    depth: usize,
    classes: usize,
    neighbours: Vec<Neighbour>,
}

impl ClassLists {
    /// Finds the `depth` nearest other points of every class. If several points are at the same distance, rounding determines
    /// which of them are in the last places.
    ///
    /// Time: O(n^2 d). Memory: O(n K depth).
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(crate) fn new(frame: &Frame, depth: usize, control: Control<'_>) -> Result<ClassLists, Stopped> {
        let (n, classes) = (frame.len(), frame.classes());
        let mut neighbours = vec![NONE; n * classes * depth];
        let sweep = RowSweep::new(frame);
        sweep.each_block(
            &mut neighbours,
            classes * depth,
            || (),
            control,
            |first_row, chunk, (), part| {
                let end = chunk.first + chunk.len;
                let touched = frame.starts.partition_point(|&start| start <= chunk.first) - 1;
                for (at, lists) in part.chunks_exact_mut(classes * depth).enumerate() {
                    let row = chunk.row(at);
                    for (class, list) in lists.chunks_exact_mut(depth).enumerate().skip(touched) {
                        let (from, to) =
                            (frame.starts[class].max(chunk.first), frame.starts[class + 1].min(end));
                        if from >= end {
                            break;
                        }
                        insert_all(list, &row[from - chunk.first..to - chunk.first], from, first_row + at);
                    }
                }
            },
        )?;
        // Products lose digits to cancellation; differences do not.
        parallel::for_chunks_mut(&mut neighbours, classes * depth, |row, lists| {
            for list in lists.chunks_exact_mut(depth) {
                for neighbour in list.iter_mut().filter(|neighbour| neighbour.point != NONE.point) {
                    neighbour.square = squared_distance(frame.row(row), frame.row(neighbour.point as usize));
                }
                list.sort_by(|a, b| a.square.total_cmp(&b.square));
            }
        });
        Ok(ClassLists { depth, classes, neighbours })
    }

    /// The points of a class that are nearest to a point, the nearest first; fewer if the class has fewer.
    pub(crate) fn of(&self, point: usize, class: usize) -> impl Iterator<Item = Neighbour> + Clone {
        let start = (point * self.classes + class) * self.depth;
        self.neighbours[start..start + self.depth].iter().copied().take_while(|n| n.point != NONE.point)
    }
}

/// Inserts a squared distance into an ascending list if it is below the last one.
pub(crate) fn insert_square(ascending: &mut [f64], square: f64) {
    let last = ascending.len() - 1;
    if square >= ascending[last] {
        return;
    }
    let at = ascending.partition_point(|&known| known <= square);
    ascending.copy_within(at..last, at + 1);
    ascending[at] = square;
}

/// Points that are skipped at a time if none of them is near.
const STRIDE: usize = 16;

/// Inserts points into a sorted list if they are nearer than its last one, except the point whose list it is.
pub(crate) fn insert_all(list: &mut [Neighbour], squares: &[f64], first: usize, own: usize) {
    let last = list.len() - 1;
    let mut worst = list[last].square;
    for (stride, squares) in squares.chunks(STRIDE).enumerate() {
        // Without branches, so that it can be vectorised.
        let near = squares.iter().fold(false, |near, &square| near | (square < worst));
        if !near {
            continue;
        }
        for (at, &square) in (first + stride * STRIDE..).zip(squares) {
            if square < worst && at != own {
                let mut place = last;
                while place > 0 && list[place - 1].square > square {
                    list[place] = list[place - 1];
                    place -= 1;
                }
                list[place] = Neighbour { square, point: at as u32 };
                worst = list[last].square;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::random::SplitMix;
    use crate::kernels::stream::Origin;
    use crate::{Classes, Labels, Points};

    #[test]
    fn lists_are_those_of_a_full_search() {
        for (n, features, classes) in [(40, 1, 2), (90, 3, 4), (2000, 5, 3), (70, 130, 20)] {
            let mut random = SplitMix::new(n as u64);
            let mut number = || (random.next() >> 40) as f64;
            let values: Vec<f64> = (0..n * features).map(|_| number()).collect();
            let labels = Labels::encode((0..n).map(|row| (row * row + row / 3) % classes));
            let data = Classes::new(Points::new(values, features).unwrap(), &labels).unwrap();
            let frame = Frame::new(&data, &Origin::exact(&data));
            let depth = 6;
            let lists = ClassLists::new(&frame, depth, Control::none()).unwrap();
            for point in (0..n).step_by(7) {
                for class in 0..frame.classes() {
                    let members = frame.starts[class]..frame.starts[class + 1];
                    let square = |&other: &usize| squared_distance(frame.row(point), frame.row(other));
                    let mut expected: Vec<f64> =
                        members.filter(|&other| other != point).map(|other| square(&other)).collect();
                    expected.sort_by(f64::total_cmp);
                    expected.truncate(depth);
                    let found: Vec<f64> = lists.of(point, class).map(|neighbour| neighbour.square).collect();
                    assert_eq!(found, expected, "{n} x {features}, {point} to {class}");
                }
            }
        }
    }
}

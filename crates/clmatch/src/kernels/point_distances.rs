//! Distances from chosen points to all points, for data where a sweep over all pairs would take too long.
//!
//! One pass serves both ends of a distance: the chosen point gets its exact sums and neighbours over all points
//! ([`PointDistances`]), and all points get their distances to the chosen points ([`DistanceColumns`]).

use std::ops::Range;

use clmatch_kernels::parallel;

use super::frame::Frame;
use super::pairs::NEAREST;
use super::squared_distance;
use crate::needs::Needs;

/// Points that one task compares with a batch of chosen ones. Tasks must not depend on the number of threads.
const CHUNK: usize = 1024;
/// Chosen points that are compared at a time, so that a task returns little for them.
const BATCH: usize = 256;

/// Why a point was chosen, which determines what its distances say about the others of its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChosenPart {
    /// Chosen with certainty.
    Certain,
    /// Drawn at random, into the first half of the sample.
    First,
    /// Drawn at random, into the second half.
    Second,
}

/// How many parts there are.
pub(crate) const PARTS: usize = 3;

/// A chosen point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChosenPoint {
    pub(crate) point: usize,
    pub(crate) class: usize,
    pub(crate) part: ChosenPart,
}

/// Distances from one point to all others, class by class.
#[derive(Debug, Clone)]
pub(crate) struct PointDistances {
    /// Sum of distances to each class.
    pub(crate) sums: Vec<f64>,
    /// K x 5: the smallest squared distances to other points of each class, ascending, padded with infinity.
    pub(crate) nearest: Vec<f64>,
}

/// What all points know about the chosen ones. Tables that are not needed are empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct DistanceColumns {
    classes: usize,
    /// n x K x 3: sums of distances to the chosen points of each class and part.
    sums: Vec<f64>,
    /// n x 5: the smallest squared distances to chosen points of the point's own class, without the point itself.
    own: Vec<f64>,
    /// n x K: the smallest squared distance to a chosen point of each class, without the point itself.
    closest: Vec<f64>,
}

impl DistanceColumns {
    /// Columns without any chosen points yet. Memory: O(n K).
    pub(crate) fn new(frame: &Frame, needs: Needs) -> Self {
        let (points, classes) = (frame.len(), frame.classes());
        let when = |wanted: bool, len: usize, value: f64| if wanted { vec![value; len] } else { Vec::new() };
        DistanceColumns {
            classes,
            sums: when(needs.has(Needs::SUMS), points * classes * PARTS, 0.0),
            own: when(needs.has(Needs::NEAREST), points * NEAREST, f64::INFINITY),
            closest: when(needs.has(Needs::NEAREST), points * classes, f64::INFINITY),
        }
    }

    /// The sums of the distances from a point to the chosen points of a class, part by part.
    pub(crate) fn sums(&self, point: usize, class: usize) -> &[f64] {
        &self.sums[(point * self.classes + class) * PARTS..][..PARTS]
    }

    /// The squared distance from a point to the fifth nearest chosen point of its own class.
    pub(crate) fn fifth_of_own(&self, point: usize) -> f64 {
        self.own[point * NEAREST + NEAREST - 1]
    }

    /// The squared distance from a point to the nearest chosen point of a class.
    pub(crate) fn closest(&self, point: usize, class: usize) -> f64 {
        self.closest[point * self.classes + class]
    }
}

/// Compares chosen points with all points, and enters the distances into the columns, if given.
///
/// Time: O(m n d) for m chosen points. Memory: O(m K) for the result.
pub(crate) fn compare(
    frame: &Frame,
    chosen: &[ChosenPoint],
    needs: Needs,
    columns: Option<&mut DistanceColumns>,
) -> Vec<PointDistances> {
    let mut rows = Vec::with_capacity(chosen.len());
    let mut columns = columns;
    for batch in chosen.chunks(BATCH) {
        rows.extend(compare_batch(frame, batch, needs, columns.as_deref_mut()));
    }
    rows
}

fn compare_batch(
    frame: &Frame,
    batch: &[ChosenPoint],
    needs: Needs,
    columns: Option<&mut DistanceColumns>,
) -> Vec<PointDistances> {
    let mut tasks = tasks(frame, columns);
    let partial: Vec<Vec<Partial>> = parallel::map_mut(&mut tasks, |_, task| task.run(frame, batch, needs));
    let classes = frame.classes();
    let mut rows: Vec<PointDistances> = batch
        .iter()
        .map(|_| PointDistances { sums: vec![0.0; classes], nearest: vec![f64::INFINITY; classes * NEAREST] })
        .collect();
    for (&PointTask { class, .. }, partial) in tasks.iter().zip(partial) {
        for (row, part) in rows.iter_mut().zip(partial) {
            row.sums[class] += part.sum;
            let nearest = &mut row.nearest[class * NEAREST..(class + 1) * NEAREST];
            part.nearest.iter().for_each(|&square| insert(nearest, square));
        }
    }
    rows
}

/// The results of a chosen point for some points of one class.
#[derive(Debug, Clone, Copy)]
struct Partial {
    sum: f64,
    nearest: [f64; NEAREST],
}

/// Some points of one class, with their places in the columns.
struct PointTask<'a> {
    class: usize,
    points: Range<usize>,
    sums: &'a mut [f64],
    own: &'a mut [f64],
    closest: &'a mut [f64],
}

/// Cuts the points into tasks, class by class.
fn tasks<'a>(frame: &Frame, columns: Option<&'a mut DistanceColumns>) -> Vec<PointTask<'a>> {
    let classes = frame.classes();
    let (mut sums, mut own, mut closest): (&mut [f64], &mut [f64], &mut [f64]) = match columns {
        Some(columns) => (&mut columns.sums, &mut columns.own, &mut columns.closest),
        None => (&mut [], &mut [], &mut []),
    };
    let mut tasks = Vec::new();
    for class in 0..classes {
        let (mut from, end) = (frame.starts[class], frame.starts[class + 1]);
        while from < end {
            let to = (from + CHUNK).min(end);
            tasks.push(PointTask {
                class,
                points: from..to,
                sums: take(&mut sums, (to - from) * classes * PARTS),
                own: take(&mut own, (to - from) * NEAREST),
                closest: take(&mut closest, (to - from) * classes),
            });
            from = to;
        }
    }
    tasks
}

/// Cuts the first `count` numbers off a slice, or nothing off an empty one.
fn take<'a>(slice: &mut &'a mut [f64], count: usize) -> &'a mut [f64] {
    let count = count.min(slice.len());
    let (first, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    first
}

impl PointTask<'_> {
    fn run(&mut self, frame: &Frame, batch: &[ChosenPoint], needs: Needs) -> Vec<Partial> {
        let mut rows = vec![Partial { sum: 0.0, nearest: [f64::INFINITY; NEAREST] }; batch.len()];
        for (at, point) in self.points.clone().enumerate() {
            let coordinates = frame.row(point);
            for (row, chosen) in rows.iter_mut().zip(batch) {
                if chosen.point == point {
                    continue;
                }
                let square = squared_distance(frame.row(chosen.point), coordinates);
                if needs.has(Needs::SUMS) {
                    let distance = square.sqrt();
                    row.sum += distance;
                    self.add_sum(at, frame.classes(), chosen, distance);
                }
                if needs.has(Needs::NEAREST) {
                    insert(&mut row.nearest, square);
                    self.add_nearest(at, frame.classes(), chosen, square);
                }
            }
        }
        rows
    }

    fn add_sum(&mut self, at: usize, classes: usize, chosen: &ChosenPoint, distance: f64) {
        if !self.sums.is_empty() {
            self.sums[(at * classes + chosen.class) * PARTS + chosen.part as usize] += distance;
        }
    }

    fn add_nearest(&mut self, at: usize, classes: usize, chosen: &ChosenPoint, square: f64) {
        if self.closest.is_empty() {
            return;
        }
        let closest = &mut self.closest[at * classes + chosen.class];
        *closest = closest.min(square);
        if chosen.class == self.class {
            insert(&mut self.own[at * NEAREST..(at + 1) * NEAREST], square);
        }
    }
}

/// Keeps the smallest values in ascending order.
fn insert(smallest: &mut [f64], value: f64) {
    if value >= smallest[smallest.len() - 1] {
        return;
    }
    let place = smallest.partition_point(|&kept| kept <= value);
    smallest[place..].rotate_right(1);
    smallest[place] = value;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::random::SplitMix;
    use crate::kernels::stream::Origin;
    use crate::{Classes, Labels, Points};

    /// More points than a task takes, and more chosen points than a batch.
    const SIZES: [usize; 3] = [CHUNK + 80, 40, 30];

    fn frame() -> Frame {
        let mut random = SplitMix::new(3);
        let labels: Vec<usize> =
            SIZES.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
        let values: Vec<f64> = (0..2 * labels.len()).map(|_| random.below(1000) as f64 / 100.0).collect();
        let classes = Classes::new(Points::new(values, 2).unwrap(), &Labels::encode(labels)).unwrap();
        Frame::new(&classes, &Origin::exact(&classes))
    }

    fn class_of(frame: &Frame, point: usize) -> usize {
        (0..SIZES.len()).find(|&class| point < frame.starts[class + 1]).unwrap()
    }

    /// The squared distances between a point and others, ascending, and the sum of the distances.
    fn slowly(frame: &Frame, point: usize, others: impl Iterator<Item = usize>) -> (Vec<f64>, f64) {
        let square = |other: usize| squared_distance(frame.row(point), frame.row(other));
        let mut squares: Vec<f64> = others.filter(|&other| other != point).map(square).collect();
        let sum = squares.iter().map(|square| square.sqrt()).sum();
        squares.sort_by(f64::total_cmp);
        squares.resize(squares.len().max(NEAREST), f64::INFINITY);
        (squares, sum)
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-9 * expected.max(1.0), "{found} {expected}");
    }

    #[test]
    fn both_ends_learn_what_a_slow_loop_finds() {
        let frame = frame();
        let parts = [ChosenPart::Certain, ChosenPart::First, ChosenPart::Second];
        // The classes have 276, 10 and 8 chosen points.
        let chosen: Vec<ChosenPoint> = (0..frame.len())
            .step_by(4)
            .map(|point| ChosenPoint { point, class: class_of(&frame, point), part: parts[point / 4 % 3] })
            .collect();
        assert!(chosen.len() > BATCH);
        let needs = Needs::SUMS.union(Needs::NEAREST);
        let mut columns = DistanceColumns::new(&frame, needs);
        let rows = compare(&frame, &chosen, needs, Some(&mut columns));
        assert_eq!(rows.len(), chosen.len());
        for (row, chosen) in rows.iter().zip(&chosen).step_by(7) {
            for class in 0..SIZES.len() {
                let (squares, sum) =
                    slowly(&frame, chosen.point, frame.starts[class]..frame.starts[class + 1]);
                near(row.sums[class], sum);
                assert_eq!(row.nearest[class * NEAREST..][..NEAREST], squares[..NEAREST]);
            }
        }
        for point in (0..frame.len()).step_by(5).chain([frame.len() - 1]) {
            let of = |class: usize| chosen.iter().filter(move |one| one.class == class);
            for class in 0..SIZES.len() {
                let (squares, _) = slowly(&frame, point, of(class).map(|one| one.point));
                assert_eq!(columns.closest(point, class), squares[0]);
                if class == class_of(&frame, point) {
                    assert_eq!(columns.fifth_of_own(point), squares[NEAREST - 1]);
                }
                for (place, part) in parts.into_iter().enumerate() {
                    let of_part = of(class).filter(|one| one.part == part).map(|one| one.point);
                    near(columns.sums(point, class)[place], slowly(&frame, point, of_part).1);
                }
            }
        }
    }

    #[test]
    fn without_columns_the_chosen_points_learn_the_same() {
        let frame = frame();
        let chosen = [3, 1100, 1149].map(|point| ChosenPoint {
            point,
            class: class_of(&frame, point),
            part: ChosenPart::First,
        });
        let mut columns = DistanceColumns::new(&frame, Needs::SUMS);
        let with = compare(&frame, &chosen, Needs::SUMS, Some(&mut columns));
        let without = compare(&frame, &chosen, Needs::SUMS, None);
        for (a, b) in with.iter().zip(&without) {
            assert_eq!(a.sums, b.sums);
            // Neighbours were not requested.
            assert!(a.nearest.iter().all(|square| square.is_infinite()));
        }
    }
}

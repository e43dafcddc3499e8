//! The nearest points of every point, over all classes and in each of them, in one sweep over all pairs of points.
//!
//! ```text
//! N(x)    = the 15 nearest points of x, whatever their class
//! M(x, k) = the mean distance from x to the 5 nearest points of class k other than x
//! ```
//!
//! Blocks of rows meet all columns, class after class, in register tiles ([`cross::near`]). Each row has a limit: the distance of
//! the farthest point that would still enter one of its lists. The limit falls from one chunk of columns to the next, and chunks
//! grow as the limits settle. Distances that may enter N(x), and those that cancel, are computed again from differences: equal
//! points have distance 0, and no list depends on the number of threads. All other distances are good to 1e-7.
//!
//! Where several points are equally far and only some of them fit into N(x), a fixed hash of the two points decides. Taking the
//! first ones instead would favour one class.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use clmatch_kernels::parallel;
use clmatch_kernels::simd::cross::{self, COLUMNS, Limits, Near, PackedSide};
use clmatch_kernels::simd::sums::squared_distance;
use clmatch_kernels::{Control, Stopped};

use super::class_lists::{Neighbour, insert_square};
use super::frame::Frame;
use super::random::SplitMix;

/// How many neighbours of any class a point has.
pub(crate) const NEIGHBOURS: usize = 15;
/// How many neighbours a point has in each class.
pub(crate) const NEAREST_OF_CLASS: usize = 5;
/// Rows that one task compares with all columns.
const ROWS_AT_ONCE: usize = 64;
/// Panels of columns, at most, between two updates of the limits.
const PANELS_AT_ONCE: usize = 32;
/// The factor by which a limit is raised, so that points exactly at the limit are found too.
const RAISED: f64 = 1.0 + 1e-9;
/// A squared distance of at least this share of both norms has lost no more than a few digits in the product form.
const CANCELS: f64 = 1e-4;

/// The neighbourhoods of consecutive points in class order.
#[derive(Debug)]
pub(crate) struct Neighbourhoods {
    /// The points.
    pub(crate) points: Range<usize>,
    classes: usize,
    /// 15 neighbours for each point, nearest first; fewer if there are fewer points.
    neighbours: Vec<Vec<Neighbour>>,
    /// rows x K x 5 squares, ascending, then infinity.
    of_classes: Vec<f64>,
}

impl Neighbourhoods {
    fn new(points: Range<usize>, classes: usize) -> Self {
        let neighbours = vec![Vec::with_capacity(NEIGHBOURS + 1); points.len()];
        let of_classes = vec![f64::INFINITY; points.len() * classes * NEAREST_OF_CLASS];
        Neighbourhoods { points, classes, neighbours, of_classes }
    }

    /// N(x) of the point at a place in [`Neighbourhoods::points`], nearest first.
    pub(crate) fn neighbours(&self, place: usize) -> &[Neighbour] {
        &self.neighbours[place]
    }

    /// M(x, k) of the point at a place in [`Neighbourhoods::points`]. It is a mean of fewer points if the class has fewer, and
    /// `None` if the class has none but x.
    pub(crate) fn mean_distance(&self, place: usize, class: usize) -> Option<f64> {
        let squares = self.of_class(place, class);
        let count = squares.iter().take_while(|square| square.is_finite()).count();
        (count > 0).then(|| squares[..count].iter().map(|square| square.sqrt()).sum::<f64>() / count as f64)
    }

    fn of_class(&self, place: usize, class: usize) -> &[f64] {
        &self.of_classes[(place * self.classes + class) * NEAREST_OF_CLASS..][..NEAREST_OF_CLASS]
    }

    /// The squared distance beyond which no point enters N(x).
    fn limit(&self, place: usize) -> f64 {
        self.neighbours[place].get(NEIGHBOURS - 1).map_or(f64::INFINITY, |farthest| farthest.square)
    }

    /// The squared distance beyond which no point of the given classes enters any list.
    fn limit_of(&self, place: usize, classes: Range<usize>) -> f64 {
        let farthest = |class: usize| self.of_class(place, class)[NEAREST_OF_CLASS - 1];
        classes.map(farthest).fold(self.limit(place), f64::max)
    }

    fn offer(&mut self, place: usize, class: usize, candidate: Neighbour) {
        let squares = &mut self.of_classes[(place * self.classes + class) * NEAREST_OF_CLASS..];
        insert_square(&mut squares[..NEAREST_OF_CLASS], candidate.square);
        if candidate.square > self.limit(place) {
            return;
        }
        let of = self.points.start + place;
        let list = &mut self.neighbours[place];
        let at = list.partition_point(|known| is_before(of, known, &candidate));
        list.insert(at, candidate);
        list.truncate(NEIGHBOURS);
    }
}

/// Whether a is nearer than b, or as near and first by a hash that does not depend on classes.
fn is_before(of: usize, a: &Neighbour, b: &Neighbour) -> bool {
    let hash = |neighbour: &Neighbour| SplitMix::new((of as u64) << 32 | u64::from(neighbour.point)).next();
    a.square < b.square || (a.square == b.square && hash(a) < hash(b))
}

/// Finds the neighbourhoods of all points, and hands them to `finish` block by block; returns the results of `finish` in class
/// order.
///
/// Time: O(n^2 d). Memory: O(n d), and O(K) per row for a block of rows per thread, besides what `finish` keeps. Results do not
/// depend on the number of threads, bit for bit.
///
/// # Errors
/// [`Stopped`] if `control` stops the work; it is checked before every block of rows.
pub(crate) fn sweep<T: Send>(
    frame: &Frame,
    control: Control<'_>,
    finish: impl Fn(&Neighbourhoods) -> T + Sync,
) -> Result<Vec<T>, Stopped> {
    let centre = mean(frame);
    let columns = PackedSide::columns(frame.rows.chunks_exact(frame.features), &centre);
    let shared = SharedColumns {
        frame,
        no_limits: vec![0.0; columns.padded()],
        columns,
        chunks: chunks(&frame.starts),
        class_of: frame.class_of(),
        norms: norms(frame, &centre),
        centre,
    };
    let (blocks, done) = (frame.len().div_ceil(ROWS_AT_ONCE), AtomicUsize::new(0));
    let block = |block: usize| {
        control.check()?;
        let first = block * ROWS_AT_ONCE;
        let found = finish(&shared.look_around(first..frame.len().min(first + ROWS_AT_ONCE)));
        control.report("neighbours", done.fetch_add(1, Ordering::Relaxed) + 1, blocks);
        Ok(found)
    };
    parallel::try_map_range(blocks, block)
}

/// The mean of all points. Products of centred points cancel least.
fn mean(frame: &Frame) -> Vec<f64> {
    let share = 1.0 / frame.len() as f64;
    let mut mean = vec![0.0; frame.features];
    for row in frame.rows.chunks_exact(frame.features) {
        mean.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * share);
    }
    mean
}

/// The squared distance of every point from the centre.
fn norms(frame: &Frame, centre: &[f64]) -> Vec<f64> {
    parallel::map_chunks(&frame.rows, frame.features, |row| squared_distance(row, centre))
}

/// Panels of columns that are compared with the same limits.
#[derive(Debug, Clone, PartialEq)]
struct PanelRange {
    panels: Range<usize>,
    classes: Range<usize>,
}

/// The panels in their order: those of one class in chunks of doubling size, since the first panel sets limits for the others,
/// and panels with several classes one by one.
fn chunks(starts: &[usize]) -> Vec<PanelRange> {
    let n = starts[starts.len() - 1];
    let class_of = |point: usize| starts.partition_point(|&start| start <= point) - 1;
    let mut chunks: Vec<PanelRange> = Vec::new();
    let mut seen = 0;
    for panel in 0..n.div_ceil(COLUMNS) {
        let classes = class_of(panel * COLUMNS)..class_of(((panel + 1) * COLUMNS).min(n) - 1) + 1;
        match chunks.last_mut() {
            Some(last) if classes.len() == 1 && last.classes == classes => {
                seen += 1;
                if last.panels.len() < (seen / 2).min(PANELS_AT_ONCE) {
                    last.panels.end += 1;
                    continue;
                }
            }
            _ => seen = 0,
        }
        chunks.push(PanelRange { panels: panel..panel + 1, classes });
    }
    chunks
}

/// What all blocks of rows are compared with.
struct SharedColumns<'a> {
    frame: &'a Frame,
    columns: PackedSide,
    no_limits: Vec<f64>,
    chunks: Vec<PanelRange>,
    class_of: Vec<u32>,
    norms: Vec<f64>,
    centre: Vec<f64>,
}

impl SharedColumns<'_> {
    fn look_around(&self, points: Range<usize>) -> Neighbourhoods {
        let frame = self.frame;
        let mut around = Neighbourhoods::new(points.clone(), frame.classes());
        let values = &frame.rows[points.start * frame.features..points.end * frame.features];
        let rows = PackedSide::rows(values.chunks_exact(frame.features), &self.centre);
        let panels: Vec<u32> = (0..rows.panels() as u32).collect();
        let tiles = vec![0.0; panels.len() * PANELS_AT_ONCE];
        let mut limits = vec![0.0; rows.padded()];
        let mut found: Vec<Near> = Vec::new();
        for chunk in &self.chunks {
            for (place, limit) in limits.iter_mut().enumerate().take(points.len()) {
                // Adding the smallest number keeps equal points if the limit is 0.
                *limit = around.limit_of(place, chunk.classes.clone()) * RAISED + f64::MIN_POSITIVE;
            }
            let limits = Limits { rows: &limits, columns: &self.no_limits, tiles: &tiles };
            found.clear();
            cross::near([&rows, &self.columns], &panels, chunk.panels.clone(), limits, &mut found);
            for near in &found {
                self.take(near, &mut around);
            }
        }
        around
    }

    /// Offers a pair to the lists of its row.
    fn take(&self, near: &Near, around: &mut Neighbourhoods) {
        let (place, column) = (near.row as usize, near.column as usize);
        let point = around.points.start + place;
        let class = self.class_of[column] as usize;
        if point == column || near.square > around.limit_of(place, class..class + 1) {
            return;
        }
        let cancels = near.square < CANCELS * (self.norms[point] + self.norms[column]);
        let square = if cancels || near.square <= around.limit(place) {
            squared_distance(self.frame.row(point), self.frame.row(column))
        } else {
            near.square
        };
        around.offer(place, class, Neighbour { square, point: near.column });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::kernels::stream::Origin;
    use crate::{Classes, Labels, Points};

    /// Points of three classes on a grid, many of them equally far from each other.
    fn grid() -> Frame {
        let mut random = SplitMix::new(5);
        let values: Vec<f64> = (0..2 * 300).map(|_| random.below(12) as f64).collect();
        let labels = Labels::encode((0..300).map(|row: usize| row % 7 % 3));
        let classes = Classes::new(Points::new(values, 2).unwrap(), &labels).unwrap();
        Frame::new(&classes, &Origin::exact(&classes))
    }

    #[test]
    fn among_points_that_are_equally_far_a_hash_decides() {
        let frame = grid();
        let found = sweep(&frame, Control::none(), |around| {
            let names = |at: usize| around.neighbours(at).iter().map(|of| of.point).collect::<Vec<_>>();
            (0..around.points.len()).map(names).collect::<Vec<_>>()
        });
        let found: Vec<Vec<u32>> = found.unwrap().into_iter().flatten().collect();
        assert_eq!(found.len(), frame.len());
        let mut ties = 0;
        for (x, found) in found.iter().enumerate() {
            // The slow twin: all other points, sorted by distance, then by the hash of the two points.
            let hash = |y: u32| SplitMix::new(((x as u64) << 32) + u64::from(y)).next();
            let square = |y: u32| squared_distance(frame.row(x), frame.row(y as usize));
            let mut others: Vec<u32> = (0..frame.len() as u32).filter(|&y| y as usize != x).collect();
            others.sort_by(|&a, &b| square(a).total_cmp(&square(b)).then(hash(a).cmp(&hash(b))));
            assert_eq!(found, &others[..NEIGHBOURS], "{x}");
            ties += usize::from(square(others[NEIGHBOURS - 1]) == square(others[NEIGHBOURS]));
        }
        assert!(ties > 200, "{ties}");
    }

    #[test]
    fn every_block_of_rows_is_a_step() {
        let steps = Mutex::new(Vec::new());
        let progress = |step: clmatch_kernels::Step<'_>| steps.lock().unwrap().push((step.done, step.of));
        sweep(&grid(), Control::none().with_progress(&progress), |_| ()).unwrap();
        let mut steps = steps.into_inner().unwrap();
        steps.sort_unstable();
        // 300 rows, 64 at a time.
        assert_eq!(steps, [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
    }
}

//! Which points are compared with all others: far points always, the others at random.
//!
//! A few points far from all others can dominate a mean distance, and a random draw of a hundred points would miss them. In each
//! class, the points whose squared distance to the centroid exceeds the mean share of a drawn point are chosen with certainty, as
//! in surveys of skewed populations; the others are in a random order, of which more and more is examined.
//!
//! Where neighbours count, a class whose points were all examined gives more information: a point that has five chosen points of
//! its own class nearer than the nearest point of that class certainly has no neighbour there. The remaining points are near and
//! are examined separately: a handful of points that touch a small class is found among thousands.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::kernels::frame::Frame;
use crate::kernels::pairs::NEAREST;
use crate::kernels::point_distances::{ChosenPart, ChosenPoint, DistanceColumns, PointDistances, compare};
use crate::kernels::random::SplitMix;
use crate::kernels::squared_distance;
use crate::needs::Needs;

/// Points drawn from each class to begin with.
pub(super) const FIRST: usize = 100;
/// This many are drawn even if time runs out: fewer points do not give an error.
const LEAST: usize = 20;
/// Points of each class that are drawn between two checks of the clock.
const ROUND: usize = 16;
/// Squared distances count as ties if they differ by less than this share.
const TIE: f64 = 1e-9;

/// Points that were compared with all points, class by class.
pub(super) struct PointSample {
    pub(super) classes: Vec<ClassSample>,
    pub(super) columns: DistanceColumns,
    needs: Needs,
    spent: Duration,
}

/// The chosen points of one class.
pub(super) struct ClassSample {
    /// The points chosen with certainty, then all others in random order.
    pub(super) order: Vec<usize>,
    /// How many are chosen with certainty.
    pub(super) certain: usize,
    /// Distances of the first points of `order`.
    pub(super) rows: Vec<PointDistances>,
    /// Points further down `order` that may have neighbours in a completed class, with their distances.
    pub(super) near: BTreeMap<usize, PointDistances>,
}

impl ClassSample {
    /// How many points the class has.
    pub(super) fn size(&self) -> usize {
        self.order.len()
    }

    /// How many points were not chosen with certainty.
    pub(super) fn rest(&self) -> usize {
        self.order.len() - self.certain
    }

    /// How many of these were drawn.
    pub(super) fn drawn(&self) -> usize {
        self.rows.len().saturating_sub(self.certain)
    }

    /// Whether every point of the class was examined.
    pub(super) fn is_complete(&self) -> bool {
        self.rows.len() == self.order.len()
    }

    /// The part of the sample that the point at a place of `order` belongs to.
    pub(super) fn part(&self, place: usize) -> ChosenPart {
        match place.checked_sub(self.certain) {
            None => ChosenPart::Certain,
            Some(drawn) if drawn % 2 == 0 => ChosenPart::First,
            Some(_) => ChosenPart::Second,
        }
    }

    /// How many places of `order` are examined if `wanted` points are to be drawn.
    fn goal(&self, wanted: usize) -> usize {
        (self.certain + wanted).min(self.order.len())
    }
}

impl PointSample {
    /// A sample without any points yet. Time: O(n d). Memory: O(n), and O(n K) from the first draw on.
    pub(super) fn new(frame: &Frame, needs: Needs, seed: u64) -> Self {
        let mut random = SplitMix::new(seed);
        let classes = (0..frame.classes())
            .map(|class| {
                let (mut order, certain) = far_first(frame, class);
                random.shuffle(&mut order[certain..]);
                ClassSample { order, certain, rows: Vec::new(), near: BTreeMap::new() }
            })
            .collect();
        PointSample { classes, columns: DistanceColumns::default(), needs, spent: Duration::ZERO }
    }

    /// How many points were examined.
    pub(super) fn len(&self) -> usize {
        self.classes.iter().map(|class| class.rows.len() + class.near.len()).sum()
    }

    /// Whether every point was examined.
    pub(super) fn is_complete(&self) -> bool {
        self.classes.iter().all(ClassSample::is_complete)
    }

    /// The share of all points that are examined if `wanted` points of each class are drawn.
    pub(super) fn share(&self, wanted: usize) -> f64 {
        let points: usize = self.classes.iter().map(|class| class.goal(wanted)).sum();
        let all: usize = self.classes.iter().map(ClassSample::size).sum();
        points as f64 / all as f64
    }

    /// How long the exact sweep would take at most, judging by the points so far.
    pub(super) fn time_for_all(&self) -> Duration {
        let all: usize = self.classes.iter().map(ClassSample::size).sum();
        match self.len() {
            0 => Duration::ZERO,
            points => self.spent.mul_f64(all as f64 / points as f64 / 2.0),
        }
    }

    /// Draws more points until each class has `wanted` of them, or time runs out. Rounds of equal size keep the classes even.
    pub(super) fn grow(&mut self, frame: &Frame, wanted: usize, until: Option<Instant>) {
        let start = Instant::now();
        if self.len() == 0 {
            self.columns = DistanceColumns::new(frame, self.needs);
        }
        let mut so_far = self.classes.iter().map(ClassSample::drawn).max().unwrap_or(0);
        while so_far < wanted {
            so_far = (so_far + ROUND).min(wanted);
            self.draw(frame, so_far);
            if so_far >= LEAST && until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
        }
        if self.needs.has(Needs::NEAREST) {
            self.look_near(frame, so_far);
        }
        self.spent += start.elapsed();
    }

    fn draw(&mut self, frame: &Frame, wanted: usize) {
        let mut chosen = Vec::new();
        for (class, sample) in self.classes.iter_mut().enumerate() {
            let places = sample.rows.len()..sample.goal(wanted);
            for place in places {
                let point = sample.order[place];
                sample.near.remove(&point);
                chosen.push(ChosenPoint { point, class, part: sample.part(place) });
            }
        }
        let rows = compare(frame, &chosen, self.needs, Some(&mut self.columns));
        for (chosen, row) in chosen.iter().zip(rows) {
            self.classes[chosen.class].rows.push(row);
        }
    }

    /// Examines points that may have neighbours in a completed class: all of them, or as many as were drawn.
    fn look_near(&mut self, frame: &Frame, wanted: usize) {
        let mut chosen = Vec::new();
        for (class, sample) in self.classes.iter().enumerate() {
            let tail = sample.order[sample.rows.len()..].iter();
            let next = tail.filter(|&&point| self.is_near(class, point)).take(wanted);
            let next = next.filter(|&point| !sample.near.contains_key(point));
            chosen.extend(next.map(|&point| ChosenPoint { point, class, part: ChosenPart::Certain }));
        }
        // These points were not drawn at random, so they are not entered into the columns.
        let rows = compare(frame, &chosen, self.needs, None);
        for (chosen, row) in chosen.iter().zip(rows) {
            self.classes[chosen.class].near.insert(chosen.point, row);
        }
    }

    /// Whether a point may have a neighbour in another class whose points were all examined.
    pub(super) fn is_near(&self, class: usize, point: usize) -> bool {
        let own = self.columns.fifth_of_own(point) * (1.0 + TIE);
        let mut others = self.classes.iter().enumerate();
        others.any(|(other, sample)| {
            other != class && sample.is_complete() && self.columns.closest(point, other) <= own
        })
    }
}

/// The points of a class, starting with those that must be chosen with certainty, and the number of these.
///
/// With r the distances to the centroid in descending order, the first k are taken as long as
/// `r_k^2 >= (sum of r^2 over all that follow) / FIRST`.
fn far_first(frame: &Frame, class: usize) -> (Vec<usize>, usize) {
    let points = frame.starts[class]..frame.starts[class + 1];
    let mut centre = vec![0.0; frame.features];
    for row in frame.class(class) {
        centre.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    centre.iter_mut().for_each(|sum| *sum /= points.len() as f64);
    let squares: Vec<f64> = frame.class(class).map(|row| squared_distance(row, &centre)).collect();
    let start = points.start;
    let mut order: Vec<usize> = points.collect();
    order.sort_by(|&a, &b| squares[b - start].total_cmp(&squares[a - start]));
    // Sums from the smallest upwards, so that nothing is subtracted.
    let mut following = vec![0.0; order.len()];
    for place in (1..order.len()).rev() {
        following[place - 1] = following[place] + squares[order[place] - start];
    }
    let is_far = |place: usize| {
        let square = squares[order[place] - start];
        square > 0.0 && square * FIRST as f64 >= following[place]
    };
    let certain = (0..order.len().min(FIRST)).take_while(|&place| is_far(place)).count();
    // A class that is nearly complete is left to the draw as a whole; halves need at least two points.
    if order.len() - certain < 2 * NEAREST { (order, 0) } else { (order, certain) }
}

//! The evidence for each class at each point, without regard to the point's own label.
//!
//! ```text
//! f1(x, k) = log(votes of class k among the 15 nearest of x + prior)
//! f2(x, k) = log(share of class k) - m(x, k)^2 / 2
//! f3(x, k) = - log(mean distance from x to the 5 nearest points of class k)
//! ```
//!
//! A neighbour at distance r votes with 1 / (r / R + .1), where R is the distance of the 15th, times the probability that its own
//! label is right; before that, the votes of a point are scaled to a mean of 1. The prior is the class's share of the points, and
//! the share of a class is its share of their probabilities to be right. m is Mahalanobis' distance, see [`ClassDistances`]: f2
//! is the logarithm of the probability of a class whose points are normal.

use clmatch_kernels::parallel;
use clmatch_kernels::{Control, Stopped};

use super::class_distances::ClassDistances;
use super::gaps::tally;
use crate::kernels::class_lists::Neighbour;
use crate::kernels::frame::Frame;
use crate::kernels::neighbourhoods::{self, NEIGHBOURS, Neighbourhoods};

/// How many classes are considered at a point, at most.
const CANDIDATES: usize = 64;
/// How many of these are chosen because they have the least Mahalanobis distances.
const BY_MAHALANOBIS: usize = 24;
/// What is added to the share r / R of a neighbour's distance.
const VOTE_OFFSET: f64 = 0.1;
/// Distances below this share of the median count as equal to it, which avoids the logarithm of 0.
const LEAST_DISTANCE: f64 = 1e-3;

/// Points that one task handles.
const POINTS_AT_ONCE: usize = 64;

/// How many features a class has at a point.
pub(super) const FEATURES: usize = 3;

/// The classes that are considered at each point: all of them, or the 64 likeliest, which are the point's own class, those of its
/// neighbours, and the nearest by both kinds of distance.
#[derive(Debug, Clone)]
pub(super) struct CandidateClasses {
    width: usize,
    classes: Vec<u32>,
}

impl CandidateClasses {
    /// All classes at every point.
    #[cfg(test)]
    pub(super) fn all(points: usize, classes: usize) -> CandidateClasses {
        CandidateClasses {
            width: classes,
            classes: (0..classes as u32).cycle().take(points * classes).collect(),
        }
    }

    /// `width` classes at each point.
    #[cfg(test)]
    pub(super) fn some(width: usize, classes: Vec<u32>) -> CandidateClasses {
        CandidateClasses { width, classes }
    }

    /// The classes that are considered at a point.
    pub(super) fn of(&self, point: usize) -> &[u32] {
        &self.classes[point * self.width..(point + 1) * self.width]
    }

    /// How many classes are considered per point.
    pub(super) fn width(&self) -> usize {
        self.width
    }
}

/// The evidence that does not change with the weights of points. Memory: O(n min(K, 64)).
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    pub(super) candidates: CandidateClasses,
    /// n x 15 votes, the nearest first.
    pub(super) votes: Vec<Vec<Vote>>,
    /// For each candidate: - log of the mean distance to the nearest points of the class.
    nearness: Vec<f64>,
}

/// A neighbour that votes for its own class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vote {
    pub(super) point: u32,
    pub(super) weight: f64,
}

/// The results that are kept of a block of points.
struct BlockSurroundings {
    candidates: Vec<u32>,
    distances: Vec<f64>,
    votes: Vec<Vec<Vote>>,
}

impl Surroundings {
    /// Compares all pairs of points.
    ///
    /// Time: O(n^2 d).
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn new(
        frame: &Frame,
        mahalanobis: &ClassDistances<'_>,
        control: Control<'_>,
    ) -> Result<Self, Stopped> {
        let width = frame.classes().min(CANDIDATES);
        let blocks =
            neighbourhoods::sweep(frame, control, |around| block(around, mahalanobis, frame, width))?;
        let (mut classes, mut distances, mut votes) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks {
            classes.extend(block.candidates);
            distances.extend(block.distances);
            votes.extend(block.votes);
        }
        let nearness = nearness(distances);
        Ok(Surroundings { candidates: CandidateClasses { width, classes }, votes, nearness })
    }

    /// For each point, the largest share of the votes that a class other than the point's own has.
    ///
    /// Time: O(15^2 n). Memory: O(n).
    pub(super) fn outvoted(&self, mahalanobis: &ClassDistances<'_>) -> Vec<f64> {
        let class_of = |point: u32| mahalanobis.class_of(point as usize) as u32;
        let share = |point: usize| {
            let tally = tally(&self.votes[point], class_of);
            let all: f64 = tally.iter().map(|(_, sum)| sum).sum();
            let others = tally.iter().filter(|(class, _)| *class != class_of(point as u32));
            others.map(|(_, sum)| sum / all).fold(0.0, f64::max)
        };
        parallel::map_range(self.votes.len(), share)
    }

    /// The three features of every candidate of every point, where points count with their weights.
    ///
    /// Time: O(n C D) for C candidates in D dimensions. Memory: O(n C).
    pub(super) fn features(
        &self,
        mahalanobis: &ClassDistances<'_>,
        starts: &[usize],
        weights: &[f64],
    ) -> Vec<[f64; FEATURES]> {
        let (n, width) = (weights.len(), self.candidates.width);
        let prior = |class: usize| (starts[class + 1] - starts[class]) as f64 / n as f64;
        let total: f64 = weights.iter().sum();
        let share = |of: &[usize]| (weights[of[0]..of[1]].iter().sum::<f64>() / total).ln();
        let shares: Vec<f64> = starts.windows(2).map(share).collect();
        let of_point = |point: usize, features: &mut [[f64; FEATURES]]| {
            let candidates = self.candidates.of(point);
            for (place, (features, &class)) in features.iter_mut().zip(candidates).enumerate() {
                let of_class = |vote: &&Vote| mahalanobis.class_of(vote.point as usize) == class as usize;
                let votes = self.votes[point].iter().filter(of_class);
                let votes: f64 = votes.map(|vote| vote.weight * weights[vote.point as usize]).sum();
                let square = mahalanobis.square(point, class as usize);
                let near = self.nearness[point * width + place];
                let whole = shares[class as usize] - square / 2.0;
                *features = [(votes + prior(class as usize)).ln(), whole, near];
            }
            relative_to_best(features);
        };
        let mut features = vec![[0.0; FEATURES]; n * width];
        parallel::for_chunks_mut(&mut features, POINTS_AT_ONCE * width, |chunk, features| {
            let points = (chunk * POINTS_AT_ONCE..).zip(features.chunks_exact_mut(width));
            points.for_each(|(point, features)| of_point(point, features));
        });
        features
    }
}

/// Shifts features, of which only differences between classes matter, so that each is 0 for the best class.
fn relative_to_best(features: &mut [[f64; FEATURES]]) {
    for feature in 0..FEATURES {
        let best = features.iter().map(|of| of[feature]).fold(f64::NEG_INFINITY, f64::max);
        features.iter_mut().for_each(|of| of[feature] -= best);
    }
}

/// - log of distances; where a class has no point other than this one, the largest distance is used.
fn nearness(mut distances: Vec<f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = distances.iter().copied().filter(|d| d.is_finite() && *d > 0.0).collect();
    if sorted.is_empty() {
        return vec![0.0; distances.len()];
    }
    let middle = sorted.len() / 2;
    let median = *sorted.select_nth_unstable_by(middle, f64::total_cmp).1;
    let farthest = sorted.iter().copied().fold(median, f64::max);
    for distance in &mut distances {
        *distance = -distance.clamp(LEAST_DISTANCE * median, farthest).ln();
    }
    distances
}

fn block(
    around: &Neighbourhoods,
    mahalanobis: &ClassDistances<'_>,
    frame: &Frame,
    width: usize,
) -> BlockSurroundings {
    let rows = around.points.len();
    let mut kept = BlockSurroundings {
        candidates: Vec::with_capacity(rows * width),
        distances: Vec::with_capacity(rows * width),
        votes: Vec::with_capacity(rows),
    };
    for (place, point) in around.points.clone().enumerate() {
        let distance = |class: usize| around.mean_distance(place, class).unwrap_or(f64::INFINITY);
        let votes = votes(around, place);
        let candidates: Vec<u32> = if width == frame.classes() {
            (0..width as u32).collect()
        } else {
            let voted = votes.iter().map(|vote| mahalanobis.class_of(vote.point as usize));
            let certain = std::iter::once(mahalanobis.class_of(point)).chain(voted);
            select(certain, frame.classes(), |class| mahalanobis.square(point, class), distance)
        };
        kept.distances.extend(candidates.iter().map(|&class| distance(class as usize)));
        kept.candidates.extend(candidates);
        kept.votes.push(votes);
    }
    kept
}

/// The votes of the neighbours of a point, with a mean of 1.
fn votes(around: &Neighbourhoods, place: usize) -> Vec<Vote> {
    let neighbours = around.neighbours(place);
    let farthest = neighbours.last().map_or(0.0, |last| last.square.sqrt());
    let weight = |square: f64| {
        if farthest > 0.0 { 1.0 / (square.sqrt() / farthest + VOTE_OFFSET) } else { 1.0 }
    };
    let total: f64 = neighbours.iter().map(|neighbour| weight(neighbour.square)).sum();
    let scale = NEIGHBOURS.min(neighbours.len()) as f64 / total;
    let vote = |of: &Neighbour| Vote { point: of.point, weight: weight(of.square) * scale };
    neighbours.iter().map(vote).collect()
}

/// The classes to consider where there are too many, in ascending order.
fn select(
    certain: impl Iterator<Item = usize>,
    classes: usize,
    square: impl Fn(usize) -> f64,
    distance: impl Fn(usize) -> f64,
) -> Vec<u32> {
    let mut chosen = vec![false; classes];
    let mut left = CANDIDATES;
    let mut choose = |class: usize, left: &mut usize| {
        if *left > 0 && !std::mem::replace(&mut chosen[class], true) {
            *left -= 1;
        }
    };
    certain.for_each(|class| choose(class, &mut left));
    for class in least(classes, BY_MAHALANOBIS, square) {
        choose(class, &mut left);
    }
    for class in least(classes, CANDIDATES, distance) {
        choose(class, &mut left);
    }
    (0..classes as u32).filter(|&class| chosen[class as usize]).collect()
}

/// The `count` classes with the least values, the least first.
fn least(classes: usize, count: usize, value: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut keyed: Vec<(f64, usize)> = (0..classes).map(|class| (value(class), class)).collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if count < classes {
        keyed.select_nth_unstable_by(count, order);
        keyed.truncate(count);
    }
    keyed.sort_by(order);
    keyed.into_iter().map(|(_, class)| class).collect()
}

#[cfg(test)]
mod tests {
    use super::super::class_distances::Coordinates;
    use super::*;
    use crate::kernels::stream::Origin;
    use crate::{Classes, Labels, Points};

    #[test]
    fn the_least_are_as_many_as_there_are() {
        let values = [3.0, 1.0, 2.0, 1.0, 5.0];
        let of = |count: usize| least(5, count, |class| values[class]);
        assert!(of(0).is_empty());
        // Among equal values, the first class comes first.
        assert_eq!(of(1), [1]);
        assert_eq!(of(3), [1, 3, 2]);
        for many in [5, 6] {
            assert_eq!(of(many), [1, 3, 2, 0, 4]);
        }
    }

    #[test]
    fn nearness_by_hand() {
        // The upper median of 1, 2, 5000 and 6000 is 5000: nothing is nearer than 5. Infinite distances count as 6000.
        let found = nearness(vec![0.0, 6000.0, 1.0, f64::INFINITY, 5000.0, 2.0]);
        let expected = [5.0_f64, 6000.0, 5.0, 6000.0, 5000.0, 5.0].map(|distance| -distance.ln());
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12));
        assert_eq!(nearness(vec![0.0, f64::INFINITY]), [0.0; 2]);
    }

    #[test]
    fn shares_of_votes_for_others_by_hand() {
        let labels = Labels::encode([0, 0, 1, 1]);
        let classes = Classes::new(Points::new(vec![0.0, 1.0, 5.0, 7.0], 1).unwrap(), &labels).unwrap();
        let frame = Frame::new(&classes, &Origin::exact(&classes));
        let distances = ClassDistances::new(&Coordinates::plain(&frame), &[1.0; 4]);
        let votes = |of: [(u32, f64); 2]| of.map(|(point, weight)| Vote { point, weight }).to_vec();
        let around = Surroundings {
            candidates: CandidateClasses::all(4, 2),
            votes: vec![
                votes([(1, 0.5), (2, 1.5)]),
                votes([(0, 1.25), (0, 0.75)]),
                votes([(3, 1.5), (1, 0.5)]),
                votes([(0, 1.0), (1, 1.0)]),
            ],
            nearness: vec![0.0; 8],
        };
        assert_eq!(around.outvoted(&distances), [0.75, 0.0, 0.25, 1.0]);
    }
}

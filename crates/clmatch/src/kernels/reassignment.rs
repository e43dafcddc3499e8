//! Whether k-means would keep the classes: all points move at once to the class that is cheapest for them, again and again.
//!
//! The cost of a point x in a class with n points and centroid c is Hartigan's
//!
//! ```text
//! h(x) = n/(n - 1) |x - c|^2    in its own class
//!        n/(n + 1) |x - c|^2    in another one
//! ```
//!
//! A point stays if it would gain less than 1e-9 of its cost, or if it is alone in its class; a class without points takes none.
//! The moves end when no point moves, or after 60 rounds.
//!
//! Most points have their own centroid so much nearer than any other that a bound saves the comparison: since the distances of a
//! point were computed, no other centroid has come nearer by more than the longest way that any centroid has moved.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::panels::Panels;
use clmatch_kernels::simd::sums::squared_distance;
use clmatch_kernels::{Control, Stopped};

use super::tree_agreement::{adjusted_rand, pairs_of};

/// The largest number of rounds.
pub(crate) const ROUNDS: usize = 60;
/// Costs that differ by less than this share count as equal.
const GAIN: f64 = 1e-9;
/// A cost below this share of the total scatter is rounding, so that moving gains nothing.
const ROUNDING: f64 = 1e-26;
/// The share of a bound that rounding may leave.
const SLACK: f64 = 1.0 - 1e-12;
/// Points that one thread handles at a time.
const CHUNK: usize = 512;

/// Points in some classes, and the classes that they move to.
struct Assignment<'a> {
    rows: &'a [f64],
    features: usize,
    class_of: Vec<u32>,
    sizes: Vec<usize>,
    centroids: Vec<f64>,
    /// The classes in an order that does not depend on their names: among several that cost the same, a point takes the first.
    priority: Vec<u32>,
    /// For each point, a distance below which no centroid but its own lies.
    others: Vec<f64>,
    /// Costs up to this count as rounding.
    least: f64,
}

/// `lambda`: the adjusted Rand index of the classes and the classes that their points end up in, at least 0. With two classes it
/// is 0 if at most half of the points have kept their label.
///
/// `rows` are points class after class; `starts` says where each class starts, followed by the end of the last.
///
/// Time: O(n K d) for each of at most 60 rounds, mostly much less than that. Memory: O(n + K d).
///
/// # Errors
/// [`Stopped`] if `control` stops the work.
pub(crate) fn lambda(
    rows: &[f64],
    features: usize,
    starts: &[usize],
    control: Control<'_>,
) -> Result<f64, Stopped> {
    let classes = starts.len() - 1;
    let labels: Vec<u32> = (0..classes)
        .flat_map(|class| std::iter::repeat_n(class as u32, starts[class + 1] - starts[class]))
        .collect();
    let reached = reassigned(rows, features, &labels, classes, control)?;
    let mut table = vec![0_u64; classes * classes];
    for (&label, &class) in labels.iter().zip(&reached) {
        table[label as usize * classes + class as usize] += 1;
    }
    if classes == 2 && 2 * (table[0] + table[3]) <= labels.len() as u64 {
        return Ok(0.0);
    }
    let sizes = starts.windows(2).map(|bounds| (bounds[1] - bounds[0]) as u64);
    let reached_sizes = (0..classes).map(|class| table.iter().skip(class).step_by(classes).sum::<u64>());
    let index = adjusted_rand(
        pairs_of(labels.len() as u64) as f64,
        sizes.map(pairs_of).sum::<u64>() as f64,
        reached_sizes.map(pairs_of).sum(),
        table.iter().copied().map(pairs_of).sum(),
    );
    Ok(index.max(0.0))
}

/// The class that each point ends up in.
fn reassigned(
    rows: &[f64],
    features: usize,
    labels: &[u32],
    classes: usize,
    control: Control<'_>,
) -> Result<Vec<u32>, Stopped> {
    let mut state = Assignment::new(rows, features, labels.to_vec(), classes);
    let mut before_last = Vec::new();
    let mut round = 0;
    while round < ROUNDS {
        control.check()?;
        let last = state.class_of.clone();
        if !state.move_all() {
            break;
        }
        round += 1;
        // Two states alternate: the one that the last round would reach counts.
        if state.class_of == before_last {
            return Ok(if (ROUNDS - round).is_multiple_of(2) { state.class_of } else { last });
        }
        state.update_centroids();
        before_last = last;
    }
    Ok(state.class_of)
}

impl<'a> Assignment<'a> {
    fn new(rows: &'a [f64], features: usize, class_of: Vec<u32>, classes: usize) -> Assignment<'a> {
        let others = vec![0.0; class_of.len()];
        let (sizes, centroids) = (Vec::new(), vec![0.0; classes * features]);
        let mut state = Assignment {
            rows,
            features,
            class_of,
            sizes,
            centroids,
            priority: Vec::new(),
            others,
            least: 0.0,
        };
        state.update_centroids();
        let n = state.class_of.len() as f64;
        let mut centre = vec![0.0; features];
        for (size, centroid) in state.sizes.iter().zip(state.centroids.chunks_exact(features)) {
            centre.iter_mut().zip(centroid).for_each(|(sum, x)| *sum += x * (*size as f64 / n));
        }
        let scatter: f64 = rows.chunks_exact(features).map(|row| squared_distance(row, &centre)).sum();
        state.least = ROUNDING * scatter / n;
        let far: Vec<f64> = state
            .centroids
            .chunks_exact(features)
            .map(|centroid| squared_distance(centroid, &centre))
            .collect();
        state.priority = (0..classes as u32).collect();
        state.priority.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|class| class as usize);
            state.sizes[b].cmp(&state.sizes[a]).then(far[b].total_cmp(&far[a]))
        });
        state
    }

    fn row(&self, point: usize) -> &[f64] {
        &self.rows[point * self.features..(point + 1) * self.features]
    }

    fn centroid(&self, class: usize) -> &[f64] {
        &self.centroids[class * self.features..(class + 1) * self.features]
    }

    /// Moves every point to the class that is cheapest for it; returns whether any point has moved.
    fn move_all(&mut self) -> bool {
        // The cost of entering each class, per unit of squared distance.
        let entry: Vec<f64> = self.sizes.iter().map(|&size| size as f64 / (size + 1) as f64).collect();
        let cheapest = self.sizes.iter().zip(&entry).filter(|&(&size, _)| size > 0);
        let cheapest = cheapest.map(|(_, &entry)| entry).fold(f64::INFINITY, f64::min);
        let mut moved: Vec<(u32, f64)> =
            self.class_of.iter().copied().zip(self.others.iter().copied()).collect();
        let this = &*self;
        let centroids = Panels::new(self.centroids.chunks_exact(self.features), self.features);
        parallel::for_chunks_mut(&mut moved, CHUNK, |chunk, moved| {
            let mut squares = vec![0.0; centroids.padded()];
            for (point, (class, others)) in (chunk * CHUNK..).zip(moved) {
                let own = *class as usize;
                let size = this.sizes[own] as f64;
                if size == 1.0 {
                    continue;
                }
                let cost = size / (size - 1.0) * squared_distance(this.row(point), this.centroid(own));
                if cost <= this.least || cost <= cheapest * *others * *others * SLACK {
                    continue;
                }
                centroids.squared_distances(this.row(point), &mut squares);
                (*class, *others) = this.cheapest_for(own, cost, &entry, &squares);
            }
        });
        let any = moved.iter().zip(&self.class_of).any(|((class, _), before)| class != before);
        (self.class_of, self.others) = moved.into_iter().unzip();
        any
    }

    /// The class that is cheapest for a point, which may be its own, and the distance to the nearest centroid of any other class,
    /// given the point's squared distances to the centroids.
    fn cheapest_for(&self, own: usize, cost: f64, entry: &[f64], squares: &[f64]) -> (u32, f64) {
        let (mut best, mut least) = (own as u32, cost * (1.0 - GAIN));
        // The two smallest squared distances to centroids of other classes, each with its class.
        let mut nearest = [(f64::INFINITY, u32::MAX), (f64::INFINITY, u32::MAX)];
        for &class in &self.priority {
            let at = class as usize;
            if at == own || self.sizes[at] == 0 {
                continue;
            }
            let square = squares[at];
            if square < nearest[0].0 {
                nearest = [(square, class), nearest[0]];
            } else if square < nearest[1].0 {
                nearest[1] = (square, class);
            }
            let moving = entry[at] * square;
            let tie = if best == own as u32 { 0.0 } else { GAIN };
            if moving < least * (1.0 - tie) {
                (best, least) = (class, moving);
            }
        }
        let of_others = if best == own as u32 {
            nearest[0].0
        } else {
            // A larger class may cost less to enter than the nearest one.
            let rest = if nearest[0].1 == best { nearest[1].0 } else { nearest[0].0 };
            rest.min(squares[own])
        };
        (best, of_others.sqrt())
    }

    /// Updates sizes and centroids to the current classes, and the bounds to what still holds.
    fn update_centroids(&mut self) {
        let classes = self.centroids.len() / self.features;
        let before = std::mem::replace(&mut self.centroids, vec![0.0; classes * self.features]);
        self.sizes = vec![0; classes];
        for (row, &class) in self.rows.chunks_exact(self.features).zip(&self.class_of) {
            self.sizes[class as usize] += 1;
            let sum = &mut self.centroids[class as usize * self.features..][..self.features];
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let mut longest = 0.0_f64;
        let sums = self.centroids.chunks_exact_mut(self.features).zip(before.chunks_exact(self.features));
        for ((centroid, before), &size) in sums.zip(&self.sizes) {
            centroid.iter_mut().for_each(|sum| *sum /= size.max(1) as f64);
            if size > 0 {
                longest = longest.max(squared_distance(centroid, before));
            }
        }
        let way = longest.sqrt() / SLACK;
        self.others.iter_mut().for_each(|others| *others = (*others - way).max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use super::super::random::SplitMix;
    use super::*;

    fn lambda_of(values: &[f64], features: usize, starts: &[usize]) -> f64 {
        lambda(values, features, starts, Control::none()).unwrap()
    }

    /// Computes every cost of every round, without bounds, for all 60 rounds.
    fn slow(rows: &[f64], features: usize, labels: &[u32], classes: usize) -> Vec<u32> {
        let mut class_of = labels.to_vec();
        for _ in 0..ROUNDS {
            let state = Assignment::new(rows, features, class_of.clone(), classes);
            let first = Assignment::new(rows, features, labels.to_vec(), classes);
            for (point, class) in class_of.iter_mut().enumerate() {
                let own = state.class_of[point] as usize;
                let size = state.sizes[own] as f64;
                if size == 1.0 {
                    continue;
                }
                let square = |class: usize| squared_distance(state.row(point), state.centroid(class));
                let cost = size / (size - 1.0) * square(own);
                let (mut best, mut least) = (own, cost * (1.0 - GAIN));
                for other in first.priority.iter().map(|&other| other as usize) {
                    let entry = state.sizes[other] as f64 / (state.sizes[other] + 1) as f64;
                    let tie = if best == own { 0.0 } else { GAIN };
                    if other != own && state.sizes[other] > 0 && entry * square(other) < least * (1.0 - tie) {
                        (best, least) = (other, entry * square(other));
                    }
                }
                *class = best as u32;
            }
        }
        class_of
    }

    #[test]
    fn bounds_and_early_ends_change_nothing() {
        let mut cycles = 0;
        for seed in 0..120 {
            let mut random = SplitMix::new(seed);
            let (n, features, classes) = (12 + random.below(200), 1 + random.below(4), 2 + random.below(7));
            let on_grid = seed % 3 == 0;
            let values: Vec<f64> = (0..n * features)
                .map(|_| if on_grid { random.below(6) as f64 } else { (random.next() >> 11) as f64 / 1e15 })
                .collect();
            let labels: Vec<u32> = (0..n)
                .map(|point| if point < classes { point } else { random.below(classes) } as u32)
                .collect();
            let expected = slow(&values, features, &labels, classes);
            let found = reassigned(&values, features, &labels, classes, Control::none()).unwrap();
            assert_eq!(found, expected, "{seed}");
            let mut again = Assignment::new(&values, features, found, classes);
            cycles += usize::from(again.move_all());
        }
        assert!(cycles > 0, "none of the cases ends in a cycle");
    }

    #[test]
    fn classes_that_k_means_keeps_and_loses_by_hand() {
        // Two clusters as labelled, and one point of the first class that lies in the second cluster: it moves.
        assert_eq!(lambda_of(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], 1, &[0, 3, 6]), 1.0);
        // a: 0 1 2 11; b: 10 12 13. 11 costs 4/3 (11 - 3.5)^2 = 75 in a and 3/4 (11 - 35/3)^2 = 1/3 in b.
        // {0 1 2} {11 10 12 13}: of 21 pairs 9 have one label, 9 one cluster, 6 both; expected 81/21.
        let expected = (6.0 - 81.0 / 21.0) / (9.0 - 81.0 / 21.0);
        assert!(
            (lambda_of(&[0.0, 1.0, 2.0, 11.0, 10.0, 12.0, 13.0], 1, &[0, 4, 7]) - expected).abs() < 1e-15
        );
        // Labels that alternate on a line: the classes become halves, which agree with the labels no better than chance.
        let values: Vec<f64> = (0..8).map(|at| f64::from(2 * (at % 4) + at / 4)).collect();
        assert_eq!(lambda_of(&values, 1, &[0, 4, 8]), 0.0);
    }

    #[test]
    fn two_classes_that_change_places_are_not_kept() {
        // a: 0 0 3 3, b: 1 1 2 2 have the same centroid; each point is cheaper in the other class, 4/5 of its square instead of
        // 4/3.
        let values = [0.0, 0.0, 3.0, 3.0, 1.0, 1.0, 2.0, 2.0];
        let labels = [0, 0, 0, 0, 1, 1, 1, 1];
        let one_round = {
            let mut state = Assignment::new(&values, 1, labels.to_vec(), 2);
            state.move_all();
            state.class_of
        };
        assert_eq!(one_round, [1, 1, 1, 1, 0, 0, 0, 0]);
        // After 60 rounds, each point has its label again: a cycle of two.
        assert_eq!(reassigned(&values, 1, &labels, 2, Control::none()).unwrap(), labels);
        assert_eq!(lambda_of(&values, 1, &[0, 4, 8]), 1.0);
    }

    #[test]
    fn an_emptied_class_takes_nobody() {
        // The middle class lies between the outer ones, and its points are cheaper there: 2/1 (.9)^2 against 4/5 (1.1)^2.
        let values = [-1.2, -1.0, -1.0, -0.8, -0.9, 0.9, 0.8, 1.0, 1.0, 1.2];
        let labels = [0, 0, 0, 0, 1, 1, 2, 2, 2, 2];
        let reached = reassigned(&values, 1, &labels, 3, Control::none()).unwrap();
        assert_eq!(reached, [0, 0, 0, 0, 0, 2, 2, 2, 2, 2]);
    }

    #[test]
    fn copies_and_single_points_stay() {
        // A point that is alone in its class stays.
        let reached = reassigned(&[0.0, 0.1, 0.2, 0.6], 1, &[0, 0, 0, 1], 2, Control::none()).unwrap();
        assert_eq!(reached, [0, 0, 0, 1]);
        // Classes without extent cost nothing.
        assert_eq!(lambda_of(&[0.5, 0.5, 0.5, 7.0, 7.0], 1, &[0, 3, 5]), 1.0);
        assert_eq!(
            reassigned(&[2.0; 6], 1, &[0, 0, 0, 1, 1, 1], 2, Control::none()).unwrap(),
            [0, 0, 0, 1, 1, 1]
        );
    }
}

//! The geometric median of a set of points: the place y with the smallest sum of distances to them.
//!
//! ```text
//! F(y) = sum |x - y|        pull = -F'(y) = sum (x - y)/|x - y|        W = sum 1/|x - y|
//! ```
//!
//! Weiszfeld's step `pull / W` always lowers F, but may creep. `W` bounds the curvature of F from above, so the step is a safe
//! start for a quasi-Newton method (L-BFGS), which learns the flat directions within a few sweeps; if its step does not lower F,
//! the plain step is taken. A median that is itself a point is recognised by its condition,
//! `|pull of the others| <= points in that place`, and an iterate that falls on a point leaves it as Vardi and Zhang (2000) do.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use clmatch_kernels::simd::sums::{dot, squared_gap, total};
use clmatch_kernels::simd::{Aligned, Isa, LANES, Level, Register, Work};

/// The iteration ends when `|pull|^2 <= ENOUGH W F`: an error of F of `ENOUGH / 2` times the ratio of W to the
/// smallest curvature.
const ENOUGH: f64 = 1e-16;
/// The largest number of sweeps over the points.
const SWEEPS: usize = 500;
/// How many pairs of steps and changes of the pull are kept.
const MEMORY: usize = 8;
/// The share of the promised decrease that a step must bring.
const DECREASE: f64 = 1e-4;
/// A sum that changes by less than this share has converged as far as rounding allows.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// How many steps in a row may change nothing.
const PATIENCE: usize = 3;
/// A point nearer than this share of the mean distance may be the median.
const NEAR: f64 = 0.1;
/// Points closer than this to the place, relative to the mean distance, count as lying there: if rounding put a place beside a
/// point instead of on it, the point would hold it with nearly infinite weight.
const HERE: f64 = 1e-9;
/// Up to this many points with four times as many features are first rotated into the span of the points.
const FEW: usize = 64;
/// A direction with less than this share of the largest squared length is rounding.
const RANK: f64 = 1e-15;
/// The slack, per point, of the condition for a point to be the median.
const SLACK: f64 = 1e-12;

/// The mean distance of the points to their geometric median, with a relative error of about 1e-12.
///
/// Time: O(N d) per sweep, of which there are about ten. Memory: O(N d), a padded copy of the points.
pub fn mean_distance_to_median<'a>(points: impl Iterator<Item = &'a [f64]> + Clone, start: &[f64]) -> f64 {
    let set = Set::new(points, start);
    let set = if set.len() <= FEW && 4 * set.len() <= start.len() { set.turned() } else { set };
    if set.features <= 1 { set.on_a_line().1 } else { set.search().1 }
}

/// The geometric median of the points, to about 1e-6 of their distances from it.
///
/// Time and memory: as [`mean_distance_to_median`].
pub(crate) fn geometric_median<'a>(
    points: impl Iterator<Item = &'a [f64]> + Clone,
    start: &[f64],
) -> Vec<f64> {
    let set = Set::new(points, start);
    let (place, _) = if set.features <= 1 { set.on_a_line() } else { set.search() };
    place.iter().zip(start).map(|(y, start)| y + start).collect()
}

/// Points relative to the start, padded to whole lanes.
struct Set {
    rows: Aligned<f64>,
    features: usize,
    /// The number of features, with padding.
    padded: usize,
    level: Level,
    /// Squared distances up to this count as 0.
    here: f64,
}

/// The results of one sweep over the points at a place.
struct Sweep {
    /// `F`.
    sum: f64,
    /// `W`, without the points at the place itself.
    weight: f64,
    /// The pull of these points.
    pull: Vec<f64>,
    /// How many points lie at the place itself.
    here: f64,
    /// The nearest point, and its squared distance.
    nearest: usize,
    least: f64,
}

impl Sweep {
    /// `|pull|`.
    fn strength(&self) -> f64 {
        dot(&self.pull, &self.pull).sqrt()
    }
}

impl Set {
    fn new<'a>(points: impl Iterator<Item = &'a [f64]> + Clone, start: &[f64]) -> Set {
        let padded = start.len().next_multiple_of(LANES);
        let mut rows = Aligned::zeros(points.clone().count() * padded);
        for (row, point) in rows.chunks_exact_mut(padded).zip(points) {
            for ((to, x), origin) in row.iter_mut().zip(point).zip(start) {
                *to = x - origin;
            }
        }
        Set { rows, features: start.len(), padded, level: Level::best(), here: 0.0 }
    }

    fn len(&self) -> usize {
        self.rows.len() / self.padded
    }

    fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.padded..(index + 1) * self.padded]
    }

    /// The points in coordinates of the space that they span: fewer features, the same distances.
    ///
    /// With the products of all rows, `G = R R'`, the rows of its pivoted Cholesky factor are such coordinates.
    ///
    /// Time: O(N^2 d + N^3). Memory: O(N^2).
    fn turned(&self) -> Set {
        let count = self.len();
        let mut products = self.level.run(Products { set: self });
        let largest = (0..count).fold(0.0_f64, |largest, i| largest.max(products[i * count + i]));
        let padded = count.next_multiple_of(LANES);
        let mut rows = Aligned::zeros(count * padded);
        let mut features = 0;
        while features < count {
            let diagonal = |i: &usize| products[i * count + i];
            let Some(pivot) = (0..count).max_by(|a, b| diagonal(a).total_cmp(&diagonal(b))) else { break };
            let length = products[pivot * count + pivot];
            if length <= RANK * largest {
                break;
            }
            let column: Vec<f64> = (0..count).map(|i| products[i * count + pivot] / length.sqrt()).collect();
            for i in 0..count {
                rows[i * padded + features] = column[i];
                for j in 0..count {
                    products[i * count + j] -= column[i] * column[j];
                }
            }
            features += 1;
        }
        Set { rows, features, padded, level: self.level, here: 0.0 }
    }

    /// In one dimension any number between the two in the middle is a median.
    fn on_a_line(&self) -> (Vec<f64>, f64) {
        let mut numbers: Vec<f64> = self.rows.iter().step_by(self.padded).copied().collect();
        let middle = numbers.len() / 2;
        let median = *numbers.select_nth_unstable_by(middle, f64::total_cmp).1;
        let mean = numbers.iter().map(|x| (x - median).abs()).sum::<f64>() / numbers.len() as f64;
        (vec![median], mean)
    }

    /// The median, relative to the start, and the mean distance to it.
    fn search(mut self) -> (Vec<f64>, f64) {
        let count = self.len() as f64;
        let mut place = vec![0.0; self.padded];
        let mut now = self.sweep(&place);
        self.here = (HERE * now.sum / count).powi(2);
        now = self.sweep(&place);
        let mut secants = Secants::default();
        let mut tested = usize::MAX;
        let mut idle = 0;
        for round in 0..SWEEPS {
            let strength = now.strength();
            if strength <= now.here || strength * strength <= ENOUGH * now.weight * now.sum {
                break;
            }
            let close = now.least.sqrt() * count < NEAR * now.sum && now.nearest != tested;
            if round == 0 || close && round.is_multiple_of(2) {
                tested = now.nearest;
                let there = self.sweep(self.row(tested));
                if there.strength() <= there.here + SLACK * count {
                    return (self.row(tested).to_vec(), there.sum / count);
                }
            }
            // Points at the place hold it back with unit force each.
            let free = 1.0 - now.here / strength;
            let plain: Vec<f64> = now.pull.iter().map(|pull| free * pull / now.weight).collect();
            let bold = if now.here > 0.0 { None } else { secants.step(&now) };
            let (step, next) = match bold.map(|step| (self.try_step(&place, &step), step)) {
                Some((next, step)) if next.sum <= now.sum - DECREASE * dot(&step, &now.pull) => (step, next),
                Some(_) => {
                    secants.forget();
                    let next = self.try_step(&place, &plain);
                    (plain, next)
                }
                None => {
                    let next = self.try_step(&place, &plain);
                    (plain, next)
                }
            };
            idle = if next.sum < now.sum * (1.0 - ROUNDING) { 0 } else { idle + 1 };
            if idle >= PATIENCE {
                break;
            }
            place.iter_mut().zip(&step).for_each(|(y, step)| *y += step);
            secants.learn(step, &now, &next);
            now = next;
        }
        // If the median is a point, the iterates may approach it forever.
        let point = self.sweep(self.row(now.nearest));
        if point.sum < now.sum {
            return (self.row(now.nearest).to_vec(), point.sum / count);
        }
        (place, now.sum / count)
    }

    fn sweep(&self, place: &[f64]) -> Sweep {
        self.level.run(Look { set: self, place })
    }

    fn try_step(&self, place: &[f64], step: &[f64]) -> Sweep {
        let place: Vec<f64> = place.iter().zip(step).map(|(y, step)| y + step).collect();
        self.sweep(&place)
    }
}

/// Steps and how they changed the pull: the curvature of F along the way.
#[derive(Default)]
struct Secants {
    pairs: VecDeque<Secant>,
}

struct Secant {
    step: Vec<f64>,
    /// How much the pull fell.
    fall: Vec<f64>,
    /// `1 / step.fall`.
    inverse: f64,
}

impl Secants {
    fn forget(&mut self) {
        self.pairs.clear();
    }

    fn learn(&mut self, step: Vec<f64>, before: &Sweep, after: &Sweep) {
        if before.here > 0.0 || after.here > 0.0 {
            return self.forget();
        }
        let fall: Vec<f64> = before.pull.iter().zip(&after.pull).map(|(a, b)| a - b).collect();
        let curvature = dot(&step, &fall);
        if curvature > f64::EPSILON * dot(&fall, &fall).sqrt() * dot(&step, &step).sqrt() {
            self.pairs.truncate(MEMORY - 1);
            self.pairs.push_front(Secant { step, fall, inverse: 1.0 / curvature });
        }
    }

    /// The quasi-Newton step, by the two-loop recursion of Nocedal (1980); `None` without earlier steps.
    fn step(&self, now: &Sweep) -> Option<Vec<f64>> {
        self.pairs.front()?;
        let mut step = now.pull.clone();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let share = pair.inverse * dot(&pair.step, &step);
            step.iter_mut().zip(&pair.fall).for_each(|(step, fall)| *step -= share * fall);
            shares.push(share);
        }
        step.iter_mut().for_each(|step| *step /= now.weight);
        for (pair, share) in self.pairs.iter().zip(shares).rev() {
            let change = share - pair.inverse * dot(&pair.fall, &step);
            step.iter_mut().zip(&pair.step).for_each(|(step, s)| *step += change * s);
        }
        Some(step)
    }
}

/// N x N scalar products of all rows. Time: O(N^2 d). Memory: O(N^2).
struct Products<'a> {
    set: &'a Set,
}

impl Work<f64> for Products<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Vec<f64> {
        /// Rows that are multiplied by one row at a time.
        const ROWS: usize = 4;
        let (count, padded) = (self.set.len(), self.set.padded);
        let mut products = vec![0.0; count * count];
        for i in 0..count {
            let row = self.set.row(i).as_ptr();
            let mut first = 0;
            while first <= i {
                // SAFETY: the caller vouches for the instruction set; rows have whole blocks of eight.
                unsafe {
                    let mut sums = [I::Group::splat(0.0); ROWS];
                    let others: [*const f64; ROWS] =
                        [0, 1, 2, 3].map(|r| self.set.row((first + r).min(i)).as_ptr());
                    let mut at = 0;
                    while at < padded {
                        let x = I::Group::load(row.add(at));
                        for r in 0..ROWS {
                            sums[r] = x.mul_add(I::Group::load(others[r].add(at)), sums[r]);
                        }
                        at += LANES;
                    }
                    for (r, &sum) in sums.iter().enumerate().take(i + 1 - first) {
                        products[i * count + first + r] = total(sum);
                        products[(first + r) * count + i] = total(sum);
                    }
                }
                first += ROWS;
            }
        }
        products
    }
}

/// One sweep over the points. Time: O(N d). Memory: O(d).
struct Look<'a> {
    set: &'a Set,
    place: &'a [f64],
}

impl Work<f64> for Look<'_> {
    type Output = Sweep;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Sweep {
        let Look { set, place } = self;
        let padded = set.padded;
        assert!(place.len() == padded && padded.is_multiple_of(LANES));
        let mut pull = vec![0.0; padded];
        let (mut sum, mut weight, mut here) = (0.0, 0.0, 0.0);
        let (mut nearest, mut least) = (0, f64::INFINITY);
        for (index, row) in set.rows.chunks_exact(padded).enumerate() {
            // SAFETY: the caller vouches for the instruction set; row, place and pull have whole blocks of eight.
            unsafe {
                let square = squared_gap::<I::Group>(row, place);
                let distance = square.sqrt();
                sum += distance;
                if square < least {
                    (nearest, least) = (index, square);
                }
                if square <= set.here {
                    here += 1.0;
                    continue;
                }
                weight += 1.0 / distance;
                let factor = I::Group::splat(1.0 / distance);
                let mut at = 0;
                while at < padded {
                    let gap =
                        I::Group::load(row.as_ptr().add(at)).sub(I::Group::load(place.as_ptr().add(at)));
                    let to = pull.as_mut_ptr().add(at);
                    gap.mul_add(factor, I::Group::load(to)).store(to);
                    at += LANES;
                }
            }
        }
        Sweep { sum, weight, pull, here, nearest, least }
    }
}

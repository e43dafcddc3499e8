//! Sequential minimal optimisation of the dual, two coefficients at a time.
//!
//! The pair is chosen by second-order information: Fan, Chen and Lin, Working Set Selection Using Second Order Information
//! for Training SVM, JMLR 6 (2005).

use std::collections::VecDeque;

use super::kernel::Kernel;
use clmatch_kernels::{Stop, Stopped};

/// The solver ends when no pair violates the optimality conditions by more than this.
const TOLERANCE: f64 = 1e-3;
/// The curvature of a pair of equal points.
const FLAT: f64 = 1e-12;
/// The most bytes of kernel rows that one problem caches.
const MEMORY: usize = 200 << 20;
/// Steps between two checks of the flag.
const PATIENCE: usize = 1000;
/// The limit of steps per coefficient, as in LIBSVM.
const MOST_STEPS: usize = 100;
/// The limit of steps for small problems.
const MOST_STEPS_SMALL: usize = 10_000_000;

/// For n coefficients, the number of steps after which the best solution so far is good enough.
fn most_steps(n: usize) -> usize {
    (MOST_STEPS * n).max(MOST_STEPS_SMALL)
}

/// The coefficients, and the offset that is subtracted from the weighted similarities.
pub(super) struct Solution {
    pub(super) alphas: Vec<f64>,
    pub(super) offset: f64,
}

/// The points of two classes, the positive ones first.
pub(super) struct Problem<'a> {
    kernel: &'a Kernel<'a>,
    rows: &'a [usize],
    signs: Vec<f64>,
    cost: f64,
    alphas: Vec<f64>,
    /// The gradient of the objective: `(Q a)_i - 1`.
    gradient: Vec<f64>,
    cache: Cache,
}

/// Recently used kernel rows; the oldest are dropped first.
struct Cache {
    rows: Vec<Option<Vec<f32>>>,
    order: VecDeque<usize>,
    most: usize,
}

impl Cache {
    fn new(n: usize) -> Cache {
        let most = (MEMORY / (4 * n.max(1))).max(2);
        Cache { rows: vec![None; n], order: VecDeque::new(), most }
    }

    /// Computes rows `i` and `j` unless they are cached.
    fn fill(&mut self, kernel: &Kernel<'_>, rows: &[usize], pair: [usize; 2]) {
        for at in pair {
            if self.rows[at].is_some() {
                continue;
            }
            while self.order.len() >= self.most {
                match self.order.pop_front() {
                    Some(old) if pair.contains(&old) => self.order.push_back(old),
                    Some(old) => self.rows[old] = None,
                    None => break,
                }
            }
            let mut row = Vec::with_capacity(rows.len());
            kernel.between(rows[at], rows, &mut row);
            self.rows[at] = Some(row);
            self.order.push_back(at);
        }
    }

    fn get(&self, at: usize) -> &[f32] {
        self.rows[at].as_deref().unwrap_or_default()
    }
}

impl<'a> Problem<'a> {
    pub(super) fn new(kernel: &'a Kernel<'a>, rows: &'a [usize], positive: usize, cost: f64) -> Self {
        let n = rows.len();
        let signs = (0..n).map(|i| if i < positive { 1.0 } else { -1.0 }).collect();
        let (alphas, gradient) = (vec![0.0; n], vec![-1.0; n]);
        Problem { kernel, rows, signs, cost, alphas, gradient, cache: Cache::new(n) }
    }

    pub(super) fn solve(mut self, stop: &Stop) -> Result<Solution, Stopped> {
        for step in 0..most_steps(self.rows.len()) {
            if step.is_multiple_of(PATIENCE) {
                stop.check()?;
            }
            let Some([i, j]) = self.worst_pair() else { break };
            self.improve(i, j);
        }
        let offset = self.offset();
        Ok(Solution { alphas: self.alphas, offset })
    }

    /// Whether y a may rise.
    fn may_rise(&self, i: usize) -> bool {
        if self.signs[i] > 0.0 { self.alphas[i] < self.cost } else { self.alphas[i] > 0.0 }
    }

    /// Whether y a may fall.
    fn may_fall(&self, i: usize) -> bool {
        if self.signs[i] > 0.0 { self.alphas[i] > 0.0 } else { self.alphas[i] < self.cost }
    }

    /// The coefficient that violates its condition most, and the partner with which the objective decreases most; `None`
    /// at the optimum. Time: O(n).
    fn worst_pair(&mut self) -> Option<[usize; 2]> {
        let (mut i, mut highest) = (None, f64::NEG_INFINITY);
        for t in 0..self.rows.len() {
            let slope = -self.signs[t] * self.gradient[t];
            if slope > highest && self.may_rise(t) {
                (i, highest) = (Some(t), slope);
            }
        }
        let i = i?;
        self.cache.fill(self.kernel, self.rows, [i, i]);
        let similar = self.cache.get(i);
        let (mut j, mut best, mut lowest) = (None, 0.0, f64::INFINITY);
        for (t, similar) in similar.iter().enumerate() {
            if !self.may_fall(t) {
                continue;
            }
            let slope = -self.signs[t] * self.gradient[t];
            lowest = f64::min(lowest, slope);
            let gap = highest - slope;
            if gap > 0.0 {
                // A Gaussian kernel has ones on its diagonal.
                let curvature = (2.0 - 2.0 * f64::from(*similar)).max(FLAT);
                let gain = gap * gap / curvature;
                if gain > best {
                    (j, best) = (Some(t), gain);
                }
            }
        }
        if highest - lowest < TOLERANCE { None } else { j.map(|j| [i, j]) }
    }

    /// Moves the pair to its optimum within the box, and updates the gradient. Time: O(n).
    fn improve(&mut self, i: usize, j: usize) {
        self.cache.fill(self.kernel, self.rows, [i, j]);
        let (similar_i, similar_j) = (self.cache.get(i), self.cache.get(j));
        let (y_i, y_j) = (self.signs[i], self.signs[j]);
        let curvature = (2.0 - 2.0 * f64::from(similar_i[j])).max(FLAT);
        // y_i a_i rises by the step and y_j a_j falls by it.
        let step = (y_j * self.gradient[j] - y_i * self.gradient[i]) / curvature;
        let room = |a: f64, rises: bool| if rises { self.cost - a } else { a };
        let room_i = room(self.alphas[i], y_i > 0.0);
        let room_j = room(self.alphas[j], y_j < 0.0);
        let step = step.min(room_i).min(room_j);
        // A coefficient that reaches a wall is set to it exactly; otherwise rounding would let the pair return for ever.
        let moved = |a: f64, sign: f64, at_wall: bool| match (at_wall, sign > 0.0) {
            (true, true) => self.cost,
            (true, false) => 0.0,
            (false, _) => (a + sign * step).clamp(0.0, self.cost),
        };
        let new_i = moved(self.alphas[i], y_i, step == room_i);
        let new_j = moved(self.alphas[j], -y_j, step == room_j);
        let change_i = y_i * (new_i - self.alphas[i]);
        let change_j = y_j * (new_j - self.alphas[j]);
        (self.alphas[i], self.alphas[j]) = (new_i, new_j);
        let similar = similar_i.iter().zip(similar_j);
        for ((gradient, sign), (k_i, k_j)) in self.gradient.iter_mut().zip(&self.signs).zip(similar) {
            *gradient += sign * (change_i * f64::from(*k_i) + change_j * f64::from(*k_j));
        }
    }

    /// The mean of y times the gradient over coefficients inside the box, or else the middle of the range that the others
    /// allow.
    fn offset(&self) -> f64 {
        let (mut sum, mut free) = (0.0, 0);
        let (mut above, mut below) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..self.rows.len() {
            let slope = self.signs[i] * self.gradient[i];
            match (self.may_rise(i), self.may_fall(i)) {
                (true, true) => {
                    sum += slope;
                    free += 1;
                }
                (true, false) => above = above.min(slope),
                (false, true) => below = below.max(slope),
                (false, false) => {}
            }
        }
        if free > 0 { sum / f64::from(free) } else { f64::midpoint(above, below) }
    }
}

#[cfg(test)]
mod tests;

//! The class counts on both sides of a split, and how mixed they are.

use super::Criterion;

/// The class counts of the left and right parts of a node, as rows move from right to left.
pub(super) struct Sides {
    criterion: Criterion,
    left: Vec<u32>,
    right: Vec<u32>,
    left_total: u32,
    right_total: u32,
    /// The sums of [`Sides::term`] over the classes, left and right.
    left_sum: f64,
    right_sum: f64,
    /// `c ln c` for every count c up to the number of points.
    logs: Vec<f64>,
}

impl Sides {
    pub(super) fn new(criterion: Criterion, classes: usize, points: usize) -> Sides {
        let log = |count: usize| if count == 0 { 0.0 } else { count as f64 * (count as f64).ln() };
        Sides {
            criterion,
            left: vec![0; classes],
            right: vec![0; classes],
            left_total: 0,
            right_total: 0,
            left_sum: 0.0,
            right_sum: 0.0,
            logs: (0..=points).map(log).collect(),
        }
    }

    /// `c^2` for Gini, `c ln c` for the entropy.
    fn term(&self, count: u32) -> f64 {
        match self.criterion {
            Criterion::Gini => f64::from(count) * f64::from(count),
            Criterion::Entropy | Criterion::LogLoss => self.logs[count as usize],
        }
    }

    /// Puts a whole node on the right.
    pub(super) fn reset(&mut self, counts: &[u32]) {
        self.left.fill(0);
        self.right.copy_from_slice(counts);
        (self.left_total, self.right_total) = (0, counts.iter().sum());
        self.left_sum = 0.0;
        self.right_sum = counts.iter().map(|&count| self.term(count)).sum();
    }

    /// Moves a point that counts `weight` times from right to left.
    pub(super) fn shift(&mut self, class: usize, weight: u32) {
        let (left, right) = (self.left[class], self.right[class]);
        self.left_sum += self.term(left + weight) - self.term(left);
        self.right_sum += self.term(right - weight) - self.term(right);
        (self.left[class], self.right[class]) = (left + weight, right - weight);
        self.left_total += weight;
        self.right_total -= weight;
    }

    /// How pure the sides are, up to terms that all splits of a node share; greater is better.
    ///
    /// ```text
    /// Gini     sum_c l_c^2 / L + sum_c r_c^2 / R
    /// entropy  sum_c l_c ln l_c - L ln L + sum_c r_c ln r_c - R ln R
    /// ```
    /// where l and r count a class on the left and on the right, and L and R are their sums.
    pub(super) fn purity(&self) -> f64 {
        match self.criterion {
            Criterion::Gini => {
                self.left_sum / f64::from(self.left_total) + self.right_sum / f64::from(self.right_total)
            }
            Criterion::Entropy | Criterion::LogLoss => {
                let total = |total: u32| self.logs[total as usize];
                self.left_sum - total(self.left_total) + self.right_sum - total(self.right_total)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purity_follows_the_definition() {
        let counts = [5_u32, 3, 4];
        let moves = [(0_usize, 2_u32), (1, 1), (0, 3), (2, 1)];
        let mixed = |criterion: Criterion, c: &[f64]| {
            let total: f64 = c.iter().sum();
            let shares = c.iter().map(|c| c / total).filter(|p| *p > 0.0);
            match criterion {
                Criterion::Gini => 1.0 - shares.map(|p| p * p).sum::<f64>(),
                _ => -shares.map(|p| p * p.ln()).sum::<f64>(),
            }
        };
        for criterion in [Criterion::Gini, Criterion::Entropy] {
            let mut sides = Sides::new(criterion, 3, 12);
            sides.reset(&counts);
            let (mut left, mut right) = ([0.0; 3], [5.0, 3.0, 4.0]);
            let mut before: Option<(f64, f64)> = None;
            for (class, weight) in moves {
                sides.shift(class, weight);
                left[class] += f64::from(weight);
                right[class] -= f64::from(weight);
                let (l, r): (f64, f64) = (left.iter().sum(), right.iter().sum());
                let slow = l * mixed(criterion, &left) + r * mixed(criterion, &right);
                // Only differences between splits matter.
                if let Some((purity, cost)) = before {
                    assert!(((sides.purity() - purity) + (slow - cost)).abs() < 1e-9, "{criterion:?}");
                }
                before = Some((sides.purity(), slow));
            }
        }
    }
}

//! The mutual information that two partitions with given sizes share by chance.
//!
//! Consider a class of `a` and a cluster of `b` of `n` points. If labels are shuffled, their overlap is hypergeometric,
//! so
//!
//! ```text
//! E[I] = sum_ij e(a_i, b_j)      e(a, b) = sum_m P(m) m/n ln(n m / (a b))      P(m) = C(b, m) C(n-b, a-m) / C(n, a)
//! ```
//!
//! Neighbouring terms have the ratio `P(m+1)/P(m) = (a-m)(b-m) / ((m+1)(n-a-b+m+1))`. Starting at the mode with weight 1
//! and walking both ways until the weights vanish visits all terms that matter; dividing by the sum of the weights gives
//! P. This needs no factorials, nothing overflows, and it visits only a few standard deviations of m instead of min(a, b)
//! values. e(a, b) is stored, because sweeps over many partitions of one dataset meet the same sizes again and again.

use std::sync::atomic::{AtomicU64, Ordering};

/// Weights below this share of the mode's weight do not change the last digit.
const VANISHING: f64 = 1e-19;
/// The most numbers that are stored, for data with many classes of different sizes.
const KEPT: usize = 1 << 24;

/// `e(a, b)` for one dataset.
#[derive(Debug)]
pub(super) struct Expected {
    n: u64,
    /// Distinct class sizes, and how many classes have each.
    classes: Vec<(u64, f64)>,
    /// `ln m` for each m.
    logs: Vec<f64>,
    /// `sum_i e(a_i, b)` by b, as bits; 0 where not computed yet. Threads that compute one at the same time store the
    /// same number.
    known: Vec<AtomicU64>,
}

impl Expected {
    pub(super) fn new(sizes: &[u64], n: u64) -> Expected {
        let mut sorted = sizes.to_vec();
        sorted.sort_unstable();
        let classes = sorted.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64)).collect();
        let largest = sorted.last().copied().unwrap_or(0);
        let logs = (0..=largest).map(|m| (m.max(1) as f64).ln()).collect();
        let known = (0..(n as usize + 1).min(KEPT)).map(|_| AtomicU64::new(0)).collect();
        Expected { n, classes, logs, known }
    }

    /// `sum_i e(a_i, b)`: what a cluster of b points adds to `E[I]`.
    ///
    /// Time: O(1); for a new size, a few standard deviations of its overlap with each class size.
    pub(super) fn of_cluster(&self, b: u64) -> f64 {
        let known = self.known.get(b as usize);
        match known.map(|known| f64::from_bits(known.load(Ordering::Relaxed))) {
            Some(value) if value != 0.0 => value,
            _ => {
                let value = self.classes.iter().map(|&(a, count)| count * self.term(a, b)).sum::<f64>();
                if let Some(known) = known {
                    known.store(value.to_bits(), Ordering::Relaxed);
                }
                value
            }
        }
    }

    /// `e(a, b)`.
    fn term(&self, a: u64, b: u64) -> f64 {
        let n = self.n;
        let (first, last) = ((a + b).saturating_sub(n), a.min(b));
        let mode =
            (((u128::from(a) + 1) * (u128::from(b) + 1) / (u128::from(n) + 2)) as u64).clamp(first, last);
        let [fa, fb, fn_] = [a, b, n].map(|count| count as f64);
        let constant = fn_.ln() - fa.ln() - fb.ln();
        let information = |m: u64| m as f64 * (self.logs[m as usize] + constant);
        let (mut weights, mut sum) = (1.0, information(mode));
        let mut weight = 1.0;
        for m in mode..last {
            let up = m as f64;
            weight *= (fa - up) * (fb - up) / ((up + 1.0) * (fn_ - fa - fb + up + 1.0));
            if weight < VANISHING {
                break;
            }
            weights += weight;
            sum += weight * information(m + 1);
        }
        weight = 1.0;
        for m in (first + 1..=mode).rev() {
            let down = m as f64;
            weight *= down * (fn_ - fa - fb + down) / ((fa - down + 1.0) * (fb - down + 1.0));
            if weight < VANISHING {
                break;
            }
            weights += weight;
            sum += weight * information(m - 1);
        }
        sum / weights / fn_
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `e(a, b)` from its definition, with factorials.
    fn by_definition(a: u64, b: u64, n: u64) -> f64 {
        let ln_factorial = |m: u64| (1..=m).map(|k| (k as f64).ln()).sum::<f64>();
        let ln_choose = |m: u64, k: u64| ln_factorial(m) - ln_factorial(k) - ln_factorial(m - k);
        (1.max((a + b).saturating_sub(n))..=a.min(b))
            .map(|m| {
                let p = (ln_choose(b, m) + ln_choose(n - b, a - m) - ln_choose(n, a)).exp();
                p * m as f64 / n as f64 * (n as f64 * m as f64 / (a as f64 * b as f64)).ln()
            })
            .sum()
    }

    #[test]
    fn terms_agree_with_the_definition() {
        for n in [2, 3, 10, 57, 400] {
            for a in [1, 2, n / 3 + 1, n / 2, n - 1, n] {
                for b in [1, 2, n / 4 + 1, n / 2, n - 1, n] {
                    let expected = Expected::new(&[a.max(1)], n);
                    let (fast, slow) = (expected.term(a.max(1), b), by_definition(a.max(1), b, n));
                    assert!((fast - slow).abs() < 1e-13, "{a} {b} {n}: {fast} {slow}");
                }
            }
        }
    }

    #[test]
    fn what_is_kept_is_what_is_computed() {
        let expected = Expected::new(&[5, 5, 7, 30], 47);
        let information = || [3, 3, 41].map(|size| expected.of_cluster(size)).iter().sum::<f64>();
        let (first, again) = (information(), information());
        assert_eq!(first, again);
        let direct: f64 =
            [3, 3, 41].iter().flat_map(|&b| [5, 5, 7, 30].map(|a| by_definition(a, b, 47))).sum();
        assert!((first - direct).abs() < 1e-13);
    }
}

//! The symmetric mean absolute percentage error between scores under two conditions.
//!
//! ```text
//! SMAPE = sum_k |F_k - G_k| / sum_k (|F_k| + |G_k|)      F_k = w_k (a_k - M), G_k = w_k (b_k - M)
//! where M = the least of all a_k and b_k, w_k = the weight of dataset k
//! ```
//!
//! That is the text's formula; the authors' program leaves out the weights below the line. Values are used as they are
//! defined, even where lower is better: M is then the best value instead of the worst.

use crate::reading::Reading;

/// The weighted SMAPE of two lists of finite values, one for each dataset; 0 where they are equal.
pub fn smape(a: &[f64], b: &[f64], weights: &[f64], reading: Reading) -> f64 {
    let least = a.iter().chain(b).copied().fold(f64::INFINITY, f64::min);
    let datasets = || weights.iter().zip(a.iter().zip(b));
    let apart: f64 = datasets().map(|(w, (a, b))| w * (a - b).abs()).sum();
    let below = |w: f64| if reading == Reading::Authors { 1.0 } else { w };
    let size: f64 = datasets().map(|(&w, (a, b))| below(w) * ((a - least) + (b - least))).sum();
    if size > 0.0 { apart / size } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
        smape(a, b, weights, Reading::Text)
    }

    #[test]
    fn worked_by_hand() {
        // M = 1. F = (0, 2, 3), G = (1, 2, 5): (1 + 0 + 2) / (0 + 2 + 3 + 1 + 2 + 5).
        let (a, b) = ([1.0, 3.0, 4.0], [2.0, 3.0, 6.0]);
        assert_eq!(text(&a, &b, &[1.0; 3]), 3.0 / 13.0);
        // The last dataset has twice the weight: (1 + 0 + 4) / (1 + 4 + 16); without weights below the line / 13.
        assert_eq!(text(&a, &b, &[1.0, 1.0, 2.0]), 5.0 / 21.0);
        assert_eq!(smape(&a, &b, &[1.0, 1.0, 2.0], Reading::Authors), 5.0 / 13.0);
        // The error is symmetric, and a common offset or factor changes nothing.
        assert_eq!(text(&b, &a, &[1.0; 3]), 3.0 / 13.0);
        let moved = |values: [f64; 3]| values.map(|value| 4.0 * value - 100.0);
        assert_eq!(text(&moved(a), &moved(b), &[1.0; 3]), 3.0 / 13.0);
    }

    #[test]
    fn ends_of_the_range() {
        assert_eq!(text(&[2.0, 5.0], &[2.0, 5.0], &[1.0; 2]), 0.0);
        assert_eq!(text(&[2.0, 2.0], &[2.0, 2.0], &[1.0; 2]), 0.0);
        assert_eq!(text(&[0.0, 0.0], &[3.0, 4.0], &[1.0; 2]), 1.0);
    }
}

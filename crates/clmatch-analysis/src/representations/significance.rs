//! Whether the difference of two scores of the same rows is more than chance.

use clmatch::intervals::{GROUPS, Interval, Replicates};
use serde::Serialize;

use crate::number;

/// Corrected p-values below this are significant.
pub const LEVEL: f64 = 0.05;
/// The 97.5% point of Student's t with 20 degrees of freedom, which the intervals reach.
const T_QUANTILE: f64 = 2.085_963_447_265_837;

/// The difference of the scores of two representations, `b - a`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedDifference {
    /// The representation given earlier.
    pub a: String,
    /// The representation given later.
    pub b: String,
    /// The score of `b` minus that of `a`.
    #[serde(serialize_with = "number::serialize")]
    pub difference: f64,
    /// The lower end of its paired 95% interval, which is not corrected for the number of pairs.
    #[serde(serialize_with = "number::serialize")]
    pub low: f64,
    /// The upper end of this interval.
    #[serde(serialize_with = "number::serialize")]
    pub high: f64,
    /// The probability of such a difference by chance.
    pub p_value: f64,
    /// The p-value after Holm's correction over all pairs of representations.
    pub corrected_p_value: f64,
    /// Whether the corrected p-value is below .05.
    pub significant: bool,
}

/// The difference of two scores, each with its replicates; its p-value is not yet corrected.
pub(super) fn difference(
    [a, b]: [String; 2],
    (of_a, score_a): (&Replicates, f64),
    (of_b, score_b): (&Replicates, f64),
) -> PairedDifference {
    let Interval { low, high } = of_b.difference(score_b, of_a, score_a);
    let difference = score_b - score_a;
    let error = (high - low) / (2.0 * T_QUANTILE);
    let p_value = if error > 0.0 {
        two_sided(difference / error)
    } else {
        // Without any spread, a difference is significant only if every replicate has the same order.
        let mut pairs = of_a.scores.iter().zip(&of_b.scores);
        let same = pairs.all(|(a, b)| (b - a) * difference > 0.0);
        if same { 0.0 } else { 1.0 }
    };
    PairedDifference { a, b, difference, low, high, p_value, corrected_p_value: p_value, significant: false }
}

/// Holm's correction: the i-th smallest of m p-values is multiplied by m - i + 1, and raised to the largest one before it if it
/// is smaller.
pub(super) fn correct(differences: &mut [PairedDifference]) {
    let mut order: Vec<usize> = (0..differences.len()).collect();
    order.sort_by(|&a, &b| differences[a].p_value.total_cmp(&differences[b].p_value));
    let mut least = 0.0_f64;
    for (at, &place) in order.iter().enumerate() {
        let one = &mut differences[place];
        least = least.max(one.p_value * (order.len() - at) as f64).min(1.0);
        one.corrected_p_value = least;
        one.significant = least < LEVEL;
    }
}

/// The probability that |t| is larger than this, with one degree of freedom less than there are groups, which is an even number:
///
/// ```text
/// P(|t| < x) = sin a (1 + 1/2 cos^2 a + 1*3/(2*4) cos^4 a + ... up to cos^(v - 2) a)     where tan a = x/sqrt v
/// ```
///
/// Abramowitz and Stegun, 26.7.4. NaN, the difference of two infinities, gets the probability 1.
fn two_sided(t: f64) -> f64 {
    const FREEDOM: usize = GROUPS - 1;
    if t.is_nan() {
        return 1.0;
    }
    let angle = (t.abs() / (FREEDOM as f64).sqrt()).atan();
    let square = angle.cos().powi(2);
    let (mut term, mut sum) = (1.0, 1.0);
    for at in 1..FREEDOM / 2 {
        term *= square * (2 * at - 1) as f64 / (2 * at) as f64;
        sum += term;
    }
    (1.0 - angle.sin() * sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_p(p_value: f64) -> PairedDifference {
        PairedDifference {
            a: "a".into(),
            b: "b".into(),
            difference: 0.1,
            low: 0.0,
            high: 0.2,
            p_value,
            corrected_p_value: p_value,
            significant: false,
        }
    }

    #[test]
    fn student_with_20_degrees_of_freedom() {
        // Computed by integrating the density numerically.
        let known =
            [(0.0, 1.0), (1.0, 0.329_256_6), (T_QUANTILE, 0.05), (2.845_339_7, 0.01), (3.849_516, 0.001)];
        for (t, p) in known {
            assert!((two_sided(t) - p).abs() < 1e-6, "{t}: {} {p}", two_sided(t));
            assert_eq!(two_sided(-t), two_sided(t));
        }
        assert_eq!((two_sided(f64::INFINITY), two_sided(f64::NAN)), (0.0, 1.0));
    }

    #[test]
    fn holm_by_hand() {
        let mut all = [0.04, 0.01, 0.03, 0.6].map(with_p);
        correct(&mut all);
        // 4 x .01, 3 x .03, then 2 x .04, which is raised to .09, and .6.
        for (one, expected) in all.iter().zip([0.09, 0.04, 0.09, 0.6]) {
            assert!((one.corrected_p_value - expected).abs() < 1e-15, "{one:?}");
        }
        assert_eq!(all.map(|one| one.significant), [false, true, false, false]);
        let mut large = [0.9, 0.8].map(with_p);
        correct(&mut large);
        assert_eq!(large.map(|one| one.corrected_p_value), [1.0, 1.0]);
    }
}

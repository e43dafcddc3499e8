//! The standard normal distribution, and the logarithm of expected improvement.
//!
//! ```text
//! phi(z) = exp(-z^2 / 2) / sqrt(2 pi)
//! Phi(z) = 1/2 + phi(z) (z + z^3 / 3 + z^5 / (3 5) + z^7 / (3 5 7) + ...)       near 0
//! (1 - Phi(z)) / phi(z) = 1 / (z + 1 / (z + 2 / (z + 3 / (z + ...))))            in the tail
//! ```
//!
//! Both expansions have positive terms only, so nothing cancels; each is used where it converges fast.

use std::f64::consts::PI;

/// The series is used up to here, and the continued fraction beyond.
const SERIES_TO: f64 = 2.5;

/// Below -1, the two terms of the improvement begin to cancel, and the tail form is used.
const IMPROVEMENT_TAIL: f64 = -1.0;

/// From here on, the first two terms of the asymptotic expansion of the improvement are accurate to 1e-11.
const ASYMPTOTIC_FROM: f64 = 1e3;

/// The density phi(z).
pub fn pdf(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// The distribution function Phi(z), accurate to about 1e-14 relative to its value in both tails. NaN for NaN.
pub fn cdf(z: f64) -> f64 {
    if z.abs() <= SERIES_TO {
        0.5 + pdf(z) * series(z)
    } else if z < 0.0 {
        pdf(z) * tail_fraction(-z)
    } else {
        1.0 - pdf(z) * tail_fraction(z)
    }
}

/// ln h(z), where h(z) = phi(z) + z Phi(z) is the expected improvement of a standard normal variable over -z.
///
/// It is finite even where h underflows, so that candidates with hardly any hope can still be ranked. NaN for NaN.
pub fn log_improvement(z: f64) -> f64 {
    if z > IMPROVEMENT_TAIL {
        return (pdf(z) + z * cdf(z)).ln();
    }
    // h(z) = phi(z) (1 - |z| M(|z|)), where M is the ratio of the tail to the density.
    let (a, square) = (-z, z * z);
    let shrink = if a > ASYMPTOTIC_FROM { (1.0 - 3.0 / square) / square } else { 1.0 - a * tail_ratio(a) };
    -0.5 * square - 0.5 * (2.0 * PI).ln() + shrink.ln()
}

/// (1 - Phi(z)) / phi(z) for z >= 0.
fn tail_ratio(z: f64) -> f64 {
    if z <= SERIES_TO { 0.5 / pdf(z) - series(z) } else { tail_fraction(z) }
}

/// z + z^3 / 3 + z^5 / (3 5) + ... for finite z, until a term has no effect: the later ones are smaller still.
fn series(z: f64) -> f64 {
    let square = z * z;
    let (mut term, mut sum, mut odd) = (z, z, 1.0);
    let mut before = 0.0;
    while sum != before {
        before = sum;
        odd += 2.0;
        term *= square / odd;
        sum += term;
    }
    sum
}

/// The continued fraction, from its innermost term outwards. The error falls like exp(-2 z sqrt(terms)).
fn tail_fraction(z: f64) -> f64 {
    let terms = (400.0 / (z * z)) as u32 + 10;
    let innermost_out = (1..=terms).rev();
    1.0 / innermost_out.fold(z, |inner, k| z + f64::from(k) / inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_sums_to_published_digits() {
        // Phi(1) and Phi(0).
        assert!((cdf(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
        assert_eq!(cdf(0.0), 0.5);
    }

    #[test]
    fn far_above_the_bar_the_improvement_is_the_gap() {
        // h(z) = z + phi(z) - z (1 - Phi(z)); all terms but z underflow.
        for z in [40.0, 1e3, 1e9] {
            assert_eq!(log_improvement(z), f64::ln(z));
        }
    }

    #[test]
    fn far_below_the_bar_the_improvement_keeps_its_digits() {
        // The value is from mpmath with 100 digits. Without its second term, the expansion would be off by 7e-7.
        assert!((log_improvement(-2000.0) + 2_000_016.120_744_2).abs() < 1e-8);
        // From 2^27 on, 1 - |z| M(|z|) is 0 in double precision.
        let powers: Vec<f64> = (20..40).rev().map(|power| log_improvement(-2_f64.powi(power))).collect();
        assert!(powers.iter().all(|value| value.is_finite()), "{powers:?}");
        assert!(powers.is_sorted_by(|a, b| a < b), "{powers:?}");
    }
}

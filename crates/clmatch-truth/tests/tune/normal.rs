//! The normal distribution against published digits and against numerical integration.

use clmatch_truth::tune::normal::{cdf, log_improvement, pdf};

/// The relative tolerance: a few units in the last place, times the slope of the exponent in the tail.
const DIGITS: f64 = 2e-14;

/// The number of half-intervals of Simpson's rule, whose own error is then below 1e-12 for the integrands here.
const PIECES: usize = 20_000;

/// z and Phi(z), computed by mpmath with 50 digits.
#[allow(clippy::excessive_precision, reason = "all digits that were asked for")]
const LOWER_TAIL: [(f64, f64); 11] = [
    (-0.1, 0.460172162722971019),
    (-1.0, 0.158655253931457051),
    (-2.0, 0.0227501319481792072),
    (-2.5, 0.00620966532577613517),
    (-2.75, 0.00297976323505455675),
    (-3.0, 0.00134989803163009453),
    (-5.0, 2.86651571879193912e-7),
    (-8.0, 6.22096057427178412e-16),
    (-10.0, 7.61985302416052607e-24),
    (-20.0, 2.7536241186062337e-89),
    (-37.0, 5.72557122252457682e-300),
];

/// z and ln h(z), computed by mpmath with 100 digits.
#[allow(clippy::excessive_precision, reason = "all digits that were asked for")]
const LOG_IMPROVEMENT: [(f64, f64); 9] = [
    (-0.5, -1.62051626438731992),
    (-1.0, -2.48512102571264134),
    (-1.5, -3.52993592080570985),
    (-3.0, -7.86968605960302852),
    (-10.0, -55.5531220361223559),
    (-50.0, -1258.74418286846085),
    (-900.0, -405014.523731763541),
    (-2000.0, -2000016.12074420229),
    (-100000.0, -5000000023.94478946),
];

fn simpson(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let h = (to - from) / PIECES as f64;
    let weight = |i: usize| match i {
        0 | PIECES => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=PIECES).map(|i| weight(i) * f(from + h * i as f64)).sum::<f64>() * h / 3.0
}

#[test]
fn the_density_is_right() {
    assert!((pdf(0.0) - 0.398_942_280_401_432_7).abs() < 1e-16);
    assert!((pdf(1.5) - 0.129_517_595_665_891_7).abs() < 1e-16);
    assert_eq!(pdf(1.5), pdf(-1.5));
    assert_eq!(pdf(1e200), 0.0);
}

#[test]
fn the_distribution_function_has_its_digits_in_the_lower_tail() {
    for (z, expected) in LOWER_TAIL {
        assert!((cdf(z) / expected - 1.0).abs() < DIGITS, "cdf({z}) = {:e}, not {expected:e}", cdf(z));
        assert!((cdf(-z) - (1.0 - expected)).abs() < 2e-16);
    }
    assert_eq!(cdf(0.0), 0.5);
    assert_eq!(cdf(f64::NEG_INFINITY), 0.0);
    assert_eq!(cdf(f64::INFINITY), 1.0);
    assert!(cdf(f64::NAN).is_nan());
}

#[test]
fn the_distribution_function_is_the_integral_of_the_density() {
    for z in [-3.0, -2.6, -2.5, -2.4, -1.0, 0.3, 2.0, 2.499, 2.501, 4.0] {
        assert!((cdf(z) - simpson(pdf, -12.0, z)).abs() < 1e-12, "{z}");
    }
}

#[test]
fn the_improvement_is_the_integral_of_the_distribution_function() {
    // h' = Phi, and h vanishes at minus infinity.
    for z in [-6.0, -3.0, -2.51, -2.49, -1.01, -0.99, 0.0, 1.0, 3.0] {
        let integral = simpson(cdf, -14.0, z);
        assert!((log_improvement(z) - integral.ln()).abs() < 1e-6, "{z}");
    }
    for (z, expected) in LOG_IMPROVEMENT {
        assert!((log_improvement(z) / expected - 1.0).abs() < 1e-10, "{z}: {}", log_improvement(z));
    }
}

#[test]
fn the_improvement_rises_without_a_step_from_one_form_to_the_next() {
    let grid = (0..400_000).map(|i| -2000.0 + f64::from(i) * 0.005).collect::<Vec<f64>>();
    for pair in grid.windows(2) {
        assert!(log_improvement(pair[0]) < log_improvement(pair[1]), "{pair:?}");
    }
    assert!(log_improvement(f64::NAN).is_nan());
}

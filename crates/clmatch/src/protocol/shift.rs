//! T2: ratios of exponentials are invariant to a shift; their exponents are subtracted before `exp` is applied.

/// `numerator / denominator`, where 0/0 is 0 and a positive number over 0 is infinite: the limits as the deviation in the
/// denominator goes to 0.
pub fn ratio(numerator: f64, denominator: f64) -> f64 {
    if numerator == 0.0 { 0.0 } else { numerator / denominator }
}

/// Equal variances that were summed in different ways differ by less than this share of them.
pub const MOMENT_ROUNDING: f64 = 1e-12;

/// Whether two numbers differ by at most `rounding`, as a share of the larger one.
pub fn nearly_equal(a: f64, b: f64, rounding: f64) -> bool {
    (a - b).abs() <= rounding * a.abs().max(b.abs())
}

/// `(a - b) / s`. If s is 0, only the sign of the difference matters, so a difference of at most `rounding`, as a share of the
/// two, counts as 0.
pub fn excess(a: f64, b: f64, s: f64, rounding: f64) -> f64 {
    if s == 0.0 && nearly_equal(a, b, rounding) { 0.0 } else { ratio(a - b, s) }
}

/// `z e^z`, with its limits 0 and infinity.
pub fn z_exp_z(z: f64) -> f64 {
    if z == f64::NEG_INFINITY { 0.0 } else { z * z.exp() }
}

/// `ln(e^a + e^b)` without overflow.
pub fn log_sum_exp(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if high.is_infinite() { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_stated() {
        assert_eq!(ratio(0.0, 0.0), 0.0);
        assert_eq!(ratio(2.0, 0.0), f64::INFINITY);
        assert_eq!(ratio(-2.0, 0.0), f64::NEG_INFINITY);
        assert_eq!(z_exp_z(f64::INFINITY), f64::INFINITY);
        assert_eq!(z_exp_z(f64::NEG_INFINITY), 0.0);
        assert_eq!(log_sum_exp(1000.0, 1000.0), 1000.0 + 2.0_f64.ln());
        assert_eq!(log_sum_exp(f64::INFINITY, f64::INFINITY), f64::INFINITY);
        assert_eq!(log_sum_exp(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(log_sum_exp(f64::NEG_INFINITY, 3.0), 3.0);
        assert_eq!(excess(0.1 + 0.2, 0.3, 0.0, 1e-12), 0.0);
        assert_eq!(excess(0.31, 0.3, 0.0, 1e-12), f64::INFINITY);
        assert_eq!(excess(0.31, 0.3, 0.0, 0.1), 0.0);
        // A share of the larger of the two, whatever their size.
        assert!(nearly_equal(3100.0, 3000.0, 0.1) && nearly_equal(-3100.0, -3000.0, 0.1));
        assert!(!nearly_equal(0.0031, 0.0027, 0.1) && !nearly_equal(0.0031, -0.0031, 0.1));
        assert_eq!(excess(3.0, 1.0, 4.0, 0.9), 0.5);
    }
}

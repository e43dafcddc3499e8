//! Numbers as people and programs want to read them.

use clmatch::Measure;

/// At most `digits` significant digits, without trailing zeros; an exponent where that is shorter.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    if value == 0.0 {
        return "0".into();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-5..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trim(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", trim(mantissa))
    }
}

fn trim(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// Short, for a table: three decimals where the range is bounded, else four significant digits.
pub fn short(value: f64, measure: &Measure) -> String {
    if measure.range.1.is_finite() && value.is_finite() {
        let text = format!("{value:.3}");
        if text == "-0.000" { "0.000".into() } else { text }
    } else {
        significant(value, 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_by_hand() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.887_390_905_860_4, "0.88739090586"),
            (486.320_856_964_812, "486.320856965"),
            (1e-5, "0.00001"),
            (1.234e-7, "1.234e-7"),
            (1e15, "1e15"),
            (123_456_789_012.4, "123456789012"),
            (-0.25, "-0.25"),
            (f64::INFINITY, "inf"),
            (0.999_999_999_999_9, "1"),
        ] {
            assert_eq!(significant(value, 12), expected);
        }
    }

    #[test]
    fn short_numbers_depend_on_the_range() {
        let [bounded, open] = ["ch_a", "ch"].map(|id| clmatch::measure::find(id).unwrap());
        assert_eq!(short(0.87526, bounded), "0.875");
        assert_eq!(short(-0.0001, bounded), "0.000");
        assert_eq!(short(486.320857, open), "486.3");
        assert_eq!(short(f64::INFINITY, open), "inf");
    }
}

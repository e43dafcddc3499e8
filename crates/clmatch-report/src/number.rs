//! Numbers as people and programs want to read them.

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
}

//! Formats numbers for people and programs.

/// At most `digits` significant digits, without trailing zeros; with an exponent where that is shorter.
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

/// Seconds in a suitable unit, with two significant digits: `0.13 ms`, `15 s`, `2.5 h`.
pub fn duration(seconds: f64) -> String {
    let (unit, size) = match seconds.abs() {
        below if below < 1e-4 => ("µs", 1e-6),
        below if below < 0.1 => ("ms", 1e-3),
        below if below < 300.0 => ("s", 1.0),
        below if below < 3.0 * 3600.0 => ("min", 60.0),
        _ => ("h", 3600.0),
    };
    let number = seconds / size;
    if number >= 100.0 { format!("{number:.0} {unit}") } else { format!("{} {unit}", significant(number, 2)) }
}

/// A factor with three significant digits: `37.6×`, `9.2×10⁴`.
pub fn factor(times: f64) -> String {
    if !times.is_finite() || (0.001..1000.0).contains(&times) || times <= 0.0 {
        return format!("{}×", significant(times, 3));
    }
    let power = times.log10().floor();
    let digits: String = format!("{power}")
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            digit => SUPERSCRIPTS[digit.to_digit(10).unwrap_or(0) as usize],
        })
        .collect();
    format!("{}×10{digits}", significant(times / 10.0_f64.powf(power), 2))
}

const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_their_units() {
        let shown = [0.000_013, 0.000_128, 0.0021, 0.12, 14.6, 188.0, 878.0, 86_400.0].map(duration);
        assert_eq!(shown, ["13 µs", "0.13 ms", "2.1 ms", "0.12 s", "15 s", "188 s", "15 min", "24 h"]);
        let shown = [0.803, 37.6, 473.0, 6720.0, 91_700.0, 1e-5].map(factor);
        assert_eq!(shown, ["0.803×", "37.6×", "473×", "6.7×10³", "9.2×10⁴", "1×10⁻⁵"]);
    }

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

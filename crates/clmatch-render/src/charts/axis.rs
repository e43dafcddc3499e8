//! Ticks at round numbers.

use crate::number::significant;

/// The number of digits that ticks are rounded to: none needs more, and this hides rounding errors.
const DIGITS: usize = 12;
/// A range this narrow, as a share of its values, is a single value up to rounding.
const NARROW: f64 = 1e-9;
/// A range below this counts as zero: its ticks would no longer be numbers.
const TINY: f64 = 1e-300;

/// Round numbers that cover a range: 1, 2 or 5 times a power of ten apart.
///
/// The first is at most `low`, the last at least `high`.
pub(crate) fn linear_ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let size = low.abs().max(high.abs());
    let wide = high - low > (size * NARROW).max(TINY);
    let span = if wide { high - low } else { (size * NARROW * 1000.0).max(1.0) };
    let rough = span / about as f64;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    // A value that lies on a tick up to rounding needs no further tick.
    let first = (low / step + 1e-9).floor() as i64;
    let last = (high / step - 1e-9).ceil() as i64;
    (first..=last.max(first + 1)).map(|at| at as f64 * step).collect()
}

/// 1, 2 and 5 times powers of ten inside a range, or only powers of ten if there are many.
///
/// If the range is too narrow for two of them, the round numbers inside it.
pub(crate) fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let inside = |ticks: &mut dyn Iterator<Item = f64>| -> Vec<f64> {
        ticks.filter(|tick| *tick >= low * (1.0 - 1e-9) && *tick <= high * (1.0 + 1e-9)).collect()
    };
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let mut fine = (first..=last).flat_map(|power| [1.0, 2.0, 5.0].map(|f| f * 10.0_f64.powi(power)));
    let ticks = inside(&mut fine);
    match ticks.len() {
        0 | 1 => inside(&mut linear_ticks(low, high, 5).into_iter()),
        2..=9 => ticks,
        // About nine labels fit, however many powers there are.
        _ => {
            let step = 1 + (last - first) / 9;
            inside(&mut (first..=last).step_by(step as usize).map(|power| 10.0_f64.powi(power)))
        }
    }
}

/// A number on an axis, without trailing zeros and with a proper minus sign.
pub(crate) fn label(value: f64) -> String {
    significant(value, DIGITS).replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: Vec<f64>) -> Vec<String> {
        ticks.into_iter().map(label).collect()
    }

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!(labels(linear_ticks(0.0, 1.0, 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(linear_ticks(0.13, 0.57, 5)), ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]);
        assert_eq!(labels(linear_ticks(3.0, 3.0, 4)), ["3", "3.5"]);
        assert_eq!(labels(linear_ticks(-1.0, 1.0, 4)), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(labels(log_ticks(1.0, 40.0)), ["1", "2", "5", "10", "20"]);
        assert_eq!(labels(log_ticks(1.0, 100_000.0)), ["1", "10", "100", "1000", "10000", "100000"]);
    }

    #[test]
    fn a_narrow_range_of_logarithms_has_ticks_all_the_same() {
        assert_eq!(labels(log_ticks(3.0, 4.0)), ["3", "3.2", "3.4", "3.6", "3.8", "4"]);
    }

    #[test]
    fn extreme_ranges_have_few_ticks() {
        for (low, high) in [
            (1e20, 1e20),
            (-1e299, 1e299),
            (0.0, 1e-310),
            (1.0, 1.0 + 1e-15),
            (-1e20, -1e20),
            (1e299, 1e299),
            (0.0, 0.0),
        ] {
            let ticks = linear_ticks(low, high, 5);
            assert!((2..=8).contains(&ticks.len()), "{low} {high}: {ticks:?}");
            assert!(ticks[0] <= low && ticks[ticks.len() - 1] >= high, "{low} {high}: {ticks:?}");
            assert!(ticks.iter().all(|tick| label(*tick).len() < 20), "{ticks:?}");
        }
        assert!((2..=12).contains(&log_ticks(1e-299, 1e299).len()));
    }
}

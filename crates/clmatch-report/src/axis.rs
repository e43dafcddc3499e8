//! Ticks at round numbers.

/// Round numbers that cover a range: 1, 2 or 5 times a power of ten apart.
///
/// The first is at most `low`, the last at least `high`.
pub(crate) fn linear_ticks(low: f64, high: f64, about: usize) -> Vec<f64> {
    let span = if high > low { high - low } else { 1.0 };
    let rough = span / about as f64;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    // A value that lies on a tick up to rounding needs no further one.
    let first = (low / step + 1e-9).floor() as i64;
    let last = (high / step - 1e-9).ceil() as i64;
    (first..=last.max(first + 1)).map(|at| at as f64 * step).collect()
}

/// 1, 2 and 5 times powers of ten inside a range, and only powers of ten where those are many.
pub(crate) fn log_ticks(low: f64, high: f64) -> Vec<f64> {
    let inside = |factors: &[f64]| -> Vec<f64> {
        let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        let all = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10.0_f64.powi(power)));
        all.filter(|tick| *tick >= low * (1.0 - 1e-9) && *tick <= high * (1.0 + 1e-9)).collect()
    };
    let ticks = inside(&[1.0, 2.0, 5.0]);
    if ticks.len() > 9 { inside(&[1.0]) } else { ticks }
}

/// A number on an axis, without trailing zeros.
pub(crate) fn label(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        let labels = |ticks: Vec<f64>| ticks.into_iter().map(label).collect::<Vec<_>>();
        assert_eq!(labels(linear_ticks(0.0, 1.0, 5)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(labels(linear_ticks(0.13, 0.57, 5)), ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6"]);
        assert_eq!(labels(linear_ticks(3.0, 3.0, 4)), ["3", "3.5"]);
        assert_eq!(labels(log_ticks(1.0, 40.0)), ["1", "2", "5", "10", "20"]);
        assert_eq!(labels(log_ticks(1.0, 100_000.0)), ["1", "10", "100", "1000", "10000", "100000"]);
    }
}

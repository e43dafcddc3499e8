//! Formats numbers for people.

use clmatch::Measure;
pub use clmatch_render::number::significant;

/// A number of things, in words.
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Bytes with a unit: `3.2 GB`.
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let (mut amount, mut unit) = (bytes as f64, 0);
    while amount >= 999.5 && unit + 1 < UNITS.len() {
        amount /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{amount:.1} {}", UNITS[unit]) }
}

/// A short number for a table: three decimals if the range is bounded, else four significant digits.
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
    fn short_numbers_depend_on_the_range() {
        let [bounded, open] = ["ch_a", "ch"].map(|id| clmatch::measure::find(id).unwrap());
        assert_eq!(short(0.87526, bounded), "0.875");
        assert_eq!(short(-0.0001, bounded), "0.000");
        assert_eq!(short(486.320857, open), "486.3");
        assert_eq!(short(f64::INFINITY, open), "inf");
    }
}

//! Numbers that stand for missing values, such as -999: the same value again and again, or the only negative one, far outside the
//! others of its column.

use crate::note::Note;
use crate::real::MatrixElement;
use crate::table::{FeatureColumn, number_name, plain_name};

/// How many rows are examined, in memory as in a stream.
const ROWS: usize = 1 << 16;
/// Numbers that people write where there is nothing; with either sign.
const KNOWN: [f64; 5] = [99.0, 999.0, 9999.0, 99_999.0, 999_999.0];

/// The columns, by their index, with a warning each.
pub(crate) fn find<T: MatrixElement>(values: &[T], columns: &[FeatureColumn]) -> Vec<(usize, Note)> {
    let features = columns.len().max(1);
    let values = &values[..values.len().min(ROWS * features)];
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); columns.len()];
    for row in values.chunks_exact(features) {
        for ((low, high), value) in ranges.iter_mut().zip(row) {
            let value = value.to_f64();
            // Comparisons are false for NaN.
            if value < *low {
                *low = value;
            }
            if value > *high {
                *high = value;
            }
        }
    }
    let mut notes = Vec::new();
    for (place, (column, (low, high))) in columns.iter().zip(ranges).enumerate() {
        let candidates = [low, high].into_iter().filter(|value| KNOWN.contains(&value.abs()));
        for value in candidates.filter(|_| column.categories.is_none()) {
            let own = values.iter().skip(place).step_by(features).map(|value| value.to_f64());
            if let Some(rows) = times_far_outside(own, value) {
                let column = plain_name(&column.name);
                notes.push((place, Note::Sentinel { column, value: number_name(value), rows }));
            }
        }
    }
    notes
}

/// How often a value occurs, if it does so repeatedly or is the only negative one, and farther from all others than these are from each other.
fn times_far_outside(column: impl Iterator<Item = f64>, value: f64) -> Option<usize> {
    let (mut rows, mut low, mut high) = (0, f64::INFINITY, f64::NEG_INFINITY);
    for other in column.filter(|other| !other.is_nan()) {
        if other == value {
            rows += 1;
        } else {
            (low, high) = (low.min(other), high.max(other));
        }
    }
    let range = high - low;
    let gap = if value < low { low - value } else { value - high };
    // A single number may be right, unless it is the only negative one.
    let is_odd = rows > 1 || (rows == 1 && value < 0.0 && low >= 0.0);
    (is_odd && range > 0.0 && gap > range).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(column: &[f64]) -> Option<String> {
        find(column, &FeatureColumn::numbered(1)).first().map(|(_, note)| note.to_string())
    }

    #[test]
    fn repeated_values_far_outside_are_found() {
        let note = found(&[1.5, -999.0, 2.0, -999.0, f64::NAN, 4.0]).unwrap();
        assert!(note.contains("column '0', -999 in 2 rows"), "{note}");
        assert!(found(&[20.0, 35.0, 9999.0, 9999.0]).is_some());
        assert!(found(&[1.5, -999.0, 2.0]).is_some_and(|note| note.contains("-999 in 1 row is")));
        assert_eq!(found(&[-1.5, -999.0, 2.0]), None, "once, among other negative numbers");
        assert_eq!(found(&[1.5, 999.0, 2.0]), None, "once");
        assert_eq!(found(&[0.0, 999.0, 0.0, 999.0]), None, "two values");
        assert_eq!(found(&[100.0, 6000.0, 9999.0, 9999.0]), None, "not far");
        assert_eq!(found(&[1.0, 2.0, -500.0, -500.0]), None, "no number that stands for nothing");
    }
}

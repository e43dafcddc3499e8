//! One block of rows: checks it, measures it, and matches its labels with known classes.

use super::error::SummaryError;
use super::sample::key;
use crate::error::DataError;
use crate::labels::Labels;
use crate::matrix::Scalar;
use crate::points::Values;

/// Exponents of units are multiples of this, so that a unit hardly ever changes.
const STEP: i32 = 32;
/// The smallest and the largest exponent of a unit; every such unit has a reciprocal.
const EXPONENTS: (i32, i32) = (-992, 1023);
/// A unit is at least this share (a power of two) of the largest number, so that a centroid in units stays finite.
const FAR: i32 = -900;

/// How large numbers are, and how far from a reference: this determines the unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct ValueExtent {
    /// The largest absolute value.
    pub(super) largest: f64,
    /// A quarter of the largest deviation from a reference, so that it cannot overflow.
    pub(super) quarter: f64,
}

impl ValueExtent {
    pub(super) fn union(self, other: ValueExtent) -> ValueExtent {
        ValueExtent { largest: self.largest.max(other.largest), quarter: self.quarter.max(other.quarter) }
    }

    /// The exponent of the unit of length; `None` if all points are equal.
    pub(super) fn exponent(self) -> Option<i32> {
        (self.quarter > 0.0).then(|| {
            let exponent = (exponent_above(self.quarter) + 2).max(exponent_above(self.largest) + FAR);
            (exponent.div_euclid(STEP) * STEP + STEP).clamp(EXPONENTS.0, EXPONENTS.1)
        })
    }
}

/// The exponent of the smallest power of two above a number that is not negative; for 0, an exponent far below all others.
fn exponent_above(value: f64) -> i32 {
    value.max(f64::MIN_POSITIVE * f64::EPSILON).log2().floor() as i32 + 1
}

/// Checks that values make rows with a label each, and that all are finite; returns the number of rows.
pub(super) fn check(
    values: &Values<'_>,
    features: usize,
    labels: &Labels,
    first_row: u64,
) -> Result<usize, SummaryError> {
    if !values.len().is_multiple_of(features) {
        return Err(DataError::Incomplete { values: values.len(), features }.into());
    }
    let rows = values.len() / features;
    if rows != labels.len() {
        return Err(DataError::LengthMismatch { points: rows, labels: labels.len() }.into());
    }
    let wrong = match values {
        Values::F64(values) => not_finite(values),
        Values::F32(values) => not_finite(values),
    };
    match wrong {
        Some(at) => Err(SummaryError::NotFinite {
            row: first_row + (at / features) as u64,
            feature: at % features,
            value: values.get(at),
        }),
        None => Ok(rows),
    }
}

/// The place of the first number that is NaN or infinite. A sum of 0 x values is 0 if and only if all of them are finite.
fn not_finite<T: Scalar>(values: &[T]) -> Option<usize> {
    const BLOCK: usize = 4096;
    let of_block = |(block, values): (usize, &[T])| {
        let mut sums = [0.0; 8];
        let eights = values.chunks_exact(8);
        let rest: f64 = eights.remainder().iter().map(|value| value.to_f64() * 0.0).sum();
        for eight in eights {
            sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value.to_f64() * 0.0);
        }
        if sums.iter().sum::<f64>() + rest == 0.0 {
            return None;
        }
        values.iter().position(|value| !value.to_f64().is_finite()).map(|at| block * BLOCK + at)
    };
    values.chunks(BLOCK).enumerate().find_map(of_block)
}

/// How far the values of rows reach from a reference.
pub(super) fn extent(values: &Values<'_>, reference: &[f64]) -> ValueExtent {
    match values {
        Values::F64(values) => extent_of(values, reference),
        Values::F32(values) => extent_of(values, reference),
    }
}

fn extent_of<T: Scalar>(values: &[T], reference: &[f64]) -> ValueExtent {
    let (mut low, mut high) = (reference.to_vec(), reference.to_vec());
    for row in values.chunks_exact(reference.len()) {
        for ((value, low), high) in row.iter().zip(&mut low).zip(&mut high) {
            let value = value.to_f64();
            *low = if value < *low { value } else { *low };
            *high = if value > *high { value } else { *high };
        }
    }
    let mut extent = ValueExtent::default();
    for ((low, high), reference) in low.iter().zip(&high).zip(reference) {
        for end in [low, high] {
            extent.largest = extent.largest.max(end.abs());
            extent.quarter = extent.quarter.max((end / 4.0 - reference / 4.0).abs());
        }
    }
    extent
}

/// One row as f64.
pub(super) fn row(values: &Values<'_>, features: usize, row: usize) -> Vec<f64> {
    (row * features..(row + 1) * features).map(|at| values.get(at)).collect()
}

/// Computes the keys of rows from their content and their numbers.
pub(super) struct Keys {
    bytes: Vec<u8>,
    seed: u64,
    source: u64,
}

impl Keys {
    pub(super) fn new(features: usize, seed: u64, source: u64) -> Keys {
        Keys { bytes: vec![0; features * size_of::<f64>()], seed, source }
    }

    /// The key of a row of a block; equal for f32 and f64.
    pub(super) fn of(&mut self, values: &Values<'_>, at: usize, number: u64) -> u64 {
        let features = self.bytes.len() / size_of::<f64>();
        let place = at * features..(at + 1) * features;
        match values {
            Values::F64(values) => self.fill(&values[place]),
            Values::F32(values) => self.fill(&values[place]),
        }
        key(&self.bytes, self.seed, self.source, number)
    }

    fn fill<T: Scalar>(&mut self, row: &[T]) {
        for (to, value) in self.bytes.chunks_exact_mut(size_of::<f64>()).zip(row) {
            to.copy_from_slice(&value.to_f64().to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_two_above_all_deviations() {
        assert_eq!([0.75, 1.0, 4.0, 0.0].map(exponent_above), [0, 1, 3, -1073]);
        let of = |largest: f64, quarter: f64| ValueExtent { largest, quarter }.exponent();
        let two = |exponent: i32| 2.0_f64.powi(exponent);
        assert_eq!(of(1.0, 0.0), None);
        assert_eq!(of(1.0, 1.0), Some(32));
        assert_eq!([28, 29].map(|exponent| of(1.0, two(exponent))), [Some(32), Some(64)]);
        assert_eq!([-35, -36].map(|exponent| of(1.0, two(exponent))), [Some(0), Some(-32)]);
        // Numbers that are far larger than their deviations.
        assert_eq!([700, 1000].map(|exponent| of(two(exponent), 1.0)), [Some(32), Some(128)]);
        assert_eq!((of(1e-320, 1e-320), of(1e308, 4e307)), (Some(-992), Some(1023)));
    }

    #[test]
    fn the_extent_is_that_of_both_ends() {
        let values = [5.0, -2.0, 1.0, -10.0];
        let expected = ValueExtent { largest: 10.0, quarter: 2.0 };
        assert_eq!(extent(&values[..].into(), &[1.0, -2.0]), expected);
        let up = [5.0, -2.0, 1.0, 14.0];
        assert_eq!(extent(&up[..].into(), &[1.0, -2.0]), ValueExtent { largest: 14.0, quarter: 4.0 });
        // It cannot overflow.
        let far = [f64::MAX, -f64::MAX];
        let found = extent(&far[..].into(), &[-f64::MAX]);
        assert_eq!(found, ValueExtent { largest: f64::MAX, quarter: f64::MAX / 2.0 });
    }

    #[test]
    fn the_first_wrong_number_is_found() {
        for at in [0, 7, 8, 4095, 4096, 8191, 9996, 9999] {
            let mut values = vec![1.5; 10_000];
            assert_eq!(not_finite(&values), None);
            values[at] = f64::NEG_INFINITY;
            values[9999] = f64::NAN;
            assert_eq!(not_finite(&values), Some(at));
            let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
            assert_eq!(not_finite(&single), Some(at));
        }
    }

    #[test]
    fn wrong_blocks_are_refused_with_the_place() {
        let labels = Labels::encode([0; 6]);
        let mut values = vec![1.0; 18];
        assert_eq!(check(&values.clone().into(), 3, &labels, 40), Ok(6));
        assert!(matches!(check(&values[..17].into(), 3, &labels, 40), Err(SummaryError::Data(_))));
        assert!(matches!(check(&values[..15].into(), 3, &labels, 40), Err(SummaryError::Data(_))));
        values[16] = f64::INFINITY;
        let error = check(&values.into(), 3, &labels, 40).unwrap_err();
        assert_eq!(error, SummaryError::NotFinite { row: 45, feature: 1, value: f64::INFINITY });
    }

    #[test]
    fn keys_are_of_values_and_places() {
        let values = [1.5, 2.5, 1.5, 2.5, 1.5, 3.5];
        let single = values.map(|value| value as f32);
        let key = |values: &Values<'_>, at: usize, number: u64| Keys::new(2, 7, 1).of(values, at, number);
        let double: Values<'_> = values[..].into();
        assert_eq!(key(&double, 0, 9), key(&double, 1, 9));
        assert_ne!(key(&double, 0, 9), key(&double, 2, 9));
        assert_ne!(key(&double, 0, 9), key(&double, 0, 10));
        assert_eq!(key(&double, 2, 9), key(&single[..].into(), 2, 9));
    }
}

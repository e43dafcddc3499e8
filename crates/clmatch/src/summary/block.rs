//! One block of rows: checked, measured, and its labels matched with known classes.

use super::error::SummaryError;
use super::sample::key;
use crate::error::DataError;
use crate::labels::Labels;
use crate::matrix::Scalar;
use crate::points::Values;

/// Exponents of units are multiples of this: a unit hardly ever changes.
const STEP: i32 = 32;
/// The smallest and the largest exponent of a unit; all of them have a reciprocal.
const EXPONENTS: (i32, i32) = (-992, 1023);
/// A unit is at least this share (a power of two) of the largest number, so that a centroid in units stays finite.
const FAR: i32 = -900;

/// How large numbers are, and how far from a reference: what decides about the unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Extent {
    /// The largest absolute value.
    pub(super) largest: f64,
    /// The largest deviation from a reference, a quarter of it so that it cannot overflow.
    pub(super) quarter: f64,
}

impl Extent {
    pub(super) fn union(self, other: Extent) -> Extent {
        Extent { largest: self.largest.max(other.largest), quarter: self.quarter.max(other.quarter) }
    }

    /// The exponent of the unit of length, if points differ at all.
    pub(super) fn exponent(self) -> Option<i32> {
        (self.quarter > 0.0).then(|| {
            let exponent = (exponent_above(self.quarter) + 2).max(exponent_above(self.largest) + FAR);
            (exponent.div_euclid(STEP) * STEP + STEP).clamp(EXPONENTS.0, EXPONENTS.1)
        })
    }
}

/// The exponent of the smallest power of two above a number that is not below 0; far below all others for 0.
fn exponent_above(value: f64) -> i32 {
    value.max(f64::MIN_POSITIVE * f64::EPSILON).log2().floor() as i32 + 1
}

/// Checks that values make rows with a label each, and that all are finite; how many rows there are.
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

/// Where the first number stands that is NaN or infinite. A sum of 0 x values is 0 if and only if all of them are finite.
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
pub(super) fn extent(values: &Values<'_>, reference: &[f64]) -> Extent {
    match values {
        Values::F64(values) => extent_of(values, reference),
        Values::F32(values) => extent_of(values, reference),
    }
}

fn extent_of<T: Scalar>(values: &[T], reference: &[f64]) -> Extent {
    let (mut low, mut high) = (reference.to_vec(), reference.to_vec());
    for row in values.chunks_exact(reference.len()) {
        for ((value, low), high) in row.iter().zip(&mut low).zip(&mut high) {
            let value = value.to_f64();
            *low = if value < *low { value } else { *low };
            *high = if value > *high { value } else { *high };
        }
    }
    let mut extent = Extent::default();
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

/// The keys of rows, each with its place in the block.
pub(super) struct Keys {
    bytes: Vec<u8>,
    seed: u64,
    source: u64,
}

impl Keys {
    pub(super) fn new(features: usize, seed: u64, source: u64) -> Keys {
        Keys { bytes: vec![0; features * size_of::<f64>()], seed, source }
    }

    /// The key of a row of a block; the same for f32 and f64.
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

//! The coordinates in which moments are computed: `y = (x - centre) / unit`.
//!
//! Moments do not depend on the choice beyond rounding. A power of two as unit changes no digit; it keeps fourth
//! powers of lengths inside the range of f64.

use rayon::prelude::*;

use crate::classes::Classes;
use crate::points::{Scalar, Values};

/// Rows that a sampled origin looks at.
const SAMPLE: usize = 256;
/// Rows that one thread takes at a time.
const CHUNK: usize = 4096;
/// Exponents of units; all of them have a reciprocal.
const EXPONENTS: (i32, i32) = (-1000, 1023);
/// A unit is at least this share (a power of two) of the centre, so that a centre in units stays finite.
const FAR: i32 = -900;

/// A centre and a unit of length.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// In coordinates of the input.
    pub centre: Vec<f64>,
    /// A power of two: a length of the input is one in the new coordinates times `unit`.
    pub unit: f64,
}

impl Origin {
    /// From some evenly spaced rows. `None` if they coincide or their differences overflow.
    ///
    /// Time: O(d). Memory: O(d).
    pub fn sampled(classes: &Classes<'_>) -> Option<Origin> {
        let order = classes.order();
        let rows: Vec<usize> = spaced(order.len(), SAMPLE).map(|at| order[at]).collect();
        match classes.points().values() {
            Values::F64(values) => sampled(values, classes.points().features(), &rows),
            Values::F32(values) => sampled(values, classes.points().features(), &rows),
        }
    }

    /// The mean of all rows, and the power of two above the largest deviation from it.
    ///
    /// Time: O(n d), three reads of the data. Memory: O(d) per thousand rows.
    pub fn exact(classes: &Classes<'_>) -> Origin {
        match classes.points().values() {
            Values::F64(values) => exact(values, classes.points().features(), classes.order()),
            Values::F32(values) => exact(values, classes.points().features(), classes.order()),
        }
    }

    /// What a coordinate is multiplied by: `1 / unit`.
    pub fn scale(&self) -> f64 {
        1.0 / self.unit
    }

    fn new(centre: Vec<f64>, exponent: i32) -> Origin {
        let far = centre.iter().fold(0.0_f64, |far, value| far.max(value.abs()));
        let exponent = if far > 0.0 { exponent.max(exponent_above(far) + FAR) } else { exponent };
        Origin { centre, unit: 2.0_f64.powi(exponent.clamp(EXPONENTS.0, EXPONENTS.1)) }
    }
}

/// At most `wanted` evenly spaced indices below `count`.
pub(super) fn spaced(count: usize, wanted: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(wanted);
    (0..taken).map(move |index| (index as u128 * count as u128 / taken as u128) as usize)
}

/// The exponent of the smallest power of two above a positive number.
fn exponent_above(value: f64) -> i32 {
    value.log2().floor() as i32 + 1
}

fn sampled<T: Scalar>(values: &[T], features: usize, rows: &[usize]) -> Option<Origin> {
    let share = 1.0 / rows.len() as f64;
    // Differences from one of the rows: equal rows have exactly themselves as their mean.
    let first: Vec<f64> =
        values[rows[0] * features..(rows[0] + 1) * features].iter().map(|x| x.to_f64()).collect();
    let mut centre = first.clone();
    for &row in rows {
        let row = &values[row * features..(row + 1) * features];
        for ((sum, value), first) in centre.iter_mut().zip(row).zip(&first) {
            *sum += (value.to_f64() - first) * share;
        }
    }
    let largest = rows
        .iter()
        .flat_map(|&row| values[row * features..(row + 1) * features].iter().zip(&centre))
        .fold(0.0_f64, |largest, (value, centre)| largest.max((value.to_f64() - centre).abs()));
    (largest > 0.0 && largest.is_finite()).then(|| Origin::new(centre, exponent_above(largest)))
}

fn exact<T: Scalar>(values: &[T], features: usize, order: &[usize]) -> Origin {
    let row = |row: usize| &values[row * features..(row + 1) * features];
    let largest = order
        .par_chunks(CHUNK)
        .flat_map_iter(|rows| rows.iter().map(|&index| row(index)))
        .map(|row| row.iter().fold(0.0_f64, |largest, value| largest.max(value.to_f64().abs())))
        .reduce(|| 0.0, f64::max);
    if largest == 0.0 {
        return Origin { centre: vec![0.0; features], unit: 1.0 };
    }
    let coarse = exponent_above(largest).clamp(EXPONENTS.0, EXPONENTS.1);
    let scale = 2.0_f64.powi(-coarse);
    let first: Vec<f64> = row(order[0]).iter().map(|value| value.to_f64() * scale).collect();
    // Fixed chunks, added in order: the same for any number of threads.
    let sums: Vec<Vec<f64>> = order
        .par_chunks(CHUNK)
        .map(|rows| {
            let mut sums = vec![0.0; features];
            for &index in rows {
                for ((sum, value), start) in sums.iter_mut().zip(row(index)).zip(&first) {
                    *sum += value.to_f64() * scale - start;
                }
            }
            sums
        })
        .collect();
    let mut centre = first;
    for sum in sums {
        for (centre, sum) in centre.iter_mut().zip(sum) {
            *centre += sum / order.len() as f64;
        }
    }
    let widest = order
        .par_chunks(CHUNK)
        .flat_map_iter(|rows| rows.iter().map(|&index| row(index)))
        .map(|row| {
            row.iter()
                .zip(&centre)
                .fold(0.0_f64, |widest, (value, centre)| widest.max((value.to_f64() * scale - centre).abs()))
        })
        .reduce(|| 0.0, f64::max);
    let fine = if widest == 0.0 { 0 } else { exponent_above(widest) };
    let unit = 2.0_f64.powi(coarse);
    Origin::new(centre.into_iter().map(|value| value * unit).collect(), coarse + fine)
}

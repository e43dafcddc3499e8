//! The coordinates in which moments are computed and points are compared: `y = (x - centre) / unit`.
//!
//! Apart from rounding, moments do not depend on this choice. A power of two as unit changes no digit; it keeps fourth powers of
//! lengths inside the range of f64. Points that are compared must keep all digits of their differences: for them, a feature is
//! centred only if that is exact, see [`Origin::exact`].

use clmatch_kernels::parallel;

use crate::classes::Classes;
use crate::matrix::Scalar;
use crate::points::Values;

/// How many rows a sampled origin is computed from.
const SAMPLE: usize = 256;
/// Rows that one thread takes at a time: few enough that a few thousand points are shared out evenly.
const CHUNK: usize = 512;
/// Two numbers of one sign whose ratio is at most this have an exact difference (Sterbenz).
const EXACT_RATIO: f64 = 2.0;
/// The smallest and the largest exponent of a unit; every such unit has a reciprocal.
const EXPONENTS: (i32, i32) = (-1000, 1023);
/// A unit is at least this share (a power of two) of the centre, so that a centre in units stays finite.
const FAR: i32 = -900;

/// A centre and a unit of length.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The centre, in coordinates of the input.
    pub centre: Vec<f64>,
    /// The unit, a power of two: a length of the input is one in the new coordinates times `unit`.
    pub unit: f64,
}

impl Origin {
    /// Computed from evenly spaced rows. `None` if they coincide or their differences overflow.
    ///
    /// Time: O(d). Memory: O(d).
    pub fn sampled(classes: &Classes<'_>) -> Option<Origin> {
        let order = classes.order();
        let rows: Vec<usize> = spaced(order.len(), SAMPLE).map(|at| order[at]).collect();
        match classes.points().values() {
            Values::F64(values) => sampled(values, classes.points().n_features(), &rows),
            Values::F32(values) => sampled(values, classes.points().n_features(), &rows),
        }
    }

    /// A centre that costs no digit of any coordinate, and the power of two above the largest deviation from it.
    ///
    /// A feature that lies far from 0, compared with its extent, is centred at the middle of its range, in the precision of the
    /// input: the differences are exact. Any other feature stays as it is: a centre would gain it one bit at most, and would cost
    /// digits of numbers that are small compared with the centre, which are those of all points but one if that one is far away.
    ///
    /// Time: O(n d), one read of the data. Memory: O(d) per thousand rows.
    pub fn exact(classes: &Classes<'_>) -> Origin {
        let ranges = match classes.points().values() {
            Values::F64(values) => ranges(values, classes.points().n_features(), classes.order()),
            Values::F32(values) => ranges(values, classes.points().n_features(), classes.order()),
        };
        let round: fn(f64) -> f64 = match classes.points().values() {
            Values::F64(_) => |middle| middle,
            Values::F32(_) => |middle| f64::from(middle as f32),
        };
        let centre: Vec<f64> = ranges.iter().map(|range| range.exact_centre(round)).collect();
        let widest = |of: fn(&Range, f64) -> f64| {
            ranges.iter().zip(&centre).fold(0.0_f64, |widest, (range, &centre)| widest.max(of(range, centre)))
        };
        let deviation = widest(Range::deviation);
        let length = if deviation > 0.0 { deviation } else { widest(|range, _| range.deviation(0.0)) };
        if length > 0.0 { Origin::new(centre, exponent_above(length)) } else { Origin { centre, unit: 1.0 } }
    }

    /// The factor of coordinates: `1 / unit`.
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
    // Uses differences from one of the rows, so that the mean of equal rows is exactly equal to them.
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

/// The smallest and the largest value of a feature.
#[derive(Debug, Clone, Copy)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    const NONE: Range = Range { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn and(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The middle of the range if all differences from it are exact, otherwise 0; `round` rounds to the precision of the range.
    fn exact_centre(&self, round: fn(f64) -> f64) -> f64 {
        let (near, far) = if self.low > 0.0 { (self.low, self.high) } else { (-self.high, -self.low) };
        if near > 0.0 && far / EXACT_RATIO <= near {
            round(self.low + (self.high - self.low) / 2.0)
        } else {
            0.0
        }
    }

    /// The largest distance from a centre.
    fn deviation(&self, centre: f64) -> f64 {
        (self.high - centre).max(centre - self.low)
    }
}

/// The range of each feature. Minima and maxima do not depend on the number of threads.
fn ranges<T: Scalar>(values: &[T], features: usize, order: &[usize]) -> Vec<Range> {
    let of_rows = |rows: &[usize]| {
        let (mut lows, mut highs) = (vec![Range::NONE.low; features], vec![Range::NONE.high; features]);
        for &row in rows {
            let values = &values[row * features..(row + 1) * features];
            for ((low, high), value) in lows.iter_mut().zip(&mut highs).zip(values) {
                let value = value.to_f64();
                *low = if value < *low { value } else { *low };
                *high = if value > *high { value } else { *high };
            }
        }
        lows.into_iter().zip(highs).map(|(low, high)| Range { low, high }).collect::<Vec<_>>()
    };
    let together = |mut ranges: Vec<Range>, others: Vec<Range>| {
        ranges.iter_mut().zip(others).for_each(|(range, other)| *range = range.and(other));
        ranges
    };
    parallel::map_chunks(order, CHUNK, of_rows).into_iter().fold(vec![Range::NONE; features], together)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::frame::Frame;
    use crate::{Labels, Points};

    #[test]
    fn deviations_of_single_precision_are_numbers_of_single_precision() {
        // Near 1e6; around 0; both signs far apart; tiny next to large; constant.
        let row = |at: usize| {
            let step = (at * 7919 % 101) as f32;
            let side = if at.is_multiple_of(2) { 1e6 } else { -1e6 };
            [1e6 + step / 16.0, step / 7.0 - 5.0, side + step / 16.0, 1e-6 * step + 1e-7, -0.1]
        };
        let values: Vec<f32> = (0..60).flat_map(row).collect();
        let labels = Labels::encode((0..60).map(|at| at % 3));
        let classes = Classes::new(Points::new(values, 5).unwrap(), &labels).unwrap();
        let frame = Frame::new(&classes, &Origin::exact(&classes));
        assert!(frame.rows.iter().all(|&value| f64::from(value as f32) == value));
        let column = |f: usize| frame.rows.iter().skip(f).step_by(5).map(|value| value.abs());
        assert!(column(0).all(|value| value < 1e-5), "an offset is taken away: it is no spread");
        assert!(column(4).all(|value| value == 0.0));
        let largest = frame.rows.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        assert!(largest > 0.5 && largest <= 1.0, "{largest}");
    }

    #[test]
    fn equal_points_of_single_precision_have_an_origin() {
        for value in [0.0_f32, 3.0, -1e-40, f32::MAX] {
            let points = Points::new(vec![value; 6], 2).unwrap();
            let classes = Classes::new(points, &Labels::encode([0, 1, 1])).unwrap();
            let origin = Origin::exact(&classes);
            assert_eq!(origin.centre, [f64::from(value); 2]);
            assert!(Frame::new(&classes, &origin).rows.iter().all(|&x| x == 0.0), "{value}");
        }
    }
}

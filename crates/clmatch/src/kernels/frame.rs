//! The common frame of all kernels: points in class order, centred, scaled by a power of two.
//!
//! Centring keeps far-off data accurate, and the scale keeps fourth powers of coordinates between 1e-150 and
//! 1e150 inside the range of f64. A power of two changes no digit of a number.

use crate::classes::Classes;
use crate::points::{Scalar, Values};

/// Points in class order with mean 0 and largest absolute coordinate between 1/2 and 1.
///
/// Time: O(n d). Memory: O(n d), one copy of the points.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Row-major coordinates; class `k` holds the rows `starts[k]..starts[k + 1]`.
    pub rows: Vec<f64>,
    /// Numbers per row.
    pub features: usize,
    /// Where each class starts, and the end.
    pub starts: Vec<usize>,
    /// What a length in the frame must be multiplied by to be a length of the input.
    pub unit: f64,
}

impl Frame {
    /// Copies the points of all classes into the frame.
    pub fn new(classes: &Classes<'_>) -> Self {
        let features = classes.points().features();
        let mut rows = match classes.points().values() {
            Values::F64(values) => gather(values, features, classes.order()),
            Values::F32(values) => gather(values, features, classes.order()),
        };
        let coarse = rescale(&mut rows);
        for _ in 0..2 {
            // The second round removes what rounding left of a large offset.
            centre(&mut rows, features);
        }
        let fine = rescale(&mut rows);
        Frame { rows, features, starts: classes.starts().to_vec(), unit: coarse * fine }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.starts[self.classes()]
    }

    /// Never true: a frame is made from validated classes.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// How many points a class has.
    pub fn size(&self, class: usize) -> usize {
        self.starts[class + 1] - self.starts[class]
    }

    /// One point.
    pub fn row(&self, index: usize) -> &[f64] {
        &self.rows[index * self.features..(index + 1) * self.features]
    }

    /// The points of a class.
    pub fn class(&self, class: usize) -> std::slice::ChunksExact<'_, f64> {
        let block = &self.rows[self.starts[class] * self.features..self.starts[class + 1] * self.features];
        block.chunks_exact(self.features)
    }
}

fn gather<T: Scalar>(values: &[T], features: usize, order: &[usize]) -> Vec<f64> {
    let mut rows = Vec::with_capacity(order.len() * features);
    for &row in order {
        rows.extend(values[row * features..(row + 1) * features].iter().map(|value| value.to_f64()));
    }
    rows
}

/// Divides by the power of two that brings the largest absolute number into [1/2, 1) and returns it.
fn rescale(rows: &mut [f64]) -> f64 {
    let largest = rows.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let power = power_of_two_above(largest);
    for value in rows {
        *value *= 1.0 / power;
    }
    power
}

/// The smallest power of two above `largest`, kept within powers that have a reciprocal; 1 for 0.
fn power_of_two_above(largest: f64) -> f64 {
    if largest == 0.0 {
        return 1.0;
    }
    let exponent = largest.log2().floor() as i32 + 1;
    2.0_f64.powi(exponent.clamp(-1000, 1023))
}

fn centre(rows: &mut [f64], features: usize) {
    let count = (rows.len() / features) as f64;
    let mut mean = vec![0.0; features];
    for row in rows.chunks_exact(features) {
        for (sum, value) in mean.iter_mut().zip(row) {
            *sum += value;
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= count);
    for row in rows.chunks_exact_mut(features) {
        for (value, centre) in row.iter_mut().zip(&mean) {
            *value -= centre;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Labels, Points};

    fn frame(values: Vec<f64>) -> Frame {
        let labels = Labels::encode((0..values.len()).map(|row| row % 2));
        Frame::new(&Classes::new(Points::new(values, 1).unwrap(), &labels).unwrap())
    }

    #[test]
    fn scale_and_offset_leave_the_frame_alone() {
        let plain = frame(vec![1.0, 2.0, 4.0, 9.0]);
        assert_eq!(plain.rows.iter().sum::<f64>(), 0.0);
        assert_eq!(plain.unit, 8.0);
        for power in [-1030, -900, -500, 500, 1000] {
            let scale = 2.0_f64.powi(power.max(-1000)) * 2.0_f64.powi((power + 1000).min(0));
            let scaled = frame([1.0, 2.0, 4.0, 9.0].map(|x| x * scale).to_vec());
            for (a, b) in plain.rows.iter().zip(&scaled.rows) {
                assert_eq!(a, b, "2^{power}");
            }
        }
        let shifted = frame([1.0, 2.0, 4.0, 9.0].map(|x| x + 1e8).to_vec());
        assert_eq!(plain.rows, shifted.rows);
    }

    #[test]
    fn extreme_numbers_stay_finite() {
        for values in [vec![f64::MAX, -f64::MAX, 0.0], vec![5e-324, 0.0, 1e-323], vec![0.0; 3], vec![7.0; 3]]
        {
            assert!(frame(values).rows.iter().all(|value| value.abs() <= 1.0));
        }
    }
}

//! A copy of the points for the kernels that compare them: in class order, centred, in a common unit.
//!
//! Centring keeps far-off data accurate; the unit keeps powers of coordinates inside the range of f64. Both come from an
//! [`Origin`], so that lengths agree with those of the moments.

use super::pairs::{Rows, Sweep};
use super::stream::Origin;
use crate::classes::Classes;
use crate::points::{Scalar, Values};

/// Points in class order, relative to an origin.
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
    /// Whether the input is in single precision.
    single: bool,
}

impl Frame {
    /// Copies the points of all classes into the frame.
    pub fn new(classes: &Classes<'_>, origin: &Origin) -> Self {
        let features = classes.points().features();
        let (rows, single) = match classes.points().values() {
            Values::F64(values) => (gather(values, origin, classes.order()), false),
            Values::F32(values) => (gather(values, origin, classes.order()), true),
        };
        Frame { rows, features, starts: classes.starts().to_vec(), single }
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

    /// Hands the rows to a kernel in the precision of the input, or in double precision where neighbours are asked
    /// for: single precision would break ties between them at random. Rows of single precision are not rounded here,
    /// if the origin is [exact](Origin::exact).
    pub fn with_rows<T>(&self, sweep: Sweep, kernel: impl FnOnce(Rows<'_>) -> T) -> T {
        if self.single && !sweep.nearest {
            let rows: Vec<f32> = self.rows.iter().map(|&value| value as f32).collect();
            kernel(Rows::F32(&rows))
        } else {
            kernel(Rows::F64(&self.rows))
        }
    }
}

/// `x / unit - centre / unit`: the division by a power of two is exact, and differences of huge numbers stay finite.
fn gather<T: Scalar>(values: &[T], origin: &Origin, order: &[usize]) -> Vec<f64> {
    let scale = origin.scale();
    let centre: Vec<f64> = origin.centre.iter().map(|value| value * scale).collect();
    let mut rows = Vec::with_capacity(order.len() * centre.len());
    for &row in order {
        let values = &values[row * centre.len()..(row + 1) * centre.len()];
        rows.extend(values.iter().zip(&centre).map(|(value, centre)| value.to_f64() * scale - centre));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Labels, Points};

    fn frame(values: Vec<f64>) -> Frame {
        let labels = Labels::encode((0..values.len()).map(|row| row % 2));
        let classes = Classes::new(Points::new(values, 1).unwrap(), &labels).unwrap();
        Frame::new(&classes, &Origin::exact(&classes))
    }

    #[test]
    fn scale_and_offset_leave_the_frame_alone() {
        let plain = frame(vec![1.0, 2.0, 4.0, 9.0]);
        assert_eq!(plain.rows.iter().sum::<f64>(), 0.0);
        for power in [-1000, -900, -500, 500, 1000] {
            let scale = 2.0_f64.powi(power);
            let scaled = frame([1.0, 2.0, 4.0, 9.0].map(|x| x * scale).to_vec());
            assert_eq!(plain.rows, scaled.rows, "2^{power}");
        }
        let shifted = frame([1.0, 2.0, 4.0, 9.0].map(|x| x + 1e8).to_vec());
        assert_eq!(plain.rows, shifted.rows);
    }

    #[test]
    fn extreme_numbers_stay_finite() {
        for values in [vec![f64::MAX, -f64::MAX, 0.0], vec![5e-324, 0.0, 1e-323], vec![0.0; 3], vec![7.0; 3]]
        {
            // No power of two lies above f64::MAX: 2^1023 must do, and leaves numbers up to 2.
            assert!(frame(values).rows.iter().all(|value| value.abs() <= 2.0));
        }
    }
}

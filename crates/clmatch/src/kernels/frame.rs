//! A copy of the points for the kernels that compare them: in class order, centred, in a common unit.
//!
//! Centring keeps data far from 0 accurate; the unit keeps powers of coordinates inside the range of f64. Both come from an
//! [`Origin`], so that lengths agree with those of the moments. With [`Origin::exact`] no coordinate is rounded, so that
//! differences of points have all the digits of the input.

use clmatch_kernels::parallel;

use super::pairs::{self, PairwiseRequest, Rows};
use super::stream::Origin;
use crate::classes::Classes;
use crate::matrix::Scalar;
use crate::points::Values;

/// Rows that one thread copies at a time.
const CHUNK: usize = 512;

/// Points in class order, relative to an origin.
///
/// Time: O(n d). Memory: O(n d), one copy of the points.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Row-major coordinates; class `k` holds the rows `starts[k]..starts[k + 1]`.
    pub rows: Vec<f64>,
    /// Numbers per row.
    pub features: usize,
    /// Where each class starts, followed by the end of the last.
    pub starts: Vec<usize>,
    /// Whether the input is in single precision.
    single: bool,
}

impl Frame {
    /// Copies the points of all classes into the frame.
    pub fn new(classes: &Classes<'_>, origin: &Origin) -> Self {
        let features = classes.points().n_features();
        let (rows, single) = match classes.points().values() {
            Values::F64(values) => (gather(values, origin, classes.order()), false),
            Values::F32(values) => (gather(values, origin, classes.order()), true),
        };
        Frame { rows, features, starts: classes.starts().to_vec(), single }
    }

    /// The same points in another order and in other classes: places in this frame, class after class.
    pub fn regrouped(&self, places: &[usize], starts: Vec<usize>) -> Frame {
        debug_assert!(starts[starts.len() - 1] == places.len());
        let rows = places.iter().flat_map(|&place| self.row(place)).copied().collect();
        Frame { rows, features: self.features, starts, single: self.single }
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.starts[self.classes()]
    }

    /// How many points a class has.
    pub fn size(&self, class: usize) -> usize {
        self.starts[class + 1] - self.starts[class]
    }

    /// The class of each point.
    pub fn class_of(&self) -> Vec<u32> {
        let of_class = |class: usize| std::iter::repeat_n(class as u32, self.size(class));
        (0..self.classes()).flat_map(of_class).collect()
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

    /// The largest relative error of the distances that [`pairs`](super::pairs) computes from these rows.
    pub fn distance_rounding(&self) -> f64 {
        if self.single { pairs::ROUNDING_F32 } else { pairs::ROUNDING_F64 }
    }

    /// Hands the rows to a kernel in the precision of the input. They are in double precision if neighbours are requested,
    /// because single precision would break ties between them at random, or if numbers are too small for single precision.
    pub fn with_rows<T>(&self, request: PairwiseRequest, kernel: impl FnOnce(Rows<'_>) -> T) -> T {
        if self.single && !request.nearest {
            let rows: Vec<f32> = self.rows.iter().map(|&value| value as f32).collect();
            if rows.iter().zip(&self.rows).all(|(&narrow, &wide)| f64::from(narrow) == wide) {
                return kernel(Rows::F32(&rows));
            }
        }
        kernel(Rows::F64(&self.rows))
    }
}

/// `x / unit - centre / unit`: division by a power of two is exact, and differences of huge numbers stay finite.
fn gather<T: Scalar>(values: &[T], origin: &Origin, order: &[usize]) -> Vec<f64> {
    let scale = origin.scale();
    let centre: Vec<f64> = origin.centre.iter().map(|value| value * scale).collect();
    let features = centre.len();
    let mut rows = vec![0.0; order.len() * features];
    parallel::for_chunks_mut(&mut rows, CHUNK * features, |chunk, rows| {
        for (to, &row) in rows.chunks_exact_mut(features).zip(&order[chunk * CHUNK..]) {
            let values = &values[row * features..(row + 1) * features];
            for ((to, value), centre) in to.iter_mut().zip(values).zip(&centre) {
                *to = value.to_f64() * scale - centre;
            }
        }
    });
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
        for numbers in [[1.0, 2.0, 4.0, 9.0], [101.0, 102.0, 104.0, 109.0]] {
            let plain = frame(numbers.to_vec());
            for power in [-1000, -900, -500, 500, 1000] {
                let scale = 2.0_f64.powi(power);
                let scaled = frame(numbers.map(|x| x * scale).to_vec());
                assert_eq!(plain.rows, scaled.rows, "2^{power}");
            }
        }
        let shifted = |offset: f64| frame([1.0, 2.0, 4.0, 9.0].map(|x| x + offset).to_vec()).rows;
        // Class by class: every other number.
        assert_eq!(shifted(1e8), [-0.5, -0.125, -0.375, 0.5]);
        assert!(shifted(100.0) == shifted(1e8) && shifted(-1e8) == shifted(1e8));
    }

    /// Differences in units of the input.
    fn differences(frame: &Frame, unit: f64) -> Vec<f64> {
        frame.rows.windows(2).map(|two| (two[1] - two[0]) * unit).collect()
    }

    #[test]
    fn differences_are_those_of_the_input() {
        // One number far away; one that is far smaller; all far away; all alike; below 0.
        for values in [
            vec![0.1, 0.2, 1e15, 0.7],
            vec![0.1, 0.2, 1e-20, 3e-20],
            vec![1e8 + 0.1, 1e8 + 0.2, 1e8 + 0.9, 1e8 - 7.3],
            vec![0.3, 0.3, 0.3, 0.3],
            vec![-5.1, -7.7, -3.9, -6.0],
            vec![f64::MIN_POSITIVE, 5e-324, 1e-310, 2e-308],
        ] {
            let expected: Vec<f64> = values.windows(2).map(|two| two[1] - two[0]).collect();
            let labels = Labels::encode([0, 0, 1, 1]);
            let classes = Classes::new(Points::new(&values, 1).unwrap(), &labels).unwrap();
            let origin = Origin::exact(&classes);
            assert_eq!(differences(&Frame::new(&classes, &origin), origin.unit), expected, "{values:?}");

            let single: Vec<f32> = values.iter().map(|&x| x as f32).collect();
            let classes = Classes::new(Points::new(&single, 1).unwrap(), &labels).unwrap();
            let origin = Origin::exact(&classes);
            let frame = Frame::new(&classes, &origin);
            let expected: Vec<f64> =
                single.windows(2).map(|two| f64::from(two[1]) - f64::from(two[0])).collect();
            assert_eq!(differences(&frame, origin.unit), expected, "{single:?}");
            assert!(frame.rows.iter().all(|&x| f64::from(x as f32) == x), "{single:?} fit f32");
        }
    }

    #[test]
    fn numbers_too_small_for_single_precision_are_not_rounded_to_it() {
        let sums = PairwiseRequest { sums: true, nearest: false, extremes: false };
        let is_single = |values: &[f32]| {
            let labels = Labels::encode([0, 0, 1, 1]);
            let classes = Classes::new(Points::new(values, 1).unwrap(), &labels).unwrap();
            let frame = Frame::new(&classes, &Origin::exact(&classes));
            frame.with_rows(sums, |rows| matches!(rows, Rows::F32(_)))
        };
        assert!(is_single(&[0.1, 0.2, 0.3, 5.0]) && is_single(&[0.1, 0.2, 0.3, 1e15]));
        assert!(!is_single(&[0.1, 0.2, 0.3, 1e38]));
    }

    #[test]
    fn extreme_numbers_stay_finite() {
        for values in [vec![f64::MAX, -f64::MAX, 0.0], vec![5e-324, 0.0, 1e-323], vec![0.0; 3], vec![7.0; 3]]
        {
            // f64::MAX has no power of two above it: 2^1023 must do, and leaves numbers up to 2.
            assert!(frame(values).rows.iter().all(|value| value.abs() <= 2.0));
        }
    }
}

//! The one way to hold points: a row-major matrix of finite numbers, checked once, when it is made.
//!
//! The measures, the clustering techniques and the classifiers all take it: the measures in either precision, as
//! [`Points`](crate::Points), the others in double precision.
//!
//! ```
//! use clmatch::Matrix;
//!
//! let matrix = Matrix::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2)?;
//! assert_eq!((matrix.n_points(), matrix.row(1)), (3, &[3.0, 4.0][..]));
//! let refused = Matrix::new(vec![1.0, f64::NAN], 2).unwrap_err();
//! assert!(refused.to_string().contains("NaN"));
//! # Ok::<(), clmatch::DataError>(())
//! ```

use std::borrow::Cow;
use std::slice::ChunksExact;

use crate::error::DataError;

/// The two floating-point types that kernels read.
pub trait Scalar: sealed::Sealed {
    /// The number 0, from which sums start.
    const ZERO: Self;
    /// The same number in double precision.
    fn to_f64(self) -> f64;
}

impl Scalar for f64 {
    const ZERO: f64 = 0.0;
    fn to_f64(self) -> f64 {
        self
    }
}

impl Scalar for f32 {
    const ZERO: f32 = 0.0;
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

mod sealed {
    /// What a kernel may do with a coordinate; closed so that kernels can rely on it.
    pub trait Sealed:
        Copy
        + Send
        + Sync
        + PartialOrd
        + std::ops::Add<Output = Self>
        + std::ops::Mul<Output = Self>
        + 'static
    {
    }
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

/// Finite numbers in rows of equal length, with at least one row and one column; borrowed or owned.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix<'a, T: Scalar = f64> {
    values: Cow<'a, [T]>,
    features: usize,
}

impl<'a, T: Scalar> Matrix<'a, T> {
    /// Takes row-major `values`, a slice or a vector, with `features` numbers to a row.
    ///
    /// ```
    /// use clmatch::{DataError, Matrix};
    /// let matrix = Matrix::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2)?; // borrowed: three points in the plane
    /// assert_eq!((matrix.n_points(), matrix.n_features()), (3, 2));
    /// assert_eq!(matrix.row(1), [3.0, 4.0]);
    /// let short = Matrix::new(vec![1.0_f32, 2.0, 3.0], 2);
    /// assert_eq!(short, Err(DataError::Incomplete { values: 3, features: 2 }));
    /// # Ok::<(), DataError>(())
    /// ```
    ///
    /// # Errors
    /// No rows, no features, a length that is not a multiple of `features`, or a number that is NaN or infinite.
    pub fn new(values: impl Into<Cow<'a, [T]>>, features: usize) -> Result<Self, DataError> {
        let values = values.into();
        if features == 0 {
            return Err(DataError::NoFeatures);
        }
        if values.is_empty() {
            return Err(DataError::NoRows);
        }
        if !values.len().is_multiple_of(features) {
            return Err(DataError::Incomplete { values: values.len(), features });
        }
        if let Some(index) = first_not_finite(&values) {
            let (row, feature) = (index / features, index % features);
            return Err(DataError::NotFinite { row, feature, value: values[index].to_f64() });
        }
        Ok(Matrix { values, features })
    }

    /// Takes numbers that were checked before and have since changed only in ways that keep them finite. Does not check them
    /// again.
    pub(crate) fn trusted(values: impl Into<Cow<'a, [T]>>, features: usize) -> Self {
        let values = values.into();
        debug_assert!(features > 0 && !values.is_empty() && values.len().is_multiple_of(features));
        debug_assert!(first_not_finite(&values).is_none());
        Matrix { values, features }
    }

    /// Copies rows that are stored separately.
    ///
    /// # Errors
    /// As [`Matrix::new`], or rows of different lengths.
    pub fn from_rows<R: AsRef<[T]>>(rows: &[R]) -> Result<Matrix<'static, T>, DataError> {
        let features = rows.first().ok_or(DataError::NoRows)?.as_ref().len();
        let mut values = Vec::with_capacity(rows.len() * features);
        for (row, numbers) in rows.iter().enumerate() {
            let found = numbers.as_ref().len();
            if found != features {
                return Err(DataError::Ragged { row, found, expected: features });
            }
            values.extend_from_slice(numbers.as_ref());
        }
        Matrix::new(values, features)
    }

    /// How many points, or rows, there are.
    pub fn n_points(&self) -> usize {
        self.values.len() / self.features
    }

    /// How many numbers describe a point.
    pub fn n_features(&self) -> usize {
        self.features
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The numbers of one point.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.values[row * self.features..(row + 1) * self.features]
    }

    /// The numbers of each point, one after the other.
    pub fn rows(&self) -> ChunksExact<'_, T> {
        self.values.chunks_exact(self.features)
    }

    /// Copies some rows, in the given order. Does not check them again.
    ///
    /// # Panics
    /// If there is no such row, or if `rows` is empty.
    pub fn select(&self, rows: &[usize]) -> Matrix<'static, T> {
        assert!(!rows.is_empty(), "a matrix has at least one row");
        let values: Vec<T> = rows.iter().flat_map(|&row| self.row(row)).copied().collect();
        Matrix::trusted(values, self.features)
    }

    /// Converts to a matrix that owns its numbers, copying them if they were borrowed.
    pub fn into_owned(self) -> Matrix<'static, T> {
        Matrix { values: Cow::Owned(self.values.into_owned()), features: self.features }
    }

    /// The numbers, borrowed or owned as they are.
    pub(crate) fn into_values(self) -> Cow<'a, [T]> {
        self.values
    }
}

/// Index of the first number that is NaN or infinite.
///
/// Blocks avoid a branch per number: a sum of `x * 0` is NaN exactly if some number is not finite.
fn first_not_finite<T: Scalar>(values: &[T]) -> Option<usize> {
    const BLOCK: usize = 4096;
    const LANES: usize = 16;
    for (index, block) in values.chunks(BLOCK).enumerate() {
        let mut lanes = [T::ZERO; LANES];
        let chunks = block.chunks_exact(LANES);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (lane, &value) in lanes.iter_mut().zip(chunk) {
                *lane = *lane + value * T::ZERO;
            }
        }
        let suspect = lanes.iter().chain(rest).any(|value| !value.to_f64().is_finite());
        if suspect && let Some(offset) = block.iter().position(|value| !value.to_f64().is_finite()) {
            return Some(index * BLOCK + offset);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_matrix_is_refused() {
        assert_eq!(Matrix::new(Vec::<f64>::new(), 2), Err(DataError::NoRows));
        assert_eq!(Matrix::new(&[1.0], 0), Err(DataError::NoFeatures));
        let short = Matrix::new(&[1.0, 2.0, 3.0], 2);
        assert_eq!(short, Err(DataError::Incomplete { values: 3, features: 2 }));
        let ragged = Matrix::from_rows(&[vec![1.0, 2.0], vec![1.0]]);
        assert_eq!(ragged, Err(DataError::Ragged { row: 1, found: 1, expected: 2 }));
    }

    #[test]
    fn numbers_that_are_not_finite_are_located() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for at in [0, 5, 9_999, 10_001] {
                let mut values = vec![1.0; 10_002];
                values[at] = bad;
                let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
                for error in [Matrix::new(&values, 2).err(), Matrix::new(&single, 2).err()] {
                    match error {
                        Some(DataError::NotFinite { row, feature, .. }) => {
                            assert_eq!((row, feature), (at / 2, at % 2));
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
        assert!(Matrix::new(vec![f64::MAX, f64::MIN_POSITIVE, -0.0, 1e-320], 2).is_ok());
    }

    #[test]
    fn rows_are_selected_in_the_given_order() {
        let matrix = Matrix::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2).unwrap();
        assert_eq!(matrix.rows().collect::<Vec<_>>(), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let selected = matrix.select(&[2, 0, 2]);
        assert_eq!(selected.values(), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
    }
}

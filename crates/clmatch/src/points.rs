//! Points as the measures take them: a matrix in either precision, and the length that counts as 1.
//!
//! ```
//! use clmatch::{Classes, Labels, Points, evaluate, measure};
//!
//! // Single precision is scored without a copy in double precision.
//! let values = [0.0_f32, 0.5, 8.0, 9.0];
//! let labels = Labels::encode([0, 0, 1, 1]);
//! let measures = [measure::find("ii").unwrap()];
//! let raw = evaluate(&Classes::new(Points::new(&values[..], 1)?, &labels)?, &measures)?;
//! // Divided by 9, as by a scaling to [0, 1], but the values stay where they are.
//! let scaled = evaluate(&Classes::new(Points::new(&values[..], 1)?.with_unit(9.0)?, &labels)?, &measures)?;
//! assert!(scaled.value("ii").unwrap() < raw.value("ii").unwrap());
//! # Ok::<(), clmatch::DataError>(())
//! ```

use std::borrow::Cow;

use crate::error::DataError;
use crate::matrix::{Matrix, Scalar};

/// The coordinates of a dataset in the precision in which they arrived.
///
/// Slices of f64 and f32 are borrowed, vectors are taken over, and integers are converted to f64.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// Double precision.
    F64(Cow<'a, [f64]>),
    /// Single precision; sums are still accumulated in double precision.
    F32(Cow<'a, [f32]>),
}

impl Values<'_> {
    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Values::F64(values) => values.len(),
            Values::F32(values) => values.len(),
        }
    }

    /// Whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number at `index`, as f64.
    pub fn get(&self, index: usize) -> f64 {
        match self {
            Values::F64(values) => values[index],
            Values::F32(values) => f64::from(values[index]),
        }
    }
}

impl<'a> From<&'a [f64]> for Values<'a> {
    fn from(values: &'a [f64]) -> Self {
        Values::F64(Cow::Borrowed(values))
    }
}

impl<'a> From<&'a Vec<f64>> for Values<'a> {
    fn from(values: &'a Vec<f64>) -> Self {
        Values::F64(Cow::Borrowed(values))
    }
}

impl<'a, const N: usize> From<&'a [f64; N]> for Values<'a> {
    fn from(values: &'a [f64; N]) -> Self {
        Values::F64(Cow::Borrowed(values))
    }
}

impl From<Vec<f64>> for Values<'_> {
    fn from(values: Vec<f64>) -> Self {
        Values::F64(Cow::Owned(values))
    }
}

impl<'a> From<&'a [f32]> for Values<'a> {
    fn from(values: &'a [f32]) -> Self {
        Values::F32(Cow::Borrowed(values))
    }
}

impl<'a> From<&'a Vec<f32>> for Values<'a> {
    fn from(values: &'a Vec<f32>) -> Self {
        Values::F32(Cow::Borrowed(values))
    }
}

impl From<Vec<f32>> for Values<'_> {
    fn from(values: Vec<f32>) -> Self {
        Values::F32(Cow::Owned(values))
    }
}

macro_rules! from_integers {
    ($($integer:ty),*) => {$(
        impl From<&[$integer]> for Values<'_> {
            fn from(values: &[$integer]) -> Self {
                Values::F64(values.iter().map(|&value| value as f64).collect())
            }
        }
    )*};
}
from_integers!(i8, i16, i32, i64, u8, u16, u32, u64);

/// Points of a dataset: a [`Matrix`] in the precision in which it arrived, and the length that counts as 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Points<'a> {
    values: Values<'a>,
    features: usize,
    unit: f64,
}

impl<'a> Points<'a> {
    /// Takes row-major `values` with `features` numbers to a row.
    ///
    /// ```
    /// use clmatch::Points;
    /// let points = Points::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2)?; // borrowed: three points in the plane
    /// assert_eq!((points.n_points(), points.n_features()), (3, 2));
    /// assert!(Points::new(vec![1.0_f32, f32::NAN], 1).is_err());
    /// # Ok::<(), clmatch::DataError>(())
    /// ```
    ///
    /// # Errors
    /// No rows, no features, a length that is not a multiple of `features`, or a number that is NaN or infinite.
    pub fn new(values: impl Into<Values<'a>>, features: usize) -> Result<Self, DataError> {
        Ok(match values.into() {
            Values::F64(values) => Matrix::<f64>::new(values, features)?.into(),
            Values::F32(values) => Matrix::<f32>::new(values, features)?.into(),
        })
    }

    /// Takes points that were checked before and have since changed only in ways that keep them finite. Does not check them
    /// again.
    pub(crate) fn trusted(values: Values<'a>, features: usize, unit: f64) -> Self {
        debug_assert!(unit > 0.0 && unit.is_finite());
        let points: Points<'a> = match values {
            Values::F64(values) => Matrix::<f64>::trusted(values, features).into(),
            Values::F32(values) => Matrix::<f32>::trusted(values, features).into(),
        };
        Points { unit, ..points }
    }

    /// The same points with `unit` as the length that counts as 1: a coordinate is a value divided by `unit`.
    ///
    /// Scaling this way rounds no value, and f32 stays f32. `ii`, which has the dimension of a squared length, is the only
    /// measure that depends on it.
    ///
    /// # Errors
    /// A unit that is not a positive, finite number.
    pub fn with_unit(self, unit: f64) -> Result<Self, DataError> {
        if unit > 0.0 && unit.is_finite() {
            Ok(Points { unit, ..self })
        } else {
            Err(DataError::Unit { unit })
        }
    }

    /// Copies rows that are stored separately.
    ///
    /// # Errors
    /// As [`Points::new`], or rows of different lengths.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Points<'static>, DataError> {
        Ok(Matrix::from_rows(rows)?.into())
    }

    /// Copies some points in double precision: the numbers divided by [`Points::unit`].
    ///
    /// ```
    /// use clmatch::Points;
    /// let points = Points::new(vec![1.0_f32, 2.0, 4.0], 1)?.with_unit(4.0)?;
    /// assert_eq!(points.coordinates(&[2, 0])?.values(), [1.0, 0.25]);
    /// # Ok::<(), clmatch::DataError>(())
    /// ```
    ///
    /// Time and memory: O(n d) for n rows.
    ///
    /// # Errors
    /// No rows, or a small unit that makes a coordinate too large for an f64.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn coordinates(&self, rows: &[usize]) -> Result<Matrix<'static>, DataError> {
        let values = match &self.values {
            Values::F64(values) => self.divided(values, rows),
            Values::F32(values) => self.divided(values, rows),
        };
        if self.unit == 1.0 && !rows.is_empty() {
            return Ok(Matrix::trusted(values, self.features));
        }
        Matrix::new(values, self.features)
    }

    fn divided<T: Scalar>(&self, values: &[T], rows: &[usize]) -> Vec<f64> {
        let row = |&row: &usize| &values[row * self.features..(row + 1) * self.features];
        rows.iter().flat_map(row).map(|&value| value.to_f64() / self.unit).collect()
    }

    /// The same points, borrowed.
    pub(crate) fn borrowed(&self) -> Points<'_> {
        let values = match &self.values {
            Values::F64(values) => Values::F64(Cow::Borrowed(values)),
            Values::F32(values) => Values::F32(Cow::Borrowed(values)),
        };
        Points { values, features: self.features, unit: self.unit }
    }

    /// How many points there are.
    pub fn n_points(&self) -> usize {
        self.values.len() / self.features
    }

    /// How many numbers describe a point.
    pub fn n_features(&self) -> usize {
        self.features
    }

    /// The numbers as they were given, row by row: divided by [`Points::unit`] they are coordinates.
    pub fn values(&self) -> &Values<'a> {
        &self.values
    }

    /// The length that counts as 1.
    pub fn unit(&self) -> f64 {
        self.unit
    }
}

impl<'a> From<Matrix<'a, f64>> for Points<'a> {
    fn from(matrix: Matrix<'a, f64>) -> Self {
        let features = matrix.n_features();
        Points { values: Values::F64(matrix.into_values()), features, unit: 1.0 }
    }
}

impl<'a> From<Matrix<'a, f32>> for Points<'a> {
    fn from(matrix: Matrix<'a, f32>) -> Self {
        let features = matrix.n_features();
        Points { values: Values::F32(matrix.into_values()), features, unit: 1.0 }
    }
}

/// Borrows the matrix: it is neither copied nor checked.
impl<'a> From<&'a Matrix<'_>> for Points<'a> {
    fn from(matrix: &'a Matrix<'_>) -> Self {
        Points { values: matrix.values().into(), features: matrix.n_features(), unit: 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_checked_where_they_may_overflow() {
        let points = Points::new(&[1e300, 2.0, 3.0], 1).unwrap();
        assert_eq!(points.coordinates(&[2, 0]).unwrap().values(), [3.0, 1e300]);
        assert_eq!(points.coordinates(&[]), Err(DataError::NoRows));
        let small = points.with_unit(1e-300).unwrap();
        assert_eq!(small.coordinates(&[]), Err(DataError::NoRows));
        assert_eq!(small.coordinates(&[1]).unwrap().values(), [2.0 / 1e-300]);
        let error = small.coordinates(&[1, 0]).unwrap_err();
        assert_eq!(error, DataError::NotFinite { row: 1, feature: 0, value: f64::INFINITY });
    }
}

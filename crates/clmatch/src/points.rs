//! A view of the points: row-major numbers, f64 or f32, borrowed where possible.

use std::borrow::Cow;

use crate::error::DataError;

/// The coordinates of a dataset in the precision in which they arrived.
///
/// f64 and f32 slices are borrowed, vectors are taken over; integers are converted to f64.
#[derive(Debug, Clone, PartialEq)]
pub enum Values<'a> {
    /// Double precision.
    F64(Cow<'a, [f64]>),
    /// Single precision; sums are accumulated in double precision all the same.
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

    /// Whether there are none.
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

    /// Index of the first number that is NaN or infinite.
    fn first_not_finite(&self) -> Option<usize> {
        match self {
            Values::F64(values) => first_not_finite(values),
            Values::F32(values) => first_not_finite(values),
        }
    }
}

/// Blocks without a branch per number: a sum of `x * 0` is NaN exactly if some number is not finite.
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

/// Points of a dataset: finite numbers, `features` to a row, and the length that counts as 1.
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
    /// No rows, no features, a length that is no multiple of `features`, or a number that is NaN or infinite.
    pub fn new(values: impl Into<Values<'a>>, features: usize) -> Result<Self, DataError> {
        let values = values.into();
        if features == 0 {
            return Err(DataError::NoFeatures);
        }
        if values.is_empty() {
            return Err(DataError::NoRows);
        }
        if values.len() % features != 0 {
            return Err(DataError::Incomplete { values: values.len(), features });
        }
        if let Some(index) = values.first_not_finite() {
            let (row, feature) = (index / features, index % features);
            return Err(DataError::NotFinite { row, feature, value: values.get(index) });
        }
        Ok(Points { values, features, unit: 1.0 })
    }

    /// Points that were checked before, and changed since only in ways that keep them finite: nothing is looked at again.
    pub(crate) fn trusted(values: Values<'a>, features: usize, unit: f64) -> Self {
        debug_assert!(features > 0 && !values.is_empty() && values.len().is_multiple_of(features));
        debug_assert!(values.first_not_finite().is_none() && unit > 0.0 && unit.is_finite());
        Points { values, features, unit }
    }

    /// The same points with another length as 1: a coordinate is a value divided by `unit`.
    ///
    /// Scaling by one number this way rounds no value, and f32 stays f32. Of all measures only `ii`, which has the
    /// dimension of a squared length, depends on it.
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

    /// Copies rows that are stored one by one.
    ///
    /// # Errors
    /// As [`Points::new`], and rows of different lengths.
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Result<Points<'static>, DataError> {
        let features = rows.first().ok_or(DataError::NoRows)?.as_ref().len();
        let mut values = Vec::with_capacity(rows.len() * features);
        for (row, numbers) in rows.iter().enumerate() {
            let found = numbers.as_ref().len();
            if found != features {
                return Err(DataError::Ragged { row, found, expected: features });
            }
            values.extend_from_slice(numbers.as_ref());
        }
        Points::new(values, features)
    }

    /// How many points there are.
    pub fn n_points(&self) -> usize {
        self.values.len() / self.features
    }

    /// How many numbers describe a point.
    pub fn n_features(&self) -> usize {
        self.features
    }

    /// The numbers, row by row, as they were given: coordinates are these divided by [`Points::unit`].
    pub fn values(&self) -> &Values<'a> {
        &self.values
    }

    /// The length that counts as 1.
    pub fn unit(&self) -> f64 {
        self.unit
    }
}

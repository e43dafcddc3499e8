//! The two precisions in which a matrix is kept.

use clmatch::Values;

/// f64 or f32; converted to f64 for arithmetic.
pub(crate) trait MatrixElement: Copy + PartialEq + Send + Sync + 'static {
    /// Stands for a missing value until missing values are handled.
    const NAN: Self;
    /// Zero.
    const ZERO: Self;
    /// In double precision.
    fn to_f64(self) -> f64;
    /// In this precision.
    fn from_f64(value: f64) -> Self;
}

impl MatrixElement for f64 {
    const NAN: f64 = f64::NAN;
    const ZERO: f64 = 0.0;
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> f64 {
        value
    }
}

impl MatrixElement for f32 {
    const NAN: f32 = f32::NAN;
    const ZERO: f32 = 0.0;
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn from_f64(value: f64) -> f32 {
        value as f32
    }
}

/// Row-major numbers in which NaN means missing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FloatMatrix {
    /// Double precision.
    F64(Vec<f64>),
    /// Single precision.
    F32(Vec<f32>),
}

impl FloatMatrix {
    /// How many numbers there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            FloatMatrix::F64(values) => values.len(),
            FloatMatrix::F32(values) => values.len(),
        }
    }

    /// How many bytes of memory the numbers take.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            FloatMatrix::F64(values) => size_of_val(values.as_slice()) as u64,
            FloatMatrix::F32(values) => size_of_val(values.as_slice()) as u64,
        }
    }

    /// Appends rows; the result has single precision only if both have it.
    pub(crate) fn append(&mut self, more: FloatMatrix) {
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        match (&mut *self, more) {
            (FloatMatrix::F64(values), FloatMatrix::F64(more)) => values.extend(more),
            (FloatMatrix::F32(values), FloatMatrix::F32(more)) => values.extend(more),
            (FloatMatrix::F64(values), FloatMatrix::F32(more)) => values.extend(wide(&more)),
            (FloatMatrix::F32(values), FloatMatrix::F64(more)) => {
                let mut all = wide(values);
                all.extend(more);
                *self = FloatMatrix::F64(all);
            }
        }
    }

    /// The numbers as the `clmatch` library takes them.
    pub(crate) fn into_values(self) -> Values<'static> {
        match self {
            FloatMatrix::F64(values) => values.into(),
            FloatMatrix::F32(values) => values.into(),
        }
    }
}

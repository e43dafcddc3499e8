//! The two precisions in which a matrix is kept.

use clmatch::Values;

/// f64 or f32; converted to f64 for arithmetic.
pub(crate) trait Real: Copy + PartialEq + Send + Sync + 'static {
    /// Stands for a missing value until missing values are handled.
    const NAN: Self;
    /// Zero.
    const ZERO: Self;
    /// In double precision.
    fn to_f64(self) -> f64;
    /// In this precision.
    fn from_f64(value: f64) -> Self;
}

impl Real for f64 {
    const NAN: f64 = f64::NAN;
    const ZERO: f64 = 0.0;
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> f64 {
        value
    }
}

impl Real for f32 {
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
pub(crate) enum Matrix {
    /// Double precision.
    F64(Vec<f64>),
    /// Single precision.
    F32(Vec<f32>),
}

impl Matrix {
    /// How many numbers there are.
    pub(crate) fn len(&self) -> usize {
        match self {
            Matrix::F64(values) => values.len(),
            Matrix::F32(values) => values.len(),
        }
    }

    /// How many bytes of memory the numbers take.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Matrix::F64(values) => size_of_val(values.as_slice()) as u64,
            Matrix::F32(values) => size_of_val(values.as_slice()) as u64,
        }
    }

    /// Appends rows; the result has single precision only if both have it.
    pub(crate) fn append(&mut self, more: Matrix) {
        let wide = |values: &[f32]| values.iter().map(|&value| f64::from(value)).collect::<Vec<f64>>();
        match (&mut *self, more) {
            (Matrix::F64(values), Matrix::F64(more)) => values.extend(more),
            (Matrix::F32(values), Matrix::F32(more)) => values.extend(more),
            (Matrix::F64(values), Matrix::F32(more)) => values.extend(wide(&more)),
            (Matrix::F32(values), Matrix::F64(more)) => {
                let mut all = wide(values);
                all.extend(more);
                *self = Matrix::F64(all);
            }
        }
    }

    /// The numbers as the `clmatch` library takes them.
    pub(crate) fn into_values(self) -> Values<'static> {
        match self {
            Matrix::F64(values) => values.into(),
            Matrix::F32(values) => values.into(),
        }
    }
}

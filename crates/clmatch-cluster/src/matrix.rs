//! Points in rows: what every technique takes.

use crate::ties::rounded;

/// A row-major matrix of finite numbers with at least one row and one column.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    values: &'a [f64],
    features: usize,
    ties: bool,
}

/// Why numbers are no [`Matrix`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// Nothing to cluster.
    #[error("there are no points, or they have no features")]
    Empty,
    /// Rows of different lengths.
    #[error("{values} numbers do not make rows of {features}")]
    Ragged {
        /// How many numbers there are.
        values: usize,
        /// How many a row has.
        features: usize,
    },
    /// A NaN or an infinity.
    #[error("row {row}, column {column} is not finite")]
    NotFinite {
        /// From 0.
        row: usize,
        /// From 0.
        column: usize,
    },
}

impl<'a> Matrix<'a> {
    /// Checks numbers, row after row.
    ///
    /// # Errors
    /// [`MatrixError`] if there are none, if the last row is short, or if one is not finite.
    pub fn new(values: &'a [f64], features: usize) -> Result<Self, MatrixError> {
        if values.is_empty() || features == 0 {
            return Err(MatrixError::Empty);
        }
        if !values.len().is_multiple_of(features) {
            return Err(MatrixError::Ragged { values: values.len(), features });
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(MatrixError::NotFinite { row: at / features, column: at % features }),
            None => Ok(Matrix { values, features, ties: false }),
        }
    }

    /// The same points, where [`Density`](crate::Density), [`Distances`](crate::Distances) and
    /// [`Linkage`](crate::Linkage) take distances that differ by rounding alone for equal: they are off by up to 1e-9
    /// of themselves, and do not depend on the order of the features.
    #[must_use]
    pub fn with_ties(self) -> Self {
        Matrix { ties: true, ..self }
    }

    /// Whether distances that differ by rounding alone are to be equal.
    pub(crate) fn ties(&self) -> bool {
        self.ties
    }

    /// Rounds squared distances, or distances, if those that differ by rounding alone are to be equal.
    pub(crate) fn round(&self, distances: &mut [f64]) {
        if self.ties {
            distances.iter_mut().for_each(|distance| *distance = rounded(*distance));
        }
    }

    /// How many points there are.
    pub fn rows(&self) -> usize {
        self.values.len() / self.features
    }

    /// How many features a point has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// Numbers that were checked before: all rows of another matrix.
    pub(crate) fn checked(values: &'a [f64], features: usize) -> Self {
        Matrix { values, features, ties: false }
    }

    /// All numbers, row after row.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// One point.
    pub fn row(&self, row: usize) -> &'a [f64] {
        &self.values[row * self.features..(row + 1) * self.features]
    }
}

//! Scales features to a common size before scoring.

mod fit;
mod stream;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use clmatch::Values;
use rayon::prelude::*;

use self::fit::ColumnFit;
pub use self::stream::{ColumnScaling, ScalingPass};
use crate::dataset::Dataset;
use crate::extent::Extent;
use crate::note::Note;
use serde::{Deserialize, Serialize};

/// How to scale a matrix.
///
/// The variants that scale each column on its own do what scikit-learn does: a column whose spread is 0, or no more than
/// rounding, is centred and not divided, so that rounding does not become a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Leave the numbers as they are.
    None,
    /// Divide the whole matrix by its largest absolute value, as the paper does.
    #[default]
    MaxAbs,
    /// Scale each column to mean 0 and standard deviation 1 (of the whole column, as scikit-learn does).
    Standard,
    /// Scale each column to 0..1.
    MinMax,
    /// Scale each column to median 0 and interquartile range 1.
    Robust,
}

impl Scale {
    /// All variants, with their names.
    pub const ALL: [(&'static str, Scale); 5] = [
        ("none", Scale::None),
        ("max-abs", Scale::MaxAbs),
        ("standard", Scale::Standard),
        ("min-max", Scale::MinMax),
        ("robust", Scale::Robust),
    ];

    /// Whether each column is scaled on its own. Otherwise all columns keep their proportions.
    pub fn is_by_column(self) -> bool {
        matches!(self, Scale::Standard | Scale::MinMax | Scale::Robust)
    }
}

impl FromStr for Scale {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Scale::ALL.iter().find(|(known, _)| *known == name);
        let error = || format!("'{name}' is not one of none, max-abs, standard, min-max, robust");
        found.map(|(_, scale)| *scale).ok_or_else(error)
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(Scale::ALL.iter().find(|(_, scale)| scale == self).map_or("", |(name, _)| name))
    }
}

impl Dataset {
    /// Scales the features; a note names the columns that could not be scaled.
    ///
    /// With [`Scale::MaxAbs`], the largest absolute value becomes the [unit](Dataset::unit): no value changes, so that f32
    /// stays f32 and ties between distances stay ties. Columns that are scaled on their own always become f64: rounded to
    /// f32, equal distances would differ. Finite numbers of any size stay finite: 1e300 and 1e-300 scale like 1.
    ///
    /// Time: O(n d), `Robust` O(n d log n). Memory: O(n), and a copy of f32 values in f64 for columns on their own.
    pub fn scale(&mut self, how: Scale) {
        let fit: fn(&mut [f64]) -> ColumnFit = match how {
            Scale::None => return,
            // Zeros have no size, so they stay as they are.
            Scale::MaxAbs if self.largest == 0.0 => return,
            Scale::MaxAbs => return self.unit = self.largest,
            Scale::Standard => fit::standard,
            Scale::MinMax => fit::min_max,
            Scale::Robust => fit::robust,
        };
        self.become_double();
        if let Values::F64(values) = &mut self.values {
            let unscaled = scale_columns(values.to_mut(), self.features.len(), fit);
            let columns: Vec<String> = unscaled.iter().map(|&column| self.features[column].clone()).collect();
            self.largest = Extent::of_values(&self.values).largest;
            self.notes.extend((!columns.is_empty()).then_some(Note::Unscaled { columns, scale: how }));
        }
    }

    /// Replaces the values with the coordinates, in double precision.
    pub(crate) fn become_double(&mut self) {
        let unit = std::mem::replace(&mut self.unit, 1.0);
        self.largest /= unit;
        match &mut self.values {
            Values::F64(_) if unit == 1.0 => {}
            Values::F64(values) => values.to_mut().iter_mut().for_each(|value| *value /= unit),
            Values::F32(values) => {
                let values: Vec<f64> = values.iter().map(|&value| f64::from(value) / unit).collect();
                self.values = values.into();
            }
        }
    }
}

/// Scales each column in place; returns the columns that vary but were not divided.
fn scale_columns(values: &mut [f64], features: usize, fit: fn(&mut [f64]) -> ColumnFit) -> Vec<usize> {
    /// How many columns are copied in one pass over the rows: those of a row that share a cache line.
    const TOGETHER: usize = 8;
    const ROWS: usize = 4096;
    if values.is_empty() || features == 0 {
        return Vec::new();
    }
    let rows = values.len() / features;
    let mut columns = vec![0.0; rows * TOGETHER.min(features)];
    let mut unscaled = Vec::new();
    for first in (0..features).step_by(TOGETHER) {
        let width = TOGETHER.min(features - first);
        for (at, row) in values.chunks_exact(features).enumerate() {
            for (column, &value) in row[first..first + width].iter().enumerate() {
                columns[column * rows + at] = value;
            }
        }
        let fits: Vec<ColumnFit> = columns[..width * rows].par_chunks_exact_mut(rows).map(fit).collect();
        values.par_chunks_mut(features * ROWS).for_each(|part| {
            for row in part.chunks_exact_mut(features) {
                row[first..].iter_mut().zip(&fits).for_each(|(value, fit)| *value = fit.apply(*value));
            }
        });
        unscaled.extend((first..).zip(&fits).filter(|(_, fit)| fit.is_unscaled()).map(|(column, _)| column));
    }
    unscaled
}

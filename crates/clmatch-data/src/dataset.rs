//! A dataset in memory.

use std::borrow::Cow;

use clmatch::{DataError, Labels, Points, Values};

use crate::note::Note;

/// Points with features and labels, as they were read.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// What to call it: the file's or folder's name without extensions.
    pub name: String,
    /// The names of the features, one per column.
    pub features: Vec<String>,
    /// The numbers, row by row.
    pub values: Values<'static>,
    /// The length that counts as 1: coordinates are `values / unit`. It is 1 in a dataset as read; scaling by one
    /// number changes it instead of rounding every value.
    pub unit: f64,
    /// One label per row.
    pub labels: Labels,
    /// What happened on the way in.
    pub notes: Vec<Note>,
}

impl Dataset {
    /// How many points there are.
    pub fn rows(&self) -> usize {
        self.labels.len()
    }

    /// The points, borrowed.
    ///
    /// # Errors
    /// See [`Points::new`]; a dataset that was read is free of them.
    pub fn points(&self) -> Result<Points<'_>, DataError> {
        let points = match &self.values {
            Values::F64(values) => Points::new(Values::F64(Cow::Borrowed(values)), self.features.len()),
            Values::F32(values) => Points::new(Values::F32(Cow::Borrowed(values)), self.features.len()),
        };
        points?.with_unit(self.unit)
    }

    /// The coordinates of one point: its values in units.
    pub fn coordinates(&self, row: usize) -> impl Iterator<Item = f64> {
        let features = self.features.len();
        (row * features..(row + 1) * features).map(|at| self.values.get(at) / self.unit)
    }
}

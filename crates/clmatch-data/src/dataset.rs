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
        match &self.values {
            Values::F64(values) => Points::new(Values::F64(Cow::Borrowed(values)), self.features.len()),
            Values::F32(values) => Points::new(Values::F32(Cow::Borrowed(values)), self.features.len()),
        }
    }
}

//! What can be wrong with rows, with bytes, or with summaries that are merged.

use thiserror::Error;

use crate::error::DataError;

/// Why a summary could not be made, merged, read or finished.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// The data cannot be scored.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A number is NaN or infinite. The row is counted from the first row of the data, which is 0.
    #[error("row {}, feature {} is {value}: every feature must be a finite number", row + 1, feature + 1)]
    NotFinite {
        /// Which row of the data, from 0.
        row: u64,
        /// Which feature, from 0.
        feature: usize,
        /// The value found there.
        value: f64,
    },
    /// There are more classes than fit into memory.
    #[error(
        "the data have more than {classes} classes, which do not fit into {memory} bytes (is the label column an id?)"
    )]
    TooManyClasses {
        /// How many classes fit.
        classes: usize,
        /// How many bytes may be used.
        memory: usize,
    },
    /// No measures were given.
    #[error("no measure is asked for")]
    NoMeasures,
    /// A seed, unit or sample that cannot be used.
    #[error("{what}")]
    Setting {
        /// What is wrong with it.
        what: String,
    },
    /// Two summaries do not belong together.
    #[error("these summaries do not belong together: {what}")]
    Mismatch {
        /// How they differ.
        what: String,
    },
    /// Bytes that do not hold a summary, or hold a damaged one.
    #[error("these bytes are no summary: {what}")]
    Corrupt {
        /// What is wrong with them.
        what: String,
    },
    /// The second pass saw other rows than the first.
    #[error("the second pass saw {second} points of the class '{class}' where the first saw {first}")]
    OtherRows {
        /// The name of the class.
        class: String,
        /// How many points the first pass saw.
        first: u64,
        /// How many points the second pass saw.
        second: u64,
    },
}

impl From<clmatch_kernels::Stopped> for SummaryError {
    fn from(_: clmatch_kernels::Stopped) -> Self {
        SummaryError::Data(DataError::Stopped)
    }
}

pub(super) fn corrupt(what: impl Into<String>) -> SummaryError {
    SummaryError::Corrupt { what: what.into() }
}

pub(super) fn mismatch(what: impl Into<String>) -> SummaryError {
    SummaryError::Mismatch { what: what.into() }
}

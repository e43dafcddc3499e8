//! Errors as exceptions, in scikit-learn's words if it has some for the case.

use clmatch::DataError;
use clmatch_analysis::{AnalysisError, Remark};
use clmatch_cli::visible;
use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyPermissionError, PyValueError};

use crate::advice;
use crate::arrays::ArrayNumbers;

/// What is wrong with points and labels.
pub(crate) fn of_data(error: &DataError, numbers: ArrayNumbers<'_>) -> PyErr {
    PyValueError::new_err(match error {
        DataError::NotFinite { row, feature, value } => {
            let place = format!("The first one is in row {row}, column {feature} (both counted from 0).");
            if value.is_nan() {
                format!("Input X contains NaN.\n{place}")
            } else {
                let single = numbers.are_single();
                let kind = if single { "float32" } else { "float64" };
                format!("Input X contains infinity or a value too large for dtype('{kind}').\n{place}")
            }
        }
        DataError::LengthMismatch { points, labels } => {
            format!("Found input variables with inconsistent numbers of samples: [{points}, {labels}]")
        }
        DataError::OneClass { .. } => number_of_labels(1),
        DataError::TooManyClasses { classes, .. } => number_of_labels(*classes),
        DataError::Singleton { .. } => {
            let what = visible(&error.to_string()).into_owned();
            format!("{what}; clmatch.evaluate(..., singletons=\"drop\") leaves such classes out")
        }
        other => visible(&other.to_string()).into_owned(),
    })
}

fn number_of_labels(count: usize) -> String {
    format!("Number of labels is {count}. Valid values are 2 to n_samples - 1 (inclusive)")
}

/// What went wrong between a source and a result, with what to do about it.
pub(crate) fn of_analysis(error: &AnalysisError) -> PyErr {
    raised(error, with_advice(error))
}

/// The exception for an error, with this text.
pub(crate) fn raised(error: &AnalysisError, text: String) -> PyErr {
    match error.io_kind() {
        Some(std::io::ErrorKind::NotFound) => PyFileNotFoundError::new_err(text),
        Some(std::io::ErrorKind::PermissionDenied) => PyPermissionError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// What is wrong and what to do, in one line.
pub(crate) fn with_advice(error: &AnalysisError) -> String {
    let text = match error.advice() {
        Some(advice) => format!("{error}; {}", advice::in_words(&advice)),
        None => error.to_string(),
    };
    visible(&text).into_owned()
}

/// A remark with what to do about it.
pub(crate) fn in_words(remark: &Remark) -> String {
    let text = match &remark.advice {
        Some(advice) => format!("{remark}; {}", advice::in_words(advice)),
        None => remark.to_string(),
    };
    visible(&text).into_owned()
}

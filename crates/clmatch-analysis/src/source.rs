//! From paths to datasets.

use std::path::Path;

use clmatch_data::Source;

use crate::error::AnalysisError;

/// The only dataset at a path.
///
/// # Errors
/// A path that does not exist, or holds several datasets.
pub fn only(path: &Path) -> Result<Source, AnalysisError> {
    let mut found = clmatch_data::find(&[path.to_owned()])?;
    match (found.pop(), found.len()) {
        (Some(source), 0) => Ok(source),
        (_, others) => Err(AnalysisError::SeveralDatasets { path: path.to_owned(), count: others + 1 }),
    }
}

/// The text of a table that was written earlier, or by the user.
///
/// # Errors
/// A file that cannot be read as text.
pub fn read_text(path: &Path) -> Result<String, AnalysisError> {
    std::fs::read_to_string(path).map_err(|error| AnalysisError::cannot_read(path, error))
}

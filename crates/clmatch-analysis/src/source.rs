//! From paths to datasets.

use std::path::{Path, PathBuf};

use clmatch_data::{ReadOptions, Source};

use crate::error::AnalysisError;

/// The only dataset at a path. Of points with several labellings it is the one that the options name.
///
/// # Errors
/// A path that does not exist, or holds several datasets.
pub fn only(path: &Path, options: &ReadOptions) -> Result<Source, AnalysisError> {
    let found = clmatch_data::find(&[path.to_owned()])?;
    match &found[..] {
        [source] => Ok(source.clone()),
        _ if options.labels_file.is_some() && path.is_file() => Ok(Source::new(path)),
        several => Err(AnalysisError::SeveralDatasets {
            path: path.to_owned(),
            names: several.iter().map(|source| source.name.clone()).collect(),
        }),
    }
}

/// A table or a ranking as text: of a file, or of a program that has it in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The file, or what errors are to call it.
    pub name: PathBuf,
    /// What it says.
    pub text: String,
}

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read as text.
    pub fn read(path: &Path) -> Result<Document, AnalysisError> {
        Ok(Document { name: path.to_owned(), text: read_text(path)? })
    }
}

/// The text of a table that was written earlier, or by the user.
///
/// # Errors
/// A file that cannot be read as text.
pub fn read_text(path: &Path) -> Result<String, AnalysisError> {
    std::fs::read_to_string(path).map_err(|error| AnalysisError::cannot_read(path, error))
}

//! From paths to datasets.

use std::path::{Path, PathBuf};

use clmatch_data::{Advice, Dataset, FoundDatasets, ReadOptions, Source};

use crate::error::AnalysisError;
use crate::manifest;
use crate::scoring::ScoreSettings;

/// A dataset that is to be scored but has not been read yet.
pub trait UnreadDataset: Sync {
    /// The name of the dataset.
    fn name(&self) -> &str;

    /// The size of the data to read; 0 if it is unknown.
    fn bytes(&self) -> u64;

    /// Reads the dataset.
    ///
    /// # Errors
    /// A dataset that cannot be read, or is larger than allowed.
    fn read(&self, settings: &ScoreSettings) -> Result<Dataset, AnalysisError>;

    /// Where it can be read from in blocks, in case it is too large for memory.
    fn source(&self) -> Option<&Source>;
}

impl UnreadDataset for Source {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> u64 {
        self.files().iter().map(|path| std::fs::metadata(path).map_or(0, |metadata| metadata.len())).sum()
    }

    fn read(&self, settings: &ScoreSettings) -> Result<Dataset, AnalysisError> {
        Ok(clmatch_data::read(self, &settings.read)?)
    }

    fn source(&self) -> Option<&Source> {
        Some(self)
    }
}

/// The datasets at some paths: of manifests, of folders, and files.
///
/// # Errors
/// A path that does not exist, a folder without a dataset, a manifest that is refused, and a name that a manifest gives to one
/// dataset while another one has it, too.
pub fn find(paths: &[PathBuf]) -> Result<FoundDatasets, AnalysisError> {
    let (manifests, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        paths.iter().partition(|path| manifest::is_manifest(path));
    let others: Vec<PathBuf> = others.into_iter().cloned().collect();
    let mut found = clmatch_data::find_noting(&others)?;
    for path in manifests {
        for listed in manifest::read(path)? {
            if let Some(other) = found.sources.iter().find(|other| other.name == listed.name) {
                let (path, name, other) = (path.display(), &listed.name, other.path.display());
                return Err(AnalysisError::unfit(
                    format!("{path}: a dataset is called '{name}', and so is {other}"),
                    Advice::from("give each dataset a name of its own"),
                ));
            }
            found.sources.push(listed);
        }
    }
    Ok(found)
}

/// The only dataset at a path. If points have several labellings, it is the one that the options name.
///
/// # Errors
/// A path that does not exist, or holds several datasets.
pub fn only(path: &Path, options: &ReadOptions) -> Result<Source, AnalysisError> {
    if manifest::is_manifest(path) {
        let what = format!("{} is a list of datasets, and one dataset is needed", path.display());
        return Err(AnalysisError::unfit(what, Advice::from("name one of its files; rank takes the list")));
    }
    let found = clmatch_data::find(&[path.to_owned()])?;
    // A labelling is found by the name of its file.
    let named = |source: &Source| match source.address().file_name() {
        Some(file) if source.has_several_labellings() => file.to_string_lossy().into_owned(),
        _ => source.name.clone(),
    };
    match &found[..] {
        [source] => Ok(source.clone()),
        _ if options.labels_file.is_some() && path.is_file() => Ok(Source::new(path)),
        several => Err(AnalysisError::SeveralDatasets {
            path: path.to_owned(),
            names: several.iter().map(named).collect(),
        }),
    }
}

/// A table or a ranking as text, from a file or from a program that has it in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The file, or the name that errors use for it.
    pub name: PathBuf,
    /// Its content.
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

/// Reads the text of a table that was written earlier, or by the user.
///
/// # Errors
/// A file that cannot be read as text.
pub fn read_text(path: &Path) -> Result<String, AnalysisError> {
    std::fs::read_to_string(path).map_err(|error| AnalysisError::cannot_read(path, error))
}

//! What can go wrong between a source and a finished result.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use clmatch::DataError;
use clmatch_data::{Advice, ReadError, ReadErrorKind, WriteError};
use clmatch_kernels::Stopped;
use clmatch_truth::results::TableError;

/// Why there is no result. Displayed as one line that names the dataset or the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// A dataset could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A dataset could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A dataset was read, but cannot be scored.
    #[error("{dataset}: {error}")]
    Data {
        /// The name of the dataset.
        dataset: String,
        /// Why it cannot be scored.
        #[source]
        error: DataError,
    },
    /// A dataset was read, but cannot be used for the requested analysis.
    #[error("{dataset}: {error}")]
    Input {
        /// The name of the dataset.
        dataset: String,
        /// Why it cannot be used.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A path that should hold one dataset holds several.
    #[error("{} holds {} datasets: {}", path.display(), names.len(), first_few(names))]
    SeveralDatasets {
        /// The path.
        path: PathBuf,
        /// The names of the datasets.
        names: Vec<String>,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {error}", path.display())]
    File {
        /// What the file was needed for.
        action: FileAction,
        /// The file.
        path: PathBuf,
        /// Why it could not be read or written.
        #[source]
        error: io::Error,
    },
    /// A table of scores or judgements is invalid.
    #[error("{}: {error}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// What is wrong with the table.
        #[source]
        error: TableError,
    },
    /// Settings, or results from a file, that contradict each other.
    #[error("{what}")]
    Unfit {
        /// What is wrong.
        what: String,
        /// What to do about it.
        advice: Option<Advice>,
    },
    /// The work was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// The first few names.
fn first_few(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let more = if names.len() > SHOWN { ", …" } else { "" };
    names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ") + more
}

/// What a file is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAction {
    /// It is read as input.
    Read,
    /// A result is written to it.
    Write,
    /// A run is recorded in it, to be continued later.
    ResumeFrom,
}

impl fmt::Display for FileAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            FileAction::Read => "read",
            FileAction::Write => "write",
            FileAction::ResumeFrom => "resume from",
        })
    }
}

impl AnalysisError {
    /// A dataset that was read but cannot be scored, or work on it that was stopped.
    pub fn data(dataset: &str, error: DataError) -> Self {
        match error {
            DataError::Stopped => AnalysisError::Stopped(Stopped),
            error => AnalysisError::Data { dataset: dataset.to_owned(), error },
        }
    }

    /// A dataset that was read but cannot be used for the requested analysis.
    pub fn input(dataset: &str, error: impl std::error::Error + Send + Sync + 'static) -> Self {
        AnalysisError::Input { dataset: dataset.to_owned(), error: Box::new(error) }
    }

    /// A file that could not be read.
    pub fn cannot_read(path: &Path, error: io::Error) -> Self {
        AnalysisError::File { action: FileAction::Read, path: path.to_owned(), error }
    }

    /// A table that is invalid.
    pub fn table(path: &Path, error: TableError) -> Self {
        AnalysisError::Table { path: path.to_owned(), error }
    }

    /// Settings or results that contradict each other.
    pub fn unfit(what: impl Into<String>, advice: impl Into<Option<Advice>>) -> Self {
        AnalysisError::Unfit { what: what.into(), advice: advice.into() }
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<Advice> {
        match self {
            AnalysisError::Read(error) => error.advice.clone(),
            AnalysisError::Write(error) => error.advice.clone(),
            AnalysisError::Data { error, .. } => match error {
                DataError::Singleton { .. } => Some(Advice::DropSingletons),
                DataError::OneClass { .. } | DataError::TooManyClasses { .. } => Some(Advice::ChooseLabel),
                DataError::TooMuchMemory { .. } => Some(Advice::UseFewerClasses),
                DataError::NotEstimable { .. } => Some(Advice::EvaluateExactly),
                DataError::OutOfTime { .. } => Some(Advice::AllowMoreTime),
                DataError::NothingLeft => Some(Advice::CheckNoiseAndSingletons),
                _ => None,
            },
            AnalysisError::Table { error, .. } => Some(Advice::Text(error.help.clone())),
            AnalysisError::Unfit { advice, .. } => advice.clone(),
            _ => None,
        }
    }

    /// Whether a dataset could not be read because it takes more memory than may be used.
    pub fn is_too_large_for_memory(&self) -> bool {
        matches!(self, AnalysisError::Read(error) if error.kind() == ReadErrorKind::TooLargeForMemory)
    }

    /// Whether the input is to blame, rather than the place where results go or an interrupt.
    pub fn is_bad_input(&self) -> bool {
        match self {
            AnalysisError::File { action, .. } => *action == FileAction::Read,
            AnalysisError::Write(_) | AnalysisError::Stopped(_) => false,
            _ => true,
        }
    }

    /// The kind of the underlying operating system error, which distinguishes a missing file from one that may not be read.
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            AnalysisError::Read(error) => match error.kind() {
                ReadErrorKind::Io(kind) => Some(kind),
                _ => None,
            },
            AnalysisError::File { error, .. } => Some(error.kind()),
            _ => None,
        }
    }
}

//! Why a run of experiments ends early.

use std::io;
use std::path::PathBuf;

use clmatch_analysis::AnalysisError;
use clmatch_analysis::ranking::FailedDataset;
use clmatch_data::ReadError;

/// A run of experiments that ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// An experiment on datasets was given none.
    #[error("this experiment needs datasets")]
    NoDatasets,
    /// An experiment that has one reading was asked for in the other one.
    #[error("text and programs say the same about this experiment")]
    OneReading,
    /// A table of scores that was computed earlier is of other datasets.
    #[error("{}: {what}", path.display())]
    OtherDatasets {
        /// The table.
        path: PathBuf,
        /// How they differ.
        what: String,
    },
    /// An experiment compares with the paper, and wants every dataset.
    #[error("{} cannot be used", datasets(.0.len()))]
    Unusable(Vec<FailedDataset>),
    /// The work on datasets was stopped.
    #[error("interrupted: {} not finished", datasets(*unfinished))]
    Interrupted {
        /// How many datasets are left over.
        unfinished: usize,
        /// Datasets that cannot be used.
        failed: Vec<FailedDataset>,
        /// Whether a later run continues with what is finished.
        resumable: bool,
    },
    /// The work without datasets was stopped.
    #[error("interrupted: {0} has no result")]
    Stopped(&'static str),
    /// An experiment without datasets failed.
    #[error("{name}: {error}")]
    Experiment {
        /// Its name.
        name: &'static str,
        /// Why.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The folder of results could not be made.
    #[error("cannot make {}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file or dataset could not be read, written or used.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
}

impl From<ReadError> for LabError {
    fn from(error: ReadError) -> Self {
        AnalysisError::from(error).into()
    }
}

fn datasets(count: usize) -> String {
    format!("{count} dataset{}", if count == 1 { "" } else { "s" })
}

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
    /// An experiment on datasets got no datasets.
    #[error("this experiment needs datasets")]
    NoDatasets,
    /// An experiment that has only one reading was requested in the other one.
    #[error("text and programs say the same about this experiment")]
    OneReading,
    /// A table of scores that was computed earlier belongs to other datasets.
    #[error("{}: {what}", path.display())]
    OtherDatasets {
        /// The table.
        path: PathBuf,
        /// How they differ.
        what: String,
    },
    /// Some datasets cannot be used: an experiment compares with the paper, and needs every dataset.
    #[error("{} cannot be used", datasets(.0.len()))]
    Unusable(Vec<FailedDataset>),
    /// The work on datasets was stopped.
    #[error("interrupted: {} not finished", datasets(*unfinished))]
    Interrupted {
        /// How many datasets are not finished.
        unfinished: usize,
        /// The datasets that cannot be used.
        failed: Vec<FailedDataset>,
        /// Whether a later run continues with what is finished.
        resumable: bool,
    },
    /// Work that does not use datasets was stopped.
    #[error("interrupted: {0} has no result")]
    Stopped(&'static str),
    /// An experiment that does not use datasets failed.
    #[error("{name}: {error}")]
    Experiment {
        /// The name of the experiment.
        name: &'static str,
        /// The cause.
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The folder of results could not be created.
    #[error("cannot make {}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
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

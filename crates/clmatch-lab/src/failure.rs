//! Why an experiment has no result.

use clmatch::DataError;
use clmatch_analysis::calibration::FitError;
use clmatch_analysis::calibration::variants::VariantError;
use clmatch_kernels::Stopped;
use thiserror::Error;

/// An experiment without result.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Failure {
    /// The work was stopped from outside.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A dataset cannot be scored.
    #[error(transparent)]
    Data(#[from] DataError),
    /// No growth rate can be fitted to the judgements.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// Variants have no value on a dataset.
    #[error(transparent)]
    Variant(#[from] VariantError),
}

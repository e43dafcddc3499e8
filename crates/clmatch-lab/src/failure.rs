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
    /// It was stopped from outside.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A dataset that cannot be scored.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Judgements that no growth rate can be fitted to.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A dataset that variants have no value on.
    #[error(transparent)]
    Variant(#[from] VariantError),
}

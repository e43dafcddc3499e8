//! Why an experiment has no result.

use clmatch::DataError;
use clmatch_stop::Stopped;
use thiserror::Error;

use crate::calibrate::FitError;

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
    /// Variants are defined on two classes.
    #[error("the dataset has {classes} classes, and the variants of the ablation are defined on 2")]
    NotTwo {
        /// How many it has.
        classes: usize,
    },
}

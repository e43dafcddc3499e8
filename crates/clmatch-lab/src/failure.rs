//! Why an experiment has no result.

use clmatch::DataError;
use clmatch_stop::Stopped;
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
    /// Variants are defined on two classes.
    #[error("the dataset has {classes} classes, and the variants of the ablation are defined on 2")]
    NotTwo {
        /// How many it has.
        classes: usize,
    },
}

/// Fewer datasets do not tell a growth rate.
pub(crate) const FEWEST: usize = 3;

/// Judgements that no growth rate can be fitted to. Datasets are counted from 0 in the fields and from 1 in the text.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// Too few datasets.
    #[error("{found} judged datasets are too few: at least {FEWEST} are needed")]
    TooFew {
        /// How many there are.
        found: usize,
    },
    /// A judgement outside [0, 1].
    #[error("the judgement of dataset {} is {score}: it must be a number from 0 to 1", dataset + 1)]
    Judgement {
        /// Which dataset.
        dataset: usize,
        /// What was given.
        score: f64,
    },
    /// All judgements are the same.
    #[error("all datasets are judged {score}: at least two different judgements are needed")]
    AllEqual {
        /// The judgement.
        score: f64,
    },
    /// A form that is NaN or infinite.
    #[error("the measure has no finite value on dataset {}: leave it out", dataset + 1)]
    NotFinite {
        /// Which dataset.
        dataset: usize,
    },
    /// An interval that is empty or not positive.
    #[error(
        "growth rates cannot be looked for between {low} and {high}: both must be positive, the first smaller"
    )]
    Interval {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
}

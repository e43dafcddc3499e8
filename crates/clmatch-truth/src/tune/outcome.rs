//! What a search has evaluated and found.

use thiserror::Error;

use crate::tune::setting::Setting;

/// A setting and the value of the objective at it. A value that is not finite marks a failed evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The setting.
    pub setting: Setting,
    /// The value.
    pub value: f64,
}

/// A finished search.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The setting with the greatest finite value, the first among equals.
    pub best: Evaluation,
    /// All evaluations, in order, including those that failed.
    pub evaluations: Vec<Evaluation>,
}

/// Why a search has no result.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// No evaluation succeeded.
    #[error("none of {evaluations} evaluations gave a finite value")]
    NothingSucceeded {
        /// The number of evaluations.
        evaluations: usize,
    },
    /// The space is too large for an exhaustive search.
    #[error("the space has {} settings, but an exhaustive search takes at most {most}: use `maximize`", count(*size))]
    TooManySettings {
        /// The number of settings; `None` if it is infinite.
        size: Option<u64>,
        /// The largest number of settings allowed.
        most: u64,
    },
}

fn count(size: Option<u64>) -> String {
    size.map_or("infinitely many".to_owned(), |size| size.to_string())
}

impl Outcome {
    /// Finds the best evaluation.
    pub(crate) fn of(evaluations: Vec<Evaluation>) -> Result<Outcome, SearchError> {
        match best_of(&evaluations).cloned() {
            Some(best) => Ok(Outcome { best, evaluations }),
            None => Err(SearchError::NothingSucceeded { evaluations: evaluations.len() }),
        }
    }
}

/// The evaluation with the greatest finite value, the first among equals.
pub(crate) fn best_of(evaluations: &[Evaluation]) -> Option<&Evaluation> {
    let finite = evaluations.iter().filter(|evaluation| evaluation.value.is_finite());
    finite.reduce(|best, next| if next.value > best.value { next } else { best })
}

//! What a search has seen and found.

use thiserror::Error;

use crate::tune::setting::Setting;

/// A setting and the value of the objective there. A value that is not finite stands for a failed evaluation.
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
    /// The setting with the greatest finite value; the first of equals.
    pub best: Evaluation,
    /// Everything that was evaluated, in order, failures included.
    pub evaluations: Vec<Evaluation>,
}

/// A search without result.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SearchError {
    /// No evaluation succeeded.
    #[error("none of {evaluations} evaluations gave a finite value")]
    NothingSucceeded {
        /// How many there were.
        evaluations: usize,
    },
    /// An exhaustive search of too large a space.
    #[error("the space has {} settings, but an exhaustive search takes at most {most}: use `maximize`", count(*size))]
    TooManySettings {
        /// How many settings there are; `None` if infinitely many.
        size: Option<u64>,
        /// How many there may be.
        most: u64,
    },
}

fn count(size: Option<u64>) -> String {
    size.map_or("infinitely many".to_owned(), |size| size.to_string())
}

impl Outcome {
    /// Looks for the best.
    pub(crate) fn of(evaluations: Vec<Evaluation>) -> Result<Outcome, SearchError> {
        match best_of(&evaluations).cloned() {
            Some(best) => Ok(Outcome { best, evaluations }),
            None => Err(SearchError::NothingSucceeded { evaluations: evaluations.len() }),
        }
    }
}

/// The greatest finite value; the first of equals.
pub(crate) fn best_of(evaluations: &[Evaluation]) -> Option<&Evaluation> {
    let finite = evaluations.iter().filter(|evaluation| evaluation.value.is_finite());
    finite.reduce(|best, next| if next.value > best.value { next } else { best })
}

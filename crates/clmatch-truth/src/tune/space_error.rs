//! Why a space cannot be searched.

use thiserror::Error;

/// A space that cannot be searched.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// There is nothing to search.
    #[error("a space needs at least one dimension")]
    NoDimensions,
    /// Two dimensions share a name.
    #[error("two dimensions are called '{name}'")]
    RepeatedName {
        /// The name.
        name: String,
    },
    /// A name that could not be read back.
    #[error("'{name}' cannot be a name: use at least one character, no '=' and no space")]
    NotAWord {
        /// The name.
        name: String,
    },
    /// An end of a range, or its width, is NaN or infinite.
    #[error("dimension '{dimension}' ranges from {low} to {high}: ends and width must be finite")]
    NotFinite {
        /// The dimension.
        dimension: String,
        /// Its lower end.
        low: f64,
        /// Its upper end.
        high: f64,
    },
    /// The lower end lies above the upper one.
    #[error("dimension '{dimension}' ranges from {low} down to {high}: exchange the ends")]
    Reversed {
        /// The dimension.
        dimension: String,
        /// Its lower end.
        low: String,
        /// Its upper end.
        high: String,
    },
    /// A logarithmic scale that reaches zero or less.
    #[error("dimension '{dimension}' is logarithmic from {low}: start above 0, or use the linear scale")]
    LogOfNothing {
        /// The dimension.
        dimension: String,
        /// Its lower end.
        low: String,
    },
    /// An integer whose neighbours could not be told apart.
    #[error("dimension '{dimension}' reaches {value}: integers may not exceed {largest} in size")]
    TooLarge {
        /// The dimension.
        dimension: String,
        /// The end of its range.
        value: i64,
        /// The largest size.
        largest: i64,
    },
    /// A choice among nothing.
    #[error("dimension '{dimension}' has nothing to choose from")]
    NoChoice {
        /// The dimension.
        dimension: String,
    },
    /// A choice between equals.
    #[error("dimension '{dimension}' offers '{choice}' twice")]
    RepeatedChoice {
        /// The dimension.
        dimension: String,
        /// What is offered twice.
        choice: String,
    },
}

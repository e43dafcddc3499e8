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
    /// A name could not be read back.
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
        /// The lower end of the range.
        low: f64,
        /// The upper end of the range.
        high: f64,
    },
    /// The lower end lies above the upper one.
    #[error("dimension '{dimension}' ranges from {low} down to {high}: exchange the ends")]
    Reversed {
        /// The dimension.
        dimension: String,
        /// The lower end of the range.
        low: String,
        /// The upper end of the range.
        high: String,
    },
    /// A logarithmic scale reaches zero or less.
    #[error("dimension '{dimension}' is logarithmic from {low}: start above 0, or use the linear scale")]
    LogOfNothing {
        /// The dimension.
        dimension: String,
        /// The lower end of the range.
        low: String,
    },
    /// An integer is so large that its neighbours could not be told apart.
    #[error("dimension '{dimension}' reaches {value}: integers may not exceed {largest} in size")]
    TooLarge {
        /// The dimension.
        dimension: String,
        /// The end of the range that is too large.
        value: i64,
        /// The largest size.
        largest: i64,
    },
    /// A choice offers no names.
    #[error("dimension '{dimension}' has nothing to choose from")]
    NoChoice {
        /// The dimension.
        dimension: String,
    },
    /// A choice offers a name twice.
    #[error("dimension '{dimension}' offers '{choice}' twice")]
    RepeatedChoice {
        /// The dimension.
        dimension: String,
        /// The name that is offered twice.
        choice: String,
    },
}

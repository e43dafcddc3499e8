//! What can be wrong with a dataset, worded so that the reader can fix it.

use thiserror::Error;

use crate::memory::human;

/// A dataset that cannot be scored. Rows and features are counted from 0 in the fields and from 1 in the text.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum DataError {
    /// There are no points.
    #[error("there are no rows")]
    NoRows,
    /// Points without coordinates.
    #[error("there are no features: a point needs at least one number")]
    NoFeatures,
    /// The number of values does not fill whole rows.
    #[error("{values} values do not make whole rows of {features} features")]
    Incomplete {
        /// How many numbers there are.
        values: usize,
        /// How many make a row.
        features: usize,
    },
    /// A row is longer or shorter than the first.
    #[error("row {} has {found} features where the first row has {expected}", row + 1)]
    Ragged {
        /// Which row, from 0.
        row: usize,
        /// How many features it has.
        found: usize,
        /// The length of the first row.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("row {}, feature {} is {value}: every feature must be a finite number", row + 1, feature + 1)]
    NotFinite {
        /// Which row, from 0.
        row: usize,
        /// Which feature, from 0.
        feature: usize,
        /// The value found there.
        value: f64,
    },
    /// A unit of length that is not a positive, finite number.
    #[error("{unit} is no unit of length: it must be positive and finite")]
    Unit {
        /// What was given as the unit.
        unit: f64,
    },
    /// Points and labels differ in number.
    #[error("there are {points} points but {labels} labels")]
    LengthMismatch {
        /// How many points there are.
        points: usize,
        /// How many labels there are.
        labels: usize,
    },
    /// No points are left after noise or single points were dropped.
    #[error("no point is left after dropping noise and classes of one point")]
    NothingLeft,
    /// All points belong to one class.
    #[error("all points belong to the class '{class}': at least 2 classes are needed")]
    OneClass {
        /// The name of the class.
        class: String,
    },
    /// There are as many classes as points.
    #[error(
        "{classes} classes for {points} points: there must be fewer classes than points (is the label column an id?)"
    )]
    TooManyClasses {
        /// How many classes there are.
        classes: usize,
        /// How many points there are.
        points: usize,
    },
    /// Tables over classes, or over pairs of classes, would be too large.
    #[error(
        "{classes} classes form {} pairs, and scoring them takes about {}, but {} may be used",
        classes * (classes - 1) / 2, human(*needed), human(*limit)
    )]
    TooMuchMemory {
        /// How many classes there are.
        classes: usize,
        /// About how many bytes the work takes.
        needed: u64,
        /// How many bytes may be used.
        limit: u64,
    },
    /// A sample of the points says nothing about this measure.
    #[error("{measure} depends on single pairs of points and cannot be estimated from a sample")]
    NotEstimable {
        /// The id of the measure.
        measure: &'static str,
    },
    /// Time ran out before a measure that compares all pairs of points was done.
    #[error("{measure} compares all points with each other, and the time was over before it was done")]
    OutOfTime {
        /// The id of the measure.
        measure: &'static str,
    },
    /// No permutations were requested, so the scores of random labels are unknown.
    #[error("at least one permutation of the labels is needed to know what random labels score")]
    NoPermutations,
    /// Random labels were to be compared with a score that was not computed.
    #[error("{measure} is not in the evaluation that random labels are compared with")]
    NotEvaluated {
        /// The id of the measure.
        measure: &'static str,
    },
    /// A class is too small for an interval, which leaves points out.
    #[error(
        "the class '{class}' has {size} point{}, and an interval needs at least {needed} in every class",
        if *size == 1 { "" } else { "s" }
    )]
    TooFewForInterval {
        /// The name of the class.
        class: String,
        /// How many points it has.
        size: usize,
        /// How many are needed.
        needed: usize,
    },
    /// The work was stopped before it had a result.
    #[error("stopped")]
    Stopped,
    /// A class of one point, for a measure that compares pairs of classes.
    #[error("the class '{class}' has a single point, and {measure} needs at least 2 in every class")]
    Singleton {
        /// The name of the class.
        class: String,
        /// The first measure that cannot be computed.
        measure: &'static str,
    },
}

impl From<clmatch_kernels::Stopped> for DataError {
    fn from(_: clmatch_kernels::Stopped) -> Self {
        DataError::Stopped
    }
}

//! What a finished summary reports.

use std::fmt;

use crate::evaluate::Terms;

/// How sure a score is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Certainty {
    /// The score of all rows, as in memory.
    Exact,
    /// Estimated from a sample, with a 95% error where one can be known.
    Estimated,
    /// The score of all rows lies between 0 and this value: the sample does not narrow it down further.
    AtMost,
}

/// Where a score comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case", tag = "from"))]
#[non_exhaustive]
pub enum Reason {
    /// The moments of one pass determine it exactly.
    OnePass,
    /// The moments of two passes determine it exactly.
    TwoPasses,
    /// There are so few rows that all were kept and compared as in memory.
    EveryRow,
    /// The measure compares points with each other, and this many rows were kept for that.
    Sample {
        /// How many rows were kept.
        rows: u64,
    },
    /// A second pass would make it exact; without one it is estimated from this many rows.
    WithoutSecondPass {
        /// How many rows were kept.
        rows: u64,
    },
    /// The measure depends on the nearest and the farthest points, of which a sample shows only some.
    ExtremesOfSample {
        /// How many rows were kept.
        rows: u64,
    },
    /// The measure depends on how densely points lie; the error says how the score of a sample of this many rows changes with its
    /// size.
    DensityOfSample {
        /// How many rows were kept.
        rows: u64,
    },
    /// It is estimated from this many rows, which do not show how far it may be off.
    UnknownError {
        /// How many rows were kept.
        rows: u64,
        /// Why the error is unknown.
        cause: NoError,
    },
}

/// Why an estimate has no stated error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum NoError {
    /// A class has too few rows in the sample to be divided.
    FewRows,
    /// A larger share of the rows was kept of some classes than of others, and neighbours depend on these shares.
    UnevenShares,
    /// Rows repeat or lie on a grid: nearest distances become equal as rows are added.
    Ties,
    /// The larger the sample, the more the score changes.
    Growing,
    /// The score of the sample is nearly 0: if there is structure finer than the sample, only more rows would show it.
    NothingSeen,
    /// The sample is too small a share of all rows.
    SmallShare,
    /// Some parts of the sample have an infinite score.
    Infinite,
}

impl fmt::Display for NoError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            NoError::FewRows => "a class has too few rows in the sample",
            NoError::UnevenShares => "the sample holds a larger share of some classes than of others",
            NoError::Ties => "rows repeat or lie on a grid",
            NoError::Growing => "the score changes faster the larger the sample is",
            NoError::NothingSeen => "the sample shows no structure, and more rows may",
            NoError::SmallShare => "the sample is too small a share of all rows",
            NoError::Infinite => "parts of the sample have an infinite score",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OnePass => formatter.write_str("exact from the moments of one pass"),
            Reason::TwoPasses => formatter.write_str("exact from the moments of two passes"),
            Reason::EveryRow => formatter.write_str("exact: all rows were kept and compared"),
            Reason::Sample { rows } => {
                write!(formatter, "compares points with each other: estimated from a sample of {rows} rows")
            }
            Reason::WithoutSecondPass { rows } => {
                write!(formatter, "a second pass would make it exact: estimated from a sample of {rows} rows")
            }
            Reason::ExtremesOfSample { rows } => write!(
                formatter,
                "depends on the nearest and the farthest points: the value of a sample of {rows} rows is an upper bound"
            ),
            Reason::DensityOfSample { rows } => write!(
                formatter,
                "depends on how densely points lie: that of a sample of {rows} rows, and the error tells how it changes with the size of the sample"
            ),
            Reason::UnknownError { rows, cause } => {
                write!(formatter, "estimated from a sample of {rows} rows, without a stated error: {cause}")
            }
        }
    }
}

/// The score of one measure.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SummaryScore {
    /// The id of the measure.
    pub id: &'static str,
    /// The value of the dataset.
    pub value: f64,
    /// The value of each pair of classes, in the order of [`Classes::pairs`](crate::Classes::pairs); empty for a measure on
    /// all classes at once.
    pub pairs: Vec<f64>,
    /// How sure the value is.
    pub certainty: Certainty,
    /// Half the width of a 95% interval: 0 where the value is exact, `None` where no error is stated.
    pub error: Option<f64>,
    /// Where the value comes from.
    pub why: Reason,
}

/// How the moments of classes were kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Form {
    /// With a scatter matrix of d x d numbers per class: one pass gives everything that follows from squared distances to
    /// centroids.
    ScatterMatrices,
    /// Centroids only, because the matrices would not fit into the memory that is allowed: everything else needs a second pass.
    Centroids,
}

/// A class and how many points it has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ClassSize {
    /// The name of the class.
    pub name: String,
    /// How many points it has.
    pub points: u64,
}

/// Everything that a summary reports about a dataset.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Summarised {
    /// How many points belong to a class.
    pub points: u64,
    /// How many numbers describe a point.
    pub features: usize,
    /// The classes in natural order.
    pub classes: Vec<ClassSize>,
    /// Points with the noise label, which were left out.
    pub noise: u64,
    /// Names of classes of a single point, which were left out.
    pub singletons: Vec<String>,
    /// One score per measure, in the order of [`SummarySettings::measures`](super::SummarySettings::measures).
    pub scores: Vec<SummaryScore>,
    /// The terms of `clm`, if it was computed: `eta` is as exact as the moments are, the others are as exact as `clm` is.
    pub terms: Option<Terms>,
    /// How many rows were kept to be compared.
    pub sampled: u64,
    /// How many times the data were read: 1 or 2.
    pub passes: u32,
    /// How the moments were kept.
    pub form: Form,
    /// Bytes that the scatter matrices of all classes take, and how many bytes were allowed for them.
    pub matrices: (u64, u64),
}

impl Summarised {
    /// The score of a measure, by its id.
    pub fn score(&self, id: &str) -> Option<&SummaryScore> {
        self.scores.iter().find(|score| score.id == id)
    }

    /// The value of a measure, by its id.
    pub fn value(&self, id: &str) -> Option<f64> {
        self.score(id).map(|score| score.value)
    }

    /// Explains in one sentence where the scores come from.
    pub fn explanation(&self) -> String {
        let passes = if self.passes == 1 { "one pass" } else { "two passes" };
        let (needed, allowed) = self.matrices;
        let form = match self.form {
            Form::ScatterMatrices => format!("with scatter matrices ({needed} of {allowed} bytes)"),
            Form::Centroids => format!(
                "with centroids only, because scatter matrices of all classes take {needed} bytes where {allowed} are allowed"
            ),
        };
        format!("{passes} over {} points {form}; {} rows kept to be compared", self.points, self.sampled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_a_sentence() {
        let text = |why: Reason| why.to_string();
        assert_eq!(text(Reason::OnePass), "exact from the moments of one pass");
        assert_eq!(text(Reason::TwoPasses), "exact from the moments of two passes");
        assert_eq!(text(Reason::EveryRow), "exact: all rows were kept and compared");
        for (why, start) in [
            (Reason::Sample { rows: 70 }, "compares points"),
            (Reason::WithoutSecondPass { rows: 70 }, "a second pass"),
            (Reason::ExtremesOfSample { rows: 70 }, "depends on the nearest"),
            (Reason::DensityOfSample { rows: 70 }, "depends on how densely"),
            (Reason::UnknownError { rows: 70, cause: NoError::Ties }, "estimated"),
        ] {
            let text = text(why);
            assert!(text.starts_with(start) && text.contains("a sample of 70 rows"), "{text}");
        }
    }

    #[test]
    fn the_explanation_tells_passes_and_form() {
        let mut found = Summarised {
            points: 1600,
            features: 2,
            classes: Vec::new(),
            noise: 0,
            singletons: Vec::new(),
            scores: Vec::new(),
            terms: None,
            sampled: 90,
            passes: 1,
            form: Form::ScatterMatrices,
            matrices: (80, 500),
        };
        let kept = "90 rows kept to be compared";
        assert_eq!(
            found.explanation(),
            format!("one pass over 1600 points with scatter matrices (80 of 500 bytes); {kept}")
        );
        (found.passes, found.form, found.matrices) = (2, Form::Centroids, (800, 500));
        let why = "because scatter matrices of all classes take 800 bytes where 500 are allowed";
        assert_eq!(
            found.explanation(),
            format!("two passes over 1600 points with centroids only, {why}; {kept}")
        );
    }
}

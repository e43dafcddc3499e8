//! Whether a dataset may serve as ground truth for clustering, and when nothing should be said about that.
//!
//! A verdict is a third of the catalogue, looked at twice. The score of the dataset says which third it stands in; it is a
//! mean over pairs of classes, which can hide a pair that shares one cluster. A pair of classes is a dataset of two
//! classes: it fails where such a dataset would stand in the bottom third. No other threshold is needed, and none has to be
//! changed when a measure does.
//!
//! No verdict is given where it would rest on sand: see [`Reason`].

use std::fmt;

use clmatch_data::Scale;
use clmatch_data::catalogue::Third;
use serde::{Deserialize, Serialize};

use crate::scores::{ClassSize, FEWEST_POINTS};

/// How many classes or pairs a sentence names.
const NAMED: usize = 3;

/// What may be said about a dataset, and by which measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The measure that decides.
    pub measure: String,
    /// What is said.
    #[serde(flatten)]
    pub decision: Decision,
}

/// What is said about a dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
pub enum Decision {
    /// The dataset stands in the top third, and every pair of classes holds.
    Fit,
    /// The dataset stands in the top third, but some pairs of classes share a cluster.
    FitButForPairs {
        /// These pairs, worst first.
        pairs: Vec<FailingPair>,
    },
    /// The dataset stands in the middle third.
    WithCare,
    /// The dataset stands in the bottom third.
    NotFit,
    /// Nothing can be said.
    Withheld {
        /// Why.
        reasons: Vec<Reason>,
    },
}

/// Two classes that would not be fit as a dataset of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailingPair {
    /// One class.
    pub a: String,
    /// The other class.
    pub b: String,
    /// Their score.
    pub score: f64,
}

/// Why there is no verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// Standard measures are not made to be compared between datasets.
    StandardMeasure,
    /// Some classes have fewer than [`FEWEST_POINTS`] points.
    SmallClasses {
        /// These classes, smallest first.
        small: Vec<ClassSize>,
        /// How many classes there are.
        of: usize,
    },
    /// The label column was guessed among several that might be it.
    GuessedLabel {
        /// The column that was taken.
        column: String,
    },
    /// Columns that may be ids were used as features.
    IdColumns {
        /// The columns.
        columns: Vec<String>,
    },
    /// There is no catalogue of data that are scaled like these.
    OtherScale {
        /// How they are scaled.
        scale: Scale,
    },
    /// The score is an estimate, and its error leaves several thirds possible.
    RoughEstimate {
        /// The error of the estimate.
        error: f64,
    },
    /// The score is an estimate whose error is not known.
    UnknownError,
}

impl Decision {
    /// A few words, for a column of a table.
    pub fn brief(&self) -> String {
        match self {
            Decision::Fit => "fit".to_owned(),
            Decision::FitButForPairs { pairs } if pairs.len() == 1 => "fit but 1 pair".to_owned(),
            Decision::FitButForPairs { pairs } => format!("fit but {} pairs", pairs.len()),
            Decision::WithCare => "with care".to_owned(),
            Decision::NotFit => "not fit".to_owned(),
            Decision::Withheld { .. } => "none".to_owned(),
        }
    }
}

/// One sentence, without a full stop.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Fit => f.write_str(Third::Top.advice()),
            Decision::FitButForPairs { pairs } => {
                let name = |pair: &FailingPair| format!("{} | {} ({:.3})", pair.a, pair.b, pair.score);
                let what = if pairs.len() == 1 { "the pair shares" } else { "each of these pairs shares" };
                write!(f, "fit but for {}: {what} one cluster", list(pairs.iter().map(name)))
            }
            Decision::WithCare => f.write_str(Third::Middle.advice()),
            Decision::NotFit => f.write_str(Third::Bottom.advice()),
            Decision::Withheld { reasons } => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                write!(f, "none, because {}", reasons.join("; "))
            }
        }
    }
}

/// One clause, to follow the word "because".
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::StandardMeasure => f.write_str("standard measures cannot be compared between datasets"),
            Reason::SmallClasses { small, of } => {
                let name = |size: &ClassSize| format!("{} ({})", size.class, size.points);
                let (count, names) = (small.len(), list(small.iter().map(name)));
                let verb = if count == 1 { "has" } else { "have" };
                write!(f, "{count} of {of} classes {verb} fewer than {FEWEST_POINTS} points: {names}")
            }
            Reason::GuessedLabel { column } => {
                write!(f, "the label column '{column}' was guessed among several candidates")
            }
            Reason::IdColumns { columns } => {
                let names = list(columns.iter().map(|column| format!("'{column}'")));
                let what = if columns.len() == 1 {
                    "a feature that may be an id"
                } else {
                    "features that may be ids"
                };
                write!(f, "there is {what}: {names}")
            }
            Reason::OtherScale { scale } => {
                write!(f, "the catalogue holds data scaled by max-abs and standard, and not by {scale}")
            }
            Reason::RoughEstimate { error } => {
                write!(f, "the estimate may be off by {error:.3}, which is too much to tell")
            }
            Reason::UnknownError => f.write_str("the score is an estimate, and its error is not known"),
        }
    }
}

/// The first few, and how many more there are.
fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut names: Vec<String> = names.take(NAMED).collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_sentences_and_survive_json() {
        let pair = |a: &str, score| FailingPair { a: a.into(), b: "z".into(), score };
        let four = Decision::FitButForPairs { pairs: ["p", "q", "r", "s"].map(|a| pair(a, 0.002)).to_vec() };
        assert_eq!(
            four.to_string(),
            "fit but for p | z (0.002), q | z (0.002), r | z (0.002), and 1 more: each of these pairs shares one cluster"
        );
        let verdict = Verdict { measure: "clm".into(), decision: four };
        let text = serde_json::to_string(&verdict).unwrap();
        assert!(
            text.starts_with(r#"{"measure":"clm","decision":"fit-but-for-pairs","pairs":[{"a":"p","b":"z""#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);
        let withheld = Verdict {
            measure: "sc".into(),
            decision: Decision::Withheld { reasons: vec![Reason::StandardMeasure] },
        };
        let text = serde_json::to_string(&withheld).unwrap();
        assert_eq!(
            text,
            r#"{"measure":"sc","decision":"withheld","reasons":[{"reason":"standard-measure"}]}"#
        );
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), withheld);
    }
}

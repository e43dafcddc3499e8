//! Whether a dataset may serve as ground truth for clustering: the statement, its evidence, and when nothing can be said.
//!
//! A verdict rests on `clm`, which estimates what a good clustering reaches: the best adjusted mutual information of nine tuned
//! techniques. [`judging`](crate::judging) says how it is reached.

mod words;

use clmatch_data::catalogue::Third;
use clmatch_data::{LabelCopy, Scale};
use serde::{Deserialize, Deserializer, Serialize};

use crate::evidence::SplitClass;
use crate::scores::ClassSize;

/// What is said about a dataset, and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The measure that it rests on: `clm`.
    pub measure: String,
    /// What is said.
    #[serde(flatten)]
    pub decision: Decision,
    /// What a good clustering can be expected to reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedAmi>,
    /// What should be known beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
}

impl Verdict {
    /// What stands beside the verdict, sentence by sentence, each without a full stop.
    pub fn beside(&self) -> Vec<String> {
        let expected = self.expected.map(|expected| expected.to_string());
        expected.into_iter().chain(self.caveats.iter().map(ToString::to_string)).collect()
    }

    /// Reads a verdict, and nothing where an earlier version wrote it: its words meant something else.
    pub(crate) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Verdict>, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Known(Verdict),
            Earlier(serde::de::IgnoredAny),
        }
        Ok(match Option::<Stored>::deserialize(deserializer)? {
            Some(Stored::Known(verdict)) => Some(verdict),
            Some(Stored::Earlier(_)) | None => None,
        })
    }
}

/// The adjusted mutual information (ami) of the best of many clusterings, as far as it can be told without them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ExpectedAmi {
    /// The estimate.
    pub ami: f64,
    /// Of ten datasets nine are off by no more.
    pub error: f64,
}

/// What is said about a dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
pub enum Decision {
    /// A good clustering finds the classes.
    Fit,
    /// It would after a change.
    FitAfterChange {
        /// All of these are needed.
        changes: Vec<Change>,
    },
    /// It does not.
    NotFit {
        /// Why.
        findings: Vec<Finding>,
    },
    /// The evidence does not decide.
    CannotBeSaid {
        /// Why.
        reasons: Vec<Reason>,
    },
}

/// The weakest verdict that is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AcceptedVerdict {
    /// Fit.
    Fit,
    /// Fit, or fit after a change.
    FitAfterChange,
    /// All that are not called unfit.
    CannotBeSaid,
}

impl AcceptedVerdict {
    /// Whether a verdict is good enough.
    pub fn accepts(self, decision: &Decision) -> bool {
        match decision {
            Decision::Fit => true,
            Decision::FitAfterChange { .. } => self != AcceptedVerdict::Fit,
            Decision::CannotBeSaid { .. } => self == AcceptedVerdict::CannotBeSaid,
            Decision::NotFit { .. } => false,
        }
    }

    /// Its name in options.
    pub fn name(self) -> &'static str {
        match self {
            AcceptedVerdict::Fit => "fit",
            AcceptedVerdict::FitAfterChange => "fit-after-change",
            AcceptedVerdict::CannotBeSaid => "cannot-be-said",
        }
    }

    /// The same where there is no score by `clm`, from which a verdict follows: by the third of the catalogue.
    pub(crate) fn accepts_third(self, third: Third) -> bool {
        match third {
            Third::Top => true,
            Third::Middle => self == AcceptedVerdict::CannotBeSaid,
            Third::Bottom => false,
        }
    }
}

/// What would make a dataset fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// Classes that share one cluster become one.
    Merge {
        /// These classes.
        classes: Vec<String>,
    },
    /// A class becomes as many classes as it is clusters.
    Split {
        /// The class and its clusters.
        #[serde(flatten)]
        class: SplitClass,
    },
    /// The features are scaled in another way.
    Scale {
        /// This way.
        scale: Scale,
        /// The score then.
        clm: f64,
    },
}

/// Why a dataset is not fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
pub enum Finding {
    /// The classes do not match clusters.
    LowScore,
    /// A class is several clusters.
    SplitClass {
        /// The class and its clusters.
        #[serde(flatten)]
        class: SplitClass,
    },
    /// Two classes share one cluster.
    SharedCluster {
        /// These pairs, worst first.
        pairs: Vec<[String; 2]>,
    },
}

/// Why nothing can be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// There is no score by `clm`.
    NoClm,
    /// There are fewer than 30 points.
    FewPoints {
        /// How many.
        points: usize,
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
    /// Features that are copies of the label were used.
    LabelCopies {
        /// The features.
        columns: Vec<LabelCopy>,
    },
    /// The score lies where datasets of either kind are.
    Between,
    /// Samples of this size score on either side.
    WideInterval {
        /// The lower end of the 95% interval.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A class may be several clusters, but too few points tell.
    MaybeSplit {
        /// These classes.
        classes: Vec<SplitClass>,
    },
    /// The score is an estimate whose error leaves several verdicts possible.
    RoughEstimate {
        /// The error of the estimate.
        error: f64,
    },
    /// The score is an estimate whose error is not known.
    UnknownError,
}

/// What should be known beside a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "caveat", rename_all = "kebab-case")]
pub enum Caveat {
    /// The other scaling comes to another verdict.
    OtherScale {
        /// How the features are scaled then.
        scale: Scale,
        /// The score then.
        clm: f64,
    },
    /// Some classes have fewer than 10 points.
    SmallClasses {
        /// These classes, smallest first.
        small: Vec<ClassSize>,
        /// How many classes there are.
        of: usize,
    },
    /// Another measure says something else.
    Disagreement {
        /// The measure.
        measure: String,
        /// Its score.
        score: f64,
        /// Whether it is much lower than `clm`, and not much higher.
        lower: bool,
    },
    /// More than half of the features have at most 10 different values.
    FewValues {
        /// These.
        features: usize,
        /// All features.
        of: usize,
    },
    /// Many rows equal another row.
    EqualRows {
        /// Their share.
        share: f64,
    },
}

#[cfg(test)]
mod tests;

//! Whether a dataset may serve as ground truth for clustering: the statement, its evidence, and when nothing can be said.
//!
//! A verdict rests on `clm`, which estimates what a good clustering reaches: the best adjusted mutual information of nine tuned
//! techniques. [`judging`](crate::judging) describes how a verdict is reached.

mod words;

use clmatch_data::catalogue::Third;
use clmatch_data::{LabelCopy, Scale};
use serde::{Deserialize, Deserializer, Serialize};

use crate::evidence::SplitClass;
use crate::scores::ClassSize;

/// A statement about a dataset, and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The measure that the verdict rests on: `clm`.
    pub measure: String,
    /// The statement.
    #[serde(flatten)]
    pub decision: Decision,
    /// What a good clustering can be expected to reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedAmi>,
    /// What to bear in mind beside the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caveats: Vec<Caveat>,
}

impl Verdict {
    /// What accompanies the verdict, sentence by sentence, each without a full stop.
    pub fn beside(&self) -> Vec<String> {
        let expected = self.expected.map(|expected| expected.to_string());
        expected.into_iter().chain(self.caveats.iter().map(ToString::to_string)).collect()
    }

    /// Reads a verdict; returns `None` for one that an earlier version wrote, because its words meant something else.
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

/// The adjusted mutual information (ami) of the best of many clusterings, estimated without running them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ExpectedAmi {
    /// The estimate.
    pub ami: f64,
    /// For nine of ten datasets, the estimate is off by no more than this.
    pub error: f64,
}

/// What the verdict states about a dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "kebab-case")]
pub enum Decision {
    /// A good clustering finds the classes.
    Fit,
    /// A good clustering would find the classes after a change.
    FitAfterChange {
        /// The changes; all of them are needed.
        changes: Vec<Change>,
    },
    /// A good clustering does not find the classes.
    NotFit {
        /// Why the dataset is not fit.
        findings: Vec<Finding>,
    },
    /// The evidence does not decide.
    CannotBeSaid {
        /// Why nothing can be said.
        reasons: Vec<Reason>,
    },
}

/// The weakest verdict that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AcceptedVerdict {
    /// Fit.
    Fit,
    /// Fit, or fit after a change.
    FitAfterChange,
    /// Every verdict but unfit.
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

    /// The name of this option.
    pub fn name(self) -> &'static str {
        match self {
            AcceptedVerdict::Fit => "fit",
            AcceptedVerdict::FitAfterChange => "fit-after-change",
            AcceptedVerdict::CannotBeSaid => "cannot-be-said",
        }
    }

    /// Like [`AcceptedVerdict::accepts`], for a dataset without a score by `clm` to base a verdict on: decides by the third of
    /// the catalogue.
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
        /// The classes.
        classes: Vec<String>,
    },
    /// A class is divided into its clusters, each of which becomes a class.
    Split {
        /// The class and its clusters.
        #[serde(flatten)]
        class: SplitClass,
    },
    /// The features are scaled in another way.
    Scale {
        /// The scaling.
        scale: Scale,
        /// The score with this scaling.
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
        /// The pairs, worst first.
        pairs: Vec<[String; 2]>,
    },
}

/// Why nothing can be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
pub enum Reason {
    /// The dataset was not scored by `clm`.
    NoClm,
    /// There are fewer than 30 points.
    FewPoints {
        /// How many there are.
        points: usize,
    },
    /// The label column was guessed among several that might be it.
    GuessedLabel {
        /// The column that was used.
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
    /// The score lies where both fit and unfit datasets are found.
    Between,
    /// The 95% interval reaches from unfit to fit scores.
    WideInterval {
        /// The lower end of the 95% interval.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// A class may be several clusters, but it has too few points to be sure.
    MaybeSplit {
        /// The classes.
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

/// Something to bear in mind beside a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "caveat", rename_all = "kebab-case")]
pub enum Caveat {
    /// The other scaling leads to another verdict.
    OtherScale {
        /// The other scaling of the features.
        scale: Scale,
        /// The score with that scaling.
        clm: f64,
    },
    /// Some classes have fewer than 10 points.
    SmallClasses {
        /// The small classes, smallest first.
        small: Vec<ClassSize>,
        /// How many classes there are.
        of: usize,
    },
    /// Another measure disagrees.
    Disagreement {
        /// The measure.
        measure: String,
        /// Its score.
        score: f64,
        /// Whether it is much lower than `clm` rather than much higher.
        lower: bool,
    },
    /// More than half of the features have at most 10 different values.
    FewValues {
        /// How many such features there are.
        features: usize,
        /// How many features there are.
        of: usize,
    },
    /// Many rows equal another row.
    EqualRows {
        /// The share of these rows.
        share: f64,
    },
}

#[cfg(test)]
mod tests;

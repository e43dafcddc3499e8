//! Whether a dataset may serve as ground truth for clustering: the statement, its evidence, and when nothing can be said.
//!
//! A verdict rests on `clm`, which estimates what a good clustering reaches: the best adjusted mutual information of nine tuned
//! techniques. [`judging`](crate::judging) says how it is reached.

use std::fmt;

use clmatch_data::catalogue::Third;
use clmatch_data::{LabelCopy, Scale};
use serde::{Deserialize, Deserializer, Serialize};

use crate::evidence::SplitClass;
use crate::scores::{ClassSize, FEWEST_POINTS};

/// How many classes or pairs a sentence names.
const NAMED: usize = 3;

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
        /// The verdict then, in a few words.
        verdict: String,
    },
    /// Some classes have fewer than [`FEWEST_POINTS`] points.
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

impl Decision {
    /// A few words, for a column of a table.
    pub fn brief(&self) -> String {
        match self {
            Decision::Fit => "fit".to_owned(),
            Decision::FitAfterChange { changes } => match &changes[..] {
                [Change::Merge { .. }] => "fit if merged".to_owned(),
                [Change::Split { .. }] => "fit if split".to_owned(),
                [Change::Scale { .. }] => "fit if rescaled".to_owned(),
                _ => "fit if changed".to_owned(),
            },
            Decision::NotFit { .. } => "not fit".to_owned(),
            Decision::CannotBeSaid { .. } => "cannot say".to_owned(),
        }
    }
}

/// One sentence, without a full stop.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Fit => f.write_str("fit to serve as ground truth"),
            Decision::FitAfterChange { changes } => {
                let what = if changes.len() == 1 { "a change" } else { "changes" };
                write!(
                    f,
                    "fit to serve as ground truth after {what}: {}",
                    list(changes.iter().map(Change::to_string))
                )
            }
            Decision::NotFit { findings } => {
                let why: Vec<String> = findings.iter().map(ToString::to_string).collect();
                write!(f, "not fit to serve as ground truth: {}", why.join("; "))
            }
            Decision::CannotBeSaid { reasons } => {
                let why: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                write!(f, "cannot be said, because {}", why.join("; "))
            }
        }
    }
}

/// What to do.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Merge { classes } => write!(f, "merge {}", and(classes)),
            Change::Split { class } => {
                write!(f, "split '{}' into {} clusters", class.class, class.shares.len())
            }
            Change::Scale { scale, clm } => write!(f, "use --scale {scale} (clm {clm:.3})"),
        }
    }
}

/// One clause.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::LowScore => f.write_str("the classes do not match clusters"),
            Finding::SplitClass { class } => write!(f, "{class}"),
            Finding::SharedCluster { pairs } => {
                let name = |[a, b]: &[String; 2]| format!("'{a}' and '{b}'");
                let what = if pairs.len() == 1 { "two classes share" } else { "pairs of classes share" };
                write!(f, "{what} a cluster: {}", list(pairs.iter().map(name)))
            }
        }
    }
}

/// One clause, to follow the word "because".
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NoClm => f.write_str("a verdict needs the measure clm"),
            Reason::FewPoints { points } => write!(f, "{points} points are too few: 30 are needed"),
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
            Reason::LabelCopies { columns } => f.write_str(&list(columns.iter().map(LabelCopy::to_string))),
            Reason::Between => {
                f.write_str("clm lies between 0.50 and 0.65, where some datasets are fit and others are not")
            }
            Reason::WideInterval { low, high } => {
                write!(
                    f,
                    "the 95% interval of clm, {low:.3} to {high:.3}, holds scores of fit datasets and of others"
                )
            }
            Reason::MaybeSplit { classes } => {
                let name = |class: &SplitClass| {
                    let apart = 1.0 - class.shares.first().unwrap_or(&1.0);
                    format!(
                        "'{}' ({:.0}% of its points lie apart, too few to be sure)",
                        class.class,
                        100.0 * apart
                    )
                };
                write!(f, "a class may be several clusters: {}", list(classes.iter().map(name)))
            }
            Reason::RoughEstimate { error } => {
                write!(f, "clm is an estimate that may be off by {error:.3}, which allows several verdicts")
            }
            Reason::UnknownError => f.write_str("the score is an estimate, and its error is not known"),
        }
    }
}

/// One sentence, without a full stop.
impl fmt::Display for Caveat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caveat::OtherScale { scale, clm, verdict } => {
                write!(f, "with --scale {scale} clm is {clm:.3}, {verdict}")
            }
            Caveat::SmallClasses { small, of } => {
                let name = |size: &ClassSize| format!("{} ({})", size.class, size.points);
                let (count, names) = (small.len(), list(small.iter().map(name)));
                let verb = if count == 1 { "has" } else { "have" };
                write!(f, "{count} of {of} classes {verb} fewer than {FEWEST_POINTS} points: {names}")
            }
            Caveat::Disagreement { measure, score, lower: true } => {
                write!(
                    f,
                    "{measure} is much lower ({score:.3}): gaps separate the classes, but the classes are not compact"
                )
            }
            Caveat::Disagreement { measure, score, lower: false } => write!(
                f,
                "{measure} is much higher ({score:.3}): the centres of the classes lie apart, but hardly any gaps separate the classes"
            ),
            Caveat::FewValues { features, of } => {
                write!(
                    f,
                    "{features} of {of} features have at most 10 different values: many distances are equal, so that it is arbitrary which points are nearest"
                )
            }
            Caveat::EqualRows { share } => {
                write!(
                    f,
                    "{:.0}% of the rows are copies of another row, and copies look like small clusters",
                    100.0 * share
                )
            }
        }
    }
}

/// One sentence, without a full stop.
impl fmt::Display for ExpectedAmi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the best clustering can be expected to reach an ami of {:.2} (± {:.2})",
            self.ami, self.error
        )
    }
}

fn and(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    match &quoted[..] {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => quoted.concat(),
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
        let pair = |a: &str| [a.to_owned(), "z".to_owned()];
        let shared = Finding::SharedCluster { pairs: ["p", "q", "r", "s"].map(pair).to_vec() };
        let split = SplitClass { class: "v".into(), shares: vec![0.5, 0.3, 0.2], certain: true };
        let decision =
            Decision::NotFit { findings: vec![Finding::SplitClass { class: split.clone() }, shared] };
        assert_eq!(
            decision.to_string(),
            "not fit to serve as ground truth: 'v' looks like 3 clusters (50%, 30%, 20%); \
             pairs of classes share a cluster: 'p' and 'z', 'q' and 'z', 'r' and 'z', and 1 more"
        );
        let expected = Some(ExpectedAmi { ami: 0.25, error: 0.12 });
        let verdict = Verdict { measure: "clm".into(), decision, expected, caveats: Vec::new() };
        let text = serde_json::to_string(&verdict).unwrap();
        let start = r#"{"measure":"clm","decision":"not-fit","findings":[{"finding":"split-class","class":"v","shares":["#;
        assert!(text.starts_with(start), "{text}");
        assert_eq!(serde_json::from_str::<Verdict>(&text).unwrap(), verdict);

        let merge = Change::Merge { classes: ["a", "b", "c"].map(String::from).to_vec() };
        let scale = Change::Scale { scale: Scale::Standard, clm: 0.75 };
        let changes =
            Decision::FitAfterChange { changes: vec![merge, Change::Split { class: split }, scale] };
        assert_eq!(
            changes.to_string(),
            "fit to serve as ground truth after changes: merge 'a', 'b' and 'c', split 'v' into 3 clusters, use --scale standard (clm 0.750)"
        );
        assert_eq!(changes.brief(), "fit if changed");
        let withheld = Decision::CannotBeSaid { reasons: vec![Reason::NoClm, Reason::Between] };
        assert_eq!(
            serde_json::from_str::<Decision>(&serde_json::to_string(&withheld).unwrap()).unwrap(),
            withheld
        );
    }

    #[test]
    fn verdicts_of_earlier_versions_are_left_out() {
        #[derive(Deserialize)]
        struct Holder {
            #[serde(default, deserialize_with = "Verdict::read")]
            verdict: Option<Verdict>,
        }
        let read = |text: &str| serde_json::from_str::<Holder>(text).unwrap().verdict;
        assert_eq!(read(r#"{"verdict":{"measure":"clm","decision":"fit-but-for-pairs","pairs":[]}}"#), None);
        assert_eq!(read("{}"), None);
        assert_eq!(
            read(r#"{"verdict":{"measure":"clm","decision":"fit"}}"#).unwrap().decision,
            Decision::Fit
        );
    }
}

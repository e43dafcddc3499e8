//! Verdicts in words.

use std::fmt;

use clmatch_data::LabelCopy;

use super::{Caveat, Change, Decision, ExpectedAmi, Finding, Reason};
use crate::evidence::SplitClass;
use crate::judging::{FEWEST, FIT, NOT_FIT};
use crate::scores::{ClassSize, FEWEST_POINTS};

/// How many classes or pairs a sentence names.
const NAMED: usize = 3;

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

/// Displayed as what to do.
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
            Reason::FewPoints { points } => write!(f, "{points} points are too few: {FEWEST} are needed"),
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
                write!(
                    f,
                    "clm lies between {NOT_FIT:.2} and {FIT:.2}, where some datasets are fit and others are not"
                )
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
            Caveat::OtherScale { scale, clm } => {
                let what = match clm {
                    _ if *clm >= FIT => "high enough for fit",
                    _ if *clm >= NOT_FIT => "between fit and not fit",
                    _ => "too low for fit",
                };
                write!(f, "with --scale {scale} clm is {clm:.3}, {what}")
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

/// The first few names, and how many more there are.
fn list(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut names: Vec<String> = names.take(NAMED).collect();
    if more > 0 {
        names.push(format!("and {more} more"));
    }
    names.join(", ")
}

//! How the columns were understood: where the labels come from, which columns were left out, and which ones may be ids.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::ColumnRef;

/// Why a column, or a file, holds the labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LabelSource {
    /// The caller named it.
    Chosen,
    /// Its name says label.
    Name,
    /// No other column holds text.
    OnlyText,
    /// The file declares no other nominal attribute.
    OnlyNominal,
    /// No other column of an AnnData file holds categories.
    OnlyCategories,
    /// It is the only column of text that looks like names of classes; the others hold yes and no, or hardly repeat.
    OnlyClassNames,
    /// It is the last column, and nothing better identifies the label.
    LastColumn,
    /// It is the last column besides ids, codes, times, predictions, and those that options make features.
    LastPossible,
    /// It is a file of its own, which the caller named or which lies beside the points.
    File,
    /// The format has a place for labels.
    Format,
    /// The dataset comes with the program.
    Embedded,
}

impl LabelSource {
    /// Why the column was taken, as text to follow its name; `None` if nothing was guessed.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            LabelSource::Name => Some("by its name"),
            LabelSource::OnlyText => Some("the only column of text"),
            LabelSource::OnlyNominal => Some("the only nominal attribute"),
            LabelSource::OnlyCategories => Some("the only column of categories"),
            LabelSource::OnlyClassNames => Some("the only column of text that looks like names of classes"),
            LabelSource::LastColumn => Some("the last column"),
            LabelSource::LastPossible => Some("the last column left for the label"),
            LabelSource::Chosen | LabelSource::File | LabelSource::Format | LabelSource::Embedded => None,
        }
    }
}

/// Where the labels of a dataset come from. Displayed as `NAME (why it was taken)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelOrigin {
    /// The name of the column, or its index if it has none; the file, if the labels have their own.
    pub name: String,
    /// Why the column or file was taken.
    pub source: LabelSource,
    /// Other columns that may hold the labels as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
}

impl LabelOrigin {
    /// Labels without any doubt about where they come from.
    pub(crate) fn certain(name: impl Into<String>, source: LabelSource) -> Self {
        LabelOrigin { name: name.into(), source, alternatives: Vec::new() }
    }

    /// Whether the label was guessed among several columns that may hold it.
    pub fn is_doubtful(&self) -> bool {
        self.source.reason().is_some() && !self.alternatives.is_empty()
    }
}

impl fmt::Display for LabelOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.source.reason() {
            Some(reason) => write!(f, " ({reason})"),
            None => Ok(()),
        }
    }
}

/// Why a column is not a feature, although no option leaves it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeftOutReason {
    /// It counts the rows.
    RowNumbers,
    /// It is named like an id, and nearly every row has a different value.
    Id,
    /// It holds text, and nearly every row has a different one.
    DistinctText,
    /// It is the index of a pandas table.
    PandasIndex,
    /// It holds codes: digits of one length, some with leading zeros, or postal codes.
    Code,
    /// It holds text, and each of its few values is in one class only.
    LabelCopy,
    /// It holds few texts, and its name or values are those of labels, predictions, or parts to train and to test on.
    LabelName,
    /// It holds text with too many values for indicators.
    ManyTexts,
    /// It holds dates or times.
    Time,
    /// It holds text, and its name is that of an id, although its values repeat.
    IdName,
}

impl LeftOutReason {
    /// The reason in a few words.
    pub fn short(self) -> &'static str {
        match self {
            LeftOutReason::RowNumbers => "numbers the rows",
            LeftOutReason::Id => "looks like an id",
            LeftOutReason::DistinctText => "almost every row has a different text",
            LeftOutReason::PandasIndex => "the index of a pandas table",
            LeftOutReason::Code => "codes, not numbers",
            LeftOutReason::LabelCopy => "a copy of the label",
            LeftOutReason::LabelName => "like a label, a prediction or a split",
            LeftOutReason::ManyTexts => "text with many values",
            LeftOutReason::Time => "dates or times",
            LeftOutReason::IdName => "named like an id",
        }
    }
}

/// A column that is not a feature, although no option leaves it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutColumn {
    /// Its name, or its index where it has none.
    pub column: String,
    /// Why it was left out.
    pub reason: LeftOutReason,
}

/// Why a column that serves as a feature may be an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdSign {
    /// It counts the rows, but may be measured: it is named like a time or a place, does not start with 0 or 1, restarts on
    /// the way, or another column numbers the rows.
    Consecutive,
    /// Its numbers are whole and only ever grow, or only ever fall, from row to row.
    Sorted,
    /// It holds each number of a range once.
    Permutation,
    /// Nearly every row has a different whole number, and no other feature goes along with it.
    Distinct {
        /// How many different numbers there are.
        values: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// It is named like an id, but rows share its values.
    Name,
    /// It counts up after every few rows, like the numbers of pairs.
    Groups {
        /// How many rows share a number.
        rows: usize,
    },
}

impl fmt::Display for IdSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IdSign::Consecutive => f.write_str("it counts up from row to row"),
            IdSign::Sorted => f.write_str("its whole numbers are in order, and no two are the same"),
            IdSign::Permutation => f.write_str("it holds each number of a range once"),
            IdSign::Distinct { values, rows } => {
                write!(f, "{values} different whole numbers in {rows} rows, related to no other feature")
            }
            IdSign::Groups { rows } => {
                write!(f, "it counts up after every {rows} rows, like numbers of groups")
            }
            IdSign::Name => f.write_str("its name says so, though some rows share a value"),
        }
    }
}

/// What a reader found out about the columns of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Facts {
    /// Where the labels come from; `None` as long as that is not known.
    pub(crate) label: Option<LabelOrigin>,
    /// Columns that were left out without an option for it.
    pub(crate) left_out: Vec<LeftOutColumn>,
    /// Columns that are features, whatever they look like.
    pub(crate) kept: Vec<ColumnRef>,
    /// Those of them that would have been left out by what their first rows show.
    pub(crate) kept_rightly: Vec<ColumnRef>,
    /// Columns of text that give the label away as far as their first rows show, which all rows have to confirm.
    pub(crate) suspects: Vec<SuspectedCopy>,
    /// Whether the file declares the values of the label as classes.
    pub(crate) declared_classes: bool,
    /// Whether the caller listed the features.
    pub(crate) features_chosen: bool,
    /// Whether the first line of a text table was taken for a header.
    pub(crate) header: Option<bool>,
}

/// A column of text that may be a copy of the label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SuspectedCopy {
    pub(crate) column: ColumnRef,
    /// Whether an option asks for its indicators.
    pub(crate) asked: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_guessed_says_why() {
        let mut origin = LabelOrigin::certain("kind", LabelSource::OnlyText);
        assert_eq!(origin.to_string(), "kind (the only column of text)");
        assert!(!origin.is_doubtful(), "there is one candidate only");
        origin.alternatives = vec!["colour".into()];
        assert!(origin.is_doubtful());
        origin.source = LabelSource::Chosen;
        assert_eq!(origin.to_string(), "kind");
        assert!(!origin.is_doubtful(), "nothing was guessed");
    }
}

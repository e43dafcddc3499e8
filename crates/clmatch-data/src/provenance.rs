//! What was taken for what: where the labels come from, which columns were left out, and which ones may be ids.

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
    /// It is the last column, and nothing else tells.
    LastColumn,
    /// A file of its own, which the caller named or which lies beside the points.
    File,
    /// The format has a place for labels.
    Format,
    /// The dataset comes with the program.
    Embedded,
}

impl LabelSource {
    /// Why it was taken, to stand behind its name; `None` where nothing was guessed.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            LabelSource::Name => Some("by its name"),
            LabelSource::OnlyText => Some("the only column of text"),
            LabelSource::OnlyNominal => Some("the only nominal attribute"),
            LabelSource::OnlyCategories => Some("the only column of categories"),
            LabelSource::LastColumn => Some("the last column"),
            LabelSource::Chosen | LabelSource::File | LabelSource::Format | LabelSource::Embedded => None,
        }
    }
}

/// Where the labels of a dataset come from. Displayed as `NAME (why it was taken)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelOrigin {
    /// The column by its name, or by its index where it has none; the file, if the labels have one of their own.
    pub name: String,
    /// Why it was taken.
    pub source: LabelSource,
    /// Other columns that may as well hold the labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
}

impl LabelOrigin {
    /// Labels about which there is no doubt.
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

/// Why a column is no feature, although nobody asked for that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeftOutReason {
    /// It counts the rows.
    RowNumbers,
    /// It is named like an id, and nearly every row has another value.
    Id,
    /// It holds text, and nearly every row has another one.
    DistinctText,
    /// It is the index of a pandas table.
    PandasIndex,
}

/// A column that is no feature, although nobody asked for that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutColumn {
    /// Its name, or its index where it has none.
    pub column: String,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why a column that serves as a feature may be an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IdSign {
    /// It counts the rows, but may be measured: it is named like a time or a place, does not start with 0 or 1, starts anew
    /// on the way, or another column numbers the rows.
    Consecutive,
    /// Its whole numbers only ever grow, or only ever fall, from row to row.
    Sorted,
    /// It holds each number of a range once.
    Permutation,
    /// Nearly every row has another whole number, and no other feature goes along with it.
    Distinct {
        /// Different numbers.
        values: usize,
        /// Rows.
        rows: usize,
    },
    /// It is named like an id, but rows share its values.
    Name,
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
            IdSign::Name => f.write_str("its name says so, though some rows share a value"),
        }
    }
}

/// What a reader found out about the columns of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Facts {
    /// Where the labels come from; `None` as long as nobody knows.
    pub(crate) label: Option<LabelOrigin>,
    /// Columns that were left out unasked.
    pub(crate) left_out: Vec<LeftOutColumn>,
    /// Columns that are features whatever they look like.
    pub(crate) kept: Vec<ColumnRef>,
    /// Whether the caller listed the features.
    pub(crate) features_chosen: bool,
    /// Whether the first line of a text table was taken for a header.
    pub(crate) header: Option<bool>,
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

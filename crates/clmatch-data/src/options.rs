//! How a dataset is to be read.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// What to do about missing values.
///
/// In text these are the empty cell, `NA`, `N/A`, `NaN`, `null` and `?` (letters in either case), in columns of numbers also
/// `None`, `-` and `.`; elsewhere NaN and nulls; and what [`ReadOptions::missing_values`] names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// Refuse the dataset and say where the first missing value is.
    #[default]
    Error,
    /// Leave out the rows in which a value or the label is missing, unless these are more than half of them.
    Drop,
    /// Leave out the rows in which a value or the label is missing, however many they are.
    DropAny,
    /// Replace missing values by the mean of their column, and leave out the rows without a label.
    Mean,
}

impl Missing {
    /// All variants, with their names.
    pub const ALL: [(&'static str, Missing); 4] = [
        ("error", Missing::Error),
        ("drop", Missing::Drop),
        ("drop-any", Missing::DropAny),
        ("mean", Missing::Mean),
    ];
}

impl FromStr for Missing {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        let found = Missing::ALL.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, way)| *way)
            .ok_or_else(|| format!("'{name}' is not one of error, drop, drop-any, mean"))
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Missing::ALL.iter().find(|(_, way)| way == self).map_or("", |(name, _)| name);
        f.pad(name)
    }
}

impl ReadOptions {
    /// Whether a cell is one of the texts that stand for a missing value.
    pub(crate) fn names_missing(&self, text: &[u8]) -> bool {
        self.missing_values.iter().any(|missing| missing.as_bytes() == text)
    }
}

/// Options of [`read`](crate::read).
///
/// Columns are chosen by name or, if no column has that name, by index: 0 is the first one, -1 the last one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// The label column; with [`ReadOptions::labels_file`], the column of that file. By default: a column named label,
    /// class, target, species or y (unless there is an x, too), or else labels, outcome, diagnosis or survived, the only
    /// nominal attribute, the only column of text, a column named category, group or cluster, or the last column.
    pub label: Option<String>,
    /// A file with one label per row, instead of a label column.
    pub labels_file: Option<PathBuf>,
    /// Which matrix of an AnnData file holds the points: `X`, `raw/X`, `layers/NAME` or `obsm/NAME`; `X` if not given.
    pub layer: Option<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns to use as features even if they look like ids or row numbers.
    pub keep: Vec<String>,
    /// The only columns to use as features; if empty, all that look like features.
    pub only: Vec<String>,
    /// Whether to leave out all columns of text.
    pub drop_text: bool,
    /// Text columns to turn into indicator columns, `*` for all of them.
    pub one_hot: Vec<String>,
    /// Whether to turn text columns with few values into indicator columns, and to leave out all other text.
    pub mixed: bool,
    /// What to do with missing values.
    pub missing: Missing,
    /// Further texts that stand for a missing value or label, in all columns; one that is a number stands for that number.
    pub missing_values: Vec<String>,
    /// Whether numbers in text are written with a decimal comma.
    pub decimal_comma: bool,
    /// Whether the first line of a text table is a header; detected if not given.
    pub header: Option<bool>,
    /// How many lines to skip at the start of a text table.
    pub skip_rows: usize,
    /// Columns whose cells are kept as text beside the points, after those that were left out as ids; if not given, none are.
    pub show: Option<Vec<String>>,
    /// The largest matrix to read, in bytes; if not given, three quarters of the available memory.
    pub memory_limit: Option<u64>,
}

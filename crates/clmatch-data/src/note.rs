//! What happened to a dataset on the way in, worth telling but no error.

use std::fmt;
use std::path::PathBuf;

use crate::advice::Advice;
use crate::error::shorten;
use crate::scale::Scale;

/// How much a [`Note`] matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Probably spoils the scores.
    Warning,
}

/// Something that was noticed or done while reading. Displayed as one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// No column has a name that says label, so the last one was taken.
    LabelGuessed {
        /// The column that was taken.
        column: String,
    },
    /// The labels come from another file that lies beside the points.
    LabelsBeside {
        /// The file.
        path: PathBuf,
    },
    /// Rows were left out because a value or the label is missing.
    RowsDropped {
        /// How many rows.
        rows: usize,
        /// Out of how many.
        of: usize,
    },
    /// Missing values were replaced by the mean of their column.
    ValuesImputed {
        /// How many values.
        values: usize,
        /// In how many columns.
        columns: usize,
    },
    /// A column is named like an id and no two rows agree in it.
    IdLike {
        /// The column.
        column: String,
    },
    /// Columns that have the same value in every row.
    Constant {
        /// The columns.
        columns: Vec<String>,
    },
    /// A text column became indicator columns.
    OneHot {
        /// The column.
        column: String,
        /// How many indicator columns it became.
        values: usize,
    },
    /// Several columns share a name.
    DuplicateName {
        /// The name.
        column: String,
        /// How many columns have it.
        times: usize,
    },
    /// The labels come from elsewhere, but a column is named like a label and serves as a feature.
    LabelAmongFeatures {
        /// The column.
        column: String,
    },
    /// Columns that vary, but have no spread to be divided by: they are centred and keep their own size.
    Unscaled {
        /// The columns.
        columns: Vec<String>,
        /// How the others were scaled.
        scale: Scale,
    },
    /// Parts of a dataset, such as rows to train and to test on, were joined.
    Joined {
        /// The names of the parts.
        parts: Vec<String>,
        /// How many rows each has.
        rows: Vec<usize>,
    },
    /// Arrays or files that belong to the dataset by their place, but were not used.
    Unused {
        /// Their names.
        names: Vec<String>,
    },
    /// The points are one of several matrices of a file.
    Layer {
        /// The matrix that was taken.
        taken: String,
        /// The others.
        others: Vec<String>,
    },
    /// Only one column can be the label.
    OnlyCategories {
        /// The column.
        column: String,
    },
    /// The content is of another format than the name of the file says.
    OtherFormat {
        /// The format that was recognised.
        format: &'static str,
    },
}

impl Note {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        match self {
            Note::IdLike { .. } | Note::DuplicateName { .. } | Note::LabelAmongFeatures { .. } => {
                Severity::Warning
            }
            // In its own size a column may drown the others, or be drowned.
            Note::Unscaled { scale: Scale::Robust, .. } => Severity::Warning,
            _ => Severity::Info,
        }
    }

    /// What can be done about it.
    pub fn advice(&self) -> Option<Advice> {
        match self {
            Note::LabelGuessed { .. } | Note::OnlyCategories { .. } => Some(Advice::CorrectLabel),
            Note::Layer { .. } => Some(Advice::ChooseLayer),
            Note::IdLike { column } | Note::LabelAmongFeatures { column } => {
                Some(Advice::DropNamedColumn(shorten(column)))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::LabelGuessed { column } => {
                write!(f, "the last column, '{}', serves as the label", shorten(column))
            }
            Note::LabelsBeside { path } => write!(f, "the labels were read from {}", path.display()),
            Note::RowsDropped { rows, of } => {
                write!(f, "{rows} of {of} rows were dropped because a value is missing")
            }
            Note::ValuesImputed { values, columns } => {
                let (s, verb) = plural(*values, ("", "was"), ("s", "were"));
                let c = plural(*columns, "", "s");
                write!(
                    f,
                    "{values} missing value{s} in {columns} column{c} {verb} replaced by the column's mean"
                )
            }
            Note::IdLike { column } => {
                write!(f, "the column '{}' looks like an id: every row has another value", shorten(column))
            }
            Note::Constant { columns } => {
                let (s, verb) = plural(columns.len(), ("", "has"), ("s", "have"));
                let count = columns.len();
                write!(f, "{count} column{s} {verb} the same value in every row: {}", first_few(columns))
            }
            Note::Unscaled { columns, scale } => {
                let (s, verb, it, its) =
                    plural(columns.len(), ("", "was", "it", "its"), ("s", "were", "they", "their"));
                let why = match scale {
                    Scale::Robust => format!("{its} interquartile range is 0"),
                    _ => format!("{it} {} by rounding only", plural(columns.len(), "varies", "vary")),
                };
                let count = columns.len();
                write!(
                    f,
                    "{count} column{s} {verb} centred but not scaled, because {why}: {}",
                    first_few(columns)
                )
            }
            Note::OneHot { column, values } => {
                let s = plural(*values, "", "s");
                write!(f, "the column '{}' became {values} indicator column{s}", shorten(column))
            }
            Note::DuplicateName { column, times } => {
                write!(f, "{times} columns are named '{}'", shorten(column))
            }
            Note::LabelAmongFeatures { column } => {
                write!(f, "the column '{}' is used as a feature though its name says label", shorten(column))
            }
            Note::Joined { parts, rows } => {
                let counted = |(part, rows): (&String, &usize)| {
                    format!("{part} ({rows} row{})", plural(*rows, "", "s"))
                };
                let counted: Vec<String> = parts.iter().zip(rows).map(counted).collect();
                write!(f, "{} were joined", listed(&counted))
            }
            Note::Unused { names } => {
                let verb = plural(names.len(), "is", "are");
                write!(f, "{} {verb} there, but not used", first_few(names))
            }
            Note::Layer { taken, others } => {
                write!(
                    f,
                    "the points are those of {taken}; there {} {} too",
                    plural(others.len(), "is", "are"),
                    listed(others)
                )
            }
            Note::OnlyCategories { column } => {
                write!(f, "'{}', the only column of categories, serves as the label", shorten(column))
            }
            Note::OtherFormat { format } => write!(f, "read as {format}, in spite of the file's name"),
        }
    }
}

fn plural<T>(count: usize, one: T, many: T) -> T {
    if count == 1 { one } else { many }
}

/// `a`, `a and b`, `a, b and c`.
fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Names the first few columns only: a dataset of pixels has hundreds.
fn first_few(columns: &[String]) -> String {
    const SHOWN: usize = 3;
    let names: Vec<String> = columns.iter().take(SHOWN).map(|name| format!("'{}'", shorten(name))).collect();
    let more = if columns.len() > SHOWN { ", …" } else { "" };
    names.join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_sentences() {
        let note = Note::Constant { columns: ["a", "b", "c", "d"].map(String::from).to_vec() };
        assert_eq!(note.to_string(), "4 columns have the same value in every row: 'a', 'b', 'c', …");
        let note = Note::ValuesImputed { values: 1, columns: 1 };
        assert_eq!(note.to_string(), "1 missing value in 1 column was replaced by the column's mean");
        let note = Note::Unscaled { columns: vec!["a".into()], scale: Scale::Robust };
        assert_eq!(
            note.to_string(),
            "1 column was centred but not scaled, because its interquartile range is 0: 'a'"
        );
        assert_eq!(note.severity(), Severity::Warning);
        let note = Note::Unscaled { columns: vec!["a".into(), "b".into()], scale: Scale::MinMax };
        assert_eq!(
            note.to_string(),
            "2 columns were centred but not scaled, because they vary by rounding only: 'a', 'b'"
        );
        assert_eq!(note.severity(), Severity::Info);
        assert_eq!(Note::IdLike { column: "id".into() }.severity(), Severity::Warning);
    }
}

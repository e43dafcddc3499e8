//! Notes on what happened to a dataset while it was read: worth knowing, but not errors.

use std::fmt;
use std::path::PathBuf;

use crate::advice::Advice;
use crate::error::shorten;
use crate::label_copies::LabelCopy;
use crate::loss::{MissingIn, is_large_loss};
use crate::names::names_label;
use crate::provenance::{IdSign, LabelOrigin, LabelSource, LeftOutReason};
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
    /// No option says which column holds the labels, or other columns may hold them as well.
    LabelGuessed {
        /// The column that was taken, the reason, and the alternatives.
        origin: LabelOrigin,
    },
    /// Columns were left out because they are not features.
    LeftOut {
        /// The columns.
        columns: Vec<String>,
        /// Why they were left out.
        reason: LeftOutReason,
    },
    /// Columns of text were left out, as requested.
    TextDropped {
        /// The columns.
        columns: Vec<String>,
    },
    /// An option keeps columns that would not have been left out anyway.
    KeptAnyway {
        /// The columns.
        columns: Vec<String>,
    },
    /// The labels look like numbers to predict rather than classes.
    TargetNumber {
        /// How many different labels there are.
        values: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Labels that differ only in case or blanks, and are separate classes.
    SimilarLabels {
        /// Groups of labels that may be meant to be the same.
        groups: Vec<Vec<String>>,
    },
    /// The first line was taken as a header, although it holds consecutive numbers.
    HeaderOfNumbers,
    /// The first line of a file of labels was taken as a header, because there is one line more than rows.
    LabelHeader {
        /// The line.
        name: String,
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
        /// How many rows there were before.
        of: usize,
        /// The columns in which most values are missing, the worst one first.
        worst: Vec<MissingIn>,
    },
    /// Rows were left out because their label is missing; missing values were replaced.
    UnlabelledDropped {
        /// How many rows.
        rows: usize,
        /// How many rows there were before.
        of: usize,
    },
    /// Columns of numbers that are not written plainly.
    NumbersWritten {
        /// The columns.
        columns: Vec<String>,
        /// How they are read: follows "are read as numbers".
        read_as: String,
        /// Whether separators between thousands may be decimal commas as well.
        doubtful: bool,
    },
    /// In columns of numbers a lone `-` or `.` is a missing value.
    DashIsMissing {
        /// The columns.
        columns: Vec<String>,
    },
    /// In columns of text `none` is a value like any other.
    NoneIsValue {
        /// The columns.
        columns: Vec<String>,
        /// How it is spelled.
        text: String,
    },
    /// A number that is repeated far outside the others of its column, and so probably stands for a missing value.
    Sentinel {
        /// The column.
        column: String,
        /// The number.
        value: String,
        /// In how many of the rows that were examined.
        rows: usize,
    },
    /// Missing values were replaced by the mean of their column.
    ValuesImputed {
        /// How many values.
        values: usize,
        /// How many columns they are in.
        columns: usize,
    },
    /// A column that serves as a feature may be an id.
    IdLike {
        /// The column.
        column: String,
        /// Why it may be an id.
        sign: IdSign,
    },
    /// A column that serves as a feature may give the label away.
    MayTellLabel {
        /// The column, and why it may do so.
        copy: LabelCopy,
    },
    /// Rows are read in blocks, and the first rows decided what the columns are.
    DecidedByFirstRows {
        /// How many rows decided.
        rows: usize,
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
    /// The labels come from elsewhere, but a column that is named like a label serves as a feature.
    LabelAmongFeatures {
        /// The column.
        column: String,
    },
    /// Columns that vary, but have no spread to be divided by: they are centred and keep their own size.
    Unscaled {
        /// The columns.
        columns: Vec<String>,
        /// How the other columns were scaled.
        scale: Scale,
    },
    /// Parts of a dataset, such as rows to train and to test on, were joined.
    Joined {
        /// The names of the parts.
        parts: Vec<String>,
        /// How many rows each part has.
        rows: Vec<usize>,
    },
    /// Arrays or files that seem to belong to the dataset because of where they are, but were not used.
    Unused {
        /// The names of the arrays or files.
        names: Vec<String>,
    },
    /// The points are one of several matrices of a file.
    Layer {
        /// The matrix that was taken.
        taken: String,
        /// The other matrices.
        others: Vec<String>,
    },
    /// Lines before the header were skipped because they are titles, not rows.
    TitleLines {
        /// How many lines.
        lines: usize,
        /// The first of them.
        first: String,
    },
    /// The header takes several lines, whose names were joined.
    HeaderLines {
        /// How many lines.
        lines: usize,
    },
    /// Lines at the end were left out because they are totals or remarks, not rows.
    Footer {
        /// How many lines.
        lines: usize,
        /// The first of them.
        first: String,
    },
    /// Labels that list several classes, as in a file for several labels a point; each combination counts as a class.
    LabelLists {
        /// One of them.
        example: String,
    },
    /// The text is not UTF-8 and was read as Windows-1252.
    Windows1252,
    /// Each row is an array itself, whose numbers are the features.
    Flattened {
        /// The shape of a row.
        shape: Vec<u64>,
    },
    /// The labels have one column per class, of which each row marks one.
    OneHotLabels {
        /// How many columns.
        classes: usize,
    },
    /// The table is the first one of a workbook.
    Sheet {
        /// The sheet.
        taken: String,
        /// The other sheets.
        others: Vec<String>,
    },
    /// The table is the only one of an archive.
    Unpacked {
        /// Its name in the archive.
        member: String,
    },
    /// The content has another format than the name of the file says.
    OtherFormat {
        /// The format that was recognised.
        format: &'static str,
    },
}

impl Note {
    /// The note on the choice of the label, if one is needed.
    pub(crate) fn of_label(origin: &LabelOrigin) -> Option<Note> {
        let certain = match origin.source {
            LabelSource::Name => names_label(&origin.name) && !origin.is_doubtful(),
            source => source.reason().is_none(),
        };
        (!certain).then(|| Note::LabelGuessed { origin: origin.clone() })
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        match self {
            Note::LabelGuessed { origin } if origin.is_doubtful() => Severity::Warning,
            Note::IdLike { .. }
            | Note::MayTellLabel { .. }
            | Note::DuplicateName { .. }
            | Note::LabelAmongFeatures { .. }
            | Note::TargetNumber { .. }
            | Note::Footer { .. }
            | Note::LabelLists { .. }
            | Note::SimilarLabels { .. }
            | Note::NumbersWritten { doubtful: true, .. }
            | Note::Sentinel { .. } => Severity::Warning,
            Note::RowsDropped { rows, of, .. } | Note::UnlabelledDropped { rows, of }
                if is_large_loss(*rows, *of) =>
            {
                Severity::Warning
            }
            // A column in its own size may drown the others, or be drowned by them.
            Note::Unscaled { scale: Scale::Robust, .. } => Severity::Warning,
            _ => Severity::Info,
        }
    }

    /// What can be done about it.
    pub fn advice(&self) -> Option<Advice> {
        match self {
            Note::LabelGuessed { .. } => Some(Advice::CorrectLabel),
            Note::LeftOut {
                reason:
                    LeftOutReason::DistinctText
                    | LeftOutReason::LabelCopy
                    | LeftOutReason::LabelName
                    | LeftOutReason::ManyTexts
                    | LeftOutReason::Time,
                ..
            } => None,
            Note::NumbersWritten { doubtful: true, .. } => Some(Advice::DecimalComma),
            Note::NoneIsValue { text, .. } => Some(Advice::NameMissing(text.clone())),
            Note::Sentinel { value, .. } => Some(Advice::NameMissing(value.clone())),
            // A mean helps only where a feature is missing.
            Note::RowsDropped { rows, of, worst }
                if is_large_loss(*rows, *of) && !MissingIn::columns(worst).is_empty() =>
            {
                Some(Advice::KeepRows(MissingIn::columns(worst)))
            }
            Note::LeftOut { columns, .. } => Some(Advice::KeepColumns(columns.clone())),
            Note::KeptAnyway { .. } => Some(Advice::ChooseOnly),
            Note::IdLike { column, .. } => Some(Advice::DropOrKeep(vec![shorten(column)])),
            Note::MayTellLabel { copy } => Some(Advice::DropOrKeep(vec![shorten(&copy.column)])),
            Note::LabelAmongFeatures { column } => Some(Advice::DropNamedColumn(shorten(column))),
            Note::SimilarLabels { .. } => Some("spell them alike if they are one class".into()),
            Note::HeaderOfNumbers => Some(Advice::FirstLineIsData),
            Note::Footer { .. } => {
                Some("if it is a row, give it the same kind of values as the others".into())
            }
            Note::Windows1252 => Some("if names look wrong, convert the file to UTF-8".into()),
            Note::Layer { .. } => Some(Advice::ChooseLayer),
            _ => None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::LabelGuessed { origin } => label_guessed(f, origin),
            Note::LeftOut { columns, reason } => left_out(f, columns, *reason),
            Note::TextDropped { columns } => {
                let (s, verb) = plural(columns.len(), ("", "was"), ("s", "were"));
                write!(f, "{} column{s} of text {verb} dropped: {}", columns.len(), listed(columns))
            }
            Note::KeptAnyway { columns } => {
                write!(f, "{} would not have been left out", listed(columns))
            }
            Note::TargetNumber { values, rows } => write!(
                f,
                "the labels look like numbers to predict, not like classes: {values} different values in {rows} rows"
            ),
            Note::SimilarLabels { groups } => {
                let groups: Vec<String> = groups.iter().map(|names| listed(names)).collect();
                write!(
                    f,
                    "labels differ in case or blanks only and count as different classes: {}",
                    groups.join("; ")
                )
            }
            Note::HeaderOfNumbers => {
                f.write_str("the first line counts the columns and serves as the header")
            }
            Note::LabelHeader { name } => {
                write!(f, "the first line of the labels, '{}', was read as a header", shorten(name))
            }
            Note::LabelsBeside { path } => write!(f, "the labels were read from {}", path.display()),
            Note::RowsDropped { rows, of, worst } => {
                let verb = plural(*rows, "was", "were");
                write!(f, "{rows} of {of} rows {verb} dropped because a value is missing")?;
                if is_large_loss(*rows, *of) { write!(f, ", {}", MissingIn::mostly(worst)) } else { Ok(()) }
            }
            Note::UnlabelledDropped { rows, of } => {
                let (verb, its) = plural(*rows, ("was", "its"), ("were", "their"));
                write!(f, "{rows} of {of} rows {verb} dropped because {its} label is missing")
            }
            Note::NumbersWritten { columns, read_as, .. } => {
                let verb = plural(columns.len(), "is", "are");
                write!(f, "{} {verb} read as numbers {read_as}", first_few(columns))
            }
            Note::DashIsMissing { columns } => {
                write!(f, "in {} a lone '-' or '.' is read as a missing value", first_few(columns))
            }
            Note::NoneIsValue { columns, text } => {
                write!(f, "in {} '{text}' is read as a value, not as a missing one", first_few(columns))
            }
            Note::Sentinel { column, value, rows } => write!(
                f,
                "in the column '{}', {value} in {rows} row{} is far outside the other values: it probably stands for a missing one",
                shorten(column),
                plural(*rows, "", "s")
            ),
            Note::ValuesImputed { values, columns } => {
                let (s, verb) = plural(*values, ("", "was"), ("s", "were"));
                let c = plural(*columns, "", "s");
                write!(
                    f,
                    "{values} missing value{s} in {columns} column{c} {verb} replaced by the column's mean"
                )
            }
            Note::IdLike { column, sign } => {
                write!(f, "the column '{}' serves as a feature but may be an id: {sign}", shorten(column))
            }
            Note::MayTellLabel { copy } => write!(f, "{copy}, and may give the label away"),
            Note::DecidedByFirstRows { rows } => {
                write!(
                    f,
                    "the first {rows} rows decided what each column is; all others were checked against it"
                )
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
                write!(f, "{} were joined", enumerated(&counted))
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
                    enumerated(others)
                )
            }
            Note::TitleLines { lines, first } => {
                let (s, verb) = plural(*lines, (" was", "a title"), ("s were", "titles"));
                let count = counted(*lines);
                write!(f, "the first{count} line{s} skipped as {verb}: '{}'", shorten(first))
            }
            Note::HeaderLines { lines } => {
                write!(f, "the header takes {lines} lines; their names were joined")
            }
            Note::Footer { lines, first } => {
                let (s, what) = plural(*lines, (" looks", "was"), ("s look", "were"));
                let count = counted(*lines);
                write!(f, "the last{count} line{s} like a footer and {what} left out: '{}'", shorten(first))
            }
            Note::LabelLists { example } => write!(
                f,
                "labels such as '{}' list several classes, and each combination counts as a class of its own",
                shorten(example)
            ),
            Note::Windows1252 => f.write_str("the text is not UTF-8 and was read as Windows-1252"),
            Note::Flattened { shape } => {
                let lengths: Vec<String> = shape.iter().map(u64::to_string).collect();
                let count: u64 = shape.iter().product();
                write!(f, "each row is an array of {}, read as {count} numbers", lengths.join(" x "))
            }
            Note::OneHotLabels { classes } => {
                write!(f, "the labels were read from {classes} columns: the class is the place of the 1")
            }
            Note::Sheet { taken, others } => write!(
                f,
                "the table is the sheet '{}'; there {} {} too",
                shorten(taken),
                plural(others.len(), "is", "are"),
                first_few(others)
            ),
            Note::Unpacked { member } => write!(f, "read {} from the archive", shorten(member)),
            Note::OtherFormat { format } => {
                write!(f, "read as {format}, although the name of the file says otherwise")
            }
        }
    }
}

fn label_guessed(f: &mut fmt::Formatter<'_>, origin: &LabelOrigin) -> fmt::Result {
    let (what, name) = (origin.source.reason().unwrap_or_default(), shorten(&origin.name));
    match origin.source {
        LabelSource::Name => write!(f, "the column '{name}' serves as the label because of its name")?,
        _ => write!(f, "{what}, '{name}', serves as the label")?,
    }
    match origin.alternatives.as_slice() {
        [] => Ok(()),
        [one] => write!(f, "; '{}' is just as plausible", shorten(one)),
        others => write!(f, "; {} are just as plausible", first_few(others)),
    }
}

fn left_out(f: &mut fmt::Formatter<'_>, columns: &[String], reason: LeftOutReason) -> fmt::Result {
    let many = columns.len() > 1;
    let (s, verb) = if many { ("s", "were") } else { ("", "was") };
    let why = match (reason, many) {
        (LeftOutReason::RowNumbers, true) => "they number the rows",
        (LeftOutReason::RowNumbers, false) => "it numbers the rows",
        (LeftOutReason::Id, true) => "they look like IDs: their names, and almost all values differ",
        (LeftOutReason::Id, false) => "it looks like an ID: its name, and almost all values differ",
        (LeftOutReason::DistinctText, true) => "in each, almost every row has a different text",
        (LeftOutReason::DistinctText, false) => "almost every row has a different text",
        (LeftOutReason::PandasIndex, true) => "they are the index of a pandas table",
        (LeftOutReason::PandasIndex, false) => "it is the index of a pandas table",
        (LeftOutReason::Code, true) => "they hold codes, not numbers",
        (LeftOutReason::Code, false) => "it holds codes, not numbers",
        (LeftOutReason::LabelCopy, true) => {
            "they give the label away, because each of their values is in one class only"
        }
        (LeftOutReason::LabelCopy, false) => {
            "it gives the label away, because each of its values is in one class only"
        }
        (LeftOutReason::LabelName, true) => {
            "their names or values are those of labels, predictions, or rows to train and to test on"
        }
        (LeftOutReason::LabelName, false) => {
            "its name or values are those of labels, predictions, or rows to train and to test on"
        }
        (LeftOutReason::ManyTexts, true) => "they hold text with too many values for indicators",
        (LeftOutReason::ManyTexts, false) => "it holds text with too many values for indicators",
        (LeftOutReason::IdName, true) => "they hold text and are named like ids",
        (LeftOutReason::IdName, false) => "it holds text and is named like an id",
        (LeftOutReason::Time, true) => "they hold dates or times",
        (LeftOutReason::Time, false) => "it holds dates or times",
    };
    write!(f, "the column{s} {} {verb} left out: {why}", listed(columns))
}

/// All names in quotes: what was left out must not be hidden.
fn listed(columns: &[String]) -> String {
    columns.iter().map(|name| format!("'{}'", shorten(name))).collect::<Vec<_>>().join(", ")
}

fn plural<T>(count: usize, one: T, many: T) -> T {
    if count == 1 { one } else { many }
}

/// A number before a noun, unless it is one.
fn counted(count: usize) -> String {
    if count == 1 { String::new() } else { format!(" {count}") }
}

/// `a`, `a and b`, `a, b and c`.
fn enumerated(items: &[String]) -> String {
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
        let note = Note::IdLike { column: "0".into(), sign: IdSign::Distinct { values: 645, rows: 699 } };
        assert_eq!(
            note.to_string(),
            "the column '0' serves as a feature but may be an id: 645 different whole numbers in 699 rows, related to no \
             other feature"
        );
        assert_eq!(note.severity(), Severity::Warning);
        let note = Note::LeftOut { columns: vec!["rownames".into()], reason: LeftOutReason::RowNumbers };
        assert_eq!(note.to_string(), "the column 'rownames' was left out: it numbers the rows");
        let mut origin = LabelOrigin::certain("4", LabelSource::LastColumn);
        let note = Note::LabelGuessed { origin: origin.clone() };
        assert_eq!(
            (note.to_string().as_str(), note.severity()),
            ("the last column, '4', serves as the label", Severity::Info)
        );
        origin.alternatives = vec!["0".into(), "3".into()];
        let note = Note::LabelGuessed { origin };
        assert_eq!(
            (note.to_string().as_str(), note.severity()),
            ("the last column, '4', serves as the label; '0', '3' are just as plausible", Severity::Warning)
        );
        let note = Note::SimilarLabels { groups: vec![vec!["Yes".into(), "yes".into()]] };
        assert_eq!(
            note.to_string(),
            "labels differ in case or blanks only and count as different classes: 'Yes', 'yes'"
        );
    }
}

//! What can be done about an error or a note, without the words of any one front end.
//!
//! The command says `--missing drop`, a Python function `missing="drop"`, a page shows a button: each of them matches on
//! [`Advice`]. Its `Display` is for front ends that have no words of their own.

use std::fmt;

use crate::inspect::Setting;

/// An option of reading that names columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnOption {
    /// The column with the labels.
    Label,
    /// Columns to leave out.
    Drop,
    /// Columns that are features even if they look like ids.
    Keep,
    /// The only columns that are features.
    Only,
    /// Columns that become indicators.
    OneHot,
    /// Columns that are shown beside the points.
    Show,
}

impl ColumnOption {
    /// What the column is needed for: follows the words "there is no column x".
    pub(crate) fn purpose(self) -> &'static str {
        match self {
            ColumnOption::Label => "to serve as the label",
            ColumnOption::Drop => "to leave out",
            ColumnOption::Keep => "to keep",
            ColumnOption::Only => "to use as a feature",
            ColumnOption::OneHot => "to turn into indicators",
            ColumnOption::Show => "to show",
        }
    }
}

/// What a user can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// A sentence that is the same for every front end.
    Text(String),
    /// Choose the column with the labels.
    ChooseLabel,
    /// Choose another column with labels, if the one that was guessed is wrong.
    CorrectLabel,
    /// Choose another column with labels: texts, integers or categories.
    ChooseOtherLabel,
    /// Choose the column with the labels among several that may be meant.
    ChooseLabelAmong {
        /// The columns, by names or indexes that the option for the label takes; empty if none was found to work.
        columns: Vec<String>,
        /// What the file needs besides.
        settings: Vec<Setting>,
    },
    /// Choose another matrix of the file.
    ChooseLayer,
    /// Choose the column with the labels by its index.
    ChooseLabelByIndex,
    /// Name a column by its index, because its name is not unique.
    ChooseByIndex(ColumnOption),
    /// Choose another label, or leave out other columns: one column cannot be both.
    LabelIsDropped,
    /// Drop fewer columns, or give a file with labels.
    KeepLabel,
    /// Give an embedded dataset by its name, without an extension.
    UseEmbedded(String),
    /// Give a file with one label per row.
    GiveLabels,
    /// Leave out the column that the error or note is about.
    DropColumn,
    /// Leave out the named column.
    DropNamedColumn(String),
    /// Leave out the named column of texts, or turn it into indicators.
    DropOrOneHot(String),
    /// Turn columns of text with few values into indicators, and leave out those with many.
    HandleText {
        /// Columns with few different values.
        few: Vec<String>,
        /// Columns with many different values.
        many: Vec<String>,
    },
    /// Use these columns as features, although they look like ids.
    KeepColumns(Vec<String>),
    /// Leave out these columns, which may be ids or copies of the label, or say that they are features.
    DropOrKeep(Vec<String>),
    /// List the only columns that are features.
    ChooseOnly,
    /// Choose a column that holds classes, or confirm that each value of the named one is a class.
    ChooseClasses {
        /// The column that was taken as the label.
        column: String,
        /// Columns that may hold classes.
        instead: Vec<String>,
    },
    /// Read the first line as data.
    FirstLineIsData,
    /// Read the first line as a header.
    FirstLineIsHeader,
    /// Mend or remove the row, or leave out the column.
    MendRowOrDropColumn,
    /// Leave out rows with missing values, or put the mean of the column in their place.
    HandleMissing,
    /// Name a text that stands for a missing value.
    NameMissing(String),
    /// Lose fewer rows: use the mean of a column, or leave out these columns; or accept the loss.
    KeepRows(Vec<String>),
    /// Leave out rows without a label.
    DropRowsWithoutLabel,
    /// Leave out rows with something missing, however many they are.
    DropAnyRows,
    /// Ask for less where rows are read in blocks, or read all of them at once.
    DoWithoutInStream,
    /// Leave out rows with missing values: the mean of a column is not known in a stream.
    DropRowsInStream,
    /// Leave out the columns with missing values, or put the mean of the column in their place.
    DropColumnsOrImpute,
    /// Read commas as decimal points.
    DecimalComma,
    /// Use fewer columns or rows, single precision, or more memory.
    UseLessMemory,
    /// Use fewer columns or rows.
    UseFewerColumnsOrRows,
    /// Use another label, fewer measures, or more memory.
    UseFewerClasses,
    /// Scale the features so that each has the same weight.
    EqualWeights,
    /// Leave out classes of a single point.
    DropSingletons,
    /// Leave the measure out, or compute it exactly.
    EvaluateExactly,
    /// Allow more time, or leave the measure out.
    AllowMoreTime,
    /// Estimate the scores.
    Estimate {
        /// Whether the spanning trees of `clm` are among them, for which only a time limit helps.
        trees: bool,
    },
    /// Choose what separates the parts of labels.
    ChooseSeparator,
    /// Check what is taken as noise, and what becomes of single points.
    CheckNoiseAndSingletons,
    /// Leave out the points of this class, if they are noise.
    DropNoise(String),
    /// Draw fewer datasets at a time.
    DrawFewerDatasets,
    /// Leave out the choice of an external measure.
    LeaveOutExternal,
    /// Search longer.
    SearchLonger,
    /// Search longer, or ask for at least this many shuffles.
    MoreShuffles(usize),
    /// Widen the interval in which growth rates are searched, or judge more datasets.
    WidenInterval,
    /// Choose fewer datasets for a benchmark, or accept weaker verdicts.
    PickFewerOrAcceptMore,
    /// Ask for less diversity of a benchmark.
    AskForLessDiversity,
    /// Compute the scores of clustering techniques.
    ComputeTruth,
    /// Give a ranking as JSON, which holds more than a table.
    RankAsJson,
    /// Choose the measure to compare by.
    ChooseComparedMeasure,
    /// Score both sides with the same measures.
    SameMeasures,
    /// Give files that were written as JSON.
    GiveJsonResults,
}

/// Names in quotes.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

fn it(names: &[String]) -> &'static str {
    if names.len() == 1 { "it" } else { "each" }
}

fn handle_text(f: &mut fmt::Formatter<'_>, few: &[String], many: &[String]) -> fmt::Result {
    let turn = || format!("read it as a mixed table, which turns {} into indicators", quoted(few));
    match (few, many) {
        (_, []) => write!(f, "{}; or leave out all text", turn()),
        ([], _) => write!(f, "leave out {}", quoted(many)),
        _ => write!(f, "{} and leaves out {}; or leave out all text", turn(), quoted(many)),
    }
}

impl From<&str> for Advice {
    fn from(text: &str) -> Self {
        Advice::Text(text.to_owned())
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Self {
        Advice::Text(text)
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Advice::Text(text) => text,
            Advice::UseEmbedded(name) => {
                return write!(f, "'{name}', without an extension, is an embedded dataset");
            }
            Advice::DropNamedColumn(column) => return write!(f, "leave out the column '{column}'"),
            Advice::DropOrOneHot(column) => {
                return write!(f, "leave out the column '{column}', or turn it into indicators");
            }
            Advice::DropNoise(class) => return write!(f, "if '{class}' is noise, leave its points out"),
            Advice::MoreShuffles(count) => {
                return write!(f, "search longer, or ask for {count} shuffles at least");
            }
            Advice::HandleText { few, many } => return handle_text(f, few, many),
            Advice::KeepColumns(columns) => {
                return write!(f, "keep {} to use {} as a feature", quoted(columns), it(columns));
            }
            Advice::DropOrKeep(columns) => {
                let one = columns.len() == 1;
                let (s, them, are) =
                    if one { ("", "it", "it is a feature") } else { ("s", "them", "they are features") };
                return write!(f, "leave out the column{s} {}, or keep {them} if {are}", quoted(columns));
            }
            Advice::ChooseClasses { column, instead } => {
                let instead =
                    if instead.is_empty() { String::new() } else { format!(", such as {}", quoted(instead)) };
                return write!(
                    f,
                    "choose a column with classes{instead}; choose '{column}' itself to make every value a class"
                );
            }
            Advice::ChooseLabelAmong { columns, .. } if !columns.is_empty() => {
                return write!(f, "choose the column with the labels, such as {}", quoted(columns));
            }
            Advice::NameMissing(text) => {
                return write!(f, "if '{text}' stands for a missing value, name it as one");
            }
            Advice::KeepRows(columns) => {
                let drop = if columns.is_empty() {
                    String::new()
                } else {
                    format!(", leave out {}", quoted(columns))
                };
                return write!(
                    f,
                    "put the mean of the column in place of missing values{drop}, or accept any loss of rows"
                );
            }
            Advice::ChooseOnly => "list the features to use only those",
            Advice::FirstLineIsData => "read the first line as data if it is no header",
            Advice::FirstLineIsHeader => "if the first line is a header, read it so",
            Advice::ChooseLabel | Advice::ChooseLabelAmong { .. } => "choose the column with the labels",
            Advice::CorrectLabel => "choose another column if that is wrong",
            Advice::ChooseOtherLabel => "labels are texts, integers, or categories; choose another column",
            Advice::ChooseLayer => "choose another matrix of the file if that is wrong",
            Advice::ChooseLabelByIndex => "choose the label column by its index; columns are counted from 0",
            Advice::ChooseByIndex(_) => "name the column by its index; columns are counted from 0",
            Advice::LabelIsDropped => "choose another label, or leave out another column",
            Advice::KeepLabel => "leave out fewer columns, or give a file with labels",
            Advice::GiveLabels => {
                "give a file with one label per row, or put it beside the data as NAME_label.npy"
            }
            Advice::DropColumn => "leave out the column",
            Advice::MendRowOrDropColumn => "correct or remove the row, or leave out the column",
            Advice::HandleMissing => "leave out such rows, or put the column's mean in their place",
            Advice::DropRowsWithoutLabel => "leave out rows without a label",
            Advice::DropAnyRows => "choose another label, or accept any loss of rows",
            Advice::DoWithoutInStream => "do without it, or read all rows at once",
            Advice::DropRowsInStream => "leave out rows with missing values, or read all rows at once",
            Advice::DropColumnsOrImpute => {
                "leave out the columns that have them, or put the column's mean in their place"
            }
            Advice::DecimalComma => "if commas stand for decimal points, read them so",
            Advice::UseLessMemory => "use fewer columns or rows, single precision, or raise the memory limit",
            Advice::UseFewerColumnsOrRows => "use fewer columns or rows",
            Advice::UseFewerClasses => {
                "if the label column holds ids, choose another one; else use fewer measures or raise the memory limit"
            }
            Advice::EqualWeights => "scaling by standard gives each feature the same weight",
            Advice::DropSingletons => "leave out classes of a single point",
            Advice::EvaluateExactly => "leave the measure out, or evaluate it exactly",
            Advice::AllowMoreTime => "allow more time, or leave the measure out",
            Advice::Estimate { .. } => "estimate them from a sample of the points, with a stated error",
            Advice::ChooseSeparator => "choose what separates the parts of labels",
            Advice::CheckNoiseAndSingletons => "check which points are left out as noise or as single points",
            Advice::DrawFewerDatasets => "draw fewer datasets at a time",
            Advice::LeaveOutExternal => "the table has no column external: choose no external measure",
            Advice::SearchLonger => "search longer",
            Advice::WidenInterval => "widen the interval, or judge more datasets",
            Advice::PickFewerOrAcceptMore => "choose fewer datasets, or accept weaker verdicts",
            Advice::AskForLessDiversity => "ask for less diversity",
            Advice::ComputeTruth => "compute the scores of techniques on these datasets",
            Advice::RankAsJson => "a ranking as JSON has them",
            Advice::ChooseComparedMeasure => "choose another measure to compare by",
            Advice::SameMeasures => "score both with the same measures",
            Advice::GiveJsonResults => "give results that were written as JSON",
        };
        f.write_str(words)
    }
}

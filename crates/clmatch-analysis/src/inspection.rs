//! How a file is understood, as a result that every front end shows.

use clmatch_data::{
    Advice, ColumnRole, ColumnType, InspectedColumn, InspectedPoints, Inspection, InspectionStep,
    LabelOrigin, ReadError, Setting, Source,
};
use serde::{Deserialize, Serialize};

use crate::source::UnreadDataset;

/// The schema of an inspection.
pub const SCHEMA: &str = "clmatch/inspect/1";

/// How a file is understood, and the command that scores it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InspectedDataset {
    /// [`SCHEMA`].
    pub schema: String,
    /// The name of the dataset.
    pub dataset: String,
    /// The columns; empty where they have no names, as in a matrix.
    pub columns: Vec<InspectedColumn>,
    /// How many rows were examined for examples, different values and missing values.
    pub rows_seen: usize,
    /// What is read with the settings; absent if the file cannot be scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<InspectedPoints>,
    /// Where the labels come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOrigin>,
    /// Why the file is refused with the options as given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// What was changed about the options, in this order.
    pub steps: Vec<InspectionStep>,
    /// Settings that the given options need besides.
    pub settings: Vec<Setting>,
    /// What is in the way, if the file cannot be scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub obstacle: Option<Obstacle>,
    /// What was noticed or done while reading.
    pub notes: Vec<String>,
    /// The command that scores the file; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// What is in the way of scoring a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl InspectedDataset {
    /// The result for a dataset of this name. `in_words` is how the front end gives advice.
    pub fn new(
        dataset: &str,
        inspection: Inspection,
        in_words: impl Fn(&Advice) -> String,
        command: Option<String>,
    ) -> Self {
        let obstacle = |error: ReadError| Obstacle {
            what: error.to_string(),
            help: error.advice.as_ref().map(&in_words),
        };
        InspectedDataset {
            schema: SCHEMA.to_owned(),
            dataset: dataset.to_owned(),
            points: inspection.points,
            label: inspection.label,
            refused: inspection.refused.as_ref().map(ReadError::to_string),
            rows_seen: inspection.rows_seen,
            steps: inspection.steps,
            settings: inspection.settings,
            obstacle: inspection.obstacle.map(obstacle),
            notes: inspection.notes.iter().map(ToString::to_string).collect(),
            columns: inspection.columns,
            command,
        }
    }

    /// How much is read, and which column names the rows.
    pub fn size(&self) -> Option<String> {
        let InspectedPoints { rows, points, features, classes } = self.points?;
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let of = if rows == points { String::new() } else { format!(" of {rows} rows") };
        let named = self.names_rows().map(|name| format!(", each named by '{name}'")).unwrap_or_default();
        let (f, c) = (s(features), if classes == 1 { "class" } else { "classes" });
        Some(format!("{points} point{}{of}{named}, {features} feature{f}, {classes} {c}", s(points)))
    }

    /// The column that says which thing a row is about: one that is left out, and different in every row.
    pub fn names_rows(&self) -> Option<&str> {
        let names = |column: &&InspectedColumn| {
            column.role == ColumnRole::LeftOut
                && matches!(column.kind, ColumnType::Text | ColumnType::WholeNumber)
                && column.missing == 0.0
                && self.rows_seen > 1
                && column.distinct == self.rows_seen
        };
        self.columns.iter().find(names).map(|column| column.name.as_str())
    }
}

/// Whether a dataset is a file that may be read again, several times, to find out how.
pub fn is_small_file(source: &Source) -> bool {
    const LARGEST: u64 = 200_000_000;
    source.is_embedded() || (source.path.is_file() && source.bytes() <= LARGEST)
}

/// What the columns are used as, in a few lines with a heading each, the label first; `origin` says which other columns may be
/// the label.
pub fn roles(columns: &[InspectedColumn], origin: Option<&LabelOrigin>) -> Vec<(&'static str, String)> {
    let of = |role: ColumnRole| move |column: &&InspectedColumn| column.role == role;
    let is_text = |column: &InspectedColumn| matches!(column.kind, ColumnType::Text | ColumnType::Date);
    let names = |columns: Vec<&InspectedColumn>| first_few(columns.into_iter().map(shown).collect());
    let mut lines = Vec::new();
    if columns.iter().all(|column| column.role == ColumnRole::Undecided) {
        return lines;
    }
    if let Some(label) = columns.iter().find(of(ColumnRole::Label)) {
        let why = label.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        let others = origin.map_or(&[][..], |origin| &origin.alternatives);
        let others = match others {
            [] => String::new(),
            names => format!("; perhaps {}", first_few(names.iter().map(String::as_str).collect())),
        };
        lines.push(("label", format!("{}{why}{others}", shown(label))));
    }
    let features: Vec<&InspectedColumn> = columns.iter().filter(of(ColumnRole::Feature)).collect();
    if !features.is_empty() {
        let count = features.len();
        let count = if count > SHOWN { format!(" ({count} in all)") } else { String::new() };
        lines.push(("features", names(features) + &count));
    }
    let few: Vec<&InspectedColumn> = columns.iter().filter(of(ColumnRole::Indicators)).collect();
    let many: Vec<&InspectedColumn> =
        columns.iter().filter(of(ColumnRole::LeftOut)).filter(|column| is_text(column)).collect();
    let undecided: Vec<&InspectedColumn> =
        columns.iter().filter(of(ColumnRole::Undecided)).filter(|column| is_text(column)).collect();
    let text: Vec<String> = [(few, "few values"), (many, "left out"), (undecided, "not used yet")]
        .into_iter()
        .filter(|(columns, _)| !columns.is_empty())
        .map(|(columns, what)| format!("{} ({what})", names(columns)))
        .collect();
    if !text.is_empty() {
        lines.push(("text", text.join(", ")));
    }
    let others: Vec<&InspectedColumn> =
        columns.iter().filter(of(ColumnRole::LeftOut)).filter(|column| !is_text(column)).collect();
    let others: Vec<String> = others
        .into_iter()
        .map(|column| {
            shown(column).to_owned() + &column.why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default()
        })
        .collect();
    if !others.is_empty() {
        lines.push(("left out", first_few(others.iter().map(String::as_str).collect())));
    }
    let used = columns.iter().filter(|column| column.missing > 0.0 && column.role != ColumnRole::LeftOut);
    let missing: Vec<String> =
        used.map(|column| format!("{} {}", shown(column), percent(column.missing))).collect();
    if !missing.is_empty() {
        lines.push(("missing", first_few(missing.iter().map(String::as_str).collect())));
    }
    lines
}

/// The name of a column, if it has one.
fn shown(column: &InspectedColumn) -> &str {
    if column.name.trim().is_empty() { "(without a name)" } else { &column.name }
}

/// How many names a line shows.
const SHOWN: usize = 6;

fn first_few(names: Vec<&str>) -> String {
    let more = if names.len() > SHOWN { ", …" } else { "" };
    names.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ") + more
}

/// A share for people: `20%`, `< 1%`.
pub fn percent(share: f64) -> String {
    match (100.0 * share).round() {
        _ if share == 0.0 => "0%".to_owned(),
        rounded if rounded < 1.0 => "< 1%".to_owned(),
        rounded if rounded > 99.0 && share < 1.0 => "> 99%".to_owned(),
        rounded => format!("{rounded}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: ColumnType, role: ColumnRole, missing: f64) -> InspectedColumn {
        let why = (role == ColumnRole::Label).then(|| "by its name".to_owned());
        InspectedColumn {
            name: name.to_owned(),
            index: 0,
            kind,
            examples: Vec::new(),
            first: Vec::new(),
            distinct: 2,
            missing,
            role,
            why,
        }
    }

    #[test]
    fn roles_are_told_in_a_few_lines() {
        use {ColumnRole::*, ColumnType::*};
        let columns = [
            column("id", WholeNumber, LeftOut, 0.0),
            column("age", Number, Feature, 0.198),
            column("sex", Text, Indicators, 0.0),
            column("name", Text, LeftOut, 0.5),
            column("class", WholeNumber, Label, 0.0),
        ];
        let lines = roles(&columns, None);
        let expected = [
            ("label", "class (by its name)"),
            ("features", "age"),
            ("text", "sex (few values), name (left out)"),
            ("left out", "id"),
            ("missing", "age 20%"),
        ];
        assert_eq!(lines, expected.map(|(heading, text)| (heading, text.to_owned())));
        let many: Vec<InspectedColumn> =
            (0..9).map(|at| column(&format!("x{at}"), Number, Feature, 0.0)).collect();
        assert_eq!(roles(&many, None), [("features", "x0, x1, x2, x3, x4, x5, … (9 in all)".to_owned())]);
        assert_eq!(roles(&[], None), []);
    }

    #[test]
    fn shares_never_look_like_none_or_all() {
        assert_eq!([0.0, 0.001, 0.2, 0.999, 1.0].map(percent), ["0%", "< 1%", "20%", "> 99%", "100%"]);
    }
}

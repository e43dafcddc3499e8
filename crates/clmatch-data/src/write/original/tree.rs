//! A JSON object that holds a whole table, with some of its values replaced.

use super::plan::ColumnPlan;
use super::text::{TextWriter, json_text};
use crate::formats::json_table::{JsonAxis, JsonPart, JsonTree};
use crate::spans::CellSpan;

/// What is written in the place of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// The column itself, under its name.
    Same,
    /// The column with the new labels.
    Label,
    /// A new column with the labels.
    NewLabel,
    Feature(usize),
}

/// The row and the column that a part of the text belongs to.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    row: Option<usize>,
    column: Option<(usize, Written)>,
}

impl TextWriter<'_> {
    /// Appends the whole text.
    pub(super) fn push_tree(&self, tree: &JsonTree, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.file.bytes[..tree.root.value.start]);
        match &tree.axes {
            Some(axes) => self.push_part(&tree.root, axes, Place::default(), out),
            None => {
                let mut at = tree.root.value.start;
                for member in &tree.root.parts {
                    let axes: &[JsonAxis] = match member.name(&self.file.bytes).as_deref() {
                        Some("columns") => &[JsonAxis::Columns],
                        Some("index") => &[JsonAxis::Rows],
                        Some("data") => &[JsonAxis::Rows, JsonAxis::Columns],
                        _ => &[],
                    };
                    out.extend_from_slice(&self.file.bytes[at..member.value.start]);
                    self.push_part(member, axes, Place::default(), out);
                    at = member.value.end;
                }
                out.extend_from_slice(&self.file.bytes[at..tree.root.value.end]);
            }
        }
        out.extend_from_slice(&self.file.bytes[tree.root.value.end..]);
    }

    fn push_part(&self, part: &JsonPart, axes: &[JsonAxis], place: Place, out: &mut Vec<u8>) {
        let bytes = &self.file.bytes;
        let (Some((axis, axes)), Some(first), Some(last)) =
            (axes.split_first(), part.parts.first(), part.parts.last())
        else {
            return self.push_value(part, place, out);
        };
        out.extend_from_slice(&bytes[part.value.start..first.whole.start]);
        let mut any = false;
        for (at, child) in part.parts.iter().enumerate() {
            let places: Vec<Place> = match axis {
                JsonAxis::Rows if !self.plan.rows[at].stays => Vec::new(),
                JsonAxis::Rows => vec![Place { row: Some(at), ..place }],
                JsonAxis::Columns => {
                    let column = |written| Place { column: Some((at, written)), ..place };
                    self.written(at).into_iter().map(column).collect()
                }
            };
            for place in places {
                if std::mem::replace(&mut any, true) {
                    out.push(b',');
                }
                self.push_name(child, *axis, place, out);
                self.push_part(child, axes, place, out);
            }
        }
        out.extend_from_slice(&bytes[last.whole.end..part.value.end]);
    }

    /// What is written in the place of a column.
    fn written(&self, column: usize) -> Vec<Written> {
        let plan = self.plan;
        let last = column + 1 == plan.columns.len();
        let mut written = match &plan.columns[column] {
            _ if plan.label == Some(column) => {
                vec![if plan.column.is_some() { Written::Same } else { Written::Label }]
            }
            ColumnPlan::Keep => vec![Written::Same],
            ColumnPlan::Remove => Vec::new(),
            ColumnPlan::Features(features) => {
                features.iter().map(|&feature| Written::Feature(feature)).collect()
            }
        };
        if plan.column.is_some() && plan.label.map_or(last, |label| label == column) {
            written.push(Written::NewLabel);
        }
        written
    }

    /// The name of what is written; `None` for the name that is there.
    fn name_of(&self, written: Written) -> Option<&str> {
        match written {
            Written::Same | Written::Label => None,
            Written::NewLabel => self.plan.column.as_deref(),
            Written::Feature(feature) => Some(self.plan.feature(feature)),
        }
    }

    /// Appends what stands before the value of a part.
    fn push_name(&self, part: &JsonPart, axis: JsonAxis, place: Place, out: &mut Vec<u8>) {
        let bytes = &self.file.bytes;
        let renamed =
            place.column.and_then(|(_, written)| self.name_of(written)).filter(|_| axis == JsonAxis::Columns);
        match (renamed, part.name_at(bytes)) {
            (Some(name), Some(at)) if part.name(bytes).as_deref() != Some(name) => {
                out.extend_from_slice(&bytes[part.whole.start..at.start]);
                out.extend_from_slice(json_text(name).as_bytes());
                out.extend_from_slice(&bytes[at.end..part.value.start]);
            }
            _ => out.extend_from_slice(&bytes[part.whole.start..part.value.start]),
        }
    }

    /// Appends a value: a cell, a name of a column in a list, or anything else as it is.
    fn push_value(&self, part: &JsonPart, place: Place, out: &mut Vec<u8>) {
        let raw = &self.file.bytes[part.value.clone()];
        let Some((column, written)) = place.column else { return out.extend_from_slice(raw) };
        let row = place.row.map(|row| &self.plan.rows[row]);
        match (row, written) {
            (Some(row), Written::Label) if row.old != row.new => self.push_label(row, raw, out),
            (_, Written::Same | Written::Label) => out.extend_from_slice(raw),
            (Some(row), Written::NewLabel) => self.push_label(row, b"", out),
            (Some(row), Written::Feature(feature)) => {
                let cell = CellSpan::plain(column, part.value.clone());
                out.extend_from_slice(&self.feature(&cell, Some(row), feature));
            }
            (None, written) => match self.name_of(written) {
                Some(name) if serde_json::from_slice::<String>(raw).is_ok_and(|own| own != name) => {
                    out.extend_from_slice(json_text(name).as_bytes());
                }
                _ => out.extend_from_slice(raw),
            },
        }
    }
}

//! The cells of a table as texts, for writing it in another format.

use std::io::{self, Write};

use super::plan::{ColumnPlan, WritePlan};
use super::text::{TextFile, TextKind, json_text};
use crate::cell::{self, ParsedCell};
use crate::error::ReadError;
#[cfg(feature = "arrow")]
use crate::formats::arrow::whole::WholeFile;
use crate::table::plain_name;
use crate::write::push_number;
use crate::write::text::quoted;

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    Number,
    Bool,
    Text,
    /// Arrays and objects, as they are written.
    Json,
}

/// A column: its cells as texts, `None` for a missing one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SheetColumn {
    pub(super) name: String,
    pub(super) kind: CellKind,
    pub(super) cells: Vec<Option<String>>,
}

/// A table of texts.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) columns: Vec<SheetColumn>,
    /// Which of them holds the labels.
    label: Option<usize>,
    /// Columns whose types cannot be written as text.
    pub(super) lost: Vec<String>,
}

impl Sheet {
    /// The cells of a text file, as they are stored.
    pub(super) fn of_text(file: &TextFile) -> Result<Sheet, ReadError> {
        let mut columns: Vec<SheetColumn> = file
            .names
            .iter()
            .map(|name| SheetColumn { name: plain_name(name), kind: CellKind::Text, cells: Vec::new() })
            .collect();
        // In JSON a text in quotes is a text, whatever it spells.
        let mut spelled = vec![false; columns.len()];
        let mut nested = vec![false; columns.len()];
        let json = matches!(file.kind, TextKind::Objects { .. } | TextKind::Tree(_));
        let mut rows = 0;
        file.rows(&mut |record| {
            rows += 1;
            for cell in &record.cells {
                let Some(column) = columns.get_mut(cell.column) else { continue };
                let text = String::from_utf8_lossy(&file.text_of(cell)).into_owned();
                if json {
                    spelled[cell.column] |= file.bytes[cell.value.start] == b'"';
                    nested[cell.column] |= matches!(file.bytes[cell.value.start], b'[' | b'{');
                }
                column.cells.push(Some(text).filter(|text| !text.is_empty()));
            }
            for (place, column) in
                columns.iter_mut().enumerate().filter(|(_, column)| column.cells.len() < rows)
            {
                let left_out = matches!(file.kind, TextKind::Arff(_)).then(|| file.text(record, place));
                column.cells.push(left_out.map(|text| String::from_utf8_lossy(&text).into_owned()));
            }
            Ok(())
        })?;
        for (place, column) in columns.iter_mut().enumerate() {
            if nested[place] {
                column.kind = CellKind::Json;
            } else if !spelled[place] {
                recognise(column, file.decimal_comma, json);
            }
        }
        Ok(Sheet { columns, label: None, lost: Vec::new() })
    }

    /// The cells of typed columns.
    #[cfg(feature = "arrow")]
    pub(super) fn of_columns(file: &WholeFile) -> Sheet {
        let mut sheet = Sheet::default();
        for (place, field) in file.schema.fields().iter().enumerate() {
            let is_word = *field.data_type() == arrow_schema::DataType::Boolean;
            let kind = match file.is_number(place) {
                _ if is_word => CellKind::Bool,
                true => CellKind::Number,
                false => CellKind::Text,
            };
            let cells = file.texts(place).unwrap_or_default();
            if cells.is_empty() && file.batches.iter().any(|batch| batch.num_rows() > 0) {
                sheet.lost.push(field.name().clone());
            }
            sheet.columns.push(SheetColumn { name: field.name().clone(), kind, cells });
        }
        sheet
    }

    /// The table with the changes made.
    pub(super) fn changed(self, plan: &WritePlan<'_>) -> Sheet {
        let labels = |name: String| {
            let cells: Vec<Option<String>> =
                plan.kept().map(|row| plan.label_of(row).map(str::to_owned)).collect();
            let whole = |cell: &Option<String>| {
                cell.as_ref()
                    .is_none_or(|text| text.parse::<i64>().is_ok_and(|number| number.to_string() == *text))
            };
            let kind = if cells.iter().all(whole) { CellKind::Number } else { CellKind::Text };
            SheetColumn { name, kind, cells }
        };
        let mut changed = Sheet { lost: self.lost, ..Sheet::default() };
        for (place, mut column) in self.columns.into_iter().enumerate() {
            let is_label = plan.label == Some(place);
            if is_label && plan.column.is_none() {
                changed.label = Some(changed.columns.len());
                changed.columns.push(labels(column.name));
                continue;
            }
            match &plan.columns[place] {
                ColumnPlan::Remove => {}
                ColumnPlan::Features(features) => changed.columns.extend(features.iter().map(|&feature| {
                    let number = |value| {
                        let mut text = String::new();
                        push_number(&mut text, value);
                        Some(text)
                    };
                    let cells = plan.kept().map(|row| number(plan.value(row, feature))).collect();
                    SheetColumn { name: plan.feature(feature).to_owned(), kind: CellKind::Number, cells }
                })),
                ColumnPlan::Keep if column.cells.len() == plan.rows.len() => {
                    let mut rows = plan.rows.iter();
                    column.cells.retain(|_| rows.next().is_some_and(|row| row.stays));
                    changed.columns.push(column);
                }
                // Its type has no texts.
                ColumnPlan::Keep => {}
            }
            if is_label {
                changed.label = Some(changed.columns.len());
                changed.columns.extend(plan.column.clone().map(&labels));
            }
        }
        if plan.label.is_none() {
            changed.label = Some(changed.columns.len());
            changed.columns.extend(plan.column.clone().map(&labels));
        }
        changed
    }

    /// A name that two columns have.
    pub(super) fn twice(&self) -> Option<&str> {
        let mut names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        names.sort_unstable();
        names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
    }

    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// Writes a header and a line for each row.
    pub(super) fn delimited(&self, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
        writer.write_record(self.columns.iter().map(|column| &column.name))?;
        for row in 0..self.rows() {
            writer.write_record(
                self.columns.iter().map(|column| column.cells[row].as_deref().unwrap_or_default()),
            )?;
        }
        writer.flush()
    }

    /// Writes an object for each row: on a line of its own, or in an array.
    pub(super) fn objects(&self, array: bool, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<String> = self.columns.iter().map(|column| json_text(&column.name)).collect();
        for row in 0..self.rows() {
            let mut line = String::from(match (array, row) {
                (true, 0) => "[{",
                (true, _) => ",\n{",
                (false, _) => "{",
            });
            for (place, (column, name)) in self.columns.iter().zip(&names).enumerate() {
                line.push_str(if place > 0 { "," } else { "" });
                line.push_str(name);
                line.push(':');
                match (&column.cells[row], column.kind) {
                    (None, _) => line.push_str("null"),
                    (Some(text), CellKind::Text) => line.push_str(&json_text(text)),
                    // Words for true and false are not written alike everywhere.
                    (Some(text), CellKind::Bool) => line.push_str(&text.to_ascii_lowercase()),
                    (Some(text), CellKind::Number | CellKind::Json) => line.push_str(text),
                }
            }
            line.push_str(if array { "}" } else { "}\n" });
            out.write_all(line.as_bytes())?;
        }
        if array { out.write_all(b"]\n") } else { Ok(()) }
    }

    /// Writes numeric attributes, a nominal label, and all else as strings.
    pub(super) fn arff(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "@relation {}", quoted(name))?;
        for (place, column) in self.columns.iter().enumerate() {
            let kind = match column.kind {
                _ if self.label == Some(place) => {
                    let mut names: Vec<&String> = Vec::new();
                    for cell in column.cells.iter().flatten() {
                        if !names.contains(&cell) {
                            names.push(cell);
                        }
                    }
                    format!(
                        "{{{}}}",
                        names.into_iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",")
                    )
                }
                CellKind::Number => "numeric".to_owned(),
                CellKind::Bool | CellKind::Text | CellKind::Json => "string".to_owned(),
            };
            writeln!(out, "@attribute {} {kind}", quoted(&column.name))?;
        }
        writeln!(out, "@data")?;
        for row in 0..self.rows() {
            let cell = |column: &SheetColumn| match &column.cells[row] {
                Some(text) if column.kind == CellKind::Number => text.clone(),
                Some(text) => quoted(text),
                None => "?".to_owned(),
            };
            writeln!(out, "{}", self.columns.iter().map(cell).collect::<Vec<_>>().join(","))?;
        }
        Ok(())
    }
}

/// Finds out whether all cells of a column are numbers, or words for true and false in JSON. Codes with leading zeros are texts.
fn recognise(column: &mut SheetColumn, decimal_comma: bool, json: bool) {
    let (mut numbers, mut words, mut codes) = (0, 0, false);
    let mut given = 0;
    for text in column.cells.iter().flatten() {
        match cell::read(text.as_bytes(), decimal_comma) {
            ParsedCell::Number(_) => numbers += 1,
            ParsedCell::Bool(_) if json => words += 1,
            ParsedCell::Missing => continue,
            _ => {}
        }
        given += 1;
        let digits = text.trim_start_matches(['-', '+']).as_bytes();
        codes |= digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
    }
    if given == 0 || codes || numbers + words < given || numbers * words > 0 {
        return;
    }
    column.kind = if words > 0 { CellKind::Bool } else { CellKind::Number };
    for cell in &mut column.cells {
        let Some(text) = cell else { continue };
        *cell = match cell::read(text.as_bytes(), decimal_comma) {
            ParsedCell::Missing => None,
            ParsedCell::Number(number) if serde_json::from_str::<serde_json::Number>(text).is_err() => {
                let mut written = String::new();
                push_number(&mut written, number);
                Some(written)
            }
            _ => continue,
        };
    }
}

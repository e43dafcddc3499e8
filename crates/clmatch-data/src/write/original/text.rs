//! Text files with some cells replaced. All other bytes stay: quotes, line ends, comments, a byte-order mark.

use std::borrow::Cow;
use std::io::{self, Write};

use super::plan::{ColumnPlan, RowPlan, WritePlan};
use crate::cell::{self, ParsedCell};
use crate::error::{ColumnRef, ReadError};
use crate::formats::arff::spans::ArffLayout;
use crate::formats::csv::sniff::{Delimiter, Dialect};
use crate::formats::json_table::JsonTree;
use crate::formats::{arff, csv, records, svmlight};
use crate::spans::{CellSpan, RecordSpan};
use crate::table::{number_name, plain_name};
use crate::write::push_number;
use crate::write::text::{fits_svmlight, quoted};

/// How the text is cut into records.
pub(super) enum TextKind {
    Delimited(Dialect),
    /// JSON objects; in an array or not.
    Objects {
        array: bool,
    },
    Arff(ArffLayout),
    /// One JSON object that holds a whole table.
    Tree(JsonTree),
    /// Only the labels are found.
    Svmlight,
}

/// A text file in memory.
pub(super) struct TextFile {
    pub(super) bytes: Vec<u8>,
    /// Where the rows end, and a footer begins.
    pub(super) end: usize,
    pub(super) kind: TextKind,
    pub(super) names: Vec<ColumnRef>,
    pub(super) decimal_comma: bool,
}

impl TextFile {
    /// Calls `each` with every row.
    pub(super) fn rows(
        &self,
        each: &mut dyn FnMut(&RecordSpan) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        match &self.kind {
            TextKind::Delimited(dialect) => {
                let mut header = dialect.header;
                csv::spans::spans(&self.bytes[..self.end], dialect, &mut |record| {
                    if std::mem::take(&mut header) { Ok(()) } else { each(record) }
                })
            }
            TextKind::Objects { array } => records::spans(&self.bytes, *array, &self.names, each),
            TextKind::Arff(layout) => arff::spans::spans(&self.bytes, layout, each),
            TextKind::Tree(tree) => tree.rows(&self.bytes, each),
            TextKind::Svmlight => svmlight::spans(&self.bytes, each),
        }
    }

    /// The text of a column in a row as the reader sees it; empty if there is none.
    pub(super) fn text(&self, record: &RecordSpan, column: usize) -> Vec<u8> {
        match (record.cells.iter().find(|cell| cell.column == column), &self.kind) {
            (Some(cell), _) => self.text_of(cell),
            // What a sparse row leaves out.
            (None, TextKind::Arff(layout)) => {
                let first = layout.nominal[column].as_ref().and_then(|values| values.first().cloned());
                first.unwrap_or_else(|| b"0".to_vec())
            }
            (None, _) => Vec::new(),
        }
    }

    /// The text of a cell as the reader sees it.
    pub(super) fn text_of(&self, cell: &CellSpan) -> Vec<u8> {
        let written = &self.bytes[cell.value.clone()];
        match &self.kind {
            TextKind::Delimited(dialect) => csv::spans::text_of(written, dialect.delimiter),
            TextKind::Objects { .. } | TextKind::Tree(_) if written.starts_with(b"\"") => {
                serde_json::from_slice::<String>(written).unwrap_or_default().trim().into()
            }
            TextKind::Objects { .. } | TextKind::Tree(_) if written == b"null" => Vec::new(),
            TextKind::Objects { .. } | TextKind::Tree(_) => written.to_vec(),
            TextKind::Arff(_) => arff::spans::text_of(written),
            TextKind::Svmlight => match cell::plain(written) {
                ParsedCell::Number(number) => number_name(number).into_bytes(),
                _ => written.to_vec(),
            },
        }
    }

    /// Whether every row has a cell for each column, so that columns can be taken out.
    pub(super) fn has_all_columns(&self) -> bool {
        let mut sparse = matches!(self.kind, TextKind::Svmlight);
        if let TextKind::Arff(_) = self.kind {
            // An error is that of the reader, too.
            let _ = self.rows(&mut |record| {
                sparse |= self.is_sparse(record);
                Ok(())
            });
        }
        !sparse
    }

    /// The first line of a footer.
    pub(super) fn footer(&self) -> Option<String> {
        let footer = String::from_utf8_lossy(&self.bytes[self.end..]);
        footer.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// A label that cannot be written in this file.
    pub(super) fn refused<'a>(&self, classes: &[&'a str]) -> Option<&'a str> {
        let fits = |name: &str| match &self.kind {
            TextKind::Delimited(Dialect { delimiter: Delimiter::Blanks, .. }) => {
                !name.contains(['"', '\n', '\r'])
            }
            TextKind::Arff(_) => !name.contains(['\n', '\r']),
            TextKind::Svmlight => fits_svmlight(name),
            _ => true,
        };
        classes.iter().copied().find(|name| !fits(name))
    }

    fn is_sparse(&self, record: &RecordSpan) -> bool {
        matches!(self.kind, TextKind::Arff(_))
            && self.bytes[record.range.clone()].trim_ascii().starts_with(b"{")
    }

    /// Writes the file with the changes made.
    pub(super) fn write(&self, plan: &WritePlan<'_>, out: &mut dyn Write) -> io::Result<()> {
        let declared = match (&self.kind, plan.label) {
            (TextKind::Arff(layout), Some(label)) => {
                plan.declared(layout.nominal[label].as_deref().unwrap_or_default())
            }
            _ => Vec::new(),
        };
        let writer = TextWriter { file: self, plan, declared };
        let mut buffer = Vec::new();
        if let TextKind::Tree(tree) = &self.kind {
            writer.push_tree(tree, &mut buffer);
            return out.write_all(&buffer);
        }
        let mut at = writer.push_header(&mut buffer).map_err(io::Error::other)?;
        // Objects of an array are separated by commas, so that an object goes with what stands before it.
        let joined = matches!(self.kind, TextKind::Objects { .. });
        let (mut rows, mut first_gap, mut any) = (plan.rows.iter(), None, false);
        let mut written = Ok(());
        let cut = self.rows(&mut |record| {
            let Some(row) = rows.next() else { return Ok(()) };
            let gap = &self.bytes[at..record.range.start];
            at = record.range.end;
            let first = *first_gap.get_or_insert(gap);
            if !joined || row.stays {
                buffer.extend_from_slice(if joined && !any { first } else { gap });
            }
            if row.stays {
                any = true;
                writer.push_record(record, Some(row), &mut buffer);
            }
            if buffer.len() >= 1 << 18 && written.is_ok() {
                written = out.write_all(&buffer);
                buffer.clear();
            }
            Ok(())
        });
        written?;
        cut.map_err(io::Error::other)?;
        writer.push_footer(at, &mut buffer);
        out.write_all(&buffer)
    }
}

/// A cell to write: what separates it from the one before, if that stands in the file, and its text.
struct NewCell<'a> {
    separator: Option<&'a [u8]>,
    text: Cow<'a, [u8]>,
}

pub(super) struct TextWriter<'a> {
    pub(super) file: &'a TextFile,
    pub(super) plan: &'a WritePlan<'a>,
    /// The values that an ARFF file declares for the label.
    pub(super) declared: Vec<String>,
}

impl<'a> TextWriter<'a> {
    /// Appends a row, or the names of the columns.
    pub(super) fn push_record(&self, record: &RecordSpan, row: Option<&RowPlan>, out: &mut Vec<u8>) {
        let bytes = &self.file.bytes;
        out.extend_from_slice(&bytes[record.range.start..record.inner.start]);
        for (place, cell) in self.cells(record, row).iter().enumerate() {
            if place > 0 {
                out.extend_from_slice(cell.separator.unwrap_or_else(|| self.separator()));
            }
            out.extend_from_slice(&cell.text);
        }
        out.extend_from_slice(&bytes[record.inner.end..record.range.end]);
    }

    /// The cells of a row, or the names of the columns.
    fn cells(&self, record: &RecordSpan, row: Option<&RowPlan>) -> Vec<NewCell<'a>> {
        let (bytes, plan) = (&self.file.bytes, self.plan);
        // In ARFF a new attribute comes last, because sparse rows count them.
        let beside = plan.column.is_some() && !matches!(self.file.kind, TextKind::Arff(_));
        let mut cells: Vec<NewCell<'a>> = Vec::with_capacity(record.cells.len() + 1);
        let (mut end, mut labelled, mut added) = (None, false, false);
        for cell in &record.cells {
            let mut separator = end.replace(cell.whole.end).map(|end| &bytes[end..cell.whole.start]);
            let raw = Cow::Borrowed(&bytes[cell.whole.clone()]);
            if plan.label == Some(cell.column) {
                labelled = true;
                let changed = row.filter(|row| row.old != row.new && plan.column.is_none());
                let text = changed
                    .map_or(raw, |row| self.with_value(cell, |old, text| self.push_label(row, old, text)));
                cells.push(NewCell { separator, text });
                if beside {
                    added = true;
                    cells.push(NewCell { separator: None, text: self.new_label(record, row) });
                }
                continue;
            }
            match plan.columns.get(cell.column) {
                Some(ColumnPlan::Remove) => {}
                Some(ColumnPlan::Features(features)) => {
                    for &feature in features {
                        let text = self.feature(cell, row, feature);
                        cells.push(NewCell { separator: separator.take(), text });
                    }
                }
                _ => cells.push(NewCell { separator, text: raw }),
            }
        }
        if let (Some(label), Some(row), None, false) = (plan.label, row, &plan.column, labelled) {
            // The record leaves out its label: a sparse row whose label is the first one, or an object.
            let (first, sparse) = (self.declared.first().map(String::as_str), self.file.is_sparse(record));
            if if sparse { plan.label_of(row) != first } else { row.old != row.new } {
                let text = self.named_label(record, row, label);
                let at = if sparse {
                    record.cells.iter().filter(|cell| cell.column < label).count()
                } else {
                    cells.len()
                };
                cells.insert(at, NewCell { separator: None, text });
            }
        }
        if plan.column.is_some() && !added {
            cells.push(NewCell { separator: None, text: self.new_label(record, row) });
        }
        cells
    }

    /// A cell with another value; what stands around the value stays.
    fn with_value(&self, cell: &CellSpan, push: impl FnOnce(&[u8], &mut Vec<u8>)) -> Cow<'a, [u8]> {
        let bytes = &self.file.bytes;
        let mut text = bytes[cell.whole.start..cell.value.start].to_vec();
        push(&bytes[cell.value.clone()], &mut text);
        text.extend_from_slice(&bytes[cell.value.end..cell.whole.end]);
        Cow::Owned(text)
    }

    /// A feature in the cell of its column, or its name.
    pub(super) fn feature(&self, cell: &CellSpan, row: Option<&RowPlan>, feature: usize) -> Cow<'a, [u8]> {
        let name = self.plan.feature(feature);
        let is_own = name == plain_name(&self.file.names[cell.column]);
        let raw = || Cow::Borrowed(&self.file.bytes[cell.whole.clone()]);
        let Some(row) = row else {
            return if is_own {
                raw()
            } else {
                self.new_cell(cell, name, |text| self.push_text(name, b"", text))
            };
        };
        let number = self.plan.value(row, feature);
        let same = match cell::read(&self.file.text_of(cell), self.file.decimal_comma) {
            ParsedCell::Number(read) => read == number,
            ParsedCell::Bool(read) => f64::from(u8::from(read)) == number,
            _ => false,
        };
        if is_own && same {
            return raw();
        }
        let mut written = String::new();
        push_number(&mut written, number);
        if self.file.decimal_comma {
            written = written.replace('.', ",");
        }
        if is_own {
            self.with_value(cell, |_, text| text.extend_from_slice(written.as_bytes()))
        } else {
            self.new_cell(cell, name, |text| text.extend_from_slice(written.as_bytes()))
        }
    }

    /// A new cell, written like another one of its record: with a name where values have names.
    fn new_cell(&self, like: &CellSpan, name: &str, push: impl FnOnce(&mut Vec<u8>)) -> Cow<'a, [u8]> {
        let mut text = Vec::new();
        if let TextKind::Objects { .. } = self.file.kind {
            let before = &self.file.bytes[like.whole.start..like.value.start];
            let blanks = before.len() - before.trim_ascii_start().len();
            text.extend_from_slice(&before[..blanks]);
            text.extend_from_slice(json_text(name).as_bytes());
            text.extend_from_slice(if before.ends_with(b" ") { b": " } else { b":" });
        }
        push(&mut text);
        Cow::Owned(text)
    }

    /// The cell of the new column of labels, or its name.
    fn new_label(&self, record: &RecordSpan, row: Option<&RowPlan>) -> Cow<'a, [u8]> {
        let name = self.plan.column.as_deref().unwrap_or_default();
        let Some(row) = row else {
            let mut text = Vec::new();
            self.push_text(name, b"", &mut text);
            return Cow::Owned(text);
        };
        let index = self.file.names.len();
        self.label_cell(record, row, name, index)
    }

    /// The cell of the label in a record that leaves it out.
    fn named_label(&self, record: &RecordSpan, row: &RowPlan, label: usize) -> Cow<'a, [u8]> {
        self.label_cell(record, row, &plain_name(&self.file.names[label]), label)
    }

    fn label_cell(&self, record: &RecordSpan, row: &RowPlan, name: &str, index: usize) -> Cow<'a, [u8]> {
        if self.file.is_sparse(record) {
            let mut text = format!("{index} ").into_bytes();
            self.push_label(row, b"", &mut text);
            return Cow::Owned(text);
        }
        let none = CellSpan::plain(0, 0..0);
        let like = record.cells.last().unwrap_or(&none);
        self.new_cell(like, name, |text| self.push_label(row, b"", text))
    }

    /// Appends the label of a row, written like the `old` one.
    pub(super) fn push_label(&self, row: &RowPlan, old: &[u8], out: &mut Vec<u8>) {
        match (self.plan.label_of(row), &self.file.kind) {
            (Some(label), _) => self.push_text(label, old, out),
            (None, TextKind::Objects { .. } | TextKind::Tree(_)) => out.extend_from_slice(b"null"),
            (None, TextKind::Arff(_)) => out.push(b'?'),
            (None, _) => self.push_text("", old, out),
        }
    }

    /// Appends a text as a value, written like the `old` one.
    pub(super) fn push_text(&self, text: &str, old: &[u8], out: &mut Vec<u8>) {
        match &self.file.kind {
            TextKind::Delimited(dialect) => {
                csv::spans::push_cell(out, text, dialect.delimiter, old.starts_with(b"\""));
            }
            TextKind::Objects { .. } | TextKind::Tree(_) => {
                let literal = !old.starts_with(b"\"")
                    && serde_json::from_str::<serde_json::Value>(text)
                        .is_ok_and(|value| value.is_number() || value.is_boolean());
                let text = if literal { text.to_owned() } else { json_text(text) };
                out.extend_from_slice(text.as_bytes());
            }
            TextKind::Arff(_) => out.extend_from_slice(quoted(text).as_bytes()),
            TextKind::Svmlight => out.extend_from_slice(text.as_bytes()),
        }
    }

    /// What separates a new cell from the one before it.
    pub(super) fn separator(&self) -> &'a [u8] {
        match &self.file.kind {
            TextKind::Delimited(Dialect { delimiter: Delimiter::Byte(byte), .. }) => {
                std::slice::from_ref(byte)
            }
            TextKind::Delimited(_) | TextKind::Svmlight => b" ",
            TextKind::Objects { .. } | TextKind::Arff(_) | TextKind::Tree(_) => b",",
        }
    }
}

/// A text as JSON.
pub(super) fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

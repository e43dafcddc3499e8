//! What stands before and after the rows of a text file.

use super::plan::ColumnPlan;
use super::text::{TextKind, TextWriter};
use crate::cell;
use crate::error::ReadError;
use crate::formats::arff::spans::ArffLayout;
use crate::formats::csv;
use crate::spans::CellSpan;
use crate::table::plain_name;
use crate::write::text::quoted;

impl<'a> TextWriter<'a> {
    /// Appends what stands before the rows, and returns where they begin.
    pub(super) fn push_header(&self, out: &mut Vec<u8>) -> Result<usize, ReadError> {
        match &self.file.kind {
            TextKind::Delimited(dialect) if dialect.header => {
                let mut header = None;
                // Nothing after the first record matters here.
                let _ = csv::spans::spans(&self.file.bytes, dialect, &mut |record| {
                    header = Some(record.clone());
                    Err(ReadError::new(""))
                });
                let header = header.ok_or_else(|| ReadError::new("there is no header"))?;
                out.extend_from_slice(&self.file.bytes[..header.range.start]);
                self.push_record(&header, None, out);
                Ok(header.range.end)
            }
            TextKind::Arff(layout) => {
                self.push_attributes(layout, out);
                Ok(layout.rows)
            }
            _ => Ok(0),
        }
    }

    /// Appends what stands after the rows. Lines that have a cell for each column lose those of columns that are removed, and
    /// have nothing in new ones.
    pub(super) fn push_footer(&self, mut at: usize, out: &mut Vec<u8>) {
        let (bytes, plan) = (&self.file.bytes, self.plan);
        let kept = plan.columns.iter().all(|column| *column == ColumnPlan::Keep) && plan.column.is_none();
        if let (TextKind::Delimited(dialect), false) = (&self.file.kind, kept) {
            while let Some(record) = csv::spans::next(bytes, at, dialect) {
                out.extend_from_slice(&bytes[at..record.inner.start]);
                at = record.inner.end;
                if record.cells.len() == plan.columns.len() {
                    let cells: Vec<&[u8]> =
                        record.cells.iter().flat_map(|cell| self.footer_cells(cell)).collect();
                    out.extend_from_slice(&cells.join(self.separator()));
                } else {
                    out.extend_from_slice(&bytes[record.inner]);
                }
            }
        }
        out.extend_from_slice(&bytes[at..]);
    }

    /// What stands in a footer in place of a cell.
    fn footer_cells(&self, cell: &CellSpan) -> Vec<&'a [u8]> {
        let (raw, plan) = (&self.file.bytes[cell.whole.clone()], self.plan);
        let is_last = cell.column + 1 == plan.columns.len();
        let is_label = plan.label.map_or(is_last, |label| label == cell.column);
        let mut cells = match &plan.columns[cell.column] {
            ColumnPlan::Remove => Vec::new(),
            ColumnPlan::Features(features) => {
                let own = plain_name(&self.file.names[cell.column]);
                let text = |&feature: &usize| if plan.feature(feature) == own { raw } else { &b""[..] };
                features.iter().map(text).collect()
            }
            ColumnPlan::Keep => vec![raw],
        };
        cells.extend(plan.column.iter().filter(|_| is_label).map(|_| &b""[..]));
        cells
    }

    /// Appends the lines of an ARFF file before its rows.
    fn push_attributes(&self, layout: &ArffLayout, out: &mut Vec<u8>) {
        let (bytes, plan) = (&self.file.bytes, self.plan);
        let nominal = plan.classes_of(|_| true).into_iter().map(quoted).collect::<Vec<_>>().join(",");
        let mut at = 0;
        for (column, (line, kind)) in layout.lines.iter().enumerate() {
            out.extend_from_slice(&bytes[at..line.start]);
            at = line.end;
            let own = plain_name(&self.file.names[column]);
            match &plan.columns[column] {
                _ if plan.label == Some(column) => {
                    let old: Vec<String> = layout.nominal[column]
                        .iter()
                        .flatten()
                        .map(|v| String::from_utf8_lossy(v).into())
                        .collect();
                    let number = |name: &String| cell::is_number(name.as_bytes(), false);
                    let is_text = bytes[kind.clone()].to_ascii_lowercase().starts_with(b"string");
                    let fits = match layout.nominal[column] {
                        Some(_) => old == self.declared,
                        None => is_text || self.declared.iter().all(number),
                    };
                    if plan.column.is_some() || fits {
                        out.extend_from_slice(&bytes[line.clone()]);
                    } else {
                        out.extend_from_slice(&bytes[line.start..kind.start]);
                        let blank = bytes[kind.clone()].windows(2).any(|pair| pair == b", ");
                        let values: Vec<String> = self.declared.iter().map(|name| quoted(name)).collect();
                        out.extend_from_slice(
                            format!("{{{}}}", values.join(if blank { ", " } else { "," })).as_bytes(),
                        );
                        out.extend_from_slice(&bytes[kind.end..line.end]);
                    }
                }
                ColumnPlan::Keep => out.extend_from_slice(&bytes[line.clone()]),
                ColumnPlan::Remove => {}
                ColumnPlan::Features(features) => {
                    for &feature in features {
                        if plan.feature(feature) == own && layout.nominal[column].is_none() {
                            out.extend_from_slice(&bytes[line.clone()]);
                        } else {
                            let line = format!("@attribute {} numeric\n", quoted(plan.feature(feature)));
                            out.extend_from_slice(line.as_bytes());
                        }
                    }
                }
            }
        }
        if let Some(name) = &plan.column {
            out.extend_from_slice(format!("@attribute {} {{{nominal}}}\n", quoted(name)).as_bytes());
        }
        out.extend_from_slice(&bytes[at..layout.rows]);
    }
}

//! Tables that are read as text: cells of JSON objects and of workbooks become lines with tabs, which the reader of text tables
//! knows how to take apart.

use crate::error::ReadError;
use crate::formats::csv;
use crate::input::ByteSource;
use crate::memory::MemoryBudget;
use crate::options::ReadOptions;
use crate::table::RawTable;

/// A table as text.
#[derive(Debug, Default)]
pub(crate) struct SheetText {
    text: Vec<u8>,
    inside: bool,
}

impl SheetText {
    /// Appends a cell to the current row.
    pub(crate) fn cell(&mut self, cell: &[u8]) {
        if std::mem::replace(&mut self.inside, true) {
            self.text.push(b'\t');
        }
        let plain = |byte: &u8| !matches!(byte, b'\t' | b'"' | b'\n' | b'\r');
        if cell.iter().all(plain) && !cell.starts_with(b"#") {
            self.text.extend_from_slice(cell);
            return;
        }
        self.text.push(b'"');
        for &byte in cell {
            self.text.push(byte);
            if byte == b'"' {
                self.text.push(b'"');
            }
        }
        self.text.push(b'"');
    }

    /// Ends the row.
    pub(crate) fn end_row(&mut self, budget: MemoryBudget) -> Result<(), ReadError> {
        self.text.push(b'\n');
        self.inside = false;
        budget.check(self.text.len() as u64)
    }

    /// The text, to be read.
    pub(crate) fn into_source(self) -> ByteSource {
        ByteSource::Memory(self.text.into())
    }
}

/// Reads a table that was made text; `labels` is false when the labels come from elsewhere. Row `line + above` of the original
/// is in the line `line`.
pub(crate) fn read(
    text: &ByteSource,
    above: i64,
    header: Option<bool>,
    options: &ReadOptions,
    labels: bool,
) -> Result<RawTable, ReadError> {
    let options = ReadOptions { header, ..options.clone() };
    csv::read(text, &options, labels).map_err(|mut error| {
        if let Some(place) = &mut error.place {
            place.row = place.line.take().and_then(|line| line.checked_add_signed(above)).or(place.row);
        }
        error
    })
}

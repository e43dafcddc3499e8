//! Where records and their cells lie in the bytes of a text file, so that some of them can be replaced and all others stay.

use std::ops::Range;

/// A cell of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellSpan {
    /// The column it belongs to.
    pub(crate) column: usize,
    /// What is removed with the cell: its value and, where records name their values, the name.
    pub(crate) whole: Range<usize>,
    /// The value as it is written, with its quotes.
    pub(crate) value: Range<usize>,
}

impl CellSpan {
    /// A cell that is nothing but its value.
    pub(crate) fn plain(column: usize, value: Range<usize>) -> Self {
        CellSpan { column, whole: value.clone(), value }
    }
}

/// A record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RecordSpan {
    /// All of it; a line with its end.
    pub(crate) range: Range<usize>,
    /// What lies between the brackets, or the line without its end: all cells and what separates them.
    pub(crate) inner: Range<usize>,
    pub(crate) cells: Vec<CellSpan>,
}

impl RecordSpan {
    /// A line of cells that are nothing but their values.
    pub(crate) fn line(range: Range<usize>, cells: Vec<CellSpan>) -> Self {
        let inner = match (cells.first(), cells.last()) {
            (Some(first), Some(last)) => first.whole.start..last.whole.end,
            _ => range.start..range.start,
        };
        RecordSpan { range, inner, cells }
    }
}

/// Where `part`, a part of `bytes`, lies in it.
pub(crate) fn range_in(bytes: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr() as usize - bytes.as_ptr() as usize;
    start..start + part.len()
}

/// A range without the blanks at its ends.
pub(crate) fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = bytes[range.clone()].trim_ascii();
    if text.is_empty() { range.start..range.start } else { range_in(bytes, text) }
}

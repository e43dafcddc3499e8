//! The careful path: quotes, text columns, and the line of everything that is wrong.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};

use crate::cell;
use crate::columns::ColumnPlan;
use crate::error::{ReadError, shorten};
use crate::formats::csv::cells::{builder, words};
use crate::formats::csv::line_limit::LineLimit;
use crate::formats::csv::sniff::{Delimiter, Dialect};
use crate::input::{ByteSource, damaged};
use crate::label_copies::FEWEST_ROWS;
use crate::names::may_name_label;
use crate::note::Note;
use crate::options::{Missing, ReadOptions};
use crate::rows::TableBuilder;
use crate::table::{Codes, LabelBuilder, RawTable};

/// Reads the table.
pub(crate) fn read(
    input: &ByteSource,
    dialect: &Dialect,
    plan: ColumnPlan,
    options: &ReadOptions,
) -> Result<RawTable, ReadError> {
    let mut rows = TableBuilder::new(plan, options);
    each_row(input, dialect, |line, cells| rows.push(line, cells.iter().copied()))?;
    Ok(rows.finish())
}

/// Reads one column as labels.
pub(crate) fn column(
    input: &ByteSource,
    dialect: &Dialect,
    column: usize,
    missing: Missing,
) -> Result<Codes, ReadError> {
    let mut labels = LabelBuilder::default();
    let names = &dialect.names;
    each_row(input, dialect, |line, cells| {
        if cells.len() != names.len() {
            return Err(crate::rows::ragged(cells.len(), names.len()).line(line));
        }
        push(&mut labels, cells[column], missing)
            .map_err(|error| error.line(line).column(names[column].clone()))
    })?;
    Ok(labels.finish())
}

/// Reads a file with one column as labels of `rows` rows, and adds a note if its first line may be no header after all.
///
/// # Errors
/// A first line that is a header although a label is then missing, or one that may be a label although there is then one too
/// many: the labels would be those of the rows before or after.
pub(crate) fn only_column(
    input: &ByteSource,
    dialect: &Dialect,
    rows: usize,
    missing: Missing,
) -> Result<(Codes, Option<Note>), ReadError> {
    let all = Dialect { header: false, ..dialect.clone() };
    let mut first = FirstLine::default();
    each_row(input, &all, |_, cells| {
        first.see(cells.first().copied().unwrap_or_default().trim_ascii());
        Ok(())
    })?;
    let (mut header, note) = first.header(rows)?;
    let mut labels = LabelBuilder::default();
    each_row(input, &all, |line, cells| {
        if std::mem::take(&mut header) {
            return Ok(());
        }
        push(&mut labels, cells.first().copied().unwrap_or_default(), missing)
            .map_err(|error| error.line(line))
    })?;
    Ok((labels.finish(), note))
}

/// What tells whether the first line of a file of labels is a header.
#[derive(Default)]
struct FirstLine {
    text: Vec<u8>,
    lines: usize,
    /// Whether another line is the same, perhaps in upper or lower case.
    again: bool,
    /// Whether all other lines are numbers.
    numbers: bool,
    /// In how many lines each other label is, as far as there are few.
    others: HashMap<Vec<u8>, usize>,
}

impl FirstLine {
    fn see(&mut self, text: &[u8]) {
        /// With more different labels than this, a header does not stand out.
        const MOST: usize = 10_000;
        self.lines += 1;
        if self.lines == 1 {
            (self.text, self.numbers) = (text.to_vec(), true);
            return;
        }
        self.again |= text.eq_ignore_ascii_case(&self.text);
        self.numbers &= cell::no_label(text) || cell::is_number(text, false);
        if let Some(lines) = self.others.get_mut(text) {
            *lines += 1;
        } else if self.others.len() <= MOST {
            self.others.insert(text.to_vec(), 1);
        }
    }

    /// Whether the first line is a header, with a note unless that is certain. Refuses labels that may be shifted by a line.
    fn header(&self, rows: usize) -> Result<(bool, Option<Note>), ReadError> {
        let name = String::from_utf8_lossy(&self.text);
        let is_number = cell::is_number(&self.text, false);
        let certain = !self.again && (may_name_label(&name) || !is_number && self.numbers);
        if self.lines == rows {
            // No other label is in one row only, so that this one is hardly a class.
            let stands_out = rows >= FEWEST_ROWS && self.others.values().all(|&lines| lines > 1);
            if rows > 1 && !self.again && (certain || !is_number && stands_out) {
                let what = format!(
                    "there are {} labels for {rows} rows: the first line, '{}', was read as a header",
                    rows - 1,
                    shorten(&name)
                );
                return Err(ReadError::new(what).line(1).help(
                    "add the label that is missing; if the first line is a label, put a header line before it",
                ));
            }
            return Ok((false, None));
        }
        // pandas writes a series without a name under the header 0.
        let is_label = self.again || (is_number && self.numbers && self.text != b"0");
        if certain || self.lines != rows + 1 {
            return Ok((certain, None));
        }
        if is_label {
            let why =
                if self.again { "other lines are the same" } else { "it is a number as the others are" };
            let what = format!(
                "there are {} labels for {rows} rows: the first line, '{}', does not look like a header, because {why}",
                self.lines,
                shorten(&name)
            );
            return Err(ReadError::new(what).line(1).help(
                "give exactly one label for each row; if the first line is a header, call it 'label'",
            ));
        }
        Ok((true, Some(Note::LabelHeader { name: name.into_owned() })))
    }
}

fn push(labels: &mut LabelBuilder, text: &[u8], missing: Missing) -> Result<(), ReadError> {
    let text = text.trim_ascii();
    if !cell::no_label(text) {
        return labels.push(text);
    }
    if missing == Missing::Error {
        return Err(crate::missing::missing_label());
    }
    labels.push_missing();
    Ok(())
}

/// Calls `row` with the line and the cells of each row after the header.
pub(super) fn each_row(
    input: &ByteSource,
    dialect: &Dialect,
    row: impl FnMut(u64, &[&[u8]]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut reader = LineLimit::new(input.reader()?, dialect.longest);
    let mark = std::io::copy(&mut reader.by_ref().take(dialect.mark as u64), &mut std::io::sink());
    mark.map_err(|error| damaged(&error))?;
    match dialect.delimiter {
        Delimiter::Byte(byte) => each_record(reader, byte, dialect.header, row)
            .map_err(|refused| refused.with_line_of(input, dialect.mark as u64)),
        Delimiter::Blanks => each_line(reader, dialect.skipped, dialect.header, row),
    }
}

/// An error in a record; the record starts at a byte relative to the mark.
struct Refused {
    error: ReadError,
    byte: u64,
}

impl Refused {
    /// Adds the line of its record to the error, if the error names a line at all. The parser counts line feeds before a
    /// record is read, and so is wrong after carriage returns, blank lines and comments.
    fn with_line_of(self, input: &ByteSource, mark: u64) -> ReadError {
        let named = self.error.place.as_ref().is_some_and(|place| place.line.is_some());
        match input.reader().and_then(|reader| line_at(reader, mark + self.byte)) {
            Ok(line) if named => self.error.line(line),
            _ => self.error,
        }
    }
}

/// The line, counted from 1, of the first record that starts at or after a byte.
pub(super) fn line_at(reader: impl Read, byte: u64) -> Result<u64, ReadError> {
    let mut line = 1;
    let mut last = b'\n';
    let mut comment = false;
    for (at, next) in (0_u64..).zip(BufReader::with_capacity(1 << 18, reader).bytes()) {
        let next = next.map_err(|error| damaged(&error))?;
        let ends = next == b'\r' || next == b'\n';
        if at >= byte && !ends && !comment {
            comment = next == b'#' && (last == b'\r' || last == b'\n');
            if !comment {
                break;
            }
        }
        comment &= !ends;
        line += u64::from(ends && !(next == b'\n' && last == b'\r'));
        last = next;
    }
    Ok(line)
}

fn each_record(
    reader: impl Read,
    delimiter: u8,
    mut header: bool,
    mut row: impl FnMut(u64, &[&[u8]]) -> Result<(), ReadError>,
) -> Result<(), Box<Refused>> {
    let mut quotes = CountQuotes { reader, quotes: 0 };
    let mut records = builder(delimiter).from_reader(&mut quotes);
    let mut record = csv::ByteRecord::new();
    let mut start = 0;
    let mut open = false;
    let refused = |error: ReadError, byte: u64| Box::new(Refused { error, byte });
    let failed = |error: &csv::Error| refused(csv_error(error), 0);
    while records.read_byte_record(&mut record).map_err(|error| failed(&error))? {
        start = record.position().map_or(0, csv::Position::byte);
        // A quote that was never closed puts everything after it into the last cell.
        open = record.iter().next_back().is_some_and(|cell| memchr::memchr2(b'\n', b'\r', cell).is_some());
        if std::mem::take(&mut header) {
            continue;
        }
        let cells: Vec<&[u8]> = record.iter().collect();
        let line = record.position().map_or(0, csv::Position::line);
        if let Err(error) = row(line, &cells) {
            let unclosed = open && !records.read_byte_record(&mut record).map_err(|error| failed(&error))?;
            let error = if unclosed && quotes.odd() { unclosed_quote() } else { error };
            return Err(refused(error, start));
        }
    }
    if open && quotes.odd() { Err(refused(unclosed_quote(), start)) } else { Ok(()) }
}

fn each_line(
    reader: impl Read,
    skipped: u64,
    mut header: bool,
    mut row: impl FnMut(u64, &[&[u8]]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut reader = BufReader::with_capacity(1 << 18, reader);
    let mut line = Vec::new();
    for number in skipped + 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(|error| damaged(&error))? == 0 {
            break;
        }
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || std::mem::take(&mut header) {
            continue;
        }
        let cells: Vec<&[u8]> = words(text).collect();
        row(number, &cells)?;
    }
    Ok(())
}

/// Counts quotes, because the CSV crate takes an unclosed quote as closed at the end of the file.
pub(super) struct CountQuotes<R> {
    reader: R,
    quotes: usize,
}

impl<R> CountQuotes<R> {
    fn odd(&self) -> bool {
        self.quotes % 2 == 1
    }
}

impl<R: Read> Read for CountQuotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.quotes += buffer[..count].iter().filter(|&&byte| byte == b'"').count();
        Ok(count)
    }
}

/// The error for an unclosed quote; the caller of [`each_record`] sets the line.
pub(super) fn unclosed_quote() -> ReadError {
    ReadError::new("a quote is opened in this row and never closed")
        .line(0)
        .help("close the quote, or double it (\"\") if it belongs to the text")
}

pub(super) fn csv_error(error: &csv::Error) -> ReadError {
    match error.kind() {
        csv::ErrorKind::Io(error) => damaged(error),
        _ => ReadError::new(error.to_string()).help("check delimiters and quotes"),
    }
}

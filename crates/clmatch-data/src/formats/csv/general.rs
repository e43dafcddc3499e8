//! The careful path: quotes, text columns, and the line of everything that is wrong.

use std::io::{BufRead, BufReader, Read};

use crate::cell;
use crate::columns::{Plan, plan};
use crate::error::ReadError;
use crate::formats::csv::cells::{builder, words};
use crate::formats::csv::sniff::{Delimiter, Dialect};
use crate::input::{Input, damaged};
use crate::options::{Missing, ReadOptions};
use crate::rows::Rows;
use crate::table::{Codes, LabelBuilder, Table};

/// Reads the table.
pub(crate) fn read(
    input: &Input,
    dialect: &Dialect,
    plan: Plan,
    options: &ReadOptions,
) -> Result<Table, ReadError> {
    let mut rows = Rows::new(plan, options);
    each_row(input, dialect, |line, cells| rows.push(line, cells.iter().copied()))?;
    Ok(rows.finish())
}

/// Reads one column as labels.
pub(crate) fn column(input: &Input, dialect: &Dialect, options: &ReadOptions) -> Result<Codes, ReadError> {
    let chosen = ReadOptions { label: options.label.clone(), ..ReadOptions::default() };
    let plan = plan(dialect.names.clone(), &chosen, true)?;
    let label = plan.label().unwrap_or(0);
    let mut labels = LabelBuilder::default();
    each_row(input, dialect, |line, cells| {
        if cells.len() != plan.names.len() {
            return Err(crate::rows::ragged(cells.len(), plan.names.len()).line(line));
        }
        push(&mut labels, cells[label], options.missing)
            .map_err(|error| error.line(line).column(plan.names[label].clone()))
    })?;
    Ok(labels.finish())
}

/// Reads a file of one column as labels of `rows` rows; a first line too many is a header.
pub(crate) fn only_column(
    input: &Input,
    dialect: &Dialect,
    rows: usize,
    options: &ReadOptions,
) -> Result<Codes, ReadError> {
    let all = Dialect { header: false, ..dialect.clone() };
    let mut lines = 0;
    each_row(input, &all, |_, _| {
        lines += 1;
        Ok(())
    })?;
    let mut labels = LabelBuilder::default();
    let mut header = options.header.unwrap_or(lines == rows + 1);
    each_row(input, &all, |line, cells| {
        if std::mem::take(&mut header) {
            return Ok(());
        }
        push(&mut labels, cells.first().copied().unwrap_or_default(), options.missing)
            .map_err(|error| error.line(line))
    })?;
    Ok(labels.finish())
}

fn push(labels: &mut LabelBuilder, text: &[u8], missing: Missing) -> Result<(), ReadError> {
    let text = text.trim_ascii();
    if !cell::no_label(text) {
        return labels.push(text);
    }
    if missing != Missing::Drop {
        return Err(crate::missing::missing_label());
    }
    labels.push_missing();
    Ok(())
}

/// Calls `row` with the line and the cells of each row after the header.
fn each_row(
    input: &Input,
    dialect: &Dialect,
    row: impl FnMut(u64, &[&[u8]]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut reader = input.reader()?;
    let mut mark = vec![0; dialect.mark];
    reader.read_exact(&mut mark).map_err(|error| damaged(&error))?;
    match dialect.delimiter {
        Delimiter::Byte(byte) => each_record(reader, byte, dialect.header, row),
        Delimiter::Blanks => each_line(reader, dialect.header, row),
    }
}

fn each_record(
    reader: impl Read,
    delimiter: u8,
    mut header: bool,
    mut row: impl FnMut(u64, &[&[u8]]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut quotes = CountQuotes { reader, quotes: 0 };
    let mut records = builder(delimiter).from_reader(&mut quotes);
    let mut record = csv::ByteRecord::new();
    let mut last = 0;
    let mut open = false;
    while records.read_byte_record(&mut record).map_err(|error| csv_error(&error))? {
        last = record.position().map_or(0, csv::Position::line);
        // Only a quote that was never closed lets the last cell end in a line's end.
        open = record.iter().next_back().is_some_and(|cell| cell.contains(&b'\n'));
        if std::mem::take(&mut header) {
            continue;
        }
        let cells: Vec<&[u8]> = record.iter().collect();
        if let Err(error) = row(last, &cells) {
            let unclosed =
                open && !records.read_byte_record(&mut record).map_err(|error| csv_error(&error))?;
            return Err(if unclosed && quotes.odd() { unclosed_quote(last) } else { error });
        }
    }
    if open && quotes.odd() { Err(unclosed_quote(last)) } else { Ok(()) }
}

fn each_line(
    reader: impl Read,
    mut header: bool,
    mut row: impl FnMut(u64, &[&[u8]]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut reader = BufReader::with_capacity(1 << 18, reader);
    let mut line = Vec::new();
    for number in 1.. {
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

/// Counts quotes, because the CSV crate takes an unclosed one for closed at the end of the file.
struct CountQuotes<R> {
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

fn unclosed_quote(line: u64) -> ReadError {
    ReadError::new("a quote is opened in this row and never closed")
        .line(line)
        .help("close the quote, or double it (\"\") if it belongs to the text")
}

fn csv_error(error: &csv::Error) -> ReadError {
    match error.kind() {
        csv::ErrorKind::Io(error) => damaged(error),
        _ => ReadError::new(error.to_string()).help("check delimiters and quotes"),
    }
}

//! What stands before the rows of a table: the line `sep=;` of Excel, titles, and headers of several lines.
//!
//! Each of these makes a table that cannot be read as it is. They are skipped only if what follows is clearly a table.

use std::collections::HashMap;

use super::cells::builder;
use super::sample::TextSample;
use super::sniff::{Delimiter, complete, delimiter};
use crate::cell::{self, ParsedCell};
use crate::error::ReadError;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::table::not_utf8;

/// At most this many lines are titles.
const TITLES: usize = 30;
/// At most this many lines make a header.
const HEADER: usize = 5;
/// How many rows show that a table follows.
const ENOUGH: usize = 3;
/// How many rows are examined.
const ROWS: usize = 100;
/// Of wide tables only so many cells are examined, but at least this many rows.
const CELLS: usize = 100_000;
const FEW: usize = TITLES + HEADER + ENOUGH;

/// Moves the start of the table behind what stands before it.
///
/// # Errors
/// Names of columns that are not UTF-8.
pub(super) fn skip(sample: &mut TextSample, options: &ReadOptions) -> Result<(), ReadError> {
    if let Some((byte, length)) = declared_delimiter(&sample.bytes[sample.mark..]) {
        sample.delimiter = Some(byte);
        advance(sample, length);
    }
    let Some(mut rows) = FirstRows::of(sample, options) else { return Ok(()) };
    // Whoever says how many lines to skip has seen the titles.
    let titles = if options.skip_rows > 0 { 0 } else { rows.titles(options) };
    let start = rows.drop_first(titles);
    if titles > 0 {
        let text = sample.bytes[sample.mark..][..start].trim_ascii();
        let first = text.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let first = String::from_utf8_lossy(first).trim_end_matches([',', ';', '\t', '|']).to_owned();
        let lines = advance(sample, start);
        sample.delimiter = Some(rows.delimiter);
        sample.notes.push(Note::TitleLines { lines, first });
    }
    if options.header != Some(false)
        && let Some(header) = rows.header(options)
    {
        sample.names = Some(rows.names(header)?);
        // pandas writes the name of the index in a row of its own.
        let named = rows.cells.get(header).is_some_and(|row| is_index_name(row));
        let end = rows.ends[header + usize::from(named) - 1] - start;
        advance(sample, end);
        sample.delimiter = Some(rows.delimiter);
        sample.notes.push(Note::HeaderLines { lines: header });
    }
    Ok(())
}

/// Skips bytes that end with a line, and returns how many lines these are.
fn advance(sample: &mut TextSample, length: usize) -> usize {
    let bytes = &sample.bytes[sample.mark..];
    let rest = &bytes[length..];
    // Blank lines are no rows either.
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    let length = length + blank;
    let text = &bytes[..length];
    let end = if text.contains(&b'\n') { b'\n' } else { b'\r' };
    let lines = memchr::memchr_iter(end, text).count();
    sample.mark += length;
    sample.skipped += lines as u64;
    lines
}

/// The delimiter in a first line `sep=;`, and the length of the line.
fn declared_delimiter(text: &[u8]) -> Option<(u8, usize)> {
    let end = text.iter().take(16).position(|byte| matches!(byte, b'\n' | b'\r'))?;
    let line = &text[..end];
    let quoted = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\""));
    match quoted.unwrap_or(line) {
        [s, e, p, b'=', byte] if [*s, *e, *p].eq_ignore_ascii_case(b"sep") && byte.is_ascii() => {
            Some((*byte, end + 1))
        }
        _ => None,
    }
}

/// Only the first cell may hold text.
fn is_index_name(row: &[Vec<u8>]) -> bool {
    row.len() > 1 && row[1..].iter().all(Vec::is_empty)
}

/// The first rows, split into trimmed cells.
struct FirstRows {
    delimiter: u8,
    /// How many cells most rows have.
    width: usize,
    cells: Vec<Vec<Vec<u8>>>,
    /// Where each row ends, relative to the first one.
    ends: Vec<usize>,
}

impl FirstRows {
    /// Splits the first rows at the delimiter that makes most of them equally long; `None` if nothing can stand before the table.
    fn of(sample: &TextSample, options: &ReadOptions) -> Option<FirstRows> {
        let found = match delimiter(sample, options) {
            Delimiter::Byte(byte) => FirstRows::split(sample, byte),
            Delimiter::Blanks => None,
        };
        // A title may hide which delimiter follows it.
        match found {
            Some(rows) if rows.first_of_width() == Some(0) => Some(rows),
            found => {
                let candidates = [b'\t', b';', b'|', b','].into_iter();
                let others = candidates.filter(|&byte| !(options.decimal_comma && byte == b','));
                let better = others.filter_map(|byte| FirstRows::split(sample, byte));
                let better = better.filter(|rows| rows.titles(options) > 0);
                better.max_by_key(|rows| rows.width).or(found)
            }
        }
    }

    fn split(sample: &TextSample, delimiter: u8) -> Option<FirstRows> {
        let mut reader = builder(delimiter).from_reader(complete(sample));
        let (mut cells, mut ends) = (Vec::new(), Vec::new());
        let mut left = CELLS;
        let mut record = csv::ByteRecord::new();
        while cells.len() < ROWS
            && (left > 0 || cells.len() < FEW)
            && reader.read_byte_record(&mut record).ok()?
        {
            left = left.saturating_sub(record.len());
            cells.push(record.iter().map(|cell| cell.trim_ascii().to_vec()).collect::<Vec<_>>());
            ends.push(usize::try_from(reader.position().byte()).ok()?);
        }
        // The last rows may be a footer.
        let middle = &cells[..cells.len() - cells.len() / 4];
        let width = middle.last()?.len();
        (width > 1).then_some(FirstRows { delimiter, width, cells, ends })
    }

    /// The first row that is as long as most others.
    fn first_of_width(&self) -> Option<usize> {
        self.cells.iter().position(|row| row.len() == self.width)
    }

    /// How many rows are titles: each has few cells, and text in them. Rows of full length follow, of which the first names the
    /// columns, unless each title is a single cell.
    fn titles(&self, options: &ReadOptions) -> usize {
        let filled = |row: &[Vec<u8>]| row.iter().filter(|cell| !cell.is_empty()).count();
        // In a table of two columns, a value may be missing in a few rows.
        const SEVERAL: usize = 3;
        let alone = |row: &Vec<Vec<u8>>| row.len() == self.width && self.width > 1 && filled(row) <= 1;
        let noted = self.cells.iter().take_while(|row| alone(row)).count() >= SEVERAL;
        let padded = |row: &Vec<Vec<u8>>| alone(row) && (self.width > 2 || noted);
        let Some(start) = self
            .cells
            .iter()
            .position(|row| row.len() == self.width && !padded(row))
            .filter(|&start| start > 0)
        else {
            return 0;
        };
        let (titles, table) = self.cells.split_at(start);
        let is_title = |row: &Vec<Vec<u8>>| row.len() < self.width || padded(row);
        let says = titles.iter().any(|row| row.iter().any(|cell| is_words(cell, options)));
        let even = table.len().min(ROWS).saturating_sub(table.len() / 4);
        let follows = table.len() >= ENOUGH && table[..even].iter().all(|row| row.len() == self.width);
        // R writes no name for the names of its rows.
        let shifted = matches!(titles, [only] if only.len() > 1 && only.len() + 1 == self.width);
        let above = |(name, below): (&Vec<u8>, &Vec<u8>)| {
            is_words(name, options) && cell::is_number(below, options.decimal_comma)
        };
        let clear = follows
            && (noted
                || table[0].iter().zip(&table[1]).any(above)
                || titles.iter().all(|row| row.len() == 1));
        if start <= TITLES && says && titles.iter().all(is_title) && !shifted && clear { start } else { 0 }
    }

    /// Drops the first rows and returns where they end.
    fn drop_first(&mut self, count: usize) -> usize {
        let Some(last) = count.checked_sub(1) else { return 0 };
        let end = self.ends[last];
        self.cells.drain(..count);
        self.ends.drain(..count);
        end
    }

    /// How many rows make the header, if there are several: the last of them has words where only numbers follow.
    fn header(&self, options: &ReadOptions) -> Option<usize> {
        let most = HEADER.min(self.cells.len().checked_sub(ENOUGH)?);
        if self.cells.iter().take(most + ENOUGH).any(|row| row.len() != self.width) {
            return None;
        }
        // Most tables end the search here, without a look at all cells.
        let wordy = |row: &Vec<Vec<u8>>| row.iter().filter(|cell| is_words(cell, options)).nth(1).is_some();
        if !self.cells[1..most.max(1)].iter().any(wordy) {
            return None;
        }
        let below: Vec<&Vec<Vec<u8>>> =
            self.cells[most..].iter().filter(|row| row.len() == self.width).collect();
        let meaning = |cell: &[u8]| cell::read(cell, options.decimal_comma);
        let is_numeric = |column: usize| {
            let mut numbers = below.iter().map(|row| meaning(&row[column]));
            below.iter().any(|row| matches!(meaning(&row[column]), ParsedCell::Number(_)))
                && numbers.all(|cell| matches!(cell, ParsedCell::Number(_) | ParsedCell::Missing))
        };
        let numeric: Vec<bool> = (0..self.width).map(is_numeric).collect();
        let count = numeric.iter().filter(|&&numeric| numeric).count();
        let words = |row: &[Vec<u8>]| {
            let cells = row.iter().zip(&numeric).filter(|(_, numeric)| **numeric);
            cells.filter(|(cell, _)| is_words(cell, options)).count()
        };
        // A class or another text that occurs again makes a row.
        let again = |row: &[Vec<u8>]| {
            (0..self.width).any(|column| {
                !numeric[column]
                    && !row[column].is_empty()
                    && below.iter().any(|other| other[column] == row[column])
            })
        };
        let last = (1..most).rev().find(|&row| {
            let row = &self.cells[row];
            words(row) >= (count / 2).max(2) && !again(row)
        })?;
        let is_part = |row: &Vec<Vec<u8>>| (words(row) > 0 || row.iter().all(Vec::is_empty)) && !again(row);
        let first = self.cells[0].iter().any(|cell| is_words(cell, options)) && !again(&self.cells[0]);
        (first && self.cells[1..last].iter().all(is_part)).then_some(last + 1)
    }

    /// The joined names of the first `header` rows. Where that leaves equal names, an empty cell repeats what stands left of it,
    /// as in cells that were merged in a spreadsheet.
    fn names(&self, header: usize) -> Result<Vec<String>, ReadError> {
        let mut rows = Vec::with_capacity(header);
        for row in &self.cells[..header] {
            let texts = row.iter().map(|cell| std::str::from_utf8(cell).map_err(|_| not_utf8(cell)));
            rows.push(texts.collect::<Result<Vec<&str>, ReadError>>()?);
        }
        let joined = |rows: &[Vec<&str>], column: usize| {
            let parts: Vec<&str> =
                rows.iter().map(|row| row[column]).filter(|part| !part.is_empty()).collect();
            parts.join(" ")
        };
        let plain: Vec<String> = (0..self.width).map(|column| joined(&rows, column)).collect();
        for row in &mut rows[..header - 1] {
            for column in 1..self.width {
                if row[column].is_empty() {
                    row[column] = row[column - 1];
                }
            }
        }
        let mut times: HashMap<&str, usize> = HashMap::new();
        plain.iter().for_each(|name| *times.entry(name).or_default() += 1);
        let name = |(column, name): (usize, &String)| {
            if times[name.as_str()] == 1 { name.clone() } else { joined(&rows, column) }
        };
        Ok(plain.iter().enumerate().map(name).collect())
    }
}

/// Whether a cell holds a word, and neither a number nor a missing value.
fn is_words(cell: &[u8], options: &ReadOptions) -> bool {
    cell::read(cell, options.decimal_comma) == ParsedCell::Text
        && cell.iter().any(|&byte| byte.is_ascii_alphabetic() || byte >= 0x80)
}

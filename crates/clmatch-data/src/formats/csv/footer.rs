//! Totals and remarks below a table, which are no rows.

use std::fs::File;
use std::io::Read;

use super::cells::builder;
use super::sample::TextSample;
use super::sniff::{Delimiter, Dialect, body, each_first_row};
use crate::cell::{self, ParsedCell};
use crate::error::{ReadError, shorten};
use crate::input::{ByteSource, cannot_open, damaged, read_all, read_at};
use crate::memory::MemoryBudget;
use crate::note::Note;

/// At most this many lines at the end are a footer.
const LINES: usize = 10;
/// How many bytes at the end are examined.
const TAIL: usize = 1 << 16;
/// How many rows a footer is compared with, at least and at most.
const ENOUGH: usize = 4;
const ROWS: usize = 100;
/// How totals are called, in lower case, wherever the word stands.
const TOTALS: [&str; 4] = ["total", "totals", "grand total", "sum"];
/// How rows of means begin. Elsewhere these words may be values like any other.
const MEANS: [&str; 3] = ["mean", "average", "avg"];

/// Lines at the end of a table that are not rows.
#[derive(Debug)]
pub(super) struct FoundFooter {
    /// Where they start.
    start: usize,
    lines: usize,
    first: String,
}

impl FoundFooter {
    /// How many bytes come before.
    pub(super) fn start(&self) -> u64 {
        self.start as u64
    }

    /// The note on what is left out.
    pub(super) fn note(&self) -> Note {
        Note::Footer { lines: self.lines, first: self.first.clone() }
    }

    /// The error for a footer that cannot be left out.
    pub(super) fn refuse(&self) -> ReadError {
        ReadError::new(format!("the last line looks like a footer: '{}'", shorten(&self.first)))
            .help("remove the totals and remarks below the rows")
    }

    /// The table without the footer.
    pub(super) fn cut(
        &self,
        input: &ByteSource,
        sample: &mut TextSample,
        budget: MemoryBudget,
    ) -> Result<ByteSource, ReadError> {
        self.cut_sample(sample);
        let rest = match input {
            ByteSource::Memory(bytes) if input.plain_bytes()? => bytes.slice(..self.start),
            _ => read_all(input.reader()?.take(self.start()), budget)?.into(),
        };
        Ok(ByteSource::Memory(rest))
    }

    /// Removes the footer from the start of the file, if it reaches so far.
    pub(super) fn cut_sample(&self, sample: &mut TextSample) {
        if self.start < sample.bytes.len() {
            sample.bytes.truncate(self.start);
            sample.whole = true;
        }
    }
}

/// Finds a footer: last lines with fewer cells than all rows, or with a word such as "Total", where no row has one. Without an
/// input that can be read at its end, only a whole sample shows it.
pub(super) fn find(
    input: Option<&ByteSource>,
    sample: &TextSample,
    dialect: &Dialect,
) -> Result<Option<FoundFooter>, ReadError> {
    let Delimiter::Byte(delimiter) = dialect.delimiter else { return Ok(None) };
    let width = dialect.names.len();
    let Some(start) = body(sample, dialect).filter(|_| width > 1) else { return Ok(None) };
    let read;
    let (offset, tail) = if sample.whole {
        (start, sample.bytes.get(start..).unwrap_or_default())
    } else {
        read = input.map_or(Ok(None), last_bytes)?;
        let Some((offset, bytes)) = &read else { return Ok(None) };
        // The first line is cut off.
        let Some(skipped) = memchr::memchr(b'\n', bytes) else { return Ok(None) };
        (offset + skipped + 1, &bytes[skipped + 1..])
    };
    let lines = last_lines(tail, delimiter);
    let mut rows: Vec<Vec<Vec<u8>>> = Vec::new();
    each_first_row(sample, dialect, ROWS + LINES, |cells| {
        rows.push(cells.iter().map(|cell| cell.to_vec()).collect());
    });
    // The footer itself may be among them.
    rows.truncate(rows.len() - (rows.len() / 4).clamp(1, LINES).min(rows.len()));
    if rows.len() < ENOUGH || rows.iter().any(|row| row.len() != width) {
        return Ok(None);
    }
    let mut found = None;
    for (count, line) in lines.iter().enumerate() {
        if !is_footer(&line.cells, &rows) {
            break;
        }
        let first =
            String::from_utf8_lossy(&tail[line.start..]).lines().next().unwrap_or_default().to_owned();
        found = Some(FoundFooter { start: offset + line.start, lines: count + 1, first });
    }
    // Totals of several groups may be rows after all.
    Ok(found.filter(|footer| footer.lines < LINES))
}

/// A line, and where it starts.
struct Line {
    start: usize,
    cells: Vec<Vec<u8>>,
}

/// The last lines that are not blank, from the last one on, up to one with an open quote.
fn last_lines(text: &[u8], delimiter: u8) -> Vec<Line> {
    let mut found = Vec::new();
    let mut end = text.len();
    while found.len() < LINES && end > 0 {
        let start = memchr::memrchr(b'\n', &text[..end - 1]).map_or(0, |at| at + 1);
        let line = &text[start..end];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        end = start;
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            continue;
        }
        if memchr::memchr_iter(b'"', line).count() % 2 == 1 || line.contains(&b'\r') {
            break;
        }
        let mut record = csv::ByteRecord::new();
        let mut reader = builder(delimiter).from_reader(line);
        if !reader.read_byte_record(&mut record).is_ok_and(|read| read) {
            break;
        }
        found.push(Line { start, cells: record.iter().map(|cell| cell.trim_ascii().to_vec()).collect() });
    }
    found
}

/// Whether a line cannot be a row like the `known` ones.
fn is_footer(cells: &[Vec<u8>], known: &[Vec<Vec<u8>>]) -> bool {
    let is_number =
        |cell: &[u8]| matches!(cell::read(cell, true), ParsedCell::Number(_) | ParsedCell::Missing);
    let says = |cell: &[u8]| cell.iter().any(|&byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let Some(place) = cells.iter().position(|cell| !cell.is_empty()) else { return false };
    let first = &cells[place];
    let Some(width) = known.first().map(Vec::len).filter(|&width| place < width) else { return false };
    let column = || known.iter().map(|row| row[place].as_slice());
    let numeric = column().all(is_number);
    let single = cells.iter().filter(|cell| !cell.is_empty()).count() == 1;
    // The last row of an incomplete file is short, too, but begins like the others.
    if cells.len() < width || single {
        let short = cells.len() < width;
        let remark = single && (first.contains(&b':') || short && first.contains(&b' '));
        return says(first)
            && (numeric || remark)
            && !column().any(|other| other == first)
            && !is_number(first);
    }
    let word = |cell: &[u8]| String::from_utf8_lossy(cell).trim_end_matches(':').trim().to_lowercase();
    cells.len() == width
        && cells.iter().enumerate().any(|(at, cell)| {
            let says = |cell: &[u8]| {
                let word = word(cell);
                TOTALS.contains(&word.as_str()) || at == place && MEANS.contains(&word.as_str())
            };
            says(cell) && !known.iter().any(|row| says(&row[at]))
        })
}

/// The last bytes of a file that is not packed, and where they start.
fn last_bytes(input: &ByteSource) -> Result<Option<(usize, Vec<u8>)>, ReadError> {
    if let ByteSource::Memory(bytes) = input {
        let start = bytes.len().saturating_sub(TAIL);
        return Ok(input.plain_bytes()?.then(|| (start, bytes[start..].to_vec())));
    }
    let Some(path) = input.plain_file()? else { return Ok(None) };
    let file = File::open(path).map_err(|error| cannot_open(&error))?;
    let length = file.metadata().map_err(|error| cannot_open(&error))?.len();
    let mut bytes = vec![0; length.min(TAIL as u64) as usize];
    let start = length - bytes.len() as u64;
    read_at(&file, &mut bytes, start).map_err(|error| damaged(&error))?;
    Ok(usize::try_from(start).ok().map(|start| (start, bytes)))
}

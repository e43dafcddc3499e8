//! The careful path of text tables in chunks: records with quotes and comments, and lines that are split at blanks.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::{builder, words};
use super::general::{csv_error, line_at, unclosed_quote};
use crate::blocks::reopen;
use crate::error::ReadError;
use crate::input::damaged;
use crate::rows::TableBuilder;

/// A record longer than this has a quote that was never closed.
const LONGEST_RECORD: u64 = 1 << 27;

/// Records with a delimiter of one byte, with quotes and comments.
pub(super) struct Records {
    records: csv::Reader<Guarded>,
    record: csv::ByteRecord,
    guard: Arc<Guard>,
    /// Where the reader started in the part.
    byte: u64,
    line: u64,
    header: bool,
    /// Where the last record started, and whether its last cell contains a line break.
    start: u64,
    open: bool,
}

impl Records {
    pub(super) fn new(
        reader: Box<dyn Read + Send>,
        delimiter: u8,
        byte: u64,
        line: u64,
        header: bool,
    ) -> Self {
        let guard = Arc::new(Guard::default());
        let records = builder(delimiter).from_reader(Guarded { reader, guard: Arc::clone(&guard) });
        Records { records, record: csv::ByteRecord::new(), guard, byte, line, header, start: 0, open: false }
    }

    /// Pushes rows until there are `most`; true at the end of the part.
    pub(super) fn fill(
        &mut self,
        rows: &mut TableBuilder,
        most: usize,
        path: &Path,
    ) -> Result<bool, ReadError> {
        while rows.len() < most {
            if !self.records.read_byte_record(&mut self.record).map_err(|error| self.failed(&error, path))? {
                let unclosed = self.open && self.guard.odd_quotes();
                return if unclosed {
                    Err(self.located(unclosed_quote(), self.line, path))
                } else {
                    Ok(true)
                };
            }
            self.guard.since.store(0, Ordering::Relaxed);
            self.start = self.record.position().map_or(0, csv::Position::byte);
            let last = self.record.iter().next_back();
            self.open = last.is_some_and(|cell| memchr::memchr2(b'\n', b'\r', cell).is_some());
            if std::mem::take(&mut self.header) {
                continue;
            }
            let line = self.line + self.record.position().map_or(0, csv::Position::line);
            if let Err(error) = rows.push(line, self.record.iter()) {
                let error = if self.is_unclosed() { unclosed_quote() } else { error };
                return Err(self.located(error, line, path));
            }
        }
        Ok(false)
    }

    /// Whether the last record has an unclosed quote and so contains everything that follows.
    fn is_unclosed(&mut self) -> bool {
        self.open
            && matches!(self.records.read_byte_record(&mut self.record), Ok(false))
            && self.guard.odd_quotes()
    }

    /// Turns an error of the parser into one of reading, which it usually is.
    fn failed(&self, error: &csv::Error, path: &Path) -> ReadError {
        if self.guard.since.load(Ordering::Relaxed) > LONGEST_RECORD {
            return self.located(endless(), self.line, path);
        }
        csv_error(error)
    }

    /// Adds the line of its record to the error. In a file, lines are counted again, because the parser is wrong after carriage
    /// returns, blank lines and comments. Where nothing can be read twice, the line is that of the parser.
    fn located(&self, error: ReadError, line: u64, path: &Path) -> ReadError {
        if error.place.as_ref().is_none_or(|place| place.line.is_none()) {
            return error;
        }
        let counted = (path.as_os_str() != "-")
            .then(|| reopen(path).and_then(|reader| line_at(reader, self.byte + self.start)));
        error.line(counted.and_then(Result::ok).unwrap_or(line))
    }
}

/// The error for a record without end.
fn endless() -> ReadError {
    ReadError::new(format!("a row is longer than {} MB", LONGEST_RECORD >> 20))
        .line(0)
        .help("a quote is probably opened here and never closed: close it, or double it (\"\") if it belongs to the text")
}

/// What is known about the bytes that a parser has read.
#[derive(Debug, Default)]
struct Guard {
    /// How many bytes were read since the last record.
    since: AtomicU64,
    quotes: AtomicU64,
}

impl Guard {
    fn odd_quotes(&self) -> bool {
        self.quotes.load(Ordering::Relaxed) % 2 == 1
    }
}

/// Counts quotes, because the parser takes an unclosed one as closed at the end of a file. Also refuses endless records, which
/// would fill the memory.
struct Guarded {
    reader: Box<dyn Read + Send>,
    guard: Arc<Guard>,
}

impl Read for Guarded {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.guard.since.load(Ordering::Relaxed) > LONGEST_RECORD {
            return Err(std::io::Error::other("a row has no end"));
        }
        let count = self.reader.read(buffer)?;
        let quotes = memchr::memchr_iter(b'"', &buffer[..count]).count() as u64;
        self.guard.quotes.fetch_add(quotes, Ordering::Relaxed);
        self.guard.since.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Lines that are split at blanks.
pub(super) struct Words {
    reader: BufReader<Box<dyn Read + Send>>,
    line: u64,
    header: bool,
    text: Vec<u8>,
}

impl Words {
    pub(super) fn new(reader: Box<dyn Read + Send>, line: u64, header: bool) -> Self {
        Words { reader: BufReader::with_capacity(1 << 18, reader), line, header, text: Vec::new() }
    }

    /// Pushes rows until there are `most`; true at the end of the part.
    pub(super) fn fill(&mut self, rows: &mut TableBuilder, most: usize) -> Result<bool, ReadError> {
        while rows.len() < most {
            self.text.clear();
            if self.reader.read_until(b'\n', &mut self.text).map_err(|error| damaged(&error))? == 0 {
                return Ok(true);
            }
            self.line += 1;
            let text = self.text.trim_ascii();
            if text.is_empty() || text.starts_with(b"#") || std::mem::take(&mut self.header) {
                continue;
            }
            let cells: Vec<&[u8]> = words(text).collect();
            rows.push(self.line, cells.iter().copied())?;
        }
        Ok(false)
    }
}

//! Text tables in chunks of rows: bounded memory, any number of parts, the same cells as when all is read at once.
//!
//! Plain numbers take the fast path, parsed by all threads while the next bytes are read. At the first thing that is unusual
//! the careful path goes on from there, for the rest of the stream.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cells::{builder, words};
use super::fast::{BLOCK, Block, Layout, Pieces};
use super::general::{csv_error, line_at, unclosed_quote};
use super::sample::{Enough, Sample, empty, sample_stream};
use super::sniff::{Delimiter, Dialect, body, dialect, dialect_like};
use super::survey;
use crate::blocks::{Chunk, ChunkPlace, Chunks, OpenPart, Parts, Start, other_columns, reopen};
use crate::columns::{self, Role};
use crate::error::ReadError;
use crate::input::{Input, damaged};
use crate::note::Note;
use crate::options::ReadOptions;
use crate::rows::Rows;
use crate::table::{Column, LabelBuilder};

/// A record longer than this is a quote that was never closed.
const LONGEST_RECORD: u64 = 1 << 27;

/// Rows of text tables, chunk by chunk.
pub(crate) struct TextChunks {
    parts: Parts,
    options: ReadOptions,
    /// How the first part is written.
    dialect: Dialect,
    roles: Vec<Role>,
    has_label: bool,
    rows: Rows,
    open: Option<Open>,
    place: ChunkPlace,
    /// Rows that the careful path puts into a chunk.
    chunk_rows: usize,
    block_bytes: usize,
    enough: Enough,
    /// Whether the careful path reads from now on.
    careful: bool,
    /// The first rows, until it is decided what the columns are.
    sample: Option<Vec<u8>>,
    first: PathBuf,
}

/// A part that is being read.
struct Open {
    path: PathBuf,
    mode: Mode,
    rows: usize,
}

enum Mode {
    Fast(Lines),
    Records(Box<Records>),
    Words(Words),
}

/// How chunks are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkSize {
    /// Rows of a chunk, where they are counted.
    pub(crate) rows: usize,
    /// Bytes that may be read at once.
    pub(crate) bytes: usize,
    /// What is looked at before anything is decided.
    pub(crate) enough: Enough,
    /// Whether rows are wanted as they come, however few they are.
    pub(crate) live: bool,
}

/// Finds out how the first part is written and what its columns are; `labels` is false when the labels come from elsewhere.
pub(crate) fn start(
    mut first: OpenPart,
    parts: Parts,
    options: &ReadOptions,
    labels: bool,
    size: ChunkSize,
) -> Result<Start, ReadError> {
    let sample = sample_stream(&mut first.reader, options.skip_rows, size.enough)?.ok_or_else(empty)?;
    let dialect = dialect(&sample, options)?;
    let described = survey::describe(None, &sample, &dialect, options)?;
    let mut plan = columns::plan_described(&described, options, labels)?;
    plan.facts.header = Some(dialect.header);
    plan.notes.extend(dialect.counted.then_some(Note::HeaderOfNumbers));
    let (notes, facts, features) = (plan.notes.clone(), plan.facts.clone(), plan.features());
    let (roles, has_label) = (plan.roles.clone(), plan.label().is_some());
    let unlimited = ReadOptions { memory_limit: Some(u64::MAX), ..options.clone() };
    let mut chunks = TextChunks {
        parts,
        options: options.clone(),
        careful: size.live || Layout::new(&dialect, &roles, options).is_none(),
        dialect,
        roles,
        has_label,
        rows: Rows::new(plan, &unlimited),
        open: None,
        place: ChunkPlace { part: first.part.path.clone(), first_row: 0 },
        chunk_rows: size.rows,
        block_bytes: (BLOCK * rayon::current_num_threads()).min(size.bytes),
        enough: size.enough,
        sample: Some(sample.bytes().to_vec()),
        first: first.part.path.clone(),
    };
    let own = chunks.dialect.clone();
    chunks.enter(first, sample, &own);
    Ok(Start { chunks: Box::new(chunks), notes, facts, features, has_labels: has_label })
}

impl Chunks for TextChunks {
    fn next(&mut self) -> Result<Option<Chunk>, ReadError> {
        loop {
            if self.open.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let Some(open) = &mut self.open else { return Ok(None) };
            let path = open.path.clone();
            self.place = ChunkPlace { part: path.clone(), first_row: open.rows };
            match self.read_on().map_err(|error| self.explained(error).in_file(&path))? {
                Some(chunk) if chunk.rows > 0 => {
                    if let Some(open) = &mut self.open {
                        open.rows += chunk.rows;
                    }
                    return Ok(Some(chunk));
                }
                Some(_) => {}
                None => self.open = None,
            }
        }
    }

    fn decide(&mut self, first: &mut Chunk) -> Vec<Column> {
        self.sample = None;
        self.rows.decide(&mut first.values)
    }

    fn place(&self) -> &ChunkPlace {
        &self.place
    }
}

impl TextChunks {
    /// Opens the next part that holds anything; false after the last one.
    fn open_next(&mut self) -> Result<bool, ReadError> {
        while let Some(mut next) = self.parts.open_next()? {
            let path = next.part.path.clone();
            let sample = sample_stream(&mut next.reader, self.options.skip_rows, self.enough)
                .map_err(|error| error.in_file(&path))?;
            let Some(sample) = sample else { continue };
            let own = dialect_like(&sample, &self.dialect).map_err(|error| error.in_file(&path))?;
            let Some(own) = own else { continue };
            if let Some(error) = other_columns(&self.dialect.names, &own.names, &self.first) {
                return Err(error.in_file(&path));
            }
            self.enter(next, sample, &own);
            return Ok(true);
        }
        Ok(false)
    }

    /// Starts with a part whose first bytes are in the sample.
    fn enter(&mut self, part: OpenPart, sample: Sample, dialect: &Dialect) {
        let path = part.part.path;
        let start = if self.careful { None } else { body(&sample, dialect) };
        let mode = match start {
            Some(start) => {
                let lines = memchr::memchr_iter(b'\n', &sample.bytes()[..start]).count() as u64;
                // One byte more than a small part shows that it has ended.
                let size = if sample.whole { sample.bytes().len() + 1 } else { self.block_bytes };
                let mut bytes = Cursor::new(sample.into_bytes());
                bytes.set_position(start as u64);
                Mode::Fast(Lines::new(Box::new(bytes.chain(part.reader)), start as u64, lines, size))
            }
            None => {
                let mut bytes = Cursor::new(sample.into_bytes());
                bytes.set_position(dialect.mark as u64);
                let rest: Box<dyn Read + Send> = Box::new(bytes.chain(part.reader));
                careful(rest, dialect, dialect.mark as u64, dialect.skipped, dialect.header)
            }
        };
        self.open = Some(Open { path, mode, rows: 0 });
    }

    /// The next rows of the open part; `None` at its end.
    fn read_on(&mut self) -> Result<Option<Chunk>, ReadError> {
        let Some(open) = &mut self.open else { return Ok(None) };
        if let Mode::Fast(lines) = &mut open.mode {
            let layout = Layout::new(&self.dialect, &self.roles, &self.options);
            match layout.map_or(Parsed::Unusual, |layout| lines.next(&layout, self.has_label)) {
                Parsed::Rows(chunk) => {
                    self.rows.saw_numbers();
                    return Ok(Some(chunk));
                }
                Parsed::End => return Ok(None),
                Parsed::Failed(error) => return Err(error),
                Parsed::Unusual => {
                    self.careful = true;
                    let (rest, byte, line) = lines.rest();
                    open.mode = careful(rest, &self.dialect, byte, line, false);
                }
            }
        }
        let ended = match &mut open.mode {
            Mode::Records(records) => records.fill(&mut self.rows, self.chunk_rows, &open.path)?,
            Mode::Words(words) => words.fill(&mut self.rows, self.chunk_rows)?,
            Mode::Fast(_) => false,
        };
        if ended && self.rows.len() == 0 { Ok(None) } else { Ok(Some(self.rows.take())) }
    }

    /// As long as nothing is decided, an error about text is one about all columns of text.
    fn explained(&self, error: ReadError) -> ReadError {
        let Some(sample) = &self.sample else { return error };
        let end = memchr::memrchr(b'\n', sample).map_or(sample.len(), |end| end + 1);
        let input = Input::Memory(sample[..end].to_vec());
        survey::all_texts(error, &input, &self.dialect, &self.roles, &self.options)
    }
}

/// The careful path from a byte of a part on.
fn careful(rest: Box<dyn Read + Send>, dialect: &Dialect, byte: u64, line: u64, header: bool) -> Mode {
    match dialect.delimiter {
        Delimiter::Byte(delimiter) => {
            Mode::Records(Box::new(Records::new(rest, delimiter, byte, line, header)))
        }
        Delimiter::Blanks => Mode::Words(Words {
            reader: BufReader::with_capacity(1 << 18, rest),
            line,
            header,
            text: Vec::new(),
        }),
    }
}

/// Complete lines, block after block.
struct Lines {
    reader: Box<dyn Read + Send>,
    block: Block,
    next: Block,
    /// Where the block starts.
    byte: u64,
    line: u64,
    started: bool,
    ended: bool,
}

enum Parsed {
    Rows(Chunk),
    End,
    /// For the careful path; nothing of the block was taken.
    Unusual,
    Failed(ReadError),
}

impl Lines {
    fn new(reader: Box<dyn Read + Send>, byte: u64, line: u64, size: usize) -> Self {
        let (block, next) = (Block::new(size), Block::new(size));
        Lines { reader, block, next, byte, line, started: false, ended: false }
    }

    /// Parses a block while the next one is read.
    fn next(&mut self, layout: &Layout<'_>, has_label: bool) -> Parsed {
        if self.ended {
            return Parsed::End;
        }
        if !std::mem::replace(&mut self.started, true)
            && let Err(error) = self.block.fill(&mut self.reader, &[])
        {
            return Parsed::Failed(damaged(&error));
        }
        let last = self.block.last;
        let end = self.block.complete();
        let (lines, rest) = self.block.bytes[..self.block.filled].split_at(end.unwrap_or(0));
        let (next, reader) = (&mut self.next, &mut self.reader);
        let (parsed, filled) = rayon::join(
            || if end.is_some() { parse(lines, layout, has_label) } else { None },
            || if last || end.is_none() { Ok(()) } else { next.fill(reader, rest) },
        );
        if let Err(error) = filled {
            return Parsed::Failed(damaged(&error));
        }
        match parsed {
            None => Parsed::Unusual,
            Some(Err(error)) => Parsed::Failed(error),
            Some(Ok(chunk)) => {
                self.byte += lines.len() as u64;
                self.line += chunk.rows as u64;
                self.ended = last;
                std::mem::swap(&mut self.block, &mut self.next);
                Parsed::Rows(chunk)
            }
        }
    }

    /// What was not parsed, with its first byte and the lines before it.
    fn rest(&mut self) -> (Box<dyn Read + Send>, u64, u64) {
        let own = self.block.bytes[..self.block.filled].to_vec();
        let reader = std::mem::replace(&mut self.reader, Box::new(std::io::empty()));
        // The next block begins with the unfinished line of this one.
        let rest: Box<dyn Read + Send> = match self.block.complete() {
            Some(end) if !self.block.last => {
                let next = self.next.bytes[..self.next.filled].to_vec();
                Box::new(Cursor::new(own[..end].to_vec()).chain(Cursor::new(next)).chain(reader))
            }
            _ => Box::new(Cursor::new(own).chain(reader)),
        };
        (rest, self.byte, self.line)
    }
}

/// Parses complete lines; `None` if there is anything unusual.
fn parse(lines: &[u8], layout: &Layout<'_>, has_label: bool) -> Option<Result<Chunk, ReadError>> {
    let pieces = Pieces::of(lines).ok()?;
    let rows = pieces.rows();
    let mut values = vec![0.0; rows * layout.features()];
    let parsed = pieces.parse(&mut values, layout).ok()?;
    let mut labels = LabelBuilder::default();
    for codes in &parsed {
        if let Err(error) = labels.append(codes) {
            return Some(Err(error));
        }
    }
    Some(Ok(Chunk { values, labels: has_label.then(|| labels.finish()), rows }))
}

/// Records with a delimiter of one byte, with quotes and comments.
struct Records {
    records: csv::Reader<Guarded>,
    record: csv::ByteRecord,
    guard: Arc<Guard>,
    /// Where the reader started in the part.
    byte: u64,
    line: u64,
    header: bool,
    /// Where the last record started, and whether its last cell has a line's end.
    start: u64,
    open: bool,
}

impl Records {
    fn new(reader: Box<dyn Read + Send>, delimiter: u8, byte: u64, line: u64, header: bool) -> Self {
        let guard = Arc::new(Guard::default());
        let records = builder(delimiter).from_reader(Guarded { reader, guard: Arc::clone(&guard) });
        Records { records, record: csv::ByteRecord::new(), guard, byte, line, header, start: 0, open: false }
    }

    /// Pushes rows until there are `most`; true at the end of the part.
    fn fill(&mut self, rows: &mut Rows, most: usize, path: &Path) -> Result<bool, ReadError> {
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

    /// Whether the last record is one that a quote without end has taken all that follows into.
    fn is_unclosed(&mut self) -> bool {
        self.open
            && matches!(self.records.read_byte_record(&mut self.record), Ok(false))
            && self.guard.odd_quotes()
    }

    /// An error of the parser, which is one of reading as a rule.
    fn failed(&self, error: &csv::Error, path: &Path) -> ReadError {
        if self.guard.since.load(Ordering::Relaxed) > LONGEST_RECORD {
            return self.located(endless(), self.line, path);
        }
        csv_error(error)
    }

    /// The error with the line of its record: counted anew in a file, because the parser is wrong about what follows
    /// carriage returns, blank lines and comments; as the parser has it where nothing can be read twice.
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

/// What is known about the bytes that a parser takes.
#[derive(Debug, Default)]
struct Guard {
    /// Bytes since the last record.
    since: AtomicU64,
    quotes: AtomicU64,
}

impl Guard {
    fn odd_quotes(&self) -> bool {
        self.quotes.load(Ordering::Relaxed) % 2 == 1
    }
}

/// Counts quotes, because the parser takes an unclosed one for closed at the end of a file, and refuses records without end,
/// which would fill the memory.
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

/// Lines that are cut at blanks.
struct Words {
    reader: BufReader<Box<dyn Read + Send>>,
    line: u64,
    header: bool,
    text: Vec<u8>,
}

impl Words {
    /// Pushes rows until there are `most`; true at the end of the part.
    fn fill(&mut self, rows: &mut Rows, most: usize) -> Result<bool, ReadError> {
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

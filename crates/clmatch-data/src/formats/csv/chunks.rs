//! Text tables in chunks of rows: bounded memory, any number of parts, the same cells as when everything is read at once.
//!
//! Plain numbers take the fast path: all threads parse them while the next bytes are read. From the first unusual thing on, the
//! careful path reads the rest of the stream.

use std::io::{Cursor, Read};
use std::path::PathBuf;

use super::careful::{Records, Words};
use super::fast::RowLayout;
use super::footer::{self, FoundFooter};
use super::lines::{LineParser, Parsed};
use super::preamble;
use super::sample::{Enough, TextSample, empty, sample_stream};
use super::sniff::{Delimiter, Dialect, body, dialect, dialect_like};
use super::{plan, survey};
use crate::blocks::{Chunk, ChunkPlace, Chunks, OpenPart, Parts, Start, other_columns};
use crate::columns::Role;
use crate::error::{ReadError, ReadErrorKind};
use crate::formats::line_blocks::BLOCK;
use crate::input::ByteSource;
use crate::options::ReadOptions;
use crate::rows::TableBuilder;
use crate::table::FeatureColumn;

/// Rows of text tables, chunk by chunk.
pub(crate) struct TextChunks {
    parts: Parts,
    options: ReadOptions,
    /// The dialect of the first part.
    dialect: Dialect,
    roles: Vec<Role>,
    has_label: bool,
    rows: TableBuilder,
    open: Option<OpenText>,
    place: ChunkPlace,
    /// How many rows the careful path puts into a chunk.
    chunk_rows: usize,
    block_bytes: usize,
    enough: Enough,
    /// Whether the careful path reads from now on.
    careful: bool,
    /// The start of the first part, until the columns are decided.
    sample: Option<Vec<u8>>,
    first: PathBuf,
}

/// A part that is being read.
struct OpenText {
    path: PathBuf,
    mode: ParseMode,
    rows: usize,
}

enum ParseMode {
    Fast(LineParser),
    Records(Box<Records>),
    Words(Words),
}

/// How large chunks are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkSize {
    /// How many rows a chunk has, if they are counted.
    pub(crate) rows: usize,
    /// How many bytes may be read at once.
    pub(crate) bytes: usize,
    /// How much is examined before anything is decided.
    pub(crate) enough: Enough,
    /// Whether rows are returned as they arrive, however few they are.
    pub(crate) live: bool,
}

/// Determines the dialect of the first part and what its columns are; `labels` is false when the labels come from elsewhere.
pub(crate) fn start(
    mut first: OpenPart,
    parts: Parts,
    options: &ReadOptions,
    labels: bool,
    size: ChunkSize,
) -> Result<Start, ReadError> {
    let mut sample = sample_stream(&mut first.reader, options.skip_rows, size.enough)?.ok_or_else(empty)?;
    preamble::skip(&mut sample, options).map_err(not_streamed)?;
    let dialect = dialect(&sample, options).map_err(not_streamed)?;
    let footer = if size.live { None } else { footer_of(&first, &sample, &dialect)? };
    if let Some(footer) = &footer {
        footer.cut_sample(&mut sample);
        sample.notes.push(footer.note());
    }
    let plan = plan(None, &sample, &dialect, options, labels)?;
    let (notes, facts, features) = (plan.notes.clone(), plan.facts.clone(), plan.features());
    let (roles, has_label) = (plan.roles.clone(), plan.label().is_some());
    let unlimited = ReadOptions { memory_limit: Some(u64::MAX), ..options.clone() };
    let mut chunks = TextChunks {
        parts,
        options: options.clone(),
        careful: size.live || RowLayout::new(&dialect, &roles, options).is_none(),
        dialect,
        roles,
        has_label,
        rows: TableBuilder::new(plan, &unlimited),
        open: None,
        place: ChunkPlace { part: first.part.path.clone(), first_row: 0 },
        chunk_rows: size.rows,
        block_bytes: (BLOCK * rayon::current_num_threads()).min(size.bytes),
        enough: size.enough,
        sample: Some(sample.bytes().to_vec()),
        first: first.part.path.clone(),
    };
    let own = chunks.dialect.clone();
    chunks.enter(first, sample, &own, footer.map(|footer| footer.start()));
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

    fn decide(&mut self, first: &mut Chunk) -> Vec<FeatureColumn> {
        self.sample = None;
        self.rows.decide(&mut first.values)
    }

    fn place(&self) -> &ChunkPlace {
        &self.place
    }
}

impl TextChunks {
    /// Opens the next part that is not empty; returns false after the last one.
    fn open_next(&mut self) -> Result<bool, ReadError> {
        while let Some(mut next) = self.parts.open_next()? {
            let path = next.part.path.clone();
            let sample = sample_stream(&mut next.reader, self.options.skip_rows, self.enough)
                .map_err(|error| error.in_file(&path))?;
            let Some(mut sample) = sample else { continue };
            preamble::skip(&mut sample, &self.options).map_err(|error| error.in_file(&path))?;
            let own = dialect_like(&sample, &self.dialect).map_err(|error| error.in_file(&path))?;
            let Some(own) = own else { continue };
            if let Some(error) = other_columns(&self.dialect.names, &own.names, &self.first) {
                return Err(error.in_file(&path));
            }
            // What was left out at the end of a later part could not be reported any more.
            if let Some(footer) = footer_of(&next, &sample, &own).map_err(|error| error.in_file(&path))? {
                return Err(footer.refuse().in_file(&path));
            }
            self.enter(next, sample, &own, None);
            return Ok(true);
        }
        Ok(false)
    }

    /// Starts with a part whose first bytes are in the sample, and which ends where its footer starts.
    fn enter(&mut self, part: OpenPart, sample: TextSample, dialect: &Dialect, footer: Option<u64>) {
        let path = part.part.path;
        let rest: Box<dyn Read + Send> = match footer {
            Some(end) => Box::new(part.reader.take(end.saturating_sub(sample.bytes().len() as u64))),
            None => part.reader,
        };
        let start = if self.careful { None } else { body(&sample, dialect) };
        let mode = match start {
            Some(start) => {
                let lines = memchr::memchr_iter(b'\n', &sample.bytes()[..start]).count() as u64;
                // Reading one byte more than a small part has shows that it has ended.
                let size = if sample.whole { sample.bytes().len() + 1 } else { self.block_bytes };
                let mut bytes = Cursor::new(sample.into_bytes());
                bytes.set_position(start as u64);
                ParseMode::Fast(LineParser::new(Box::new(bytes.chain(rest)), start as u64, lines, size))
            }
            None => {
                let mut bytes = Cursor::new(sample.into_bytes());
                bytes.set_position(dialect.mark as u64);
                let rest: Box<dyn Read + Send> = Box::new(bytes.chain(rest));
                careful(rest, dialect, dialect.mark as u64, dialect.skipped, dialect.header)
            }
        };
        self.open = Some(OpenText { path, mode, rows: 0 });
    }

    /// The next rows of the open part; `None` at its end.
    fn read_on(&mut self) -> Result<Option<Chunk>, ReadError> {
        let Some(open) = &mut self.open else { return Ok(None) };
        if let ParseMode::Fast(lines) = &mut open.mode {
            let layout = RowLayout::new(&self.dialect, &self.roles, &self.options);
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
            ParseMode::Records(records) => records.fill(&mut self.rows, self.chunk_rows, &open.path)?,
            ParseMode::Words(words) => words.fill(&mut self.rows, self.chunk_rows)?,
            ParseMode::Fast(_) => false,
        };
        if ended && self.rows.len() == 0 { Ok(None) } else { Ok(Some(self.rows.take())) }
    }

    /// As long as the columns are not decided, an error about text is about all columns of text.
    fn explained(&self, error: ReadError) -> ReadError {
        let error = not_streamed(error);
        let Some(sample) = &self.sample else { return error };
        let end = memchr::memrchr(b'\n', sample).map_or(sample.len(), |end| end + 1);
        let input = ByteSource::Memory(sample[..end].to_vec().into());
        survey::all_texts(error, &input, &self.dialect, &self.roles, &self.options)
    }
}

/// Makes an error about text that is not UTF-8 say that only a stream needs it to be.
fn not_streamed(mut error: ReadError) -> ReadError {
    if error.kind() == ReadErrorKind::NotUtf8 {
        error.what.push_str(": other encodings cannot be streamed");
    }
    error
}

/// The footer of a part that is a file. At the end of a growing file, a footer is not looked for.
fn footer_of(
    part: &OpenPart,
    sample: &TextSample,
    dialect: &Dialect,
) -> Result<Option<FoundFooter>, ReadError> {
    let plain = !part.packed && !part.part.is_stdin();
    let input = plain.then(|| ByteSource::file(&part.part.path)).transpose()?;
    footer::find(input.as_ref(), sample, dialect)
}

/// The careful path, starting at a byte of a part.
fn careful(rest: Box<dyn Read + Send>, dialect: &Dialect, byte: u64, line: u64, header: bool) -> ParseMode {
    match dialect.delimiter {
        Delimiter::Byte(delimiter) => {
            ParseMode::Records(Box::new(Records::new(rest, delimiter, byte, line, header)))
        }
        Delimiter::Blanks => ParseMode::Words(Words::new(rest, line, header)),
    }
}

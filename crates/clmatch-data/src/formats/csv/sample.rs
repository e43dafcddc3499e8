//! The start of a text file, which shows how the rest of it is written.

use std::io::Read;

use super::line_limit::{check_first, longest_line};
use crate::error::ReadError;
use crate::input::{ByteSource, damaged};
use crate::memory::MemoryBudget;
use crate::note::Note;

/// The start of a file.
#[derive(Debug)]
pub(crate) struct TextSample {
    pub(super) bytes: Vec<u8>,
    /// Whether the sample is the whole file.
    pub(crate) whole: bool,
    pub(super) mark: usize,
    pub(super) skipped: u64,
    /// How long a line may be.
    pub(super) longest: u64,
    /// The delimiter, if what stands before the table shows it.
    pub(super) delimiter: Option<u8>,
    /// The names in a header of several lines, which are skipped.
    pub(super) names: Option<Vec<String>>,
    /// What was noticed before the table.
    pub(super) notes: Vec<Note>,
}

const FIRST: usize = 1 << 18;
/// A line longer than this is not part of a table.
const LONGEST: usize = 1 << 28;

/// Reads the start of a file: after the skipped lines, at least two lines, unless they are too long for the memory.
pub(crate) fn sample(
    input: &ByteSource,
    skip_rows: usize,
    budget: MemoryBudget,
) -> Result<TextSample, ReadError> {
    let longest = longest_line(budget);
    let mut reader = input.reader()?;
    let mut bytes = Vec::new();
    let mut wanted = FIRST;
    let mut whole = false;
    while !whole && bytes.len() as u64 <= 2 * longest {
        let count = (wanted - bytes.len()) as u64;
        reader.by_ref().take(count).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        whole = bytes.len() < wanted;
        if bytes.iter().filter(|&&byte| byte == b'\n').nth(skip_rows + 2).is_some() {
            break;
        }
        wanted *= 2;
    }
    let first = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    check_first(first, budget)?;
    let sample = sample_of(bytes, whole, skip_rows)?;
    Ok(TextSample { longest, ..sample })
}

/// Makes a sample of the first bytes of a file; `whole` says that there are no more.
fn sample_of(bytes: Vec<u8>, whole: bool, skip_rows: usize) -> Result<TextSample, ReadError> {
    check_text(&bytes)?;
    let mut mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    mark += skip_lines(&bytes[mark..], skip_rows)?;
    if bytes[mark..].trim_ascii().is_empty() {
        return Err(empty());
    }
    Ok(TextSample {
        bytes,
        whole,
        mark,
        skipped: skip_rows as u64,
        longest: LONGEST as u64,
        delimiter: None,
        names: None,
        notes: Vec::new(),
    })
}

/// How much of a stream is read before anything is decided: at least `lines` lines and, unless `lines_suffice`, at least `bytes`
/// bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enough {
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
    /// Whether `lines` lines are enough however short they are, because more may take long to arrive.
    pub(crate) lines_suffice: bool,
}

impl TextSample {
    /// The bytes that were read.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that were read, for reading on from them.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Enough {
    /// As for a file in memory, but if rows are long, enough of them to distinguish classes from other texts.
    pub(crate) const FILE: Enough = Enough { bytes: FIRST, lines: 256, lines_suffice: false };
    /// If lines are too long to read `lines` of them, at most this many bytes are read.
    const MOST: usize = 1 << 24;

    fn reached(self, bytes: usize, lines: usize, skip_rows: usize) -> bool {
        let enough = lines > self.lines + skip_rows;
        let at_least_two = lines > skip_rows + 2;
        let most = bytes >= Enough::MOST && at_least_two;
        most || bytes >= LONGEST || (enough && (self.lines_suffice || bytes >= self.bytes))
    }
}

/// Reads the start of a stream; the sample holds all bytes that were read. `None` if the stream is blank.
pub(crate) fn sample_stream(
    reader: &mut dyn Read,
    skip_rows: usize,
    enough: Enough,
) -> Result<Option<TextSample>, ReadError> {
    const STEP: usize = 1 << 16;
    let mut bytes = Vec::new();
    let (mut lines, mut whole) = (0, false);
    while !whole && !enough.reached(bytes.len(), lines, skip_rows) {
        let start = bytes.len();
        bytes.resize(start + STEP, 0);
        let count = match reader.read(&mut bytes[start..]) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                bytes.truncate(start);
                continue;
            }
            read => read.map_err(|error| damaged(&error))?,
        };
        bytes.truncate(start + count);
        lines += memchr::memchr_iter(b'\n', &bytes[start..]).count();
        whole = count == 0;
    }
    if bytes.trim_ascii().is_empty() { Ok(None) } else { sample_of(bytes, whole, skip_rows).map(Some) }
}

/// The error for a file without content.
pub(crate) fn empty() -> ReadError {
    ReadError::new("the file is empty").help("write or fetch it again")
}

/// The length of the first `count` lines, which end in a line feed or, if there is none, in a carriage return.
fn skip_lines(bytes: &[u8], count: usize) -> Result<usize, ReadError> {
    if count == 0 {
        return Ok(0);
    }
    let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    let mut ends = memchr::memchr_iter(end, bytes);
    match ends.nth(count - 1) {
        Some(at) => Ok(at + 1),
        None => {
            let lines = memchr::memchr_iter(end, bytes).count() + usize::from(!bytes.ends_with(&[end]));
            Err(ReadError::new(format!("{count} lines are to be skipped, but there are only {lines}"))
                .help("skip fewer lines"))
        }
    }
}

/// Refuses anything that is not text in an encoding that contains ASCII.
fn check_text(bytes: &[u8]) -> Result<(), ReadError> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(ReadError::new("the text is encoded in UTF-16")
            .help("convert it to UTF-8, for instance with iconv -f utf-16 -t utf-8"));
    }
    match bytes.iter().position(|&byte| byte == 0) {
        None => Ok(()),
        Some(at) => {
            let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            Err(ReadError::new("there is a NUL byte: this is not a text file, nor a format that is known")
                .line(line)
                .help("known are CSV, NPY, NPZ, Parquet, Arrow, ARFF, svmlight and zlib-compressed JSON"))
        }
    }
}

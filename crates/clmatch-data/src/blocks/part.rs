//! The files of a stream, one after the other: opened, unpacked and counted while they are read.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::encoding::{Encoding, Transcoder};
use crate::error::ReadError;
use crate::input::{cannot_open, damaged};
use crate::packing::{FilePacking, MAGIC, packing_of, unpack};
use crate::source::regular;

/// One file of a stream, or standard input.
#[derive(Debug, Clone)]
pub(crate) struct FilePart {
    /// The file; `-` for standard input.
    pub(crate) path: PathBuf,
    /// The file with its labels, if they have one of their own.
    pub(crate) labels: Option<PathBuf>,
}

impl FilePart {
    /// A file that, as far as is known, holds its own labels.
    pub(crate) fn file(path: impl Into<PathBuf>) -> Self {
        FilePart { path: path.into(), labels: None }
    }

    /// Whether the part is standard input, which can be read only once.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

/// The parts that are still to be read, and how many bytes were read so far.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    left: VecDeque<FilePart>,
    /// How many bytes were read, as they are stored.
    pub(crate) bytes: Arc<AtomicU64>,
    /// If files are read as they grow, a flag that is cleared to end this.
    pub(crate) follow: Option<Arc<AtomicBool>>,
}

impl Parts {
    /// All parts, none of them read yet.
    pub(crate) fn new(parts: Vec<FilePart>, follow: Option<Arc<AtomicBool>>) -> Self {
        Parts { left: parts.into(), bytes: Arc::default(), follow }
    }

    /// Opens the next part; `None` after the last one.
    pub(crate) fn open_next(&mut self) -> Result<Option<OpenPart>, ReadError> {
        let Some(part) = self.left.pop_front() else { return Ok(None) };
        let opened = open(&part, Arc::clone(&self.bytes), self.follow.clone());
        opened.map(Some).map_err(|error| error.in_file(&part.path))
    }

    /// Whether no part is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// Takes the next part without opening it.
    pub(crate) fn take_next(&mut self) -> Option<FilePart> {
        self.left.pop_front()
    }
}

/// A part with its unpacked bytes.
pub(crate) struct OpenPart {
    pub(crate) part: FilePart,
    pub(crate) reader: Box<dyn Read + Send>,
    /// Whether the bytes are packed in the file.
    pub(crate) packed: bool,
}

impl std::fmt::Debug for OpenPart {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("OpenPart").field("part", &self.part).finish_non_exhaustive()
    }
}

impl OpenPart {
    /// The first bytes, at most `count`, which remain to be read. If the file is still growing, these are the bytes that are
    /// there.
    pub(crate) fn peek(&mut self, count: usize, growing: bool) -> Result<Vec<u8>, ReadError> {
        let mut head = Vec::new();
        if growing {
            head.resize(count, 0);
            let length = self.reader.read(&mut head).map_err(|error| damaged(&error))?;
            head.truncate(length);
        } else {
            let read = self.reader.by_ref().take(count as u64).read_to_end(&mut head);
            read.map_err(|error| damaged(&error))?;
        }
        self.put_back(head.clone());
        Ok(head)
    }

    /// Puts bytes back, to be read before all others.
    pub(crate) fn put_back(&mut self, bytes: Vec<u8>) {
        let rest = std::mem::replace(&mut self.reader, Box::new(std::io::empty()));
        self.reader = Box::new(Cursor::new(bytes).chain(rest));
    }
}

/// Opens a part again, from its start, without counting its bytes.
pub(crate) fn reopen(path: &Path) -> Result<Box<dyn Read + Send>, ReadError> {
    open(&FilePart::file(path), Arc::default(), None).map(|open| open.reader)
}

fn open(
    part: &FilePart,
    bytes: Arc<AtomicU64>,
    follow: Option<Arc<AtomicBool>>,
) -> Result<OpenPart, ReadError> {
    let growing = follow.is_some();
    let raw: Box<dyn Read + Send> = if part.is_stdin() {
        Box::new(std::io::stdin())
    } else {
        let metadata = std::fs::metadata(&part.path).map_err(|error| cannot_open(&error))?;
        regular(&metadata)?;
        let file = File::open(&part.path).map_err(|error| cannot_open(&error))?;
        match follow {
            None => Box::new(file),
            Some(going) => Box::new(Growing { file, going }),
        }
    };
    let mut raw = Counted { reader: raw, bytes };
    let mut magic = Vec::new();
    raw.by_ref().take(MAGIC as u64).read_to_end(&mut magic).map_err(|error| damaged(&error))?;
    let packing = packing_of(&magic);
    let reader = unpack(Box::new(Cursor::new(magic).chain(raw)), packing)?;
    let mut opened = OpenPart { part: part.clone(), reader, packed: packing != FilePacking::None };
    // A growing file may have no second byte yet.
    if !growing && let Some(encoding) = Encoding::of_mark(&opened.peek(Encoding::MARK, false)?) {
        opened.reader = Box::new(Transcoder::new(opened.reader, encoding));
        opened.packed = true;
    }
    Ok(opened)
}

/// Counts the bytes that are read.
struct Counted<R> {
    reader: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A file that others append to: its end is not final as long as `going` is set.
struct Growing {
    file: File,
    going: Arc<AtomicBool>,
}

/// How long to wait between two looks at a growing file.
const PATIENCE: Duration = Duration::from_millis(50);

impl Read for Growing {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        use std::io::Seek;
        loop {
            let count = self.file.read(buffer)?;
            if count > 0 || !self.going.load(Ordering::Relaxed) {
                return Ok(count);
            }
            if self.file.metadata()?.len() < self.file.stream_position()? {
                return Err(std::io::Error::other("the file became shorter while it was read"));
            }
            std::thread::sleep(PATIENCE);
        }
    }
}

//! Bytes from a file or from memory, decompressed on the way.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bytes::Bytes;

use crate::error::ReadError;
use crate::memory::MemoryBudget;
use crate::packing::{FilePacking, MAGIC, packing_of, unpack};
use crate::source::regular;

/// What was read from standard input, unless that was much.
static STDIN: OnceLock<Bytes> = OnceLock::new();

/// What was read from standard input, which cannot be read again; `None` if nothing was read, or too much to be kept.
pub fn standard_input() -> Option<Bytes> {
    STDIN.get().cloned()
}

/// Reads all of standard input.
pub(crate) fn stdin(budget: MemoryBudget) -> Result<Bytes, ReadError> {
    const MOST: usize = 1 << 26;
    let bytes = Bytes::from(read_all(std::io::stdin().lock(), budget)?);
    if bytes.len() <= MOST {
        let _ = STDIN.set(bytes.clone());
    }
    Ok(bytes)
}

/// Where bytes come from; can be read more than once.
#[derive(Debug, Clone)]
pub(crate) enum ByteSource {
    /// A regular file.
    File(PathBuf),
    /// Standard input, an upload, or the content of an archive.
    Memory(Bytes),
}

impl ByteSource {
    /// A file; an error if it is a folder, a pipe or a device.
    pub(crate) fn file(path: &Path) -> Result<Self, ReadError> {
        let metadata = std::fs::metadata(path).map_err(|error| cannot_open(&error))?;
        regular(&metadata)?;
        Ok(ByteSource::File(path.to_owned()))
    }

    /// All of standard input.
    pub(crate) fn stdin(budget: MemoryBudget) -> Result<Self, ReadError> {
        Ok(ByteSource::Memory(stdin(budget)?))
    }

    /// The bytes as they are stored.
    pub(crate) fn raw(&self) -> Result<Box<dyn Read + Send + '_>, ReadError> {
        Ok(match self {
            ByteSource::File(path) => Box::new(File::open(path).map_err(|error| cannot_open(&error))?),
            ByteSource::Memory(bytes) => Box::new(Cursor::new(bytes.as_ref())),
        })
    }

    /// The path of the file; `-` for bytes in memory.
    pub(crate) fn path(&self) -> &Path {
        match self {
            ByteSource::File(path) => path,
            ByteSource::Memory(_) => Path::new("-"),
        }
    }

    /// How many bytes are stored.
    pub(crate) fn stored(&self) -> Result<u64, ReadError> {
        match self {
            ByteSource::File(path) => {
                std::fs::metadata(path).map(|metadata| metadata.len()).map_err(|error| cannot_open(&error))
            }
            ByteSource::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// The bytes, unpacked if they are packed with gzip, zstd, xz or bzip2.
    pub(crate) fn reader(&self) -> Result<Box<dyn Read + Send + '_>, ReadError> {
        unpack(self.raw()?, self.packing()?)
    }

    /// How many unpacked bytes there are, if that is known before reading.
    pub(crate) fn length(&self) -> Result<Option<u64>, ReadError> {
        Ok(match self.packing()? {
            FilePacking::None => Some(self.stored()?),
            _ => None,
        })
    }

    /// The first unpacked bytes, at most `count`.
    pub(crate) fn head(&self, count: usize) -> Result<Vec<u8>, ReadError> {
        let mut head = Vec::new();
        self.reader()?.take(count as u64).read_to_end(&mut head).map_err(|error| damaged(&error))?;
        Ok(head)
    }

    /// The input unpacked into memory, or `None` if it is not packed; for formats that are not read in order.
    pub(crate) fn unpacked(&self, budget: MemoryBudget) -> Result<Option<ByteSource>, ReadError> {
        match self.packing()? {
            FilePacking::None => Ok(None),
            _ => Ok(Some(ByteSource::Memory(read_all(self.reader()?, budget)?.into()))),
        }
    }

    /// The path of a file that is not packed.
    pub(crate) fn plain_file(&self) -> Result<Option<&Path>, ReadError> {
        Ok(match self {
            ByteSource::File(path) if self.packing()? == FilePacking::None => Some(path),
            _ => None,
        })
    }

    /// Whether the bytes are in memory and not packed.
    pub(crate) fn plain_bytes(&self) -> Result<bool, ReadError> {
        Ok(matches!(self, ByteSource::Memory(_)) && self.packing()? == FilePacking::None)
    }

    fn packing(&self) -> Result<FilePacking, ReadError> {
        let mut magic = Vec::new();
        self.raw()?.take(MAGIC as u64).read_to_end(&mut magic).map_err(|error| damaged(&error))?;
        Ok(packing_of(&magic))
    }
}

/// Reads everything; an error if it exceeds the budget.
pub(crate) fn read_all(reader: impl Read, budget: MemoryBudget) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let limit = budget.limit();
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    budget.check(bytes.len() as u64)?;
    Ok(bytes)
}

/// Fills `bytes` from an offset in a file, independently of what other threads read from it.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Fills `bytes` from an offset in a file, independently of what other threads read from it.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                offset += count as u64;
            }
        }
    }
    Ok(())
}

/// An error while reading: most often the packed data end early or are damaged.
pub(crate) fn damaged(error: &std::io::Error) -> ReadError {
    let error = match error.kind() {
        std::io::ErrorKind::UnexpectedEof => ReadError::new("the data ends early"),
        std::io::ErrorKind::OutOfMemory => {
            return ReadError::new("unpacking takes more memory than is allowed")
                .help("unpack the file first, or pack it with fewer resources, as xz -9 does");
        }
        _ => ReadError::io("the data cannot be read", error),
    };
    error.help("the file is incomplete or damaged: fetch or write it again")
}

pub(crate) fn cannot_open(error: &std::io::Error) -> ReadError {
    ReadError::io("cannot be opened", error).help("check the path and the permissions")
}

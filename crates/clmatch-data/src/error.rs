//! Why a dataset could not be read: what is wrong, where, and what to do.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use crate::advice::Advice;

/// A column, by its name where the file gives one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnRef {
    /// The name in the header.
    Name(String),
    /// The index of the column in the file, counted from 0.
    Index(usize),
}

impl Default for ColumnRef {
    fn default() -> Self {
        ColumnRef::Index(0)
    }
}

impl fmt::Display for ColumnRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColumnRef::Name(name) => write!(f, "column '{}'", shorten(name)),
            ColumnRef::Index(index) => write!(f, "column {index}"),
        }
    }
}

/// Where in a file something is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The line of a text file, counted from 1.
    pub line: Option<u64>,
    /// The row of a binary file, counted from 1.
    pub row: Option<u64>,
    /// The column.
    pub column: Option<ColumnRef>,
}

/// What kind of error it is. Programs decide by the kind; texts and advice are for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// What was found is not what it should be.
    Content,
    /// The data need more memory than may be used. They may still be read in [blocks](crate::blocks).
    TooLargeForMemory,
    /// A text is not UTF-8.
    NotUtf8,
    /// The operating system or a decoder failed: not found, no permission and so on.
    Io(io::ErrorKind),
}

/// A dataset that could not be read.
///
/// Displayed as `FILE, line 7, column 'petal width': what is wrong`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    /// The file; empty if the error is not about a file.
    pub path: PathBuf,
    /// Where in the file; boxed to keep results small.
    pub place: Option<Box<Place>>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub advice: Option<Advice>,
    /// What kind of error it is; boxed to keep results small.
    cause: Box<Cause>,
}

/// What kind of error it is, with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cause {
    Content,
    TooLargeForMemory,
    NotUtf8,
    /// The error of the operating system or a decoder.
    Io(IoSource),
}

/// An error of the operating system that can be cloned; equal to others of the same kind.
#[derive(Debug, Clone)]
pub(crate) struct IoSource(Arc<io::Error>);

impl IoSource {
    pub(crate) fn new(error: &io::Error) -> Self {
        let copy = match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::new(error.kind(), error.to_string()),
        };
        IoSource(Arc::new(copy))
    }

    pub(crate) fn get(&self) -> &io::Error {
        &self.0
    }
}

impl PartialEq for IoSource {
    fn eq(&self, other: &Self) -> bool {
        self.0.kind() == other.0.kind()
    }
}

impl Eq for IoSource {}

impl ReadError {
    /// An error without a place.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        ReadError {
            path: PathBuf::new(),
            place: None,
            what: what.into(),
            advice: None,
            cause: Box::new(Cause::Content),
        }
    }

    /// An error of the operating system or a decoder.
    pub(crate) fn io(doing: &str, error: &std::io::Error) -> Self {
        let cause = Box::new(Cause::Io(IoSource::new(error)));
        ReadError { cause, ..ReadError::new(format!("{doing}: {error}")) }
    }

    /// The error for data that need more memory than may be used.
    pub(crate) fn too_large_for_memory(what: impl Into<String>) -> Self {
        ReadError {
            cause: Box::new(Cause::TooLargeForMemory),
            ..ReadError::new(what).help(Advice::UseLessMemory)
        }
    }

    /// The error for a text that is not UTF-8.
    pub(crate) fn not_utf8(what: impl Into<String>) -> Self {
        ReadError { cause: Box::new(Cause::NotUtf8), ..ReadError::new(what) }
    }

    /// Adds what to do about it.
    pub(crate) fn help(mut self, advice: impl Into<Advice>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Adds the line of a text file.
    pub(crate) fn line(mut self, line: u64) -> Self {
        self.place.get_or_insert_default().line = Some(line);
        self
    }

    /// Adds the row of a binary file, counted from 0.
    pub(crate) fn row(mut self, row: usize) -> Self {
        self.place.get_or_insert_default().row = Some(row as u64 + 1);
        self
    }

    /// Adds the column.
    pub(crate) fn column(mut self, column: ColumnRef) -> Self {
        self.place.get_or_insert_default().column = Some(column);
        self
    }

    /// Adds the file, unless a more precise one is known.
    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        if self.path.as_os_str().is_empty() {
            self.path = path.to_owned();
        }
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if self.path.as_os_str() == "-" {
            parts.push("standard input".to_owned());
        } else if !self.path.as_os_str().is_empty() {
            parts.push(self.path.display().to_string());
        }
        if let Some(place) = &self.place {
            parts.extend(place.line.map(|line| format!("line {line}")));
            parts.extend(place.row.map(|row| format!("row {row}")));
            parts.extend(place.column.as_ref().map(ColumnRef::to_string));
        }
        if parts.is_empty() {
            f.write_str(&self.what)
        } else {
            write!(f, "{}: {}", parts.join(", "), self.what)
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.cause {
            Cause::Io(io) => Some(io.get()),
            Cause::Content | Cause::TooLargeForMemory | Cause::NotUtf8 => None,
        }
    }
}

impl ReadError {
    /// What kind of error it is.
    pub fn kind(&self) -> ReadErrorKind {
        match &*self.cause {
            Cause::Content => ReadErrorKind::Content,
            Cause::TooLargeForMemory => ReadErrorKind::TooLargeForMemory,
            Cause::NotUtf8 => ReadErrorKind::NotUtf8,
            Cause::Io(io) => ReadErrorKind::Io(io.get().kind()),
        }
    }
}

/// Makes text from a file fit for a message: one line, no control characters, at most 40 characters.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text
        .chars()
        .take(LONGEST + 1)
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .collect();
    if short.chars().count() > LONGEST {
        short = short.chars().take(LONGEST - 1).collect();
        short.push('…');
    }
    short
}

/// Like [`shorten`], for bytes that may not be text.
pub(crate) fn shorten_bytes(bytes: &[u8]) -> String {
    shorten(&String::from_utf8_lossy(&bytes[..bytes.len().min(256)]))
}

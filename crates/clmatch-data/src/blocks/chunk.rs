//! What the readers of single formats hand over: some rows of a part, as they stand there.

use std::path::{Path, PathBuf};

use crate::error::{ColumnRef, ReadError, shorten};
use crate::note::Note;
use crate::provenance::Facts;
use crate::table::{Codes, Column, plain_name};

/// Rows as they stand in a file.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// Row by row; NaN is a missing value, and a column with categories holds their numbers.
    pub(crate) values: Vec<f64>,
    /// One per row, unless they come from elsewhere.
    pub(crate) labels: Option<Codes>,
    pub(crate) rows: usize,
}

/// Where a chunk stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChunkPlace {
    /// The file; `-` for standard input.
    pub(crate) part: PathBuf,
    /// Rows of the part before the chunk.
    pub(crate) first_row: usize,
}

/// All parts of a dataset, some rows at a time. A chunk lies in one part.
pub(crate) trait Chunks: Send {
    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<Chunk>, ReadError>;

    /// Decides what the columns of a chunk hold, by the rows that were handed over so far, which are `first`. From then on
    /// rows that contradict this are refused.
    fn decide(&mut self, first: &mut Chunk) -> Vec<Column>;

    /// Where the last chunk stands; before the first one, the first part.
    fn place(&self) -> &ChunkPlace;

    /// How many rows the part has that is being read, if that is known before it is read.
    fn part_rows(&self) -> Option<usize> {
        None
    }
}

/// A dataset whose columns are known, and none of whose rows was handed over.
pub(crate) struct Start {
    pub(crate) chunks: Box<dyn Chunks>,
    pub(crate) notes: Vec<Note>,
    pub(crate) facts: Facts,
    /// Numbers of a row, text columns counted once.
    pub(crate) features: usize,
    /// Whether chunks have labels.
    pub(crate) has_labels: bool,
}

/// The error for a part whose columns are not those of the first one; `None` if they are.
pub(crate) fn other_columns(known: &[ColumnRef], own: &[ColumnRef], first: &Path) -> Option<ReadError> {
    let first = first.display();
    let what = if known.len() == own.len() {
        let (known, own) = known.iter().zip(own).find(|(known, own)| known != own)?;
        let name = |column: &ColumnRef| shorten(&plain_name(column));
        format!("there is a column '{}' where {first} has '{}'", name(own), name(known))
    } else {
        format!("there are {} columns where {first} has {}", own.len(), known.len())
    };
    Some(ReadError::new(what).help("parts of one dataset need the same columns in the same order"))
}

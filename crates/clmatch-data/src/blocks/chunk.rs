//! What the readers of single formats return: some rows of a part, as they are in the file.

use std::path::{Path, PathBuf};

use crate::error::{ColumnRef, ReadError, shorten};
use crate::note::Note;
use crate::provenance::Facts;
use crate::table::{Codes, FeatureColumn, plain_name};

/// Rows as they are in a file.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// The values, row by row; NaN is a missing value, and a column with categories holds their numbers.
    pub(crate) values: Vec<f64>,
    /// One label per row, unless labels come from elsewhere.
    pub(crate) labels: Option<Codes>,
    pub(crate) rows: usize,
}

/// Where a chunk comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChunkPlace {
    /// The file; `-` for standard input.
    pub(crate) part: PathBuf,
    /// How many rows of the part come before the chunk.
    pub(crate) first_row: usize,
}

/// All parts of a dataset, some rows at a time. A chunk is within one part.
pub(crate) trait Chunks: Send {
    /// The next rows; `None` at the end.
    fn next(&mut self) -> Result<Option<Chunk>, ReadError>;

    /// Decides what the columns of a chunk hold, by `first`: the rows returned so far. From then on, rows that contradict the
    /// decision are refused.
    fn decide(&mut self, first: &mut Chunk) -> Vec<FeatureColumn>;

    /// Where the last chunk comes from; before the first chunk, this is the first part.
    fn place(&self) -> &ChunkPlace;

    /// How many rows the current part has, if that is known before it is read.
    fn part_rows(&self) -> Option<usize> {
        None
    }
}

/// A dataset whose columns are known, before any of its rows is returned.
pub(crate) struct Start {
    pub(crate) chunks: Box<dyn Chunks>,
    pub(crate) notes: Vec<Note>,
    pub(crate) facts: Facts,
    /// How many numbers a row has; a text column counts as one.
    pub(crate) features: usize,
    /// Whether chunks have labels.
    pub(crate) has_labels: bool,
}

/// The error for a part whose columns are not those of the first part; `None` if they are.
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

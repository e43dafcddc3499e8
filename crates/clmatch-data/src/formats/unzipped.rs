//! What an archive holds.

use crate::input::ByteSource;
use crate::note::Note;
use crate::real::FloatMatrix;
use crate::table::Codes;

/// Points, and the labels if the archive holds them.
#[derive(Debug)]
pub(crate) struct Unzipped {
    pub(crate) matrix: FloatMatrix,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) labels: Option<Codes>,
    pub(crate) notes: Vec<Note>,
}

/// A table in an archive.
#[derive(Debug)]
pub(crate) struct UnzippedTable {
    /// Its name in the archive.
    pub(crate) name: String,
    pub(crate) content: ByteSource,
}

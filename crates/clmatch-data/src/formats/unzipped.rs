//! What an archive holds.

use crate::note::Note;
use crate::real::Matrix;
use crate::table::Codes;

/// Points, and the labels if the archive holds them.
#[derive(Debug)]
pub(crate) struct Unzipped {
    pub(crate) matrix: Matrix,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) labels: Option<Codes>,
    pub(crate) notes: Vec<Note>,
}

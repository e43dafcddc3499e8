//! How a dataset is cut into blocks.

use super::files::Growth;

/// How a dataset is cut into blocks.
#[derive(Debug, Clone)]
pub struct BlockOptions {
    /// At most this many rows per block; if not given, as many as fit well into memory.
    pub rows: Option<usize>,
    /// How many rows decide what columns are: fewer if the dataset has fewer, or if this many do not fit into an eighth of
    /// the memory.
    pub first_rows: usize,
    /// How many bytes of memory reading may take.
    pub memory: u64,
    /// If given, waits for rows that are appended to the end of a text file.
    pub growth: Option<Growth>,
}

impl BlockOptions {
    /// Options for reading within `memory` bytes.
    pub fn within(memory: u64) -> Self {
        BlockOptions { rows: None, first_rows: FIRST_ROWS, memory, growth: None }
    }

    /// How many rows a reader returns at once.
    pub(super) fn chunk_rows(&self) -> usize {
        self.rows.unwrap_or(BLOCK_ROWS).clamp(1, BLOCK_ROWS)
    }

    /// How many rows decide what the columns are.
    pub(super) fn deciding_rows(&self, features: usize) -> usize {
        let room = self.memory / 8 / (8 * features.max(1) as u64);
        self.first_rows.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1)
    }

    /// How many bytes of text are read at once; two such pieces and their numbers are held in memory.
    pub(super) fn read_bytes(&self) -> usize {
        ((self.memory / 16) as usize).clamp(1 << 16, 1 << 26)
    }
}

/// How many rows decide what columns are by default.
const FIRST_ROWS: usize = 1 << 16;
/// At most this many rows per block: enough to be worth a message between threads.
pub(super) const BLOCK_ROWS: usize = 1 << 14;

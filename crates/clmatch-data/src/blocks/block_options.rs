//! How a dataset is cut into blocks.

use super::files::Growth;

/// How a dataset is cut into blocks.
#[derive(Debug, Clone)]
pub struct BlockOptions {
    /// Rows of a block at most; as many as fit well into memory if not given.
    pub rows: Option<usize>,
    /// Rows that decide what columns are, if there are so many and they fit into an eighth of the memory.
    pub first_rows: usize,
    /// Bytes that reading may take.
    pub memory: u64,
    /// Waits for rows that are appended to the end of a text file.
    pub growth: Option<Growth>,
}

impl BlockOptions {
    /// Reading within so many bytes.
    pub fn within(memory: u64) -> Self {
        BlockOptions { rows: None, first_rows: FIRST_ROWS, memory, growth: None }
    }

    /// Rows that a reader hands over at once.
    pub(super) fn chunk_rows(&self) -> usize {
        self.rows.unwrap_or(BLOCK_ROWS).clamp(1, BLOCK_ROWS)
    }

    /// How many rows decide.
    pub(super) fn deciding_rows(&self, features: usize) -> usize {
        let room = self.memory / 8 / (8 * features.max(1) as u64);
        self.first_rows.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1)
    }

    /// Bytes of text that are read at once: two such pieces and their numbers are held.
    pub(super) fn read_bytes(&self) -> usize {
        ((self.memory / 16) as usize).clamp(1 << 16, 1 << 26)
    }
}

/// Rows that decide what columns are, unless asked otherwise.
const FIRST_ROWS: usize = 1 << 16;
/// Rows of a block at most: enough to be worth a message between threads.
pub(super) const BLOCK_ROWS: usize = 1 << 14;

//! How far a file has been read, for the progress bar.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts the bytes of the rows that were read, as if each row took the same.
pub(super) struct RowCounter {
    bytes: Arc<AtomicU64>,
    /// The size of the file in bytes, its rows, and the rows that were read.
    length: u64,
    rows: u64,
    done: u64,
}

impl RowCounter {
    pub(super) fn new(bytes: &Arc<AtomicU64>, length: u64, rows: u64) -> Self {
        RowCounter { bytes: Arc::clone(bytes), length, rows, done: 0 }
    }

    pub(super) fn count(&mut self, rows: u64) {
        let share = |rows: u64| (self.length as f64 * rows as f64 / self.rows.max(1) as f64) as u64;
        let bytes = share(self.done + rows) - share(self.done);
        self.done += rows;
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

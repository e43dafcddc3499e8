//! Limits the length of lines by the available memory: a small packed file may contain a line that is too long.

use std::io::{self, Read};

use crate::error::ReadError;
use crate::memory::{MemoryBudget, human};

/// A line longer than this is not part of a table.
const LONGEST: u64 = 1 << 28;
/// The lowest limit on the length of a line.
const SHORTEST: u64 = 1 << 20;
/// How many bytes a column takes before any number in it is read: its name, and what its first rows show.
const COLUMN: u64 = 512;

/// How long a line may be with this budget, given that some copies of it are made.
pub(super) fn longest_line(budget: MemoryBudget) -> u64 {
    (budget.limit() / 8).clamp(SHORTEST, LONGEST)
}

/// The error for a line that is too long.
pub(super) fn long_line(longest: u64) -> io::Error {
    let what =
        format!("a line has more than {}, which is not a table, or too wide for the memory", human(longest));
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Refuses a first line that is too long, or has more columns than memory can describe.
pub(super) fn check_first(line: &[u8], budget: MemoryBudget) -> Result<(), ReadError> {
    let longest = longest_line(budget);
    if line.len() as u64 > longest {
        return Err(ReadError::too_large_for_memory(long_line(longest).to_string()));
    }
    let cells = line.iter().filter(|byte| b",;\t| ".contains(byte)).count() as u64;
    if cells.saturating_mul(COLUMN) <= budget.limit().max(SHORTEST) {
        return Ok(());
    }
    let what =
        format!("the first line has about {cells} columns, more than {} can hold", human(budget.limit()));
    Err(ReadError::too_large_for_memory(what))
}

/// A text with lines of limited length.
pub(super) struct LineLimit<R> {
    inner: R,
    longest: u64,
    /// How many bytes were read since the last line end.
    since: u64,
}

impl<R: Read> LineLimit<R> {
    pub(super) fn new(inner: R, longest: u64) -> Self {
        LineLimit { inner, longest, since: 0 }
    }
}

impl<R: Read> Read for LineLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.since = match memchr::memrchr2(b'\n', b'\r', &buffer[..count]) {
            Some(end) => (count - end - 1) as u64,
            None => self.since + count as u64,
        };
        if self.since > self.longest { Err(long_line(self.longest)) } else { Ok(count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_that_is_too_long_is_refused() {
        let short = "12345\n".repeat(100);
        let mut text = String::new();
        assert!(LineLimit::new(short.as_bytes(), 5).read_to_string(&mut text).is_ok());
        assert_eq!(text, short);
        assert!(LineLimit::new(short.replace('\n', ",").as_bytes(), 599).read_to_string(&mut text).is_err());
    }
}

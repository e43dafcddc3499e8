//! Text in blocks of complete lines: all threads parse a block while the next one is read.

use std::io::Read;

/// Bytes per thread in a block.
pub(crate) const BLOCK: usize = 4 << 20;
/// How many bytes a thread takes at once.
const PIECE: usize = 1 << 18;

/// Bytes of a text; the last line may be unfinished.
pub(crate) struct LineBlock {
    pub(crate) bytes: Vec<u8>,
    pub(crate) filled: usize,
    pub(crate) last: bool,
}

impl LineBlock {
    pub(crate) fn new(size: usize) -> Self {
        LineBlock { bytes: vec![0; size], filled: 0, last: false }
    }

    /// Starts with the unfinished line of the block before, and reads on.
    pub(crate) fn fill(&mut self, reader: &mut dyn Read, start: &[u8]) -> std::io::Result<()> {
        self.bytes[..start.len()].copy_from_slice(start);
        self.filled = start.len();
        while self.filled < self.bytes.len() {
            match reader.read(&mut self.bytes[self.filled..]) {
                Ok(0) => {
                    self.last = true;
                    break;
                }
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The end of the last complete line; `None` if a single line fills the block.
    pub(crate) fn complete(&self) -> Option<usize> {
        if self.last {
            let blank = |byte: &u8| matches!(byte, b'\n' | b'\r');
            return Some(
                self.bytes[..self.filled].iter().rposition(|byte| !blank(byte)).map_or(0, |at| at + 1),
            );
        }
        memchr::memrchr(b'\n', &self.bytes[..self.filled]).map(|at| at + 1)
    }
}

/// Cuts complete lines into pieces for the threads.
pub(crate) fn cut(mut lines: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::with_capacity(lines.len() / PIECE + 1);
    while lines.len() > PIECE {
        let end = memchr::memchr(b'\n', &lines[PIECE..]).map_or(lines.len(), |at| PIECE + at + 1);
        let (piece, rest) = lines.split_at(end);
        pieces.push(piece);
        lines = rest;
    }
    if !lines.is_empty() {
        pieces.push(lines);
    }
    pieces
}

//! The fast path of text tables in chunks: complete lines, parsed by all threads while the next bytes are read.

use std::io::{Cursor, Read};

use super::fast::{LinePieces, RowLayout};
use crate::blocks::Chunk;
use crate::error::ReadError;
use crate::formats::line_blocks::LineBlock;
use crate::input::damaged;
use crate::table::LabelBuilder;

/// Complete lines, block after block.
pub(super) struct LineParser {
    reader: Box<dyn Read + Send>,
    block: LineBlock,
    next: LineBlock,
    /// Where the block starts.
    byte: u64,
    line: u64,
    started: bool,
    ended: bool,
}

pub(super) enum Parsed {
    Rows(Chunk),
    End,
    /// A block for the careful path; nothing was taken from it.
    Unusual,
    Failed(ReadError),
}

impl LineParser {
    pub(super) fn new(reader: Box<dyn Read + Send>, byte: u64, line: u64, size: usize) -> Self {
        let (block, next) = (LineBlock::new(size), LineBlock::new(size));
        LineParser { reader, block, next, byte, line, started: false, ended: false }
    }

    /// Parses a block while the next one is read.
    pub(super) fn next(&mut self, layout: &RowLayout<'_>, has_label: bool) -> Parsed {
        if self.ended {
            return Parsed::End;
        }
        if !std::mem::replace(&mut self.started, true)
            && let Err(error) = self.block.fill(&mut self.reader, &[])
        {
            return Parsed::Failed(damaged(&error));
        }
        let last = self.block.last;
        let end = self.block.complete();
        let (lines, rest) = self.block.bytes[..self.block.filled].split_at(end.unwrap_or(0));
        let (next, reader) = (&mut self.next, &mut self.reader);
        let (parsed, filled) = rayon::join(
            || if end.is_some() { parse(lines, layout, has_label) } else { None },
            || if last || end.is_none() { Ok(()) } else { next.fill(reader, rest) },
        );
        if let Err(error) = filled {
            return Parsed::Failed(damaged(&error));
        }
        match parsed {
            None => Parsed::Unusual,
            Some(Err(error)) => Parsed::Failed(error),
            Some(Ok(chunk)) => {
                self.byte += lines.len() as u64;
                self.line += chunk.rows as u64;
                self.ended = last;
                std::mem::swap(&mut self.block, &mut self.next);
                Parsed::Rows(chunk)
            }
        }
    }

    /// What was not parsed, with the position of its first byte and the number of lines before it.
    pub(super) fn rest(&mut self) -> (Box<dyn Read + Send>, u64, u64) {
        let own = self.block.bytes[..self.block.filled].to_vec();
        let reader = std::mem::replace(&mut self.reader, Box::new(std::io::empty()));
        // The next block begins with the unfinished line of this block.
        let rest: Box<dyn Read + Send> = match self.block.complete() {
            Some(end) if !self.block.last => {
                let next = self.next.bytes[..self.next.filled].to_vec();
                Box::new(Cursor::new(own[..end].to_vec()).chain(Cursor::new(next)).chain(reader))
            }
            _ => Box::new(Cursor::new(own).chain(reader)),
        };
        (rest, self.byte, self.line)
    }
}

/// Parses complete lines; `None` if there is anything unusual.
fn parse(lines: &[u8], layout: &RowLayout<'_>, has_label: bool) -> Option<Result<Chunk, ReadError>> {
    let pieces = LinePieces::of(lines).ok()?;
    let rows = pieces.rows();
    let mut values = vec![0.0; rows * layout.features()];
    let parsed = pieces.parse(&mut values, layout).ok()?;
    let mut labels = LabelBuilder::default();
    for piece in &parsed {
        if let Err(error) = labels.append(&piece.labels) {
            return Some(Err(error));
        }
    }
    Some(Ok(Chunk { values, labels: has_label.then(|| labels.finish()), rows }))
}

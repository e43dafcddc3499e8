//! Rows of files, read chunk by chunk, decided by the first chunks and cut into blocks.

use std::path::PathBuf;

use clmatch::Labels;

use super::block::Block;
use super::chunk::{Chunk, ChunkPlace, Chunks, Start};
use super::decision::{ColumnDecision, Prepared};
use super::part::FilePart;
use crate::damaged::decoding;
use crate::dictionary::Dictionary;
use crate::error::ReadError;
use crate::loss::MissingCells;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::Facts;
use crate::table::{Codes, LabelBuilder};

/// Files that are being read.
pub(super) struct BlockStream {
    chunks: Box<dyn Chunks>,
    pub(super) decision: ColumnDecision,
    /// The chunks that decided, as far as they were not returned yet.
    first: std::vec::IntoIter<(Chunk, ChunkPlace)>,
    /// Whether the first rows were all rows.
    pub(super) whole: bool,
    pending: Pending,
    ended: bool,
    part: usize,
}

/// Rows that were left out because something was missing.
#[derive(Debug, Default)]
pub(super) struct Lost {
    pub(super) rows: usize,
    pub(super) missing: MissingCells,
}

/// Rows that are ready but not returned yet.
#[derive(Default)]
struct Pending {
    values: Vec<f64>,
    codes: Vec<u32>,
    names: Dictionary,
    place: PathBuf,
    first_row: u64,
}

impl BlockStream {
    /// Reads at least `rows` rows, or all if there are fewer, and decides by them.
    pub(super) fn new(start: Start, rows: usize, options: &ReadOptions) -> Result<BlockStream, ReadError> {
        let Start { mut chunks, notes, facts, .. } = start;
        let path = chunks.place().part.clone();
        let (first, whole) = gather(chunks.as_mut(), rows)?;
        let (decision, first) =
            decide(chunks.as_mut(), first, facts, notes, options).map_err(|error| error.in_file(&path))?;
        let (first, pending) = (first.into_iter(), Pending::default());
        Ok(BlockStream { chunks, decision, first, whole, pending, ended: false, part: 0 })
    }

    /// The next rows, all of one part; `None` at the end.
    pub(super) fn next_block(
        &mut self,
        rows: usize,
        features: usize,
        parts: &[FilePart],
        lost: &mut Lost,
    ) -> Result<Option<Block>, ReadError> {
        let mut waiting = None;
        while self.pending.codes.len() < rows && !self.ended {
            let Some((chunk, place)) = self.next_chunk()? else {
                self.ended = true;
                break;
            };
            let other = place.part != self.pending.place;
            let Prepared { values, labels, dropped, missing } = self.decision.prepare(chunk, &place)?;
            lost.rows += dropped;
            lost.missing.add(&missing);
            if other && !self.pending.codes.is_empty() {
                // A block is within one part, so the pending one is returned first.
                waiting = Some((values, labels, place));
                break;
            }
            self.pending.enter(&place, other);
            self.pending.append(values, &labels)?;
        }
        self.part = parts.iter().position(|part| part.path == self.pending.place).unwrap_or(0);
        let all = if waiting.is_some() { usize::MAX } else { rows };
        let block = self.pending.take(all, features, self.part);
        if let Some((values, labels, place)) = waiting {
            self.pending.enter(&place, true);
            self.pending.append(values, &labels)?;
        }
        Ok(block)
    }

    fn next_chunk(&mut self) -> Result<Option<(Chunk, ChunkPlace)>, ReadError> {
        if let Some(first) = self.first.next() {
            return Ok(Some(first));
        }
        if self.whole {
            return Ok(None);
        }
        let chunk = next(self.chunks.as_mut())?;
        Ok(chunk.map(|chunk| (chunk, self.chunks.place().clone())))
    }
}

impl Pending {
    /// Moves to the part of the next rows; `other` says whether that is another part.
    fn enter(&mut self, place: &ChunkPlace, other: bool) {
        if other {
            self.place.clone_from(&place.part);
            self.first_row = 0;
        }
    }

    fn append(&mut self, values: Vec<f64>, labels: &Codes) -> Result<(), ReadError> {
        if self.values.is_empty() {
            self.values = values;
        } else {
            self.values.extend(values);
        }
        let places: Vec<u32> =
            labels.names.iter().map(|name| self.names.code(name.as_bytes())).collect::<Result<_, _>>()?;
        self.codes.extend(labels.codes.iter().map(|&code| places[code as usize]));
        Ok(())
    }

    /// Takes at most `rows` rows out.
    fn take(&mut self, rows: usize, features: usize, part: usize) -> Option<Block> {
        let count = self.codes.len().min(rows);
        if count == 0 {
            return None;
        }
        let rest = self.values.split_off(count * features);
        let values = std::mem::replace(&mut self.values, rest);
        let rest = self.codes.split_off(count);
        let codes = std::mem::replace(&mut self.codes, rest);
        let labels = Labels::from_codes(codes, self.names.names());
        let first_row = self.first_row;
        self.first_row += count as u64;
        Some(Block { values, labels, part, first_row })
    }
}

/// Decides by the first chunks, and returns them.
fn decide(
    chunks: &mut dyn Chunks,
    first: Vec<(Chunk, ChunkPlace)>,
    facts: Facts,
    notes: Vec<Note>,
    options: &ReadOptions,
) -> Result<(ColumnDecision, Vec<(Chunk, ChunkPlace)>), ReadError> {
    let mut labels = LabelBuilder::default();
    let mut all = Chunk::default();
    let mut lengths = Vec::with_capacity(first.len());
    for (chunk, place) in first {
        if let Some(codes) = &chunk.labels {
            labels.append(codes)?;
        }
        lengths.push((chunk.values.len(), chunk.rows, chunk.labels, place));
        all.values.extend(chunk.values);
        all.rows += chunk.rows;
    }
    if all.rows == 0 {
        return Err(ReadError::new("there are no rows").help("the file has no data, or only a header"));
    }
    all.labels = Some(labels.finish());
    let columns = chunks.decide(&mut all);
    let decision = ColumnDecision::new(&all, columns, facts, notes, options)?;
    let mut values = all.values.into_iter();
    let mut again = Vec::with_capacity(lengths.len());
    for (count, rows, labels, place) in lengths {
        again.push((Chunk { values: values.by_ref().take(count).collect(), labels, rows }, place));
    }
    Ok((decision, again))
}

/// The next chunk; an error in a part names the part.
fn next(chunks: &mut dyn Chunks) -> Result<Option<Chunk>, ReadError> {
    let chunk = decoding(|| chunks.next());
    chunk.map_err(|error| error.in_file(&chunks.place().part))
}

/// Reads chunks until there are at least `rows` rows; also returns whether these are all rows.
fn gather(chunks: &mut dyn Chunks, rows: usize) -> Result<(Vec<(Chunk, ChunkPlace)>, bool), ReadError> {
    let (mut found, mut count) = (Vec::new(), 0);
    while count < rows {
        let Some(chunk) = next(chunks)? else { return Ok((found, true)) };
        count += chunk.rows;
        found.push((chunk, chunks.place().clone()));
    }
    Ok((found, false))
}

//! svmlight and LIBSVM: a label, then `index:value` for the values that are not 0.
//!
//! Indices count from 1, as the format says; if the index 0 occurs anywhere, they count from 0. `qid:N` and everything after `#`
//! is skipped.

use clmatch_kernels::simd::with_bit_instructions;
use rayon::prelude::*;

use crate::cell::{self, ParsedCell};
use crate::error::{ColumnRef, ReadError, shorten_bytes};
use crate::formats::csv::decimal;
use crate::formats::line_blocks::{BLOCK, LineBlock, cut};
use crate::formats::sparse::not_empty;
use crate::input::{ByteSource, damaged};
use crate::memory::{MemoryBudget, zeros};
use crate::spans::{CellSpan, RecordSpan, range_in};
use crate::table::{Codes, LabelBuilder};

/// A matrix with its labels.
#[derive(Debug)]
pub(crate) struct LabelledMatrix {
    pub(crate) values: Vec<f64>,
    pub(crate) rows: usize,
    pub(crate) features: usize,
    pub(crate) labels: Codes,
}

/// Values that are not 0, row after row.
#[derive(Default)]
struct SparseEntries {
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Where each row ends.
    ends: Vec<usize>,
    largest: u32,
    zero_seen: bool,
}

impl SparseEntries {
    /// Appends the rows of another part of the file.
    fn append(&mut self, other: &SparseEntries) {
        let before = self.values.len();
        self.columns.extend_from_slice(&other.columns);
        self.values.extend_from_slice(&other.values);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.largest = self.largest.max(other.largest);
        self.zero_seen |= other.zero_seen;
    }
}

/// Lines that were parsed together.
#[derive(Default)]
struct ParsedLines {
    labels: LabelBuilder,
    entries: SparseEntries,
}

/// Reads the file; `NaN` values are missing.
pub(crate) fn read(input: &ByteSource, budget: MemoryBudget) -> Result<LabelledMatrix, ReadError> {
    let mut reader = input.reader()?;
    // Reading one byte more than a small file has shows that it has ended.
    let most = input.length()?.map_or(usize::MAX, |length| length as usize + 1);
    let size = (BLOCK * rayon::current_num_threads()).min(most);
    let (mut block, mut next) = (LineBlock::new(size), LineBlock::new(size));
    block.fill(&mut reader, &[]).map_err(|error| damaged(&error))?;
    let (mut all, mut lines_before) = (ParsedLines::default(), 0);
    loop {
        let (lines, rest) = block.bytes[..block.filled].split_at(block.complete().unwrap_or(0));
        let last = block.last;
        // If a line fills a block, the next block is larger.
        if rest.len() >= next.bytes.len() {
            budget.check(2 * rest.len() as u64)?;
            next = LineBlock::new(2 * rest.len());
        }
        let (parsed, filled) = rayon::join(
            || parse_lines(lines, &mut all, lines_before),
            || if last { Ok(()) } else { next.fill(&mut reader, rest) },
        );
        parsed?;
        budget.check(all.entries.values.len() as u64 * 12)?;
        if last {
            return dense(&all.entries, all.labels.finish(), budget);
        }
        filled.map_err(|error| damaged(&error))?;
        lines_before += memchr::memchr_iter(b'\n', lines).count() as u64;
        std::mem::swap(&mut block, &mut next);
    }
}

/// Parses lines with all threads and appends them in order; `before` is the number of lines before them.
fn parse_lines(lines: &[u8], all: &mut ParsedLines, before: u64) -> Result<(), ReadError> {
    let pieces = cut(lines);
    let parts: Vec<Result<ParsedLines, ReadError>> =
        pieces.par_iter().map(|piece| with_bit_instructions(|| parse_piece(piece))).collect();
    let mut before = before;
    for (part, piece) in parts.into_iter().zip(pieces) {
        let part = part.map_err(|error| after_lines(error, before))?;
        all.labels.append(&part.labels.finish())?;
        all.entries.append(&part.entries);
        before += memchr::memchr_iter(b'\n', piece).count() as u64;
    }
    Ok(())
}

/// Makes lines in an error count from the start of the file instead of the piece.
fn after_lines(mut error: ReadError, before: u64) -> ReadError {
    if let Some(line) = error.place.as_mut().and_then(|place| place.line.as_mut()) {
        *line += before;
    }
    error
}

#[inline(always)]
fn parse_piece(piece: &[u8]) -> Result<ParsedLines, ReadError> {
    let mut part = ParsedLines::default();
    for (line, text) in (1..).zip(piece.split(|&byte| byte == b'\n')) {
        let end = memchr::memchr(b'#', text).unwrap_or(text.len());
        parse(&text[..end], &mut part.labels, &mut part.entries).map_err(|error| error.line(line))?;
    }
    Ok(part)
}

/// The next word, and the text from its start on.
#[inline(always)]
fn next_word<'a>(text: &mut &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    let start = text.trim_ascii_start();
    let end = start.iter().position(u8::is_ascii_whitespace).unwrap_or(start.len());
    *text = &start[end..];
    (end > 0).then_some((&start[..end], start))
}

#[inline(always)]
fn parse(mut text: &[u8], labels: &mut LabelBuilder, entries: &mut SparseEntries) -> Result<(), ReadError> {
    let Some((label, _)) = next_word(&mut text) else { return Ok(()) };
    push_label(label, labels)?;
    let mut last = None;
    while let Some((word, from_here)) = next_word(&mut text) {
        let (index, value) = match short_pair(word, from_here) {
            Some((index, value)) => (Some(index), value),
            None => pair(word)?,
        };
        let Some(index) = index else { continue };
        if last.is_some_and(|last| index <= last) {
            return Err(ReadError::new(format!("the index {index} is not larger than the one before it"))
                .help("within a line, indices must go up and occur once"));
        }
        last = Some(index);
        entries.zero_seen |= index == 0;
        entries.largest = entries.largest.max(index);
        entries.columns.push(index);
        entries.values.push(value);
    }
    entries.ends.push(entries.values.len());
    Ok(())
}

/// Parses `index:value` if both are short, as most are; `from_here` is the line from the word on.
#[inline(always)]
fn short_pair(word: &[u8], from_here: &[u8]) -> Option<(u32, f64)> {
    const DIGITS: usize = 9;
    let colon = word.iter().take(DIGITS + 1).position(|&byte| byte == b':').filter(|&colon| colon > 0)?;
    let mut index = 0;
    for byte in &word[..colon] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        index = index * 10 + u32::from(digit);
    }
    let (value, length) = decimal(&from_here[colon + 1..])?;
    (colon + 1 + length == word.len()).then_some((index, value))
}

/// Appends a label. Labels are usually numbers: `+1` and `1.0` are the class `1`.
fn push_label(text: &[u8], labels: &mut LabelBuilder) -> Result<(), ReadError> {
    if text.contains(&b':') {
        return Err(ReadError::new(format!(
            "the line begins with '{}', not with a label",
            shorten_bytes(text)
        ))
        .help("each line must be LABEL INDEX:VALUE …"));
    }
    match cell::plain(text) {
        ParsedCell::Number(number) => labels.push_number(number),
        ParsedCell::Missing => {
            labels.push_missing();
            Ok(())
        }
        _ => labels.push(text),
    }
}

/// Parses `index:value`; for `qid:value` there is no index.
fn pair(word: &[u8]) -> Result<(Option<u32>, f64), ReadError> {
    let wrong = |what: &str| {
        ReadError::new(format!("'{}' {what}", shorten_bytes(word)))
            .help("each line must be LABEL INDEX:VALUE …")
    };
    let colon = word.iter().position(|&byte| byte == b':').ok_or_else(|| wrong("is not INDEX:VALUE"))?;
    let (name, value) = (&word[..colon], &word[colon + 1..]);
    if name == b"qid" {
        return Ok((None, 0.0));
    }
    let index = std::str::from_utf8(name).ok().and_then(|name| name.parse::<i64>().ok());
    let index = index.ok_or_else(|| wrong("does not begin with an index"))?;
    let index = u32::try_from(index).map_err(|_| wrong("has an index that is negative or too large"))?;
    let place = |error: ReadError| error.column(ColumnRef::Name(index.to_string()));
    match cell::plain(value) {
        ParsedCell::Number(number) => Ok((Some(index), number)),
        ParsedCell::Missing if !value.is_empty() => Ok((Some(index), f64::NAN)),
        ParsedCell::Infinite => Err(place(crate::missing::infinite())),
        ParsedCell::TooLarge => Err(place(crate::rows::too_large(value))),
        _ => Err(wrong("does not end in a number")),
    }
}

/// Calls `each` with the places of every line and its label in the bytes of a file.
pub(crate) fn spans(
    bytes: &[u8],
    each: &mut dyn FnMut(&RecordSpan) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let range = at..at + line.len();
        at = range.end;
        let mut text = &line[..memchr::memchr(b'#', line).unwrap_or(line.len())];
        if let Some((label, _)) = next_word(&mut text) {
            let cell = CellSpan::plain(0, range_in(bytes, label));
            each(&RecordSpan::line(range, vec![cell]))?;
        }
    }
    Ok(())
}

/// Fills in the zeros. The matrix may be far larger than the file, so its size is checked first.
fn dense(entries: &SparseEntries, labels: Codes, budget: MemoryBudget) -> Result<LabelledMatrix, ReadError> {
    let base = u32::from(!entries.zero_seen);
    let features = if entries.values.is_empty() { 0 } else { (entries.largest - base) as usize + 1 };
    let rows = entries.ends.len();
    budget.check_shape(rows as u64, features as u64, 8)?;
    not_empty(features, entries.values.len())?;
    let mut values: Vec<f64> = zeros(rows * features)?;
    let mut start = 0;
    for (row, &end) in entries.ends.iter().enumerate() {
        for entry in start..end {
            values[row * features + (entries.columns[entry] - base) as usize] = entries.values[entry];
        }
        start = end;
    }
    Ok(LabelledMatrix { values, rows, features, labels })
}

/// Whether the first lines look like this format. Labels that are not numbers need a file name that says so.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let complete = head.iter().rposition(|&byte| byte == b'\n').map_or(head, |end| &head[..end]);
    let mut pairs = 0;
    for line in complete.split(|&byte| byte == b'\n').take(20) {
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.next().is_some_and(|label| !cell::is_number(label, false)) {
            return false;
        }
        for word in words {
            match pair(word) {
                Ok(_) => pairs += 1,
                Err(_) => return false,
            }
        }
    }
    pairs > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ReadOptions;

    fn sparse(text: &str) -> Result<LabelledMatrix, ReadError> {
        read(&ByteSource::Memory(text.as_bytes().to_vec().into()), MemoryBudget::new(&ReadOptions::default()))
    }

    #[test]
    fn rows_are_filled_with_zeros() {
        let found = sparse("# a comment\n+1 qid:3 1:2.5 3:-1 # note\n-1 2:4\n\n2.0\n").unwrap();
        assert_eq!((found.rows, found.features), (3, 3));
        assert_eq!(found.values, [2.5, 0.0, -1.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(found.labels.names, ["1", "-1", "2"]);
    }

    #[test]
    fn an_index_0_shows_that_they_count_from_0() {
        let found = sparse("a 1:1\nb 0:7 1:2\n").unwrap();
        assert_eq!(found.values, [0.0, 1.0, 7.0, 2.0]);
        assert_eq!(sparse("a 1:1\nb 2:2\n").unwrap().values, [1.0, 0.0, 0.0, 2.0]);
    }

    #[test]
    fn lines_are_the_same_whatever_pieces_they_fall_into() {
        // Several pieces; the value at the end of a line takes the general path, the others take the short one.
        let rows = 40_000;
        let line = |row: usize| format!("c{} 1:{row}.25 7:-0.5 12:{}\n", row % 3, row as f64 / 7.0);
        let mut text: String = (0..rows).map(line).collect();
        let found = sparse(&text).unwrap();
        assert_eq!((found.rows, found.features), (rows, 12));
        for (row, values) in found.values.chunks(12).enumerate() {
            assert_eq!([values[0], values[6], values[11]], [row as f64 + 0.25, -0.5, row as f64 / 7.0]);
            assert_eq!(found.labels.names[found.labels.codes[row] as usize], format!("c{}", row % 3));
        }
        text.push_str("\nc1 5:1 5:2\n");
        let error = sparse(&text).unwrap_err();
        assert!(error.to_string().starts_with("line 40002: the index 5 is not larger"), "{error}");
    }

    #[test]
    fn a_line_may_be_longer_than_a_block() {
        let pairs: String = (1..=2_000_000).map(|index| format!(" {index}:1")).collect();
        let text = format!("a{pairs}\nb 1:2\n");
        assert!(text.len() > BLOCK);
        // Blocks as small as on a machine with one processor.
        let found = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| {
            read(&ByteSource::Memory(text.into_bytes().into()), MemoryBudget::new(&ReadOptions::default()))
        });
        let found = found.unwrap();
        assert_eq!((found.rows, found.features, found.values[2_000_000]), (2, 2_000_000, 2.0));
    }

    #[test]
    fn columns_that_are_nearly_all_empty_are_refused() {
        let found = |text: &str| {
            read(
                &ByteSource::Memory(text.as_bytes().to_vec().into()),
                MemoryBudget::new(&ReadOptions::default()),
            )
        };
        assert_eq!(found("a 1:2 1048576:1\nb 1:3\n").unwrap().features, 1 << 20);
        let refused = found("a 1:2 5222222:1\nb 1:3\n").err().unwrap().to_string();
        assert!(refused.contains("5222222 columns, but 3 numbers"), "{refused}");
    }

    #[test]
    fn the_format_is_recognised() {
        assert!(looks_like(b"1 1:2 7:3\n-1 2:1\n") && looks_like(b"+1.5 1:2"));
        assert!(
            !looks_like(b"a,b\n1,2\n") && !looks_like(b"a b\n1 2\n") && !looks_like(b"time value\n10:30 5\n")
        );
        assert!(!looks_like(b"") && !looks_like(b"day 10:30\n"));
    }
}

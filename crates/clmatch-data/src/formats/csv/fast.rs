//! The fast path: plain numbers without quotes, parsed by all threads straight into the matrix.
//!
//! It gives up at anything unusual (quotes, text, comments between rows, a row of another length). The careful path then reads
//! the file from the start and reports what is wrong, or reads what is merely uncommon. Both give the same table.

use std::io::Read;
use std::ops::Range;

use clmatch_kernels::simd::text::{LONGEST, decimals, find_ends};
use clmatch_kernels::simd::with_bit_instructions;
use rayon::prelude::*;

use crate::cell::{self, ParsedCell};
use crate::columns::{ColumnPlan, Role};
use crate::dictionary::Dictionary;
use crate::error::ReadError;
use crate::extent::Extent;
use crate::formats::csv::digits::decimal;
use crate::formats::csv::sample::TextSample;
use crate::formats::csv::sniff::{self, Delimiter, Dialect};
use crate::formats::line_blocks::{BLOCK, LineBlock, cut};
use crate::huge_pages;
use crate::input::{ByteSource, damaged};
use crate::memory::MemoryBudget;
use crate::options::{Missing, ReadOptions};
use crate::real::FloatMatrix;
use crate::table::{Codes, FeatureColumn, LabelBuilder, RawTable};

/// Something that only the careful path can read or explain.
pub(super) struct Unusual;

/// What each cell is.
pub(crate) struct RowLayout<'a> {
    roles: &'a [Role],
    features: usize,
    /// The first contiguous columns that are numbers. The last column is excluded, because its cells end differently.
    numbers: Range<usize>,
    delimiter: u8,
    /// The byte that starts a comment.
    comment: u8,
    missing_allowed: bool,
}

impl<'a> RowLayout<'a> {
    /// The layout of a table that this path can read; `None` for all others.
    pub(super) fn new(dialect: &Dialect, roles: &'a [Role], options: &ReadOptions) -> Option<Self> {
        let Delimiter::Byte(delimiter) = dialect.delimiter else { return None };
        RowLayout::delimited(delimiter, b'#', roles, options)
    }

    /// Like [`RowLayout::new`], for cells between delimiters and comments that start with `comment`.
    pub(crate) fn delimited(
        delimiter: u8,
        comment: u8,
        roles: &'a [Role],
        options: &ReadOptions,
    ) -> Option<Self> {
        let plain = roles.iter().all(|role| matches!(role, Role::Skip | Role::Number | Role::Label));
        let is_number = |role: &Role| *role == Role::Number;
        let inner = &roles[..roles.len().saturating_sub(1)];
        let first = inner.iter().position(is_number).unwrap_or(0);
        let numbers = inner[first..].iter().take_while(|role| is_number(role)).count();
        (plain && !options.decimal_comma && options.missing_values.is_empty()).then(|| RowLayout {
            roles,
            features: roles.iter().filter(|role| is_number(role)).count(),
            numbers: first..first + numbers,
            delimiter,
            comment,
            missing_allowed: options.missing != Missing::Error,
        })
    }

    /// How many numbers a row has.
    pub(super) fn features(&self) -> usize {
        self.features
    }
}

/// Reads the table, or returns `None` if there is anything unusual. `rows` is an estimate of the number of rows.
pub(crate) fn read(
    input: &ByteSource,
    sample: &TextSample,
    dialect: &Dialect,
    plan: &ColumnPlan,
    options: &ReadOptions,
    rows: u64,
) -> Result<Option<RawTable>, ReadError> {
    let Some(layout) = RowLayout::new(dialect, &plan.roles, options) else { return Ok(None) };
    let Some(skip) = sniff::body(sample, dialect) else { return Ok(None) };
    read_body(input, skip as u64, &layout, plan, options, rows)
}

/// Reads the rows after the first `skip` bytes, or returns `None` if there is anything unusual.
pub(crate) fn read_body(
    input: &ByteSource,
    skip: u64,
    layout: &RowLayout<'_>,
    plan: &ColumnPlan,
    options: &ReadOptions,
    rows: u64,
) -> Result<Option<RawTable>, ReadError> {
    let mut reader = input.reader()?;
    let skipped = std::io::copy(&mut reader.by_ref().take(skip), &mut std::io::sink());
    skipped.map_err(|error| damaged(&error))?;
    let gathered = Gathered::new(layout, rows, MemoryBudget::new(options), plan.label().is_some());
    let Some(gathered) = gather(reader, input.length()?, layout, gathered)? else { return Ok(None) };
    Ok(Some(gathered.finish(plan, !layout.missing_allowed)))
}

/// Reads block after block; the threads parse one while the next one is read.
fn gather(
    mut reader: Box<dyn Read + Send + '_>,
    length: Option<u64>,
    layout: &RowLayout<'_>,
    mut gathered: Gathered,
) -> Result<Option<Gathered>, ReadError> {
    // Reading one byte more than a small file has shows that it has ended.
    let most = length.map_or(usize::MAX, |length| length as usize + 1);
    let size = (BLOCK * rayon::current_num_threads()).min(most);
    let (mut block, mut next) = (LineBlock::new(size), LineBlock::new(size));
    block.fill(&mut reader, &[]).map_err(|error| damaged(&error))?;
    loop {
        let Some(end) = block.complete() else { return Ok(None) };
        let (lines, rest) = block.bytes[..block.filled].split_at(end);
        let last = block.last;
        let (parsed, filled) = rayon::join(
            || gathered.parse(lines, layout),
            || if last { Ok(()) } else { next.fill(&mut reader, rest) },
        );
        filled.map_err(|error| damaged(&error))?;
        match parsed {
            Err(GiveUp::Refused(error)) => return Err(error),
            Err(GiveUp::Unusual) => return Ok(None),
            Ok(()) if last => return Ok(Some(gathered)),
            Ok(()) => std::mem::swap(&mut block, &mut next),
        }
    }
}

enum GiveUp {
    Unusual,
    Refused(ReadError),
}

impl From<ReadError> for GiveUp {
    fn from(error: ReadError) -> Self {
        GiveUp::Refused(error)
    }
}

/// What was read so far.
struct Gathered {
    /// Zeros to be overwritten; the system provides them without touching the memory.
    values: Vec<f64>,
    rows: usize,
    features: usize,
    labels: Option<LabelBuilder>,
    /// The extent of all numbers.
    extent: Extent,
    budget: MemoryBudget,
}

impl Gathered {
    fn new(layout: &RowLayout<'_>, rows: u64, budget: MemoryBudget, labels: bool) -> Self {
        // A little more than the first rows suggest: growing later would copy.
        let rows = (rows as f64 * 1.06) as u64 + 16;
        let most = budget.limit() / 8 / layout.features as u64;
        let count = rows.min(most) as usize * layout.features;
        let labels = labels.then(LabelBuilder::default);
        let mut values = vec![0.0; count];
        huge_pages::ask_for(&mut values);
        Gathered { values, rows: 0, features: layout.features, labels, extent: Extent::EMPTY, budget }
    }

    /// Parses complete lines into the matrix.
    fn parse(&mut self, lines: &[u8], layout: &RowLayout<'_>) -> Result<(), GiveUp> {
        let pieces = LinePieces::of(lines).map_err(|Unusual| GiveUp::Unusual)?;
        let rows = pieces.rows();
        let start = self.rows * self.features;
        let end = start + rows * self.features;
        self.budget.check(end as u64 * 8)?;
        if end > self.values.len() {
            let grown = (self.values.len() + self.values.len() / 2).max(end);
            self.values.resize(grown, 0.0);
        }
        let parsed = pieces.parse(&mut self.values[start..end], layout);
        for piece in parsed.map_err(|Unusual| GiveUp::Unusual)? {
            self.extent = self.extent.and(piece.extent);
            if let Some(labels) = &mut self.labels {
                labels.append(&piece.labels)?;
            }
        }
        self.rows += rows;
        Ok(())
    }

    fn finish(mut self, plan: &ColumnPlan, complete: bool) -> RawTable {
        self.values.truncate(self.rows * self.features);
        let is_feature = |role: &Role| *role == Role::Number;
        let names = plan.names.iter().zip(&plan.roles).filter(|(_, role)| is_feature(role));
        RawTable {
            columns: names.map(|(name, _)| FeatureColumn::number(name.clone())).collect(),
            matrix: FloatMatrix::F64(self.values),
            rows: self.rows,
            labels: self.labels.map(LabelBuilder::finish),
            complete,
            extent: Some(self.extent),
            notes: plan.notes.clone(),
            facts: plan.facts.clone(),
        }
    }
}

/// Complete lines without quotes, cut into pieces for the threads.
pub(super) struct LinePieces<'a> {
    pieces: Vec<&'a [u8]>,
    rows: Vec<usize>,
}

impl<'a> LinePieces<'a> {
    /// Cuts lines into pieces, unless there is a quote.
    pub(super) fn of(lines: &'a [u8]) -> Result<Self, Unusual> {
        let pieces = cut(lines);
        let plain = |piece: &[u8]| memchr::memchr(b'"', piece).is_none();
        let rows = pieces.par_iter().map(|piece| plain(piece).then(|| count_rows(piece)).ok_or(Unusual));
        let rows = rows.collect::<Result<_, _>>()?;
        Ok(LinePieces { pieces, rows })
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.rows.iter().sum()
    }

    /// Parses all rows into `values`, which has room for exactly these rows; returns what was found in each piece.
    pub(super) fn parse(
        self,
        mut values: &mut [f64],
        layout: &RowLayout<'_>,
    ) -> Result<Vec<ParsedPiece>, Unusual> {
        let mut work = Vec::with_capacity(self.pieces.len());
        for (piece, rows) in self.pieces.into_iter().zip(self.rows) {
            let (own, others) = values.split_at_mut(rows * layout.features);
            values = others;
            work.push((piece, own));
        }
        let parse =
            |ends: &mut Vec<u32>, (piece, values): (&[u8], _)| parse_piece(piece, values, layout, ends);
        work.into_par_iter().map_init(Vec::new, parse).collect()
    }
}

/// What was found in a piece in addition to its numbers.
pub(super) struct ParsedPiece {
    pub(super) labels: Codes,
    /// The extent of the numbers, determined while they are in the cache.
    extent: Extent,
}

/// Each line is a row; the last line of a file may lack its end.
fn count_rows(piece: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', piece).count() + usize::from(!piece.ends_with(b"\n"))
}

/// Parses complete lines. `ends` is a buffer for the ends of their cells.
fn parse_piece(
    piece: &[u8],
    values: &mut [f64],
    layout: &RowLayout<'_>,
    ends: &mut Vec<u32>,
) -> Result<ParsedPiece, Unusual> {
    let columns = layout.roles.len();
    // If most numbers are too long to be read at once, searching for ends would not pay off.
    let are_short = || piece.len() <= values.len() / layout.features * columns * (LONGEST + 1);
    if layout.numbers.is_empty() || !are_short() || !find_ends(piece, layout.delimiter, ends) {
        ends.clear();
    }
    let labels = with_bit_instructions(|| parse_rows(piece, ends, values, layout))?;
    Ok(ParsedPiece { labels, extent: Extent::of_part(values) })
}

/// Parses lines into numbers and labels. `ends` are the ends of all cells, perhaps without the last one, or empty.
#[inline(always)]
fn parse_rows(
    piece: &[u8],
    ends: &[u32],
    values: &mut [f64],
    layout: &RowLayout<'_>,
) -> Result<Codes, Unusual> {
    let mut labels = Codes::default();
    let mut dictionary = Dictionary::default();
    let mut at = 0;
    let mut filled = 0;
    let count = layout.roles.len();
    let mut row = 0;
    while at < piece.len() {
        // The careful path skips comments and blank lines.
        if matches!(piece[at], b'\n' | b'\r') || piece[at] == layout.comment {
            return Err(Unusual);
        }
        let mut column = 0;
        while column < count {
            if column == layout.numbers.start
                && let Some(ends) = ends.get(row * count..).and_then(|ends| ends.get(layout.numbers.clone()))
            {
                // Reads short numbers at once, as many as possible. What follows them is in the same row.
                let read = decimals(piece, at, layout.delimiter, ends, &mut values[filled..]);
                at = read.checked_sub(1).map_or(at, |last| ends[last] as usize + 1);
                filled += read;
                column += read;
            }
            let rest = &piece[at..];
            let is_last = column + 1 == count;
            let end = if is_last { b'\n' } else { layout.delimiter };
            let role = layout.roles[column];
            column += 1;
            if role == Role::Number {
                let value = values.get_mut(filled).ok_or(Unusual)?;
                filled += 1;
                // The common case first: a number that ends where it should.
                if let Some((number, length)) = decimal(rest)
                    && rest.get(length) == Some(&end)
                {
                    *value = number;
                    at += length + 1;
                    continue;
                }
                let length;
                (length, *value) = general_number(rest, layout, is_last)?;
                at = after(piece, at + length, is_last, layout.delimiter)?;
                continue;
            }
            let text = cell(rest, layout, is_last)?;
            if role == Role::Label {
                labels.codes.push(label(text.trim_ascii(), &mut dictionary, layout)?);
            }
            at = after(piece, at + text.len(), is_last, layout.delimiter)?;
        }
        row += 1;
    }
    if filled < values.len() {
        return Err(Unusual);
    }
    labels.names = dictionary.into_names();
    Ok(labels)
}

/// A number of any length, with or without exponent; also returns the length of its cell.
fn general_number(text: &[u8], layout: &RowLayout<'_>, last: bool) -> Result<(usize, f64), Unusual> {
    if let [b'0'..=b'9', ..] | [b'-' | b'+' | b'.', b'0'..=b'9' | b'.', ..] = text
        && let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(text)
        && value.is_finite()
        && text.get(length) == Some(&layout.delimiter)
    {
        return Ok((length, value));
    }
    slow_number(cell(text, layout, last)?, layout)
}

/// A number with blanks around it, or a missing one.
fn slow_number(text: &[u8], layout: &RowLayout<'_>) -> Result<(usize, f64), Unusual> {
    match cell::plain(text.trim_ascii()) {
        ParsedCell::Number(value) => Ok((text.len(), value)),
        ParsedCell::Missing if layout.missing_allowed => Ok((text.len(), f64::NAN)),
        _ => Err(Unusual),
    }
}

fn label(text: &[u8], dictionary: &mut Dictionary, layout: &RowLayout<'_>) -> Result<u32, Unusual> {
    if !cell::no_label(text) {
        return dictionary.code(text).map_err(|_| Unusual);
    }
    if layout.missing_allowed { Ok(Codes::MISSING) } else { Err(Unusual) }
}

/// The cell that starts here, without delimiter or line end; a carriage return in it would end a line, too.
#[inline]
fn cell<'a>(text: &'a [u8], layout: &RowLayout<'_>, last: bool) -> Result<&'a [u8], Unusual> {
    let end = text.iter().position(|&byte| byte == layout.delimiter || byte == b'\n').unwrap_or(text.len());
    let (mut cell, rest) = text.split_at(end);
    if last && rest.first() == Some(&b'\n') {
        cell = cell.strip_suffix(b"\r").unwrap_or(cell);
    }
    if cell.contains(&b'\r') { Err(Unusual) } else { Ok(cell) }
}

/// The start of the next cell: after a delimiter, or after a line end if this is the last column.
#[inline]
fn after(piece: &[u8], at: usize, last: bool, delimiter: u8) -> Result<usize, Unusual> {
    match (&piece[at..], last) {
        ([byte, ..], false) if *byte == delimiter => Ok(at + 1),
        ([b'\n', ..], true) => Ok(at + 1),
        ([b'\r', b'\n', ..], true) => Ok(at + 2),
        ([], true) => Ok(at),
        _ => Err(Unusual),
    }
}

//! Where the attributes of an ARFF file and the cells of its rows lie in its bytes.

use std::ops::Range;

use super::{AttributeKind, FIRST_ROWS, Lines, SPARSE, describe, header, value};
use crate::error::ReadError;
use crate::glimpse::Described;
use crate::input::ByteSource;
use crate::options::ReadOptions;
use crate::rows::ragged;
use crate::spans::{CellSpan, RecordSpan, range_in};

/// How an ARFF file is written: its attributes, with what the first rows show about them, and where they and the rows begin.
#[derive(Debug)]
pub(crate) struct ArffLayout {
    pub(crate) described: Vec<Described>,
    /// The declared values of nominal attributes.
    pub(crate) nominal: Vec<Option<Vec<Vec<u8>>>>,
    /// The line of each attribute, and the type in it.
    pub(crate) lines: Vec<(Range<usize>, Range<usize>)>,
    pub(crate) rows: usize,
}

/// Reads the header and the first rows of `bytes`, which are those of `input` unpacked.
pub(crate) fn layout(
    input: &ByteSource,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<ArffLayout, ReadError> {
    let described = describe(input, options, FIRST_ROWS)?;
    let mut lines = Lines::open(input)?;
    let attributes = header(&mut lines)?;
    let rows = lines.bytes as usize;
    let mut places = Vec::with_capacity(attributes.len());
    for line in bytes[..rows.min(bytes.len())].split_inclusive(|&byte| byte == b'\n') {
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        let keyword = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if keyword.eq_ignore_ascii_case(b"@attribute") {
            let kind = value(text[keyword.len()..].trim_ascii_start())?.1.trim_ascii();
            places.push((range_in(bytes, line), range_in(bytes, kind)));
        }
    }
    let nominal = attributes.into_iter().map(|attribute| match attribute.kind {
        AttributeKind::Nominal(values) => Some(values),
        _ => None,
    });
    Ok(ArffLayout { described, nominal: nominal.collect(), lines: places, rows })
}

/// Calls `each` with the places of every row and its cells in `bytes`.
pub(crate) fn spans(
    bytes: &[u8],
    layout: &ArffLayout,
    each: &mut dyn FnMut(&RecordSpan) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut at = layout.rows;
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        let text = bytes[at..end].trim_ascii();
        if !text.is_empty() && !text.starts_with(b"%") {
            let line = range_in(bytes, text);
            let sparse = text.strip_prefix(b"{").map(|text| text.strip_suffix(b"}").unwrap_or(text));
            let mut rest = sparse.unwrap_or(text).trim_ascii();
            let (mut cells, inner) = (Vec::new(), rest);
            while !rest.is_empty() {
                let first = range_in(bytes, rest).start;
                let mut column = cells.len();
                if sparse.is_some() {
                    let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                    let index = std::str::from_utf8(&rest[..end]).ok().and_then(|index| index.parse().ok());
                    column =
                        index.ok_or_else(|| ReadError::new("the sparse row has no index").help(SPARSE))?;
                    rest = rest[end..].trim_ascii_start();
                }
                let start = range_in(bytes, rest).start;
                let after = value(rest)?.1;
                let end = start + rest.len() - after.len();
                cells.push(CellSpan { column, whole: first..end, value: start..end });
                let after = after.trim_ascii_start();
                match after.strip_prefix(b",") {
                    Some(more) if sparse.is_none() && more.trim_ascii().is_empty() => {
                        let end = range_in(bytes, more).start;
                        cells.push(CellSpan::plain(cells.len(), end..end));
                        break;
                    }
                    Some(more) => rest = more.trim_ascii_start(),
                    None => rest = after,
                }
            }
            if sparse.is_none() && cells.len() != layout.lines.len() {
                return Err(ragged(cells.len(), layout.lines.len()));
            }
            let inner = match cells.last() {
                Some(last) => cells[0].whole.start..last.whole.end,
                None if inner.is_empty() => line.start + 1..line.start + 1,
                None => line,
            };
            each(&RecordSpan { range: at..end, inner, cells })?;
        }
        at = end;
    }
    Ok(())
}

/// A value as text, without quotes and escapes.
pub(crate) fn text_of(written: &[u8]) -> Vec<u8> {
    value(written).map_or_else(|_| written.to_vec(), |(text, _)| text)
}

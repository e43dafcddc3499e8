//! Where the cells of a text table lie in its bytes.

use std::ops::Range;

use super::cells::words;
use super::sniff::{Delimiter, Dialect};
use crate::error::ReadError;
use crate::rows::ragged;
use crate::spans::{CellSpan, RecordSpan, range_in, trimmed};

/// Calls `each` with every record, the header included, in the order of the file. Records are cut as the readers cut them.
pub(crate) fn spans(
    bytes: &[u8],
    dialect: &Dialect,
    each: &mut dyn FnMut(&RecordSpan) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let columns = dialect.names.len();
    let mut header = dialect.header;
    let mut at = dialect.mark.min(bytes.len());
    while let Some(mut record) = next(bytes, at, dialect) {
        at = record.range.end;
        // R writes the names of the rows, but no header for their column.
        if std::mem::take(&mut header) && record.cells.len() + 1 == columns {
            record.cells.iter_mut().for_each(|cell| cell.column += 1);
        } else if record.cells.len() != columns {
            return Err(ragged(record.cells.len(), columns));
        }
        each(&record)?;
    }
    Ok(())
}

/// The next record at or after a byte, with any number of cells.
pub(crate) fn next(bytes: &[u8], at: usize, dialect: &Dialect) -> Option<RecordSpan> {
    match dialect.delimiter {
        Delimiter::Byte(delimiter) => next_record(bytes, at, delimiter),
        Delimiter::Blanks => next_line(bytes, at),
    }
}

/// The next record with a delimiter of one byte, as the CSV crate reads it: after blank lines and comments.
fn next_record(bytes: &[u8], from: usize, delimiter: u8) -> Option<RecordSpan> {
    let ends = |byte: u8| byte == b'\n' || byte == b'\r';
    let find = |at: usize, is: &dyn Fn(u8) -> bool| {
        bytes[at..].iter().position(|&byte| is(byte)).map_or(bytes.len(), |found| at + found)
    };
    let mut start = find(from, &|byte| !ends(byte));
    while bytes.get(start) == Some(&b'#') {
        start = find(find(start, &|byte| byte == b'\n'), &|byte| !ends(byte));
    }
    if start == bytes.len() {
        return None;
    }
    let (mut at, mut cells) = (start, Vec::new());
    loop {
        let first = at;
        let quoted = bytes.get(at) == Some(&b'"');
        if quoted {
            at = after_quote(bytes, at + 1);
        }
        at = find(at, &|byte| byte == delimiter || ends(byte));
        // A quote after a blank belongs to the text, so the blank stays with it.
        let inner = trimmed(bytes, first..at);
        let value = if quoted || bytes[inner.clone()].starts_with(b"\"") { first..at } else { inner };
        cells.push(CellSpan { column: cells.len(), whole: first..at, value });
        if bytes.get(at) != Some(&delimiter) {
            break;
        }
        at += 1;
    }
    let end = at + usize::from(at < bytes.len());
    let end = end + usize::from(bytes.get(at) == Some(&b'\r') && bytes.get(end) == Some(&b'\n'));
    Some(RecordSpan::line(start..end, cells))
}

/// What follows a quoted text that begins at `at`; a doubled quote belongs to the text.
fn after_quote(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr(b'"', &bytes[at..]) {
        at += found + 1;
        if bytes.get(at) != Some(&b'"') {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// The next line that is split at blanks.
fn next_line(bytes: &[u8], mut at: usize) -> Option<RecordSpan> {
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
        let text = bytes[at..end].trim_ascii();
        if !text.is_empty() && !text.starts_with(b"#") {
            let cells = words(text).enumerate().map(|(column, word)| {
                let Range { start, end } = range_in(bytes, word);
                // A word in quotes comes without them.
                let quoted = start > at && bytes[start - 1] == b'"';
                CellSpan::plain(column, start - usize::from(quoted)..end + usize::from(quoted))
            });
            return Some(RecordSpan::line(at..end, cells.collect()));
        }
        at = end;
    }
    None
}

/// The text of a cell, without quotes and blanks around it.
pub(crate) fn text_of(cell: &[u8], delimiter: Delimiter) -> Vec<u8> {
    let Some(inner) = cell.strip_prefix(b"\"").filter(|inner| !inner.is_empty()) else {
        return cell.trim_ascii().to_vec();
    };
    if delimiter == Delimiter::Blanks {
        return inner.strip_suffix(b"\"").unwrap_or(cell).to_vec();
    }
    let end = after_quote(inner, 0);
    let closed = end > 0 && inner[end - 1] == b'"';
    let (quoted, rest) = inner.split_at(end);
    let quoted = &quoted[..quoted.len() - usize::from(closed)];
    let mut text = Vec::with_capacity(cell.len());
    let mut bytes = quoted.iter();
    while let Some(&byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' {
            bytes.next();
        }
    }
    text.extend_from_slice(rest);
    text.trim_ascii().to_vec()
}

/// Appends a text as a cell: in quotes if it needs them, or if the cell that it replaces has them.
pub(crate) fn push_cell(out: &mut Vec<u8>, text: &str, delimiter: Delimiter, quoted: bool) {
    let special = |byte: u8| match delimiter {
        Delimiter::Byte(delimiter) => byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r'),
        Delimiter::Blanks => byte.is_ascii_whitespace(),
    };
    let needed = text.is_empty() && delimiter == Delimiter::Blanks || text.starts_with('#');
    if !quoted && !needed && !text.bytes().any(special) {
        return out.extend_from_slice(text.as_bytes());
    }
    let inner = match delimiter {
        Delimiter::Byte(_) => text.replace('"', "\"\""),
        Delimiter::Blanks => text.to_owned(),
    };
    out.extend_from_slice(format!("\"{inner}\"").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ColumnRef;
    use crate::formats::csv::cells::builder;

    fn dialect(delimiter: Delimiter, columns: usize) -> Dialect {
        let names = (0..columns).map(ColumnRef::Index).collect();
        Dialect {
            delimiter,
            header: false,
            names,
            counted: false,
            joined: false,
            mark: 0,
            skipped: 0,
            longest: u64::MAX,
        }
    }

    fn cells(text: &str, delimiter: Delimiter, columns: usize) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        spans(text.as_bytes(), &dialect(delimiter, columns), &mut |record| {
            let cell = |cell: &CellSpan| {
                String::from_utf8(text_of(&text.as_bytes()[cell.value.clone()], delimiter)).unwrap()
            };
            found.push(record.cells.iter().map(cell).collect());
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn records_are_cut_as_the_csv_crate_cuts_them() {
        for text in [
            "a,b\n1,2\n",
            "a,b\r\n\r\n# x,y\n1,\"2\r\n3\"\r\n\"p\"\"q\",",
            "\"a,\"\"b\",c\r\"x\"y,\"\"\r, z \n\n#\n",
            "a\"b,\"c\n\"\"\"\n1,\"never closed\n2,3",
            ",\n,\n \"x\" ,y",
            "\"\"\"\",\"\"\"a\"\"\"\n#\n",
        ] {
            let mut reader = builder(b',').from_reader(text.as_bytes());
            let expected: Vec<Vec<String>> = reader
                .records()
                .map(|record| record.unwrap().iter().map(|cell| cell.trim_ascii().to_owned()).collect())
                .collect();
            assert_eq!(cells(text, Delimiter::Byte(b','), 2), expected, "{text:?}");
        }
        assert_eq!(
            cells(" 1\t\"a b\" \n# c\n\n\"\" x\"\n", Delimiter::Blanks, 2),
            [["1", "a b"], ["", "x\""]]
        );
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in ["a", "a,b", "say \"x\"", "two\nlines", "", "#1", "a b"] {
            let mut out = Vec::new();
            push_cell(&mut out, text, Delimiter::Byte(b','), false);
            assert_eq!(text_of(&out, Delimiter::Byte(b',')), text.as_bytes());
        }
        let mut out = Vec::new();
        push_cell(&mut out, "a b", Delimiter::Blanks, false);
        push_cell(&mut out, "c", Delimiter::Byte(b';'), true);
        assert_eq!(out, b"\"a b\"\"c\"");
    }
}

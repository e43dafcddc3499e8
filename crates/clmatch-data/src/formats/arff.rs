//! ARFF: declared attributes, nominal values with quotes, dense and sparse rows.
//!
//! A nominal feature is read like any other text: `{0,1}` are numbers, `{yes,no}` are 0 and 1, and names become indicator
//! columns on request. A value that a sparse row leaves out is 0, or the first value of a nominal attribute.

pub(crate) mod spans;

use std::io::{BufRead, BufReader};

use crate::advice::Advice;
use crate::columns::{self, ColumnPlan, Role};
use crate::error::{ColumnRef, ReadError, shorten, shorten_bytes};
use crate::formats::csv::fast::{self, RowLayout};
use crate::glimpse::Described;
use crate::input::{ByteSource, damaged};
use crate::options::ReadOptions;
use crate::rows::{TableBuilder, ragged};
use crate::table::{RawTable, not_utf8};
use crate::text_columns::{TextColumn, refuse};

/// What an attribute may hold.
#[derive(Debug, PartialEq)]
enum AttributeKind {
    Number,
    Nominal(Vec<Vec<u8>>),
    /// Texts and dates, which can only be left out, be the label, or become indicators.
    Text,
}

#[derive(Debug, PartialEq)]
struct Attribute {
    name: String,
    kind: AttributeKind,
}

/// Reads a table; `labels` is false when the labels come from elsewhere.
pub(crate) fn read(input: &ByteSource, options: &ReadOptions, labels: bool) -> Result<RawTable, ReadError> {
    let plan = columns::plan_described(&described_columns(input, options)?, options, labels)?;
    if let Some(table) = plain_rows(input, &plan, options)? {
        return Ok(table);
    }
    let roles = plan.roles.clone();
    let mut rows = TableBuilder::new(plan, options);
    let read = each_row(input, |number, cells| rows.push(number, cells.iter().map(Vec::as_slice)));
    match read {
        Ok(()) => Ok(rows.finish()),
        Err(error) => Err(all_texts(error, input, options, &roles)),
    }
}

/// Reads rows of plain numbers and a nominal label with all threads, like CSV; `None` for all other files, and for rows with
/// errors.
fn plain_rows(
    input: &ByteSource,
    plan: &ColumnPlan,
    options: &ReadOptions,
) -> Result<Option<RawTable>, ReadError> {
    let mut lines = Lines::open(input)?;
    let attributes = header(&mut lines)?;
    let mut known: &[Vec<u8>] = &[];
    for (attribute, role) in attributes.iter().zip(&plan.roles) {
        match (&attribute.kind, role) {
            (AttributeKind::Nominal(values), Role::Label) => known = values,
            (AttributeKind::Number, Role::Number) => {}
            _ => return Ok(None),
        }
    }
    // Such a value is quoted in a row, or looks like the start of a comment or of a sparse row.
    let special = |byte: &u8| byte.is_ascii_whitespace() || b"'\"\\{}%".contains(byte);
    if known.iter().any(|value| value.is_empty() || value.iter().any(special)) {
        return Ok(None);
    }
    let Some(layout) = RowLayout::delimited(b',', b'%', &plan.roles, options) else { return Ok(None) };
    let start = lines.bytes;
    let Some((_, first)) = lines.next()? else { return Ok(None) };
    if first.starts_with(b"{") {
        return Ok(None);
    }
    // However short the other rows are, each cell and its delimiter take two bytes.
    let shortest = (first.len() + 1).max(2 * attributes.len()) as u64;
    let rows = input.length()?.map_or(0, |length| length.saturating_sub(start) / shortest + 1);
    let table = fast::read_body(input, start, &layout, plan, options, rows)?;
    let declared = |table: &RawTable| {
        let names = table.labels.as_ref().map_or(&[][..], |labels| &labels.names);
        names.iter().all(|name| known.iter().any(|value| value == name.as_bytes()))
    };
    Ok(table.filter(declared))
}

/// How many rows show what an attribute holds.
const FIRST_ROWS: usize = 2000;

/// The attributes, with what the first rows show about them.
pub(crate) fn described_columns(
    input: &ByteSource,
    options: &ReadOptions,
) -> Result<Vec<Described>, ReadError> {
    describe(input, options, FIRST_ROWS)
}

/// Attributes, with what the first rows show about them.
fn describe(input: &ByteSource, options: &ReadOptions, most: usize) -> Result<Vec<Described>, ReadError> {
    let mut lines = Lines::open(input)?;
    let attributes = header(&mut lines)?;
    let mut columns: Vec<Described> = attributes
        .iter()
        .map(|attribute| Described {
            nominal: matches!(attribute.kind, AttributeKind::Nominal(_)),
            ..Described::unseen(ColumnRef::Name(attribute.name.clone()))
        })
        .collect();
    // The reader reports what is wrong with a row.
    for _ in 0..most {
        let Ok(Some((_, text))) = lines.next() else { break };
        let Ok(cells) = row(text, &attributes) else { break };
        for ((column, attribute), cell) in columns.iter_mut().zip(&attributes).zip(&cells) {
            match attribute.kind {
                _ if options.names_missing(cell.trim_ascii()) => {}
                AttributeKind::Text => column.glimpse.push_text(cell),
                _ => column.glimpse.push(cell.trim_ascii(), options.decimal_comma),
            }
        }
    }
    columns.iter_mut().for_each(|column| column.glimpse.close());
    Ok(columns)
}

/// Calls `each` with the line and the cells of each row.
fn each_row(
    input: &ByteSource,
    mut each: impl FnMut(u64, &[Vec<u8>]) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut lines = Lines::open(input)?;
    let attributes = header(&mut lines)?;
    while let Some((number, text)) = lines.next()? {
        let cells = row(text, &attributes).map_err(|error| error.line(number))?;
        each(number, &cells)?;
    }
    Ok(())
}

/// The error for all attributes of text at once, if `error` is about one of them.
fn all_texts(error: ReadError, input: &ByteSource, options: &ReadOptions, roles: &[Role]) -> ReadError {
    if !matches!(error.advice, Some(Advice::DropOrOneHot(_))) {
        return error;
    }
    let Ok(columns) = describe(input, options, usize::MAX) else { return error };
    let texts: Vec<TextColumn<'_>> = columns
        .iter()
        .zip(roles)
        .filter(|(column, role)| **role == Role::Number && column.glimpse.is_text())
        .map(|(column, _)| TextColumn { name: &column.name, glimpse: &column.glimpse })
        .collect();
    let own = error.place.as_ref().and_then(|place| place.column.as_ref());
    if texts.iter().any(|column| Some(column.name) == own) { refuse(&texts).unwrap_or(error) } else { error }
}

/// Lines with their numbers, without comments and blank lines.
struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    number: u64,
    /// How many bytes were read.
    bytes: u64,
}

impl<'a> Lines<Box<dyn std::io::Read + Send + 'a>> {
    fn open(input: &'a ByteSource) -> Result<Self, ReadError> {
        let reader = BufReader::with_capacity(1 << 18, input.reader()?);
        Ok(Lines { reader, line: Vec::new(), number: 0, bytes: 0 })
    }
}

impl<R: std::io::Read> Lines<R> {
    fn next(&mut self) -> Result<Option<(u64, &[u8])>, ReadError> {
        loop {
            self.line.clear();
            let count = self.reader.read_until(b'\n', &mut self.line).map_err(|error| damaged(&error))?;
            if count == 0 {
                return Ok(None);
            }
            self.bytes += count as u64;
            self.number += 1;
            let text = self.line.trim_ascii();
            if !text.is_empty() && !text.starts_with(b"%") {
                break;
            }
        }
        Ok(Some((self.number, self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line).trim_ascii())))
    }
}

/// Reads the header, up to `@data`.
fn header<R: std::io::Read>(lines: &mut Lines<R>) -> Result<Vec<Attribute>, ReadError> {
    let mut attributes = Vec::new();
    while let Some((number, text)) = lines.next()? {
        let keyword = text.split(u8::is_ascii_whitespace).next().unwrap_or_default().to_ascii_lowercase();
        match keyword.as_slice() {
            b"@relation" => {}
            b"@attribute" => {
                attributes.push(attribute(&text[keyword.len()..]).map_err(|error| error.line(number))?);
            }
            b"@data" if attributes.is_empty() => {
                return Err(ReadError::new("no @attribute stands before @data").line(number).help(HELP));
            }
            b"@data" => return Ok(attributes),
            _ => {
                let what = format!("'{}' stands where @attribute or @data is expected", shorten_bytes(text));
                return Err(ReadError::new(what).line(number).help(HELP));
            }
        }
    }
    Err(ReadError::new("the file ends without @data").help(HELP))
}

const SPARSE: &str = "a sparse row is {INDEX VALUE, …}, and indices count from 0";
const HELP: &str = "an ARFF file has @relation, one @attribute per column, @data, and the rows";

/// Parses `name type`.
fn attribute(text: &[u8]) -> Result<Attribute, ReadError> {
    let (name, rest) = value(text.trim_ascii_start())?;
    let name = String::from_utf8(name).map_err(|error| not_utf8(error.as_bytes()))?;
    let kind = rest.trim_ascii();
    let wrong = |what: String| ReadError::new(what).column(ColumnRef::Name(name.clone())).help(HELP);
    if let Some(list) = kind.strip_prefix(b"{") {
        let list =
            list.strip_suffix(b"}").ok_or_else(|| wrong("the list of values is not closed".to_owned()))?;
        return Ok(Attribute { kind: AttributeKind::Nominal(values(list)?), name });
    }
    let word = kind.split(u8::is_ascii_whitespace).next().unwrap_or_default().to_ascii_lowercase();
    let kind = match word.as_slice() {
        b"numeric" | b"real" | b"integer" => AttributeKind::Number,
        b"string" | b"date" => AttributeKind::Text,
        _ => return Err(wrong(format!("the type '{}' is not known", shorten_bytes(kind)))),
    };
    Ok(Attribute { name, kind })
}

/// Parses a row into one cell per attribute.
fn row(text: &[u8], attributes: &[Attribute]) -> Result<Vec<Vec<u8>>, ReadError> {
    let cells = match text.strip_prefix(b"{") {
        Some(sparse) => sparse_row(sparse, attributes)?,
        None => values(text)?,
    };
    if cells.len() != attributes.len() {
        return Err(ragged(cells.len(), attributes.len()));
    }
    for (cell, attribute) in cells.iter().zip(attributes) {
        if let AttributeKind::Nominal(known) = &attribute.kind
            && cell != b"?"
            && !known.contains(cell)
        {
            return Err(ReadError::new(format!("'{}' is none of the declared values", shorten_bytes(cell)))
                .column(ColumnRef::Name(attribute.name.clone()))
                .help("correct the value, or declare it in the @attribute line"));
        }
    }
    Ok(cells)
}

/// Parses `index value, index value}`.
fn sparse_row(text: &[u8], attributes: &[Attribute]) -> Result<Vec<Vec<u8>>, ReadError> {
    let text = text
        .strip_suffix(b"}")
        .ok_or_else(|| ReadError::new("the sparse row is not closed by '}'").help(SPARSE))?;
    let mut cells: Vec<Vec<u8>> = attributes
        .iter()
        .map(|attribute| match &attribute.kind {
            AttributeKind::Nominal(known) => known.first().cloned().unwrap_or_default(),
            _ => b"0".to_vec(),
        })
        .collect();
    let mut rest = text.trim_ascii();
    while !rest.is_empty() {
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let index = std::str::from_utf8(&rest[..end]).ok().and_then(|index| index.parse::<usize>().ok());
        let index = index.ok_or_else(|| {
            ReadError::new(format!("'{}' is not an index", shorten_bytes(&rest[..end]))).help(SPARSE)
        })?;
        let cell = cells.get_mut(index).ok_or_else(|| {
            ReadError::new(format!("the index {index} is beyond the {} attributes", attributes.len()))
                .help(SPARSE)
        })?;
        let after;
        (*cell, after) = value(rest[end..].trim_ascii_start())?;
        rest = after.trim_ascii_start();
        rest = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
    }
    Ok(cells)
}

/// All values of a line: separated by commas or, if there are none, by blanks.
fn values(text: &[u8]) -> Result<Vec<Vec<u8>>, ReadError> {
    let mut found = Vec::new();
    let mut rest = text.trim_ascii();
    while !rest.is_empty() {
        let (cell, after) = value(rest)?;
        found.push(cell);
        let after = after.trim_ascii_start();
        rest = match after.strip_prefix(b",") {
            Some(more) if more.trim_ascii().is_empty() => {
                found.push(Vec::new());
                &[]
            }
            Some(more) => more.trim_ascii_start(),
            None => after,
        };
    }
    Ok(found)
}

/// The first value, without quotes and escapes, and what follows it.
fn value(text: &[u8]) -> Result<(Vec<u8>, &[u8]), ReadError> {
    let quote = match text.first() {
        Some(&quote @ (b'\'' | b'"')) => quote,
        _ => {
            let is_end = |byte: &u8| *byte == b',' || byte.is_ascii_whitespace();
            let end = text.iter().position(is_end).unwrap_or(text.len());
            return Ok((text[..end].to_vec(), &text[end..]));
        }
    };
    let mut cell = Vec::new();
    let mut bytes = text.iter().enumerate().skip(1);
    while let Some((at, &byte)) = bytes.next() {
        match byte {
            b'\\' => cell.extend(bytes.next().map(|(_, &escaped)| escaped)),
            _ if byte == quote => return Ok((cell, &text[at + 1..])),
            _ => cell.push(byte),
        }
    }
    Err(ReadError::new(format!("the quote of {} is never closed", shorten(&String::from_utf8_lossy(text))))
        .help("close the quote, or put a backslash before it if it belongs to the text"))
}

/// Whether the text starts like this format, after comments.
pub(crate) fn looks_like(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"%")).unwrap_or_default();
    let word = first.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    [&b"@relation"[..], b"@attribute", b"@data"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::FloatMatrix;

    #[test]
    fn values_lose_quotes_and_escapes() {
        let found = values(br#"1, 'two, three' ,"a\"b",?,'it\'s',"#).unwrap();
        let found: Vec<&str> = found.iter().map(|cell| std::str::from_utf8(cell).unwrap()).collect();
        assert_eq!(found, ["1", "two, three", "a\"b", "?", "it's", ""]);
        assert_eq!(values(b"1 2\t3").unwrap().len(), 3);
        assert!(values(b"'a").is_err());
    }

    #[test]
    fn attributes_of_all_kinds() {
        let read = |text: &str| attribute(text.as_bytes()).unwrap();
        assert_eq!(read("'a b'  REAL"), Attribute { name: "a b".into(), kind: AttributeKind::Number });
        let nominal = AttributeKind::Nominal(vec![b"x".to_vec(), b"y z".to_vec()]);
        assert_eq!(read("c {x, 'y z' }"), Attribute { name: "c".into(), kind: nominal });
        assert_eq!(read("d date \"yyyy\"").kind, AttributeKind::Text);
        assert!(attribute(b"e relational").is_err() && attribute(b"f {a,b").is_err());
    }

    #[test]
    fn all_threads_read_what_one_reads() {
        let head = "@relation r\n@attribute a real\n@attribute c {x,y,z}\n@attribute b real\n@data\n";
        let rows: String = (0..3000)
            .map(|row| format!("{}.{row},{},-{row}e-3\n", row % 7, ["x", "y", "z"][row % 3]))
            .collect();
        let plain = ByteSource::Memory(format!("{head}{rows}").into());
        let commented = ByteSource::Memory(format!("{head}% a comment\n{rows}").into());
        let options = ReadOptions { label: Some("c".into()), ..ReadOptions::default() };
        let plan = |input| columns::plan_described(&describe(input, &options, 10).unwrap(), &options, true);
        let fast = plain_rows(&plain, &plan(&plain).unwrap(), &options).unwrap().unwrap();
        assert!(plain_rows(&commented, &plan(&commented).unwrap(), &options).unwrap().is_none());
        let slow = read(&commented, &options, true).unwrap();
        assert_eq!((fast.rows, &fast.labels), (3000, &slow.labels));
        assert!(
            matches!((fast.matrix, slow.matrix), (FloatMatrix::F64(fast), FloatMatrix::F64(slow)) if fast == slow)
        );
    }

    #[test]
    fn what_needs_care_is_left_to_one_thread() {
        let options = ReadOptions { label: Some("c".into()), ..ReadOptions::default() };
        let plain = |values: &str, rows: &str| {
            let text = format!("@relation r\n@attribute a real\n@attribute c {{{values}}}\n@data\n{rows}");
            let input = ByteSource::Memory(text.into());
            let plan = columns::plan_described(&describe(&input, &options, 9).unwrap(), &options, true);
            plain_rows(&input, &plan.unwrap(), &options).unwrap().is_some()
        };
        assert!(plain("x,y", "1,x\n2,y\n"));
        for (values, rows) in [
            ("x,y", "1,x\n2,z\n"),
            ("x,'y z'", "1,x\n2,y z\n"),
            ("x,y", "1,'x'\n"),
            ("x,y", "{0 1,1 y}\n"),
            ("x,y", "1,x\n{0 1,1 y}\n"),
            ("x,y", "1 x\n"),
        ] {
            assert!(!plain(values, rows), "{rows}");
        }
    }

    #[test]
    fn the_format_is_recognised() {
        assert!(looks_like(b"% hello\n\n@RELATION x\n") && !looks_like(b"@user,b\n") && !looks_like(b""));
    }
}

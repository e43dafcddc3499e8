//! JSON rows with names: an array of objects, or one object after the other (JSON lines, NDJSON).
//!
//! All names that occur are columns, in order of appearance; a name that is not in an object is missing there. Values are read
//! as in a CSV file: a text that spells a number is a number.

use std::collections::HashMap;
use std::io::Read;

use super::json::{RecordValue, Scanner};
use super::json_table;
use crate::cell;
use crate::columns;
use crate::error::{ColumnRef, ReadError};
use crate::glimpse::Described;
use crate::input::ByteSource;
use crate::label_choice::{LabelFile, in_label_file};
use crate::list;
use crate::options::ReadOptions;
use crate::rows::TableBuilder;
use crate::shown::{ShownCells, ShownChoice};
use crate::spans::{CellSpan, RecordSpan};
use crate::table::{LabelBuilder, RawTable, plain_name};

/// Reads a table; `labels` is false when the labels come from elsewhere. `array` says which of the two layouts it is.
pub(crate) fn read(
    input: &ByteSource,
    array: bool,
    options: &ReadOptions,
    labels: bool,
) -> Result<RawTable, ReadError> {
    if !array && let Some(table) = json_table::read(input, options, labels)? {
        return Ok(table);
    }
    let columns = RecordColumns::find(input.reader()?, array, options)?;
    let plan = columns::plan_described(&columns.described, options, labels)?;
    let mut rows = TableBuilder::new(plan, options);
    let mut cells: Vec<Vec<u8>> = vec![Vec::new(); columns.names.len()];
    each_record(input.reader()?, array, |row, scanner| {
        cells.iter_mut().for_each(Vec::clear);
        scanner.object(|scanner, name| {
            let (RecordValue::Plain(text) | RecordValue::Nested(text)) = scanner.value()?;
            if let Some(&place) = columns.places.get(&name) {
                cells[place] = text;
            }
            Ok(())
        })?;
        rows.push(row as u64 + 1, cells.iter().map(Vec::as_slice)).map_err(by_row)
    })?;
    Ok(rows.finish())
}

/// The names, with what the first rows show about their values.
pub(crate) fn described_columns(
    input: &ByteSource,
    array: bool,
    options: &ReadOptions,
) -> Result<Vec<Described>, ReadError> {
    Ok(RecordColumns::find(input.reader()?, array, options)?.described)
}

/// Reads one value of each row as a label.
pub(crate) fn labels(input: &ByteSource, array: bool, options: &ReadOptions) -> Result<LabelFile, ReadError> {
    let columns = RecordColumns::find(input.reader()?, array, &ReadOptions::default())?;
    let (place, column) = in_label_file(&columns.described, options)?;
    let chosen = &columns.names[place];
    let mut labels = LabelBuilder::default();
    each_record(input.reader()?, array, |_, scanner| {
        let mut label = Vec::new();
        scanner.object(|scanner, name| {
            let (RecordValue::Plain(text) | RecordValue::Nested(text)) = scanner.value()?;
            if name == *chosen {
                label = text;
            }
            Ok(())
        })?;
        match label.trim_ascii() {
            none if cell::no_label(none) => labels.push_missing(),
            text => labels.push(text)?,
        }
        Ok(())
    })?;
    Ok(LabelFile { codes: labels.finish(), column, notes: Vec::new() })
}

/// Reads the cells of the columns that are shown beside the points; an array or object is only marked as one.
pub(crate) fn shown(
    input: &ByteSource,
    array: bool,
    options: &ReadOptions,
    choice: &ShownChoice,
) -> Result<ShownCells, ReadError> {
    if !array && let Some(shown) = json_table::shown(input, options, choice)? {
        return Ok(shown);
    }
    let columns = RecordColumns::find(input.reader()?, array, &ReadOptions::default())?;
    let names: Vec<ColumnRef> = columns.names.iter().cloned().map(ColumnRef::Name).collect();
    let mut shown = choice.among(&names, |_| true)?;
    let mut cells: Vec<Vec<u8>> = vec![Vec::new(); names.len()];
    each_record(input.reader()?, array, |_, scanner| {
        cells.iter_mut().for_each(Vec::clear);
        scanner.object(|scanner, name| {
            let cell = match scanner.value()? {
                RecordValue::Plain(text) if text == b"null" => Vec::new(),
                RecordValue::Plain(text) => text,
                RecordValue::Nested(start) if start.starts_with(b"{") => "{…}".into(),
                RecordValue::Nested(_) => "[…]".into(),
            };
            if let Some(&place) = columns.places.get(&name) {
                cells[place] = cell;
            }
            Ok(())
        })?;
        shown.push_row(|place| &cells[place])
    })?;
    Ok(shown)
}

/// Calls `each` with the places of every object and its values in the bytes of a file; `columns` are the names that
/// [`describe`] found.
pub(crate) fn spans(
    bytes: &[u8],
    array: bool,
    columns: &[ColumnRef],
    each: &mut dyn FnMut(&RecordSpan) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let places: HashMap<String, usize> =
        columns.iter().enumerate().map(|(place, name)| (plain_name(name), place)).collect();
    each_record(bytes, array, |_, scanner| {
        scanner.peek()?;
        let start = scanner.offset();
        // After the bracket.
        let mut from = start + 1;
        let mut cells: Vec<CellSpan> = Vec::new();
        scanner.object(|scanner, name| {
            scanner.peek()?;
            let first = scanner.offset();
            scanner.value()?;
            let end = scanner.offset();
            if let Some(last) = cells.last() {
                // After the comma, which follows the last value.
                from = last.whole.end
                    + bytes[last.whole.end..].iter().take_while(|&&byte| byte != b',').count()
                    + 1;
            }
            let column = places.get(&name).copied().unwrap_or(usize::MAX);
            cells.push(CellSpan { column, whole: from..end, value: first..end });
            Ok(())
        })?;
        let inner = start + 1..cells.last().map_or(start + 1, |last| last.whole.end);
        each(&RecordSpan { range: start..scanner.offset(), inner, cells })
    })
}

/// How many rows show what a column holds.
const LOOKED_AT: usize = 2000;

/// All names that occur.
#[derive(Debug, Default)]
struct RecordColumns {
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// What the first rows show about each name.
    described: Vec<Described>,
}

impl RecordColumns {
    fn find(reader: impl Read, array: bool, options: &ReadOptions) -> Result<RecordColumns, ReadError> {
        let mut columns = RecordColumns::default();
        let (mut records, mut nested) = (0, false);
        // The last object in which each name occurred.
        let mut seen: Vec<Option<usize>> = Vec::new();
        each_record(reader, array, |row, scanner| {
            scanner.object(|scanner, name| {
                let value = scanner.value()?;
                nested |= matches!(value, RecordValue::Nested(_));
                let next = columns.names.len();
                let place = *columns.places.entry(name.clone()).or_insert(next);
                if place == next {
                    columns.names.push(name.clone());
                    let mut column = Described::unseen(ColumnRef::Name(name.clone()));
                    if row > 0 {
                        column.glimpse.skip_rows(row.min(LOOKED_AT));
                    }
                    columns.described.push(column);
                    seen.push(None);
                }
                match &value {
                    _ if row >= LOOKED_AT => {}
                    RecordValue::Plain(text) if options.names_missing(text.trim_ascii()) => {
                        columns.described[place].glimpse.push_missing();
                    }
                    RecordValue::Nested(text) if list::length(text).is_none() => {
                        columns.described[place].glimpse.skip_rows(1);
                    }
                    RecordValue::Plain(text) | RecordValue::Nested(text) => {
                        columns.described[place].glimpse.push(text.trim_ascii(), false);
                    }
                }
                if seen[place].replace(row) == Some(row) {
                    return Err(ReadError::new("the name occurs twice in this object")
                        .row(row)
                        .column(ColumnRef::Name(name))
                        .help("give every value of a row a name of its own"));
                }
                Ok(())
            })?;
            let absent = seen.iter().zip(&mut columns.described).filter(|(seen, _)| **seen != Some(row));
            absent.filter(|_| row < LOOKED_AT).for_each(|(_, column)| column.glimpse.skip_rows(1));
            records = row + 1;
            Ok(())
        })?;
        if records == 1 && nested {
            return Err(ReadError::new("this JSON object holds columns or tables, not one row")
                .help("write one object per row; in pandas with to_json(FILE, orient='records')"));
        }
        columns.described.iter_mut().for_each(|column| column.glimpse.close());
        Ok(columns)
    }
}

/// Calls `record` with the index of each object, from 0; `record` takes the object.
fn each_record<R: Read>(
    reader: R,
    array: bool,
    mut record: impl FnMut(usize, &mut Scanner<R>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let mut scanner = Scanner::new(reader);
    let mut named = |row: usize, scanner: &mut Scanner<R>| {
        record(row, scanner).map_err(|error| if error.place.is_some() { error } else { error.row(row) })
    };
    if array {
        scanner.array(|scanner, row| named(row, scanner))?;
        return scanner.end();
    }
    for row in 0.. {
        if scanner.peek()?.is_none() {
            break;
        }
        named(row, &mut scanner)?;
    }
    Ok(())
}

/// Makes an error name the row instead of the line: rows of JSON need not be lines.
fn by_row(mut error: ReadError) -> ReadError {
    if let Some(place) = &mut error.place {
        place.row = place.line.take().or(place.row);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::FloatMatrix;

    fn table(text: &str) -> Result<RawTable, ReadError> {
        let array = text.trim_start().starts_with('[');
        read(&ByteSource::Memory(text.as_bytes().to_vec().into()), array, &ReadOptions::default(), true)
    }

    #[test]
    fn records_and_lines_are_the_same_table() {
        let array = r#" [{"a": 1, "b": 0.1, "species": "x"},
            {"species": "y\u00e4", "b": -2.5e3, "a": true }] "#;
        let lines = "{\"a\":1,\"b\":0.1,\"species\":\"x\"}\n\n{\"species\":\"yä\",\"b\":-2.5e3,\"a\":1}";
        for text in [array.replace("true", "1"), lines.to_owned(), format!("\u{feff}{lines}")] {
            let table = table(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(table.matrix, FloatMatrix::F64(vec![1.0, 0.1, 1.0, -2500.0]));
            assert_eq!(table.labels.unwrap().names, ["x", "yä"]);
        }
    }

    #[test]
    fn what_is_wrong_is_located() {
        let refused = |text: &str| table(text).unwrap_err().to_string();
        assert!(
            refused(r#"[{"a":1,"y":2},{"a":"red","y":2}]"#).starts_with("row 2, column 'a': 'red' is not a")
        );
        assert!(refused(r#"[{"a":1,"y":2},{"y":2}]"#).starts_with("row 2, column 'a': the value is missing"));
        assert!(
            refused(r#"[{"a":1,"y":2},{"a":null,"y":2}]"#)
                .contains("row 2, column 'a': the value is missing")
        );
        assert!(refused(r#"[{"a":1,"a":2}]"#).starts_with("row 1, column 'a': the name occurs twice"));
        assert!(
            refused(r#"[{"a":1,"y":2},{"a":1,"y":"#).starts_with("row 2: the JSON text ends where a value")
        );
        assert!(refused(r#"[{"a":1,"y":2},{"a":1"#).contains("ends where ',' or '}'"));
        assert!(refused(r#"[{"a":[1,{"b":"]"}],"y":2}, 3]"#).contains("row 2: '3' stands where '{'"));
        assert!(refused(r#"[{"a":[1,{"b":"]"}],"y":2},{"a":1,"y":1}]"#).contains("is not a number"));
        assert!(refused(r#"{"columns":["a"],"rows":[[1]]}"#).contains("holds columns or tables"));
        assert!(refused(r#"{"a":1,"y":2} x"#).contains("row 2: 'x' stands where '{'"));
    }
}

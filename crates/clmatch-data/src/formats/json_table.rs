//! JSON objects that hold a whole table: columns by name, as `to_json` of pandas writes by default, rows by name
//! (`orient="index"`), or names and rows in members of their own (`orient="split"`).

use std::io::Read;
use std::ops::Range;

use super::json::{RecordValue, Scanner};
use super::sheet::{self, SheetText};
use crate::error::ReadError;
use crate::formats::csv;
use crate::glimpse::Described;
use crate::input::ByteSource;
use crate::memory::MemoryBudget;
use crate::options::ReadOptions;
use crate::shown::{ShownCells, ShownChoice};
use crate::spans::{CellSpan, RecordSpan, range_in};
use crate::table::RawTable;

/// Reads a table; `None` if the text is something else, such as one object per row.
pub(crate) fn read(
    input: &ByteSource,
    options: &ReadOptions,
    labels: bool,
) -> Result<Option<RawTable>, ReadError> {
    let budget = MemoryBudget::new(options);
    let Some(text) = to_text(input.reader()?, budget)? else { return Ok(None) };
    let plain = ReadOptions { skip_rows: 0, ..options.clone() };
    sheet::read(&text.into_source(), -1, Some(true), &plain, labels).map(Some)
}

/// The names, with what the first rows show about their values; `None` if the text is something else.
pub(crate) fn described_columns(
    input: &ByteSource,
    options: &ReadOptions,
) -> Result<Option<Vec<Described>>, ReadError> {
    let Some(text) = to_text(input.reader()?, MemoryBudget::new(options))? else { return Ok(None) };
    let plain = ReadOptions { skip_rows: 0, header: Some(true), ..options.clone() };
    csv::described_columns(&text.into_source(), &plain).map(Some)
}

/// Reads the cells of the columns that are shown beside the points; `None` if the text is something else.
pub(crate) fn shown(
    input: &ByteSource,
    options: &ReadOptions,
    choice: &ShownChoice,
) -> Result<Option<ShownCells>, ReadError> {
    let Some(text) = to_text(input.reader()?, choice.budget())? else { return Ok(None) };
    let plain = ReadOptions { skip_rows: 0, header: Some(true), ..options.clone() };
    csv::shown(&text.into_source(), &plain, choice).map(Some)
}

/// A part of the text of a table: a value, or an object or array of parts.
#[derive(Debug)]
pub(crate) struct JsonPart {
    /// All of it after the bracket or comma before it: its name, if it has one, and its value.
    pub(crate) whole: Range<usize>,
    /// Where the value is.
    pub(crate) value: Range<usize>,
    /// The parts of an object or array; none in those that are values of the table.
    pub(crate) parts: Vec<JsonPart>,
}

/// Along what the parts of an object or array lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonAxis {
    Rows,
    Columns,
}

/// Where the cells of a table lie in its text.
#[derive(Debug)]
pub(crate) struct JsonTree {
    pub(crate) root: JsonPart,
    /// What the parts of the root are, and what theirs are; `None` if names and rows have members of their own.
    pub(crate) axes: Option<[JsonAxis; 2]>,
}

impl JsonTree {
    /// Where the cells of a text lie that [`read`] takes as a table.
    pub(crate) fn find(bytes: &[u8]) -> Result<JsonTree, ReadError> {
        let mut scanner = Scanner::new(bytes);
        scanner.peek()?;
        let start = scanner.offset();
        let root = part(&mut scanner, bytes, start, 3)?;
        let mut tree = JsonTree { root, axes: None };
        if tree.member(bytes, "columns").is_none_or(|columns| bytes[columns.value.start] != b'[') {
            let keys = tree.root.parts.first().map_or(&[][..], |first| &first.parts);
            let counts =
                keys.iter().all(|key| key.name(bytes).is_some_and(|name| name.parse::<i64>().is_ok()));
            tree.axes = Some(if counts {
                [JsonAxis::Columns, JsonAxis::Rows]
            } else {
                [JsonAxis::Rows, JsonAxis::Columns]
            });
        }
        Ok(tree)
    }

    fn member(&self, bytes: &[u8], name: &str) -> Option<&JsonPart> {
        self.root.parts.iter().find(|part| part.name(bytes).as_deref() == Some(name))
    }

    /// Calls `each` with where the cells of each row are.
    pub(crate) fn rows(
        &self,
        bytes: &[u8],
        each: &mut dyn FnMut(&RecordSpan) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let record = |cells: &mut dyn Iterator<Item = &JsonPart>| RecordSpan {
            cells: cells
                .enumerate()
                .map(|(place, cell)| CellSpan::plain(place, cell.value.clone()))
                .collect(),
            ..RecordSpan::default()
        };
        if let Some([JsonAxis::Columns, _]) = self.axes {
            let columns = &self.root.parts;
            let rows = columns.iter().map(|column| column.parts.len()).min().unwrap_or(0);
            return (0..rows)
                .try_for_each(|row| each(&record(&mut columns.iter().map(|column| &column.parts[row]))));
        }
        let rows = if self.axes.is_some() { Some(&self.root) } else { self.member(bytes, "data") };
        rows.into_iter().flat_map(|rows| &rows.parts).try_for_each(|row| each(&record(&mut row.parts.iter())))
    }
}

impl JsonPart {
    /// The name of the part.
    pub(crate) fn name(&self, bytes: &[u8]) -> Option<String> {
        serde_json::from_slice(&bytes[self.name_at(bytes)?]).ok()
    }

    /// Where the name of the part is, with its quotes.
    pub(crate) fn name_at(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let name = bytes[self.whole.start..self.value.start].trim_ascii().strip_suffix(b":")?;
        Some(range_in(bytes, name.trim_ascii()))
    }
}

/// The next value with its parts, down to a depth. The part begins at `from`.
fn part(
    scanner: &mut Scanner<&[u8]>,
    bytes: &[u8],
    from: usize,
    depth: usize,
) -> Result<JsonPart, ReadError> {
    let first = scanner.peek()?;
    let start = scanner.offset();
    let mut parts: Vec<JsonPart> = Vec::new();
    let mut push = |scanner: &mut Scanner<&[u8]>| {
        let comma = |last: &JsonPart| {
            last.whole.end + bytes[last.whole.end..].iter().take_while(|&&b| b != b',').count()
        };
        let from = parts.last().map_or(start, comma) + 1;
        parts.push(part(scanner, bytes, from, depth - 1)?);
        Ok(())
    };
    match first {
        Some(b'{') if depth > 0 => scanner.object(|scanner, _| push(scanner))?,
        Some(b'[') if depth > 0 => scanner.array(|scanner, _| push(scanner))?,
        _ => drop(scanner.value()?),
    }
    let end = scanner.offset();
    Ok(JsonPart { whole: from..end, value: start..end, parts })
}

/// The cells of one member, one after the other.
#[derive(Debug, Default)]
struct Cells {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Cells {
    fn push(&mut self, value: RecordValue) {
        let (RecordValue::Plain(text) | RecordValue::Nested(text)) = value;
        self.text.extend_from_slice(&text);
        self.ends.push(self.text.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, at: usize) -> &[u8] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[at]]
    }

    fn bytes(&self) -> u64 {
        (self.text.len() + 8 * self.ends.len()) as u64
    }
}

/// The members of the outer object.
#[derive(Debug, Default)]
struct Members {
    names: Vec<String>,
    /// The names within the first member, which all others must repeat.
    keys: Vec<String>,
    cells: Vec<Cells>,
    /// `columns` and `data` of `orient="split"`.
    columns: Option<Cells>,
    rows: Option<Vec<Cells>>,
    /// Whether there is anything that no such table has.
    other: bool,
    bytes: u64,
}

fn to_text<R: Read>(reader: R, budget: MemoryBudget) -> Result<Option<SheetText>, ReadError> {
    let mut scanner = Scanner::new(reader);
    let mut members = Members::default();
    scanner.object(|scanner, name| members.take(scanner, name, budget))?;
    // One object after the other: each is a row.
    if members.other || scanner.peek()?.is_some() {
        return Ok(None);
    }
    members.to_text(budget)
}

impl Members {
    fn take<R: Read>(
        &mut self,
        scanner: &mut Scanner<R>,
        name: String,
        budget: MemoryBudget,
    ) -> Result<(), ReadError> {
        match (scanner.peek()?, name.as_str()) {
            _ if self.other => scanner.value().map(drop)?,
            (Some(b'{'), _) => {
                let first = self.cells.is_empty();
                let mut cells = Cells::default();
                scanner.object(|scanner, key| {
                    if first {
                        self.keys.push(key);
                    } else if self.keys.get(cells.len()) != Some(&key) {
                        self.other = true;
                    }
                    cells.push(scanner.value()?);
                    budget.check(self.bytes + cells.bytes())
                })?;
                self.other |= cells.len() != self.keys.len();
                self.bytes += cells.bytes();
                self.names.push(name);
                self.cells.push(cells);
            }
            (Some(b'['), "columns") => self.columns = Some(array(scanner)?),
            (Some(b'['), "index") => drop(array(scanner)?),
            (Some(b'['), "data") => {
                let mut rows = Vec::new();
                scanner.array(|scanner, row| {
                    if scanner.peek()? != Some(b'[') {
                        // As in `orient="table"`, whose rows have names.
                        self.other = true;
                        return scanner.value().map(drop);
                    }
                    let cells = array(scanner).map_err(|error| error.row(row))?;
                    self.bytes += cells.bytes();
                    rows.push(cells);
                    budget.check(self.bytes)
                })?;
                self.rows = Some(rows);
            }
            _ => {
                self.other = true;
                scanner.value()?;
            }
        }
        Ok(())
    }

    fn to_text(&self, budget: MemoryBudget) -> Result<Option<SheetText>, ReadError> {
        let mut text = SheetText::default();
        if let (Some(columns), Some(rows), []) = (&self.columns, &self.rows, self.cells.as_slice()) {
            for (row, cells) in std::iter::once(columns).chain(rows).enumerate() {
                if cells.len() != columns.len() {
                    return Err(crate::rows::ragged(cells.len(), columns.len()).row(row - 1));
                }
                (0..cells.len()).for_each(|column| text.cell(cells.get(column)));
                text.end_row(budget)?;
            }
            return Ok(Some(text));
        }
        let counts =
            |names: &[String]| !names.is_empty() && names.iter().all(|name| name.parse::<i64>().is_ok());
        if self.columns.is_some() || self.rows.is_some() {
            return Ok(None);
        }
        if counts(&self.keys) {
            self.names.iter().for_each(|name| text.cell(name.as_bytes()));
            text.end_row(budget)?;
            for row in 0..self.keys.len() {
                self.cells.iter().for_each(|column| text.cell(column.get(row)));
                text.end_row(budget)?;
            }
            Ok(Some(text))
        } else if counts(&self.names) {
            self.keys.iter().for_each(|name| text.cell(name.as_bytes()));
            text.end_row(budget)?;
            for row in &self.cells {
                (0..row.len()).for_each(|column| text.cell(row.get(column)));
                text.end_row(budget)?;
            }
            Ok(Some(text))
        } else {
            Ok(None)
        }
    }
}

fn array<R: Read>(scanner: &mut Scanner<R>) -> Result<Cells, ReadError> {
    let mut cells = Cells::default();
    scanner.array(|scanner, _| {
        cells.push(scanner.value()?);
        Ok(())
    })?;
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::FloatMatrix;

    fn table(text: &str) -> Result<Option<RawTable>, ReadError> {
        read(&ByteSource::Memory(text.as_bytes().to_vec().into()), &ReadOptions::default(), true)
    }

    #[test]
    fn the_layouts_of_pandas_are_the_same_table() {
        for text in [
            r#"{"a":{"0":1,"1":2.5},"b":{"0":-1,"1":0},"kind":{"0":"x","1":"y \"z\""}}"#,
            r#"{"0":{"a":1,"b":-1,"kind":"x"},"1":{"a":2.5,"b":0,"kind":"y \"z\""}}"#,
            r#"{"columns":["a","b","kind"],"index":[0,1],"data":[[1,-1,"x"],[2.5,0,"y \"z\""]]}"#,
        ] {
            let table = table(text).unwrap().unwrap();
            assert_eq!(table.matrix, FloatMatrix::F64(vec![1.0, -1.0, 2.5, 0.0]), "{text}");
            assert_eq!(table.labels.unwrap().names, ["x", "y \"z\""]);
        }
    }

    #[test]
    fn other_objects_are_left_alone() {
        for text in [
            r#"{"a":1,"kind":"x"}"#,
            r#"{"a":{"0":1},"kind":{"0":"x"}} {"a":{"0":1},"kind":{"0":"x"}}"#,
            r#"{"a":{"0":1,"1":2},"kind":{"0":"x"}}"#,
            r#"{"a":{"0":1},"kind":{"1":"x"}}"#,
            r#"{"r1":{"a":1},"r2":{"a":2}}"#,
            r#"{"columns":["a"],"rows":[[1]]}"#,
        ] {
            assert!(table(text).unwrap().is_none(), "{text}");
        }
        let error = table(r#"{"columns":["a","y"],"data":[[1,2],[3]]}"#).unwrap_err();
        assert_eq!(error.to_string(), "row 2: the row has 1 value where 2 are expected");
        let error = table(r#"{"a":{"0":1,"1":"red"},"y":{"0":1,"1":0}}"#).unwrap_err();
        assert!(error.to_string().starts_with("row 2, column 'a'"), "{error}");
    }
}

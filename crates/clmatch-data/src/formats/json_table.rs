//! JSON objects that hold a whole table: columns by name, as `to_json` of pandas writes by default, rows by name
//! (`orient="index"`), or names and rows in members of their own (`orient="split"`).

use std::io::Read;

use super::json::{RecordValue, Scanner};
use super::sheet::{self, SheetText};
use crate::error::ReadError;
use crate::formats::csv;
use crate::glimpse::Described;
use crate::input::ByteSource;
use crate::memory::MemoryBudget;
use crate::options::ReadOptions;
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
                        return Err(ReadError::new("an array of values is expected here")
                            .row(row)
                            .help("give one array per row, with one value for each column"));
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

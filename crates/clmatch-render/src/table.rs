//! One table for every format: terminal, Markdown, CSV and JSON show the same rows.
//!
//! A cell holds its value and how to show it to people; a column holds its title for people, its id for programs, and how
//! dispensable it is when the terminal is narrow.

mod terminal;

pub use terminal::shorten;

use serde_json::{Map, Number, Value};

use crate::number::significant;
use crate::{csv, markdown};

/// Significant digits in the output for programs.
const DIGITS: usize = 12;

/// The side that a column is aligned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnSide {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    title: String,
    heading: String,
    id: String,
    side: ColumnSide,
    spare: u8,
}

impl Column {
    /// A column of texts.
    pub fn text(title: impl Into<String>) -> Self {
        let title = title.into();
        Column { heading: title.clone(), id: title.clone(), title, side: ColumnSide::Left, spare: 0 }
    }

    /// A column of numbers.
    pub fn number(title: impl Into<String>) -> Self {
        Column { side: ColumnSide::Right, ..Column::text(title) }
    }

    /// Sets the name that programs and Markdown use; the terminal keeps the title.
    #[must_use]
    pub fn called(self, name: &str) -> Self {
        Column { heading: name.to_owned(), id: name.to_owned(), ..self }
    }

    /// Sets the id that programs use; people see the title.
    #[must_use]
    pub fn with_id(self, id: impl Into<String>) -> Self {
        Column { id: id.into(), ..self }
    }

    /// Lets the column be dropped on a narrow terminal; columns with a higher number go first.
    #[must_use]
    pub fn spare(self, spare: u8) -> Self {
        Column { spare, ..self }
    }
}

/// A value, and how to show it to people.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    value: CellValue,
    short: String,
}

#[derive(Debug, Clone, PartialEq)]
enum CellValue {
    Empty,
    Text,
    Count(usize),
    Number { value: f64, digits: usize },
    Truth(bool),
}

impl Cell {
    /// A cell without a value.
    pub fn empty() -> Self {
        Cell { value: CellValue::Empty, short: String::new() }
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Cell { value: CellValue::Text, short: text.into() }
    }

    /// A whole number.
    pub fn count(count: usize) -> Self {
        Cell { value: CellValue::Count(count), short: count.to_string() }
    }

    /// A number, and how to show it to people.
    pub fn number(value: f64, short: impl Into<String>) -> Self {
        Cell { value: CellValue::Number { value, digits: DIGITS }, short: short.into() }
    }

    /// A number with `digits` significant digits, for people and programs alike.
    pub fn rounded(value: f64, digits: usize) -> Self {
        Cell { value: CellValue::Number { value, digits }, short: significant(value, digits) }
    }

    /// Yes or no, and how to show it to people.
    pub fn truth(value: bool, short: impl Into<String>) -> Self {
        Cell { value: CellValue::Truth(value), short: short.into() }
    }

    /// The cell, or an empty one if there is none.
    pub fn or_empty(cell: Option<Cell>) -> Self {
        cell.unwrap_or_else(Cell::empty)
    }

    /// The same value, shown to people as `short`.
    #[must_use]
    pub fn shown(self, short: impl Into<String>) -> Self {
        Cell { short: short.into(), ..self }
    }

    /// The value with all digits.
    fn exact(&self) -> String {
        match self.value {
            CellValue::Empty => String::new(),
            CellValue::Text => self.short.clone(),
            CellValue::Count(count) => count.to_string(),
            CellValue::Number { value, digits } => significant(value, digits),
            CellValue::Truth(value) => value.to_string(),
        }
    }

    fn json(&self) -> Value {
        match self.value {
            CellValue::Empty => Value::Null,
            CellValue::Text => Value::String(self.short.clone()),
            CellValue::Count(count) => Value::from(count),
            // JSON cannot represent infinity.
            CellValue::Number { value, .. } => {
                Number::from_f64(value).map_or_else(|| Value::String(value.to_string()), Value::Number)
            }
            CellValue::Truth(value) => Value::Bool(value),
        }
    }
}

/// Titles and rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row with one cell per column. Missing cells are empty, and surplus ones are not shown.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        debug_assert_eq!(cells.len(), self.columns.len(), "one cell per column");
        cells.resize(self.columns.len(), Cell::empty());
        self.rows.push(cells);
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Markdown, with short numbers and every cell escaped; the first `left` columns are left-aligned.
    pub fn markdown(&self, left: usize) -> String {
        let headings: Vec<&str> = self.columns.iter().map(|column| column.heading.as_str()).collect();
        markdown::table(&headings, left, &self.texts(|cell| cell.short.clone()))
    }

    /// Comma-separated values under the ids of the columns, with all digits.
    pub fn csv(&self) -> String {
        let ids: Vec<&str> = self.columns.iter().map(|column| column.id.as_str()).collect();
        csv::table(&ids, &self.texts(Cell::exact))
    }

    /// An array of objects, one per row, with all digits; empty cells are null.
    pub fn json(&self) -> Value {
        let object = |row: &Vec<Cell>| -> Map<String, Value> {
            self.columns.iter().zip(row).map(|(column, cell)| (column.id.clone(), cell.json())).collect()
        };
        Value::Array(self.rows.iter().map(|row| Value::Object(object(row))).collect())
    }

    fn texts(&self, text: impl Fn(&Cell) -> String) -> Vec<Vec<String>> {
        self.rows.iter().map(|row| row.iter().map(&text).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = [
            Column::number("#").called("rank"),
            Column::text("dataset"),
            Column::number("score").with_id("clm"),
            Column::text("data").with_id("same_data"),
        ];
        let mut table = Table::new(columns);
        let third = 1.0 / 3.0;
        table.row([
            Cell::count(1).shown("1="),
            Cell::text("a|b, c"),
            Cell::number(third, "0.333"),
            Cell::truth(true, "same"),
        ]);
        table.row([Cell::count(2), Cell::text("d"), Cell::number(f64::INFINITY, "inf"), Cell::empty()]);
        table
    }

    #[test]
    fn all_forms_show_the_same_rows() {
        let table = table();
        assert_eq!(
            table.markdown(2),
            "| rank | dataset | score | data |\n| --- | --- | ---: | ---: |\n| 1= | a\\|b, c | 0.333 | same |\n\
             | 2 | d | inf |  |\n"
        );
        assert_eq!(table.csv(), "rank,dataset,clm,same_data\n1,\"a|b, c\",0.333333333333,true\n2,d,inf,\n");
        let json = table.json();
        assert_eq!(json[0]["clm"], 1.0 / 3.0);
        assert_eq!((&json[0]["rank"], &json[0]["same_data"]), (&Value::from(1), &Value::Bool(true)));
        assert_eq!((&json[1]["clm"], &json[1]["same_data"]), (&Value::from("inf"), &Value::Null));
        assert_eq!(table.terminal(None).lines().count(), 3);
    }
}

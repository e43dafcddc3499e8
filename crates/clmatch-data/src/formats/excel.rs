//! Workbooks of Excel and OpenDocument: the first sheet that holds a table.

use std::io::Cursor;
use std::path::Path;

use bytes::Bytes;
use calamine::{Data, DataRef, ExcelDateTime, Ods, Reader, SheetType, SheetVisible, Sheets, Xls, Xlsb, Xlsx};

use super::foreign::EXCEL;
use super::sheet::SheetText;
use crate::error::ReadError;
use crate::input::{ByteSource, read_all};
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::table::number_name;

/// A cell and where it is.
type Placed = (u32, u32, String);

/// The first sheet that holds a table, as text whose lines are its rows; and the note on the other sheets.
pub(crate) fn to_text(
    input: &ByteSource,
    budget: MemoryBudget,
) -> Result<(ByteSource, Option<Note>), ReadError> {
    let path = input.path();
    let bytes: Bytes = read_all(input.raw()?, budget)?.into();
    let (kind, opened) = if bytes.starts_with(b"PK") {
        super::zip::check_unpacked_size(&bytes, budget)?;
        let kind = super::zip::workbook(input)?.unwrap_or(EXCEL);
        (
            kind,
            if kind == EXCEL {
                open_excel(bytes)
            } else {
                Ods::new(Cursor::new(bytes)).map(Sheets::Ods).map_err(Into::into)
            },
        )
    } else {
        (EXCEL, Xls::new(Cursor::new(bytes)).map(Sheets::Xls).map_err(Into::into))
    };
    let mut book = opened.map_err(|error: calamine::Error| kind.unreadable(path, error))?;
    let shown = |sheet: &&calamine::Sheet| {
        sheet.typ == SheetType::WorkSheet && sheet.visible == SheetVisible::Visible
    };
    let names: Vec<String> =
        book.sheets_metadata().iter().filter(shown).map(|sheet| sheet.name.clone()).collect();
    for name in &names {
        let mut cells = cells(&mut book, name, path, budget)?;
        if let Some(text) = table(&mut cells, budget)? {
            let others: Vec<String> = names.iter().filter(|other| *other != name).cloned().collect();
            let note = (!others.is_empty()).then(|| Note::Sheet { taken: name.clone(), others });
            return Ok((text.into_source(), note));
        }
    }
    Err(ReadError::new("the workbook holds no table").help("a table needs several rows and columns"))
}

/// Opens a workbook of Excel 2007 or later, with sheets in XML or in its binary form.
fn open_excel(bytes: Bytes) -> Result<Sheets<Cursor<Bytes>>, calamine::Error> {
    match Xlsx::new(Cursor::new(bytes.clone())) {
        Ok(book) => Ok(Sheets::Xlsx(book)),
        Err(error) => Xlsb::new(Cursor::new(bytes)).map(Sheets::Xlsb).map_err(|_| error.into()),
    }
}

/// The cells of a sheet that are not empty.
fn cells(
    book: &mut Sheets<Cursor<Bytes>>,
    name: &str,
    path: &Path,
    budget: MemoryBudget,
) -> Result<Vec<Placed>, ReadError> {
    let mut found: Vec<Placed> = Vec::new();
    let mut taken = 0;
    let mut push = |row, column, text: Option<String>| {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(()) };
        taken += (size_of::<Placed>() + text.len()) as u64;
        found.push((row, column, text));
        budget.check(taken)
    };
    // What a sheet of xlsx says about its size may be anything: its cells are taken one by one.
    if let Sheets::Xlsx(book) = book {
        let mut reader = book.worksheet_cells_reader(name).map_err(|error| EXCEL.unreadable(path, error))?;
        while let Some(cell) = reader.next_cell().map_err(|error| EXCEL.unreadable(path, error))? {
            let (row, column) = cell.get_position();
            let text = match cell.get_value() {
                DataRef::SharedString(text) => Some((*text).to_owned()),
                DataRef::String(text) => Some(text.clone()),
                DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Some(text.clone()),
                DataRef::Int(number) => Some(number.to_string()),
                DataRef::Float(number) => Some(number_name(*number)),
                DataRef::Bool(value) => Some(value.to_string()),
                DataRef::DateTime(time) => Some(time_text(time)),
                DataRef::Error(error) => Some(error.to_string()),
                DataRef::Empty => None,
            };
            push(row, column, text)?;
        }
        return Ok(found);
    }
    let range = book.worksheet_range(name).map_err(|error| EXCEL.unreadable(path, error))?;
    let (top, left) = range.start().unwrap_or_default();
    for (row, column, cell) in range.used_cells() {
        let text = match cell {
            Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => Some(text.clone()),
            Data::Int(number) => Some(number.to_string()),
            Data::Float(number) => Some(number_name(*number)),
            Data::Bool(value) => Some(value.to_string()),
            Data::DateTime(time) => Some(time_text(time)),
            Data::Error(error) => Some(error.to_string()),
            Data::Empty => None,
        };
        push(top + row as u32, left + column as u32, text)?;
    }
    Ok(found)
}

/// `2024-01-31`, or `2024-01-31 12:30:05`; a span of time as a number of days.
fn time_text(time: &ExcelDateTime) -> String {
    if time.is_duration() {
        return number_name(time.as_f64());
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second) == (0, 0, 0) {
        date
    } else {
        format!("{date} {hour:02}:{minute:02}:{second:02}")
    }
}

/// The rows as lines, blank ones above the first included, so that lines count rows; `None` if the cells make no table.
fn table(cells: &mut [Placed], budget: MemoryBudget) -> Result<Option<SheetText>, ReadError> {
    cells.sort_unstable_by_key(|(row, column, _)| (*row, *column));
    let columns = || cells.iter().map(|(_, column, _)| *column);
    let (Some(left), Some(right)) = (columns().min(), columns().max()) else { return Ok(None) };
    let rows = cells.chunk_by(|one, other| one.0 == other.0).count();
    if rows < 2 || left == right {
        return Ok(None);
    }
    budget.check(u64::from(right - left + 1).saturating_mul(rows as u64))?;
    let mut text = SheetText::default();
    let mut next = 0;
    for row in cells.chunk_by(|one, other| one.0 == other.0) {
        for _ in next..row[0].0 {
            text.end_row(budget)?;
        }
        next = row[0].0 + 1;
        let mut column = left;
        for (_, place, cell) in row {
            (column..*place).for_each(|_| text.cell(b""));
            // A line is a row.
            text.cell(cell.replace(['\n', '\r'], " ").trim().as_bytes());
            column = place + 1;
        }
        (column..=right).for_each(|_| text.cell(b""));
        text.end_row(budget)?;
    }
    Ok(Some(text))
}

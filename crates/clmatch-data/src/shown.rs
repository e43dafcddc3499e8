//! Cells of a file that are shown beside its points: ids, which are no features, and the columns that the options name. They are
//! read in a pass of their own, once it is known which rows are points and which columns are ids.

use std::path::Path;

use crate::advice::ColumnOption;
use crate::columns::find;
use crate::damaged::decoding;
use crate::dataset::Dataset;
use crate::encoding::{Encoding, to_utf8};
use crate::error::{ColumnRef, ReadError};
use crate::formats::detect::FileFormat;
use crate::formats::{arrow, csv, excel, records, zip};
use crate::input::ByteSource;
use crate::memory::MemoryBudget;
use crate::names::{IdName, id_name};
use crate::note::Note;
use crate::options::ReadOptions;
use crate::provenance::LeftOutReason;
use crate::read::opened;
use crate::table::plain_name;

/// A column of the file beside the points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownColumn {
    /// Its name, or its index where it has none.
    pub name: String,
    /// One cell per point, as text; empty where the file has no value.
    pub cells: Vec<String>,
}

/// Which columns are shown.
#[derive(Debug)]
pub(crate) struct ShownChoice {
    /// Columns that were left out as ids, by name.
    ids: Vec<String>,
    /// Columns that the caller named, by name or index.
    asked: Vec<String>,
    budget: MemoryBudget,
}

/// The shown columns of one file under construction, with one cell per row.
#[derive(Debug)]
pub(crate) struct ShownCells {
    /// Where the columns are in the file.
    places: Vec<usize>,
    columns: Vec<ShownColumn>,
    bytes: u64,
    budget: MemoryBudget,
}

impl ShownChoice {
    /// The memory that may be used.
    pub(crate) fn budget(&self) -> MemoryBudget {
        self.budget
    }

    /// Finds the columns among those of a file; ids that are not `readable` are passed over.
    ///
    /// # Errors
    /// A column that was asked for and is not there, or whose name is not unique.
    pub(crate) fn among(
        &self,
        names: &[ColumnRef],
        readable: impl Fn(usize) -> bool,
    ) -> Result<ShownCells, ReadError> {
        let mut places = Vec::new();
        for id in &self.ids {
            let mut found = (0..names.len()).filter(|&place| plain_name(&names[place]) == *id);
            if let (Some(place), None) = (found.next(), found.next())
                && readable(place)
            {
                places.push(place);
            }
        }
        for chosen in &self.asked {
            let place = find(names, chosen, ColumnOption::Show)?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let mut columns: Vec<ShownColumn> = Vec::with_capacity(places.len());
        for &place in &places {
            let name = plain_name(&names[place]);
            let taken = columns.iter().any(|column| column.name == name);
            let name = if taken { format!("{name} ({place})") } else { name };
            columns.push(ShownColumn { name, cells: Vec::new() });
        }
        Ok(ShownCells { places, columns, bytes: 0, budget: self.budget })
    }
}

impl ShownCells {
    /// The places of the columns in the file.
    pub(crate) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Appends a cell to the column at `at` of [`ShownCells::places`].
    pub(crate) fn push(&mut self, at: usize, cell: &[u8]) -> Result<(), ReadError> {
        let cell = String::from_utf8_lossy(cell.trim_ascii()).into_owned();
        self.bytes += (size_of::<String>() + cell.len()) as u64;
        self.columns[at].cells.push(cell);
        self.budget.check(self.bytes)
    }

    /// Appends a row, given the cell at each place of the file.
    pub(crate) fn push_row<'a>(&mut self, cell: impl Fn(usize) -> &'a [u8]) -> Result<(), ReadError> {
        (0..self.places.len()).try_for_each(|at| self.push(at, cell(self.places[at])))
    }
}

/// Adds the cells of ids and of the columns that the options name to a dataset that was read from these files, one after the
/// other. Does nothing unless the options ask for it.
///
/// # Errors
/// A column that is asked for and is not there, or a file of a format whose cells cannot be shown.
pub(crate) fn add(
    dataset: &mut Dataset,
    files: &[(ByteSource, &Path)],
    options: &ReadOptions,
) -> Result<(), ReadError> {
    let Some(asked) = &options.show else { return Ok(()) };
    let ids = dataset.left_out.iter().filter(|column| is_id(column.reason)).map(|column| &column.column);
    // Arrays beside the points.
    let arrays = dataset.notes.iter().flat_map(|note| match note {
        Note::Unused { names } => names.as_slice(),
        _ => &[],
    });
    let arrays = arrays.filter(|name| id_name(&ColumnRef::Name((*name).clone())) == IdName::Clearly);
    let choice = ShownChoice {
        ids: ids.chain(arrays).cloned().collect(),
        asked: asked.clone(),
        budget: MemoryBudget::new(options),
    };
    if choice.ids.is_empty() && asked.is_empty() {
        return Ok(());
    }
    let mut all: Vec<ShownColumn> = Vec::new();
    let legacy = dataset.notes.contains(&Note::Windows1252);
    for (input, path) in files {
        let columns = decoding(|| read(input.clone(), path, &choice, options, legacy))?;
        if all.is_empty() {
            all = columns;
        } else {
            all.iter_mut().zip(columns).for_each(|(column, more)| column.cells.extend(more.cells));
        }
    }
    let rows = |count: usize| match &dataset.kept_rows {
        None => count == dataset.n_points(),
        Some(kept) => kept.last().is_none_or(|&last| last < count),
    };
    if !all.iter().all(|column| rows(column.cells.len())) {
        let what = "the columns to show do not have one cell for each row".to_owned();
        return if asked.is_empty() { Ok(()) } else { Err(ReadError::new(what).help(FORMATS)) };
    }
    if let Some(kept) = &dataset.kept_rows {
        for column in &mut all {
            column.cells = kept.iter().map(|&row| std::mem::take(&mut column.cells[row])).collect();
        }
    }
    dataset.shown = all;
    Ok(())
}

const FORMATS: &str = "columns of text tables, workbooks, JSON, Parquet and Arrow files can be shown";

/// Whether a column that was left out identifies rows.
fn is_id(reason: LeftOutReason) -> bool {
    use LeftOutReason::{DistinctText, Id, PandasIndex, RowNumbers};
    matches!(reason, RowNumbers | Id | DistinctText | PandasIndex)
}

/// The cells of all rows of a file; `legacy` text is read as Windows-1252.
fn read(
    input: ByteSource,
    path: &Path,
    choice: &ShownChoice,
    options: &ReadOptions,
    legacy: bool,
) -> Result<Vec<ShownColumn>, ReadError> {
    let (mut input, format, _) = opened(input, path, choice.budget)?;
    if legacy && format.is_text() {
        input = to_utf8(&input, Encoding::Windows1252, choice.budget)?;
    }
    let cells = match format {
        FileFormat::Text => csv::shown(&input, options, choice)?,
        FileFormat::Excel => csv::shown(&excel::to_text(&input, choice.budget)?.0, options, choice)?,
        FileFormat::Zip => zip::shown(&input, choice)?,
        FileFormat::Records => records::shown(&input, true, options, choice)?,
        FileFormat::JsonLines => records::shown(&input, false, options, choice)?,
        FileFormat::Parquet => arrow::parquet::shown(&input, choice)?,
        FileFormat::Arrow => arrow::ipc::shown(&input, false, choice)?,
        FileFormat::ArrowStream => arrow::ipc::shown(&input, true, choice)?,
        _ if choice.asked.is_empty() => return Ok(Vec::new()),
        other => {
            let what = format!("this is {}, of which no columns can be shown", other.name());
            return Err(ReadError::new(what).help(FORMATS));
        }
    };
    Ok(cells.columns)
}

#[cfg(test)]
mod tests;

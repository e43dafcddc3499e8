//! Delimited text: CSV, TSV and their kin. Delimiter and header are detected.

mod careful;
mod cells;
pub(crate) mod chunks;
mod digits;
pub(crate) mod fast;
mod footer;
mod general;
mod line_limit;
mod lines;
mod preamble;
pub(crate) mod sample;
pub(crate) mod sniff;
pub(crate) mod spans;
mod survey;

pub(crate) use self::digits::decimal;
use crate::advice::{Advice, ColumnOption};
use crate::cell;
use crate::cell_form::CellForm;
use crate::columns::{self, ColumnPlan, Role};
use crate::error::{ColumnRef, ReadError};
use crate::formats::csv::sniff::Dialect;
use crate::glimpse::Described;
use crate::input::ByteSource;
use crate::label_choice::{LabelFile, in_label_file};
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::options::ReadOptions;
use crate::shown::{ShownCells, ShownChoice};
use crate::table::RawTable;

/// Reads a table; `labels` is false when the labels come from elsewhere.
pub(crate) fn read(input: &ByteSource, options: &ReadOptions, labels: bool) -> Result<RawTable, ReadError> {
    let (start, dialect, footer) = start(input, options)?;
    let input = footer.as_ref().map_or(input, |(_, rest)| rest);
    let plan = plan(Some(input), &start, &dialect, options, labels)?;
    let estimate = estimate(input, &start, &dialect)?;
    MemoryBudget::new(options).check_shape(estimate, plan.features() as u64, 8)?;
    match fast::read(input, &start, &dialect, &plan, options, estimate)? {
        Some(table) => Ok(table),
        None => {
            let (roles, label) = (plan.roles.clone(), plan.facts.label.clone());
            general::read(input, &dialect, plan, options)
                .map_err(|error| survey::all_texts(error, input, &dialect, &roles, options))
                .map_err(|error| survey::label_first(error, input, &dialect, &roles, label.as_ref(), options))
                .map_err(|error| header_as_data(error, &dialect, options))
        }
    }
}

/// Another advice for text in the first line, if an option says that it is no header: it is one.
fn header_as_data(error: ReadError, dialect: &Dialect, options: &ReadOptions) -> ReadError {
    let is_first = error.place.as_ref().is_some_and(|place| place.line == Some(dialect.skipped + 1));
    let is_text = matches!(error.advice, Some(Advice::DropOrOneHot(_)));
    if is_first && is_text && options.header == Some(false) {
        error.help(Advice::FirstLineIsHeader)
    } else {
        error
    }
}

/// The start of a table, how it is written, and the table without a footer if it has one.
type TableStart = (sample::TextSample, Dialect, Option<(footer::FoundFooter, ByteSource)>);

fn start(input: &ByteSource, options: &ReadOptions) -> Result<TableStart, ReadError> {
    let mut start = sample::sample(input, options.skip_rows, MemoryBudget::new(options))?;
    preamble::skip(&mut start, options)?;
    let dialect = sniff::dialect(&start, options)?;
    let footer = footer::find(Some(input), &start, &dialect)?;
    let footer = footer.map(|footer| {
        start.notes.push(footer.note());
        let rest = footer.cut(input, &mut start, MemoryBudget::new(options))?;
        Ok::<_, ReadError>((footer, rest))
    });
    Ok((start, dialect, footer.transpose()?))
}

/// How a table is written.
pub(crate) struct TableLayout {
    pub(crate) dialect: Dialect,
    /// What its columns hold.
    pub(crate) described: Vec<Described>,
    /// Where a footer starts in the unpacked bytes.
    pub(crate) footer: Option<u64>,
}

/// How a table is written, and what its columns hold.
pub(crate) fn layout(input: &ByteSource, options: &ReadOptions) -> Result<TableLayout, ReadError> {
    let (start, dialect, footer) = start(input, options)?;
    let rows = footer.as_ref().map_or(input, |(_, rest)| rest);
    let described = survey::describe(Some(rows), &start, &dialect, options)?;
    Ok(TableLayout { dialect, described, footer: footer.map(|(footer, _)| footer.start()) })
}

/// The columns, with what the first rows show about them.
pub(crate) fn described_columns(
    input: &ByteSource,
    options: &ReadOptions,
) -> Result<Vec<Described>, ReadError> {
    let (start, dialect, footer) = start(input, options)?;
    let input = footer.as_ref().map_or(input, |(_, rest)| rest);
    survey::describe(Some(input), &start, &dialect, options)
}

/// Decides what each column is. If there is no input to read more from, the sample has to suffice.
fn plan(
    input: Option<&ByteSource>,
    sample: &sample::TextSample,
    dialect: &Dialect,
    options: &ReadOptions,
    labels: bool,
) -> Result<ColumnPlan, ReadError> {
    let mut described = survey::describe(input, sample, dialect, options)?;
    // A delimiter after the last cell makes no column; the reader makes sure that nothing stands there.
    let unnamed = |column: &Described| match &column.name {
        ColumnRef::Name(name) => name.is_empty(),
        ColumnRef::Index(_) => true,
    };
    let rows = described.iter().any(|column| column.glimpse.seen() > 0);
    let blank = described.pop_if(|column| rows && unnamed(column) && column.glimpse.seen() == 0);
    let mut plan = columns::plan_described(&described, options, labels)?;
    if let Some(column) = blank {
        plan.names.push(column.name);
        plan.roles.push(Role::Blank);
        plan.forms.push(CellForm::default());
    }
    plan.facts.header = Some(dialect.header || dialect.joined);
    plan.notes.extend(dialect.counted.then_some(Note::HeaderOfNumbers));
    plan.notes.extend(sample.notes.iter().cloned());
    Ok(plan)
}

/// Reads the labels of another file's rows: the only column, the chosen column, or the one that would be the label in a table.
///
/// In a file with one column, the number of lines helps to tell whether the first one is a header. Options about how the other file is written
/// do not apply to this one.
pub(crate) fn labels(input: &ByteSource, options: &ReadOptions, rows: usize) -> Result<LabelFile, ReadError> {
    let own =
        ReadOptions { label: options.label.clone(), missing: options.missing, ..ReadOptions::default() };
    let start = sample::sample(input, 0, MemoryBudget::new(options))?;
    let dialect = sniff::dialect(&start, &own)?;
    if dialect.names.len() > 1 {
        let described = survey::describe(Some(input), &start, &dialect, &own)?;
        let (place, column) = in_label_file(&described, options)?;
        let codes = general::column(input, &dialect, place, options.missing)?;
        return Ok(LabelFile { codes, column, notes: Vec::new() });
    }
    if let Some(chosen) = &options.label {
        columns::find(&dialect.names, chosen, ColumnOption::Label)?;
    }
    let (codes, note) = general::only_column(input, &dialect, rows, options.missing)?;
    Ok(LabelFile { codes, column: None, notes: note.into_iter().collect() })
}

/// The header of a file with one column that [`labels`] reads, if it has one that is a name.
pub(crate) fn only_name(input: &ByteSource, rows: usize) -> Result<Option<String>, ReadError> {
    let options = ReadOptions::default();
    let start = sample::sample(input, 0, MemoryBudget::new(&options))?;
    let dialect = Dialect { header: false, ..sniff::dialect(&start, &options)? };
    let (mut lines, mut name) = (0, None);
    general::each_row(input, &dialect, |_, cells| {
        lines += 1;
        name.get_or_insert_with(|| String::from_utf8_lossy(cells[0]).trim().to_owned());
        Ok(())
    })?;
    let is_name = |name: &String| !name.is_empty() && !cell::is_number(name.as_bytes(), false);
    Ok(name.filter(|name| dialect.names.len() == 1 && lines == rows + 1 && is_name(name)))
}

/// Reads the cells of the columns that are shown beside the points.
pub(crate) fn shown(
    input: &ByteSource,
    options: &ReadOptions,
    choice: &ShownChoice,
) -> Result<ShownCells, ReadError> {
    let (_, dialect, footer) = start(input, options)?;
    let input = footer.as_ref().map_or(input, |(_, rest)| rest);
    let mut shown = choice.among(&dialect.names, |_| true)?;
    general::each_row(input, &dialect, |line, cells| {
        shown
            .push_row(|place| cells.get(place).copied().unwrap_or_default())
            .map_err(|error| error.line(line))
    })?;
    Ok(shown)
}

/// An estimate of the number of rows by the length of the first ones; 0 if the length of the file is unknown.
fn estimate(input: &ByteSource, sample: &sample::TextSample, dialect: &Dialect) -> Result<u64, ReadError> {
    let Some(length) = input.length()? else { return Ok(0) };
    // However short the other rows are, each cell and its delimiter take a byte.
    let most = length / dialect.names.len().max(1) as u64 + 1;
    Ok(sniff::estimate_rows(sample, dialect, length).min(most))
}

#[cfg(test)]
mod tests;

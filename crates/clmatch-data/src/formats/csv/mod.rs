//! Delimited text: CSV, TSV and their kin, with delimiter and header found out.

mod cells;
mod digits;
mod fast;
mod general;
mod sniff;

use crate::columns;
use crate::error::ReadError;
use crate::formats::csv::sniff::Dialect;
use crate::input::Input;
use crate::memory::Budget;
use crate::options::ReadOptions;
use crate::table::{Codes, Table};

/// Reads a table; `labels` is false when the labels come from elsewhere.
pub(crate) fn read(input: &Input, options: &ReadOptions, labels: bool) -> Result<Table, ReadError> {
    let sample = sniff::sample(input)?;
    let dialect = sniff::dialect(&sample, options)?;
    let plan = columns::plan(dialect.names.clone(), options, labels)?;
    let estimate = estimate(input, &sample, &dialect)?;
    Budget::new(options).check_shape(estimate, plan.features() as u64, 8)?;
    match fast::read(input, &sample, &dialect, &plan, options, estimate)? {
        Some(table) => Ok(table),
        None => general::read(input, &dialect, plan, options),
    }
}

/// Reads the labels of another file's rows: the only column, or the one that `--label` or its name tells.
///
/// A file of one column has a header if it has one line more than there are rows.
pub(crate) fn labels(input: &Input, options: &ReadOptions, rows: usize) -> Result<Codes, ReadError> {
    let sample = sniff::sample(input)?;
    let dialect = sniff::dialect(&sample, options)?;
    if dialect.names.len() > 1 {
        return general::column(input, &dialect, options);
    }
    general::only_column(input, &dialect, rows, options)
}

/// How many rows there are, by the length of the first ones; 0 where the length of the file is unknown.
fn estimate(input: &Input, sample: &sniff::Sample, dialect: &Dialect) -> Result<u64, ReadError> {
    let Some(length) = input.length()? else { return Ok(0) };
    // However short the other rows are, each cell takes a byte with its delimiter.
    let most = length / dialect.names.len().max(1) as u64 + 1;
    Ok(sniff::estimate_rows(sample, dialect, length).min(most))
}

#[cfg(test)]
mod tests;

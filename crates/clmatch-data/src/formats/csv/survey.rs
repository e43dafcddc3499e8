//! What the columns of a text table hold: by its first rows before it is read, by all rows if text causes an error.

use super::general::each_row;
use super::sample::TextSample;
use super::sniff::{Delimiter, Dialect, each_first_row};
use crate::advice::Advice;
use crate::classes::to_predict;
use crate::columns::Role;
use crate::error::ReadError;
use crate::glimpse::{Described, Glimpse};
use crate::input::ByteSource;
use crate::names::means_classes;
use crate::options::ReadOptions;
use crate::provenance::{LabelOrigin, LabelSource};
use crate::quantity::NumbersSeen;
use crate::text_columns::{TextColumn, refuse};

/// At most this many cells are examined, however many columns there are.
const CELLS: usize = 2_000_000;
/// All rows of a file of at most this many bytes show what a column is, where those of a sample would not: rows may be in an order.
const SMALL: u64 = 4_000_000;
/// How many rows are enough to distinguish classes from texts that are all different.
const ENOUGH: usize = 200;

/// Columns, with what the first rows show about them. If there is no input to read more from, the sample has to suffice.
pub(super) fn describe(
    input: Option<&ByteSource>,
    sample: &TextSample,
    dialect: &Dialect,
    options: &ReadOptions,
) -> Result<Vec<Described>, ReadError> {
    let mut columns: Vec<Described> = dialect.names.iter().cloned().map(Described::unseen).collect();
    let most = (CELLS / columns.len().max(1)).max(2);
    let small = match input.filter(|_| !sample.whole) {
        Some(input) => input.length()?.is_some_and(|length| length <= SMALL).then_some(input),
        None => None,
    };
    if let Some(input) = small {
        let all = vec![true; columns.len()];
        // The reader reports what is wrong with a row.
        if let Ok(found) = survey(input, dialect, &all, options) {
            columns.iter_mut().zip(found).for_each(|(column, all)| column.glimpse = all.unwrap_or_default());
            quoted_commas(&mut columns, dialect);
            return Ok(columns);
        }
    }
    let mut rows = 0;
    each_first_row(sample, dialect, most, |cells| {
        // The reader refuses rows of another length.
        if cells.len() == columns.len() {
            rows += 1;
            let pairs = columns.iter_mut().zip(cells);
            pairs.for_each(|(column, cell)| look_at(&mut column.glimpse, cell, options));
        }
    });
    columns.iter_mut().for_each(|column| column.glimpse.close());
    quoted_commas(&mut columns, dialect);
    let texts: Vec<bool> = columns.iter().map(|column| column.glimpse.is_text()).collect();
    if let Some(input) = input.filter(|_| !sample.whole && rows < ENOUGH && texts.contains(&true)) {
        for (column, glimpse) in columns.iter_mut().zip(survey(input, dialect, &texts, options)?) {
            if let Some(glimpse) = glimpse {
                column.glimpse = glimpse;
            }
        }
    }
    Ok(columns)
}

fn look_at(glimpse: &mut Glimpse, cell: &[u8], options: &ReadOptions) {
    if options.names_missing(cell) {
        glimpse.push_missing();
    } else {
        glimpse.push(cell, options.decimal_comma);
    }
}

/// Commas in cells need quotes where a comma separates cells.
fn quoted_commas(columns: &mut [Described], dialect: &Dialect) {
    if dialect.delimiter == Delimiter::Byte(b',') {
        columns.iter_mut().for_each(|column| column.glimpse.commas_are_quoted());
    }
}

/// What all rows show about the chosen columns.
fn survey(
    input: &ByteSource,
    dialect: &Dialect,
    chosen: &[bool],
    options: &ReadOptions,
) -> Result<Vec<Option<Glimpse>>, ReadError> {
    let mut found: Vec<Option<Glimpse>> = chosen.iter().map(|chosen| chosen.then(Glimpse::default)).collect();
    each_row(input, dialect, |_, cells| {
        if cells.len() == found.len() {
            for (glimpse, cell) in found.iter_mut().zip(cells) {
                if let Some(glimpse) = glimpse {
                    look_at(glimpse, cell.trim_ascii(), options);
                }
            }
        }
        Ok(())
    })?;
    found.iter_mut().flatten().for_each(Glimpse::close);
    Ok(found)
}

/// Another error than that for text, if the label was guessed and is a number to predict: then text is not all that is wrong.
pub(super) fn label_first(
    error: ReadError,
    input: &ByteSource,
    dialect: &Dialect,
    roles: &[Role],
    label: Option<&LabelOrigin>,
    options: &ReadOptions,
) -> ReadError {
    let is_text = matches!(error.advice, Some(Advice::DropOrOneHot(_) | Advice::HandleText { .. }));
    let guessed =
        |origin: &&LabelOrigin| matches!(origin.source, LabelSource::LastColumn | LabelSource::LastPossible);
    let Some(origin) = label.filter(guessed).filter(|_| is_text) else { return error };
    let chosen: Vec<bool> = roles.iter().map(|role| *role == Role::Label).collect();
    let Ok(found) = survey(input, dialect, &chosen, options) else { return error };
    let column =
        dialect.names.iter().zip(found).find_map(|(name, glimpse)| {
            Some(Described { glimpse: glimpse?, ..Described::unseen(name.clone()) })
        });
    let is_quantity = |numbers: &NumbersSeen| {
        numbers.are_scattered() || (numbers.are_many() && !means_classes(&origin.name))
    };
    match column.and_then(|column| column.numbers_seen()).filter(is_quantity) {
        Some(numbers) => to_predict(origin, numbers.distinct, numbers.rows),
        None => error,
    }
}

/// The error for all columns of text at once, if `error` is about one of them.
pub(super) fn all_texts(
    error: ReadError,
    input: &ByteSource,
    dialect: &Dialect,
    roles: &[Role],
    options: &ReadOptions,
) -> ReadError {
    if !matches!(error.advice, Some(Advice::DropOrOneHot(_))) {
        return error;
    }
    let chosen: Vec<bool> = roles.iter().map(|role| *role == Role::Number).collect();
    let Ok(found) = survey(input, dialect, &chosen, options) else { return error };
    let columns: Vec<TextColumn<'_>> = dialect
        .names
        .iter()
        .zip(&found)
        .filter_map(|(name, glimpse)| Some(TextColumn { name, glimpse: glimpse.as_ref()? }))
        .filter(|column| column.glimpse.is_text())
        .collect();
    let own = error.place.as_ref().and_then(|place| place.column.as_ref());
    if columns.iter().any(|column| Some(column.name) == own) {
        refuse(&columns).unwrap_or(error)
    } else {
        error
    }
}

//! Turns record batches into rows of a matrix.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use rayon::prelude::*;

use super::column::{TOGETHER, texts, write, write_list, write_together};
use super::target::MatrixTarget;
use super::{ColumnPart, ColumnarLayout};
use crate::cell;
use crate::columns::Role;
use crate::dictionary::Dictionary;
use crate::error::ReadError;
use crate::extent::{Extent, Look};
use crate::memory::MemoryBudget;
use crate::missing::first_without_label;
use crate::real::{FloatMatrix, MatrixElement};
use crate::table::{Codes, FeatureColumn, LabelBuilder, RawTable};

/// Writes the numbers of a batch into the rows of a matrix. `parts` describes the columns of the batch.
pub(super) fn fill<T: MatrixElement>(
    batch: &RecordBatch,
    parts: &[ColumnPart],
    stride: usize,
    values: &mut [T],
) -> Result<(), ReadError> {
    fill_columns(batch, parts, &mut MatrixTarget::new(values, stride))
}

/// Writes the numbers of a batch into some columns of a matrix, including those of `parts`.
pub(super) fn fill_columns<T: MatrixElement>(
    batch: &RecordBatch,
    parts: &[ColumnPart],
    target: &mut MatrixTarget<'_, T>,
) -> Result<(), ReadError> {
    let (mut arrays, mut parts) = (batch.columns(), parts);
    while let ([array, other_arrays @ ..], [part, other_parts @ ..]) = (arrays, parts) {
        let together = fill_together::<T, TOGETHER>(arrays, parts, target)
            .or_else(|| fill_together::<T, { TOGETHER / 2 }>(arrays, parts, target))
            .or_else(|| fill_together::<T, { TOGETHER / 4 }>(arrays, parts, target));
        if let Some(rest) = together {
            (arrays, parts) = rest;
            continue;
        }
        if part.role == Role::Number {
            let written = if super::is_list(array.data_type()) {
                write_list(array, part.columns(), target)
            } else {
                write(array, target.column(part.offset))
            };
            written.map_err(|error| error.column(part.name.clone()))?;
        }
        (arrays, parts) = (other_arrays, other_parts);
    }
    Ok(())
}

/// Writes the first `N` columns row by row, if they are numbers of one type; returns the columns after them.
fn fill_together<'a, T: MatrixElement, const N: usize>(
    arrays: &'a [ArrayRef],
    parts: &'a [ColumnPart],
    target: &mut MatrixTarget<'_, T>,
) -> Option<(&'a [ArrayRef], &'a [ColumnPart])> {
    let (together, arrays) = arrays.split_first_chunk::<N>()?;
    let (described, parts) = parts.split_at_checked(N)?;
    let written = described.iter().all(|part| part.role == Role::Number)
        && write_together(together, described[0].offset, target);
    written.then_some((arrays, parts))
}

/// Examines the numbers of a batch that [`fill_columns`] wrote. Floating-point columns without nulls are examined in the batch,
/// where they are contiguous in the cache; all others are examined where they were written.
pub(super) fn see_columns<T: MatrixElement>(
    batch: &RecordBatch,
    parts: &[ColumnPart],
    target: &mut MatrixTarget<'_, T>,
    look: &mut Look,
) {
    let mut written = Vec::new();
    for (array, part) in batch.columns().iter().zip(parts).filter(|(_, part)| part.role == Role::Number) {
        if !see_floats(array, look) {
            for column in part.columns() {
                written.clear();
                written.extend(target.column(column).map(|number| *number));
                look.see(&written);
            }
        }
    }
}

/// Examines a column of floating-point numbers without nulls; returns false for any other column.
fn see_floats(array: &ArrayRef, look: &mut Look) -> bool {
    let complete = array.null_count() == 0;
    if let Some(array) = array.as_primitive_opt::<Float64Type>().filter(|_| complete) {
        look.see(array.values());
    } else if let Some(array) = array.as_primitive_opt::<Float32Type>().filter(|_| complete) {
        look.see(array.values());
    } else {
        return false;
    }
    true
}

/// A table of a finished matrix whose numbers were examined. It is complete if no number is missing, and no label in the file.
pub(super) fn seen_table(
    layout: ColumnarLayout,
    matrix: FloatMatrix,
    rows: usize,
    labels: Option<Codes>,
    extent: Extent,
) -> RawTable {
    let labelled = labels.as_ref().is_none_or(|labels| first_without_label(labels).is_none());
    let table = table(layout, matrix, rows, labels);
    if extent.finite && labelled { RawTable { complete: true, extent: Some(extent), ..table } } else { table }
}

/// Writes a batch with all threads, in chunks of rows that stay in the cache.
fn fill_in_chunks<T: MatrixElement>(
    batch: &RecordBatch,
    layout: &ColumnarLayout,
    values: &mut [T],
) -> Result<(), ReadError> {
    let chunk = layout.chunk_rows();
    let chunks = values.par_chunks_mut(chunk * layout.features).enumerate();
    let filled = chunks.map(|(place, own)| {
        let rows = batch.slice(place * chunk, own.len() / layout.features);
        fill(&rows, &layout.parts, layout.features, own).map_err(|error| shift(error, place * chunk))
    });
    // The first error in the order of rows, whatever the number of threads.
    filled.find_first(Result::is_err).unwrap_or(Ok(()))
}

/// The labels of a batch.
pub(super) fn labels(batch: &RecordBatch, parts: &[ColumnPart]) -> Result<Option<Codes>, ReadError> {
    let Some(place) = parts.iter().position(|part| part.role == Role::Label) else { return Ok(None) };
    let mut labels = LabelBuilder::for_rows(batch.num_rows());
    texts(batch.column(place), &mut |text| match text.map(str::trim) {
        Some(text) if !cell::no_label(text.as_bytes()) => labels.push(text.as_bytes()),
        _ => {
            labels.push_missing();
            Ok(())
        }
    })
    .map_err(|error| error.column(parts[place].name.clone()))?;
    Ok(Some(labels.finish()))
}

/// The labels of all batches.
pub(super) fn all_labels(
    batches: impl Iterator<Item = Result<RecordBatch, ReadError>>,
    parts: &[ColumnPart],
) -> Result<Codes, ReadError> {
    let mut all = LabelBuilder::default();
    for batch in batches {
        if let Some(codes) = labels(&batch?, parts)? {
            all.append(&codes)?;
        }
    }
    Ok(all.finish())
}

/// Writes the codes of the texts of a column.
pub(super) fn categories<'a, T: MatrixElement>(
    array: &ArrayRef,
    mut places: impl Iterator<Item = &'a mut T>,
    code: &mut dyn FnMut(&[u8]) -> Result<u32, ReadError>,
) -> Result<(), ReadError> {
    texts(array, &mut |text| {
        if let (Some(place), Some(text)) = (places.next(), text) {
            *place = T::from_f64(f64::from(code(text.as_bytes())?));
        }
        Ok(())
    })
}

/// A matrix that grows batch by batch, for text columns and for files that do not say how many rows they have.
pub(super) struct Sink<T> {
    values: Vec<T>,
    rows: usize,
    labels: LabelBuilder,
    dictionaries: Vec<Dictionary>,
    budget: MemoryBudget,
}

impl<T: MatrixElement> Sink<T> {
    /// An empty matrix.
    pub(super) fn new(layout: &ColumnarLayout, budget: MemoryBudget) -> Self {
        let dictionaries = layout.parts.iter().map(|_| Dictionary::default()).collect();
        Sink { values: Vec::new(), rows: 0, labels: LabelBuilder::default(), dictionaries, budget }
    }

    /// Appends the rows of a batch.
    pub(super) fn push(&mut self, batch: &RecordBatch, layout: &ColumnarLayout) -> Result<(), ReadError> {
        let start = self.values.len();
        let end = start + batch.num_rows() * layout.features;
        self.budget.check((end * size_of::<T>()) as u64)?;
        self.values.resize(end, T::NAN);
        fill_in_chunks(batch, layout, &mut self.values[start..]).map_err(|error| shift(error, self.rows))?;
        for (place, part) in layout.parts.iter().enumerate() {
            if part.role == Role::Category {
                let own = self.values[start..].iter_mut().skip(part.offset).step_by(layout.features);
                let dictionary = &mut self.dictionaries[place];
                categories(batch.column(place), own, &mut |text| dictionary.code(text))?;
            }
        }
        if let Some(codes) = labels(batch, &layout.parts)? {
            self.labels.append(&codes)?;
        }
        self.rows += batch.num_rows();
        Ok(())
    }

    /// The whole table.
    pub(super) fn finish(self, layout: ColumnarLayout, wrap: impl FnOnce(Vec<T>) -> FloatMatrix) -> RawTable {
        let labels = layout.plan.label().is_some().then(|| self.labels.finish());
        let is_category: Vec<bool> = layout.parts.iter().map(|part| part.role == Role::Category).collect();
        let mut table = table(layout, wrap(self.values), self.rows, labels);
        let own = self.dictionaries.into_iter().zip(is_category).filter(|(_, is_category)| *is_category);
        let categories = table.columns.iter_mut().filter(|column| column.categories.is_some());
        for (column, (dictionary, _)) in categories.zip(own) {
            column.categories = Some(dictionary.into_names());
        }
        table
    }
}

/// Makes the rows in an error count from the start of the file instead of the batch.
pub(super) fn shift(mut error: ReadError, rows: usize) -> ReadError {
    if let Some(row) = error.place.as_mut().and_then(|place| place.row.as_mut()) {
        *row += rows as u64;
    }
    error
}

/// A table of a finished matrix.
pub(super) fn table(
    layout: ColumnarLayout,
    matrix: FloatMatrix,
    rows: usize,
    labels: Option<Codes>,
) -> RawTable {
    let columns = columns(&layout);
    let (notes, facts) = (layout.plan.notes, layout.plan.facts);
    RawTable { columns, matrix, rows, labels, complete: false, extent: None, notes, facts }
}

/// The features; the categories of text columns are not known yet.
pub(super) fn columns(layout: &ColumnarLayout) -> Vec<FeatureColumn> {
    let mut columns = Vec::with_capacity(layout.features);
    for part in &layout.parts {
        match part.role {
            Role::Label | Role::Skip | Role::Blank => {}
            Role::Category => {
                columns.push(FeatureColumn { name: part.name.clone(), categories: Some(Vec::new()) });
            }
            _ if part.width == 1 => columns.push(FeatureColumn::number(part.name.clone())),
            _ => columns.extend(FeatureColumn::of_list(&part.name, part.width)),
        }
    }
    columns
}

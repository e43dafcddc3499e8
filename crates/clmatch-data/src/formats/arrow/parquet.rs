//! Parquet, decoded by all threads: over row groups where there are enough, else over groups of columns.

use std::fs::File;
use std::path::PathBuf;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::errors::ParquetError;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use bytes::Bytes;
use rayon::prelude::*;

use super::ipc::first_length;
use super::sink::{Sink, fill, labels, table};
use super::{Layout, Part, describe, label_column};
use crate::damaged::decoding;
use crate::error::ReadError;
use crate::input::{Input, damaged};
use crate::label_choice::LabelFile;
use crate::memory::{Budget, zeros};
use crate::options::ReadOptions;
use crate::real::{Matrix, Real};
use crate::table::{Codes, LabelBuilder, Table};

/// Reads a table; `labels` is false when the labels come from elsewhere.
pub(crate) fn read(input: &Input, options: &ReadOptions, labels: bool) -> Result<Table, ReadError> {
    let source = Source::open(input)?;
    let schema = source.metadata.schema();
    let described = describe(schema, source.first_rows().as_ref());
    let layout = Layout::new(schema, &described, options, labels, |root| source.list_length(root))?;
    let rows = source.rows()?;
    let budget = Budget::new(options);
    budget.check_shape(rows as u64, layout.features as u64, if layout.single { 4 } else { 8 })?;
    if layout.single {
        read_as::<f32>(&source, layout, rows, budget, Matrix::F32)
    } else {
        read_as::<f64>(&source, layout, rows, budget, Matrix::F64)
    }
}

/// Reads one column as labels.
pub(crate) fn only_labels(input: &Input, options: &ReadOptions) -> Result<LabelFile, ReadError> {
    let source = Source::open(input)?;
    let (root, parts, column) =
        label_column(source.metadata.schema(), source.first_rows().as_ref(), options)?;
    let mut all = LabelBuilder::default();
    for batch in source.batches(None, &[root], BATCH)? {
        let batch = batch.map_err(|error| arrow_error(&error))?;
        if let Some(codes) = labels(&batch, &parts)? {
            all.append(&codes)?;
        }
    }
    Ok(LabelFile { codes: all.finish(), column })
}

fn read_as<T: Real>(
    source: &Source,
    layout: Layout,
    rows: usize,
    budget: Budget,
    wrap: impl FnOnce(Vec<T>) -> Matrix,
) -> Result<Table, ReadError> {
    if !layout.plain() {
        let mut sink: Sink<T> = Sink::new(&layout, budget);
        for batch in source.batches(None, &layout.roots, BATCH)? {
            sink.push(&batch.map_err(|error| arrow_error(&error))?, &layout)?;
        }
        return Ok(sink.finish(layout, wrap));
    }
    let mut values: Vec<T> = zeros(rows * layout.features)?;
    let threads = rayon::current_num_threads();
    let by_columns = source.groups() < threads && layout.parts.len() >= threads;
    let codes = if by_columns {
        column_groups(source, &layout, &mut values)?
    } else {
        row_groups(source, &layout, &mut values)?
    };
    let codes = layout.plan.label().is_some().then_some(codes);
    Ok(table(layout, wrap(values), rows, codes))
}

/// Rows that are decoded at once: enough to be worth the call, few enough to stay in the cache.
const BATCH: usize = 4096;

/// Each thread decodes whole row groups into its part of the matrix.
fn row_groups<T: Real>(source: &Source, layout: &Layout, values: &mut [T]) -> Result<Codes, ReadError> {
    let mut rest = values;
    let mut work = Vec::with_capacity(source.groups());
    for group in 0..source.groups() {
        let (own, others) = rest.split_at_mut(source.group_rows(group) * layout.features);
        rest = others;
        work.push((group, own));
    }
    let decode = |(group, own): (usize, _)| decoding(|| row_group(source, layout, group, own));
    let parts = work.into_par_iter().map(decode);
    let mut all = LabelBuilder::default();
    for codes in parts.collect::<Result<Vec<Codes>, ReadError>>()? {
        all.append(&codes)?;
    }
    Ok(all.finish())
}

fn row_group<T: Real>(
    source: &Source,
    layout: &Layout,
    group: usize,
    values: &mut [T],
) -> Result<Codes, ReadError> {
    let mut all = LabelBuilder::default();
    let mut rest = values;
    for batch in source.batches(Some(group), &layout.roots, BATCH)? {
        let batch = batch.map_err(|error| arrow_error(&error))?;
        let end = batch.num_rows() * layout.features;
        let (own, others) = rest.split_at_mut_checked(end).ok_or_else(more_rows)?;
        rest = others;
        for (place, own) in own.chunks_mut(layout.chunk_rows() * layout.features).enumerate() {
            let rows = batch.slice(place * layout.chunk_rows(), own.len() / layout.features);
            fill(&rows, &layout.parts, layout.features, own)?;
        }
        if let Some(codes) = labels(&batch, &layout.parts)? {
            all.append(&codes)?;
        }
    }
    if rest.is_empty() { Ok(all.finish()) } else { Err(more_rows()) }
}

/// Each thread decodes some of the columns, batch by batch; then all threads write the batch into the matrix.
fn column_groups<T: Real>(source: &Source, layout: &Layout, values: &mut [T]) -> Result<Codes, ReadError> {
    let each = layout.parts.len().div_ceil(rayon::current_num_threads());
    let parts: Vec<&[Part]> = layout.parts.chunks(each).collect();
    let mut readers: Vec<ParquetRecordBatchReader> = layout
        .roots
        .chunks(each)
        .map(|roots| source.batches(None, roots, BATCH))
        .collect::<Result<_, _>>()?;
    let mut all = LabelBuilder::default();
    let mut rest = values;
    loop {
        let batches: Vec<Option<RecordBatch>> = readers
            .par_iter_mut()
            .map(|reader| decoding(|| reader.next().transpose().map_err(|error| arrow_error(&error))))
            .collect::<Result<_, _>>()?;
        let Some(batches) = batches.into_iter().collect::<Option<Vec<RecordBatch>>>() else { break };
        let rows = batches.first().map_or(0, RecordBatch::num_rows);
        if batches.iter().any(|batch| batch.num_rows() != rows) {
            return Err(more_rows());
        }
        let (own, others) = rest.split_at_mut_checked(rows * layout.features).ok_or_else(more_rows)?;
        rest = others;
        let chunk = layout.chunk_rows();
        own.par_chunks_mut(chunk * layout.features).enumerate().try_for_each(|(place, own)| {
            let count = own.len() / layout.features;
            let slices = batches.iter().map(|batch| batch.slice(place * chunk, count));
            slices.zip(&parts).try_for_each(|(batch, parts)| fill(&batch, parts, layout.features, own))
        })?;
        for (batch, parts) in batches.iter().zip(&parts) {
            if let Some(codes) = labels(batch, parts)? {
                all.append(&codes)?;
            }
        }
    }
    if rest.is_empty() { Ok(all.finish()) } else { Err(more_rows()) }
}

/// A file whose metadata was read; each thread opens it anew.
pub(super) struct Source {
    /// `None` for bytes in memory.
    path: Option<PathBuf>,
    bytes: Bytes,
    pub(super) metadata: ArrowReaderMetadata,
}

impl Source {
    pub(super) fn open(input: &Input) -> Result<Self, ReadError> {
        let (path, bytes, metadata) = match input {
            Input::File(path) => {
                let file = File::open(path).map_err(|error| damaged(&error))?;
                (Some(path.clone()), Bytes::new(), ArrowReaderMetadata::load(&file, Default::default()))
            }
            Input::Memory(bytes) => {
                let bytes = bytes.clone();
                let metadata = ArrowReaderMetadata::load(&bytes, Default::default());
                (None, bytes, metadata)
            }
        };
        Ok(Source { path, bytes, metadata: metadata.map_err(|error| parquet_error(&error))? })
    }

    fn groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    fn group_rows(&self, group: usize) -> usize {
        usize::try_from(self.metadata.metadata().row_group(group).num_rows()).unwrap_or(0)
    }

    /// The sum over the row groups, which the readers will keep to.
    pub(super) fn rows(&self) -> Result<usize, ReadError> {
        let rows =
            (0..self.groups()).try_fold(0_usize, |rows, group| rows.checked_add(self.group_rows(group)));
        rows.ok_or_else(more_rows)
    }

    /// Reads columns of one row group, or of all.
    pub(super) fn batches(
        &self,
        group: Option<usize>,
        roots: &[usize],
        batch_rows: usize,
    ) -> Result<ParquetRecordBatchReader, ReadError> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), roots.iter().copied());
        let groups: Vec<usize> = group.map_or_else(|| (0..self.groups()).collect(), |group| vec![group]);
        let metadata = self.metadata.clone();
        let reader = match &self.path {
            Some(path) => {
                let file = File::open(path).map_err(|error| damaged(&error))?;
                let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
                builder.with_projection(mask).with_row_groups(groups).with_batch_size(batch_rows).build()
            }
            None => {
                let builder =
                    ParquetRecordBatchReaderBuilder::new_with_metadata(self.bytes.clone(), metadata);
                builder.with_projection(mask).with_row_groups(groups).with_batch_size(batch_rows).build()
            }
        };
        reader.map_err(|error| parquet_error(&error))
    }

    /// The first rows of all columns, if they can be read: the reader says what is wrong with them.
    pub(super) fn first_rows(&self) -> Option<RecordBatch> {
        let roots: Vec<usize> = (0..self.metadata.schema().fields().len()).collect();
        self.batches(None, &roots, BATCH).ok()?.next()?.ok()
    }

    /// The length of the first list of a column whose type does not say it.
    pub(super) fn list_length(&self, root: usize) -> Result<usize, ReadError> {
        for batch in self.batches(None, &[root], 64)? {
            let length = first_length(&batch.map_err(|error| arrow_error(&error))?, 0)?;
            if length > 0 {
                return Ok(length);
            }
        }
        Ok(0)
    }
}

pub(super) fn more_rows() -> ReadError {
    ReadError::new("the row groups do not hold the rows that the file declares")
        .help("the file is damaged: fetch or write it again")
}

fn parquet_error(error: &ParquetError) -> ReadError {
    ReadError::new(format!("the Parquet data cannot be read: {error}"))
        .help("the file is incomplete or damaged: fetch or write it again")
}

pub(super) fn arrow_error(error: &ArrowError) -> ReadError {
    ReadError::new(format!("the Parquet data cannot be read: {error}"))
        .help("the file is incomplete or damaged: fetch or write it again")
}

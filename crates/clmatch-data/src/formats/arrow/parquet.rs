//! Parquet, decoded in pieces by all threads: each piece is some columns of some row groups.

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::ChunkReader;
use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use bytes::Bytes;
use rayon::prelude::*;

use super::column::TOGETHER;
use super::ipc::first_length;
use super::sink::{Sink, all_labels, fill_columns, labels, see_columns, seen_table, shift};
use super::target::MatrixTarget;
use super::{ColumnFile, ColumnPart, ColumnarLayout, describe, label_column, show, shown_columns};
use crate::damaged::decoding;
use crate::error::ReadError;
use crate::extent::{Extent, Look};
use crate::glimpse::Described;
use crate::input::{ByteSource, damaged};
use crate::label_choice::LabelFile;
use crate::memory::{MemoryBudget, zeros};
use crate::options::ReadOptions;
use crate::real::{FloatMatrix, MatrixElement};
use crate::shown::{ShownCells, ShownChoice};
use crate::table::{Codes, LabelBuilder, RawTable};

/// Reads a table; `labels` is false when the labels come from elsewhere.
pub(crate) fn read(input: &ByteSource, options: &ReadOptions, labels: bool) -> Result<RawTable, ReadError> {
    let source = ParquetFile::open(input)?;
    let schema = source.metadata.schema();
    let (groups, mut begun) = source.begin().unzip();
    let first = begun.as_ref().and_then(|begun| beside(schema, begun));
    let described = describe(schema, first.as_ref());
    let layout = ColumnarLayout::new(schema, &described, options, labels, |root| source.list_length(root))?;
    // The first batches hold all columns. They are useless if some columns are left out, or if pieces have fewer row groups.
    if layout.roots.len() < schema.fields().len()
        || groups.as_ref() != source.pieces(layout.roots.len()).runs.first()
    {
        begun = None;
    }
    let rows = source.rows()?;
    let budget = MemoryBudget::new(options);
    budget.check_shape(rows.max(1) as u64, layout.features as u64, if layout.single { 4 } else { 8 })?;
    if layout.single {
        read_as::<f32>(&source, layout, begun, budget, FloatMatrix::F32)
    } else {
        read_as::<f64>(&source, layout, begun, budget, FloatMatrix::F64)
    }
}

/// The columns, with what the first rows show about them.
pub(crate) fn described_columns(input: &ByteSource) -> Result<Vec<Described>, ReadError> {
    let source = ParquetFile::open(input)?;
    Ok(describe(source.schema(), source.first_rows().as_ref()))
}

/// Reads one column as labels.
pub(crate) fn only_labels(input: &ByteSource, options: &ReadOptions) -> Result<LabelFile, ReadError> {
    let source = ParquetFile::open(input)?;
    let (root, parts, column) = label_column(source.schema(), source.first_rows().as_ref(), options)?;
    let batches = source.batches(source.all(), &[root], BATCH)?;
    let codes = all_labels(batches.map(|batch| batch.map_err(|error| arrow_error(&error))), &parts)?;
    Ok(LabelFile { codes, column, notes: Vec::new() })
}

/// Reads the cells of the columns that are shown beside the points.
pub(crate) fn shown(input: &ByteSource, choice: &ShownChoice) -> Result<ShownCells, ReadError> {
    let source = ParquetFile::open(input)?;
    let (mut shown, roots) = shown_columns(source.schema(), choice)?;
    for batch in source.batches(source.all(), &roots, BATCH)? {
        show(&mut shown, &roots, &batch.map_err(|error| arrow_error(&error))?)?;
    }
    Ok(shown)
}

fn read_as<T: MatrixElement>(
    source: &ParquetFile,
    layout: ColumnarLayout,
    begun: Option<Vec<Begun>>,
    budget: MemoryBudget,
    wrap: impl FnOnce(Vec<T>) -> FloatMatrix,
) -> Result<RawTable, ReadError> {
    if !layout.plain() {
        drop(begun);
        let mut sink: Sink<T> = Sink::new(&layout, budget);
        for batch in source.batches(source.all(), &layout.roots, BATCH)? {
            sink.push(&batch.map_err(|error| arrow_error(&error))?, &layout)?;
        }
        return Ok(sink.finish(layout, wrap));
    }
    let rows = source.rows()?;
    let mut values: Vec<T> = zeros(rows * layout.features)?;
    let (codes, extent) = decode(source, &layout, begun, &mut values)?;
    let codes = layout.plan.label().is_some().then_some(codes);
    Ok(seen_table(layout, wrap(values), rows, codes, extent))
}

/// How many rows are decoded at once: enough to be worth the call, few enough to stay in the cache.
const BATCH: usize = 4096;

/// How a file is divided: each share of neighbouring columns in each run of row groups is a piece of work.
///
/// The file is divided by columns first, since a reader reuses the memory to which it unpacks pages, and gives it back at its
/// end. But a thread should write whole cache lines.
struct Pieces {
    shares: Vec<Range<usize>>,
    runs: Vec<Range<usize>>,
}

/// How many pieces each thread gets if there cannot be exactly one for each, so that no thread waits long for the last piece.
const PIECES: usize = 4;
/// The start of a share of columns may move by at most one in this many of its columns.
const CLOSE: usize = 16;

impl Pieces {
    fn new(columns: usize, groups: usize, threads: usize) -> Pieces {
        let least = if groups < threads { 1 } else { TOGETHER };
        let each = columns.div_ceil(threads).max(least);
        let count = columns.div_ceil(each);
        // Columns are written several at a time: a share should start where they do, if that is close.
        let start = |share: usize| {
            let (even, whole) = (each * share, (each * share + TOGETHER / 2) / TOGETHER * TOGETHER);
            let close = even < columns && whole < columns && whole.abs_diff(even) <= each / CLOSE;
            if close { whole } else { even.min(columns) }
        };
        let shares = (0..count).map(|share| start(share)..start(share + 1));
        let runs = if count == threads { 1 } else { (PIECES * threads).div_ceil(count.max(1)) };
        let length = groups.div_ceil(runs).max(1);
        let runs = (0..groups).step_by(length).map(|start| start..groups.min(start + length)).collect();
        Pieces { shares: shares.collect(), runs }
    }
}

/// Some columns of some row groups.
struct Piece<'a, T> {
    groups: Range<usize>,
    roots: &'a [usize],
    parts: &'a [ColumnPart],
    begun: Option<Begun>,
    /// How many rows of the file come before it.
    first_row: usize,
    target: MatrixTarget<'a, T>,
}

/// The columns of the matrix that belong to neighbouring parts.
fn columns(parts: &[ColumnPart]) -> Range<usize> {
    let ends = parts.first().zip(parts.last());
    ends.map_or(0..0, |(first, last)| first.columns().start..last.columns().end)
}

/// Decodes pieces of the file into their places in the matrix, with all threads; returns the labels and the extent of the
/// numbers.
fn decode<T: MatrixElement>(
    source: &ParquetFile,
    layout: &ColumnarLayout,
    begun: Option<Vec<Begun>>,
    values: &mut [T],
) -> Result<(Codes, Extent), ReadError> {
    let pieces = source.pieces(layout.roots.len());
    let rows: Vec<usize> =
        pieces.runs.iter().map(|run| run.clone().map(|group| source.group_rows(group)).sum()).collect();
    let share = |share: Range<usize>| (&layout.roots[share.clone()], &layout.parts[share]);
    let shares: Vec<(&[usize], &[ColumnPart])> = pieces.shares.into_iter().map(share).collect();
    let ranges: Vec<Range<usize>> = shares.iter().map(|(_, parts)| columns(parts)).collect();
    let targets = MatrixTarget::new(values, layout.features).cut(&rows, &ranges);
    let mut begun = begun.into_iter().flatten();
    let (mut work, mut first_row) = (Vec::new(), 0);
    for ((groups, targets), rows) in pieces.runs.into_iter().zip(targets).zip(rows) {
        for (&(roots, parts), target) in shares.iter().zip(targets) {
            work.push(Piece { groups: groups.clone(), roots, parts, begun: begun.next(), first_row, target });
        }
        first_row += rows;
    }
    let decoded: Vec<Result<(Codes, Extent), ReadError>> =
        work.into_par_iter().map(|piece| decoding(|| piece.decode(source, layout))).collect();
    let (mut all, mut extent) = (LabelBuilder::default(), Extent::EMPTY);
    for piece in decoded {
        let (codes, seen) = piece?;
        all.append(&codes)?;
        extent = extent.and(seen);
    }
    Ok((all.finish(), extent))
}

impl<T: MatrixElement> Piece<'_, T> {
    /// Writes the numbers and examines them while they are in the cache; returns the labels, if they are in this piece, and
    /// the extent.
    fn decode(self, source: &ParquetFile, layout: &ColumnarLayout) -> Result<(Codes, Extent), ReadError> {
        let Piece { groups, roots, parts, begun, first_row, mut target } = self;
        let (first, reader) = match begun {
            Some(begun) => (Some(Ok(begun.first)), begun.reader),
            None => (None, source.batches(groups, roots, BATCH)?),
        };
        let (mut all, mut look) = (LabelBuilder::default(), Look::default());
        let mut row = 0;
        for batch in first.into_iter().chain(reader) {
            let batch = batch.map_err(|error| arrow_error(&error))?;
            if batch.num_rows() > target.rows() - row {
                return Err(more_rows());
            }
            for start in (0..batch.num_rows()).step_by(layout.chunk_rows()) {
                let some = batch.slice(start, layout.chunk_rows().min(batch.num_rows() - start));
                let rows = row + start..row + start + some.num_rows();
                let before = first_row + rows.start;
                let mut target = target.some_rows(rows);
                fill_columns(&some, parts, &mut target).map_err(|error| shift(error, before))?;
                see_columns(&some, parts, &mut target, &mut look);
            }
            if let Some(codes) = labels(&batch, parts)? {
                all.append(&codes)?;
            }
            row += batch.num_rows();
        }
        if row == target.rows() { Ok((all.finish(), look.found())) } else { Err(more_rows()) }
    }
}

/// Some columns of the first row groups, with the first batch decoded.
struct Begun {
    first: RecordBatch,
    reader: ParquetRecordBatchReader,
}

/// Joins the first batches of all columns into one.
fn beside(schema: &SchemaRef, begun: &[Begun]) -> Option<RecordBatch> {
    let columns = begun.iter().flat_map(|begun| begun.first.columns().iter().cloned()).collect();
    RecordBatch::try_new(schema.clone(), columns).ok()
}

/// A file whose metadata was read; each thread opens the file again.
pub(super) struct ParquetFile {
    /// The path; `None` for bytes in memory.
    path: Option<PathBuf>,
    bytes: Bytes,
    pub(super) metadata: ArrowReaderMetadata,
}

/// The metadata of a file. Some programs (nanoparquet) describe the Arrow types in a way that cannot be read: then the types of
/// Parquet count.
fn metadata(reader: &impl ChunkReader) -> Result<ArrowReaderMetadata, ParquetError> {
    let load =
        |skip| ArrowReaderMetadata::load(reader, ArrowReaderOptions::new().with_skip_arrow_metadata(skip));
    load(false).or_else(|error| load(true).map_err(|_| error))
}

impl ParquetFile {
    pub(super) fn open(input: &ByteSource) -> Result<Self, ReadError> {
        let (path, bytes, metadata) = match input {
            ByteSource::File(path) => {
                let file = File::open(path).map_err(|error| damaged(&error))?;
                (Some(path.clone()), Bytes::new(), metadata(&file))
            }
            ByteSource::Memory(bytes) => {
                let bytes = bytes.clone();
                let metadata = metadata(&bytes);
                (None, bytes, metadata)
            }
        };
        Ok(ParquetFile { path, bytes, metadata: metadata.map_err(|error| parquet_error(&error))? })
    }

    fn groups(&self) -> usize {
        self.metadata.metadata().num_row_groups()
    }

    /// All row groups.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.groups()
    }

    fn group_rows(&self, group: usize) -> usize {
        usize::try_from(self.metadata.metadata().row_group(group).num_rows()).unwrap_or(0)
    }

    /// The number of rows of all row groups, which the readers rely on.
    pub(super) fn rows(&self) -> Result<usize, ReadError> {
        let rows =
            (0..self.groups()).try_fold(0_usize, |rows, group| rows.checked_add(self.group_rows(group)));
        rows.ok_or_else(more_rows)
    }

    /// Reads columns of some row groups.
    pub(super) fn batches(
        &self,
        groups: Range<usize>,
        roots: &[usize],
        batch_rows: usize,
    ) -> Result<ParquetRecordBatchReader, ReadError> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), roots.iter().copied());
        let groups: Vec<usize> = groups.collect();
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

    fn pieces(&self, columns: usize) -> Pieces {
        Pieces::new(columns, self.groups(), rayon::current_num_threads())
    }

    /// Begins to read all columns; `None` if they cannot be read, since the reader reports what is wrong with them. Also
    /// returns which row groups are read: the first run, or all if that run has fewer rows than a batch, since the first
    /// batch must not depend on the number of threads.
    fn begin(&self) -> Option<(Range<usize>, Vec<Begun>)> {
        let columns = self.metadata.schema().fields().len();
        let pieces = self.pieces(columns);
        let first = pieces.runs.first()?.clone();
        let rows: usize = first.clone().map(|group| self.group_rows(group)).sum();
        let groups = if rows < BATCH { self.all() } else { first };
        let begin = |share: &Range<usize>| {
            let begun = decoding(|| {
                let roots: Vec<usize> = share.clone().collect();
                let mut reader = self.batches(groups.clone(), &roots, BATCH)?;
                let first = reader.next().transpose().map_err(|error| arrow_error(&error))?;
                Ok(first.map(|first| Begun { first, reader }))
            });
            begun.ok().flatten()
        };
        let begun = pieces.shares.par_iter().map(begin).collect::<Option<_>>()?;
        Some((groups, begun))
    }
}

impl ColumnFile for ParquetFile {
    fn schema(&self) -> &SchemaRef {
        self.metadata.schema()
    }

    fn first_rows(&self) -> Option<RecordBatch> {
        beside(self.metadata.schema(), &self.begin()?.1)
    }

    fn list_length(&self, root: usize) -> Result<usize, ReadError> {
        for batch in self.batches(self.all(), &[root], 64)? {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_shared_out_before_row_groups() {
        let pieces = |columns, groups, threads| -> (Vec<usize>, Vec<usize>) {
            let Pieces { shares, runs } = Pieces::new(columns, groups, threads);
            assert_eq!(shares.iter().cloned().flatten().collect::<Vec<_>>(), Vec::from_iter(0..columns));
            assert!(shares.iter().all(|share| !share.is_empty()), "{columns} columns, {threads} threads");
            let lengths = |ranges: Vec<Range<usize>>| ranges.iter().map(ExactSizeIterator::len).collect();
            (lengths(shares), lengths(runs))
        };
        assert_eq!(pieces(32, 1, 2), (vec![16, 16], vec![1]));
        // Shares start at whole groups of columns, if they are nearly half of them.
        assert_eq!(pieces(33, 8, 2), (vec![16, 17], vec![8]));
        assert_eq!(pieces(40, 8, 2), (vec![20, 20], vec![8]));
        // There are too few columns for all threads.
        assert_eq!(pieces(3, 1, 8), (vec![1; 3], vec![1]));
        assert_eq!(pieces(10, 4, 8), (vec![2; 5], vec![1; 4]));
        // Shares are one cache line wide if there are enough row groups.
        assert_eq!(pieces(10, 64, 8), (vec![8, 2], vec![4; 16]));
        assert_eq!(pieces(1, 5, 2), (vec![1], vec![1; 5]));
        assert_eq!(pieces(1, 9, 1), (vec![1], vec![9]));
        assert_eq!(pieces(4, 0, 2), (vec![2, 2], vec![]));
        // The last of many shares gets only a few columns.
        for columns in 0..1200 {
            [1, 70]
                .into_iter()
                .for_each(|groups| (1..70).for_each(|threads| drop(pieces(columns, groups, threads))));
        }
    }
}

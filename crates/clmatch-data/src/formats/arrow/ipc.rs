//! Arrow IPC: files (Feather) and streams.

use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};
use rayon::prelude::*;

use super::claims::{CheckedStream, check_file, wrong};
use super::column::list;
use super::sink::{Sink, all_labels, fill, labels, seen_table, shift};
use super::stored::StoredFile;
use super::{ColumnFile, ColumnarLayout, describe, has_open_lists, label_column, show, shown_columns};
use crate::damaged::decoding;
use crate::error::ReadError;
use crate::extent::Extent;
use crate::glimpse::Described;
use crate::input::{ByteSource, damaged};
use crate::label_choice::LabelFile;
use crate::memory::{MemoryBudget, zeros};
use crate::options::ReadOptions;
use crate::real::{FloatMatrix, MatrixElement};
use crate::shown::{ShownCells, ShownChoice};
use crate::table::{Codes, LabelBuilder, RawTable};

/// How many numbers are read at once: they stay in the cache until they are written to the matrix.
const PIECE: usize = 1 << 17;
/// At least this many rows are read at once, except of lists: fewer values of a column are not worth a system call.
const FEWEST_ROWS: usize = 256;

/// After this many pieces per thread, labels are put together.
const ROUND: usize = 16;

type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a>;

/// Reads a table; `labels` is false when the labels come from elsewhere. `stream` says whether the data are a stream or a file.
pub(crate) fn read(
    input: &ByteSource,
    stream: bool,
    options: &ReadOptions,
    labels: bool,
) -> Result<RawTable, ReadError> {
    let budget = MemoryBudget::new(options);
    if !stream && let Some(file) = StoredFile::open(input, budget)? {
        return read_stored(&file, options, labels, budget);
    }
    let (schema, mut others) = open(input, stream, None, budget)?;
    let first = if has_open_lists(schema.fields()) {
        others.next().transpose().map_err(|e| arrow_error(&e))?
    } else {
        others.next().and_then(Result::ok)
    };
    let described = describe(&schema, first.as_ref());
    let layout = ColumnarLayout::new(&schema, &described, options, labels, |root| match &first {
        Some(batch) => first_length(batch, root),
        None => Ok(0),
    })?;
    if input.length()?.is_some() {
        // Uncompressed numbers take about as much room in the file as in memory.
        budget.check(input.stored()?)?;
    }
    let batches: Batches<'_> = match first {
        // All columns are read. The first batch, which may be the whole file, need not be read again.
        Some(first) if layout.roots.len() == schema.fields().len() => {
            Box::new(std::iter::once(Ok(first)).chain(others))
        }
        _ => open(input, stream, Some(layout.roots.clone()), budget)?.1,
    };
    if layout.single {
        gather::<f32>(batches, layout, budget, FloatMatrix::F32)
    } else {
        gather::<f64>(batches, layout, budget, FloatMatrix::F64)
    }
}

/// The columns, with what the first rows show about them.
pub(crate) fn described_columns(
    input: &ByteSource,
    stream: bool,
    options: &ReadOptions,
) -> Result<Vec<Described>, ReadError> {
    let (schema, mut batches) = open(input, stream, None, MemoryBudget::new(options))?;
    Ok(describe(&schema, batches.next().and_then(Result::ok).as_ref()))
}

/// Reads a table from a file that is not compressed.
fn read_stored(
    file: &StoredFile,
    options: &ReadOptions,
    labels: bool,
    budget: MemoryBudget,
) -> Result<RawTable, ReadError> {
    let layout = ColumnarLayout::of(file, options, labels)?;
    budget.check_shape(file.rows().max(1), layout.features as u64, if layout.single { 4 } else { 8 })?;
    if layout.single {
        gather_stored::<f32>(file, layout, budget, FloatMatrix::F32)
    } else {
        gather_stored::<f64>(file, layout, budget, FloatMatrix::F64)
    }
}

/// Reads pieces of all columns into their rows of the matrix, with all threads.
fn gather_stored<T: MatrixElement>(
    file: &StoredFile,
    layout: ColumnarLayout,
    budget: MemoryBudget,
    wrap: impl FnOnce(Vec<T>) -> FloatMatrix,
) -> Result<RawTable, ReadError> {
    let chosen = file.choose(&layout.roots);
    let pieces = file.pieces(PIECE.max(FEWEST_ROWS * layout.roots.len()) / layout.features);
    if !layout.plain() {
        let mut sink: Sink<T> = Sink::new(&layout, budget);
        for piece in pieces {
            sink.push(&file.read(&piece, &chosen)?, &layout)?;
        }
        return Ok(sink.finish(layout, wrap));
    }
    let rows = file.rows() as usize;
    let mut values: Vec<T> = zeros(rows * layout.features)?;
    let (mut work, mut rest, mut first_row) = (Vec::new(), &mut values[..], 0);
    for piece in pieces {
        let (own, others) = rest.split_at_mut(piece.rows() * layout.features);
        rest = others;
        let count = piece.rows();
        work.push((piece, first_row, own));
        first_row += count;
    }
    let has_labels = layout.plan.label().is_some();
    let mut codes = LabelBuilder::for_rows(if has_labels { rows } else { 0 });
    let mut extent = Extent::EMPTY;
    // In rounds, so that few labels wait for the ones before them.
    for round in work.chunks_mut(ROUND * rayon::current_num_threads()) {
        let read = round.par_iter_mut().map(|(piece, first_row, own)| {
            decoding(|| {
                let batch = file.read(piece, &chosen)?;
                fill(&batch, &layout.parts, layout.features, own)
                    .map_err(|error| shift(error, *first_row))?;
                Ok((labels(&batch, &layout.parts)?, Extent::of_part(own)))
            })
        });
        for some in read.collect::<Vec<Result<(Option<Codes>, Extent), ReadError>>>() {
            let (some, seen) = some?;
            extent = extent.and(seen);
            some.map_or(Ok(()), |some| codes.append(&some))?;
        }
    }
    let codes = has_labels.then(|| codes.finish());
    Ok(seen_table(layout, wrap(values), rows, codes, extent))
}

/// Reads one column as labels.
pub(crate) fn only_labels(
    input: &ByteSource,
    stream: bool,
    options: &ReadOptions,
) -> Result<LabelFile, ReadError> {
    let budget = MemoryBudget::new(options);
    if !stream && let Some(file) = StoredFile::open(input, budget)? {
        let (root, parts, column) = label_column(file.schema(), file.first_rows().as_ref(), options)?;
        let chosen = file.choose(&[root]);
        let codes = all_labels(file.pieces(PIECE).map(|piece| file.read(&piece, &chosen)), &parts)?;
        return Ok(LabelFile { codes, column, notes: Vec::new() });
    }
    let (schema, mut batches) = open(input, stream, None, budget)?;
    let first = batches.next().and_then(Result::ok);
    let (root, parts, column) = label_column(&schema, first.as_ref(), options)?;
    let batches = open(input, stream, Some(vec![root]), budget)?.1;
    let codes = all_labels(batches.map(|batch| batch.map_err(|error| arrow_error(&error))), &parts)?;
    Ok(LabelFile { codes, column, notes: Vec::new() })
}

/// Reads the cells of the columns that are shown beside the points.
pub(crate) fn shown(input: &ByteSource, stream: bool, choice: &ShownChoice) -> Result<ShownCells, ReadError> {
    let (schema, _) = open(input, stream, None, choice.budget())?;
    let (mut shown, roots) = shown_columns(&schema, choice)?;
    for batch in open(input, stream, Some(roots.clone()), choice.budget())?.1 {
        show(&mut shown, &roots, &batch.map_err(|error| arrow_error(&error))?)?;
    }
    Ok(shown)
}

fn gather<T: MatrixElement>(
    batches: Batches<'_>,
    layout: ColumnarLayout,
    budget: MemoryBudget,
    wrap: impl FnOnce(Vec<T>) -> FloatMatrix,
) -> Result<RawTable, ReadError> {
    let mut sink: Sink<T> = Sink::new(&layout, budget);
    for batch in batches {
        sink.push(&batch.map_err(|error| arrow_error(&error))?, &layout)?;
    }
    Ok(sink.finish(layout, wrap))
}

pub(super) fn open<'a>(
    input: &'a ByteSource,
    stream: bool,
    roots: Option<Vec<usize>>,
    budget: MemoryBudget,
) -> Result<(Schema, Batches<'a>), ReadError> {
    if stream {
        let reader: Box<dyn Read + 'a> =
            Box::new(CheckedStream::new(BufReader::new(input.raw()?), budget.limit()));
        let reader = StreamReader::try_new(reader, roots).map_err(|error| arrow_error(&error))?;
        return Ok((reader.schema().as_ref().clone(), Box::new(reader)));
    }
    match input {
        ByteSource::File(path) => {
            let file = File::open(path).map_err(|error| damaged(&error))?;
            check_file(&file, budget.limit())?;
            let reader =
                FileReader::try_new(BufReader::new(file), roots).map_err(|error| arrow_error(&error))?;
            Ok((reader.schema().as_ref().clone(), Box::new(reader)))
        }
        ByteSource::Memory(bytes) => {
            check_file(Cursor::new(bytes.as_ref()), budget.limit())?;
            let reader = FileReader::try_new(Cursor::new(bytes.as_ref()), roots);
            let reader = reader.map_err(|error| arrow_error(&error))?;
            Ok((reader.schema().as_ref().clone(), Box::new(reader)))
        }
    }
}

/// The length of the first list of a column.
pub(super) fn first_length(batch: &RecordBatch, root: usize) -> Result<usize, ReadError> {
    let array = batch.column(root);
    for row in 0..array.len() {
        if let Some(list) = list(array, row)? {
            return Ok(list.len());
        }
    }
    Ok(0)
}

pub(super) fn arrow_error(error: &ArrowError) -> ReadError {
    match error {
        ArrowError::IoError(_, error) if error.kind() != ErrorKind::InvalidData => damaged(error),
        // An error of the checks before decoding.
        ArrowError::IoError(_, error) => wrong(error),
        _ => ReadError::new(format!("the Arrow data cannot be read: {error}"))
            .help("the file is incomplete or damaged: fetch or write it again"),
    }
}

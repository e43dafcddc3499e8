//! Arrow IPC: files (Feather) and streams.

use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read};

use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};

use super::claims::{CheckedStream, check_file, wrong};
use super::column::list;
use super::sink::{Sink, labels};
use super::{Layout, describe, has_open_lists, label_column};
use crate::error::ReadError;
use crate::input::{Input, damaged};
use crate::label_choice::LabelFile;
use crate::memory::Budget;
use crate::options::ReadOptions;
use crate::real::{Matrix, Real};
use crate::table::{LabelBuilder, Table};

type Batches<'a> = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a>;

/// Reads a table; `labels` is false when the labels come from elsewhere. `stream` tells the two layouts apart.
pub(crate) fn read(
    input: &Input,
    stream: bool,
    options: &ReadOptions,
    labels: bool,
) -> Result<Table, ReadError> {
    let budget = Budget::new(options);
    let (schema, mut others) = open(input, stream, None, budget)?;
    let first = if has_open_lists(schema.fields()) {
        others.next().transpose().map_err(|e| arrow_error(&e))?
    } else {
        others.next().and_then(Result::ok)
    };
    let described = describe(&schema, first.as_ref());
    let layout = Layout::new(&schema, &described, options, labels, |root| match &first {
        Some(batch) => first_length(batch, root),
        None => Ok(0),
    })?;
    if input.length()?.is_some() {
        // Uncompressed numbers take about as much room in the file as in memory.
        budget.check(input.stored()?)?;
    }
    let batches: Batches<'_> = match first {
        // All columns are read: the first batch, which may be the whole file, need not be read again.
        Some(first) if layout.roots.len() == schema.fields().len() => {
            Box::new(std::iter::once(Ok(first)).chain(others))
        }
        _ => open(input, stream, Some(layout.roots.clone()), budget)?.1,
    };
    if layout.single {
        gather::<f32>(batches, layout, budget, Matrix::F32)
    } else {
        gather::<f64>(batches, layout, budget, Matrix::F64)
    }
}

/// Reads one column as labels.
pub(crate) fn only_labels(
    input: &Input,
    stream: bool,
    options: &ReadOptions,
) -> Result<LabelFile, ReadError> {
    let budget = Budget::new(options);
    let (schema, mut batches) = open(input, stream, None, budget)?;
    let first = batches.next().and_then(Result::ok);
    let (root, parts, column) = label_column(&schema, first.as_ref(), options)?;
    let mut all = LabelBuilder::default();
    for batch in open(input, stream, Some(vec![root]), budget)?.1 {
        if let Some(codes) = labels(&batch.map_err(|error| arrow_error(&error))?, &parts)? {
            all.append(&codes)?;
        }
    }
    Ok(LabelFile { codes: all.finish(), column })
}

fn gather<T: Real>(
    batches: Batches<'_>,
    layout: Layout,
    budget: Budget,
    wrap: impl FnOnce(Vec<T>) -> Matrix,
) -> Result<Table, ReadError> {
    let mut sink: Sink<T> = Sink::new(&layout, budget);
    for batch in batches {
        sink.push(&batch.map_err(|error| arrow_error(&error))?, &layout)?;
    }
    Ok(sink.finish(layout, wrap))
}

fn open<'a>(
    input: &'a Input,
    stream: bool,
    roots: Option<Vec<usize>>,
    budget: Budget,
) -> Result<(Schema, Batches<'a>), ReadError> {
    if stream {
        let reader: Box<dyn Read + 'a> =
            Box::new(CheckedStream::new(BufReader::new(input.raw()?), budget.limit()));
        let reader = StreamReader::try_new(reader, roots).map_err(|error| arrow_error(&error))?;
        return Ok((reader.schema().as_ref().clone(), Box::new(reader)));
    }
    match input {
        Input::File(path) => {
            let file = File::open(path).map_err(|error| damaged(&error))?;
            check_file(&file, budget.limit())?;
            let reader =
                FileReader::try_new(BufReader::new(file), roots).map_err(|error| arrow_error(&error))?;
            Ok((reader.schema().as_ref().clone(), Box::new(reader)))
        }
        Input::Memory(bytes) => {
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
        // What was refused before it was decoded.
        ArrowError::IoError(_, error) => wrong(error),
        _ => ReadError::new(format!("the Arrow data cannot be read: {error}"))
            .help("the file is incomplete or damaged: fetch or write it again"),
    }
}

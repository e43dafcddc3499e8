//! Parquet and Arrow IPC in chunks of rows: one batch after the other, the columns of a Parquet file with all threads.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, Schema};
use rayon::prelude::*;

use super::claims::CheckedStream;
use super::ipc::{self, first_length};
use super::parquet::{self, ParquetFile, more_rows};
use super::row_counter::RowCounter;
use super::sink::{categories, columns, fill, labels, shift};
use super::stored::StoredFile;
use super::{ColumnFile, ColumnPart, ColumnarLayout, describe};
use crate::blocks::{Chunk, ChunkPlace, Chunks, FilePart, OpenPart, Parts, Start};
use crate::columns::Role;
use crate::damaged::decoding;
use crate::dictionary::Dictionary;
use crate::error::ReadError;
use crate::formats::detect::FileFormat;
use crate::input::{ByteSource, damaged};
use crate::memory::MemoryBudget;
use crate::options::ReadOptions;
use crate::rows::new_category;
use crate::table::FeatureColumn;

/// How many rows are decoded at once.
const BATCH: usize = 8192;

/// Rows of columnar files, chunk by chunk.
struct ColumnChunks {
    parts: Parts,
    format: FileFormat,
    layout: ColumnarLayout,
    first: PathBuf,
    open: Option<OpenBatches>,
    dictionaries: Vec<Dictionary>,
    /// How many rows decided about text columns.
    decided: Option<usize>,
    place: ChunkPlace,
    part_rows: Option<usize>,
    chunk_rows: usize,
    /// How many bytes the rows in memory may take.
    limit: usize,
}

/// A part that is being read.
struct OpenBatches {
    batches: Batches,
    rows: usize,
    /// A batch with the index of its first row that was not returned yet.
    pending: Option<(Vec<RecordBatch>, usize)>,
}

/// The batches of a part: the columns that are read, in one or more groups.
type Batches = Box<dyn Iterator<Item = Result<Vec<RecordBatch>, ReadError>> + Send>;

/// What is known about a part before its rows are read.
struct Opened {
    schema: Schema,
    rows: Option<usize>,
    source: BatchSource,
}

enum BatchSource {
    Parquet(Box<ParquetFile>),
    Stored(StoredFile),
    /// A file or stream that is decoded batch by batch.
    Ipc(Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>),
}

/// Determines what the columns of the first part are; `labels` is false when the labels come from elsewhere. A batch of a file
/// may take at most `bytes` bytes.
pub(crate) fn start(
    first: OpenPart,
    parts: Parts,
    format: FileFormat,
    options: &ReadOptions,
    labels: bool,
    chunk_rows: usize,
    bytes: usize,
) -> Result<Start, ReadError> {
    let path = first.part.path.clone();
    let mut opened = open(first, format, &parts.bytes)?;
    let (layout, pending) = match &mut opened.source {
        BatchSource::Parquet(source) => (ColumnarLayout::of(source.as_ref(), options, labels)?, None),
        BatchSource::Stored(file) => (ColumnarLayout::of(file, options, labels)?, None),
        BatchSource::Ipc(batches) => {
            let batch = batches.next().transpose().map_err(|error| ipc::arrow_error(&error))?;
            let described = describe(&opened.schema, batch.as_ref());
            let length = |root| batch.as_ref().map_or(Ok(0), |batch| first_length(batch, root));
            (ColumnarLayout::new(&opened.schema, &described, options, labels, length)?, batch)
        }
    };
    let (notes, facts, features) = (layout.plan.notes.clone(), layout.plan.facts.clone(), layout.features);
    let has_labels = layout.plan.label().is_some();
    let mut chunks = ColumnChunks {
        dictionaries: layout.parts.iter().map(|_| Dictionary::default()).collect(),
        parts,
        format,
        layout,
        first: path.clone(),
        open: None,
        decided: None,
        place: ChunkPlace { part: path, first_row: 0 },
        part_rows: None,
        chunk_rows: chunk_rows.max(1),
        limit: bytes,
    };
    chunks.enter(opened, pending)?;
    Ok(Start { chunks: Box::new(chunks), notes, facts, features, has_labels })
}

fn open(part: OpenPart, format: FileFormat, bytes: &Arc<AtomicU64>) -> Result<Opened, ReadError> {
    let path = part.part.path.clone();
    let budget = MemoryBudget::new(&ReadOptions::default());
    let limit = budget.limit();
    if format == FileFormat::ArrowStream {
        let checked = CheckedStream::new(BufReader::new(part.reader), limit);
        let reader = StreamReader::try_new(checked, None);
        let reader = reader.map_err(|error| ipc::arrow_error(&error))?;
        let schema = reader.schema().as_ref().clone();
        return Ok(Opened { schema, rows: None, source: BatchSource::Ipc(Box::new(reader)) });
    }
    if part.packed || part.part.is_stdin() {
        let how = if part.packed { "is packed" } else { "comes from a pipe" };
        let what =
            format!("a file of {} that {how} cannot be streamed: its end is read first", format.name());
        return Err(ReadError::new(what).help("give it as a file that is not packed"));
    }
    let length = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    if format == FileFormat::Parquet {
        let source = ParquetFile::open(&ByteSource::file(&path)?)?;
        let (schema, rows) = (source.metadata.schema().as_ref().clone(), source.rows()?);
        return Ok(Opened { schema, rows: Some(rows), source: BatchSource::Parquet(Box::new(source)) });
    }
    if let Some(file) = StoredFile::open(&ByteSource::file(&path)?, budget)? {
        let (schema, rows) = (file.schema().as_ref().clone(), usize::try_from(file.rows()).ok());
        return Ok(Opened { schema, rows, source: BatchSource::Stored(file) });
    }
    let file = File::open(&path).map_err(|error| damaged(&error))?;
    let reader = FileReader::try_new(BufReader::new(file), None).map_err(|error| ipc::arrow_error(&error))?;
    let schema = reader.schema().as_ref().clone();
    let each = length / (reader.num_batches().max(1) as u64);
    let bytes = Arc::clone(bytes);
    let counted = reader.inspect(move |_| {
        bytes.fetch_add(each, Ordering::Relaxed);
    });
    Ok(Opened { schema, rows: None, source: BatchSource::Ipc(Box::new(counted)) })
}

impl Chunks for ColumnChunks {
    fn next(&mut self) -> Result<Option<Chunk>, ReadError> {
        loop {
            if self.open.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let path = self.place.part.clone();
            match self.read_on().map_err(|error| error.in_file(&path))? {
                Some(chunk) if chunk.rows > 0 => return Ok(Some(chunk)),
                Some(_) => {}
                None => self.open = None,
            }
        }
    }

    fn decide(&mut self, first: &mut Chunk) -> Vec<FeatureColumn> {
        self.decided = Some(first.rows);
        let mut columns = columns(&self.layout);
        let texts = columns.iter_mut().filter(|column| column.categories.is_some());
        let own = self.layout.parts.iter().zip(&self.dictionaries);
        let own = own.filter(|(part, _)| part.role == Role::Category);
        for (column, (_, dictionary)) in texts.zip(own) {
            column.categories = Some(dictionary.names().to_vec());
        }
        columns
    }

    fn place(&self) -> &ChunkPlace {
        &self.place
    }

    fn part_rows(&self) -> Option<usize> {
        self.part_rows
    }
}

impl ColumnChunks {
    fn open_next(&mut self) -> Result<bool, ReadError> {
        let Some(next) = self.next_part()? else { return Ok(false) };
        let path = next.part.path.clone();
        self.place = ChunkPlace { part: path.clone(), first_row: 0 };
        let entered = open(next, self.format, &self.parts.bytes).and_then(|opened| {
            self.layout.check_part(&opened.schema, &self.first)?;
            self.enter(opened, None)
        });
        entered.map_err(|error| error.in_file(&path)).map(|()| true)
    }

    /// The next part. Formats that are read from the end of the file on are not opened here.
    fn next_part(&mut self) -> Result<Option<OpenPart>, ReadError> {
        if self.format == FileFormat::ArrowStream {
            return self.parts.open_next();
        }
        let without_reader =
            |part: FilePart| OpenPart { part, reader: Box::new(std::io::empty()), packed: false };
        Ok(self.parts.take_next().map(without_reader))
    }

    fn enter(&mut self, opened: Opened, first: Option<RecordBatch>) -> Result<(), ReadError> {
        self.part_rows = opened.rows;
        let length = std::fs::metadata(&self.place.part).map_or(0, |metadata| metadata.len());
        let counter = |rows| RowCounter::new(&self.parts.bytes, length, rows);
        // Fewer rows at once if they are wide.
        let rows = self.chunk_rows.min(BATCH).min(self.limit / (8 * self.layout.features)).max(1);
        let batches: Batches = match opened.source {
            BatchSource::Parquet(source) => {
                let counter = counter(source.rows()? as u64);
                Box::new(ColumnGroups::new(&source, &self.layout, rows, counter)?)
            }
            BatchSource::Stored(file) => {
                let counter = counter(file.rows());
                Box::new(stored_batches(file, &self.layout, rows, counter))
            }
            BatchSource::Ipc(batches) => {
                let roots = self.layout.roots.clone();
                let limit = self.limit;
                let project = move |batch: RecordBatch| {
                    let batch = batch.project(&roots).map_err(|error| ipc::arrow_error(&error))?;
                    let bytes = batch.get_array_memory_size();
                    if bytes > limit { Err(large_batch(bytes, limit)) } else { Ok(vec![batch]) }
                };
                let all = first.into_iter().map(Ok).chain(batches);
                Box::new(
                    all.map(move |batch| batch.map_err(|error| ipc::arrow_error(&error)).and_then(&project)),
                )
            }
        };
        self.open = Some(OpenBatches { batches, rows: 0, pending: None });
        Ok(())
    }

    /// The next rows of the open part; `None` at its end.
    fn read_on(&mut self) -> Result<Option<Chunk>, ReadError> {
        let Some(open) = &mut self.open else { return Ok(None) };
        let pending = match open.pending.take() {
            Some(pending) => Some(pending),
            None => open.batches.next().transpose()?.map(|batches| (batches, 0)),
        };
        let Some((batches, from)) = pending else { return Ok(None) };
        let all = batches.first().map_or(0, RecordBatch::num_rows);
        let count = (all - from).min(self.chunk_rows);
        let slices: Vec<RecordBatch> = batches.iter().map(|batch| batch.slice(from, count)).collect();
        if from + count < all {
            open.pending = Some((batches, from + count));
        }
        self.place.first_row = open.rows;
        open.rows += count;
        let row = self.place.first_row;
        self.chunk(&slices, count).map(Some).map_err(|error| shift(error, row))
    }

    /// Takes rows from the columns of all groups.
    fn chunk(&mut self, groups: &[RecordBatch], rows: usize) -> Result<Chunk, ReadError> {
        let features = self.layout.features;
        let mut values = vec![f64::NAN; rows * features];
        let each = group_size(&self.layout, groups.len());
        let parts: Vec<&[ColumnPart]> = self.layout.parts.chunks(each).collect();
        let together = ((1 << 15) / features).max(16);
        values.par_chunks_mut(together * features).enumerate().try_for_each(|(place, own)| {
            let count = own.len() / features;
            let slices = groups.iter().map(|batch| batch.slice(place * together, count));
            let mut pairs = slices.zip(&parts);
            pairs
                .try_for_each(|(batch, parts)| fill(&batch, parts, features, own))
                .map_err(|error| shift(error, place * together))
        })?;
        let mut codes = None;
        for (batch, parts) in groups.iter().zip(&parts) {
            if let Some(found) = labels(batch, parts)? {
                codes = Some(found);
            }
        }
        self.categories(groups, each, &mut values)?;
        Ok(Chunk { values, labels: codes, rows })
    }

    /// Writes the codes of texts; once the columns are decided, new texts are refused.
    fn categories(
        &mut self,
        groups: &[RecordBatch],
        each: usize,
        values: &mut [f64],
    ) -> Result<(), ReadError> {
        let decided = self.decided;
        for (place, (part, dictionary)) in self.layout.parts.iter().zip(&mut self.dictionaries).enumerate() {
            if part.role != Role::Category {
                continue;
            }
            let own = values.iter_mut().skip(part.offset).step_by(self.layout.features);
            let array = groups[place / each].column(place % each);
            let mut row = 0;
            categories(array, own, &mut |text| {
                row += 1;
                match (dictionary.get(text), decided) {
                    (Some(code), _) => Ok(code),
                    (None, None) => dictionary.code(text),
                    (None, Some(rows)) => Err(new_category(text, rows, &part.name).row(row - 1)),
                }
            })
            .map_err(|error| error.column(part.name.clone()))?;
        }
        Ok(())
    }
}

/// The error for a batch that is too large to be held in memory.
fn large_batch(bytes: usize, limit: usize) -> ReadError {
    let (bytes, limit) = (crate::memory::human(bytes as u64), crate::memory::human(limit as u64));
    ReadError::new(format!("a record batch takes {bytes}, where {limit} may be used"))
        .help("write the file with smaller batches, or allow more memory")
}

/// How many columns are in a group.
fn group_size(layout: &ColumnarLayout, groups: usize) -> usize {
    layout.parts.len().div_ceil(groups.max(1)).max(1)
}

/// The chosen columns of a file that is not compressed.
fn stored_batches(
    file: StoredFile,
    layout: &ColumnarLayout,
    rows: usize,
    mut counter: RowCounter,
) -> impl Iterator<Item = Result<Vec<RecordBatch>, ReadError>> + Send + use<> {
    let chosen = file.choose(&layout.roots);
    file.pieces(rows).map(move |piece| {
        let batch = file.read(&piece, &chosen)?;
        counter.count(batch.num_rows() as u64);
        Ok(vec![batch])
    })
}

/// The columns of a Parquet file, decoded batch by batch with all threads.
struct ColumnGroups {
    readers: Vec<ParquetRecordBatchReader>,
    counter: RowCounter,
}

impl ColumnGroups {
    fn new(
        source: &ParquetFile,
        layout: &ColumnarLayout,
        batch_rows: usize,
        counter: RowCounter,
    ) -> Result<Self, ReadError> {
        let each = group_size(layout, rayon::current_num_threads().min(layout.parts.len()));
        let groups = layout.roots.chunks(each);
        let readers =
            groups.map(|roots| source.batches(source.all(), roots, batch_rows)).collect::<Result<_, _>>()?;
        Ok(ColumnGroups { readers, counter })
    }
}

impl Iterator for ColumnGroups {
    type Item = Result<Vec<RecordBatch>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.readers.par_iter_mut().map(|reader| {
            decoding(|| reader.next().transpose().map_err(|error| parquet::arrow_error(&error)))
        });
        let batches = match read.collect::<Result<Vec<Option<RecordBatch>>, ReadError>>() {
            Ok(batches) => batches.into_iter().collect::<Option<Vec<RecordBatch>>>()?,
            Err(error) => return Some(Err(error)),
        };
        let rows = batches.first().map_or(0, RecordBatch::num_rows);
        if batches.iter().any(|batch| batch.num_rows() != rows) {
            return Some(Err(more_rows()));
        }
        self.counter.count(rows as u64);
        Some(Ok(batches))
    }
}

//! Rows of Arrow files that are not compressed, read directly from their places in the file.
//!
//! The decoder of the arrow-ipc crate reads a whole record batch, and a batch may be the whole file: twice the memory of the
//! matrix. Here, any number of threads read some rows of all columns at a time, into memory that stays in the cache.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Cursor, ErrorKind};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray, RecordBatch, RecordBatchOptions};
use arrow_ipc::reader::FileReader;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;

use super::claims::{StoredBatch, check_file};
use super::ipc::{arrow_error, first_length};
use super::stored_columns::StoredColumns;
use super::walk::Walk;
use super::{ColumnFile, DESCRIBED_ROWS, is_list};
use crate::error::ReadError;
use crate::input::{ByteSource, damaged, read_at};
use crate::memory::MemoryBudget;

/// A dictionary with more values than this is not examined for every piece of rows.
const LONGEST_DICTIONARY: u64 = 2048;
/// How many lists are read at once when looking for the first that is not null.
const LISTS: usize = 64;

/// An Arrow file whose rows can be read directly from their places.
pub(super) struct StoredFile {
    pub(super) bytes: StoredBytes,
    schema: SchemaRef,
    batches: Vec<StoredBatch>,
    pub(super) dictionaries: HashMap<i64, ArrayRef>,
    /// How many bytes the file has. No more are read at once, unless a batch claims the same bytes twice.
    pub(super) length: u64,
}

pub(super) enum StoredBytes {
    File(File),
    Memory(Bytes),
}

impl StoredBytes {
    pub(super) fn read(&self, to: &mut [u8], start: u64) -> Result<(), ReadError> {
        let read = match self {
            StoredBytes::File(file) => read_at(file, to, start),
            StoredBytes::Memory(all) => {
                copy(all, to, start).ok_or_else(|| io::Error::from(ErrorKind::UnexpectedEof))
            }
        };
        read.map_err(|error| damaged(&error))
    }
}

/// Copies bytes from `start` on; `None` if there are not enough.
pub(super) fn copy(from: &[u8], to: &mut [u8], start: u64) -> Option<()> {
    let start = usize::try_from(start).ok()?;
    to.copy_from_slice(from.get(start..start.checked_add(to.len())?)?);
    Some(())
}

/// Columns that are read.
pub(super) struct Chosen {
    roots: Vec<usize>,
    /// The fields of these columns; columns of the type `Null` are not read.
    schema: SchemaRef,
}

/// Some rows of a record batch.
pub(super) struct BatchPiece {
    batch: usize,
    rows: Range<u64>,
}

impl BatchPiece {
    pub(super) fn rows(&self) -> usize {
        (self.rows.end - self.rows.start) as usize
    }
}

impl StoredFile {
    /// Opens a file. `None` if it is left to the decoder of whole batches: it is compressed, makes impossible claims, or
    /// holds columns of rare types, or dictionaries that are long or come in several parts.
    pub(super) fn open(input: &ByteSource, budget: MemoryBudget) -> Result<Option<Self>, ReadError> {
        let (bytes, schema, stored) = match input {
            ByteSource::File(path) => {
                let file = File::open(path).map_err(|error| damaged(&error))?;
                let stored = check_file(&file, budget.limit())?;
                let schema = FileReader::try_new(&file, None).map(|reader| reader.schema());
                (StoredBytes::File(file), schema, stored)
            }
            ByteSource::Memory(bytes) => {
                let stored = check_file(Cursor::new(bytes.as_ref()), budget.limit())?;
                let schema = FileReader::try_new(Cursor::new(bytes.as_ref()), None);
                (StoredBytes::Memory(bytes.clone()), schema.map(|reader| reader.schema()), stored)
            }
        };
        let schema = schema.map_err(|error| arrow_error(&error))?;
        let (values, batches): (Vec<_>, Vec<_>) =
            stored.into_iter().partition(|batch| batch.dictionary.is_some());
        let known = |batch: &StoredBatch| {
            let mut walk = Walk::new(batch);
            let mut fields = schema.fields().iter();
            !batch.compressed
                && fields
                    .all(|field| walk.skip(field.data_type()).is_ok_and(|node| node.length == batch.rows))
        };
        if !batches.iter().all(known) {
            return Ok(None);
        }
        let length = input.stored()?;
        let mut file = StoredFile { bytes, schema, batches, dictionaries: HashMap::new(), length };
        Ok(file.read_dictionaries(&values)?.then_some(file))
    }

    /// Reads the values of dictionaries; returns whether all of them are short, and each is in one batch.
    fn read_dictionaries(&mut self, values: &[StoredBatch]) -> Result<bool, ReadError> {
        let schema = Arc::clone(&self.schema);
        let values_of = |id| {
            let field = schema.fields().iter().find(|field| dictionary_id(field) == Some(id))?;
            match field.data_type() {
                DataType::Dictionary(_, values) if is_plain(values) => Some(values.as_ref()),
                _ => None,
            }
        };
        for batch in values {
            let key = batch.dictionary.filter(|key| !key.delta && !batch.compressed);
            let short = key.filter(|_| batch.rows <= LONGEST_DICTIONARY);
            let Some((id, kind)) = short.and_then(|key| Some((key.id, values_of(key.id)?))) else {
                return Ok(false);
            };
            let array = StoredColumns::new(self, batch)?.next(kind, None, 0..batch.rows)?;
            if self.dictionaries.insert(id, array).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How many rows there are, which may be more than fit into memory.
    pub(super) fn rows(&self) -> u64 {
        self.batches.iter().fold(0, |rows, batch| rows.saturating_add(batch.rows))
    }

    /// All rows in order, in pieces of `rows` rows, rounded up to a multiple of eight.
    pub(super) fn pieces(&self, rows: usize) -> impl Iterator<Item = BatchPiece> + use<> {
        // Eight rows share a byte of bits.
        let step = (rows as u64).next_multiple_of(8).max(8);
        let lengths: Vec<u64> = self.batches.iter().map(|batch| batch.rows).collect();
        lengths.into_iter().enumerate().flat_map(move |(batch, all)| {
            let starts = (0..all.div_ceil(step)).map(move |piece| piece * step);
            starts.map(move |start| BatchPiece { batch, rows: start..all.min(start + step) })
        })
    }

    /// Chooses columns, given in ascending order.
    pub(super) fn choose(&self, roots: &[usize]) -> Chosen {
        self.choose_where(roots, is_readable)
    }

    fn choose_where(&self, roots: &[usize], is_read: impl Fn(&DataType) -> bool) -> Chosen {
        let field = |&root: &usize| {
            let field = self.schema.field(root);
            if is_read(field.data_type()) {
                field.clone()
            } else {
                Field::new(field.name(), DataType::Null, true)
            }
        };
        let fields: Vec<Field> = roots.iter().map(field).collect();
        Chosen { roots: roots.to_vec(), schema: Arc::new(Schema::new(fields)) }
    }

    /// Reads the chosen columns of some rows.
    pub(super) fn read(&self, piece: &BatchPiece, chosen: &Chosen) -> Result<RecordBatch, ReadError> {
        let mut columns = StoredColumns::new(self, &self.batches[piece.batch])?;
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(chosen.roots.len());
        for (root, field) in self.schema.fields().iter().enumerate() {
            let kind = field.data_type();
            match chosen.roots.binary_search(&root) {
                Ok(place) if chosen.schema.field(place).data_type() == kind && *kind != DataType::Null => {
                    arrays.push(columns.next(kind, dictionary_id(field), piece.rows.clone())?);
                }
                Ok(_) => {
                    columns.skip(kind)?;
                    arrays.push(Arc::new(NullArray::new(piece.rows())));
                }
                Err(_) => {
                    columns.skip(kind)?;
                }
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(piece.rows()));
        RecordBatch::try_new_with_options(Arc::clone(&chosen.schema), arrays, &options)
            .map_err(|error| arrow_error(&error))
    }
}

impl ColumnFile for StoredFile {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    // If a needed column cannot be read, reading it again reports what is wrong.
    fn first_rows(&self) -> Option<RecordBatch> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        let chosen = self.choose_where(&all, |kind| is_readable(kind) && !is_list(kind));
        self.read(&self.pieces(DESCRIBED_ROWS).next()?, &chosen).ok()
    }

    fn list_length(&self, root: usize) -> Result<usize, ReadError> {
        let chosen = self.choose(&[root]);
        for piece in self.pieces(LISTS) {
            let length = first_length(&self.read(&piece, &chosen)?, 0)?;
            if length > 0 {
                return Ok(length);
            }
        }
        Ok(0)
    }
}

/// Whether values of a type can be read here: numbers, texts, and lists of numbers.
fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_plain(values),
        _ => is_plain(kind) || is_list(kind),
    }
}

fn is_plain(kind: &DataType) -> bool {
    use DataType::{Boolean, LargeUtf8, Utf8, Utf8View};
    kind.primitive_width().is_some() || matches!(kind, Boolean | Utf8 | LargeUtf8 | Utf8View)
}

/// The id of the dictionary of a column.
// There is no other way to get it yet; the arrow-ipc crate does the same.
#[allow(deprecated)]
fn dictionary_id(field: &Field) -> Option<i64> {
    field.dict_id()
}

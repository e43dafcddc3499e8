//! Rows of Arrow files that are not compressed, read from where they stand.
//!
//! The decoder of the arrow-ipc crate takes a whole record batch, and a batch may be the whole file: twice the memory of the
//! matrix. Here some rows of all columns are read at a time, into memory that stays in the cache, by any number of threads.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Cursor, ErrorKind};
use std::ops::{Range, Sub};
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array, new_empty_array, new_null_array,
};
use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer};
use arrow_data::ArrayData;
use arrow_ipc::reader::FileReader;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;

use super::DESCRIBED_ROWS;
use super::claims::{Node, StoredBatch, check_file};
use super::ipc::{arrow_error, first_length};
use super::walk::{Walk, too_short};
use crate::error::ReadError;
use crate::input::{Input, damaged, read_at};
use crate::memory::Budget;

/// An Arrow file whose rows can be read from where they stand.
pub(super) struct StoredFile {
    bytes: StoredBytes,
    schema: SchemaRef,
    batches: Vec<StoredBatch>,
    dictionaries: HashMap<i64, ArrayRef>,
}

enum StoredBytes {
    File(File),
    Memory(Bytes),
}

/// Columns that are read.
pub(super) struct Chosen {
    roots: Vec<usize>,
    schema: SchemaRef,
}

/// Some rows of a record batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    batch: usize,
    rows: Range<u64>,
}

impl Piece {
    pub(super) fn rows(&self) -> usize {
        (self.rows.end - self.rows.start) as usize
    }
}

impl StoredFile {
    /// Opens a file; `None` where it is compressed, or holds columns that only the decoder of whole batches knows.
    pub(super) fn open(input: &Input, budget: Budget) -> Result<Option<Self>, ReadError> {
        let (bytes, schema, stored) = match input {
            Input::File(path) => {
                let file = File::open(path).map_err(|error| damaged(&error))?;
                let stored = check_file(&file, budget.limit())?;
                let schema = FileReader::try_new(&file, None).map(|reader| reader.schema());
                (StoredBytes::File(file), schema, stored)
            }
            Input::Memory(bytes) => {
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
        let mut file = StoredFile { bytes, schema, batches, dictionaries: HashMap::new() };
        Ok(file.read_dictionaries(&values)?.then_some(file))
    }

    /// Reads the values of dictionaries; whether all of them could be read, each from one batch.
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
            let Some(key) = batch.dictionary.filter(|key| !key.delta && !batch.compressed) else {
                return Ok(false);
            };
            let Some(kind) = values_of(key.id) else { return Ok(false) };
            if batch.rows > LONGEST_DICTIONARY {
                return Ok(false);
            }
            let array = self.array(&mut Walk::new(batch), kind, None, 0..batch.rows)?;
            if self.dictionaries.insert(key.id, array).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// How many rows there are; they may be more than fit into memory.
    pub(super) fn rows(&self) -> u64 {
        self.batches.iter().fold(0, |rows, batch| rows.saturating_add(batch.rows))
    }

    /// All rows in their order, at most so many at once.
    pub(super) fn pieces(&self, rows: usize) -> impl Iterator<Item = Piece> + use<> {
        // Bits of eight rows share a byte.
        let step = (rows as u64).next_multiple_of(8).max(8);
        let lengths: Vec<u64> = self.batches.iter().map(|batch| batch.rows).collect();
        lengths.into_iter().enumerate().flat_map(move |(batch, all)| {
            let starts = (0..all.div_ceil(step)).map(move |piece| piece * step);
            starts.map(move |start| Piece { batch, rows: start..all.min(start + step) })
        })
    }

    /// Chooses columns, ascending ones.
    pub(super) fn choose(&self, roots: &[usize]) -> Chosen {
        let field = |&root: &usize| {
            let field = self.schema.field(root);
            field.clone().with_nullable(field.is_nullable() || !is_readable(field.data_type()))
        };
        let fields: Vec<Field> = roots.iter().map(field).collect();
        Chosen { roots: roots.to_vec(), schema: Arc::new(Schema::new(fields)) }
    }

    /// Reads columns of some rows; those whose values mean nothing here are given as nulls.
    pub(super) fn read(&self, piece: &Piece, chosen: &Chosen) -> Result<RecordBatch, ReadError> {
        let mut walk = Walk::new(&self.batches[piece.batch]);
        let mut arrays = Vec::with_capacity(chosen.roots.len());
        for (root, field) in self.schema.fields().iter().enumerate() {
            let kind = field.data_type();
            if chosen.roots.binary_search(&root).is_err() {
                walk.skip(kind)?;
            } else if is_readable(kind) {
                arrays.push(self.array(&mut walk, kind, dictionary_id(field), piece.rows.clone())?);
            } else {
                walk.skip(kind)?;
                arrays.push(new_null_array(kind, piece.rows()));
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(piece.rows()));
        RecordBatch::try_new_with_options(Arc::clone(&chosen.schema), arrays, &options)
            .map_err(|error| arrow_error(&error))
    }

    /// The first rows of all columns, if they can be read: where a column is needed, reading it again tells what is wrong.
    pub(super) fn first_rows(&self) -> Option<RecordBatch> {
        let all: Vec<usize> = (0..self.schema.fields().len()).collect();
        self.read(&self.pieces(DESCRIBED_ROWS).next()?, &self.choose(&all)).ok()
    }

    /// The length of the first list of a column that is not empty; 0 if all are.
    pub(super) fn list_length(&self, root: usize) -> Result<usize, ReadError> {
        let chosen = self.choose(&[root]);
        for piece in self.pieces(DESCRIBED_ROWS) {
            let length = first_length(&self.read(&piece, &chosen)?, 0)?;
            if length > 0 {
                return Ok(length);
            }
        }
        Ok(0)
    }

    /// Some values of the next column.
    fn array(
        &self,
        walk: &mut Walk<'_>,
        kind: &DataType,
        dictionary: Option<i64>,
        rows: Range<u64>,
    ) -> Result<ArrayRef, ReadError> {
        let Node { length, nulls } = walk.node()?;
        let validity = walk.buffer()?;
        if rows.end > length {
            return Err(too_short());
        }
        if rows.is_empty() {
            walk.skip_values(kind, length)?;
            return Ok(new_empty_array(kind));
        }
        // Bits of eight rows share a byte: what is before the first row is cut off below.
        let start = rows.start / 8 * 8;
        let own = start..rows.end;
        let count = (own.end - own.start) as usize;
        let bits = own.start / 8..own.end.div_ceil(8);
        let validity = if nulls > 0 { Some(self.bytes(validity, bits.clone(), 1)?) } else { None };
        let (mut buffers, mut children) = (Vec::new(), Vec::new());
        match kind {
            DataType::Boolean => buffers.push(self.bytes(walk.buffer()?, bits, 1)?),
            DataType::Utf8 => {
                let (offsets, within) = self.offsets::<i32>(walk.buffer()?, &own)?;
                buffers.extend([offsets, self.bytes(walk.buffer()?, within, 1)?]);
            }
            DataType::LargeUtf8 => {
                let (offsets, within) = self.offsets::<i64>(walk.buffer()?, &own)?;
                buffers.extend([offsets, self.bytes(walk.buffer()?, within, 1)?]);
            }
            DataType::Utf8View => {
                let views = self.bytes(walk.buffer()?, own, VIEW as u64)?;
                let texts = walk.view_buffers()?;
                return self.views(&views, &texts, validity.as_ref(), (rows.start - start) as usize);
            }
            DataType::List(field) => {
                let (offsets, within) = self.offsets::<i32>(walk.buffer()?, &own)?;
                buffers.push(offsets);
                children.push(self.array(walk, field.data_type(), None, within)?.into_data());
            }
            DataType::LargeList(field) => {
                let (offsets, within) = self.offsets::<i64>(walk.buffer()?, &own)?;
                buffers.push(offsets);
                children.push(self.array(walk, field.data_type(), None, within)?.into_data());
            }
            DataType::FixedSizeList(field, width) => {
                let width = u64::try_from(*width).map_err(|_| too_short())?;
                let [first, last] = [own.start, own.end].map(|row| row.checked_mul(width));
                let (Some(first), Some(last)) = (first, last) else { return Err(too_short()) };
                children.push(self.array(walk, field.data_type(), None, first..last)?.into_data());
            }
            DataType::Dictionary(key, value) => {
                let width = key.primitive_width().ok_or_else(too_short)? as u64;
                buffers.push(self.bytes(walk.buffer()?, own, width)?);
                // A dictionary may be left out where all rows are null.
                let values = dictionary.and_then(|id| self.dictionaries.get(&id)).cloned();
                children.push(values.unwrap_or_else(|| new_empty_array(value)).into_data());
            }
            _ => {
                let width = kind.primitive_width().ok_or_else(too_short)? as u64;
                buffers.push(self.bytes(walk.buffer()?, own, width)?);
            }
        }
        let data = ArrayData::try_new(kind.clone(), count, validity, 0, buffers, children);
        let data = data.map_err(|error| arrow_error(&error))?;
        Ok(make_array(data.slice((rows.start - start) as usize, rows.count())))
    }

    /// Bytes of some values of a buffer, each of so many bytes.
    fn bytes(&self, buffer: &Range<u64>, values: Range<u64>, width: u64) -> Result<Buffer, ReadError> {
        let [start, end] = [values.start, values.end].map(|value| value.checked_mul(width));
        let (Some(start), Some(end)) = (start, end) else { return Err(too_short()) };
        if end < start || end > buffer.end - buffer.start {
            return Err(too_short());
        }
        let mut bytes = MutableBuffer::from_len_zeroed((end - start) as usize);
        let start = buffer.start + start;
        let read = match &self.bytes {
            StoredBytes::File(file) => read_at(file, bytes.as_slice_mut(), start),
            StoredBytes::Memory(all) => {
                let stored = all.get(start as usize..start as usize + bytes.len());
                stored.map(|stored| bytes.copy_from_slice(stored)).ok_or(ErrorKind::UnexpectedEof.into())
            }
        };
        read.map_err(|error| damaged(&error))?;
        Ok(bytes.into())
    }

    /// Where the values of some rows begin, the first of them at 0, and where they stand among those of all rows.
    fn offsets<O: ArrowNativeType + Sub<Output = O>>(
        &self,
        buffer: &Range<u64>,
        rows: &Range<u64>,
    ) -> Result<(Buffer, Range<u64>), ReadError> {
        let bytes = self.bytes(buffer, rows.start..rows.end + 1, size_of::<O>() as u64)?;
        let offsets: &[O] = bytes.typed_data();
        let (Some(&first), Some(last)) = (offsets.first(), offsets.last()) else { return Err(too_short()) };
        let within = first.to_usize().zip(last.to_usize()).filter(|_| offsets.is_sorted());
        let (start, end) = within.ok_or_else(too_short)?;
        Ok((offsets.iter().map(|&offset| offset - first).collect(), start as u64..end as u64))
    }

    /// The texts of views: short ones stand in the views, others in the buffers that they name.
    fn views(
        &self,
        views: &Buffer,
        texts: &[Range<u64>],
        validity: Option<&Buffer>,
        skip: usize,
    ) -> Result<ArrayRef, ReadError> {
        let views = views.chunks_exact(VIEW);
        let is_valid = |row: usize| validity.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
        let shown =
            || views.clone().enumerate().skip(skip).filter(|(row, _)| is_valid(*row)).map(|(_, view)| view);
        // Texts of neighbouring rows stand side by side.
        let mut ranges = vec![u64::MAX..0; texts.len()];
        for view in shown().filter_map(long_view) {
            let range = ranges.get_mut(view.buffer).ok_or_else(too_short)?;
            *range = range.start.min(view.text.start)..range.end.max(view.text.end);
        }
        let mut read = Vec::with_capacity(texts.len());
        for (buffer, range) in texts.iter().zip(&ranges) {
            read.push(if range.start <= range.end {
                Some(self.bytes(buffer, range.clone(), 1)?)
            } else {
                None
            });
        }
        let mut all = StringViewBuilder::new();
        for (row, view) in views.enumerate().skip(skip) {
            if !is_valid(row) {
                all.append_null();
                continue;
            }
            let text = match long_view(view) {
                Some(long) => {
                    let bytes = read[long.buffer].as_ref().map_or(&[][..], |bytes| bytes.as_slice());
                    let from = ranges[long.buffer].start;
                    let text = &bytes[(long.text.start - from) as usize..(long.text.end - from) as usize];
                    text.starts_with(&view[4..8]).then_some(text)
                }
                None => {
                    let (text, rest) = view[4..].split_at(number(view, 0) as usize);
                    rest.iter().all(|&byte| byte == 0).then_some(text)
                }
            };
            let text = text.and_then(|text| std::str::from_utf8(text).ok());
            all.append_value(text.ok_or_else(wrong_text)?);
        }
        Ok(Arc::new(all.finish()))
    }
}

/// Values of a dictionary that are looked at for every piece of rows.
const LONGEST_DICTIONARY: u64 = 2048;

/// Bytes of a view: a length, then the text, or its first bytes, a buffer and where the text begins in it.
const VIEW: usize = 16;

/// A text that does not stand in its view.
struct LongView {
    buffer: usize,
    text: Range<u64>,
}

fn long_view(view: &[u8]) -> Option<LongView> {
    let length = u64::from(number(view, 0));
    let start = u64::from(number(view, 12));
    (length > 12).then(|| LongView { buffer: number(view, 8) as usize, text: start..start + length })
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// Whether values can be read here: numbers, texts, and lists of numbers.
fn is_readable(kind: &DataType) -> bool {
    match kind {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            is_plain(field.data_type())
        }
        DataType::Dictionary(_, values) => is_plain(values),
        _ => is_plain(kind),
    }
}

fn is_plain(kind: &DataType) -> bool {
    use DataType::{Boolean, LargeUtf8, Utf8, Utf8View};
    kind.primitive_width().is_some() || matches!(kind, Boolean | Utf8 | LargeUtf8 | Utf8View)
}

/// Which dictionary a column points to.
// There is no other way to ask for it yet; the arrow-ipc crate does the same.
#[allow(deprecated)]
fn dictionary_id(field: &Field) -> Option<i64> {
    field.dict_id()
}

fn wrong_text() -> ReadError {
    ReadError::new(
        "the Arrow data cannot be read: a text is not UTF-8, or not the one that its view begins with",
    )
    .help("the file is incomplete or damaged: fetch or write it again")
}

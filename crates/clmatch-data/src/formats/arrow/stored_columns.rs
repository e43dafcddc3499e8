//! Some rows of the columns of a stored record batch, as arrays.

use std::collections::HashMap;
use std::ops::{Range, Sub};
use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{Array, ArrayRef, make_array, new_empty_array};
use arrow_buffer::{ArrowNativeType, Buffer, MutableBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;

use super::claims::{StoredBatch, StoredNode};
use super::ipc::arrow_error;
use super::stored::{StoredFile, copy};
use super::walk::{Walk, too_short};
use crate::error::ReadError;

/// A batch of at most this many bytes is read at once, since a system call for each column would take longer.
const SMALL_BATCH: u64 = 1 << 20;

/// The columns of a batch, read one after the other for some rows.
pub(super) struct StoredColumns<'a> {
    file: &'a StoredFile,
    walk: Walk<'a>,
    /// All bytes of a small batch, and where they start in the file.
    whole: Option<(Vec<u8>, u64)>,
    /// How many bytes may still be read.
    left: u64,
}

impl<'a> StoredColumns<'a> {
    pub(super) fn new(file: &'a StoredFile, batch: &'a StoredBatch) -> Result<Self, ReadError> {
        let stored = batch.buffers.iter().filter(|buffer| !buffer.is_empty()).cloned();
        let span = stored.reduce(|all, buffer| all.start.min(buffer.start)..all.end.max(buffer.end));
        let whole = match span {
            Some(span) if span.end - span.start <= SMALL_BATCH => {
                let mut bytes = vec![0; (span.end - span.start) as usize];
                file.bytes.read(&mut bytes, span.start)?;
                Some((bytes, span.start))
            }
            _ => None,
        };
        Ok(StoredColumns { file, walk: Walk::new(batch), whole, left: file.length })
    }

    /// Skips a column.
    pub(super) fn skip(&mut self, kind: &DataType) -> Result<(), ReadError> {
        self.walk.skip(kind).map(drop)
    }

    /// Reads some values of the next column.
    pub(super) fn next(
        &mut self,
        kind: &DataType,
        dictionary: Option<i64>,
        rows: Range<u64>,
    ) -> Result<ArrayRef, ReadError> {
        let StoredNode { length, nulls } = self.walk.node()?;
        let validity = self.walk.buffer()?;
        if rows.end > length {
            return Err(too_short());
        }
        if rows.is_empty() {
            self.walk.skip_values(kind, length)?;
            return Ok(new_empty_array(kind));
        }
        // Eight rows share a byte of bits; what is before the first row is cut off below.
        let start = rows.start / 8 * 8;
        let own = start..rows.end;
        let count = (own.end - own.start) as usize;
        let before = (rows.start - start) as usize;
        let bits = own.start / 8..own.end.div_ceil(8);
        let validity = if nulls > 0 { Some(self.bytes(validity, bits.clone(), 1)?) } else { None };
        let (mut buffers, mut children) = (Vec::new(), Vec::new());
        match kind {
            DataType::Boolean => {
                let buffer = self.walk.buffer()?;
                buffers.push(self.bytes(buffer, bits, 1)?);
            }
            DataType::Utf8 => buffers.extend(self.texts::<i32>(&own)?),
            DataType::LargeUtf8 => buffers.extend(self.texts::<i64>(&own)?),
            DataType::Utf8View => return self.views(&own, validity.as_ref(), before),
            DataType::List(field) => {
                let (offsets, within) = self.offsets::<i32>(&own)?;
                buffers.push(offsets);
                children.push(self.next(field.data_type(), None, within)?.into_data());
            }
            DataType::LargeList(field) => {
                let (offsets, within) = self.offsets::<i64>(&own)?;
                buffers.push(offsets);
                children.push(self.next(field.data_type(), None, within)?.into_data());
            }
            DataType::FixedSizeList(field, width) => {
                let width = u64::try_from(*width).map_err(|_| too_short())?;
                let [first, last] = [own.start, own.end].map(|row| row.checked_mul(width));
                let (Some(first), Some(last)) = (first, last) else { return Err(too_short()) };
                children.push(self.next(field.data_type(), None, first..last)?.into_data());
            }
            DataType::Dictionary(keys, values) => {
                buffers.push(self.numbers(keys, own)?);
                // The file may leave out a dictionary if all rows are null.
                let stored = dictionary.and_then(|id| self.file.dictionaries.get(&id)).cloned();
                children.push(stored.unwrap_or_else(|| new_empty_array(values)).into_data());
            }
            _ => buffers.push(self.numbers(kind, own)?),
        }
        let data = ArrayData::try_new(kind.clone(), count, validity, 0, buffers, children);
        let data = data.map_err(|error| arrow_error(&error))?;
        Ok(make_array(data.slice(before, count - before)))
    }

    /// The bytes of some values of a buffer, each of them `width` bytes wide.
    fn bytes(&mut self, buffer: &Range<u64>, values: Range<u64>, width: u64) -> Result<Buffer, ReadError> {
        let [start, end] = [values.start, values.end].map(|value| value.checked_mul(width));
        let (Some(start), Some(end)) = (start, end) else { return Err(too_short()) };
        if end < start || end > buffer.end - buffer.start {
            return Err(too_short());
        }
        self.left = self.left.checked_sub(end - start).ok_or_else(too_long)?;
        let mut bytes = MutableBuffer::from_len_zeroed((end - start) as usize);
        let start = buffer.start + start;
        match &self.whole {
            Some((all, first)) => {
                let place = start.checked_sub(*first).filter(|_| !bytes.is_empty());
                let copied = place.map_or(Some(()), |place| copy(all, &mut bytes, place));
                copied.ok_or_else(too_short)?;
            }
            None => self.file.bytes.read(&mut bytes, start)?,
        }
        Ok(bytes.into())
    }

    /// The values of a type of fixed width.
    fn numbers(&mut self, kind: &DataType, rows: Range<u64>) -> Result<Buffer, ReadError> {
        let width = kind.primitive_width().ok_or_else(too_short)? as u64;
        let buffer = self.walk.buffer()?;
        self.bytes(buffer, rows, width)
    }

    /// Where the values of some rows begin, relative to the first of them, and their range among the values of all rows.
    fn offsets<O: ArrowNativeType + Sub<Output = O>>(
        &mut self,
        rows: &Range<u64>,
    ) -> Result<(Buffer, Range<u64>), ReadError> {
        let buffer = self.walk.buffer()?;
        let bytes = self.bytes(buffer, rows.start..rows.end + 1, size_of::<O>() as u64)?;
        let offsets: &[O] = bytes.typed_data();
        let (Some(&first), Some(last)) = (offsets.first(), offsets.last()) else { return Err(too_short()) };
        let within = first.to_usize().zip(last.to_usize()).filter(|_| offsets.is_sorted());
        let (start, end) = within.ok_or_else(too_short)?;
        Ok((offsets.iter().map(|&offset| offset - first).collect(), start as u64..end as u64))
    }

    /// The texts of some rows: where they begin, and their bytes.
    fn texts<O: ArrowNativeType + Sub<Output = O>>(
        &mut self,
        rows: &Range<u64>,
    ) -> Result<[Buffer; 2], ReadError> {
        let (offsets, within) = self.offsets::<O>(rows)?;
        let buffer = self.walk.buffer()?;
        Ok([offsets, self.bytes(buffer, within, 1)?])
    }

    /// The texts of views: short texts are inline in the views, others in the buffers that the views name.
    fn views(
        &mut self,
        rows: &Range<u64>,
        validity: Option<&Buffer>,
        before: usize,
    ) -> Result<ArrayRef, ReadError> {
        let buffer = self.walk.buffer()?;
        let views = self.bytes(buffer, rows.clone(), VIEW as u64)?;
        let buffers = self.walk.view_buffers()?;
        let is_valid = |row: usize| validity.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
        let views = || views.chunks_exact(VIEW).enumerate().skip(before);
        let long = views().filter(|(row, _)| is_valid(*row)).filter_map(|(_, view)| LongView::of(view));
        let long = self.long_texts(long, &buffers)?;
        let mut all = StringViewBuilder::new();
        for (row, view) in views() {
            if !is_valid(row) {
                all.append_null();
                continue;
            }
            let text = match LongView::of(view) {
                Some(place) => {
                    long.get(&place).map(Buffer::as_slice).filter(|text| text.starts_with(&view[4..8]))
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

    /// Texts too long to be stored inline in their views. Those of neighbouring rows are mostly contiguous and are read together;
    /// but rows may have been reordered.
    fn long_texts(
        &mut self,
        views: impl Iterator<Item = LongView>,
        buffers: &[Range<u64>],
    ) -> Result<HashMap<LongView, Buffer>, ReadError> {
        let mut views: Vec<LongView> = views.collect();
        views.sort_unstable();
        views.dedup();
        let mut texts = HashMap::with_capacity(views.len());
        for together in views.chunk_by(|a, b| a.buffer == b.buffer && b.start <= a.end + GAP) {
            let buffer = buffers.get(together[0].buffer).ok_or_else(too_short)?;
            let start = together[0].start;
            let end = together.iter().map(|view| view.end).max().unwrap_or(start);
            let bytes = self.bytes(buffer, start..end, 1)?;
            for view in together {
                let text =
                    bytes.slice_with_length((view.start - start) as usize, (view.end - view.start) as usize);
                texts.insert(*view, text);
            }
        }
        Ok(texts)
    }
}

/// How many bytes a view has: a length, then the text, or its first bytes, a buffer and where the text begins in it.
const VIEW: usize = 16;
/// Texts at most this many bytes apart are read together: reading the bytes between them is cheaper than a separate read.
const GAP: u64 = 1 << 10;

/// The place of a text that does not fit into its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct LongView {
    buffer: usize,
    start: u64,
    end: u64,
}

impl LongView {
    fn of(view: &[u8]) -> Option<LongView> {
        let (length, start) = (u64::from(number(view, 0)), u64::from(number(view, 12)));
        let buffer = number(view, 8) as usize;
        (length > 12).then_some(LongView { buffer, start, end: start + length })
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

fn wrong_text() -> ReadError {
    ReadError::new(
        "the Arrow data cannot be read: a text is not UTF-8, or not the one that its view begins with",
    )
    .help("the file is incomplete or damaged: fetch or write it again")
}

fn too_long() -> ReadError {
    ReadError::new("the Arrow data cannot be read: columns are said to be stored in the same place")
        .help("the file is incomplete or damaged: fetch or write it again")
}

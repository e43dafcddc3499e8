//! How the columns of a record batch are stored one after the other.

use std::ops::Range;
use std::slice::Iter;

use arrow_schema::DataType;

use super::claims::{Node, StoredBatch};
use crate::error::ReadError;

/// Goes through the columns of a batch in the order in which they are stored.
///
/// Each has a node, and a buffer of the bits of those rows that are not null before those of its values.
pub(super) struct Walk<'a> {
    nodes: Iter<'a, Node>,
    buffers: Iter<'a, Range<u64>>,
    view_buffers: Iter<'a, u64>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(batch: &'a StoredBatch) -> Self {
        Walk {
            nodes: batch.nodes.iter(),
            buffers: batch.buffers.iter(),
            view_buffers: batch.view_buffers.iter(),
        }
    }

    pub(super) fn node(&mut self) -> Result<Node, ReadError> {
        self.nodes.next().copied().ok_or_else(too_short)
    }

    pub(super) fn buffer(&mut self) -> Result<&'a Range<u64>, ReadError> {
        self.buffers.next().ok_or_else(too_short)
    }

    /// The buffers of the texts of a column of views.
    pub(super) fn view_buffers(&mut self) -> Result<Vec<Range<u64>>, ReadError> {
        let count = *self.view_buffers.next().ok_or_else(too_short)?;
        (0..count).map(|_| self.buffer().cloned()).collect()
    }

    /// A buffer that holds so many values of so many bits.
    fn buffer_of(&mut self, values: u64, bits: u64) -> Result<(), ReadError> {
        let buffer = self.buffer()?;
        let needed = u128::from(values) * u128::from(bits);
        let stored = u128::from(buffer.end - buffer.start) * 8;
        if stored < needed { Err(too_short()) } else { Ok(()) }
    }

    /// Goes past a column; an error where it does not hold its values, or it is not known how it is stored.
    pub(super) fn skip(&mut self, kind: &DataType) -> Result<Node, ReadError> {
        let node = self.node()?;
        if *kind != DataType::Null {
            self.buffer_of(if node.nulls > 0 { node.length } else { 0 }, 1)?;
            self.skip_values(kind, node.length)?;
        }
        Ok(node)
    }

    /// Goes past the values of a column whose node and bits were taken.
    pub(super) fn skip_values(&mut self, kind: &DataType, length: u64) -> Result<(), ReadError> {
        // One more than there are values, but none of an empty column.
        let offsets = if length == 0 { 0 } else { length + 1 };
        match kind {
            DataType::Utf8 | DataType::Binary => {
                self.buffer_of(offsets, 32)?;
                self.buffer()?;
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                self.buffer_of(offsets, 64)?;
                self.buffer()?;
            }
            DataType::Utf8View | DataType::BinaryView => {
                self.buffer_of(length, 128)?;
                self.view_buffers()?;
            }
            DataType::List(field) | DataType::Map(field, _) => {
                self.buffer_of(offsets, 32)?;
                self.skip(field.data_type())?;
            }
            DataType::LargeList(field) => {
                self.buffer_of(offsets, 64)?;
                self.skip(field.data_type())?;
            }
            DataType::FixedSizeList(field, width) => {
                let width = u64::try_from(*width).map_err(|_| too_short())?;
                let values = self.skip(field.data_type())?.length;
                if u128::from(values) < u128::from(length) * u128::from(width) {
                    return Err(too_short());
                }
            }
            DataType::Struct(fields) => {
                for field in fields {
                    if self.skip(field.data_type())?.length < length {
                        return Err(too_short());
                    }
                }
            }
            DataType::Boolean => self.buffer_of(length, 1)?,
            DataType::FixedSizeBinary(width) => {
                let width = u64::try_from(*width).map_err(|_| too_short())?;
                self.buffer_of(length, 8 * width)?;
            }
            DataType::Dictionary(keys, _) => self.skip_values(keys, length)?,
            _ => match kind.primitive_width() {
                Some(width) => self.buffer_of(length, 8 * width as u64)?,
                None => return Err(ReadError::new(format!("values of the type {kind} cannot be read"))),
            },
        }
        Ok(())
    }
}

/// The error for a batch that does not hold what it says.
pub(super) fn too_short() -> ReadError {
    ReadError::new("the Arrow data cannot be read: a column holds less than its record batch says")
        .help("the file is incomplete or damaged: fetch or write it again")
}

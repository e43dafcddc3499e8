//! The order in which the columns of a record batch are stored.

use std::ops::Range;
use std::slice::Iter;

use arrow_schema::DataType;

use super::claims::{StoredBatch, StoredNode};
use crate::error::ReadError;

/// Goes through the columns of a batch in the order in which they are stored.
///
/// Each column has a node and, before the buffers of its values, a buffer of bits that mark the rows that are not null.
pub(super) struct Walk<'a> {
    nodes: Iter<'a, StoredNode>,
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

    pub(super) fn node(&mut self) -> Result<StoredNode, ReadError> {
        self.nodes.next().copied().ok_or_else(too_short)
    }

    pub(super) fn buffer(&mut self) -> Result<&'a Range<u64>, ReadError> {
        self.buffers.next().ok_or_else(too_short)
    }

    /// The buffers that hold the texts of a column of views.
    pub(super) fn view_buffers(&mut self) -> Result<Vec<Range<u64>>, ReadError> {
        let count = *self.view_buffers.next().ok_or_else(too_short)?;
        (0..count).map(|_| self.buffer().cloned()).collect()
    }

    /// Takes a buffer; an error if it cannot hold `values` values of `bits` bits each.
    fn buffer_of(&mut self, values: u64, bits: u64) -> Result<(), ReadError> {
        let buffer = self.buffer()?;
        let needed = u128::from(values) * u128::from(bits);
        let stored = u128::from(buffer.end - buffer.start) * 8;
        if stored < needed { Err(too_short()) } else { Ok(()) }
    }

    /// Skips a column; an error if it does not hold its values, or if it is not known how it is stored.
    pub(super) fn skip(&mut self, kind: &DataType) -> Result<StoredNode, ReadError> {
        let node = self.node()?;
        if *kind != DataType::Null {
            self.buffer_of(if node.nulls > 0 { node.length } else { 0 }, 1)?;
            self.skip_values(kind, node.length)?;
        }
        Ok(node)
    }

    /// Skips the values of a column whose node and bits were taken already.
    pub(super) fn skip_values(&mut self, kind: &DataType, length: u64) -> Result<(), ReadError> {
        // There is one more offset than there are values, but none in an empty column.
        let offsets = if length == 0 { 0 } else { length.saturating_add(1) };
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

/// The error for a batch that does not hold what it claims.
pub(super) fn too_short() -> ReadError {
    ReadError::new("the Arrow data cannot be read: a column holds less than its record batch says")
        .help("the file is incomplete or damaged: fetch or write it again")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_schema::{Field, Fields};

    use super::*;

    /// Whether a column with nodes of these lengths (its own and those of its nested columns) and buffers of these sizes in
    /// bytes is found to hold its values.
    fn holds(kind: &DataType, lengths: &[u64], buffers: &[u64]) -> bool {
        let nodes = lengths.iter().map(|&length| StoredNode { length, nulls: 0 }).collect();
        let buffers = buffers.iter().map(|&bytes| 64..64 + bytes).collect();
        let (dictionary, rows, compressed, view_buffers) = (None, lengths[0], false, Vec::new());
        let batch = StoredBatch { dictionary, rows, compressed, nodes, buffers, view_buffers };
        Walk::new(&batch).skip(kind).is_ok()
    }

    #[test]
    fn a_column_holds_what_it_says() {
        assert!(holds(&DataType::Float64, &[3], &[0, 24]) && !holds(&DataType::Float64, &[3], &[0, 23]));
        assert!(holds(&DataType::Boolean, &[9], &[0, 2]) && !holds(&DataType::Boolean, &[9], &[0, 1]));
        assert!(holds(&DataType::Utf8, &[3], &[0, 16, 5]) && !holds(&DataType::Utf8, &[3], &[0, 12, 5]));
        assert!(holds(&DataType::Utf8, &[0], &[0, 0, 0]));
        assert!(
            !holds(&DataType::Float64, &[u64::MAX], &[0, 1 << 20]) && !holds(&DataType::Float64, &[1], &[0])
        );
    }

    #[test]
    fn wide_types_need_values() {
        let within = |kind| Arc::new(Field::new("within", kind, true));
        let structure = |kind| DataType::Struct(Fields::from(vec![within(kind)]));
        assert!(holds(&structure(DataType::Float64), &[2, 2], &[0, 0, 16]));
        assert!(!holds(&structure(DataType::FixedSizeBinary(i32::MAX)), &[2, 0], &[0, 0, 0]));
        assert!(!holds(&DataType::FixedSizeBinary(-1), &[2], &[0, 0]));
        let list = |width| DataType::FixedSizeList(within(DataType::Float64), width);
        assert!(holds(&list(3), &[2, 6], &[0, 0, 48]) && !holds(&list(3), &[2, 5], &[0, 0, 40]));
        assert!(!holds(&list(-1), &[2, 6], &[0, 0, 48]));
    }
}

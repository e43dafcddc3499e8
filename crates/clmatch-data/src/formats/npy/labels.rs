//! Labels in an NPY file.

use std::io::Read;

use super::{
    ElementKind, NpyLayout, decode, element_text, header, nothing_more, numbers, ordered, present, shape,
    swap,
};
use crate::error::ReadError;
use crate::input::damaged;
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::table::{Codes, LabelBuilder};

/// Labels, and what was noticed about them.
#[derive(Debug)]
pub(crate) struct ArrayLabels {
    pub(crate) codes: Codes,
    pub(crate) note: Option<Note>,
}

/// Reads labels: any numeric type or text, one dimension or a single column; or one column per class, of which each row marks
/// one by a 1.
pub(crate) fn labels(
    reader: &mut dyn Read,
    length: Option<u64>,
    budget: MemoryBudget,
) -> Result<ArrayLabels, ReadError> {
    let layout = header(reader)?;
    if layout.shape.iter().filter(|&&length| length != 1).count() > 1 || layout.shape.is_empty() {
        return one_hot(reader, &layout, length, budget);
    }
    let count = present(&layout, length)?;
    budget.check(count as u64 * 4)?;
    // Allocates at most what the bytes in the file can be.
    let bytes = length.map_or(0, |length| usize::try_from(length).unwrap_or(usize::MAX));
    let mut labels = LabelBuilder::for_rows(count.min(bytes));
    let mut recent = Recent::default();
    let mut element = vec![0; layout.size];
    let mut reader = std::io::BufReader::with_capacity(1 << 16, reader);
    for row in 0..count {
        reader.read_exact(&mut element).map_err(|error| damaged(&error))?;
        if let Some(code) = recent.find(&element) {
            labels.repeat(code);
            continue;
        }
        let stored = element.clone();
        if layout.big {
            swap(&mut element, layout.kind);
        }
        push_label(&mut labels, &layout, &element).map_err(|error| error.row(row))?;
        recent.remember(&stored, labels.last());
    }
    nothing_more(&mut reader)?;
    Ok(ArrayLabels { codes: labels.finish(), note: None })
}

/// Reads labels with one column per class: the class of a row is the place of its only 1.
fn one_hot(
    reader: &mut dyn Read,
    layout: &NpyLayout,
    length: Option<u64>,
    budget: MemoryBudget,
) -> Result<ArrayLabels, ReadError> {
    let refused = || {
        ReadError::new(format!("the labels have the shape {}", layout.shape_text()))
            .help("one label per row is needed: a one-dimensional array, or one column per class with one 1 in each row")
    };
    if layout.shape.len() != 2 || matches!(layout.kind, ElementKind::Unicode | ElementKind::Bytes) {
        return Err(refused());
    }
    let shape = shape(layout, length, budget)?;
    let values: Vec<f64> = ordered(numbers(reader, layout, shape.count, length.is_some())?, layout, &shape);
    let mut labels = LabelBuilder::default();
    for (at, row) in values.chunks_exact(shape.features.max(1)).enumerate() {
        let zeros = row.iter().filter(|&&value| value == 0.0).count();
        match row.iter().position(|&value| value == 1.0) {
            Some(class) if zeros + 1 == row.len() => labels.push(class.to_string().as_bytes())?,
            _ => return Err(refused().row(at)),
        }
    }
    nothing_more(reader)?;
    Ok(ArrayLabels { codes: labels.finish(), note: Some(Note::OneHotLabels { classes: shape.features }) })
}

/// Recently seen labels by the bytes that stand for them. Most rows repeat a label, and no text is made for those.
struct Recent {
    slots: Vec<Option<Seen>>,
}

#[derive(Clone, Copy)]
struct Seen {
    key: u64,
    code: u32,
}

impl Default for Recent {
    fn default() -> Self {
        Recent { slots: vec![None; 1 << Recent::BITS] }
    }
}

impl Recent {
    const BITS: u32 = 10;

    /// The number of a label that was seen before.
    fn find(&self, element: &[u8]) -> Option<u32> {
        let key = Recent::key(element)?;
        self.slots[Recent::slot(key)].filter(|seen| seen.key == key).map(|seen| seen.code)
    }

    /// Replaces another label that has the same slot.
    fn remember(&mut self, element: &[u8], code: Option<u32>) {
        if let (Some(key), Some(code)) = (Recent::key(element), code) {
            self.slots[Recent::slot(key)] = Some(Seen { key, code });
        }
    }

    /// The bytes as a number; `None` for longer elements, which are texts and are looked up as such.
    fn key(element: &[u8]) -> Option<u64> {
        let mut bytes = [0; 8];
        bytes.get_mut(..element.len())?.copy_from_slice(element);
        Some(u64::from_le_bytes(bytes))
    }

    /// Multiplies by the golden ratio, so that neighbouring numbers get different slots.
    fn slot(key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Recent::BITS)) as usize
    }
}

fn push_label(labels: &mut LabelBuilder, layout: &NpyLayout, element: &[u8]) -> Result<(), ReadError> {
    let text = match layout.kind {
        ElementKind::Unicode | ElementKind::Bytes => element_text(layout, element)?,
        ElementKind::Bool => (if element[0] != 0 { "true" } else { "false" }).to_owned(),
        ElementKind::Int => integer(element, true).to_string(),
        ElementKind::Uint => integer(element, false).to_string(),
        _ => {
            let mut number = [f64::NAN];
            decode(element, layout, &mut number);
            return labels.push_number(number[0]);
        }
    };
    let text = text.trim();
    if crate::cell::no_label(text.as_bytes()) {
        labels.push_missing();
        return Ok(());
    }
    labels.push(text.as_bytes())
}

/// Little-endian bytes as an integer, exactly.
fn integer(bytes: &[u8], signed: bool) -> i128 {
    let negative = signed && bytes.last().is_some_and(|last| last & 0x80 != 0);
    let mut wide = if negative { [0xff; 16] } else { [0; 16] };
    wide[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(wide)
}

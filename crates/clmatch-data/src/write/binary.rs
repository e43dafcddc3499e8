//! NPY.

use std::io::{self, Write};

use clmatch::Values;

use super::integers;
use crate::dataset::Dataset;

/// The header of an NPY file: magic, version 1 and a dictionary that ends at a multiple of 64 bytes. No shape needs more than the
/// 65,535 bytes of version 1.
fn header(out: &mut dyn Write, descr: &str, shape: &str) -> io::Result<()> {
    const FIXED: usize = 10;
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let blanks = (FIXED + text.len() + 1).next_multiple_of(64) - (FIXED + text.len() + 1);
    text.push_str(&" ".repeat(blanks));
    text.push('\n');
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&(text.len() as u16).to_le_bytes())?;
    out.write_all(text.as_bytes())
}

/// Writes the points in their own precision.
pub(super) fn npy_points(dataset: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    let shape = format!("{}, {}", dataset.n_points(), dataset.features.len());
    match &dataset.values {
        Values::F64(values) => {
            header(out, "<f8", &shape)?;
            values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
        }
        Values::F32(values) => {
            header(out, "<f4", &shape)?;
            values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
        }
    }
}

/// Writes the labels as integers if all of them are integers, or else as texts.
pub(super) fn npy_labels(dataset: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    let shape = format!("{},", dataset.n_points());
    if let Some(numbers) = integers(dataset) {
        header(out, "<i8", &shape)?;
        return numbers.iter().try_for_each(|number| out.write_all(&number.to_le_bytes()));
    }
    let names = dataset.labels.names();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(1).max(1);
    header(out, &format!("<U{longest}"), &shape)?;
    let padded: Vec<Vec<u8>> = names
        .iter()
        .map(|name| {
            let mut bytes: Vec<u8> = name.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
            bytes.resize(4 * longest, 0);
            bytes
        })
        .collect();
    dataset.labels.codes().iter().try_for_each(|&code| out.write_all(&padded[code as usize]))
}

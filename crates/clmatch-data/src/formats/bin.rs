//! The authors' `data.bin` and `label.bin`: JSON arrays, compressed with zlib.

use std::io::{BufRead, BufReader, Read};

use flate2::bufread::ZlibDecoder;

use crate::error::ReadError;
use crate::formats::json::{self, Numbers};
use crate::input::{ByteSource, damaged};
use crate::memory::MemoryBudget;
use crate::table::Codes;

/// Reads the points.
pub(crate) fn matrix(input: &ByteSource, budget: MemoryBudget) -> Result<Numbers, ReadError> {
    matrix_from(input.raw()?, budget)
}

/// Reads the points from a member of an archive.
pub(crate) fn matrix_from(reader: impl Read, budget: MemoryBudget) -> Result<Numbers, ReadError> {
    unpacked(reader, |json| json::matrix(json, budget))
}

/// Reads the labels.
pub(crate) fn labels(input: &ByteSource, budget: MemoryBudget) -> Result<Codes, ReadError> {
    labels_from(input.raw()?, budget)
}

/// Reads the labels from a member of an archive.
pub(crate) fn labels_from(reader: impl Read, budget: MemoryBudget) -> Result<Codes, ReadError> {
    unpacked(reader, |json| json::labels(json, budget))
}

fn unpacked<T>(
    reader: impl Read,
    read: impl FnOnce(&mut dyn Read) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let mut decoder = ZlibDecoder::new(BufReader::with_capacity(1 << 18, reader));
    let result = read(&mut decoder)?;
    let rest = decoder.get_mut().fill_buf().map_err(|error| damaged(&error))?;
    if rest.is_empty() {
        return Ok(result);
    }
    Err(ReadError::new("there is more after the end of the compressed data")
        .help("the file is damaged, or two files were put together"))
}

//! NPZ.

use std::io::{self, Cursor, Write};

use super::binary::{npy_labels, npy_points};
use crate::dataset::Dataset;
use crate::formats::zip::with_label_array;
use crate::input::ByteSource;

/// An archive with other labels: every other array stays. `None` if it has no array with the labels of all rows.
pub(super) fn npz_with_labels(input: &ByteSource, dataset: &Dataset) -> Option<Vec<u8>> {
    let (mut stored, label) = with_label_array(input).ok()?;
    let label = label?;
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for place in 0..stored.len() {
        let member = stored.by_index_raw(place).ok()?;
        if place == label {
            let options = zip::write::SimpleFileOptions::default().compression_method(member.compression());
            archive.start_file(member.name().ok()?, options.large_file(true)).ok()?;
            npy_labels(dataset, &mut archive).ok()?;
        } else {
            archive.raw_copy_file(member).ok()?;
        }
    }
    Some(archive.finish().ok()?.into_inner())
}

/// An archive of `data.npy` and `label.npy`.
pub(super) fn npz(dataset: &Dataset, out: &mut dyn Write) -> io::Result<()> {
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .large_file(true);
    // The writer seeks back to fill in lengths. It writes to memory, because the target may be packed.
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("data.npy", options)?;
    npy_points(dataset, &mut io::BufWriter::new(&mut archive))?;
    archive.start_file("label.npy", options)?;
    npy_labels(dataset, &mut io::BufWriter::new(&mut archive))?;
    out.write_all(archive.finish()?.get_ref())
}

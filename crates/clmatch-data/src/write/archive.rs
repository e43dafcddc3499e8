//! NPZ.

use std::io::{self, Cursor, Write};

use super::binary::{npy_labels, npy_points};
use crate::dataset::Dataset;

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

//! JSON packed with zlib, as the authors distribute their datasets.

use std::io::{self, Write};

/// Packs what `part` writes.
pub(super) fn pack(
    out: &mut dyn Write,
    part: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = flate2::write::ZlibEncoder::new(out, flate2::Compression::default());
    part(&mut encoder)?;
    encoder.finish().map(|_| ())
}

//! How files are packed: gzip, zstd, xz, bzip2. Each has two lines, for builds with and without it.

use std::io::{self, BufReader, Read, Write};

use crate::error::ReadError;

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilePacking {
    None,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
}

/// Extensions of packed files.
pub(crate) const PACKED: [&str; 6] = ["gz", "gzip", "zst", "zstd", "xz", "bz2"];

/// The name of a file without the extension that says how it is packed.
pub(crate) fn without_packing(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, end))
            if !stem.is_empty() && PACKED.iter().any(|known| end.eq_ignore_ascii_case(known)) =>
        {
            stem
        }
        _ => name,
    }
}

/// How many bytes show how a file is packed.
pub(crate) const MAGIC: usize = 10;

/// How a file that begins with these bytes is packed.
pub(crate) fn packing_of(magic: &[u8]) -> FilePacking {
    match magic {
        [0x1f, 0x8b, ..] => FilePacking::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => FilePacking::Zstd,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => FilePacking::Xz,
        // The digits of pi, or of its square root if nothing is packed: `BZh9` alone may be the start of a text.
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59] => FilePacking::Bzip2,
        [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90] => FilePacking::Bzip2,
        _ => FilePacking::None,
    }
}

pub(crate) const BUFFER: usize = 1 << 18;

/// The memory that unpacking xz may take, in KiB: four times what `xz -9` asks for. A header may ask for 4 GiB.
#[cfg(feature = "xz")]
const XZ_MEMORY: u32 = 256 << 10;

type Reader<'a> = Box<dyn Read + Send + 'a>;

/// Unpacks while reading; an error if this build cannot.
pub(crate) fn unpack(raw: Reader<'_>, packing: FilePacking) -> Result<Reader<'_>, ReadError> {
    if let Some(needed) = packing.needed() {
        needed.check()?;
    }
    if packing == FilePacking::None {
        return Ok(raw);
    }
    let packed = BufReader::with_capacity(BUFFER, raw);
    Ok(match packing {
        #[cfg(feature = "gzip")]
        FilePacking::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
        #[cfg(feature = "xz")]
        FilePacking::Xz => Box::new(lzma_rust2::XzReader::new_mem_limit(packed, true, XZ_MEMORY)),
        #[cfg(feature = "bzip2")]
        FilePacking::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
        #[cfg(feature = "zstd")]
        FilePacking::Zstd => {
            let decoder = zstd::Decoder::with_buffer(packed);
            Box::new(decoder.map_err(|error| ReadError::io("the zstd data cannot be unpacked", &error))?)
        }
        // Refused above.
        _ => Box::new(packed),
    })
}

/// Unpacks zlib data while reading; an error if this build cannot.
#[cfg(feature = "gzip")]
pub(crate) fn unpack_zlib(raw: Reader<'_>) -> Result<Reader<'_>, ReadError> {
    Ok(Box::new(flate2::bufread::ZlibDecoder::new(BufReader::with_capacity(BUFFER, raw))))
}

/// Unpacks zlib data while reading; an error if this build cannot.
#[cfg(not(feature = "gzip"))]
pub(crate) fn unpack_zlib(_: Reader<'_>) -> Result<Reader<'_>, ReadError> {
    Err(ReadError::new("this build cannot unpack zlib data"))
}

/// Packs what `part` writes. Text can be written packed with gzip or zstd; the other packings can only be read.
pub(crate) fn pack(
    out: &mut dyn Write,
    packing: FilePacking,
    part: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match packing {
        FilePacking::None => part(out),
        #[cfg(feature = "gzip")]
        FilePacking::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(out, flate2::Compression::default());
            part(&mut encoder)?;
            encoder.finish().map(drop)
        }
        #[cfg(feature = "zstd")]
        FilePacking::Zstd => {
            let mut encoder = zstd::Encoder::new(out, 3)?;
            part(&mut encoder)?;
            encoder.finish().map(drop)
        }
        _ => Err(io::Error::other("this build cannot pack it")),
    }
}

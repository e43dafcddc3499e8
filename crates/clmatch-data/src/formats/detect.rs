//! What a file is: by its first bytes, then by its name.

use std::path::Path;

use crate::formats::{arff, svmlight};

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// NumPy array.
    Npy,
    /// NumPy arrays or the authors' files in an archive.
    Zip,
    /// Parquet.
    Parquet,
    /// Arrow IPC file, also called Feather.
    Arrow,
    /// Arrow IPC stream.
    ArrowStream,
    /// Feather before it was Arrow, which is not read.
    OldFeather,
    /// JSON compressed with zlib, as the authors distribute their datasets.
    Bin,
    /// JSON.
    Json,
    /// Attribute-relation file.
    Arff,
    /// svmlight or LIBSVM.
    Svmlight,
    /// Delimited text.
    Text,
}

impl Format {
    /// What to call it in a message.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Npy => "NPY",
            Format::Zip => "a zip archive",
            Format::Parquet => "Parquet",
            Format::Arrow | Format::ArrowStream => "Arrow IPC",
            Format::OldFeather => "Feather version 1",
            Format::Bin => "zlib-compressed JSON",
            Format::Json => "JSON",
            Format::Arff => "ARFF",
            Format::Svmlight => "svmlight",
            Format::Text => "delimited text",
        }
    }

    /// Whether a person can read it.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Format::Json | Format::Arff | Format::Svmlight | Format::Text)
    }
}

/// Recognises the first bytes of a file, unpacked.
pub(crate) fn detect(head: &[u8]) -> Format {
    const MAGIC: [(&[u8], Format); 8] = [
        (b"\x93NUMPY", Format::Npy),
        (b"PK\x03\x04", Format::Zip),
        (b"PK\x05\x06", Format::Zip),
        (b"PAR1", Format::Parquet),
        (b"ARROW1", Format::Arrow),
        (b"FEA1", Format::OldFeather),
        (b"\xff\xff\xff\xff", Format::ArrowStream),
        (b"[", Format::Json),
    ];
    if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        *format
    } else if is_zlib(head) {
        Format::Bin
    } else if head.trim_ascii_start().starts_with(b"[") {
        Format::Json
    } else if arff::looks_like(head) {
        Format::Arff
    } else if svmlight::looks_like(head) {
        Format::Svmlight
    } else {
        Format::Text
    }
}

/// The format that a file's name promises, whatever it is packed with.
pub(crate) fn promised(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name =
        [".gz", ".gzip", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    Some(match name.rsplit_once('.')?.1 {
        "npy" => Format::Npy,
        "npz" | "zip" => Format::Zip,
        "parquet" | "pq" => Format::Parquet,
        "arrow" | "feather" | "ipc" => Format::Arrow,
        "bin" => Format::Bin,
        "json" => Format::Json,
        "arff" => Format::Arff,
        "svm" | "libsvm" | "svmlight" => Format::Svmlight,
        "csv" | "tsv" | "tab" | "psv" => Format::Text,
        _ => return None,
    })
}

/// The two bytes of a zlib header; one of the four spells `x^`, so that what follows must not be text.
fn is_zlib(head: &[u8]) -> bool {
    let binary = |byte: &u8| !byte.is_ascii() || (byte.is_ascii_control() && !byte.is_ascii_whitespace());
    match head {
        [0x78, 0x01 | 0x9c | 0xda, ..] => true,
        [0x78, 0x5e, rest @ ..] => rest.iter().take(64).any(binary),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_decide() {
        for (head, format) in [
            (&b"\x93NUMPY\x01\x00"[..], Format::Npy),
            (b"PK\x03\x04", Format::Zip),
            (b"PAR1\x15", Format::Parquet),
            (b"ARROW1\0\0", Format::Arrow),
            (b"\x78\x9c\xab", Format::Bin),
            (b"\x78\x5e\x8b\x36\x88\x05\x00", Format::Bin),
            (b" [[1,2]]", Format::Json),
            (b"@relation x", Format::Arff),
            (b"1 1:2\n", Format::Svmlight),
            (b"x,y\n1,2\n", Format::Text),
            (b"x^2,y\n1,2\n", Format::Text),
            (b"", Format::Text),
        ] {
            assert_eq!(detect(head), format, "{head:?}");
        }
        assert_eq!(promised(Path::new("a/b.CSV.gz")), Some(Format::Text));
        assert_eq!(promised(Path::new("a/b")), None);
    }
}

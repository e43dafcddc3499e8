//! Detects the format of a file: by its first bytes, then by its name.

use std::path::Path;

use crate::formats::{arff, svmlight};
use crate::packing::without_packing;

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
    /// HDF5; only AnnData files are read.
    Hdf5,
    /// JSON compressed with zlib, as the authors distribute their datasets.
    Bin,
    /// JSON arrays.
    Json,
    /// A JSON array of objects: rows with named values.
    Records,
    /// JSON objects one after the other, usually one per line.
    JsonLines,
    /// Attribute-relation file.
    Arff,
    /// svmlight or LIBSVM.
    Svmlight,
    /// Delimited text.
    Text,
}

impl Format {
    /// The name of the format in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Npy => "NPY",
            Format::Zip => "a zip archive",
            Format::Parquet => "Parquet",
            Format::Arrow | Format::ArrowStream => "Arrow IPC",
            Format::Hdf5 => "HDF5",
            Format::Bin => "zlib-compressed JSON",
            Format::Json => "JSON",
            Format::Records => "JSON records",
            Format::JsonLines => "JSON lines",
            Format::Arff => "ARFF",
            Format::Svmlight => "svmlight",
            Format::Text => "delimited text",
        }
    }

    /// Whether its columns usually have names, so that one of them is the label.
    pub(crate) fn has_names(self) -> bool {
        !matches!(self, Format::Npy | Format::Zip | Format::Bin | Format::Json)
    }

    /// Whether a person can read it.
    pub(crate) fn is_text(self) -> bool {
        matches!(
            self,
            Format::Json
                | Format::Records
                | Format::JsonLines
                | Format::Arff
                | Format::Svmlight
                | Format::Text
        )
    }
}

/// Recognises the first bytes of a file, unpacked.
pub(crate) fn detect(head: &[u8]) -> Format {
    const MAGIC: [(&[u8], Format); 7] = [
        (b"\x93NUMPY", Format::Npy),
        (b"PK\x03\x04", Format::Zip),
        (b"PK\x05\x06", Format::Zip),
        (b"PAR1", Format::Parquet),
        (b"ARROW1", Format::Arrow),
        (b"\xff\xff\xff\xff", Format::ArrowStream),
        (HDF5, Format::Hdf5),
    ];
    if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        *format
    } else if is_zlib(head) {
        Format::Bin
    } else if USER_BLOCKS.iter().any(|&at| head.get(at..at + HDF5.len()) == Some(HDF5)) {
        Format::Hdf5
    } else if let Some(format) = json(head) {
        format
    } else if arff::looks_like(head) {
        Format::Arff
    } else if svmlight::looks_like(head) {
        Format::Svmlight
    } else {
        Format::Text
    }
}

const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Where HDF5 may begin after a user block, such as MATLAB's.
const USER_BLOCKS: [usize; 4] = [512, 1024, 2048, 4096];

/// The kind of JSON, by how a text begins.
fn json(head: &[u8]) -> Option<Format> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match text.strip_prefix(b"[") {
        Some(rest) if rest.trim_ascii_start().starts_with(b"{") => Some(Format::Records),
        Some(_) => Some(Format::Json),
        None if text.strip_prefix(b"{")?.trim_ascii_start().starts_with(b"\"") => Some(Format::JsonLines),
        None => None,
    }
}

/// The format that a file's name says, whatever the packing.
pub(crate) fn promised(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    Some(match without_packing(&name).rsplit_once('.')?.1 {
        "npy" => Format::Npy,
        "npz" | "zip" => Format::Zip,
        "parquet" | "pq" => Format::Parquet,
        "arrow" | "feather" | "ipc" => Format::Arrow,
        "bin" => Format::Bin,
        "json" => Format::Json,
        "jsonl" | "ndjson" => Format::JsonLines,
        "h5ad" | "h5" | "hdf5" => Format::Hdf5,
        "arff" => Format::Arff,
        "svm" | "libsvm" | "svmlight" => Format::Svmlight,
        "csv" | "tsv" | "tab" | "psv" => Format::Text,
        _ => return None,
    })
}

/// Whether the first two bytes are a zlib header; one of the four headers spells `x^`, so what follows must not be text.
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
            (b"[\n {\"a\": 1}]", Format::Records),
            (b"{\"a\": 1}\n{\"a\": 2}", Format::JsonLines),
            (b"\x89HDF\r\n\x1a\n\0", Format::Hdf5),
            (b"{1 2},b\n", Format::Text),
            (b"@relation x", Format::Arff),
            (b"1 1:2\n", Format::Svmlight),
            (b"x,y\n1,2\n", Format::Text),
            (b"x^2,y\n1,2\n", Format::Text),
            (b"", Format::Text),
        ] {
            assert_eq!(detect(head), format, "{head:?}");
        }
        assert_eq!(promised(Path::new("a/b.CSV.gz")), Some(Format::Text));
        assert_eq!(promised(Path::new("a/b.csv.xz")), Some(Format::Text));
        assert_eq!(promised(Path::new("a/b")), None);
        let mut block = vec![b' '; 512];
        block.extend(HDF5);
        assert_eq!(detect(&block), Format::Hdf5);
    }
}

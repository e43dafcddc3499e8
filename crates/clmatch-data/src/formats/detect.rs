//! Detects the format of a file: by its first bytes, then by its name.

use std::path::Path;

use crate::formats::{arff, svmlight};
use crate::packing::without_packing;

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileFormat {
    /// NumPy array.
    Npy,
    /// NumPy arrays or the authors' files in an archive.
    Zip,
    /// Excel workbook or OpenDocument spreadsheet.
    Excel,
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

impl FileFormat {
    /// The name of the format in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FileFormat::Npy => "NPY",
            FileFormat::Zip => "a zip archive",
            FileFormat::Excel => "an Excel workbook",
            FileFormat::Parquet => "Parquet",
            FileFormat::Arrow | FileFormat::ArrowStream => "Arrow IPC",
            FileFormat::Hdf5 => "HDF5",
            FileFormat::Bin => "zlib-compressed JSON",
            FileFormat::Json => "JSON",
            FileFormat::Records => "JSON records",
            FileFormat::JsonLines => "JSON lines",
            FileFormat::Arff => "ARFF",
            FileFormat::Svmlight => "svmlight",
            FileFormat::Text => "delimited text",
        }
    }

    /// Whether its columns usually have names, so that one of them is the label.
    pub(crate) fn has_names(self) -> bool {
        !matches!(self, FileFormat::Npy | FileFormat::Zip | FileFormat::Bin | FileFormat::Json)
    }

    /// Whether a person can read it.
    pub(crate) fn is_text(self) -> bool {
        matches!(
            self,
            FileFormat::Json
                | FileFormat::Records
                | FileFormat::JsonLines
                | FileFormat::Arff
                | FileFormat::Svmlight
                | FileFormat::Text
        )
    }
}

/// Recognises the first bytes of a file, unpacked.
pub(crate) fn detect(head: &[u8]) -> FileFormat {
    const MAGIC: [(&[u8], FileFormat); 8] = [
        (b"\x93NUMPY", FileFormat::Npy),
        (b"PK\x03\x04", FileFormat::Zip),
        (b"PK\x05\x06", FileFormat::Zip),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", FileFormat::Excel),
        (b"PAR1", FileFormat::Parquet),
        (b"ARROW1", FileFormat::Arrow),
        (b"\xff\xff\xff\xff", FileFormat::ArrowStream),
        (HDF5, FileFormat::Hdf5),
    ];
    if let Some((_, format)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        *format
    } else if is_zlib(head) {
        FileFormat::Bin
    } else if USER_BLOCKS.iter().any(|&at| head.get(at..at + HDF5.len()) == Some(HDF5)) {
        FileFormat::Hdf5
    } else if let Some(format) = json(head) {
        format
    } else if arff::looks_like(head) {
        FileFormat::Arff
    } else if svmlight::looks_like(head) {
        FileFormat::Svmlight
    } else {
        FileFormat::Text
    }
}

const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";
/// Where HDF5 may begin after a user block, such as MATLAB's.
const USER_BLOCKS: [usize; 4] = [512, 1024, 2048, 4096];

/// The kind of JSON, by how a text begins.
fn json(head: &[u8]) -> Option<FileFormat> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match text.strip_prefix(b"[") {
        Some(rest) => match rest.trim_ascii_start().first() {
            Some(b'{') => Some(FileFormat::Records),
            // Whatever a value of JSON begins with.
            None | Some(b'[' | b']' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'N') => {
                Some(FileFormat::Json)
            }
            Some(_) => None,
        },
        None if text.strip_prefix(b"{")?.trim_ascii_start().starts_with(b"\"") => Some(FileFormat::JsonLines),
        None => None,
    }
}

/// The format that a file's name says, whatever the packing.
pub(crate) fn promised(path: &Path) -> Option<FileFormat> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    Some(match without_packing(&name).rsplit_once('.')?.1 {
        "npy" => FileFormat::Npy,
        "npz" | "zip" => FileFormat::Zip,
        "parquet" | "pq" => FileFormat::Parquet,
        "arrow" | "feather" | "ipc" => FileFormat::Arrow,
        "bin" => FileFormat::Bin,
        "json" => FileFormat::Json,
        "jsonl" | "ndjson" => FileFormat::JsonLines,
        "h5ad" | "h5" | "hdf5" => FileFormat::Hdf5,
        "arff" => FileFormat::Arff,
        "svm" | "libsvm" | "svmlight" => FileFormat::Svmlight,
        "csv" | "tsv" | "tab" | "psv" => FileFormat::Text,
        _ => return None,
    })
}

/// Whether the first two bytes are a zlib header; one of the four headers spells `x^`, so what follows must not be text.
pub(crate) fn is_zlib(head: &[u8]) -> bool {
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
            (&b"\x93NUMPY\x01\x00"[..], FileFormat::Npy),
            (b"PK\x03\x04", FileFormat::Zip),
            (b"PAR1\x15", FileFormat::Parquet),
            (b"ARROW1\0\0", FileFormat::Arrow),
            (b"\x78\x9c\xab", FileFormat::Bin),
            (b"\x78\x5e\x8b\x36\x88\x05\x00", FileFormat::Bin),
            (b" [[1,2]]", FileFormat::Json),
            (b"[\n {\"a\": 1}]", FileFormat::Records),
            (b"{\"a\": 1}\n{\"a\": 2}", FileFormat::JsonLines),
            (b"\x89HDF\r\n\x1a\n\0", FileFormat::Hdf5),
            (b"['a', 'b']\tc\n1\t2\n", FileFormat::Text),
            (b"{1 2},b\n", FileFormat::Text),
            (b"@relation x", FileFormat::Arff),
            (b"1 1:2\n", FileFormat::Svmlight),
            (b"x,y\n1,2\n", FileFormat::Text),
            (b"x^2,y\n1,2\n", FileFormat::Text),
            (b"", FileFormat::Text),
        ] {
            assert_eq!(detect(head), format, "{head:?}");
        }
        assert_eq!(promised(Path::new("a/b.CSV.gz")), Some(FileFormat::Text));
        assert_eq!(promised(Path::new("a/b.csv.xz")), Some(FileFormat::Text));
        assert_eq!(promised(Path::new("a/b")), None);
        let mut block = vec![b' '; 512];
        block.extend(HDF5);
        assert_eq!(detect(&block), FileFormat::Hdf5);
    }
}

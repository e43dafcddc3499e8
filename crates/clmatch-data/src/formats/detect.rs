//! What a file is: by its first bytes, then by its name.

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// NumPy array.
    Npy,
    /// JSON compressed with zlib, as the authors distribute their datasets.
    Bin,
    /// JSON.
    Json,
    /// Delimited text.
    Text,
}

/// Recognises the first bytes of a file, unpacked.
pub(crate) fn detect(head: &[u8]) -> Format {
    if head.starts_with(b"\x93NUMPY") {
        Format::Npy
    } else if is_zlib(head) {
        Format::Bin
    } else if head.trim_ascii_start().starts_with(b"[") {
        Format::Json
    } else {
        Format::Text
    }
}

/// The two bytes of a zlib header; the second of them is no letter that stands second in a table.
fn is_zlib(head: &[u8]) -> bool {
    match head {
        [first @ 0x78, second, ..] => {
            (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31)
                && matches!(second, 0x01 | 0x5e | 0x9c | 0xda)
        }
        _ => false,
    }
}

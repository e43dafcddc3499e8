//! Recognises the format of a file: by its first bytes, then by its name.

use std::path::Path;

use crate::encoding::{Encoding, to_utf8};
use crate::error::ReadError;
use crate::formats::detect::{FileFormat, detect, promised};
use crate::formats::{foreign, zip};
use crate::input::ByteSource;
use crate::memory::MemoryBudget;
use crate::note::Note;
use crate::options::ReadOptions;

/// How many bytes are enough to recognise every format.
pub(crate) const HEAD: usize = 1 << 14;

/// Recognises the format of a file; unpacks it first if the format is not read in order.
pub(crate) fn recognise(
    input: ByteSource,
    path: &Path,
    budget: MemoryBudget,
) -> Result<(ByteSource, FileFormat), ReadError> {
    let mut head = input.head(HEAD)?;
    let mut input = input;
    if let Some(encoding) = Encoding::of_mark(&head) {
        input = to_utf8(&input, encoding, budget)?;
        head = input.head(HEAD)?;
    }
    let format = format_by_head(&head, path)?;
    let input = match format {
        FileFormat::Zip
        | FileFormat::Excel
        | FileFormat::Parquet
        | FileFormat::Arrow
        | FileFormat::ArrowStream
        | FileFormat::Bin
        | FileFormat::Hdf5 => input.unpacked(budget)?.unwrap_or(input),
        _ => input,
    };
    let workbook = cfg!(feature = "excel") && format == FileFormat::Zip && zip::workbook(&input)?.is_some();
    Ok((input, if workbook { FileFormat::Excel } else { format }))
}

/// Recognises the format of a file by its first unpacked bytes; an error if this build cannot read it.
pub(crate) fn format_by_head(head: &[u8], path: &Path) -> Result<FileFormat, ReadError> {
    if head.is_empty() {
        return Err(ReadError::new("the file is empty").help("write or fetch it again"));
    }
    let detected = detect(head);
    let found = foreign::recognise(head).filter(|_| detected == FileFormat::Text);
    if let Some(found) = found.filter(|found| found.is_known()) {
        return Err(found.refuse(path));
    }
    let format = match (detected, promised(path)) {
        // The first bytes of a short file may not show the format.
        (FileFormat::Text, Some(FileFormat::Svmlight)) => FileFormat::Svmlight,
        (FileFormat::Text, Some(FileFormat::Arff)) => FileFormat::Arff,
        (FileFormat::Text, Some(promised))
            if promised == FileFormat::Bin || (!promised.is_text() && head.contains(&0)) =>
        {
            return Err(ReadError::new(format!(
                "this is not {}, nor any other format that is known",
                promised.name()
            ))
            .help("the file is damaged or has the wrong extension"));
        }
        (format, _) => format,
    };
    if let Some(found) = found {
        return Err(found.refuse(path));
    }
    format.needed().map_or(Ok(format), |needed| needed.check().map(|()| format))
}

/// The format of a file that can be read; `None` for standard input and for files whose format cannot be recognised.
pub(crate) fn format_of(path: &Path) -> Option<FileFormat> {
    let budget = MemoryBudget::new(&ReadOptions::default());
    let input = (path.as_os_str() != "-").then(|| ByteSource::file(path).ok()).flatten()?;
    recognise(input, path, budget).ok().map(|(_, format)| format)
}

/// The note on a name that says another format than `found`.
pub(crate) fn other_format(path: &Path, found: FileFormat) -> Option<Note> {
    let other = promised(path).is_some_and(|promised| !same(promised, found));
    other.then(|| Note::OtherFormat { format: found.name() })
}

/// Whether the format that a name says is the one that was found.
fn same(promised: FileFormat, found: FileFormat) -> bool {
    promised == found
        || matches!(
            (promised, found),
            (FileFormat::Arrow, FileFormat::ArrowStream)
                | (
                    FileFormat::Json | FileFormat::JsonLines,
                    FileFormat::Json | FileFormat::Records | FileFormat::JsonLines
                )
        )
}

//! What the columns of a file hold, without reading all of it.

use std::path::Path;

use bytes::Bytes;

use super::{LabelPlace, label_beside, opened};
use crate::damaged::decoding;
use crate::embedded;
use crate::encoding::read_legacy;
use crate::error::{ReadError, ReadErrorKind};
use crate::formats::detect::FileFormat;
use crate::formats::{arff, arrow, csv, excel, json_table, records};
use crate::glimpse::Described;
use crate::input::ByteSource;
use crate::layout::{LabelledFile, folder_dataset};
use crate::memory::MemoryBudget;
use crate::options::ReadOptions;
use crate::source::Source;

/// The columns of a table before it is read.
#[derive(Debug)]
pub(crate) struct DescribedTable {
    /// What the first rows show about each column.
    pub(crate) columns: Vec<Described>,
    /// Whether one of them is the label: it does not come from elsewhere.
    pub(crate) holds_label: bool,
}

/// Describes the columns of what [`read`](super::read) would read; `None` if they have no names.
pub(crate) fn describe(source: &Source, options: &ReadOptions) -> Result<Option<DescribedTable>, ReadError> {
    if let Some(text) = embedded::table(source) {
        return describe_input(ByteSource::Memory(text), Path::new("-"), LabelPlace::Inside, options);
    }
    let parts = if source.path.is_dir() { folder_dataset(&source.path) } else { None };
    let first = parts.as_deref().and_then(<[LabelledFile]>::first);
    let beside = first.map_or(source.labelling(), |part| part.labels.as_deref());
    let labels = LabelPlace::of(options.labels_file.as_deref().or(beside));
    let path = first.map_or(&source.path, |part| &part.points);
    describe_input(ByteSource::file(path)?, path, labels, options)
}

/// Describes the columns of what [`read_bytes`](super::read_bytes) would read; `None` if they have no names.
pub(crate) fn describe_bytes(
    name: &str,
    bytes: Bytes,
    options: &ReadOptions,
) -> Result<Option<DescribedTable>, ReadError> {
    let labels = LabelPlace::of(options.labels_file.as_deref());
    describe_input(ByteSource::Memory(bytes), Path::new(name), labels, options)
}

fn describe_input(
    input: ByteSource,
    path: &Path,
    labels: LabelPlace<'_>,
    options: &ReadOptions,
) -> Result<Option<DescribedTable>, ReadError> {
    let on_disk = matches!(input, ByteSource::File(_));
    let budget = MemoryBudget::new(options);
    decoding(|| {
        let (input, format, _) = opened(input, path, budget)?;
        let columns = match described_columns(&input, format, options) {
            Err(error) if error.kind() == ReadErrorKind::NotUtf8 && format.is_text() => {
                read_legacy(error, &input, budget, |input| described_columns(input, format, options))?.0
            }
            columns => columns?,
        };
        let (_, holds_label) = label_beside(path, on_disk, format, labels, options);
        Ok(columns.map(|columns| DescribedTable { columns, holds_label }))
    })
}

/// Describes the columns of a file; `None` if they have no names.
fn described_columns(
    input: &ByteSource,
    format: FileFormat,
    options: &ReadOptions,
) -> Result<Option<Vec<Described>>, ReadError> {
    let columns = match format {
        FileFormat::Npy
        | FileFormat::Bin
        | FileFormat::Json
        | FileFormat::Zip
        | FileFormat::Svmlight
        | FileFormat::Hdf5 => return Ok(None),
        FileFormat::Records => records::described_columns(input, true, options)?,
        FileFormat::JsonLines => match json_table::described_columns(input, options)? {
            Some(columns) => columns,
            None => records::described_columns(input, false, options)?,
        },
        FileFormat::Parquet => arrow::parquet::described_columns(input)?,
        FileFormat::Arrow => arrow::ipc::described_columns(input, false, options)?,
        FileFormat::ArrowStream => arrow::ipc::described_columns(input, true, options)?,
        FileFormat::Arff => arff::described_columns(input, options)?,
        FileFormat::Excel => {
            csv::described_columns(&excel::to_text(input, MemoryBudget::new(options))?.0, options)?
        }
        FileFormat::Text => csv::described_columns(input, options)?,
    };
    Ok(Some(columns))
}

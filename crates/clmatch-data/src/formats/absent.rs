//! Stand-ins for the readers that a build leaves out, with the same functions. Their formats are already refused when they are
//! recognised; the stand-ins refuse them again.

use crate::error::ReadError;
use crate::formats::detect::FileFormat;

/// The error for a format that this build does not read.
fn refused<T>(format: FileFormat) -> Result<T, ReadError> {
    format.needed().map_or(Ok(()), super::built::Needed::check)?;
    Err(ReadError::new(format!("this build of clmatch cannot read {}", format.name())))
}

#[cfg(not(feature = "arrow"))]
pub(crate) mod arrow {
    pub(crate) mod parquet {
        use super::super::{FileFormat, ReadError, refused};
        use crate::glimpse::Described;
        use crate::input::ByteSource;
        use crate::label_choice::LabelFile;
        use crate::options::ReadOptions;
        use crate::shown::{ShownCells, ShownChoice};
        use crate::table::RawTable;

        pub(crate) fn read(_: &ByteSource, _: &ReadOptions, _: bool) -> Result<RawTable, ReadError> {
            refused(FileFormat::Parquet)
        }

        pub(crate) fn described_columns(_: &ByteSource) -> Result<Vec<Described>, ReadError> {
            refused(FileFormat::Parquet)
        }

        pub(crate) fn only_labels(_: &ByteSource, _: &ReadOptions) -> Result<LabelFile, ReadError> {
            refused(FileFormat::Parquet)
        }

        pub(crate) fn shown(_: &ByteSource, _: &ShownChoice) -> Result<ShownCells, ReadError> {
            refused(FileFormat::Parquet)
        }
    }

    pub(crate) mod ipc {
        use super::super::{FileFormat, ReadError, refused};
        use crate::glimpse::Described;
        use crate::input::ByteSource;
        use crate::label_choice::LabelFile;
        use crate::options::ReadOptions;
        use crate::shown::{ShownCells, ShownChoice};
        use crate::table::RawTable;

        pub(crate) fn read(_: &ByteSource, _: bool, _: &ReadOptions, _: bool) -> Result<RawTable, ReadError> {
            refused(FileFormat::Arrow)
        }

        pub(crate) fn described_columns(
            _: &ByteSource,
            _: bool,
            _: &ReadOptions,
        ) -> Result<Vec<Described>, ReadError> {
            refused(FileFormat::Arrow)
        }

        pub(crate) fn only_labels(_: &ByteSource, _: bool, _: &ReadOptions) -> Result<LabelFile, ReadError> {
            refused(FileFormat::Arrow)
        }

        pub(crate) fn shown(_: &ByteSource, _: bool, _: &ShownChoice) -> Result<ShownCells, ReadError> {
            refused(FileFormat::Arrow)
        }
    }

    pub(crate) mod chunks {
        use super::super::{FileFormat, ReadError, refused};
        use crate::blocks::{OpenPart, Parts, Start};
        use crate::options::ReadOptions;

        // The same parameters as those of the reader.
        #[allow(clippy::needless_pass_by_value)]
        pub(crate) fn start(
            _: OpenPart,
            _: Parts,
            format: FileFormat,
            _: &ReadOptions,
            _: bool,
            _: usize,
            _: usize,
        ) -> Result<Start, ReadError> {
            refused(format)
        }
    }
}

#[cfg(not(feature = "excel"))]
pub(crate) mod excel {
    use super::{FileFormat, ReadError, refused};
    use crate::input::ByteSource;
    use crate::memory::MemoryBudget;
    use crate::note::Note;

    pub(crate) fn to_text(_: &ByteSource, _: MemoryBudget) -> Result<(ByteSource, Option<Note>), ReadError> {
        refused(FileFormat::Excel)
    }
}

#[cfg(not(feature = "gzip"))]
pub(crate) mod bin {
    use super::{FileFormat, ReadError, refused};
    use crate::formats::json::Numbers;
    use crate::input::ByteSource;
    use crate::memory::MemoryBudget;
    use crate::table::Codes;

    pub(crate) fn matrix(_: &ByteSource, _: MemoryBudget) -> Result<Numbers, ReadError> {
        refused(FileFormat::Bin)
    }

    pub(crate) fn labels(_: &ByteSource, _: MemoryBudget) -> Result<Codes, ReadError> {
        refused(FileFormat::Bin)
    }
}

#[cfg(not(feature = "hdf5"))]
pub(crate) mod hdf5 {
    use super::{FileFormat, ReadError, refused};
    use crate::input::ByteSource;
    use crate::options::ReadOptions;
    use crate::table::RawTable;

    pub(crate) fn read(_: &ByteSource, _: &ReadOptions, _: bool) -> Result<RawTable, ReadError> {
        refused(FileFormat::Hdf5)
    }
}

#[cfg(not(feature = "zip"))]
pub(crate) mod zip {
    use super::{FileFormat, ReadError, refused};
    use crate::formats::foreign::Foreign;
    use crate::formats::unzipped::{Unzipped, UnzippedTable};
    use crate::input::ByteSource;
    use crate::memory::MemoryBudget;
    use crate::shown::{ShownCells, ShownChoice};
    use crate::table::Codes;

    pub(crate) fn workbook(_: &ByteSource) -> Result<Option<Foreign>, ReadError> {
        refused(FileFormat::Zip)
    }

    pub(crate) fn only_table(_: &ByteSource, _: MemoryBudget) -> Result<Option<UnzippedTable>, ReadError> {
        refused(FileFormat::Zip)
    }

    pub(crate) fn read(_: &ByteSource, _: bool, _: MemoryBudget) -> Result<Unzipped, ReadError> {
        refused(FileFormat::Zip)
    }

    pub(crate) fn labels(_: &ByteSource, _: MemoryBudget) -> Result<Codes, ReadError> {
        refused(FileFormat::Zip)
    }

    pub(crate) fn shown(_: &ByteSource, _: &ShownChoice) -> Result<ShownCells, ReadError> {
        refused(FileFormat::Zip)
    }
}

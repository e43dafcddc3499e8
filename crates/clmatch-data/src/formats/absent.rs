//! Stand-ins for the readers that a build leaves out, with the same functions. Their formats are already refused when they are
//! recognised; the stand-ins refuse them again.

use crate::error::ReadError;
use crate::formats::detect::Format;

/// The error for a format that this build does not read.
fn refused<T>(format: Format) -> Result<T, ReadError> {
    format.needed().map_or(Ok(()), super::built::Needed::check)?;
    Err(ReadError::new(format!("this build of clmatch cannot read {}", format.name())))
}

#[cfg(not(feature = "arrow"))]
pub(crate) mod arrow {
    pub(crate) mod parquet {
        use super::super::{Format, ReadError, refused};
        use crate::input::Input;
        use crate::label_choice::LabelFile;
        use crate::options::ReadOptions;
        use crate::table::Table;

        pub(crate) fn read(_: &Input, _: &ReadOptions, _: bool) -> Result<Table, ReadError> {
            refused(Format::Parquet)
        }

        pub(crate) fn only_labels(_: &Input, _: &ReadOptions) -> Result<LabelFile, ReadError> {
            refused(Format::Parquet)
        }
    }

    pub(crate) mod ipc {
        use super::super::{Format, ReadError, refused};
        use crate::input::Input;
        use crate::label_choice::LabelFile;
        use crate::options::ReadOptions;
        use crate::table::Table;

        pub(crate) fn read(_: &Input, _: bool, _: &ReadOptions, _: bool) -> Result<Table, ReadError> {
            refused(Format::Arrow)
        }

        pub(crate) fn only_labels(_: &Input, _: bool, _: &ReadOptions) -> Result<LabelFile, ReadError> {
            refused(Format::Arrow)
        }
    }

    pub(crate) mod chunks {
        use super::super::{Format, ReadError, refused};
        use crate::blocks::{OpenPart, Parts, Start};
        use crate::options::ReadOptions;

        // The same parameters as those of the reader.
        #[allow(clippy::needless_pass_by_value)]
        pub(crate) fn start(
            _: OpenPart,
            _: Parts,
            format: Format,
            _: &ReadOptions,
            _: bool,
            _: usize,
            _: usize,
        ) -> Result<Start, ReadError> {
            refused(format)
        }
    }
}

#[cfg(not(feature = "gzip"))]
pub(crate) mod bin {
    use super::{Format, ReadError, refused};
    use crate::formats::json::Numbers;
    use crate::input::Input;
    use crate::memory::Budget;
    use crate::table::Codes;

    pub(crate) fn matrix(_: &Input, _: Budget) -> Result<Numbers, ReadError> {
        refused(Format::Bin)
    }

    pub(crate) fn labels(_: &Input, _: Budget) -> Result<Codes, ReadError> {
        refused(Format::Bin)
    }
}

#[cfg(not(feature = "hdf5"))]
pub(crate) mod hdf5 {
    use super::{Format, ReadError, refused};
    use crate::input::Input;
    use crate::options::ReadOptions;
    use crate::table::Table;

    pub(crate) fn read(_: &Input, _: &ReadOptions, _: bool) -> Result<Table, ReadError> {
        refused(Format::Hdf5)
    }
}

#[cfg(not(feature = "zip"))]
pub(crate) mod zip {
    use super::{Format, ReadError, refused};
    use crate::formats::unzipped::Unzipped;
    use crate::input::Input;
    use crate::memory::Budget;
    use crate::table::Codes;

    pub(crate) fn read(_: &Input, _: bool, _: Budget) -> Result<Unzipped, ReadError> {
        refused(Format::Zip)
    }

    pub(crate) fn labels(_: &Input, _: Budget) -> Result<Codes, ReadError> {
        refused(Format::Zip)
    }
}

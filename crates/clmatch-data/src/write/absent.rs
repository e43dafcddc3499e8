//! Stand-ins for the writers that a build leaves out. A target in their format is refused before anything is written.

use std::io;

fn refused() -> io::Result<()> {
    Err(io::Error::other("this build cannot write this format"))
}

#[cfg(not(feature = "arrow"))]
pub(super) mod columnar {
    use std::io::{self, Write};

    use super::refused;
    use crate::dataset::Dataset;

    pub(in crate::write) fn parquet(_: &Dataset, _: &str, _: &mut dyn Write) -> io::Result<()> {
        refused()
    }

    pub(in crate::write) fn arrow(_: &Dataset, _: &str, _: &mut dyn Write) -> io::Result<()> {
        refused()
    }
}

#[cfg(not(feature = "zip"))]
pub(super) mod archive {
    use std::io::{self, Write};

    use super::refused;
    use crate::dataset::Dataset;
    use crate::input::ByteSource;

    pub(in crate::write) fn with_member(_: &ByteSource, _: &str, _: &[u8]) -> io::Result<Vec<u8>> {
        refused().map(|()| Vec::new())
    }

    pub(in crate::write) fn npz(_: &Dataset, _: &mut dyn Write) -> io::Result<()> {
        refused()
    }
}

#[cfg(not(feature = "gzip"))]
pub(super) mod zlib {
    use std::io::{self, Write};

    use super::refused;

    pub(in crate::write) fn pack(
        _: &mut dyn Write,
        _: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        refused()
    }
}

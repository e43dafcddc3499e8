//! The command line.

use std::ffi::OsString;

/// Words of a command line, one per line: they are accepted or refused, and nothing is run.
pub(crate) fn options(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let words = text.lines().take(64).map(OsString::from);
    let _ = clmatch_cli::understands(std::iter::once(OsString::from("clmatch")).chain(words));
}

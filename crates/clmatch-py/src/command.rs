//! The command `clmatch`, from within Python.

use std::ffi::OsString;
use std::panic::catch_unwind;
use std::process::ExitCode;

use pyo3::prelude::*;

/// The exit code of a program that panicked.
const PANICKED: u8 = 101;

/// Runs the command with the words of a command line, the name of the program first; returns its exit code.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, words: Vec<OsString>) -> u8 {
    let code = py.detach(|| catch_unwind(|| clmatch_cli::run_words(words)));
    // An exit code does not tell its number, but can be compared with those that have one.
    code.ok()
        .and_then(|code| (0..=u8::MAX).find(|&number| ExitCode::from(number) == code))
        .unwrap_or(PANICKED)
}

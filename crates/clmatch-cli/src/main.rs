//! The command `clmatch`, see the library of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    clmatch_data::keep_freed_memory();
    clmatch_cli::run_words(std::env::args_os())
}

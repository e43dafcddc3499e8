//! Where results go: standard output, or a file that appears whole or not at all.

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use clmatch_data::write_whole;
use terminal_size::{Height, Width, terminal_size_of};

use crate::args::OutputArgs;
use crate::failure::{Failure, emit};

/// The width of a terminal that does not tell.
pub const CLASSICAL: usize = 80;
/// Whether a path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes the finished text to where the options say.
pub fn deliver(text: &str, args: &OutputArgs) -> Result<(), Failure> {
    match &args.output {
        Some(path) => save(path, text, args.quiet),
        None => print(text),
    }
}

/// Shows a report on standard error, where standard output has something else.
pub fn print_beside(text: &str, quiet: bool) {
    if !quiet {
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
    }
}

/// Prints to standard output. A reader that closed the pipe has what it wants: no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::other(format!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Writes a file that appears whole or not at all, without colours, and says so; `-` is standard output.
pub fn save(path: &Path, text: &str, quiet: bool) -> Result<(), Failure> {
    if is_stdout(path) {
        return print(text);
    }
    let plain = anstream::adapter::strip_str(text).to_string();
    write_whole(path, plain.as_bytes())
        .map_err(|error| Failure::other(format!("cannot write {}: {error}", path.display())))?;
    if !quiet {
        emit("written", &path.display().to_string());
    }
    Ok(())
}

/// How wide a table may be: as wide as the terminal, or as it likes in a pipe or file.
pub fn width(args: &OutputArgs) -> Option<usize> {
    if args.output.as_deref().is_some_and(|path| !is_stdout(path)) { None } else { terminal() }
}

/// The width of the terminal; `None` in a pipe or file. The environment may say otherwise.
pub fn terminal() -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let stdout = io::stdout();
    stdout.is_terminal().then(|| columns().unwrap_or_else(|| known(terminal_size_of(&stdout))))
}

/// The width of the terminal that errors, notes and progress go to; `None` in a pipe or file.
pub fn error_width() -> Option<usize> {
    let stderr = io::stderr();
    stderr.is_terminal().then(|| known(terminal_size_of(&stderr)))
}

/// What a terminal says, or what is usual where it does not know.
fn known(size: Option<(Width, Height)>) -> usize {
    size.map(|(width, _)| usize::from(width.0)).filter(|&width| width > 0).unwrap_or(CLASSICAL)
}

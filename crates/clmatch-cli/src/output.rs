//! Where results go: to standard output, or to a file that is written completely or not at all.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use clmatch_data::write_whole;
use clmatch_render::{csv, visible};
use terminal_size::{Height, Width, terminal_size_of};

use crate::args::{Format, OutputArgs};
use crate::failure::{Failure, emit};

/// The width of a terminal that does not report one.
pub const CLASSICAL: usize = 80;
/// Whether a path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether CSV texts that a spreadsheet would run are guarded.
static ESCAPE_FORMULAS: AtomicBool = AtomicBool::new(false);

/// From now on, CSV texts that a spreadsheet would run as formulas start with an apostrophe.
pub fn escape_formulas() {
    ESCAPE_FORMULAS.store(true, Ordering::Relaxed);
}

/// Writes the finished text to the destination that the options choose.
pub fn deliver(text: &str, args: &OutputArgs) -> Result<(), Failure> {
    match &args.output {
        Some(path) => save_as(path, text, args.format, args.quiet),
        None => show(text, args.format),
    }
}

/// Prints a result to standard output: data byte for byte, everything else with colours if they are enabled.
pub fn show(text: &str, format: Format) -> Result<(), Failure> {
    match format {
        Format::Table | Format::Markdown => print(text),
        Format::Json | Format::Csv => print_data(&data(text, format)),
    }
}

/// Shows a result on standard error, because standard output is used for something else.
pub fn show_beside(text: &str, format: Format, quiet: bool) {
    let err = io::stderr();
    let _ = match format {
        _ if quiet => Ok(()),
        Format::Table | Format::Markdown => anstream::stderr().lock().write_all(text.as_bytes()),
        Format::Json | Format::Csv => err.lock().write_all(harmless(text, err.is_terminal()).as_bytes()),
    };
}

/// Prints text for people to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    written(&mut anstream::stdout().lock(), text)
}

/// Prints data to standard output, byte for byte; on a terminal, characters that could act on it are shown as escapes.
pub fn print_data(text: &str) -> Result<(), Failure> {
    let out = io::stdout();
    written(&mut out.lock(), &harmless(text, out.is_terminal()))
}

/// Data unchanged, except on a terminal, where no program reads them.
fn harmless(text: &str, terminal: bool) -> Cow<'_, str> {
    if !terminal {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split('\n').map(visible).collect::<Vec<_>>().join("\n"))
}

/// If the reader closed the pipe, it has what it wants: that is not an error.
fn written(out: &mut impl Write, text: &str) -> Result<(), Failure> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::other(format!("cannot write to standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// The text as it is written for a data format.
fn data(text: &str, format: Format) -> Cow<'_, str> {
    if format == Format::Csv && ESCAPE_FORMULAS.load(Ordering::Relaxed) {
        return Cow::Owned(csv::without_formulas(text));
    }
    Cow::Borrowed(text)
}

/// Writes a result to a file, completely or not at all, text for people without colours, and reports it; `-` is standard output.
pub fn save_as(path: &Path, text: &str, format: Format, quiet: bool) -> Result<(), Failure> {
    match format {
        Format::Table if is_stdout(path) => print(text),
        Format::Table => save(path, &anstream::adapter::strip_str(text).to_string(), quiet),
        Format::Json | Format::Csv | Format::Markdown => save(path, &data(text, format), quiet),
    }
}

/// Writes a file byte for byte, completely or not at all, and reports it; `-` is standard output.
pub fn save(path: &Path, text: &str, quiet: bool) -> Result<(), Failure> {
    if is_stdout(path) {
        return print_data(text);
    }
    write_whole(path, text.as_bytes())
        .map_err(|error| Failure::other(format!("cannot write {}: {error}", path.display())))?;
    if !quiet {
        emit("written", &path.display().to_string());
    }
    Ok(())
}

/// How wide a table may be: as wide as the terminal, or without limit in a pipe or file.
pub fn width(args: &OutputArgs) -> Option<usize> {
    if args.output.as_deref().is_some_and(|path| !is_stdout(path)) { None } else { terminal() }
}

/// The width of the terminal; `None` in a pipe or file. The environment may override it.
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

/// The size that a terminal reports, or the usual one if it does not know.
fn known(size: Option<(Width, Height)>) -> usize {
    size.map(|(width, _)| usize::from(width.0)).filter(|&width| width > 0).unwrap_or(CLASSICAL)
}

//! Reports errors on standard error, with the matching exit code.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clmatch_analysis::{AnalysisError, Remark};
use clmatch_data::{ReadError, Severity, WriteError};
use clmatch_render::{shorten, visible, wrap};

use crate::advice::in_words;
use crate::interrupt;
use crate::output::error_width;

/// How far the continuation lines of a sentence are indented.
pub const INDENT: usize = 2;
/// Whether warnings count as errors.
static STRICT: AtomicBool = AtomicBool::new(false);
/// Whether a warning was an error.
static FAILED: AtomicBool = AtomicBool::new(false);

/// From now on, warnings count as errors.
pub fn be_strict() {
    STRICT.store(true, Ordering::Relaxed);
}

/// The exit code of a command that ended without an error, unless a warning counts as one.
pub fn unless_warned(code: ExitCode) -> ExitCode {
    if FAILED.load(Ordering::Relaxed) { ExitCode::from(BAD_INPUT) } else { code }
}

/// A bar of `--fail-under`, `--fail-above` or `--fail-on-alarm` was missed.
pub const MISSED: u8 = 1;
/// The options contradict each other.
pub const USAGE: u8 = 2;
/// The input is invalid.
pub const BAD_INPUT: u8 = 3;
/// Anything else.
pub const OTHER: u8 = 4;
/// Ctrl-C, or a request to end: the exit code that a shell reports for a program that the signal ended, 128 + 2.
pub const INTERRUPTED: u8 = 130;

/// An error that ends the command.
#[derive(Debug)]
pub struct Failure {
    pub what: String,
    pub help: Option<String>,
    pub code: u8,
}

impl Failure {
    pub fn other(what: impl Into<String>) -> Self {
        Failure { what: what.into(), help: None, code: OTHER }
    }

    /// An input that cannot be used, with what to do about it.
    pub fn bad_input(what: impl Into<String>, help: impl Into<String>) -> Self {
        Failure { what: what.into(), help: Some(help.into()), code: BAD_INPUT }
    }

    pub fn report(&self) -> ExitCode {
        emit("error", &self.what);
        if let Some(help) = &self.help {
            emit("help", help);
        }
        ExitCode::from(self.code)
    }
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Self {
        Failure::from(&error)
    }
}

impl From<&AnalysisError> for Failure {
    fn from(error: &AnalysisError) -> Self {
        let help = error.advice().as_ref().map(in_words);
        let code = match error {
            AnalysisError::Stopped(_) if interrupt::pressed() => INTERRUPTED,
            error if error.is_bad_input() => BAD_INPUT,
            _ => OTHER,
        };
        Failure { what: error.to_string(), help, code }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        AnalysisError::from(error).into()
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        AnalysisError::from(error).into()
    }
}

/// Shows help, the version, or what is wrong with a command line, each on the right stream.
pub fn show_usage(error: &clap::Error) -> ExitCode {
    // A closed pipe is not a reason to fail.
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}

/// A remark with its advice.
pub fn sentence(remark: &Remark) -> String {
    match &remark.advice {
        Some(advice) => format!("{remark}; {}", in_words(advice)),
        None => remark.to_string(),
    }
}

/// The start of a line that is not an error.
pub fn kind(severity: Severity) -> &'static str {
    match severity {
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A remark on standard error.
pub fn emit_remark(remark: &Remark) {
    emit(kind(remark.severity), &sentence(remark));
}

/// One sentence on standard error, in lines of whole words.
pub fn emit(kind: &str, text: &str) {
    emit_within(kind, text, error_width());
}

/// Writes lines that belong to an error to standard error.
pub fn emit_lines(lines: &str) {
    use std::io::Write;
    let _ = anstream::stderr().lock().write_all(lines.as_bytes());
}

/// One line on standard error that belongs to the sentence before it, cut to the width of the terminal.
pub fn emit_line(text: &str) {
    use std::io::Write;
    let room = error_width().map_or(usize::MAX, |width| width.saturating_sub(INDENT));
    let _ = writeln!(anstream::stderr().lock(), "{:INDENT$}{}", "", shorten(&visible(text), room));
}

/// Writes one sentence that ends with a command to standard error, in one line so that it can be copied.
pub fn emit_command(kind: &str, text: &str) {
    emit_within(kind, text, None);
}

/// A closed standard error is not a reason to stop.
fn emit_within(kind: &str, text: &str, width: Option<usize>) {
    use anstyle::{AnsiColor, Style};
    use std::io::Write;
    let strict = kind == "warning" && STRICT.load(Ordering::Relaxed);
    FAILED.fetch_or(strict, Ordering::Relaxed);
    let kind = if strict { "error" } else { kind };
    let style = match kind {
        "error" => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        "warning" => Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
        _ => Style::new().bold(),
    };
    let sentence = wrap(&format!("{kind}: {text}"), width, INDENT);
    let rest = sentence.get(kind.len() + 1..).unwrap_or_default();
    let _ = writeln!(anstream::stderr().lock(), "{style}{kind}:{style:#}{rest}");
}

//! What went wrong, said on standard error, with the exit code that belongs to it.

use std::process::ExitCode;

use clmatch_analysis::{AnalysisError, Remark};
use clmatch_data::{ReadError, Severity, WriteError};

use crate::advice::in_words;

/// A `--fail-under` bar was missed.
pub const MISSED: u8 = 1;
/// The options do not go together.
pub const USAGE: u8 = 2;
/// The input is bad.
pub const BAD_INPUT: u8 = 3;
/// Anything else.
pub const OTHER: u8 = 4;

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
        let code = if error.is_bad_input() { BAD_INPUT } else { OTHER };
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

/// A remark with its advice.
pub fn sentence(remark: &Remark) -> String {
    match &remark.advice {
        Some(advice) => format!("{remark}; {}", in_words(advice)),
        None => remark.to_string(),
    }
}

/// What a line that is no error starts with.
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

/// One line on standard error; a closed standard error is no reason to stop.
pub fn emit(kind: &str, text: &str) {
    use anstyle::{AnsiColor, Style};
    use std::io::Write;
    let style = match kind {
        "error" => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        "warning" => Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
        _ => Style::new().bold(),
    };
    let _ = writeln!(anstream::stderr().lock(), "{style}{kind}:{style:#} {text}");
}

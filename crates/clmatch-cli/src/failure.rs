//! What went wrong, said on standard error, with the exit code that belongs to it.

use std::fmt::Display;
use std::process::ExitCode;

use clmatch::DataError;
use clmatch_data::{ReadError, WriteError};

/// A `--fail-under` bar was missed.
pub const MISSED: u8 = 1;
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

    /// A dataset that was read but is no input for what was asked.
    pub fn input(dataset: &str, error: &impl Display) -> Self {
        Failure { what: format!("{dataset}: {error}"), help: None, code: BAD_INPUT }
    }

    /// A dataset that was read but cannot be scored.
    pub fn data(dataset: &str, error: &DataError) -> Self {
        let help = match error {
            DataError::Singleton { .. } => Some("leave such classes out with --singletons drop"),
            DataError::OneClass { .. } | DataError::TooManyClasses { .. } => {
                Some("choose the label column with --label")
            }
            DataError::NotEstimable { .. } => Some("leave it out of --measures, or do without --approx"),
            DataError::NothingLeft => Some("check --noise and --singletons"),
            _ => None,
        };
        Failure { help: help.map(str::to_owned), ..Failure::input(dataset, error) }
    }

    pub fn report(&self) -> ExitCode {
        complain("error", &self.what);
        if let Some(help) = &self.help {
            complain("help", help);
        }
        ExitCode::from(self.code)
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        Failure { what: error.to_string(), help: error.help, code: BAD_INPUT }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure { what: error.to_string(), help: error.help, code: OTHER }
    }
}

/// One line on standard error; a closed standard error is no reason to stop.
pub fn complain(kind: &str, text: &str) {
    use anstyle::{AnsiColor, Style};
    use std::io::Write;
    let style = match kind {
        "error" => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        "warning" => Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
        _ => Style::new().bold(),
    };
    let _ = writeln!(anstream::stderr().lock(), "{style}{kind}:{style:#} {text}");
}

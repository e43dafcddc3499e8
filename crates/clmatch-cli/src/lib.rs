//! The command `clmatch`: turns arguments into settings, and shows progress and results. Nothing is computed here.

// The only interface of a command is its arguments: `pub` means "for the other modules" here.
#![allow(unreachable_pub)]

mod advice;
mod args;
mod commands;
mod export;
mod failure;
mod interrupt;
mod output;
mod progress;
mod refusal;
mod value_parsers;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
/// Makes names from files visible in text for people: other front ends show them in the same way.
pub use clmatch_render::visible;
use failure::Failure;

/// Runs the command with the words of a command line, the name of the program first.
pub fn run_words(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    if let Some(colour) = args::colour_in(words.iter().cloned()) {
        colour.choose();
    }
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => return failure::show_usage(&error),
    };
    if cli.global.strict {
        failure::be_strict();
    }
    if cli.global.escape_formulas {
        output::escape_formulas();
    }
    match run(&cli.command) {
        Ok(code) => failure::unless_warned(code),
        Err(failure) => refusal::report(&failure, &cli.command, &words),
    }
}

/// Whether a command line is valid; nothing is run.
pub fn understands(words: impl IntoIterator<Item = OsString>) -> bool {
    Cli::try_parse_from(words).is_ok()
}

fn run(command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Demo(args) => commands::demo::run(args),
        Command::Inspect(args) => commands::inspect::run(args),
        Command::Score(args) => commands::score::run(args),
        Command::Rank(args) => commands::rank::run(args),
        Command::Compare(args) => commands::compare::run(args),
        Command::Explain(args) => commands::explain::run(args),
        Command::Truth(args) => commands::truth::run(args),
        Command::Classify(args) => commands::classify::run(args),
        Command::Stability(args) => commands::stability::run(args),
        Command::Pick(args) => commands::pick::run(args),
        Command::Calibrate(args) => commands::calibrate::run(args),
        Command::Lab(args) => commands::lab::run(args),
        Command::Diff(args) => commands::diff::run(args),
        Command::Improve(args) => commands::improve::run(args),
        Command::Report(args) => commands::report::run(args),
        Command::Serve(args) => commands::serve::run(args),
        Command::Relabel(args) => commands::relabel::run(args),
        Command::Watch(args) => commands::watch::run(args),
        Command::Measures(args) => commands::measures::run(args),
        Command::Catalogue(args) => commands::catalogue::run(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}

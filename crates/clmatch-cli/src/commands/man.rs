//! `clmatch man [COMMAND]`: manual pages, generated from the arguments.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::failure::{Failure, USAGE};
use crate::output;

pub fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    match (&args.dir, &args.command) {
        (Some(folder), _) => write_all(folder)?,
        (None, None) => output::print(&page(Cli::command())?)?,
        (None, Some(name)) => output::print(&page(command(name)?)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The pages of the program and of all its commands, each in a file of its own.
fn write_all(folder: &Path) -> Result<(), Failure> {
    let failed = |error| Failure::other(format!("cannot write to {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    fs::write(folder.join("clmatch.1"), page(Cli::command())?).map_err(failed)?;
    for subcommand in Cli::command().get_subcommands() {
        let name = subcommand.get_name();
        fs::write(folder.join(format!("clmatch-{name}.1")), page(command(name)?)?).map_err(failed)?;
    }
    Ok(())
}

/// A command of the program. Only what is built knows its full name, and what is built has a command `help`, too.
fn command(name: &str) -> Result<Command, Failure> {
    let mut built = Cli::command().disable_help_subcommand(true);
    built.build();
    built.find_subcommand(name).cloned().ok_or_else(|| Failure {
        what: format!("there is no command '{name}'"),
        help: Some("clmatch --help lists the commands".to_owned()),
        code: USAGE,
    })
}

fn page(command: Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let manual = Man::new(command).source(concat!("clmatch ", env!("CARGO_PKG_VERSION"))).manual("clmatch");
    let rendered = manual.render(&mut page);
    rendered.map_err(|error| Failure::other(format!("cannot make the manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

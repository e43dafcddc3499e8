//! `clmatch man [COMMAND]`: manual pages, generated from the arguments, in the format of `man` or as Markdown.

mod markdown;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::failure::{Failure, USAGE};
use crate::output;

pub fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    let page = |command| if args.markdown { Ok(markdown::page(&command)) } else { manual_page(command) };
    match (&args.dir, &args.command) {
        (Some(folder), _) if args.markdown => {
            write_all(folder, page, |name| format!("{}.md", name.unwrap_or("clmatch")))?;
        }
        (Some(folder), _) => write_all(folder, page, |name| match name {
            Some(name) => format!("clmatch-{name}.1"),
            None => "clmatch.1".to_owned(),
        })?,
        (None, None) => output::print(&page(program())?)?,
        (None, Some(name)) => output::print(&page(command(name)?)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the pages of the program and of all its commands, each to a file of its own.
fn write_all(
    folder: &Path,
    page: impl Fn(Command) -> Result<String, Failure>,
    file: impl Fn(Option<&str>) -> String,
) -> Result<(), Failure> {
    let failed = |error| Failure::other(format!("cannot write to {}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(failed)?;
    let program = program();
    fs::write(folder.join(file(None)), page(program.clone())?).map_err(failed)?;
    for subcommand in program.get_subcommands() {
        let name = subcommand.get_name();
        fs::write(folder.join(file(Some(name))), page(subcommand.clone())?).map_err(failed)?;
    }
    Ok(())
}

/// The program. It must be built to know its full name, but then it also has a command `help`.
fn program() -> Command {
    let mut built = Cli::command().disable_help_subcommand(true);
    built.build();
    built
}

fn command(name: &str) -> Result<Command, Failure> {
    program().find_subcommand(name).cloned().ok_or_else(|| Failure {
        what: format!("there is no command '{name}'"),
        help: Some("clmatch --help lists the commands".to_owned()),
        code: USAGE,
    })
}

fn manual_page(command: Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let manual = Man::new(command).source(concat!("clmatch ", env!("CARGO_PKG_VERSION"))).manual("clmatch");
    let rendered = manual.render(&mut page);
    rendered.map_err(|error| Failure::other(format!("cannot make the manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

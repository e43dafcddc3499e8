//! `clmatch man [COMMAND]`: manual pages, generated from the arguments.

use std::fs;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Cli, ManArgs};
use crate::failure::{Failure, USAGE};
use crate::output;

pub fn run(args: &ManArgs) -> Result<ExitCode, Failure> {
    match &args.dir {
        Some(folder) => {
            let written =
                fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
            written
                .map_err(|error| Failure::other(format!("cannot write to {}: {error}", folder.display())))?;
        }
        None => output::print(&page(command(args.command.as_deref())?)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The program, or one of its commands; built ones know their full name.
fn command(name: Option<&str>) -> Result<Command, Failure> {
    let program = Cli::command();
    let Some(name) = name else { return Ok(program) };
    let mut built = program.clone();
    built.build();
    match (program.find_subcommand(name), built.find_subcommand(name)) {
        (Some(_), Some(command)) => Ok(command.clone()),
        _ => Err(Failure {
            what: format!("there is no command '{name}'"),
            help: Some("clmatch --help lists the commands".to_owned()),
            code: USAGE,
        }),
    }
}

fn page(command: Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let rendered = Man::new(command).render(&mut page);
    rendered.map_err(|error| Failure::other(format!("cannot make the manual page: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

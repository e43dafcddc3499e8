//! `clmatch inspect FILE`: how a file is understood, and the command that scores it.

use std::io::Read;
use std::process::ExitCode;

use clmatch_analysis::inspection::InspectedDataset;
use clmatch_data::{Inspection, inspect, inspect_bytes};
use clmatch_render::pages::command_line;

use crate::advice::in_words;
use crate::args::InspectArgs;
use crate::commands::only_source;
use crate::export::inspection;
use crate::failure::{BAD_INPUT, Failure};
use crate::output;
use crate::refusal::with_settings;

pub fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let options = args.input.read_options();
    let source = only_source(&args.file, &options, "inspect them one by one")?;
    let left_out = args.input.points_left_out();
    let found = if output::is_stdout(&args.file) {
        let bytes = standard_input()?;
        inspect_bytes(&source.name, &bytes.into(), &options, &left_out)
    } else {
        inspect(&source, &options, &left_out)
    };
    let command = command(args, &found);
    let done = found.points.is_some();
    let inspected = InspectedDataset::new(&source.name, found, in_words, command);
    let text = inspection::print(&inspected, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}

/// The command that scores the file, with all options that it needs.
fn command(args: &InspectArgs, found: &Inspection) -> Option<String> {
    found.points?;
    let mut words = ["clmatch", "score", &args.file.display().to_string()].map(String::from).to_vec();
    words.extend(args.input.words());
    Some(command_line::command(&with_settings(words, &found.settings)))
}

/// All bytes of standard input, which can be read only once.
fn standard_input() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| {
        Failure::bad_input(format!("cannot read standard input: {error}"), "give a file instead")
    })?;
    Ok(bytes)
}

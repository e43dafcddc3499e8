//! `clmatch inspect FILE`: how a file is understood, and the command that scores it.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use clmatch_analysis::inspection::InspectedDataset;
use clmatch_analysis::manifest::{ListedFile, to_toml};
use clmatch_data::{Inspection, ReadOptions, find, inspect, inspect_bytes};
use clmatch_render::pages::command_line;

use crate::advice::in_words;
use crate::args::{Format, InspectArgs};
use crate::commands::only_source;
use crate::export::inspection;
use crate::export::number::counted;
use crate::failure::{BAD_INPUT, Failure, emit, emit_command};
use crate::refusal::with_settings;
use crate::{output, progress};

pub fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let options = args.input.read_options();
    if args.manifest {
        return manifest(args, &options);
    }
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
    if args.output.format == Format::Csv && !args.output.quiet {
        let lines = inspection::beside_csv(&inspected);
        lines.iter().for_each(|line| emit("note", line.strip_prefix("note: ").unwrap_or(line)));
        inspected.command.iter().for_each(|command| emit_command("help", command));
    }
    Ok(if done { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}

/// Writes a manifest of the datasets in a folder.
fn manifest(args: &InspectArgs, options: &ReadOptions) -> Result<ExitCode, Failure> {
    let left_out = args.input.points_left_out();
    let line = progress::Line::spinner(args.output.quiet);
    let absolute = |path: &Path| {
        std::path::absolute(path).map_err(|error| Failure::other(format!("{}: {error}", path.display())))
    };
    let mut files = Vec::new();
    for source in find(&[absolute(&args.file)?])? {
        line.say(&source.name);
        let found = inspect(&source, options, &left_out);
        let singletons = found.singletons;
        let read = match found.obstacle {
            None => Ok(found.options),
            Some(mut error) => {
                // The comment begins with it.
                error.path.clear();
                Err(error.to_string())
            }
        };
        files.push(ListedFile { source, read, singletons });
    }
    line.clear();
    let listed = files.iter().filter(|file| file.read.is_ok()).count();
    // Paths in a manifest are relative to it.
    let written = args.output.output.as_deref().unwrap_or(Path::new("bench.toml"));
    let folder = absolute(written)?.parent().map(Path::to_owned).unwrap_or_default();
    output::deliver(&to_toml(&folder, &files), &args.output)?;
    if !args.output.quiet {
        emit("note", &format!("{listed} of {} can be scored", counted(files.len(), "dataset")));
    }
    Ok(if listed > 0 { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
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

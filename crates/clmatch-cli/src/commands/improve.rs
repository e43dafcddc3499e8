//! `clmatch improve FILE -o OUT`: the features, or weights on them, that separate the classes.

use std::path::Path;
use std::process::ExitCode;

use clmatch_analysis::AnalysisError;
use clmatch_analysis::improvement::{Finished, ImproveSettings, Improved, ScoreWith, improve_and_write};
use clmatch_data::{Dataset, Original, Severity, Target, Written, WrittenLayout};
use clmatch_render::pages::{command_line, plots};

use crate::args::ImproveArgs;
use crate::commands::relabel::label_of_points;
use crate::commands::{only_source, use_threads};
use crate::export::improvement::improvement;
use crate::export::pretty;
use crate::failure::{Failure, INTERRUPTED, emit, emit_command, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress;

pub fn run(args: &ImproveArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let source = only_source(&args.file, &args.input.read_options(), "improve them one by one")?;
    let target = Target::new(&args.output, &source)?;
    for path in std::iter::once(&args.output).chain(&args.plot).chain(&args.report) {
        check_place(path, &source.path)?;
    }
    let settings = ImproveSettings {
        read: args.input.read_options(),
        scale: args.input.scale,
        noise: args.input.noise.clone(),
        singletons: args.input.singletons(),
        search: args.options(),
    };
    let line = progress::Line::spinner(args.quiet);
    line.say("reading");
    let original = Original::open(&source, &settings.read)?;
    let mut dataset = original.read()?;
    drop(line);
    dataset.scale(settings.scale);
    let finished = search(&original, &dataset, &settings, &target, args.quiet)?;
    speak(&finished, args);
    let improved = finished.improved;
    if let Some(path) = &args.plot {
        output::save(path, &plots::improvement(&improved), args.quiet)?;
    }
    if let Some(path) = &args.report {
        output::save(path, &pretty(&improved), args.quiet)?;
    }
    let report = improvement(&improved, args.format, output::terminal());
    if target.is_stdout() {
        // Standard output is used for the dataset.
        output::show_beside(&report, args.format, args.quiet);
    } else {
        output::show(&report, args.format)?;
    }
    if interrupt::pressed() { Err(interrupted(&args.output)) } else { Ok(ExitCode::SUCCESS) }
}

/// Refuses a target that could not be written, before time is spent on the search.
pub(super) fn check_place(path: &Path, input: &Path) -> Result<(), Failure> {
    let why = |why: &str| Err(Failure::other(format!("cannot write {}: {why}", path.display())));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return why("there is no such folder");
    }
    match (path.canonicalize(), input.canonicalize()) {
        (Ok(path), Ok(input)) if path == input => why("this is the dataset that is read"),
        _ => Ok(()),
    }
}

fn interrupted(path: &Path) -> Failure {
    let what = format!("interrupted: the best so far was written to {}", path.display());
    Failure { what, help: None, code: INTERRUPTED }
}

/// Searches, with a spinner on a terminal, until it is done or Ctrl-C is pressed.
fn search(
    original: &Original,
    dataset: &Dataset,
    settings: &ImproveSettings,
    target: &Target,
    quiet: bool,
) -> Result<Finished, AnalysisError> {
    interrupt::watch_keeping();
    let line = progress::Line::spinner(quiet);
    line.say("searching; Ctrl-C takes the best so far");
    improve_and_write(original, dataset, settings, target, &interrupt::STOP)
}

/// The options with which `clmatch score` of the written file gives the score of all points.
fn options(with: &ScoreWith) -> Vec<String> {
    let mut options = vec!["--scale".to_owned(), with.scale.to_string()];
    let named = [("--label", &with.label), ("--noise", &with.noise)];
    for (name, value) in named.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        options.extend([name.to_owned(), value.clone()]);
    }
    if with.drop_singletons {
        options.extend(["--singletons".to_owned(), "drop".to_owned()]);
    }
    if !with.keep.is_empty() {
        options.extend(["--keep".to_owned(), with.keep.join(",")]);
    }
    if !with.drop.is_empty() {
        options.extend(["--drop".to_owned(), with.drop.join(",")]);
    }
    options
}

fn speak(Finished { improved, written, remarks }: &Finished, args: &ImproveArgs) {
    let note = |text: &str| {
        if !args.quiet {
            emit("note", text);
        }
    };
    if !args.quiet && !written.files.is_empty() {
        let files: Vec<String> = written.files.iter().map(|file| file.display().to_string()).collect();
        emit("written", &files.join(", "));
    }
    label_of_points(written, args.quiet);
    columns_written(improved, args).iter().for_each(|text| note(text));
    if !args.quiet {
        emit_command("note", &format!("to score it again: {}", score_command(improved, written, args)));
    }
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.quiet);
    said.for_each(emit_remark);
}

/// How the columns of the file differ from those of the input, if they do.
fn columns_written(improved: &Improved, args: &ImproveArgs) -> Option<String> {
    let scaled = args.input.scale.is_by_column().then(|| format!("scaled ({})", improved.scale));
    let weighted = improved.weighted.then(|| "multiplied by the square roots of their weights".to_owned());
    let changes: Vec<String> = scaled.into_iter().chain(weighted).collect();
    (!changes.is_empty())
        .then(|| format!("the columns are written as they were scored: {}", changes.join(" and ")))
}

/// The command for the score of all points. A file that is written like the input is read like it.
fn score_command(improved: &Improved, written: &Written, args: &ImproveArgs) -> String {
    let mut words = vec!["clmatch".to_owned(), "score".to_owned(), args.output.display().to_string()];
    words.extend(options(&improved.score_with));
    if written.layout == WrittenLayout::SameFile {
        words.extend(args.input.text_words());
    }
    words.extend(["--measures".to_owned(), improved.objective.clone()]);
    command_line::command(&words)
}

//! `clmatch improve FILE -o OUT`: the features, or weights on them, that make the labels true.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clmatch::improve::{Improvement, Options, improve, reweight};
use clmatch::{Classes, Values};
use clmatch_data::{Dataset, Scale, Severity, Target};
use clmatch_report::{Line, LinePlot, Mark};
use indicatif::ProgressBar;

use crate::args::ImproveArgs;
use crate::commands::{only_source, use_threads};
use crate::export::improvement::improvement;
use crate::export::json::pretty;
use crate::failure::{Failure, OTHER, complain};
use crate::improved::Improved;
use crate::interrupt;
use crate::output;

pub fn run(args: &ImproveArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let source = only_source(&args.file, "improve them one by one")?;
    let target = Target::new(&args.output, &source)?;
    for path in std::iter::once(&args.output).chain(&args.plot).chain(&args.report) {
        check_place(path, &source.path)?;
    }
    let dataset = clmatch_data::read(&source, &args.input.read_options())?;
    let mut scaled = dataset.clone();
    scaled.scale(args.input.scale);
    let options = args.options();
    let refuse = |error| Failure::data(&dataset.name, &error);
    let points = scaled.points().map_err(refuse)?;
    let (noise, singletons) = (args.input.noise.as_deref(), args.input.singletons());
    let classes = Classes::with(points, &dataset.labels, noise, singletons).map_err(refuse)?;
    let found = search(&classes, &options, args.quiet).map_err(refuse)?;
    let improved = Improved::new(&dataset, &classes, args.input.scale, &options, &found);
    write(&dataset, &scaled.values, args, &target, &found)?;
    speak(&dataset, &improved, args);
    if let Some(path) = &args.plot {
        output::save(path, &plot(&improved), args.quiet)?;
    }
    if let Some(path) = &args.report {
        output::save(path, &pretty(&improved), args.quiet)?;
    }
    output::print(&improvement(&improved, args.format, output::terminal()))?;
    match interrupt::pressed() {
        true => Err(interrupted(&args.output)),
        false => Ok(ExitCode::SUCCESS),
    }
}

/// Refuses what could not be written, before time is spent on it.
fn check_place(path: &Path, input: &Path) -> Result<(), Failure> {
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
    Failure { what, help: None, code: OTHER }
}

/// Searches with a sign of life on a terminal, until it is done or Ctrl-C is pressed.
fn search(classes: &Classes<'_>, options: &Options, quiet: bool) -> Result<Improvement, clmatch::DataError> {
    interrupt::watch();
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    bar.set_message("looking for features; Ctrl-C takes the best so far");
    bar.enable_steady_tick(Duration::from_millis(200));
    let found = improve(classes, options, &interrupt::pressed);
    bar.finish_and_clear();
    found
}

/// Writes the reduced dataset in the units of the input, or the weighted one. Where each column was scaled on its own
/// the weights belong to the scaled columns, and these are written.
fn write(
    dataset: &Dataset,
    scaled: &Values<'static>,
    args: &ImproveArgs,
    target: &Target,
    found: &Improvement,
) -> Result<(), Failure> {
    let weights = &found.selection.weights;
    let uniform = matches!(args.input.scale, Scale::None | Scale::MaxAbs);
    let values = if found.selection.is_subset() || uniform { &dataset.values } else { scaled };
    let kept = |(name, weight): (&String, &f64)| (*weight > 0.0).then(|| name.clone());
    let reduced = Dataset {
        name: dataset.name.clone(),
        features: dataset.features.iter().zip(weights).filter_map(kept).collect(),
        values: reweight(values, dataset.features.len(), weights),
        unit: 1.0,
        labels: dataset.labels.clone(),
        notes: Vec::new(),
    };
    let written = clmatch_data::write(&reduced, target)?;
    if !args.quiet {
        let files: Vec<String> = written.files.iter().map(|file| file.display().to_string()).collect();
        complain("written", &files.join(", "));
    }
    if let Some(label) = written.label.filter(|label| label != "label") {
        complain("note", &format!("a feature is called label, so the labels are in the column '{label}'"));
    }
    Ok(())
}

fn speak(dataset: &Dataset, improved: &Improved, args: &ImproveArgs) {
    for note in &dataset.notes {
        match note.severity() {
            Severity::Warning => complain("warning", &note.to_string()),
            Severity::Info if !args.quiet => complain("note", &note.to_string()),
            Severity::Info => {}
        }
    }
    improved.warnings.iter().for_each(|warning| complain("warning", warning));
}

/// The score against the number of features on both halves, and what was found.
fn plot(improved: &Improved) -> String {
    let held_out = improved.scores.held_out.is_some();
    let (first, kept) = (if held_out { "chosen on" } else { "all points" }, improved.kept as f64);
    let mut lines = vec![Line {
        name: format!("greedy path, {first}"),
        points: improved.path.iter().map(|step| (step.features as f64, step.chosen)).collect(),
    }];
    let after = improved.scores.chosen.unwrap_or(improved.scores.all).after;
    let mut marks = vec![Mark { name: format!("found, {first}"), at: (kept, after), like: 0 }];
    if let Some(scores) = improved.scores.held_out {
        let points = improved.path.iter().filter_map(|step| Some((step.features as f64, step.held_out?)));
        lines.push(Line { name: "greedy path, held out".into(), points: points.collect() });
        marks.push(Mark { name: "found, held out".into(), at: (kept, scores.after), like: 1 });
    }
    LinePlot {
        title: format!("{}: {} against the number of features", improved.dataset, improved.objective),
        x: "features kept".into(),
        y: improved.objective.clone(),
        lines,
        marks,
    }
    .svg()
}

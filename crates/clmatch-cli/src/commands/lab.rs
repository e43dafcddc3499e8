//! `clmatch lab EXPERIMENT`: the paper's experiments, each with a page, figures and raw numbers.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::ValueEnum;
use clmatch::measure::defaults;
use clmatch_analysis::batch::BatchEvent;
use clmatch_kernels::Step;
use clmatch_lab::Findings;
use clmatch_lab::driver::{self, Experiment, LabError, LabObserver, LabSettings};
use clmatch_render::wrap;

use crate::args::LabArgs;
use crate::commands::batch::{self, BatchView};
use crate::commands::use_threads;
use crate::failure::{BAD_INPUT, Failure, INDENT, INTERRUPTED, USAGE, emit};
use crate::interrupt;
use crate::output;
use crate::progress::Line;

pub fn run(args: &LabArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    interrupt::watch_keeping();
    let name = args.experiment.to_possible_value().map(|value| value.get_name().to_owned());
    let settings = LabSettings {
        experiment: name.and_then(|name| Experiment::find(&name)),
        reading: args.reading.into(),
        datasets: args.datasets.clone(),
        out: args.out.clone(),
        truth: args.truth.clone(),
        accuracies: args.accuracies.clone(),
        max_points: args.max_points.map(|points| points as usize),
        quick: args.quick,
        seed: args.seed,
    };
    let mut view = LabView { args, batch: BatchView::new(&defaults(), args.quiet) };
    driver::run(&settings, &interrupt::STOP, &mut view)?;
    Ok(ExitCode::SUCCESS)
}

/// What is shown of the experiments while they run.
struct LabView<'a> {
    args: &'a LabArgs,
    batch: BatchView,
}

impl LabObserver for LabView<'_> {
    type Error = Failure;

    fn note(&mut self, text: &str) {
        if !self.args.quiet {
            emit("note", text);
        }
    }

    fn batch<T>(&mut self, event: &BatchEvent<'_, T>) {
        self.batch.show(event, batch::notes);
    }

    fn work(&mut self, name: &str) -> Box<dyn Fn(Step<'_>) + Sync> {
        let (line, begun) = (Line::new(1, self.args.quiet), Instant::now());
        line.say(name);
        Box::new(move |step: Step<'_>| {
            line.pace(begun, step.done as f64, step.of as f64);
        })
    }

    fn written(&mut self, path: &Path) {
        if !self.args.quiet {
            emit("written", &path.display().to_string());
        }
    }

    fn command(&self, findings: &Findings) -> String {
        command(findings, self.args)
    }

    fn finished(&mut self, findings: &Findings, page: &Path) -> Result<(), Failure> {
        self.written(page);
        let summary = findings.summary.replace("<sub>", "_").replace("</sub>", "");
        let text = wrap(&format!("{}: {summary}", findings.stem()), output::terminal(), INDENT);
        output::print(&(text + "\n"))
    }
}

/// The whole command that makes a page again.
fn command(findings: &Findings, args: &LabArgs) -> String {
    let mut words = vec![format!("clmatch lab {}", findings.name)];
    let mut option = |name: &str, value: &dyn std::fmt::Display| words.push(format!("--{name} {value}"));
    if let Some(reading) = findings.reading {
        option("reading", &reading.id());
    }
    if !args.datasets.is_empty() {
        let paths: Vec<String> = args.datasets.iter().map(|path| path.display().to_string()).collect();
        option("datasets", &paths.join(" "));
    }
    option("out", &args.out.display());
    for (name, path) in [("truth", &args.truth), ("accuracies", &args.accuracies)] {
        if let Some(path) = path {
            option(name, &path.display());
        }
    }
    if let Some(points) = args.max_points {
        option("max-points", &points);
    }
    option("seed", &args.seed);
    if args.quick {
        words.push("--quick".into());
    }
    words.join(" ")
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        let (help, code) = match &error {
            LabError::NoDatasets => (Some("name files or folders with --datasets"), USAGE),
            LabError::OneReading => (Some("leave --reading out"), USAGE),
            LabError::OtherDatasets { .. } => {
                (Some("give the table of these datasets, or another folder with --out"), BAD_INPUT)
            }
            LabError::Unusable(failed) => {
                batch::report(failed);
                (Some("correct them, or name the others with --datasets"), BAD_INPUT)
            }
            LabError::Interrupted { failed, resumable, .. } => {
                batch::report(failed);
                (resumable.then_some("the same command continues from here"), INTERRUPTED)
            }
            LabError::Analysis(error) => return Failure::from(error),
            _ => return Failure::other(error.to_string()),
        };
        Failure { what: error.to_string(), help: help.map(str::to_owned), code }
    }
}

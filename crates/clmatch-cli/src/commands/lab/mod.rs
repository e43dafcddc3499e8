//! `clmatch lab EXPERIMENT`: the paper's experiments, each with a page, figures and raw numbers.

mod bench;
mod folder;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use clmatch_analysis::AnalysisError;
use clmatch_lab::findings::{Findings, claims_file};
use clmatch_lab::{
    ablation, across, axioms, calibrate, claims, complexity, density, first_page, runtime, stability, within,
};
use clmatch_render::wrap;
use clmatch_truth::stability::DrawSettings;

use self::bench::Bench;
use crate::args::{Experiment, LabArgs, ReadingChoice};
use crate::commands::use_threads;
use crate::failure::{Failure, INDENT, USAGE, emit};
use crate::interrupt;
use crate::output;

/// In the order of the paper; those that it does not have come last.
const ALL: [Experiment; 10] = [
    Experiment::Axioms,
    Experiment::Complexity,
    Experiment::Ablation,
    Experiment::Across,
    Experiment::Within,
    Experiment::Runtime,
    Experiment::Stability,
    Experiment::Improve,
    Experiment::Calibrate,
    Experiment::Density,
];

/// Synthetic datasets of a first look.
const QUICK_DATASETS: usize = 20;
/// What the number of points is divided by for a first look.
const QUICK_POINTS: usize = 16;

/// Whether the authors' programs differ from the text.
fn has_readings(experiment: Experiment) -> bool {
    experiment.to_possible_value().is_some_and(|value| first_page::has_readings(value.get_name()))
}

pub fn run(args: &LabArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    interrupt::watch();
    let chosen = chosen(args)?;
    let mut bench = Bench::new(args, &chosen)?;
    fs::create_dir_all(&args.out)
        .map_err(|error| Failure::other(format!("cannot make {}: {error}", args.out.display())))?;
    for experiment in chosen {
        let start = Instant::now();
        let findings = conduct(experiment, &mut bench)?;
        write(&findings, &args.out, &provenance(&findings, args, start.elapsed()))?;
        folder::refresh(&args.out, &bench.classifiers_note())?;
        if !args.quiet {
            emit("written", &args.out.join(format!("{}.md", findings.stem())).display().to_string());
        }
        let summary = findings.summary.replace("<sub>", "_").replace("</sub>", "");
        output::print(
            &(wrap(&format!("{}: {summary}", findings.stem()), output::terminal(), INDENT) + "\n"),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The experiments to run, one by one.
fn chosen(args: &LabArgs) -> Result<Vec<Experiment>, Failure> {
    let authors = args.reading == ReadingChoice::Authors;
    match args.experiment {
        Experiment::All => {
            Ok(ALL.into_iter().filter(|&experiment| !authors || has_readings(experiment)).collect())
        }
        one if authors && !has_readings(one) => Err(Failure {
            what: "text and programs say the same about this experiment".into(),
            help: Some("leave --reading out".into()),
            code: USAGE,
        }),
        one => Ok(vec![one]),
    }
}

fn conduct(experiment: Experiment, bench: &mut Bench<'_>) -> Result<Findings, Failure> {
    let (seed, reading) = (bench.seed(), bench.reading());
    match experiment {
        Experiment::Axioms => axioms::findings().map_err(|error| Failure::other(format!("axioms: {error}"))),
        Experiment::Complexity => {
            let full = complexity::ComplexitySettings::default();
            let points = if bench.is_quick() { full.points / QUICK_POINTS } else { full.points };
            let plan = complexity::ComplexitySettings { points, seed };
            bench.watched("complexity", move |control| complexity::findings(&plan, control))
        }
        Experiment::Ablation => {
            let full = ablation::AblationSettings::default();
            let datasets = if bench.is_quick() { QUICK_DATASETS } else { full.datasets };
            let plan = ablation::AblationSettings { datasets, seed, reading, ..full };
            bench.watched("ablation", move |control| ablation::findings(&plan, control))
        }
        Experiment::Calibrate => {
            let options = clmatch_analysis::calibration::Options {
                seed,
                ..clmatch_analysis::calibration::Options::default()
            };
            let full = calibrate::CalibrationSettings::default();
            let datasets = if bench.is_quick() { QUICK_DATASETS } else { full.datasets };
            let plan = calibrate::CalibrationSettings { datasets, options, ..full };
            bench.watched("calibrate", move |control| calibrate::findings(&plan, control))
        }
        Experiment::Within => Ok(within::findings(&bench.noise()?, reading, seed)),
        Experiment::Across => {
            let (measured, truth, accuracies) = (bench.measured()?, bench.truth()?, bench.accuracies()?);
            let (classifiers, truth_note) = (bench.classifiers_note(), bench.truth_note());
            let plan = across::AcrossSettings {
                seed,
                reading,
                classifiers,
                truth: truth_note,
                ..across::AcrossSettings::default()
            };
            across::findings(&measured, &truth, &accuracies, &plan)
                .map_err(|error| AnalysisError::table(&bench.truth_path(), error).into())
        }
        Experiment::Stability => {
            let (measured, truth) = (bench.measured()?, bench.truth()?);
            let plan = DrawSettings { seed, ..DrawSettings::default() };
            stability::findings(&measured, &truth, reading, &bench.truth_note(), plan)
                .map_err(|error| AnalysisError::table(&bench.truth_path(), error).into())
        }
        Experiment::Runtime => {
            let (measured, truth, accuracies) = (bench.measured()?, bench.truth()?, bench.accuracies()?);
            runtime::findings(&measured, &truth, &accuracies, &bench.classifiers_note())
                .map_err(|error| AnalysisError::table(&bench.truth_path(), error).into())
        }
        Experiment::Density => Ok(density::findings(&bench.thinned()?)),
        Experiment::Improve => bench.improve(),
        Experiment::TruthSeeds => bench.truth_seeds(),
        Experiment::All => Err(Failure::other("all is not one experiment")),
    }
}

/// How a page was made.
fn provenance(findings: &Findings, args: &LabArgs, time: Duration) -> String {
    format!(
        "## Made by\n\n`{}` of clmatch {} with {} threads, in {:.0} s; tables and finished datasets that were there before are \
         not in that time.\n",
        command(findings, args),
        env!("CARGO_PKG_VERSION"),
        rayon::current_num_threads(),
        time.as_secs_f64()
    )
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

/// The files first, then the claims and the page that shows them.
fn write(findings: &Findings, folder: &Path, provenance: &str) -> Result<(), Failure> {
    for file in &findings.files {
        output::save(&folder.join(&file.name), &file.text, true)?;
    }
    if !findings.claims.is_empty() {
        let name = claims_file(findings.name, findings.reading.unwrap_or_default());
        output::save(&folder.join(name), &claims::table(&findings.claims), true)?;
    }
    let page = format!("{}\n{provenance}", findings.markdown());
    output::save(&folder.join(format!("{}.md", findings.stem())), &page, true)
}

//! `clmatch lab EXPERIMENT`: the paper's experiments, each with a page, figures and raw numbers.

mod bench;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clmatch_analysis::AnalysisError;
use clmatch_lab::findings::{Findings, index};
use clmatch_lab::{ablation, across, calibrate, density, runtime, stability, within};
use clmatch_truth::stability::DrawSettings;

use self::bench::Bench;
use crate::args::{Experiment, LabArgs};
use crate::commands::use_threads;
use crate::failure::{Failure, emit};
use crate::interrupt;
use crate::output;

const ALL: [Experiment; 8] = [
    Experiment::Ablation,
    Experiment::Calibrate,
    Experiment::Within,
    Experiment::Across,
    Experiment::Stability,
    Experiment::Runtime,
    Experiment::Density,
    Experiment::Improve,
];

pub fn run(args: &LabArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    interrupt::watch();
    let chosen = if args.experiment == Experiment::All { ALL.to_vec() } else { vec![args.experiment] };
    let mut bench = Bench::new(args, &chosen)?;
    fs::create_dir_all(&args.out)
        .map_err(|error| Failure::other(format!("cannot make {}: {error}", args.out.display())))?;
    let mut all = Vec::new();
    for experiment in chosen {
        let start = Instant::now();
        let findings = conduct(experiment, &mut bench)?;
        write(&findings, &args.out, &provenance(&findings, args, start.elapsed()))?;
        if !args.quiet {
            emit("written", &args.out.join(format!("{}.md", findings.name)).display().to_string());
        }
        output::print(&format!("{}: {}\n", findings.name, findings.summary))?;
        all.push(findings);
    }
    if args.experiment == Experiment::All {
        output::save(&args.out.join("index.md"), &index(&all), args.quiet)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn conduct(experiment: Experiment, bench: &mut Bench<'_>) -> Result<Findings, Failure> {
    let seed = bench.seed();
    match experiment {
        Experiment::Ablation => {
            let plan = ablation::AblationSettings { seed, ..ablation::AblationSettings::default() };
            bench.watched("ablation", move |control| ablation::findings(&plan, control))
        }
        Experiment::Calibrate => {
            let options = calibrate::Options { seed, ..calibrate::Options::default() };
            let plan =
                calibrate::CalibrationSettings { options, ..calibrate::CalibrationSettings::default() };
            bench.watched("calibrate", move |control| calibrate::findings(&plan, control))
        }
        Experiment::Within => Ok(within::findings(&bench.noise()?, seed)),
        Experiment::Across => {
            let (measured, truth, accuracies) = (bench.measured()?, bench.truth()?, bench.accuracies()?);
            let plan = across::AcrossSettings { seed, ..across::AcrossSettings::default() };
            across::findings(&measured, &truth, &accuracies, plan)
                .map_err(|error| AnalysisError::table(&bench.truth_path(), error).into())
        }
        Experiment::Stability => {
            let (measured, truth) = (bench.measured()?, bench.truth()?);
            let plan = DrawSettings { seed, ..DrawSettings::default() };
            stability::findings(&measured, &truth, plan)
                .map_err(|error| AnalysisError::table(&bench.truth_path(), error).into())
        }
        Experiment::Runtime => {
            let (measured, truth, accuracies) = (bench.measured()?, bench.truth()?, bench.accuracies()?);
            runtime::findings(&measured, &truth, &accuracies)
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
        "## Made by\n\n`clmatch lab {} --seed {}` of clmatch {} with {} threads, in {:.0} s; tables and finished datasets that \
         were there before are not in that time.\n",
        findings.name,
        args.seed,
        env!("CARGO_PKG_VERSION"),
        rayon::current_num_threads(),
        time.as_secs_f64()
    )
}

/// The files first, then the page that shows them.
fn write(findings: &Findings, folder: &Path, provenance: &str) -> Result<(), Failure> {
    for file in &findings.files {
        output::save(&folder.join(&file.name), &file.text, true)?;
    }
    let page = format!("{}\n{provenance}", findings.markdown());
    output::save(&folder.join(format!("{}.md", findings.name)), &page, true)
}

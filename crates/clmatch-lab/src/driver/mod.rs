//! From settings to a folder with a page, figures and raw numbers for each experiment, and a first page that leads to all of them.

mod error;
mod experiment;
mod folder;
mod inputs;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clmatch_analysis::AnalysisError;
use clmatch_analysis::batch::BatchEvent;
use clmatch_analysis::calibration::Options;
use clmatch_analysis::error::FileAction;
use clmatch_data::write_whole;
use clmatch_kernels::{Step, Stop};
use clmatch_truth::stability::DrawSettings;

use self::inputs::Inputs;
use crate::findings::Findings;
use crate::reading::Reading;
use crate::{ablation, across, axioms, calibrate, complexity, density, runtime, stability, within};

pub use error::LabError;
pub use experiment::Experiment;

/// Synthetic datasets of a first look.
const QUICK_DATASETS: usize = 20;
/// What the number of points is divided by for a first look.
const QUICK_POINTS: usize = 16;

/// What is run, on what, and where results go.
#[derive(Debug, Clone)]
pub struct LabSettings {
    /// The experiment; `None` for all that are [run together](Experiment::TOGETHER).
    pub experiment: Option<Experiment>,
    /// How the paper is read.
    pub reading: Reading,
    /// Files, and folders that are searched for datasets.
    pub datasets: Vec<PathBuf>,
    /// The folder for results, and for what a later run continues with.
    pub out: PathBuf,
    /// A table of ground truth; `None` for the one in the folder, which is computed if it is not there.
    pub truth: Option<PathBuf>,
    /// A table of accuracies; `None` for the one in the folder, which is computed if it is not there.
    pub accuracies: Option<PathBuf>,
    /// Techniques are tuned on at most this many points of each dataset, where the ground truth is not there yet.
    pub max_points: Option<usize>,
    /// Whether a first look is enough.
    pub quick: bool,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Who hears what a run does.
pub trait LabObserver {
    /// Why a run ends early, in the terms of the one who started it.
    type Error: From<LabError>;

    /// Something that is good to know.
    fn note(&mut self, text: &str);

    /// Work on datasets, and what comes of it.
    fn batch<T>(&mut self, event: &BatchEvent<'_, T>);

    /// Work without datasets begins. What is returned hears of its steps, and is dropped at the end.
    fn work(&mut self, name: &str) -> Box<dyn Fn(Step<'_>) + Sync>;

    /// A table that was computed for several experiments was written.
    fn written(&mut self, path: &Path);

    /// The command that makes the same findings again, for their page.
    fn command(&self, findings: &Findings) -> String;

    /// The results of an experiment are in the folder. An error ends the run.
    fn finished(&mut self, findings: &Findings, page: &Path) -> Result<(), Self::Error>;
}

/// Runs experiments one after the other.
///
/// # Errors
/// See [`LabError`].
pub fn run<O: LabObserver>(
    settings: &LabSettings,
    stop: &'static Stop,
    observer: &mut O,
) -> Result<(), O::Error> {
    let chosen = chosen(settings)?;
    let mut inputs = Inputs::new(settings, &chosen, stop, observer)?;
    fs::create_dir_all(&settings.out)
        .map_err(|error| LabError::Folder { path: settings.out.clone(), error })?;
    for experiment in chosen {
        let start = Instant::now();
        let findings = conduct(experiment, settings, &mut inputs)?;
        let provenance = provenance(&inputs.observer.command(&findings), start.elapsed());
        let page = folder::write(&findings, &settings.out, &provenance)?;
        folder::refresh(&settings.out, settings.classifiers_note())?;
        inputs.observer.finished(&findings, &page)?;
    }
    Ok(())
}

impl LabSettings {
    /// How the classifiers were tuned, for every table that shows them.
    fn classifiers_note(&self) -> &'static str {
        match &self.accuracies {
            Some(_) => "tuned as in the table that was given",
            None => "tuned by `clmatch classify --quick`, not with its default settings",
        }
    }
}

/// The experiments to run, one by one.
fn chosen(settings: &LabSettings) -> Result<Vec<Experiment>, LabError> {
    let is_there = |one: &Experiment| settings.reading == Reading::Text || one.has_readings();
    match settings.experiment {
        None => Ok(Experiment::TOGETHER.into_iter().filter(is_there).collect()),
        Some(one) if is_there(&one) => Ok(vec![one]),
        Some(_) => Err(LabError::OneReading),
    }
}

/// Runs one experiment.
fn conduct<O: LabObserver>(
    experiment: Experiment,
    settings: &LabSettings,
    inputs: &mut Inputs<'_, O>,
) -> Result<Findings, LabError> {
    let LabSettings { seed, reading, quick, .. } = *settings;
    match experiment {
        Experiment::Axioms => axioms::findings()
            .map_err(|error| LabError::Experiment { name: "axioms", error: Box::new(error) }),
        Experiment::Complexity => {
            let full = complexity::ComplexitySettings::default();
            let points = if quick { full.points / QUICK_POINTS } else { full.points };
            let plan = complexity::ComplexitySettings { points, seed };
            inputs.watched("complexity", move |control| complexity::findings(&plan, control))
        }
        Experiment::Ablation => {
            let full = ablation::AblationSettings::default();
            let datasets = if quick { QUICK_DATASETS } else { full.datasets };
            let plan = ablation::AblationSettings { datasets, seed, reading, ..full };
            inputs.watched("ablation", move |control| ablation::findings(&plan, control))
        }
        Experiment::Calibrate => {
            let options = Options { seed, ..Options::default() };
            let full = calibrate::CalibrationSettings::default();
            let datasets = if quick { QUICK_DATASETS } else { full.datasets };
            let plan = calibrate::CalibrationSettings { datasets, options, ..full };
            inputs.watched("calibrate", move |control| calibrate::findings(&plan, control))
        }
        Experiment::Within => Ok(within::findings(&inputs.noise()?, reading, seed)),
        Experiment::Across => {
            let (measured, truth, accuracies) = (inputs.measured()?, inputs.truth()?, inputs.accuracies()?);
            let (classifiers, truth_note) = (settings.classifiers_note().to_owned(), inputs.truth_note());
            let plan = across::AcrossSettings {
                seed,
                reading,
                classifiers,
                truth: truth_note,
                ..across::AcrossSettings::default()
            };
            across::findings(&measured, &truth, &accuracies, &plan)
                .map_err(|error| AnalysisError::table(&inputs.truth_path(), error).into())
        }
        Experiment::Stability => {
            let (measured, truth) = (inputs.measured()?, inputs.truth()?);
            let plan = DrawSettings { seed, ..DrawSettings::default() };
            stability::findings(&measured, &truth, reading, &inputs.truth_note(), plan)
                .map_err(|error| AnalysisError::table(&inputs.truth_path(), error).into())
        }
        Experiment::Runtime => {
            let (measured, truth, accuracies) = (inputs.measured()?, inputs.truth()?, inputs.accuracies()?);
            runtime::findings(&measured, &truth, &accuracies, settings.classifiers_note())
                .map_err(|error| AnalysisError::table(&inputs.truth_path(), error).into())
        }
        Experiment::Density => Ok(density::findings(&inputs.thinned()?)),
        Experiment::Improve => inputs.improve(),
        Experiment::TruthSeeds => inputs.truth_seeds(),
    }
}

/// How a page was made.
fn provenance(command: &str, time: Duration) -> String {
    format!(
        "## Made by\n\n`{command}` of clmatch {} with {} threads, in {:.0} s; tables and finished datasets that were there before are \
         not in that time.\n",
        env!("CARGO_PKG_VERSION"),
        rayon::current_num_threads(),
        time.as_secs_f64()
    )
}

/// Writes a file that appears whole or not at all.
fn save(path: &Path, text: &str) -> Result<(), LabError> {
    write_whole(path, text.as_bytes()).map_err(|error| {
        AnalysisError::File { action: FileAction::Write, path: path.to_owned(), error }.into()
    })
}

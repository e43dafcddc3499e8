//! Turns settings into a folder with a page, figures and raw numbers for each experiment, and a first page that leads to
//! all of them.

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

/// The number of synthetic datasets for a first look.
const QUICK_DATASETS: usize = 20;
/// The number of points is divided by this for a first look.
const QUICK_POINTS: usize = 16;

/// What to run, on which datasets, and where the results go.
#[derive(Debug, Clone)]
pub struct LabSettings {
    /// The experiment; `None` for all those that are [run together](Experiment::TOGETHER).
    pub experiment: Option<Experiment>,
    /// The reading of the paper.
    pub reading: Reading,
    /// Files, and folders that are searched for datasets.
    pub datasets: Vec<PathBuf>,
    /// The folder for results, and for the files that a later run needs to continue.
    pub out: PathBuf,
    /// A table of ground truth; `None` for the one in the folder, which is computed if it does not exist.
    pub truth: Option<PathBuf>,
    /// A table of accuracies; `None` for the one in the folder, which is computed if it does not exist.
    pub accuracies: Option<PathBuf>,
    /// If the ground truth has yet to be computed, techniques are tuned on at most this many points of each dataset.
    pub max_points: Option<usize>,
    /// Whether a first look is enough.
    pub quick: bool,
    /// The seed of all random choices.
    pub seed: u64,
}

/// Receives the events of a run.
pub trait LabObserver {
    /// The caller's type for the reason why a run ends early.
    type Error: From<LabError>;

    /// Receives a note for the user.
    fn note(&mut self, text: &str);

    /// Receives the events of work on datasets.
    fn batch<T>(&mut self, event: &BatchEvent<'_, T>);

    /// Work without datasets begins. The returned function receives its steps, and is dropped at the end.
    fn work(&mut self, name: &str) -> Box<dyn Fn(Step<'_>) + Sync>;

    /// A table that several experiments use was computed and written.
    fn written(&mut self, path: &Path);

    /// The command that reproduces the findings, for their page.
    fn command(&self, findings: &Findings) -> String;

    /// The results of an experiment have been written to the folder. An error ends the run.
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
    /// How the classifiers were tuned, as a note for every table that shows them.
    fn classifiers_note(&self) -> &'static str {
        match &self.accuracies {
            Some(_) => "tuned as in the table that was given",
            None => "tuned by `clmatch classify --quick`, not with its default settings",
        }
    }
}

/// The list of experiments to run.
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

/// A line that says how a page was made.
fn provenance(command: &str, time: Duration) -> String {
    format!(
        "## Made by\n\n`{command}` of clmatch {} with {} threads, in {:.0} s; tables and finished datasets that were there before are \
         not in that time.\n",
        env!("CARGO_PKG_VERSION"),
        rayon::current_num_threads(),
        time.as_secs_f64()
    )
}

/// Writes a file atomically: it appears whole or not at all.
fn save(path: &Path, text: &str) -> Result<(), LabError> {
    write_whole(path, text.as_bytes()).map_err(|error| {
        AnalysisError::File { action: FileAction::Write, path: path.to_owned(), error }.into()
    })
}

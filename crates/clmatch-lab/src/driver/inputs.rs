//! The input of experiments: datasets, and tables that are read if they exist and computed once otherwise.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clmatch::Classes;
use clmatch::measure::{self, REGISTRY};
use clmatch_analysis::AnalysisError;
use clmatch_analysis::accuracies::{self, AccuracySettings, Mode};
use clmatch_analysis::batch::{self, BatchEvent, BatchOutcome, Found};
use clmatch_analysis::ground_truth::{self, GroundTruthSettings};
use clmatch_analysis::resume::{Identity, Record};
use clmatch_analysis::source::read_text;
use clmatch_analysis::subsample::{SampleSpec, Subsample};
use clmatch_cluster::external::{External, Truth};
use clmatch_data::{Dataset, ReadOptions, Scale, Source};
use clmatch_kernels::{Control, Step, Stop};
use clmatch_render::method_scores::{accuracies_csv, truth_csv};
use clmatch_truth::results::{self, MethodScore, Results};
use clmatch_truth::techniques::{TruthSearch, TruthSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Experiment, LabError, LabObserver, LabSettings, save};
use crate::density::Thinned;
use crate::failure::Failure;
use crate::findings::Findings;
use crate::improve::{self, ImproveSettings, Improved, Labelled, Weighted};
use crate::measured::Measured;
use crate::reading::Reading;
use crate::seeds;
use crate::within::{DRAWS, Noise};

/// The datasets and tables of one run; what several experiments need is read or computed once.
pub(super) struct Inputs<'a, O> {
    settings: &'a LabSettings,
    stop: &'static Stop,
    pub(super) observer: &'a mut O,
    measured: Option<Rc<Vec<Measured>>>,
    truth: Option<Rc<Vec<MethodScore>>>,
    accuracies: Option<Rc<Vec<MethodScore>>>,
}

impl<'a, O: LabObserver> Inputs<'a, O> {
    /// Rejects at once what could otherwise only fail after hours.
    pub(super) fn new(
        settings: &'a LabSettings,
        chosen: &[Experiment],
        stop: &'static Stop,
        observer: &'a mut O,
    ) -> Result<Self, LabError> {
        if settings.datasets.is_empty() && chosen.iter().any(|one| one.needs_datasets()) {
            return Err(LabError::NoDatasets);
        }
        let mut inputs = Inputs { settings, stop, observer, measured: None, truth: None, accuracies: None };
        if !settings.datasets.is_empty() {
            let sources = clmatch_data::find(&settings.datasets)?;
            if chosen.iter().any(|one| one.needs_truth()) {
                inputs.check_table(&inputs.truth_path(), settings.truth.is_some(), &sources)?;
            }
            if chosen.iter().any(|one| one.needs_accuracies()) {
                inputs.check_table(&inputs.accuracies_path(), settings.accuracies.is_some(), &sources)?;
            }
        }
        Ok(inputs)
    }

    /// Checks that a table, if it exists or must exist, belongs to the datasets.
    fn check_table(&mut self, path: &Path, named: bool, sources: &[Source]) -> Result<(), LabError> {
        if !named && !path.exists() {
            return Ok(());
        }
        let rows = results::read(&read_text(path)?).map_err(|error| AnalysisError::table(path, error))?;
        let known: BTreeSet<&str> = rows.iter().map(|row| row.dataset.as_str()).collect();
        let wanted: BTreeSet<&str> = sources.iter().map(|source| source.name.as_str()).collect();
        let what = match (wanted.difference(&known).next(), known.difference(&wanted).next()) {
            (Some(missing), _) => format!("there is no score on {missing}"),
            (_, Some(extra)) => format!("{extra} is not among the datasets"),
            (None, None) => {
                self.observer.note(&format!("the scores in {} are used", path.display()));
                return Ok(());
            }
        };
        Err(LabError::OtherDatasets { path: path.to_owned(), what })
    }

    /// A note on the ground truth, in addition to the reading; may be empty.
    pub(super) fn truth_note(&self) -> String {
        let given = self.settings.truth.as_ref().map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!(" That is what the reading asks for; the scores here are those of `{name}`, however it was made.")
        });
        let limited = self.settings.max_points.map(|points| {
            format!(" The techniques saw at most {points} points of each dataset, drawn class by class.")
        });
        [given, limited].into_iter().flatten().collect()
    }

    /// The values of all measures on every dataset, each computed alone and timed.
    pub(super) fn measured(&mut self) -> Result<Rc<Vec<Measured>>, LabError> {
        if let Some(measured) = &self.measured {
            return Ok(Rc::clone(measured));
        }
        let identity = Identity::new("lab measured").with_probe(REGISTRY);
        let record = Record::open(&self.in_folder("measured.jsonl"), identity, None)?;
        let done = self.each_dataset(Some(record), |dataset, _| {
            let refuse = |error| AnalysisError::input(&dataset.name, error);
            let classes = Classes::new(dataset.points(), dataset.labels()).map_err(refuse)?;
            Measured::of(&dataset.name, &classes).map_err(refuse)
        })?;
        let measured = Rc::new(done);
        self.measured = Some(Rc::clone(&measured));
        Ok(measured)
    }

    /// The values of all measures on every dataset under shuffled labels.
    pub(super) fn noise(&mut self) -> Result<Vec<Noise>, LabError> {
        let seed = self.settings.seed;
        let identity =
            Identity::new("lab within").with("seed", seed).with("draws", DRAWS).with_probe(REGISTRY);
        let record = Record::open(&self.in_folder("within.jsonl"), identity, None)?;
        let mut done = self.each_dataset(Some(record), move |dataset, _| {
            let refuse = |error| AnalysisError::input(&dataset.name, error);
            Noise::of(&dataset.name, &dataset.points(), dataset.labels(), seed).map_err(refuse)
        })?;
        done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ok(done)
    }

    /// The values on every dataset with fewer points.
    pub(super) fn thinned(&mut self) -> Result<Vec<Thinned>, LabError> {
        let seed = self.settings.seed;
        let mut done = self.each_dataset(None::<Record<Thinned>>, move |dataset, control| {
            Thinned::of(&dataset.name, &dataset.points(), dataset.labels(), seed, control).map_err(|error| {
                match error {
                    Failure::Stopped(stopped) => stopped.into(),
                    error => AnalysisError::input(&dataset.name, error),
                }
            })
        })?;
        done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ok(done)
    }

    fn truth_name(&self, ending: &str) -> String {
        format!("{}{ending}", self.settings.reading.mark("truth"))
    }

    /// The path of the ground truth, whether it exists already or not.
    pub(super) fn truth_path(&self) -> PathBuf {
        self.settings.truth.clone().unwrap_or_else(|| self.in_folder(&self.truth_name(".csv")))
    }

    pub(super) fn truth(&mut self) -> Result<Rc<Vec<MethodScore>>, LabError> {
        if let Some(truth) = &self.truth {
            return Ok(Rc::clone(truth));
        }
        let path = self.truth_path();
        if !path.exists() {
            let text = "computing the ground truth: this takes long; after an interrupt the same command continues it";
            self.observer.note(text);
            let seed = self.settings.seed;
            let search = match self.settings.reading {
                Reading::Text => TruthSearch::Full,
                Reading::Authors => TruthSearch::Paper,
            };
            let search = TruthSettings { seed, search, ..TruthSettings::default() };
            let sample = SampleSpec { seed, max_points: self.settings.max_points, ..SampleSpec::default() };
            let settings = GroundTruthSettings { sample, search, ..GroundTruthSettings::default() };
            let record =
                Record::open(&self.in_folder(&self.truth_name(".jsonl")), settings.identity(), None)?;
            let done = self.over(Some(record), move |source, control| {
                ground_truth::read_and_tune(source, &settings, control)
            })?;
            save(&path, &truth_csv(&ground_truth::rank(done, External::Ami)))?;
            self.observer.written(&path);
        }
        // Our table marks partitions that the authors' program counts.
        let read = match self.settings.reading {
            Reading::Text => results::read,
            Reading::Authors => results::read_with_singletons,
        };
        let rows = Rc::new(read(&read_text(&path)?).map_err(|error| AnalysisError::table(&path, error))?);
        self.truth = Some(Rc::clone(&rows));
        Ok(rows)
    }

    fn accuracies_path(&self) -> PathBuf {
        self.settings.accuracies.clone().unwrap_or_else(|| self.in_folder("classifiers.csv"))
    }

    pub(super) fn accuracies(&mut self) -> Result<Rc<Vec<MethodScore>>, LabError> {
        if let Some(accuracies) = &self.accuracies {
            return Ok(Rc::clone(accuracies));
        }
        let path = self.accuracies_path();
        if !path.exists() {
            let text =
                "tuning the classifiers: this takes long; after an interrupt the same command continues it";
            self.observer.note(text);
            let settings = AccuracySettings::new(Mode::Quick, self.settings.seed);
            let record = Record::open(&self.in_folder("classifiers.jsonl"), settings.identity(), None)?;
            let done = self.over(Some(record), move |source, control| {
                accuracies::read_and_tune(source, &settings, control)
            })?;
            save(&path, &accuracies_csv(&accuracies::rank(done)))?;
            self.observer.written(&path);
        }
        let refuse = |error| AnalysisError::table(&path, error);
        let rows = Rc::new(results::read(&read_text(&path)?).map_err(refuse)?);
        // An error in this table is reported for this table, and not for the ground truth that it is compared with.
        Results::new(&rows, None, &[]).map_err(refuse)?;
        self.accuracies = Some(Rc::clone(&rows));
        Ok(rows)
    }

    /// The datasets with better features; finished ones are kept in the folder.
    pub(super) fn improve(&mut self) -> Result<Findings, LabError> {
        let plan = ImproveSettings::new(self.settings.reading, self.settings.seed);
        match self.settings.reading {
            Reading::Text => {
                let mut done = self.improved("improve.jsonl", &plan, Improved::of)?;
                done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
                Ok(improve::findings(&done, &plan))
            }
            Reading::Authors => {
                let mut done = self.improved("improve-authors.jsonl", &plan, Weighted::of)?;
                done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
                Ok(improve::weighted_findings(&done, &plan))
            }
        }
    }

    /// Improves every dataset by one of the searches.
    fn improved<T: Serialize + DeserializeOwned + Send + 'static>(
        &mut self,
        record: &str,
        plan: &ImproveSettings,
        of: fn(Labelled<'_>, &ImproveSettings, Control<'_>) -> Result<T, Failure>,
    ) -> Result<Vec<T>, LabError> {
        let record = Record::open(&self.in_folder(record), improve_identity(plan), None)?;
        let (plan, sample) = (plan.clone(), SampleSpec { seed: self.settings.seed, ..SampleSpec::default() });
        self.each_dataset(Some(record), move |dataset, control| {
            let chosen = Subsample::of(dataset, &sample)?;
            let data = Labelled { dataset: &dataset.name, points: &chosen.points, classes: &chosen.classes };
            of(data, &plan, control).map_err(|error| match error {
                Failure::Stopped(stopped) => stopped.into(),
                error => AnalysisError::input(&dataset.name, error),
            })
        })
    }

    /// The ground truth with every seed, beside that of an earlier version if its table is in the folder.
    pub(super) fn truth_seeds(&mut self) -> Result<Findings, LabError> {
        let path = self.in_folder("truth-seeds-before.csv");
        let before = if path.exists() {
            seeds::read(&read_text(&path)?).map_err(|error| AnalysisError::table(&path, error))?
        } else {
            Vec::new()
        };
        let truth = GroundTruthSettings::default();
        let record = Record::open(&self.in_folder("truth-seeds.jsonl"), truth.identity(), None)?;
        let done = self.each_dataset(Some(record), |dataset, control| {
            let chosen = Subsample::of(dataset, &SampleSpec::default())?;
            let classes = Truth::new(&chosen.classes);
            Ok(seeds::spans(&dataset.name, &chosen.points, &classes, control)?)
        })?;
        Ok(seeds::findings(&done.concat(), &before))
    }

    /// Does work without datasets, with a bar that counts its steps.
    pub(super) fn watched(
        &mut self,
        name: &'static str,
        work: impl FnOnce(Control<'_>) -> Result<Findings, Failure>,
    ) -> Result<Findings, LabError> {
        let listener = self.observer.work(name);
        let furthest = AtomicUsize::new(0);
        let progress = |step: Step<'_>| {
            if furthest.fetch_max(step.done, Ordering::Relaxed) < step.done {
                listener(step);
            }
        };
        work(Control::new(self.stop).with_progress(&progress)).map_err(|error| match self.stop.check() {
            Err(_) => LabError::Stopped(name),
            Ok(()) => LabError::Experiment { name, error: Box::new(error) },
        })
    }

    /// Works on one dataset after the other, scaled as in the paper, with all threads.
    fn each_dataset<T: Serialize + DeserializeOwned + Send + 'static>(
        &mut self,
        record: Option<Record<T>>,
        work: impl Fn(&Dataset, Control<'_>) -> Result<T, AnalysisError> + Send + 'static,
    ) -> Result<Vec<T>, LabError> {
        self.over(record, move |source, control| {
            let mut dataset = clmatch_data::read(source, &ReadOptions::default())?;
            dataset.scale(Scale::default());
            Ok((work(&dataset, control)?, Vec::new()))
        })
    }

    /// Works on all datasets. An experiment compares with the paper, so it needs every one of them.
    fn over<T: Serialize + DeserializeOwned + Send + 'static>(
        &mut self,
        record: Option<Record<T>>,
        work: impl Fn(&Source, Control<'_>) -> Found<T> + Send + 'static,
    ) -> Result<Vec<T>, LabError> {
        let resumable = record.is_some();
        let sources = clmatch_data::find(&self.settings.datasets)?;
        let observe = &mut |event: BatchEvent<'_, T>| self.observer.batch(&event);
        let BatchOutcome { done, failed, unfinished } =
            batch::over(sources, record, self.stop, observe, work)?;
        match (unfinished, failed.len()) {
            (0, 0) => Ok(done),
            (0, _) => Err(LabError::Unusable(failed)),
            (unfinished, _) => Err(LabError::Interrupted { unfinished, failed, resumable }),
        }
    }

    /// The path of a file in the folder of results.
    fn in_folder(&self, name: &str) -> PathBuf {
        self.settings.out.join(name)
    }
}

/// The settings that a resumed experiment must share with this one.
fn improve_identity(settings: &ImproveSettings) -> Identity {
    let search = settings.truth.clone();
    let truth = GroundTruthSettings { search, ..GroundTruthSettings::default() };
    truth
        .identity()
        .with("analysis", "lab improve")
        .with("points", settings.max_points)
        .with("seconds", settings.budget.as_secs_f64())
        .with("seed", settings.seed)
        .with_probe(&measure::defaults())
}

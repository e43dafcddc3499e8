//! What experiments work on: datasets, and tables that are read where they are there, and computed once where not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clmatch::Classes;
use clmatch::measure::{self, REGISTRY};
use clmatch_analysis::AnalysisError;
use clmatch_analysis::accuracies::{self, AccuracySettings, Mode};
use clmatch_analysis::batch::BatchOutcome;
use clmatch_analysis::ground_truth::{self, GroundTruthSettings};
use clmatch_analysis::resume::{Identity, Record};
use clmatch_analysis::source::read_text;
use clmatch_analysis::subsample::{SampleSpec, Subsample};
use clmatch_cluster::external::{External, Truth};
use clmatch_data::{Dataset, ReadOptions, Scale, Source};
use clmatch_kernels::{Control, Step};
use clmatch_lab::density::Thinned;
use clmatch_lab::improve::{self, ImproveSettings, Improved, Labelled, Weighted};
use clmatch_lab::seeds;
use clmatch_lab::within::{DRAWS, Noise};
use clmatch_lab::{Findings, Measured, Reading};
use clmatch_truth::results::{self, MethodScore, Results};
use clmatch_truth::techniques::{TruthSearch, TruthSettings};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::args::{Experiment, LabArgs};
use crate::commands::batch;
use crate::commands::{classify as classifying, truth as tuning};
use crate::export;
use crate::export::number::counted;
use crate::failure::{BAD_INPUT, Failure, INTERRUPTED, USAGE, emit};
use crate::interrupt;
use crate::output;
use crate::progress::Line;

pub struct Bench<'a> {
    args: &'a LabArgs,
    measured: Option<Rc<Vec<Measured>>>,
    truth: Option<Rc<Vec<MethodScore>>>,
    accuracies: Option<Rc<Vec<MethodScore>>>,
}

impl<'a> Bench<'a> {
    /// Refuses at once what could only fail after hours.
    pub fn new(args: &'a LabArgs, chosen: &[Experiment]) -> Result<Self, Failure> {
        let synthetic = |one: &Experiment| {
            matches!(
                one,
                Experiment::Axioms | Experiment::Complexity | Experiment::Ablation | Experiment::Calibrate
            )
        };
        if args.datasets.is_empty() && !chosen.iter().all(synthetic) {
            return Err(Failure {
                what: "this experiment needs datasets".into(),
                help: Some("name files or folders with --datasets".into()),
                code: USAGE,
            });
        }
        let bench = Bench { args, measured: None, truth: None, accuracies: None };
        if !args.datasets.is_empty() {
            let sources = clmatch_data::find(&args.datasets)?;
            let tuned = |one: &Experiment| {
                matches!(one, Experiment::Across | Experiment::Stability | Experiment::Runtime)
            };
            if chosen.iter().any(tuned) {
                bench.check_table(&bench.truth_path(), args.truth.is_some(), &sources)?;
            }
            if chosen.iter().any(|one| matches!(one, Experiment::Across | Experiment::Runtime)) {
                bench.check_table(&bench.accuracies_path(), args.accuracies.is_some(), &sources)?;
            }
        }
        Ok(bench)
    }

    /// A table that is there, or must be, belongs to the datasets.
    fn check_table(&self, path: &Path, named: bool, sources: &[Source]) -> Result<(), Failure> {
        if !named && !path.exists() {
            return Ok(());
        }
        let rows = results::read(&read_text(path)?).map_err(|error| AnalysisError::table(path, error))?;
        let known: BTreeSet<&str> = rows.iter().map(|row| row.dataset.as_str()).collect();
        let wanted: BTreeSet<&str> = sources.iter().map(|source| source.name.as_str()).collect();
        let place = path.display();
        let what = match (wanted.difference(&known).next(), known.difference(&wanted).next()) {
            (Some(missing), _) => format!("{place}: there is no score on {missing}"),
            (_, Some(extra)) => format!("{place}: {extra} is not among the datasets"),
            (None, None) => {
                self.tell(&format!("the scores in {place} are used"));
                return Ok(());
            }
        };
        let help = Some("give the table of these datasets, or another folder with --out".into());
        Err(Failure { what, help, code: BAD_INPUT })
    }

    pub fn seed(&self) -> u64 {
        self.args.seed
    }

    pub fn reading(&self) -> Reading {
        self.args.reading.into()
    }

    /// What to say about the ground truth beside the reading: a sentence, or nothing.
    pub fn truth_note(&self) -> String {
        let given = self.args.truth.as_ref().map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!(" That is what the reading asks for; the scores here are those of `{name}`, however it was made.")
        });
        let limited = self.args.max_points.map(|points| {
            format!(" The techniques saw at most {points} points of each dataset, drawn class by class.")
        });
        [given, limited].into_iter().flatten().collect()
    }

    /// Whether a first look is enough.
    pub fn is_quick(&self) -> bool {
        self.args.quick
    }

    /// How the classifiers were tuned, for every table that shows them.
    pub fn classifiers_note(&self) -> String {
        match &self.args.accuracies {
            Some(_) => "tuned as in the table that was given".into(),
            None => "tuned by `clmatch classify --quick`, not with its default settings".into(),
        }
    }

    /// Every measure of every dataset, each alone and timed.
    pub fn measured(&mut self) -> Result<Rc<Vec<Measured>>, Failure> {
        if let Some(measured) = &self.measured {
            return Ok(Rc::clone(measured));
        }
        let identity = Identity::new("lab measured").with_probe(REGISTRY);
        let record = Record::open(&self.args.out.join("measured.jsonl"), identity, None)?;
        let done = self.over_datasets(Some(record), |dataset, _| {
            let refuse = |error| AnalysisError::input(&dataset.name, error);
            let classes = Classes::new(dataset.points(), dataset.labels()).map_err(refuse)?;
            Measured::of(&dataset.name, &classes).map_err(refuse)
        })?;
        let measured = Rc::new(done);
        self.measured = Some(Rc::clone(&measured));
        Ok(measured)
    }

    /// Every measure under shuffled labels.
    pub fn noise(&self) -> Result<Vec<Noise>, Failure> {
        let seed = self.args.seed;
        let identity =
            Identity::new("lab within").with("seed", seed).with("draws", DRAWS).with_probe(REGISTRY);
        let record = Record::open(&self.args.out.join("within.jsonl"), identity, None)?;
        let mut done = self.over_datasets(Some(record), move |dataset, _| {
            let refuse = |error| AnalysisError::input(&dataset.name, error);
            Noise::of(&dataset.name, &dataset.points(), dataset.labels(), seed).map_err(refuse)
        })?;
        done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ok(done)
    }

    /// Every dataset with fewer points.
    pub fn thinned(&self) -> Result<Vec<Thinned>, Failure> {
        let seed = self.args.seed;
        let mut done = self.over_datasets(None::<Record<Thinned>>, move |dataset, control| {
            Thinned::of(&dataset.name, &dataset.points(), dataset.labels(), seed, control).map_err(|error| {
                match error {
                    clmatch_lab::Failure::Stopped(stopped) => stopped.into(),
                    error => AnalysisError::input(&dataset.name, error),
                }
            })
        })?;
        done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ok(done)
    }

    fn truth_name(&self, ending: &str) -> String {
        format!("{}{ending}", self.reading().mark("truth"))
    }

    /// Where the ground truth is, or will be.
    pub fn truth_path(&self) -> PathBuf {
        self.args.truth.clone().unwrap_or_else(|| self.args.out.join(self.truth_name(".csv")))
    }

    pub fn truth(&mut self) -> Result<Rc<Vec<MethodScore>>, Failure> {
        if let Some(truth) = &self.truth {
            return Ok(Rc::clone(truth));
        }
        let path = self.truth_path();
        if !path.exists() {
            self.tell("computing the ground truth: this takes long; after an interrupt the same command continues it");
            let seed = self.args.seed;
            let search = match self.reading() {
                Reading::Text => TruthSearch::Full,
                Reading::Authors => TruthSearch::Paper,
            };
            let search = TruthSettings { seed, search, ..TruthSettings::default() };
            let max_points = self.args.max_points.map(|points| points as usize);
            let sample = SampleSpec { seed, max_points, ..SampleSpec::default() };
            let settings = GroundTruthSettings { sample, search, ..GroundTruthSettings::default() };
            let resume = self.args.out.join(self.truth_name(".jsonl"));
            let outcome = tuning::compute(&self.args.datasets, settings, Some(&resume), self.args.quiet)?;
            let ranked = ground_truth::rank(all_of(outcome, true)?, External::Ami);
            output::save(&path, &export::truth::csv(&ranked), self.args.quiet)?;
        }
        // What the authors' program counts, ours marks.
        let read = match self.reading() {
            Reading::Text => results::read,
            Reading::Authors => results::read_with_singletons,
        };
        let rows = Rc::new(read(&read_text(&path)?).map_err(|error| AnalysisError::table(&path, error))?);
        self.truth = Some(Rc::clone(&rows));
        Ok(rows)
    }

    fn accuracies_path(&self) -> PathBuf {
        self.args.accuracies.clone().unwrap_or_else(|| self.args.out.join("classifiers.csv"))
    }

    pub fn accuracies(&mut self) -> Result<Rc<Vec<MethodScore>>, Failure> {
        if let Some(accuracies) = &self.accuracies {
            return Ok(Rc::clone(accuracies));
        }
        let path = self.accuracies_path();
        if !path.exists() {
            self.tell(
                "tuning the classifiers: this takes long; after an interrupt the same command continues it",
            );
            let resume = self.args.out.join("classifiers.jsonl");
            let settings = AccuracySettings::new(Mode::Quick, self.args.seed);
            let outcome =
                classifying::compute(&self.args.datasets, settings, Some(&resume), self.args.quiet)?;
            let ranked = accuracies::rank(all_of(outcome, true)?);
            output::save(&path, &export::classify::csv(&ranked), self.args.quiet)?;
        }
        let refuse = |error| AnalysisError::table(&path, error);
        let rows = Rc::new(results::read(&read_text(&path)?).map_err(refuse)?);
        // What is wrong with this table is said of this one, and not of the ground truth that it is compared with.
        Results::new(&rows, None, &[]).map_err(refuse)?;
        self.accuracies = Some(Rc::clone(&rows));
        Ok(rows)
    }

    /// Datasets with better features; finished ones are kept in the folder.
    pub fn improve(&self) -> Result<Findings, Failure> {
        let plan = ImproveSettings::new(self.reading(), self.args.seed);
        match self.reading() {
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

    /// Every dataset by one of the searches.
    fn improved<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        record: &str,
        plan: &ImproveSettings,
        of: fn(Labelled<'_>, &ImproveSettings, Control<'_>) -> Result<T, clmatch_lab::Failure>,
    ) -> Result<Vec<T>, Failure> {
        let record = Record::open(&self.args.out.join(record), improve_identity(plan), None)?;
        let (plan, sample) = (plan.clone(), SampleSpec { seed: self.args.seed, ..SampleSpec::default() });
        self.over_datasets(Some(record), move |dataset, control| {
            let chosen = Subsample::of(dataset, &sample)?;
            let data = Labelled { dataset: &dataset.name, points: &chosen.points, classes: &chosen.classes };
            of(data, &plan, control).map_err(|error| match error {
                clmatch_lab::Failure::Stopped(stopped) => stopped.into(),
                error => AnalysisError::input(&dataset.name, error),
            })
        })
    }

    /// The ground truth with every seed, beside that of an earlier version where its table lies in the folder.
    pub fn truth_seeds(&self) -> Result<Findings, Failure> {
        let path = self.args.out.join("truth-seeds-before.csv");
        let before = if path.exists() {
            seeds::read(&read_text(&path)?).map_err(|error| AnalysisError::table(&path, error))?
        } else {
            Vec::new()
        };
        let truth = GroundTruthSettings::default();
        let record = Record::open(&self.args.out.join("truth-seeds.jsonl"), truth.identity(), None)?;
        let done = self.over_datasets(Some(record), |dataset, control| {
            let chosen = Subsample::of(dataset, &SampleSpec::default())?;
            let classes = Truth::new(&chosen.classes);
            Ok(seeds::spans(&dataset.name, &chosen.points, &classes, control)?)
        })?;
        Ok(seeds::findings(&done.concat(), &before))
    }

    /// Work without datasets, with a bar that counts its steps.
    pub fn watched<E: std::fmt::Display>(
        &self,
        name: &str,
        work: impl FnOnce(Control<'_>) -> Result<Findings, E>,
    ) -> Result<Findings, Failure> {
        let line = Line::new(1, self.args.quiet);
        line.say(name);
        let furthest = AtomicUsize::new(0);
        let progress = |Step { done, of, .. }: Step<'_>| {
            if furthest.fetch_max(done, Ordering::Relaxed) < done {
                line.move_to(done as u64, of as u64);
                line.show_time();
            }
        };
        let found = work(Control::new(&interrupt::STOP).with_progress(&progress));
        line.clear();
        found.map_err(|error| {
            Failure::other(if interrupt::pressed() {
                format!("interrupted: {name} has no result")
            } else {
                format!("{name}: {error}")
            })
        })
    }

    /// One dataset after the other, scaled as in the paper, with all threads.
    fn over_datasets<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        record: Option<Record<T>>,
        work: impl Fn(&Dataset, Control<'_>) -> Result<T, AnalysisError> + Send + 'static,
    ) -> Result<Vec<T>, Failure> {
        let resumable = record.is_some();
        let outcome = batch::over(&self.args.datasets, record, self.args.quiet, move |source, control| {
            let mut dataset = clmatch_data::read(source, &ReadOptions::default())?;
            dataset.scale(Scale::default());
            Ok((work(&dataset, control)?, Vec::new()))
        })?;
        all_of(outcome, resumable)
    }

    fn tell(&self, text: &str) {
        if !self.args.quiet {
            emit("note", text);
        }
    }
}

/// What a resumed experiment must have in common with this one.
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

/// An experiment compares with the paper: it wants every dataset.
fn all_of<T>(outcome: BatchOutcome<T>, resumable: bool) -> Result<Vec<T>, Failure> {
    batch::report(&outcome.failed);
    match (outcome.unfinished, outcome.failed.len()) {
        (0, 0) => Ok(outcome.done),
        (0, failed) => Err(Failure {
            what: format!("{} cannot be used", counted(failed, "dataset")),
            help: Some("correct them, or name the others with --datasets".into()),
            code: BAD_INPUT,
        }),
        (unfinished, _) => Err(Failure {
            what: format!("interrupted: {} not finished", counted(unfinished, "dataset")),
            help: resumable.then(|| "the same command continues from here".into()),
            code: INTERRUPTED,
        }),
    }
}

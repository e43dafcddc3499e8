//! What experiments work on: datasets, and tables that are read where they are there, and computed once where not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clmatch::Classes;
use clmatch_cluster::Matrix;
use clmatch_cluster::external::{External, Truth};
use clmatch_data::{Dataset, ReadOptions, Scale, Source};
use clmatch_lab::improve::{self, Improved, Labelled};
use clmatch_lab::seeds::{self, Span};
use clmatch_lab::within::Noise;
use clmatch_lab::{Findings, Measured};
use clmatch_stop::Stop;
use clmatch_truth::results::{self, MethodScore, Results};
use clmatch_truth::techniques::TruthSettings;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::args::{Experiment, LabArgs};
use crate::commands::batch::{self, Desk, Done, Outcome};
use crate::commands::chosen::{Choice, Chosen};
use crate::commands::{bad_table, classify as classifying, read_text, truth as tuning};
use crate::export;
use crate::failure::{BAD_INPUT, Failure, OTHER, complain};
use crate::interrupt;
use crate::output;
use crate::resume::Record;

/// How often the bar of an experiment without datasets is redrawn.
const TICK: Duration = Duration::from_millis(200);

pub struct Bench<'a> {
    args: &'a LabArgs,
    measured: Option<Rc<Vec<Measured>>>,
    truth: Option<Rc<Vec<MethodScore>>>,
    accuracies: Option<Rc<Vec<MethodScore>>>,
}

impl<'a> Bench<'a> {
    /// Refuses at once what could only fail after hours.
    pub fn new(args: &'a LabArgs, chosen: &[Experiment]) -> Result<Self, Failure> {
        let synthetic = |one: &Experiment| matches!(one, Experiment::Ablation | Experiment::Calibrate);
        if args.datasets.is_empty() && !chosen.iter().all(synthetic) {
            return Err(Failure {
                what: "this experiment needs datasets".into(),
                help: Some("name files or folders with --datasets".into()),
                code: 2,
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
        let rows = results::read(&read_text(path)?).map_err(|error| bad_table(path, &error))?;
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

    /// Every measure of every dataset, each alone and timed.
    pub fn measured(&mut self) -> Result<Rc<Vec<Measured>>, Failure> {
        if let Some(measured) = &self.measured {
            return Ok(Rc::clone(measured));
        }
        let done = self.over_datasets(None::<Record<Measured>>, |dataset, _| {
            let refuse = |error| Failure::input(&dataset.name, &error);
            let classes = Classes::new(dataset.points().map_err(refuse)?, &dataset.labels).map_err(refuse)?;
            Measured::of(&dataset.name, &classes).map(Some).map_err(refuse)
        })?;
        let measured = Rc::new(done);
        self.measured = Some(Rc::clone(&measured));
        Ok(measured)
    }

    /// Every measure under shuffled labels.
    pub fn noise(&self) -> Result<Vec<Noise>, Failure> {
        let seed = self.args.seed;
        let mut done = self.over_datasets(None::<Record<Noise>>, move |dataset, _| {
            let refuse = |error| Failure::input(&dataset.name, &error);
            let points = dataset.points().map_err(refuse)?;
            Noise::of(&dataset.name, &points, &dataset.labels, seed).map(Some).map_err(refuse)
        })?;
        done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ok(done)
    }

    /// Where the ground truth is, or will be.
    pub fn truth_path(&self) -> PathBuf {
        self.args.truth.clone().unwrap_or_else(|| self.args.out.join("truth.csv"))
    }

    pub fn truth(&mut self) -> Result<Rc<Vec<MethodScore>>, Failure> {
        if let Some(truth) = &self.truth {
            return Ok(Rc::clone(truth));
        }
        let path = self.truth_path();
        if !path.exists() {
            self.tell("computing the ground truth: this takes long, and goes on after an interrupt");
            let plan = TruthSettings { seed: self.args.seed, ..TruthSettings::default() };
            let choice = Choice { seed: self.args.seed, ..Choice::default() };
            let recipe = tuning::Recipe { choice, plan, ..tuning::Recipe::default() };
            let resume = self.args.out.join("truth.jsonl");
            let outcome = tuning::compute(&self.args.datasets, recipe, Some(&resume), self.args.quiet)?;
            let ranked = crate::truth::rank(all_of(outcome, true)?, External::Ami);
            output::save(&path, &export::truth::csv(&ranked), self.args.quiet)?;
        }
        let rows = Rc::new(results::read(&read_text(&path)?).map_err(|error| bad_table(&path, &error))?);
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
            self.tell("tuning the classifiers: this takes long, and goes on after an interrupt");
            let resume = self.args.out.join("classifiers.jsonl");
            let recipe = classifying::Recipe::quick(self.args.seed);
            let outcome = classifying::compute(&self.args.datasets, recipe, Some(&resume), self.args.quiet)?;
            let ranked = crate::classify::rank(all_of(outcome, true)?);
            output::save(&path, &export::classify::csv(&ranked), self.args.quiet)?;
        }
        let refuse = |error| bad_table(&path, &error);
        let rows = Rc::new(results::read(&read_text(&path)?).map_err(refuse)?);
        // What is wrong with this table is said of this one, and not of the ground truth that it is compared with.
        Results::new(&rows, None, &[]).map_err(refuse)?;
        self.accuracies = Some(Rc::clone(&rows));
        Ok(rows)
    }

    /// Datasets with better features; finished ones are kept in the folder.
    pub fn improve(&self) -> Result<Findings, Failure> {
        let plan = improve::ImproveSettings::new(self.args.seed);
        let record = Record::open(&self.args.out.join("improve.jsonl"), &plan, None)?;
        let (work_plan, choice) = (plan.clone(), Choice { seed: self.args.seed, ..Choice::default() });
        let mut done = self.over_datasets(Some(record), move |dataset, desk: &Desk<Improved>| {
            let chosen = Chosen::of(dataset, &choice)?;
            let data = Labelled {
                dataset: &dataset.name,
                values: &chosen.values,
                features: dataset.features.len(),
                classes: &chosen.classes,
            };
            let step = |what: &str| desk.at(format!("{}: {what}", dataset.name));
            match Improved::of(data, &work_plan, &interrupt::STOP, &step) {
                Ok(improved) => Ok(Some(improved)),
                Err(clmatch_lab::Failure::Stopped(_)) => Ok(None),
                Err(error) => Err(Failure::input(&dataset.name, &error)),
            }
        })?;
        done.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ok(improve::findings(&done, &plan))
    }

    /// The ground truth with every seed, beside that of an earlier version where its table lies in the folder.
    pub fn truth_seeds(&self) -> Result<Findings, Failure> {
        let path = self.args.out.join("truth-seeds-before.csv");
        let before = match path.exists() {
            true => seeds::read(&read_text(&path)?).map_err(|error| bad_table(&path, &error))?,
            false => Vec::new(),
        };
        let record = Record::open(&self.args.out.join("truth-seeds.jsonl"), &TruthSettings::default(), None)?;
        let done = self.over_datasets(Some(record), move |dataset, desk: &Desk<Vec<Span>>| {
            let chosen = Chosen::of(dataset, &Choice::default())?;
            let points = Matrix::new(&chosen.values, dataset.features.len())
                .map_err(|error| Failure::input(&dataset.name, &error))?;
            let finished = |seed: u64| desk.at(format!("{}: seed {seed} done", dataset.name));
            let classes = Truth::new(&chosen.classes);
            Ok(seeds::spans(&dataset.name, points, &classes, &interrupt::STOP, &finished).ok())
        })?;
        Ok(seeds::findings(&done.concat(), &before))
    }

    /// Work without datasets, with a bar that counts its steps.
    pub fn watched<E: std::fmt::Display>(
        &self,
        name: &str,
        work: impl FnOnce(&Stop, &(dyn Fn(usize, usize) + Sync)) -> Result<Findings, E>,
    ) -> Result<Findings, Failure> {
        let bar = if self.args.quiet { ProgressBar::hidden() } else { ProgressBar::new(1) };
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {msg}, {eta} left") {
            bar.set_style(style);
        }
        bar.set_message(name.to_owned());
        bar.enable_steady_tick(TICK);
        let furthest = AtomicUsize::new(0);
        let progress = |done: usize, all: usize| {
            if furthest.fetch_max(done, Ordering::Relaxed) < done {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
            }
        };
        let found = work(&interrupt::STOP, &progress);
        bar.finish_and_clear();
        found.map_err(|error| match interrupt::pressed() {
            true => Failure { what: format!("interrupted: {name} has no result"), help: None, code: OTHER },
            false => Failure::other(format!("{name}: {error}")),
        })
    }

    /// One dataset after the other, scaled as in the paper, with all threads.
    fn over_datasets<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        record: Option<Record<T>>,
        work: impl Fn(&Dataset, &Desk<T>) -> Result<Option<T>, Failure> + Send + 'static,
    ) -> Result<Vec<T>, Failure> {
        let resumable = record.is_some();
        let outcome = batch::over(&self.args.datasets, record, self.args.quiet, move |source, desk| {
            let mut dataset = clmatch_data::read(source, &ReadOptions::default())?;
            dataset.scale(Scale::default());
            let value = work(&dataset, desk)?;
            Ok(value.map(|value| Done { value, warnings: Vec::new(), notes: Vec::new() }))
        })?;
        all_of(outcome, resumable)
    }

    fn tell(&self, text: &str) {
        if !self.args.quiet {
            complain("note", text);
        }
    }
}

/// An experiment compares with the paper: it wants every dataset.
fn all_of<T>(outcome: Outcome<T>, resumable: bool) -> Result<Vec<T>, Failure> {
    outcome.failed.iter().for_each(|failed| {
        failed.failure.report();
    });
    match (outcome.unfinished, outcome.failed.len()) {
        (0, 0) => Ok(outcome.done),
        (0, failed) => Err(Failure {
            what: format!("{failed} of the datasets cannot be used"),
            help: Some("mend them, or name the others with --datasets".into()),
            code: BAD_INPUT,
        }),
        (unfinished, _) => Err(Failure {
            what: format!("interrupted: {unfinished} datasets were not finished"),
            help: resumable.then(|| "the same command goes on from here".into()),
            code: OTHER,
        }),
    }
}

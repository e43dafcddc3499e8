//! Many datasets in the background, collected here, so that Ctrl-C is heard while one is in work.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use clmatch_analysis::ranking::FailedDataset;
use clmatch_analysis::resume::Record;
use clmatch_analysis::{AnalysisError, Remark};
use clmatch_data::{Severity, Source};
use clmatch_kernels::{Control, Step};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::export::number::counted;
use crate::failure::{BAD_INPUT, Failure, INTERRUPTED, emit, sentence};
use crate::interrupt;
use crate::progress::Progress;

/// How often a waiting command looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// What came of all datasets.
pub struct BatchOutcome<T> {
    /// Finished datasets; those of an earlier run come first.
    pub done: Vec<T>,
    /// How many were finished by an earlier run.
    pub resumed: usize,
    pub failed: Vec<FailedDataset>,
    /// Datasets that an interrupt left over.
    pub unfinished: usize,
}

/// A finished dataset with what should be said about it.
pub struct Done<T> {
    pub value: T,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
}

/// Where the background reports to.
pub struct Reporter<T>(Sender<Event<T>>);

enum Event<T> {
    Finished {
        source: Source,
        result: Result<Done<T>, AnalysisError>,
    },
    /// What is being done.
    At(String),
}

impl<T> Clone for Reporter<T> {
    fn clone(&self) -> Self {
        Reporter(self.0.clone())
    }
}

impl<T> Reporter<T> {
    pub fn finished(&self, source: &Source, result: Result<Done<T>, AnalysisError>) {
        // Nobody listens after an interrupt.
        let _ = self.0.send(Event::Finished { source: source.clone(), result });
    }

    pub fn at(&self, step: String) {
        let _ = self.0.send(Event::At(step));
    }
}

/// Runs `work` on the datasets that are not in the record yet, and adds what it finishes to the record.
pub fn run<T: Serialize + DeserializeOwned + Send + 'static>(
    sources: Vec<Source>,
    mut record: Option<Record<T>>,
    quiet: bool,
    work: impl FnOnce(Vec<Source>, Reporter<T>) + Send + 'static,
) -> Result<BatchOutcome<T>, Failure> {
    interrupt::watch();
    let all = sources.len();
    let mut outcome = BatchOutcome { done: Vec::new(), resumed: 0, failed: Vec::new(), unfinished: 0 };
    let mut left = Vec::new();
    for source in sources {
        match record.as_mut().and_then(|record| record.take(&source)) {
            Some(done) => outcome.done.push(done),
            None => left.push(source),
        }
    }
    if !outcome.done.is_empty() && !quiet {
        emit("resumed", &format!("{} of {all} datasets were finished before", outcome.done.len()));
    }
    outcome.resumed = outcome.done.len();
    outcome.unfinished = left.len();
    let progress = Progress::new(&left, quiet);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || work(left, Reporter(sender)));
    while let Some(event) = next(&receiver) {
        let (source, result) = match event {
            Event::At(step) => {
                progress.at(&step);
                continue;
            }
            Event::Finished { source, result } => (source, result),
        };
        outcome.unfinished -= 1;
        progress.finished(&source);
        match result {
            Ok(done) => {
                if let Some(record) = &mut record {
                    record.add(&source, &done.value)?;
                }
                let say = |kind: &str, text: &String| progress.say(kind, &format!("{}: {text}", source.name));
                done.warnings.iter().for_each(|text| say("warning", text));
                done.notes.iter().filter(|_| !quiet).for_each(|text| say("note", text));
                outcome.done.push(done.value);
            }
            Err(error) => outcome.failed.push(FailedDataset { dataset: source.name, error }),
        }
    }
    progress.clear();
    Ok(outcome)
}

fn next<T>(receiver: &Receiver<Event<T>>) -> Option<Event<T>> {
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(event) => return Some(event),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if interrupt::pressed() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// A finished dataset with what should be said about it, or why there is none.
pub type Found<T> = Result<(T, Vec<Remark>), AnalysisError>;

/// Works on the datasets at some paths, one after the other, each with all threads, until Ctrl-C.
pub fn over<T: Serialize + DeserializeOwned + Send + 'static>(
    paths: &[PathBuf],
    record: Option<Record<T>>,
    quiet: bool,
    work: impl Fn(&Source, Control<'_>) -> Found<T> + Send + 'static,
) -> Result<BatchOutcome<T>, Failure> {
    run(clmatch_data::find(paths)?, record, quiet, move |sources, reporter| {
        for source in sources.iter().take_while(|_| !interrupt::pressed()) {
            reporter.at(source.name.clone());
            let step = |step: Step<'_>| reporter.at(format!("{}: {}", source.name, in_words(step)));
            match work(source, Control::new(&interrupt::STOP).with_progress(&step)) {
                Err(AnalysisError::Stopped(_)) => return,
                found => reporter.finished(source, found.map(done)),
            }
        }
    })
}

/// What is counted is done, what is not is what comes next.
fn in_words(step: Step<'_>) -> String {
    if step.of > 0 { format!("{} done", step.what) } else { step.what.to_owned() }
}

fn done<T>((value, remarks): (T, Vec<Remark>)) -> Done<T> {
    let of =
        |severity| remarks.iter().filter(move |remark| remark.severity == severity).map(sentence).collect();
    Done { value, warnings: of(Severity::Warning), notes: of(Severity::Info) }
}

/// Says what failed.
pub fn report(failed: &[FailedDataset]) {
    failed.iter().for_each(|failed| {
        Failure::from(&failed.error).report();
    });
}

/// Says how many failed, where the result says which and why.
pub fn count(failed: &[FailedDataset]) {
    if !failed.is_empty() {
        let datasets = counted(failed.len(), "dataset");
        emit("error", &format!("{datasets} could not be scored: the result says why"));
    }
}

/// Says what failed or was left over, and gives the exit code.
pub fn conclude(
    failed: &[FailedDataset],
    report: fn(&[FailedDataset]),
    unfinished: usize,
    resumable: bool,
) -> Result<ExitCode, Failure> {
    report(failed);
    match unfinished {
        0 if failed.is_empty() => Ok(ExitCode::SUCCESS),
        0 => Ok(ExitCode::from(BAD_INPUT)),
        unfinished => Err(interrupted(unfinished, resumable)),
    }
}

fn interrupted(unfinished: usize, resumable: bool) -> Failure {
    let datasets = if unfinished == 1 { "dataset was" } else { "datasets were" };
    let help = if resumable {
        "continue with the same --resume file"
    } else {
        "with --resume FILE a later run continues where this one stopped"
    };
    let what = format!("interrupted: {unfinished} {datasets} not finished");
    Failure { what, help: Some(help.to_owned()), code: INTERRUPTED }
}

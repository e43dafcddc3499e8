//! Many datasets in the background, collected here, so that Ctrl-C is heard while one is in work.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use clmatch_data::Source;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::{BAD_INPUT, Failure, OTHER, complain};
use crate::interrupt;
use crate::progress::Progress;
use crate::ranking::FailedDataset;
use crate::resume::Record;

/// How often a waiting command looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// What came of all datasets.
pub struct Outcome<T> {
    pub done: Vec<T>,
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
pub struct Desk<T>(Sender<News<T>>);

enum News<T> {
    Finished {
        source: Source,
        result: Result<Done<T>, Failure>,
    },
    /// What is being done.
    At(String),
}

impl<T> Clone for Desk<T> {
    fn clone(&self) -> Self {
        Desk(self.0.clone())
    }
}

impl<T> Desk<T> {
    pub fn finished(&self, source: &Source, result: Result<Done<T>, Failure>) {
        // Nobody listens after an interrupt.
        let _ = self.0.send(News::Finished { source: source.clone(), result });
    }

    pub fn at(&self, step: String) {
        let _ = self.0.send(News::At(step));
    }
}

/// Runs `work` on the datasets that are not in the record yet, and adds what it finishes to the record.
pub fn run<T: Serialize + DeserializeOwned + Send + 'static>(
    sources: Vec<Source>,
    mut record: Option<Record<T>>,
    quiet: bool,
    work: impl FnOnce(Vec<Source>, Desk<T>) + Send + 'static,
) -> Result<Outcome<T>, Failure> {
    interrupt::watch();
    let all = sources.len();
    let mut outcome = Outcome { done: Vec::new(), failed: Vec::new(), unfinished: 0 };
    let mut left = Vec::new();
    for source in sources {
        match record.as_mut().and_then(|record| record.take(&source)) {
            Some(done) => outcome.done.push(done),
            None => left.push(source),
        }
    }
    if !outcome.done.is_empty() && !quiet {
        complain("resumed", &format!("{} of {all} datasets were finished before", outcome.done.len()));
    }
    outcome.unfinished = left.len();
    let progress = Progress::new(&left, quiet);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || work(left, Desk(sender)));
    while let Some(news) = next(&receiver) {
        let (source, result) = match news {
            News::At(step) => {
                progress.at(&step);
                continue;
            }
            News::Finished { source, result } => (source, result),
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
            Err(failure) => outcome.failed.push(FailedDataset { dataset: source.name, failure }),
        }
    }
    progress.clear();
    Ok(outcome)
}

fn next<T>(receiver: &Receiver<News<T>>) -> Option<News<T>> {
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(news) => return Some(news),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if interrupt::pressed() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Works on the datasets at some paths, one after the other, each with all threads.
pub fn over<T: Serialize + DeserializeOwned + Send + 'static>(
    paths: &[PathBuf],
    record: Option<Record<T>>,
    quiet: bool,
    work: impl Fn(&Source, &Desk<T>) -> Result<Option<Done<T>>, Failure> + Send + 'static,
) -> Result<Outcome<T>, Failure> {
    run(clmatch_data::find(paths)?, record, quiet, move |sources, desk| {
        one_by_one(&sources, &desk, |source| work(source, &desk));
    })
}

/// Until Ctrl-C; `tune` gives nothing once it heard of that.
fn one_by_one<T>(
    sources: &[Source],
    desk: &Desk<T>,
    tune: impl Fn(&Source) -> Result<Option<Done<T>>, Failure>,
) {
    for source in sources.iter().take_while(|_| !interrupt::pressed()) {
        desk.at(source.name.clone());
        match tune(source).transpose() {
            Some(result) => desk.finished(source, result),
            None => return,
        }
    }
}

/// Says what failed or was left over, and gives the exit code.
pub fn conclude(failed: &[FailedDataset], unfinished: usize, resumable: bool) -> Result<ExitCode, Failure> {
    failed.iter().for_each(|failed| {
        failed.failure.report();
    });
    match unfinished {
        0 if failed.is_empty() => Ok(ExitCode::SUCCESS),
        0 => Ok(ExitCode::from(BAD_INPUT)),
        unfinished => Err(interrupted(unfinished, resumable)),
    }
}

fn interrupted(unfinished: usize, resumable: bool) -> Failure {
    let datasets = if unfinished == 1 { "dataset was" } else { "datasets were" };
    let help = match resumable {
        true => "continue with the same --resume file",
        false => "with --resume FILE a later run continues where this one stopped",
    };
    let what = format!("interrupted: {unfinished} {datasets} not finished");
    Failure { what, help: Some(help.to_owned()), code: OTHER }
}

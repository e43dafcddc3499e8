//! Work on many datasets in the background: what an earlier run finished is taken from its record, and what this one finishes is
//! added to it. Once the work is stopped, what is finished is returned at once, whatever is still being read.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use clmatch_data::Source;
use clmatch_kernels::{Control, Step, Stop};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::AnalysisError;
use crate::ranking::FailedDataset;
use crate::remark::Remark;
use crate::resume::Record;

/// How often a batch checks whether it was stopped.
const PATIENCE: Duration = Duration::from_millis(50);

/// A finished dataset with remarks about it, or why it could not be finished.
pub type Found<T> = Result<(T, Vec<Remark>), AnalysisError>;

/// An event of a batch, as reported to the thread that waits for it.
#[derive(Debug)]
pub enum BatchEvent<'a, T> {
    /// The work begins.
    Started {
        /// What an earlier run finished.
        resumed: &'a [T],
        /// What is left to do.
        left: &'a [Source],
    },
    /// A dataset is being worked on.
    Working {
        /// The dataset.
        source: &'a Source,
        /// How far the work on it is; `None` at its beginning.
        step: Option<Step<'a>>,
    },
    /// A dataset is finished.
    Finished {
        /// The dataset.
        source: &'a Source,
        /// Its result.
        found: &'a Found<T>,
    },
    /// No more events follow: all datasets are finished, or the work was stopped.
    Ended,
}

/// The outcome of a batch.
#[derive(Debug)]
pub struct BatchOutcome<T> {
    /// Finished datasets in their order; those of an earlier run come first.
    pub done: Vec<T>,
    /// Datasets that could not be used.
    pub failed: Vec<FailedDataset>,
    /// How many datasets were not finished when the work was stopped.
    pub unfinished: usize,
}

/// Where work reports to; once it was stopped, reports are not received. Datasets are identified by their place among those that
/// are left to do.
#[derive(Debug)]
pub(crate) struct Reporter<T>(Sender<Message<T>>);

#[derive(Debug)]
enum Message<T> {
    Working { at: usize, step: Option<(String, usize, usize)> },
    Finished { at: usize, found: Found<T> },
}

impl<T> Reporter<T> {
    pub(crate) fn finished(&self, at: usize, found: Found<T>) {
        let _ = self.0.send(Message::Finished { at, found });
    }

    pub(crate) fn working(&self, at: usize, step: Option<Step<'_>>) {
        let step = step.map(|step| (step.what.to_owned(), step.done, step.of));
        let _ = self.0.send(Message::Working { at, step });
    }
}

/// Works on datasets one after the other, each with all threads.
///
/// # Errors
/// A record that cannot be written.
pub fn over<T: Serialize + DeserializeOwned + Send + 'static>(
    sources: Vec<Source>,
    record: Option<Record<T>>,
    stop: &'static Stop,
    observe: &mut dyn FnMut(BatchEvent<'_, T>),
    work: impl Fn(&Source, Control<'_>) -> Found<T> + Send + 'static,
) -> Result<BatchOutcome<T>, AnalysisError> {
    run(sources, record, stop, observe, move |left, reporter| {
        for (at, source) in left.iter().enumerate().take_while(|_| stop.check().is_ok()) {
            reporter.working(at, None);
            let step = |step: Step<'_>| reporter.working(at, Some(step));
            match work(source, Control::new(stop).with_progress(&step)) {
                Err(AnalysisError::Stopped(_)) => return,
                found => reporter.finished(at, found),
            }
        }
    })
}

/// Does `work` in the background on the datasets that are not in the record.
pub(crate) fn run<T: Serialize + DeserializeOwned + Send + 'static>(
    sources: Vec<Source>,
    mut record: Option<Record<T>>,
    stop: &Stop,
    observe: &mut dyn FnMut(BatchEvent<'_, T>),
    work: impl FnOnce(&[Source], &Reporter<T>) + Send + 'static,
) -> Result<BatchOutcome<T>, AnalysisError> {
    let (mut done, mut left) = (Vec::new(), Vec::new());
    for source in sources {
        match record.as_mut().and_then(|record| record.take(&source)) {
            Some(finished) => done.push(finished),
            None => left.push(source),
        }
    }
    observe(BatchEvent::Started { resumed: &done, left: &left });
    let (sender, receiver) = mpsc::channel();
    let (to_do, mut new, mut failed) = (left.clone(), Vec::new(), Vec::new());
    std::thread::spawn(move || work(&to_do, &Reporter(sender)));
    while let Some(message) = next(&receiver, stop) {
        let (at, found) = match message {
            Message::Working { at, step } => {
                let step = step.as_ref().map(|(what, done, of)| Step { what, done: *done, of: *of });
                observe(BatchEvent::Working { source: &left[at], step });
                continue;
            }
            Message::Finished { at, found } => (at, found),
        };
        let source = &left[at];
        if let (Some(record), Ok((value, _))) = (&mut record, &found) {
            record.add(source, value)?;
        }
        observe(BatchEvent::Finished { source, found: &found });
        match found {
            Ok((value, _)) => new.push((at, value)),
            Err(error) => failed.push(FailedDataset {
                dataset: source.name.clone(),
                source: Some(source.clone()),
                error,
            }),
        }
    }
    observe(BatchEvent::Ended);
    let unfinished = left.len() - new.len() - failed.len();
    new.sort_by_key(|(at, _)| *at);
    done.extend(new.into_iter().map(|(_, value)| value));
    Ok(BatchOutcome { done, failed, unfinished })
}

fn next<T>(receiver: &Receiver<Message<T>>, stop: &Stop) -> Option<Message<T>> {
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(message) => return Some(message),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if stop.check().is_err() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

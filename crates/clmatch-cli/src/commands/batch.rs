//! Many datasets in the background, with a progress bar, and with remarks on each one as it is finished.

use std::path::PathBuf;
use std::process::ExitCode;

use clmatch::Measure;
use clmatch::measure::defaults;
use clmatch_analysis::Remark;
use clmatch_analysis::batch::{self, BatchEvent, BatchOutcome, Found};
use clmatch_analysis::ranking::FailedDataset;
use clmatch_analysis::resume::Record;
use clmatch_data::{Severity, Source};
use clmatch_kernels::{Control, Step};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::export::number::counted;
use crate::failure::{BAD_INPUT, Failure, INTERRUPTED, emit, sentence};
use crate::interrupt;
use crate::progress::Progress;

/// What is shown of a batch while it runs.
pub struct BatchView {
    progress: Option<Progress>,
    measures: Vec<&'static Measure>,
    quiet: bool,
}

impl BatchView {
    /// Work on datasets that are scored by some measures, or worked on as if they were.
    pub fn new(measures: &[&'static Measure], quiet: bool) -> Self {
        BatchView { progress: None, measures: measures.to_vec(), quiet }
    }

    /// Shows an event; `notes` are the notes shown about a finished dataset besides its warnings.
    pub fn show<T>(&mut self, event: &BatchEvent<'_, T>, notes: fn(&T, &[Remark]) -> Vec<String>) {
        match event {
            BatchEvent::Started { resumed, left } => {
                if !resumed.is_empty() && !self.quiet {
                    let (before, all) = (resumed.len(), resumed.len() + left.len());
                    emit("resumed", &format!("{before} of {all} datasets were finished before"));
                }
                self.progress = Some(Progress::new(left, &self.measures, self.quiet));
            }
            BatchEvent::Working { source, step } => {
                let step = step.map(|step| format!(": {}", in_words(step))).unwrap_or_default();
                self.progress.iter().for_each(|progress| progress.at(&format!("{}{step}", source.name)));
            }
            BatchEvent::Finished { source, found } => self.finished(source, found, notes),
            BatchEvent::Ended => self.progress = None,
        }
    }

    fn finished<T>(&self, source: &Source, found: &Found<T>, notes: fn(&T, &[Remark]) -> Vec<String>) {
        let Some(progress) = &self.progress else { return };
        progress.finished(source);
        let Ok((value, remarks)) = found else { return };
        let say = |kind: &str, text: &String| progress.say(kind, &format!("{}: {text}", source.name));
        of_severity(remarks, Severity::Warning).iter().for_each(|text| say("warning", text));
        if !self.quiet {
            notes(value, remarks).iter().for_each(|text| say("note", text));
        }
    }
}

/// Describes a step: a counted one is done, one without a count comes next.
fn in_words(step: Step<'_>) -> String {
    if step.of > 0 { format!("{} done", step.what) } else { step.what.to_owned() }
}

/// The notes about a dataset that are not warnings.
pub fn notes<T>(_: &T, remarks: &[Remark]) -> Vec<String> {
    of_severity(remarks, Severity::Info)
}

fn of_severity(remarks: &[Remark], severity: Severity) -> Vec<String> {
    remarks.iter().filter(|remark| remark.severity == severity).map(sentence).collect()
}

/// Works on the datasets at some paths, one after the other, each with all threads, until Ctrl-C.
pub fn over<T: Serialize + DeserializeOwned + Send + 'static>(
    paths: &[PathBuf],
    record: Option<Record<T>>,
    quiet: bool,
    work: impl Fn(&Source, Control<'_>) -> Found<T> + Send + 'static,
) -> Result<BatchOutcome<T>, Failure> {
    interrupt::watch_keeping();
    let mut view = BatchView::new(&defaults(), quiet);
    let sources = clmatch_data::find(paths)?;
    Ok(batch::over(sources, record, &interrupt::STOP, &mut |event| view.show(&event, notes), work)?)
}

/// Reports which datasets failed.
pub fn report(failed: &[FailedDataset]) {
    failed.iter().for_each(|failed| {
        Failure::from(&failed.error).report();
    });
}

/// Reports how many datasets failed, if the result says which and why.
pub fn count(failed: &[FailedDataset]) {
    if !failed.is_empty() {
        let datasets = counted(failed.len(), "dataset");
        emit("error", &format!("{datasets} could not be scored: the result says why"));
    }
}

/// Reports what failed or was left unfinished, and returns the exit code.
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

//! Many datasets in the background, with a progress bar, and with remarks on each one as it is finished.

use std::path::PathBuf;
use std::process::ExitCode;

use clmatch::Measure;
use clmatch::measure::defaults;
use clmatch_analysis::batch::{self, BatchEvent, BatchOutcome, Found};
use clmatch_analysis::failure_kinds::summary;
use clmatch_analysis::ranking::FailedDataset;
use clmatch_analysis::resume::Record;
use clmatch_analysis::{Remark, source};
use clmatch_data::{FoundDatasets, Severity, Source};
use clmatch_kernels::Control;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::args::InputArgs;
use crate::export::number::counted;
use crate::failure::{BAD_INPUT, Failure, INTERRUPTED, emit, emit_line, sentence};
use crate::interrupt;
use crate::progress::Progress;
use crate::refusal::report_one_of_many;

/// How many errors are listed, one in a line.
const ERRORS_SHOWN: usize = 20;

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
                self.progress.iter().for_each(|progress| progress.at(source, *step));
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

/// The notes about a dataset that are not warnings.
pub fn notes<T>(_: &T, remarks: &[Remark]) -> Vec<String> {
    of_severity(remarks, Severity::Info)
}

fn of_severity(remarks: &[Remark], severity: Severity) -> Vec<String> {
    remarks.iter().filter(|remark| remark.severity == severity).map(sentence).collect()
}

/// Works on datasets, one after the other, each with all threads, until Ctrl-C.
pub fn over<T: Serialize + DeserializeOwned + Send + 'static>(
    sources: Vec<Source>,
    record: Option<Record<T>>,
    quiet: bool,
    work: impl Fn(&Source, Control<'_>) -> Found<T> + Send + 'static,
) -> Result<BatchOutcome<T>, Failure> {
    interrupt::watch_keeping();
    let mut view = BatchView::new(&defaults(), quiet);
    Ok(batch::over(sources, record, &interrupt::STOP, &mut |event| view.show(&event, notes), work)?)
}

/// Reports which datasets failed, each with what to do about it.
pub fn report(failed: &[FailedDataset]) {
    failed.iter().for_each(|failed| {
        Failure::from(&failed.error).report();
    });
}

/// Finds the datasets at some paths, and says which files of folders are passed over.
pub fn find(paths: &[PathBuf], quiet: bool, verbose: bool) -> Result<Vec<Source>, Failure> {
    let FoundDatasets { sources, passed_over } = source::find(paths)?;
    if !passed_over.is_empty() && !quiet {
        let files = counted(passed_over.len(), "file");
        let named = if verbose {
            passed_over.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
        } else {
            "--verbose names them".to_owned()
        };
        emit("note", &format!("passed over {files} that are no datasets by their names: {named}"));
    }
    Ok(sources)
}

/// How the work on many datasets ended.
pub struct BatchEnd<'a> {
    /// How datasets are read.
    pub input: &'a InputArgs,
    /// What became of the finished datasets, in a word.
    pub done: &'static str,
    /// How many datasets are finished.
    pub finished: usize,
    /// Datasets that could not be used.
    pub failed: &'a [FailedDataset],
    /// How many datasets were not finished when the work was stopped.
    pub unfinished: usize,
    /// Whether the result that is shown says why datasets failed.
    pub told: bool,
    /// Whether errors are shown whole, each with what to do about it.
    pub verbose: bool,
    /// Whether what is finished is recorded.
    pub resumable: bool,
}

impl BatchEnd<'_> {
    /// Reports what failed or was left unfinished, and returns the exit code. The failure of the only dataset is that of the
    /// command.
    pub fn conclude(&self) -> Result<ExitCode, Failure> {
        if let ([only], 0, 0, false) = (self.failed, self.finished, self.unfinished, self.told) {
            return Err(Failure::from(&only.error));
        }
        self.report();
        match self.unfinished {
            0 if self.failed.is_empty() => Ok(ExitCode::SUCCESS),
            0 => Ok(ExitCode::from(BAD_INPUT)),
            unfinished => Err(interrupted(unfinished, self.resumable)),
        }
    }

    /// One line that counts, then one for each error: a table that was printed before stays on the screen.
    fn report(&self) {
        let all = self.finished + self.failed.len() + self.unfinished;
        if self.failed.is_empty() {
            return;
        }
        let (finished, done, refused) = (self.finished, self.done, self.failed.len());
        let kinds = summary(self.failed);
        let why = if self.told && !self.verbose { "; the result says why" } else { "" };
        emit("error", &format!("{finished} of {all} {done}, {refused} refused: {kinds}{why}"));
        match self.failed {
            _ if self.told && !self.verbose => {}
            whole if self.verbose || whole.len() == 1 => {
                whole.iter().for_each(|failed| report_one_of_many(failed, self.input));
            }
            several => {
                several.iter().take(ERRORS_SHOWN).for_each(|failed| emit_line(&failed.error.to_string()));
                if several.len() > ERRORS_SHOWN {
                    emit_line(&format!("and {} more", several.len() - ERRORS_SHOWN));
                }
                emit("help", "--verbose shows all of them, with what to do about each");
            }
        }
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

//! Finished results as JSON: the same as the command prints.

use std::sync::atomic::{AtomicUsize, Ordering};

use clmatch::Control;
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::scoring::{Finished, ScoreSettings, read_and_score, score_with};
use clmatch_analysis::verdict::attach_verdict;
use clmatch_analysis::{AnalysisError, Remark, Scored};
use clmatch_data::{Dataset, Source};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::advice;
use crate::arrays::DatasetArrays;
use crate::errors::{in_words, of_analysis, of_data, of_reading, with_advice};
use crate::measures::find;
use crate::settings::{Reading, Scoring};
use crate::work::Running;

/// Datasets in larger files are scored one at a time, with all threads.
const LARGE: u64 = 1 << 20;

/// A value as JSON.
pub(crate) fn as_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// A result as Python takes it: JSON, the verdict as a sentence, and warnings with what to do about them.
type PackedResult = (String, String, Vec<String>);

/// The name of a dataset and why it has no result.
type FailedPath = (String, String);

fn packed(finished: Finished, by: &'static clmatch::Measure) -> PyResult<PackedResult> {
    let Finished { mut scored, remarks } = finished;
    attach_verdict(&mut scored, by);
    let verdict = scored.verdict.as_ref().map(|verdict| verdict.decision.to_string()).unwrap_or_default();
    Ok((as_json(&scored)?, verdict, warnings(&remarks)))
}

/// Works on a dataset in memory, which is copied once.
pub(crate) fn analysed<T: Send>(
    py: Python<'_>,
    dataset: &DatasetArrays<'_>,
    running: &Running,
    work: impl FnOnce(Dataset, Control<'_>) -> Result<T, AnalysisError> + Send,
) -> PyResult<T> {
    let borrowed = dataset.borrow()?;
    match running.run(py, |control| work(borrowed.copied()?, control))? {
        Ok(found) => Ok(found),
        Err(AnalysisError::Data { error, .. }) => Err(of_data(&error, borrowed.input.numbers)),
        Err(error) => Err(of_analysis(&error)),
    }
}

/// Warnings with what to do about them.
pub(crate) fn warnings(remarks: &[Remark]) -> Vec<String> {
    remarks.iter().filter(|remark| remark.is_warning()).map(in_words).collect()
}

/// Scores points and labels in memory.
#[pyfunction]
pub(crate) fn evaluate(
    py: Python<'_>,
    dataset: DatasetArrays<'_>,
    scoring: Scoring,
    running: Running,
) -> PyResult<PackedResult> {
    let (settings, by) = scoring.settings()?;
    let finished =
        analysed(py, &dataset, &running, |dataset, control| score_with(dataset, &settings, control))?;
    packed(finished, by)
}

/// Scores the datasets at some paths: results, and names with why there is none.
#[pyfunction]
pub(crate) fn score_paths(
    py: Python<'_>,
    paths: Vec<std::path::PathBuf>,
    reading: Reading,
    scoring: Scoring,
    running: Running,
) -> PyResult<(Vec<PackedResult>, Vec<FailedPath>)> {
    let (mut settings, by) = scoring.settings()?;
    settings.read = reading.options()?;
    let (mut sources, mut failed) = (Vec::new(), Vec::new());
    for path in &paths {
        match clmatch_data::find(std::slice::from_ref(path)) {
            Ok(found) => sources.extend(found),
            Err(error) if paths.len() == 1 => return Err(of_reading(error)),
            Err(error) => failed.push((path.display().to_string(), with_advice(&error.into()))),
        }
    }
    let all = running.run(py, |control| score_all(&sources, &settings, control))?;
    let mut results = Vec::new();
    for (source, result) in sources.iter().zip(all) {
        match result {
            Ok(finished) => results.push(packed(finished, by)?),
            Err(error) => failed.push((source.name.clone(), with_advice(&error))),
        }
    }
    Ok((results, failed))
}

/// Small datasets side by side, then large ones one after another; in the order of the sources.
fn score_all(
    sources: &[Source],
    settings: &ScoreSettings,
    control: Control<'_>,
) -> Vec<Result<Finished, AnalysisError>> {
    let done = AtomicUsize::new(0);
    // Steps of a dataset would come between those of the others.
    let quiet = Control::new(control.stop());
    let score = |source: &Source| {
        let finished = read_and_score(source, settings, quiet);
        control.report("datasets", done.fetch_add(1, Ordering::Relaxed) + 1, sources.len());
        finished
    };
    let small: Vec<_> =
        sources.par_iter().map(|source| (bytes(source) <= LARGE).then(|| score(source))).collect();
    sources.iter().zip(small).map(|(source, done)| done.unwrap_or_else(|| score(source))).collect()
}

fn bytes(source: &Source) -> u64 {
    source.files().iter().map(|path| std::fs::metadata(path).map_or(0, |metadata| metadata.len())).sum()
}

/// Orders results by a measure, best first: the JSON that `clmatch rank` prints.
#[pyfunction]
pub(crate) fn order(results: Vec<String>, by: &str) -> PyResult<String> {
    let by = find(by)?;
    let scored: Vec<Scored> = results
        .iter()
        .map(|json| serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string())))
        .collect::<PyResult<_>>()?;
    as_json(&Ranking::new(by, Vec::new(), scored, Vec::new()).entries(advice::in_words))
}

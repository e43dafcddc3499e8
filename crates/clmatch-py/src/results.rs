//! Finished results as JSON, the same as the command prints.

use clmatch::Control;
use clmatch_analysis::judging::attach_verdict;
use clmatch_analysis::rank::{RankSettings, rank};
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::scoring::{Finished, score_with};
use clmatch_analysis::{AnalysisError, Remark, Scored, source};
use clmatch_data::{Dataset, Source};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::advice;
use crate::arrays::DatasetArrays;
use crate::errors::{in_words, of_analysis, of_data, with_advice};
use crate::measures::find;
use crate::settings::{FileReading, Scoring};
use crate::work::Running;

/// A value as JSON.
pub(crate) fn as_json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// A result as Python receives it: JSON, the verdict as a sentence, and warnings with what to do about them.
type PackedResult = (String, String, Vec<String>);

/// The name of a dataset and why it has no result.
type FailedPath = (String, String);

fn packed(finished: Finished, by: &'static clmatch::Measure) -> PyResult<PackedResult> {
    let Finished { mut scored, remarks } = finished;
    attach_verdict(&mut scored, by);
    Ok((as_json(&scored)?, verdict(&scored), warnings(&remarks)))
}

/// The verdict as a sentence.
fn verdict(scored: &Scored) -> String {
    scored.verdict.as_ref().map(|verdict| verdict.decision.to_string()).unwrap_or_default()
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

/// Entries as JSON, verdicts, warnings, and what could not be ranked.
type RankedPaths = (String, Vec<String>, Vec<String>, Vec<FailedPath>);

/// Ranks the datasets at some paths: entries as JSON, the verdict of each as a sentence, warnings in the order of the paths, and
/// why other datasets have no result.
#[pyfunction]
pub(crate) fn rank_paths(
    py: Python<'_>,
    paths: Vec<std::path::PathBuf>,
    reading: FileReading,
    scoring: Scoring,
    running: Running,
) -> PyResult<RankedPaths> {
    let (mut score, by) = scoring.settings()?;
    score.read = reading.options()?;
    score.memory_limit = score.read.memory_limit;
    let settings = RankSettings { score, by, one_by_one: false };
    let (mut sources, mut failed) = (Vec::new(), Vec::new());
    for path in &paths {
        match source::find(std::slice::from_ref(path)) {
            Ok(found) => sources.extend(found.sources),
            Err(error) if paths.len() == 1 => return Err(of_analysis(&error)),
            Err(error) => failed.push((path.display().to_string(), with_advice(&error))),
        }
    }
    let sources: Vec<&Source> = sources.iter().collect();
    let mut said: Vec<Vec<String>> = vec![Vec::new(); sources.len()];
    let ranking = running.run(py, |control| {
        rank(&sources, &settings, control, &mut |step| {
            if let Ok(finished) = step.result {
                let text = |text| format!("{}: {text}", finished.scored.dataset);
                said[step.place] = warnings(&finished.remarks).into_iter().map(text).collect();
            }
            control.report("datasets", step.done, step.of);
        })
    })?;
    let ranking = ranking.map_err(|stopped| of_analysis(&stopped.into()))?;
    failed.extend(ranking.failed.iter().map(|one| (one.dataset.clone(), with_advice(&one.error))));
    let verdicts = ranking.ranked.iter().map(|ranked| verdict(&ranked.scored)).collect();
    Ok((entries(&ranking)?, verdicts, said.concat(), failed))
}

/// The JSON that `clmatch rank` prints for datasets that were scored.
fn entries(ranking: &Ranking) -> PyResult<String> {
    let entries = ranking.entries(advice::in_words);
    as_json(&&entries[..ranking.ranked.len()])
}

/// Orders results by a measure, best first: the JSON that `clmatch rank` prints.
#[pyfunction]
pub(crate) fn order(results: Vec<String>, by: &str) -> PyResult<String> {
    let by = find(by)?;
    let scored: Vec<Scored> = results
        .iter()
        .map(|json| serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string())))
        .collect::<PyResult<_>>()?;
    entries(&Ranking::new(by, Vec::new(), scored, Vec::new()))
}

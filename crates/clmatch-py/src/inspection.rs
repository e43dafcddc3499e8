//! How a file is understood, and what is said about one that is refused: its columns, and the arguments that work.

use std::path::{Path, PathBuf};

use clmatch::Singletons;
use clmatch_analysis::AnalysisError;
use clmatch_analysis::inspection::{InspectedDataset, is_small_file, roles};
use clmatch_analysis::source::only;
use clmatch_cli::visible;
use clmatch_data::{Inspection, PointsLeftOut, ReadOptions, Setting, SettingValue};
use pyo3::prelude::*;

use crate::advice;
use crate::errors::{of_analysis, raised, with_advice};
use crate::results::as_json;
use crate::settings::FileReading;
use crate::work;

/// How the only dataset at a path is understood, as JSON.
#[pyfunction]
#[pyo3(signature = (path, reading, noise, drop_singletons))]
pub(crate) fn inspect(
    py: Python<'_>,
    path: PathBuf,
    reading: FileReading,
    noise: Option<String>,
    drop_singletons: bool,
) -> PyResult<String> {
    let options = reading.options()?;
    let singletons = if drop_singletons { Singletons::Drop } else { Singletons::Keep };
    let left_out = PointsLeftOut { noise, singletons };
    let found = work::run(py, None, |_| -> Result<(String, Inspection), AnalysisError> {
        let source = only(&path, &options)?;
        let found = clmatch_data::inspect(&source, &options, &left_out);
        Ok((source.name, found))
    })?;
    let (name, found) = found.map_err(|error| of_analysis(&error))?;
    as_json(&InspectedDataset::new(&name, found, advice::in_words, None))
}

/// A file that is refused, with what its columns were taken for, and the arguments with which it can be read.
pub(crate) fn refusal(py: Python<'_>, error: &AnalysisError, path: &Path, options: &ReadOptions) -> PyErr {
    if !matches!(error, AnalysisError::Read(_)) {
        return of_analysis(error);
    }
    let found = work::run(py, None, |_| {
        let source = only(path, options).ok().filter(is_small_file)?;
        Some(clmatch_data::inspect(&source, options, &PointsLeftOut::default()))
    });
    match found {
        Ok(Some(found)) if !found.columns.is_empty() => raised(error, in_words(error, &found)),
        Ok(_) => of_analysis(error),
        Err(stopped) => stopped,
    }
}

fn in_words(error: &AnalysisError, found: &Inspection) -> String {
    // Classes of a single point are no matter of reading.
    let arguments: Vec<String> =
        found.settings.iter().filter(|setting| setting.name != "singletons").map(argument).collect();
    let roles = roles(&found.columns, found.label.as_ref());
    let lines = roles.iter().map(|(heading, names)| format!("{heading}: {}", visible(names)));
    let mut text =
        if arguments.is_empty() { with_advice(error) } else { visible(&error.to_string()).into_owned() };
    for line in lines {
        text = text + "\n  " + &line;
    }
    if !arguments.is_empty() {
        text = text + "\nread it with " + &visible(&arguments.join(", "));
    }
    text
}

/// A setting as an argument.
fn argument(setting: &Setting) -> String {
    let value = match &setting.value {
        SettingValue::Flag(true) => "True".to_owned(),
        SettingValue::Flag(false) => "False".to_owned(),
        SettingValue::Text(text) => format!("{text:?}"),
        SettingValue::Columns(columns) => format!("{columns:?}"),
    };
    format!("{}={value}", setting.name)
}

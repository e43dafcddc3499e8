//! What is wrong with a dataset, and what makes it better.

use std::time::Duration;

use clmatch::improve::{Options, Split};
use clmatch_analysis::explanation::{ExplainSettings, explain_with};
use clmatch_analysis::improvement::{ImproveSettings, search_features};
use clmatch_analysis::relabelling::{Changes, RelabelSettings, Rename, RowRange, relabel as relabelled};
use clmatch_data::ReadOptions;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::DatasetArrays;
use crate::results::{analysed, as_json, warnings};
use crate::settings::Preparation;
use crate::work::Running;

/// What is wrong with a dataset: JSON, arrays with what is known of every point, and warnings. Rows are counted from 0 in
/// arrays and, as the command does, from 1 in JSON.
#[pyfunction]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    dataset: DatasetArrays<'_>,
    preparation: Preparation,
    running: Running,
) -> PyResult<(String, Bound<'py, PyDict>, Vec<String>)> {
    let settings = ExplainSettings {
        read: ReadOptions::default(),
        scale: preparation.scale()?,
        noise: preparation.noise.clone(),
        singletons: preparation.singletons(),
        seed: preparation.seed,
    };
    let found =
        analysed(py, &dataset, &running, |dataset, control| explain_with(dataset, &settings, control))?;
    let points = PyDict::new(py);
    let counts = |all: Vec<usize>| all.into_pyarray(py);
    points.set_item("row", counts(found.points.iter().map(|point| point.row - 1).collect()))?;
    points.set_item("label", found.points.iter().map(|point| &point.label).collect::<Vec<_>>())?;
    points.set_item("suggested", found.points.iter().map(|point| &point.suggested).collect::<Vec<_>>())?;
    let numbers = |all: Vec<f64>| all.into_pyarray(py);
    points.set_item("probability", numbers(found.points.iter().map(|point| point.probability).collect()))?;
    points.set_item("outlier", numbers(found.points.iter().map(|point| point.outlier).collect()))?;
    points.set_item("outvoted", numbers(found.points.iter().map(|point| point.outvoted).collect()))?;
    points.set_item("part", counts(found.points.iter().map(|point| point.part).collect()))?;
    Ok((as_json(&found.explained)?, points, warnings(&found.remarks)))
}

/// What to change in the labels.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct LabelChanges {
    merge: Vec<Vec<String>>,
    split: Vec<String>,
    rename: Vec<(String, String)>,
    /// Counted from 0.
    drop_rows: Vec<usize>,
}

impl LabelChanges {
    fn changes(self) -> Changes {
        let row = |row: usize| RowRange { first: row + 1, last: row + 1 };
        Changes {
            merge: self.merge,
            split: self.split,
            rename: self.rename.into_iter().map(|(from, to)| Rename { from, to }).collect(),
            drop_rows: self.drop_rows.into_iter().map(row).collect(),
            ..Changes::default()
        }
    }
}

/// JSON, the codes and names of the new labels of the rows that stay, and warnings.
type PackedLabels<'py> = (String, Bound<'py, PyArray1<u32>>, Vec<String>, Vec<String>);

/// Changes labels.
#[pyfunction]
pub(crate) fn relabel<'py>(
    py: Python<'py>,
    dataset: DatasetArrays<'_>,
    changes: LabelChanges,
    preparation: Preparation,
    running: Running,
) -> PyResult<PackedLabels<'py>> {
    let settings = RelabelSettings {
        read: ReadOptions::default(),
        scale: preparation.scale()?,
        noise: preparation.noise.clone(),
        singletons: preparation.singletons(),
        seed: preparation.seed,
        changes: changes.changes(),
    };
    let (result, repaired, remarks) =
        analysed(py, &dataset, &running, |dataset, control| relabelled(&dataset, &settings, control))?;
    let labels = repaired.labels();
    let codes = PyArray1::from_slice(py, labels.codes());
    Ok((as_json(&result)?, codes, labels.names().to_vec(), warnings(&remarks)))
}

/// How features are searched for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FeatureSearch {
    method: String,
    objective: String,
    budget: Option<f64>,
    draws: usize,
    min_features: usize,
    penalty: f64,
    half: bool,
    shuffles: usize,
}

impl FeatureSearch {
    fn options(&self, seed: u64) -> PyResult<Options> {
        let budget = self.budget.map(|seconds| {
            Duration::try_from_secs_f64(seconds).map_err(|_| {
                PyValueError::new_err(format!("budget must be a number of seconds, got {seconds}"))
            })
        });
        Ok(Options {
            method: self.method.parse().map_err(PyValueError::new_err::<String>)?,
            objective: self.objective.parse().map_err(PyValueError::new_err::<String>)?,
            budget: budget.transpose()?,
            draws: self.draws,
            min_features: self.min_features,
            penalty: self.penalty,
            split: if self.half { Split::Half } else { Split::None },
            shuffles: self.shuffles,
            seed,
            ..Options::default()
        })
    }
}

/// JSON, the weight of every feature, and warnings.
type PackedSearch<'py> = (String, Bound<'py, PyArray1<f64>>, Vec<String>);

/// Searches for the features, or weights on them, that separate the classes.
#[pyfunction]
pub(crate) fn improve<'py>(
    py: Python<'py>,
    dataset: DatasetArrays<'_>,
    search: FeatureSearch,
    preparation: Preparation,
    running: Running,
) -> PyResult<PackedSearch<'py>> {
    let settings = ImproveSettings {
        read: ReadOptions::default(),
        scale: preparation.scale()?,
        noise: preparation.noise.clone(),
        singletons: preparation.singletons(),
        search: search.options(preparation.seed)?,
    };
    let found = analysed(py, &dataset, &running, |mut dataset, control| {
        dataset.scale(settings.scale);
        search_features(&dataset, &settings, control)
    })?;
    Ok((as_json(&found.improved)?, found.weights.into_pyarray(py), warnings(&found.remarks)))
}

//! Files to arrays, and the catalogue.

use std::path::PathBuf;

use clmatch::Values;
use clmatch_analysis::catalogued::CatalogueFilter;
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::source::only;
use clmatch_analysis::{AnalysisError, Remark};
use clmatch_data::Dataset;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::advice;
use crate::errors::in_words;
use crate::inspection::refusal;
use crate::measures::find;
use crate::results::as_json;
use crate::settings::FileReading;
use crate::work;

/// Reads the only dataset at a path. The numbers are handed over without a copy.
#[pyfunction]
pub(crate) fn read(py: Python<'_>, path: PathBuf, reading: FileReading) -> PyResult<Bound<'_, PyDict>> {
    let options = reading.options()?;
    let dataset = work::run(py, None, |_| -> Result<Dataset, AnalysisError> {
        let source = only(&path, &options)?;
        Ok(clmatch_data::read(&source, &options)?)
    })?;
    let dataset = dataset.map_err(|error| refusal(py, &error, &path, &options))?;
    let all = PyDict::new(py);
    all.set_item("name", &dataset.name)?;
    all.set_item("features", dataset.features())?;
    all.set_item("codes", PyArray1::from_slice(py, dataset.labels().codes()))?;
    all.set_item("names", dataset.labels().names())?;
    all.set_item("label", dataset.label_origin().map(|label| label.name.clone()))?;
    all.set_item("noise", dataset.noise())?;
    let shown = dataset.shown().iter().map(|column| (&column.name, &column.cells));
    all.set_item("shown", shown.collect::<Vec<_>>())?;
    all.set_item("notes", dataset.notes.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let warnings = dataset.notes.iter().map(Remark::from).filter(Remark::is_warning);
    all.set_item("warnings", warnings.map(|remark| in_words(&remark)).collect::<Vec<_>>())?;
    let shape = [dataset.n_points(), dataset.n_features()];
    let points = match dataset.into_values() {
        Values::F64(values) => values.into_owned().into_pyarray(py).reshape(shape)?.into_any(),
        Values::F32(values) => values.into_owned().into_pyarray(py).reshape(shape)?.into_any(),
    };
    all.set_item("points", points)?;
    Ok(all)
}

/// A range of counts, both ends included.
type Range = Option<(usize, usize)>;

/// Well-known datasets with their scores, best first, as JSON.
#[pyfunction]
#[pyo3(signature = (by, scale, classes, points, features, at_least, top_third))]
pub(crate) fn catalogue(
    by: &str,
    scale: &str,
    classes: Range,
    points: Range,
    features: Range,
    at_least: Vec<(String, f64)>,
    top_third: bool,
) -> PyResult<String> {
    let by = find(by)?;
    let range = |range: Range| range.map(|(least, most)| least..=most);
    let bars = at_least.iter().map(|(id, value)| Ok((find(id)?, *value)));
    let filter = CatalogueFilter {
        scale: scale.parse().map_err(PyValueError::new_err::<String>)?,
        classes: range(classes),
        points: range(points),
        features: range(features),
        at_least: bars.collect::<PyResult<_>>()?,
        top_third,
    };
    as_json(&Ranking::new(by, Vec::new(), filter.datasets(by), Vec::new()).entries(advice::in_words))
}

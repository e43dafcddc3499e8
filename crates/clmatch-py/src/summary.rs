//! Mergeable summaries: updated with arrays, sent as bytes.

use clmatch::summary::{
    Certainty, Form, LengthUnit, SecondPass, Summarised, Summary, SummaryError, SummarySettings,
};
use clmatch::{AllTerms, ClmTerms, Labels, Singletons, Terms};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict};

use crate::arrays::{ArrayInput, ArrayNumbers, PointArray};
use crate::errors::of_data;
use crate::measures::find;
use crate::work;

/// The settings of a summary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct SummaryOptions {
    measures: Vec<String>,
    memory: usize,
    sample: usize,
    seed: u64,
    noise: Option<String>,
    drop_singletons: bool,
    /// Whether the largest value counts as 1.
    largest_is_one: bool,
}

impl SummaryOptions {
    fn settings(&self) -> PyResult<SummarySettings> {
        let measures = self.measures.iter().map(|id| find(id)).collect::<PyResult<Vec<_>>>()?;
        Ok(SummarySettings::new(&measures)
            .with_memory(self.memory)
            .with_sample(self.sample)
            .with_seed(self.seed)
            .with_noise(self.noise.clone())
            .with_singletons(if self.drop_singletons { Singletons::Drop } else { Singletons::Keep })
            .with_unit(if self.largest_is_one { LengthUnit::LargestValue } else { LengthUnit::Fixed(1.0) }))
    }
}

/// Statistics of the rows seen so far.
#[pyclass(name = "Summary", module = "clmatch._clmatch")]
pub(crate) struct NativeSummary(Summary);

/// Statistics of a second pass over the same rows.
#[pyclass(name = "SecondPass", module = "clmatch._clmatch")]
pub(crate) struct NativeSecondPass(SecondPass);

/// Turns an error about rows, bytes or merged summaries into an exception.
fn refused(error: SummaryError, numbers: ArrayNumbers<'_>) -> PyErr {
    match error {
        SummaryError::Data(error) => of_data(&error, numbers),
        SummaryError::NotFinite { row, feature, value } => {
            let kind = if value.is_nan() { "NaN" } else { "infinity" };
            PyValueError::new_err(format!(
                "Input X contains {kind}.\nThe first one is in row {row}, column {feature} (both counted from 0)."
            ))
        }
        other => PyValueError::new_err(other.to_string()),
    }
}

/// Like [`refused`], for errors where no array is at hand.
fn failed(error: SummaryError) -> PyErr {
    refused(error, ArrayNumbers::Double(&[]))
}

/// Runs an update on the available threads.
fn updated(
    py: Python<'_>,
    input: ArrayInput<'_>,
    threads: Option<usize>,
    update: impl FnOnce(clmatch::Values<'_>, &Labels) -> Result<(), SummaryError> + Send,
) -> PyResult<()> {
    let numbers = input.numbers;
    work::run(py, threads, |_| update(numbers.borrowed(), &input.labels()))?
        .map_err(|error| refused(error, numbers))
}

#[pymethods]
impl NativeSummary {
    #[new]
    fn new(features: usize, settings: SummaryOptions) -> PyResult<Self> {
        Summary::new(features, &settings.settings()?).map(NativeSummary).map_err(failed)
    }

    #[pyo3(signature = (points, codes, names, source, first_row, threads))]
    #[allow(clippy::too_many_arguments, reason = "one for each part of what Python has taken apart")]
    fn update(
        &mut self,
        py: Python<'_>,
        points: PointArray<'_>,
        codes: PyReadonlyArray1<'_, u32>,
        names: Vec<String>,
        source: u64,
        first_row: u64,
        threads: Option<usize>,
    ) -> PyResult<()> {
        let input = points.with(&codes, &names)?;
        check_features(self.0.features(), &input)?;
        self.0.set_source(source);
        let summary = &mut self.0;
        updated(py, input, threads, |values, labels| summary.update(values, labels, first_row))
    }

    fn merge(&mut self, other: &NativeSummary) -> PyResult<()> {
        self.0.merge(&other.0).map_err(failed)
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    #[getter]
    fn features(&self) -> usize {
        self.0.features()
    }

    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let settings = self.0.settings();
        let found = PyDict::new(py);
        found.set_item("measures", settings.measures.iter().map(|measure| measure.id).collect::<Vec<_>>())?;
        found.set_item("memory", settings.memory)?;
        found.set_item("sample", settings.sample)?;
        found.set_item("seed", settings.seed)?;
        found.set_item("noise", settings.noise.clone())?;
        found.set_item("drop_singletons", settings.singletons == Singletons::Drop)?;
        found.set_item("largest_is_one", settings.unit == LengthUnit::LargestValue)?;
        Ok(found)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Summary::from_bytes(bytes).map(NativeSummary).map_err(failed)
    }

    fn needs_second_pass(&self) -> bool {
        self.0.needs_second_pass()
    }

    fn second_pass(&self) -> PyResult<NativeSecondPass> {
        self.0.second_pass().map(NativeSecondPass).map_err(failed)
    }

    #[pyo3(signature = (second, threads))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        second: Option<PyRef<'_, NativeSecondPass>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let second = second.as_ref().map(|second| &second.0);
        let found = work::run(py, threads, |control| self.0.finish(second, control))?.map_err(failed)?;
        as_dict(py, &found)
    }
}

#[pymethods]
impl NativeSecondPass {
    #[pyo3(signature = (points, codes, names, first_row, threads))]
    fn update(
        &mut self,
        py: Python<'_>,
        points: PointArray<'_>,
        codes: PyReadonlyArray1<'_, u32>,
        names: Vec<String>,
        first_row: u64,
        threads: Option<usize>,
    ) -> PyResult<()> {
        let input = points.with(&codes, &names)?;
        check_features(self.0.features(), &input)?;
        let second = &mut self.0;
        updated(py, input, threads, |values, labels| second.update(values, labels, first_row))
    }

    fn merge(&mut self, other: &NativeSecondPass) -> PyResult<()> {
        self.0.merge(&other.0).map_err(failed)
    }

    #[getter]
    fn rows(&self) -> u64 {
        self.0.rows()
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        SecondPass::from_bytes(bytes).map(NativeSecondPass).map_err(failed)
    }
}

/// Refuses rows that are longer or shorter than the earlier ones, which would be cut in the wrong places.
fn check_features(features: usize, input: &ArrayInput<'_>) -> PyResult<()> {
    if input.features == features {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "X has {} features, but this summary is of rows with {features} features",
        input.features
    )))
}

fn of_pair(terms: &ClmTerms) -> [(&'static str, f64); 3] {
    [("eta", terms.eta), ("kappa", terms.kappa), ("nu", terms.nu)]
}

fn of_all(terms: &AllTerms) -> [(&'static str, f64); 3] {
    [("lambda", terms.lambda), ("kappa", terms.kappa), ("nu", terms.nu)]
}

/// The halves of `clm` and their terms, as in the JSON of a score.
fn halves<'py>(py: Python<'py>, terms: &Terms) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("pairs", terms.of_pairs)?;
    dict.set_item("of_pairs", of_pair(&terms.mean).into_py_dict(py)?)?;
    if let Some(all) = &terms.all {
        dict.set_item("all", all.score())?;
        dict.set_item("of_all", of_all(all).into_py_dict(py)?)?;
    }
    Ok(dict)
}

fn as_dict<'py>(py: Python<'py>, found: &Summarised) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("points", found.points)?;
    dict.set_item("features", found.features)?;
    let sizes = PyDict::new(py);
    for class in &found.classes {
        sizes.set_item(&class.name, class.points)?;
    }
    dict.set_item("sizes", sizes)?;
    dict.set_item("noise", found.noise)?;
    dict.set_item("singletons", found.singletons.clone())?;
    let mut scores = Vec::with_capacity(found.scores.len());
    for score in &found.scores {
        let one = PyDict::new(py);
        one.set_item("measure", score.id)?;
        one.set_item("value", score.value)?;
        one.set_item("pairs", score.pairs.clone())?;
        one.set_item(
            "certainty",
            match score.certainty {
                Certainty::Exact => "exact",
                Certainty::Estimated => "estimated",
                Certainty::AtMost => "at-most",
            },
        )?;
        one.set_item("error", score.error)?;
        one.set_item("why", score.why.to_string())?;
        scores.push(one);
    }
    dict.set_item("scores", scores)?;
    let of_clm = found.terms.as_ref();
    dict.set_item("terms", of_clm.map(|terms| halves(py, terms)).transpose()?)?;
    dict.set_item(
        "pair_terms",
        of_clm
            .map(|terms| {
                terms.pairs.iter().map(|pair| of_pair(pair).into_py_dict(py)).collect::<PyResult<Vec<_>>>()
            })
            .transpose()?,
    )?;
    dict.set_item("sampled", found.sampled)?;
    dict.set_item("passes", found.passes)?;
    dict.set_item(
        "form",
        match found.form {
            Form::ScatterMatrices => "scatter-matrices",
            Form::Centroids => "centroids",
        },
    )?;
    dict.set_item("explanation", found.explanation())?;
    Ok(dict)
}

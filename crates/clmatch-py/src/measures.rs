//! Values of single measures.

use clmatch::measure::{CalinskiHarabasz, DaviesBouldin, Dunn, REGISTRY, XieBeni};
use clmatch::protocol::{Mean, TakesT1, TakesT2};
use clmatch::{Classes, Control, DataError, Measure, Score, evaluate_with};
use clmatch_analysis::measure_info::MeasureInfo;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::PointArray;
use crate::errors::of_data;
use crate::results::as_json;
use crate::work;

/// The measure with an id.
pub(crate) fn find(id: &str) -> PyResult<&'static Measure> {
    clmatch::measure::find(id).ok_or_else(|| {
        let ids: Vec<&str> = REGISTRY.iter().map(|measure| measure.id).collect();
        PyValueError::new_err(format!("there is no measure '{id}'; there are {}", ids.join(", ")))
    })
}

/// The value of a measure; an adjusted measure may be given another growth rate `k` of protocol T4 than the calibrated one.
#[pyfunction]
#[pyo3(signature = (points, codes, names, id, k, threads))]
pub(crate) fn measure(
    py: Python<'_>,
    points: PointArray<'_>,
    codes: PyReadonlyArray1<'_, u32>,
    names: Vec<String>,
    id: &str,
    k: Option<f64>,
    threads: Option<usize>,
) -> PyResult<f64> {
    let measure = find(id)?;
    let input = points.with(&codes, &names)?;
    let value = work::run(py, threads, |control| {
        let classes = input.classes()?;
        match k {
            Some(k) => with_growth_rate(measure.id, k, &classes, control),
            None => {
                let evaluation = evaluate_with(&classes, &[measure], false, control)?;
                Ok(evaluation.value(measure.id).unwrap_or(f64::NAN))
            }
        }
    })?;
    value.map_err(|error| of_data(&error, input.numbers))
}

/// The value of an adjusted measure with the caller's growth rate; NaN for other measures, which have none.
fn with_growth_rate(id: &str, k: f64, classes: &Classes<'_>, control: Control<'_>) -> Result<f64, DataError> {
    let score = match id {
        "ch_a" => CalinskiHarabasz.t1().t2().t4(k).t3(Mean).evaluate_with(classes, control),
        "db_a" => DaviesBouldin.t2().t4(k).t3(Mean).evaluate_with(classes, control),
        "di_a" => Dunn.t1().t2().t4(k).t3(Mean).evaluate_with(classes, control),
        "xb_a" => XieBeni.t2().t4(k).t3(Mean).evaluate_with(classes, control),
        _ => Ok(Score::new(f64::NAN, Vec::new())),
    };
    score.map(|score| score.value)
}

/// The value of a measure at every point.
#[pyfunction]
#[pyo3(signature = (points, codes, names, id, threads))]
pub(crate) fn point_values<'py>(
    py: Python<'py>,
    points: PointArray<'_>,
    codes: PyReadonlyArray1<'_, u32>,
    names: Vec<String>,
    id: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let measure = find(id)?;
    let input = points.with(&codes, &names)?;
    let values = work::run(py, threads, |control| -> Result<Option<Vec<f64>>, DataError> {
        let evaluation = evaluate_with(&input.classes()?, &[measure], true, control)?;
        let points = evaluation.points.into_iter().next();
        Ok(points.map(|points| points.values.iter().map(|value| value.unwrap_or(f64::NAN)).collect()))
    })?;
    let values = values.map_err(|error| of_data(&error, input.numbers))?;
    let values =
        values.ok_or_else(|| PyValueError::new_err(format!("'{id}' has no values of single points")))?;
    Ok(values.into_pyarray(py))
}

/// What there is to know about every measure, as JSON.
#[pyfunction]
pub(crate) fn describe_measures() -> PyResult<String> {
    as_json(&REGISTRY.iter().map(|measure| MeasureInfo::new(measure)).collect::<Vec<_>>())
}

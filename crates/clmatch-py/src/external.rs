//! External measures: how well two labellings of the same points agree.

use clmatch_cluster::external::Truth;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::slice_of;
use crate::work;

/// Adjusted mutual information, adjusted Rand index, V-measure and normalised mutual information (geometric mean).
#[pyfunction]
pub(crate) fn agreement(
    py: Python<'_>,
    truth: PyReadonlyArray1<'_, u32>,
    found: PyReadonlyArray1<'_, u32>,
) -> PyResult<(f64, f64, f64, f64)> {
    let (truth, found) = (slice_of(&truth)?, slice_of(&found)?);
    if truth.len() != found.len() {
        return Err(PyValueError::new_err("there must be as many labels as there are true ones"));
    }
    work::run(py, None, |_| {
        let labels: Vec<i32> = found.iter().map(|&code| code as i32).collect();
        let agreement = Truth::new(truth).score(&labels);
        (agreement.ami, agreement.arand, agreement.vm, agreement.nmi)
    })
}

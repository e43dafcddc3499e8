//! Settings that Python passes as a dictionary of all their fields.

use std::path::PathBuf;

use clmatch::{Measure, Singletons};
use clmatch_analysis::deciding;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_data::ReadOptions;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::measures::find;

/// How datasets are scored.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Scoring {
    measures: Vec<String>,
    /// The measure that the verdict is by.
    by: Option<String>,
    scale: String,
    noise: Option<String>,
    drop_singletons: bool,
    intervals: bool,
    permutations: usize,
    seed: u64,
    /// Where one feature outweighs all others, also score with every feature at the same weight.
    try_standard: bool,
}

impl Scoring {
    /// As the library has it, and the measure that the verdict is by.
    pub(crate) fn settings(&self) -> PyResult<(ScoreSettings, &'static Measure)> {
        let mut measures = self.measures.iter().map(|id| find(id)).collect::<PyResult<Vec<_>>>()?;
        let by = match &self.by {
            Some(id) => find(id)?,
            None => deciding::judge(&measures)
                .ok_or_else(|| PyValueError::new_err("at least one measure is needed"))?,
        };
        if !measures.iter().any(|measure| measure.id == by.id) {
            measures.push(by);
        }
        let settings = ScoreSettings {
            scale: self.scale.parse().map_err(PyValueError::new_err::<String>)?,
            noise: self.noise.clone(),
            singletons: if self.drop_singletons { Singletons::Drop } else { Singletons::Keep },
            uncertainty: UncertaintySettings {
                intervals: self.intervals,
                permutations: self.permutations,
                seed: self.seed,
            },
            try_standard: self.try_standard,
            ..ScoreSettings::new(measures)
        };
        Ok((settings, by))
    }
}

/// How files are read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Reading {
    label: Option<String>,
    labels_file: Option<PathBuf>,
    layer: Option<String>,
    drop: Vec<String>,
    keep: Vec<String>,
    only: Vec<String>,
    drop_text: bool,
    one_hot: Vec<String>,
    missing: String,
    decimal_comma: bool,
    header: Option<bool>,
    skip_rows: usize,
}

impl Reading {
    /// As the library has it.
    pub(crate) fn options(self) -> PyResult<ReadOptions> {
        Ok(ReadOptions {
            label: self.label,
            labels_file: self.labels_file,
            layer: self.layer,
            drop: self.drop,
            keep: self.keep,
            only: self.only,
            drop_text: self.drop_text,
            one_hot: self.one_hot,
            missing: self.missing.parse().map_err(PyValueError::new_err::<String>)?,
            decimal_comma: self.decimal_comma,
            header: self.header,
            skip_rows: self.skip_rows,
            memory_limit: None,
        })
    }
}

//! Settings that Python passes as a dictionary of all their fields.

use std::path::PathBuf;

use clmatch::{Measure, Singletons};
use clmatch_analysis::deciding;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_data::{ReadOptions, Scale};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::measures::find;

/// How a dataset is prepared before the analysis, and the seed of everything random.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Preparation {
    scale: String,
    pub(crate) noise: Option<String>,
    drop_singletons: bool,
    pub(crate) seed: u64,
}

impl Preparation {
    pub(crate) fn scale(&self) -> PyResult<Scale> {
        self.scale.parse().map_err(PyValueError::new_err::<String>)
    }

    pub(crate) fn singletons(&self) -> Singletons {
        if self.drop_singletons { Singletons::Drop } else { Singletons::Keep }
    }
}

/// How datasets are scored.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Scoring {
    measures: Vec<String>,
    /// The measure that the verdict rests on.
    by: Option<String>,
    pub(crate) preparation: Preparation,
    intervals: bool,
    permutations: usize,
    /// If one feature outweighs all others, whether to also score with every feature at the same weight.
    try_standard: bool,
}

impl Scoring {
    /// The library's settings, and the measure that the verdict rests on.
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
            scale: self.preparation.scale()?,
            noise: self.preparation.noise.clone(),
            singletons: self.preparation.singletons(),
            uncertainty: UncertaintySettings {
                intervals: self.intervals,
                permutations: self.permutations,
                seed: self.preparation.seed,
            },
            memory_limit: None,
            try_standard: self.try_standard,
            ..ScoreSettings::new(measures)
        };
        Ok((settings, by))
    }
}

/// How files are read.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FileReading {
    label: Option<String>,
    labels_file: Option<PathBuf>,
    layer: Option<String>,
    drop: Vec<String>,
    keep: Vec<String>,
    only: Vec<String>,
    drop_text: bool,
    one_hot: Vec<String>,
    mixed: bool,
    missing: String,
    na: Vec<String>,
    decimal_comma: bool,
    header: Option<bool>,
    skip_rows: usize,
    /// The columns that are kept as texts, after ids; `None` keeps nothing.
    show: Option<Vec<String>>,
    /// The memory that the data may take, in bytes.
    memory: Option<u64>,
}

impl FileReading {
    /// The library's options.
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
            mixed: self.mixed,
            missing_values: self.na,
            missing: self.missing.parse().map_err(PyValueError::new_err::<String>)?,
            decimal_comma: self.decimal_comma,
            header: self.header,
            skip_rows: self.skip_rows,
            show: self.show,
            memory_limit: self.memory,
        })
    }
}

//! One command a file.

mod batch;
pub mod calibrate;
pub mod catalogue;
pub mod classify;
pub mod demo;
pub mod diff;
pub mod improve;
pub mod lab;
pub mod measures;
pub mod rank;
pub mod score;
pub mod stability;
pub mod truth;

use std::path::Path;
use std::process::ExitCode;

use clmatch::Measure;
use clmatch_analysis::{AnalysisError, Scored, source};
use clmatch_data::{ReadOptions, Source};

use crate::failure::{Failure, MISSED, emit};
use crate::value_parsers::Bar;

/// `clm` where it is computed, else the first measure.
fn headline(measures: &[&'static Measure]) -> &'static Measure {
    measures.iter().find(|measure| measure.id == "clm").unwrap_or(&measures[0])
}

/// Sets the number of threads for all that follows.
fn use_threads(threads: Option<u64>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize);
    pool.build_global().map_err(|error| Failure::other(format!("cannot start {threads} threads: {error}")))
}

/// The only dataset at a path; several ones may be named one by one, or used as `or` says.
fn only_source(path: &Path, options: &ReadOptions, or: &str) -> Result<Source, Failure> {
    source::only(path, options).map_err(|error| match error {
        AnalysisError::SeveralDatasets { .. } => {
            Failure::bad_input(error.to_string(), format!("name one of them, or {or}"))
        }
        error => error.into(),
    })
}

/// Says which bars were missed, and gives the exit code.
fn check_bars<'a>(bars: &[Bar], datasets: impl Iterator<Item = &'a Scored>) -> Option<ExitCode> {
    let mut missed = false;
    for scored in datasets {
        for bar in bars {
            let id = bar.measure.id;
            let value = scored.scores.get(id).unwrap_or(f64::NAN);
            if value.is_nan() || bar.measure.prefers(bar.value, value) {
                missed = true;
                emit("missed", &format!("{}: {id} is {value:.6}, the bar is {}", scored.dataset, bar.value));
            }
        }
    }
    missed.then(|| ExitCode::from(MISSED))
}

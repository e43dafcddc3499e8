//! One command a file.

mod batch;
pub mod calibrate;
pub mod catalogue;
mod chosen;
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
use clmatch_data::Source;
use clmatch_truth::results::TableError;

use crate::failure::{BAD_INPUT, Failure, MISSED, complain};
use crate::result::Scored;
use crate::words::Bar;

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

/// The only dataset at a path.
fn only_source(path: &Path, or: &str) -> Result<Source, Failure> {
    let mut found = clmatch_data::find(&[path.to_owned()])?;
    match (found.pop(), found.len()) {
        (Some(source), 0) => Ok(source),
        (_, others) => Err(Failure {
            what: format!("{} holds {} datasets", path.display(), others + 1),
            help: Some(format!("name one of them, or {or}")),
            code: BAD_INPUT,
        }),
    }
}

/// The text of a table that an earlier command or the user wrote.
fn read_text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| Failure {
        what: format!("cannot read {}: {error}", path.display()),
        help: None,
        code: BAD_INPUT,
    })
}

/// A table that is not what it should be.
fn bad_table(path: &Path, error: &TableError) -> Failure {
    let what = format!("{}: {error}", path.display());
    Failure { what, help: Some(error.help.clone()), code: BAD_INPUT }
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
                complain(
                    "missed",
                    &format!("{}: {id} is {value:.6}, the bar is {}", scored.dataset, bar.value),
                );
            }
        }
    }
    missed.then(|| ExitCode::from(MISSED))
}

//! The commands, one per file.

mod batch;
pub mod calibrate;
pub mod catalogue;
pub mod classify;
pub mod compare;
pub mod completions;
pub mod demo;
pub mod diff;
pub mod explain;
pub mod improve;
pub mod inspect;
pub mod lab;
pub mod man;
pub mod measures;
pub mod pick;
pub mod rank;
pub mod relabel;
pub mod report;
pub mod score;
#[cfg(feature = "serve")]
pub mod serve;
#[cfg(not(feature = "serve"))]
#[path = "serve_absent.rs"]
pub mod serve;
pub mod stability;
pub mod truth;
pub mod watch;

use std::path::Path;
use std::process::ExitCode;

use clmatch::Measure;
use clmatch_analysis::expected_time::Part;
use clmatch_analysis::verdict::AcceptedVerdict;
use clmatch_analysis::{AnalysisError, Scored, deciding, expected_time, source};
use clmatch_data::{ReadOptions, Source};

use crate::args::BarArgs;
use crate::failure::{Failure, MISSED, emit, sentence};

/// The measure that datasets are ranked by.
fn headline(measures: &[&'static Measure]) -> &'static Measure {
    deciding::headline(measures).unwrap_or(measures[0])
}

/// The measure that a verdict rests on.
fn judge(measures: &[&'static Measure]) -> &'static Measure {
    deciding::judge(measures).unwrap_or(measures[0])
}

/// Sets the number of threads for everything that follows.
fn use_threads(threads: Option<u64>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize);
    pool.build_global().map_err(|error| Failure::other(format!("cannot start {threads} threads: {error}")))
}

/// The only dataset at a path; the error for several datasets suggests to name one, or to use them as `or` says.
fn only_source(path: &Path, options: &ReadOptions, or: &str) -> Result<Source, Failure> {
    source::only(path, options).map_err(|error| match error {
        AnalysisError::SeveralDatasets { .. } => {
            Failure::bad_input(error.to_string(), format!("name one of them, or {or}"))
        }
        error => error.into(),
    })
}

/// Says before it begins that work takes minutes, and what is faster.
fn announce_long(
    sources: &[Source],
    measures: &[&'static Measure],
    parts: &[Part],
    faster: &str,
    quiet: bool,
) {
    if !quiet {
        let long = sources.iter().filter_map(|source| expected_time::remark_unread(source, measures, parts));
        long.for_each(|remark| emit("note", &format!("{}; {faster}", sentence(&remark))));
    }
}

/// What is faster than work on all points.
const SCORES_ALONE: &str = "clmatch score --limit-seconds 30 estimates the scores alone";

/// Reports which bars were missed, and returns the exit code.
fn check_bars<'a>(bars: &BarArgs, datasets: impl Iterator<Item = &'a Scored>) -> Option<ExitCode> {
    let mut missed: Vec<String> = Vec::new();
    let wanted = bars.fail_unless.map(AcceptedVerdict::from);
    for scored in datasets {
        missed.extend(
            bars.fail_under.iter().filter_map(|bar| bar.missed_by(scored)).map(|bar| bar.to_string()),
        );
        let decision = scored.verdict.as_ref().map(|verdict| &verdict.decision);
        if let (Some(wanted), Some(decision)) = (wanted, decision)
            && !wanted.accepts(decision)
        {
            missed.push(format!(
                "{}: the verdict is: {decision}; the bar is {}",
                scored.dataset,
                wanted.name()
            ));
        }
    }
    missed.iter().for_each(|missed| emit("missed", missed));
    (!missed.is_empty()).then(|| ExitCode::from(MISSED))
}

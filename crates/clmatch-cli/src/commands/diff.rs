//! `clmatch diff A.json B.json`: what changed between two rankings.

use std::process::ExitCode;

use clmatch_analysis::comparison::{Change, StoredScores, compare};

use crate::args::DiffArgs;
use crate::export::comparison as export;
use crate::failure::{Failure, MISSED, emit, emit_remark};
use crate::output;

pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let compared = compare(StoredScores::read(&args.before)?, StoredScores::read(&args.after)?, args.by)?;
    compared.remarks.iter().for_each(emit_remark);
    let text = export::print(&compared, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(args.fail_above.and_then(|bar| missed(&compared.changes, bar)).unwrap_or(ExitCode::SUCCESS))
}

/// Reports which scores fell by more than the bar and which are gone, and returns the exit code.
fn missed(changes: &[Change], bar: f64) -> Option<ExitCode> {
    let why = |change: &Change| match change.fell_by_more_than(bar) {
        Some(fall) => Some(format!("{} became worse by {fall:.6}; the bar is {bar}", change.by)),
        None if change.after.is_none() => Some("there is no score in the later result".to_owned()),
        None => None,
    };
    let missed: Vec<String> =
        changes.iter().filter_map(|change| Some(format!("{}: {}", change.dataset, why(change)?))).collect();
    missed.iter().for_each(|sentence| emit("missed", sentence));
    (!missed.is_empty()).then(|| ExitCode::from(MISSED))
}

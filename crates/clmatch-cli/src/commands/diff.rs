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
    Ok(fallen(&compared.changes, args.fail_above).unwrap_or(ExitCode::SUCCESS))
}

/// Says which scores fell by more than the bar, and gives the exit code.
fn fallen(changes: &[Change], bar: Option<f64>) -> Option<ExitCode> {
    let bar = bar?;
    let fell = |change: &'_ Change| Some((change.dataset.clone(), change.by, change.fell_by_more_than(bar)?));
    let fallen: Vec<(String, &str, f64)> = changes.iter().filter_map(fell).collect();
    for (dataset, by, fall) in &fallen {
        emit("missed", &format!("{dataset}: {by} became worse by {fall:.6}; the bar is {bar}"));
    }
    (!fallen.is_empty()).then(|| ExitCode::from(MISSED))
}

//! `clmatch diff A.json B.json`: what changed between two rankings.

use std::process::ExitCode;

use clmatch_analysis::comparison::{StoredScores, compare};

use crate::args::DiffArgs;
use crate::export::comparison as export;
use crate::failure::{Failure, emit_remark};
use crate::output;

pub fn run(args: &DiffArgs) -> Result<ExitCode, Failure> {
    let compared = compare(StoredScores::read(&args.before)?, StoredScores::read(&args.after)?, args.by)?;
    compared.remarks.iter().for_each(emit_remark);
    let text = export::print(&compared, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

//! `clmatch measures`: the measures of the registry.

use std::process::ExitCode;

use crate::args::MeasuresArgs;
use crate::export::measures as export;
use crate::failure::Failure;
use crate::output;

pub fn run(args: &MeasuresArgs) -> Result<ExitCode, Failure> {
    let text = export::print(&args.ids, args.axioms, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

//! `clmatch pick RANKING`: datasets for a benchmark.

use std::process::ExitCode;

use clmatch_analysis::picking::{BenchmarkSettings, choose_benchmark};
use clmatch_analysis::source::Document;
use clmatch_data::Severity;
use clmatch_kernels::{Control, Step};
use clmatch_truth::picking::PickSettings;

use crate::args::PickArgs;
use crate::export::pick as export;
use crate::failure::{Failure, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Phases;

pub fn run(args: &PickArgs) -> Result<ExitCode, Failure> {
    let settings = BenchmarkSettings {
        ranking: args.ranking.as_deref().map(Document::read).transpose()?,
        truth: args.truth.as_deref().map(Document::read).transpose()?,
        by: args.by,
        external: args.external.clone(),
        techniques: args.techniques.clone(),
        accept: args.accept.into(),
        pick: PickSettings { count: args.count as usize, diversity: args.diversity, seed: args.seed },
    };
    interrupt::watch();
    let phases = Phases::new("choosing datasets", args.output.quiet);
    let hear = |step: Step<'_>| phases.hear(step);
    let control = Control::new(&interrupt::STOP).with_progress(&hear);
    let (benchmark, remarks) = choose_benchmark(&settings, control)?;
    drop(phases);
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.output.quiet);
    said.for_each(emit_remark);
    let text = export::print(&benchmark, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

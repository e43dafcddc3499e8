//! `clmatch score FILE`: one dataset.

use std::process::ExitCode;

use clmatch_analysis::scoring::{ScoreSettings, read_and_score};
use clmatch_analysis::verdict::attach_verdict;
use clmatch_data::Severity;
use clmatch_stop::Control;

use crate::args::ScoreArgs;
use crate::commands::{check_bars, judge, only_source, use_threads};
use crate::export;
use crate::failure::{Failure, emit_remark};
use crate::interrupt;
use crate::output;

pub fn run(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let measures = args.measures.chosen(args.bars.fail_under.iter().map(|bar| bar.measure));
    let settings =
        ScoreSettings { try_standard: true, ..args.input.score_settings(&args.approx, measures.clone()) };
    let source = only_source(&args.file, &settings.read, "rank them all with clmatch rank")?;
    interrupt::watch();
    let finished = read_and_score(&source, &settings, Control::new(&interrupt::STOP))?;
    let (notes, warnings): (Vec<_>, Vec<_>) =
        finished.remarks.iter().partition(|remark| remark.severity == Severity::Info);
    warnings.into_iter().for_each(emit_remark);
    if !args.output.quiet {
        notes.into_iter().for_each(emit_remark);
    }
    let mut scored = finished.scored;
    attach_verdict(&mut scored, judge(&measures));
    let text = export::scores::dataset(&scored, &measures, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(check_bars(&args.bars.fail_under, std::iter::once(&scored)).unwrap_or(ExitCode::SUCCESS))
}

//! `clmatch score FILE`: one dataset.

use std::process::ExitCode;

use clmatch_analysis::Remark;
use clmatch_analysis::levels::read_and_score_levels;
use clmatch_analysis::scoring::{Finished, ScoreSettings, read_and_score};
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_analysis::verdict::attach_verdict;
use clmatch_data::{Severity, Source};
use clmatch_stop::{Control, Step};

use crate::args::ScoreArgs;
use crate::commands::{check_bars, judge, only_source, use_threads};
use crate::export;
use crate::failure::{Failure, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Line;

pub fn run(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let measures = args.measures.chosen(args.bars.fail_under.iter().map(|bar| bar.measure));
    let settings = ScoreSettings {
        try_standard: true,
        uncertainty: args.uncertainty.settings(args.approx.seed),
        ..args.input.score_settings(&args.approx, measures.clone())
    };
    let source = only_source(&args.file, &settings.read, "rank them all with clmatch rank")?;
    interrupt::watch();
    if let Some(separator) = &args.levels {
        return levels(args, separator, &source, &settings);
    }
    let finished = work(&source, &settings, args.output.quiet)?;
    say(&finished.remarks, args.output.quiet);
    let mut scored = finished.scored;
    attach_verdict(&mut scored, judge(&measures));
    let text = export::scores::dataset(&scored, &measures, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(check_bars(&args.bars.fail_under, std::iter::once(&scored)).unwrap_or(ExitCode::SUCCESS))
}

/// Scores, with a sign of life on a terminal where it takes more than the scores alone.
fn work(source: &Source, settings: &ScoreSettings, quiet: bool) -> Result<Finished, Failure> {
    let control = Control::new(&interrupt::STOP);
    if settings.uncertainty == UncertaintySettings::default() {
        return Ok(read_and_score(source, settings, control)?);
    }
    let line = Line::spinner(quiet);
    line.say("comparing all points");
    let say = |step: Step<'_>| line.say(&format!("{}: {} of {}", step.what, step.done, step.of));
    Ok(read_and_score(source, settings, control.with_progress(&say))?)
}

/// Warnings, then notes unless they are not wanted.
fn say(remarks: &[Remark], quiet: bool) {
    let (notes, warnings): (Vec<_>, Vec<_>) =
        remarks.iter().partition(|remark| remark.severity == Severity::Info);
    warnings.into_iter().for_each(emit_remark);
    if !quiet {
        notes.into_iter().for_each(emit_remark);
    }
}

/// Every level of labels that form a tree.
fn levels(
    args: &ScoreArgs,
    separator: &str,
    source: &Source,
    settings: &ScoreSettings,
) -> Result<ExitCode, Failure> {
    let control = Control::new(&interrupt::STOP);
    let (levels, remarks) = read_and_score_levels(source, separator, settings, control)?;
    say(&remarks, args.output.quiet);
    let (format, width) = (args.output.format, output::width(&args.output));
    output::deliver(&export::levels::print(&levels, &settings.measures, format, width), &args.output)?;
    Ok(ExitCode::SUCCESS)
}

//! `clmatch score FILE`: one dataset.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clmatch_analysis::Remark;
use clmatch_analysis::expected_time::SCORES;
use clmatch_analysis::judging::attach_verdict;
use clmatch_analysis::levels::read_and_score_levels;
use clmatch_analysis::scoring::{Finished, ScoreSettings};
use clmatch_analysis::streamed::{read_and_score, score_stream};
use clmatch_data::{Severity, Source};
use clmatch_kernels::{Control, Step};

use crate::args::Format;
use crate::args::ScoreArgs;
use crate::commands::{check_bars, judge, only_source, use_threads};
use crate::export;
use crate::export::number::human_bytes;
use crate::failure::{Failure, USAGE, emit, emit_remark, sentence};
use crate::interrupt;
use crate::output;
use crate::progress::{Line, Phases, aside};

pub fn run(args: &ScoreArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let measures = args.measures.chosen(args.bars.measures());
    let mut settings = ScoreSettings {
        try_standard: true,
        // Only shown in JSON.
        checksum: args.output.format == Format::Json,
        announce: (!args.output.quiet).then_some(announce),
        uncertainty: args.uncertainty.settings(args.approx.seed),
        ..args.input.score_settings(&args.approx, measures.clone())
    };
    settings.read.memory_limit = args.stream.memory.memory;
    settings.memory_limit = args.stream.memory.memory;
    interrupt::watch();
    let finished = if args.stream.stream {
        stream(args, &settings)?
    } else {
        let source = only_source(only_file(args)?, &settings.read, OTHERWISE)?;
        if let Some(separator) = &args.levels {
            return levels(args, separator, &source, &settings);
        }
        work(&source, &settings, args.output.quiet)?
    };
    say(&finished.remarks, args.output.quiet);
    let mut scored = finished.scored;
    attach_verdict(&mut scored, judge(&measures));
    let text = export::scores::dataset(&scored, &measures, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(check_bars(&args.bars, std::iter::once(&scored)).unwrap_or(ExitCode::SUCCESS))
}

/// What to do with several datasets.
const OTHERWISE: &str = "rank them all with clmatch rank, or score them as parts of one with --stream";

/// The only file; several files are one dataset only if they are read in blocks.
fn only_file(args: &ScoreArgs) -> Result<&Path, Failure> {
    match &args.files[..] {
        [only] => Ok(only),
        several => Err(Failure {
            what: format!("{} files are given where one dataset is scored", several.len()),
            help: Some(OTHERWISE.to_owned()),
            code: USAGE,
        }),
    }
}

/// Scores data read in blocks, with a bar that shows the bytes.
fn stream(args: &ScoreArgs, settings: &ScoreSettings) -> Result<Finished, Failure> {
    if args.levels.is_some() {
        return Err(Failure {
            what: "the levels of labels are scored with all points in memory".to_owned(),
            help: Some("leave --levels out, or do without --stream".to_owned()),
            code: USAGE,
        });
    }
    let line = Line::new(0, args.output.quiet);
    line.say("looking at the first rows");
    let begun = Instant::now();
    let say = |step: Step<'_>| {
        let (done, of) = (step.done as u64, step.of as u64);
        if of > 0 {
            line.pace(begun, done.min(of) as f64, of as f64);
            line.say(&format!("{}: {} of {}", step.what, human_bytes(done), human_bytes(of)));
        } else {
            line.say(&format!("{}: {}", step.what, human_bytes(done)));
        }
    };
    let control = Control::new(&interrupt::STOP).with_progress(&say);
    Ok(score_stream(&args.files, settings, control)?)
}

/// Says that exact scores take long, and what would be faster.
fn announce(_: &str, remark: &Remark) {
    let text = format!(
        "{}; --stream reads the file in blocks and estimates from a sample of its rows",
        sentence(remark)
    );
    aside(|| emit("note", &text));
}

/// Scores, with a bar on a terminal.
fn work(source: &Source, settings: &ScoreSettings, quiet: bool) -> Result<Finished, Failure> {
    let phases = Phases::of(source, &settings.measures, &[SCORES], quiet);
    let hear = |step: Step<'_>| phases.hear(step);
    Ok(read_and_score(source, settings, Control::new(&interrupt::STOP).with_progress(&hear))?)
}

/// Shows the warnings, then the notes unless they are silenced.
fn say(remarks: &[Remark], quiet: bool) {
    let (notes, warnings): (Vec<_>, Vec<_>) =
        remarks.iter().partition(|remark| remark.severity == Severity::Info);
    warnings.into_iter().for_each(emit_remark);
    if !quiet {
        notes.into_iter().for_each(emit_remark);
    }
}

/// Scores every level of labels that form a tree.
fn levels(
    args: &ScoreArgs,
    separator: &str,
    source: &Source,
    settings: &ScoreSettings,
) -> Result<ExitCode, Failure> {
    let phases = Phases::new("reading", args.output.quiet);
    let hear = |step: Step<'_>| phases.hear(step);
    let control = Control::new(&interrupt::STOP).with_progress(&hear);
    let (levels, remarks) = read_and_score_levels(source, separator, settings, control)?;
    drop(phases);
    say(&remarks, args.output.quiet);
    let (format, width) = (args.output.format, output::width(&args.output));
    output::deliver(&export::levels::print(&levels, &settings.measures, format, width), &args.output)?;
    Ok(ExitCode::SUCCESS)
}

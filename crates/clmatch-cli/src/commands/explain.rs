//! `clmatch explain FILE`: what is wrong with a dataset, and what would help.

use std::process::ExitCode;
use std::slice;

use clmatch::measure;
use clmatch_analysis::expected_time::{NEIGHBOURS, Part, SCORES};
use clmatch_analysis::explanation::{ExplainSettings, Finished, read_and_explain};
use clmatch_data::{ReadOptions, Severity, Source};
use clmatch_kernels::{Control, Step};
use clmatch_render::pages::command_line::ActionPlace;

use crate::args::{ExplainArgs, Format};
use crate::commands::improve::check_place;
use crate::commands::{SCORES_ALONE, announce_long, only_source, use_threads};
use crate::export::explanation::{self, Commands};
use crate::failure::{Failure, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Phases;

pub fn run(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let settings = ExplainSettings {
        read: ReadOptions { show: Some(args.show.clone()), ..args.input.read_options() },
        scale: args.input.scale,
        noise: args.input.noise.clone(),
        singletons: args.input.singletons(),
        seed: args.seed,
    };
    let source = only_source(&args.file, &settings.read, "explain them one by one")?;
    for path in args.output.output.iter().chain(&args.points) {
        check_place(path, &source.path)?;
    }
    announce_long(slice::from_ref(&source), &measure::defaults(), &PARTS, SCORES_ALONE, args.output.quiet);
    let Finished { explained, points, shown, remarks } = work(&source, &settings, args.output.quiet)?;
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.output.quiet);
    said.for_each(emit_remark);
    if let Some(path) = &args.points {
        output::save_as(path, &explanation::points(&points, &shown), Format::Csv, args.output.quiet)?;
    }
    let place = ActionPlace {
        file: args.file.display().to_string(),
        options: args.input.words(),
        seed: args.seed,
        points: args.points.as_ref().map(|path| path.display().to_string()),
    };
    let commands = Commands { actions: place.commands(&explained.actions), suggested: place.suggested() };
    let text = explanation::dataset(&explained, &commands, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// What an explanation consists of.
const PARTS: [Part; 2] = [NEIGHBOURS, SCORES];

/// Explains, with a bar on a terminal.
fn work(source: &Source, settings: &ExplainSettings, quiet: bool) -> Result<Finished, Failure> {
    interrupt::watch();
    let phases = Phases::of(source, &measure::defaults(), &PARTS, quiet);
    let hear = |step: Step<'_>| phases.hear(step);
    let control = Control::new(&interrupt::STOP).with_progress(&hear);
    Ok(read_and_explain(source, settings, control)?)
}

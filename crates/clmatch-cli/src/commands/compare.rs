//! `clmatch compare A B ...`: the same rows in several representations.

use std::process::ExitCode;

use clmatch_analysis::expected_time::SCORES;
use clmatch_analysis::representations::{CompareSettings, compare_representations};
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_data::{Severity, Source};
use clmatch_kernels::{Control, Step};
use clmatch_render::pages::plots;

use crate::args::CompareArgs;
use crate::commands::{SCORES_ALONE, announce_long, only_source, use_threads};
use crate::export::compare as export;
use crate::failure::{Failure, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Phases;

pub fn run(args: &CompareArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let measures = args.measures.chosen([]);
    let score = ScoreSettings {
        read: args.input.read_options(),
        scale: args.input.scale,
        noise: args.input.noise.clone(),
        singletons: args.input.singletons(),
        ..ScoreSettings::new(measures.clone())
    };
    // With labels from elsewhere, a file of points is a dataset.
    let mut options = score.read.clone();
    options.labels_file = options.labels_file.or_else(|| args.label_of.clone());
    let sources: Vec<Source> = args
        .files
        .iter()
        .map(|path| only_source(path, &options, "give one after the other"))
        .collect::<Result<_, Failure>>()?;
    let settings = CompareSettings { score, label_of: args.label_of.clone(), seed: args.seed };
    announce_long(&sources, &measures, &[SCORES], SCORES_ALONE, args.output.quiet);
    interrupt::watch();
    let phases = Phases::new("comparing representations", args.output.quiet);
    let hear = |step: Step<'_>| phases.hear(step);
    let control = Control::new(&interrupt::STOP).with_progress(&hear);
    let (found, remarks) = compare_representations(&sources, &settings, control)?;
    drop(phases);
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.output.quiet);
    said.for_each(emit_remark);
    let text = export::print(&found, &measures, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    if let Some(path) = &args.plot {
        output::save(path, &plots::representations(&found), args.output.quiet)?;
    }
    Ok(ExitCode::SUCCESS)
}

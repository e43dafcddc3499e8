//! `clmatch compare A B ...`: the same rows in several representations.

use std::process::ExitCode;

use clmatch::measure::find;
use clmatch_analysis::representations::{CompareSettings, Representations, compare_representations};
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_data::{Severity, Source};
use clmatch_report::{IntervalLine, IntervalLines, IntervalPoint};
use clmatch_stop::Control;

use crate::args::CompareArgs;
use crate::commands::{only_source, use_threads};
use crate::export::compare as export;
use crate::failure::{Failure, emit_remark};
use crate::interrupt;
use crate::output;

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
    // Labels that come from elsewhere may make a file of points a dataset.
    let mut options = score.read.clone();
    options.labels_file = options.labels_file.or_else(|| args.label_of.clone());
    let sources: Vec<Source> = args
        .files
        .iter()
        .map(|path| only_source(path, &options, "give one after the other"))
        .collect::<Result<_, Failure>>()?;
    let settings = CompareSettings { score, label_of: args.label_of.clone(), seed: args.seed };
    interrupt::watch();
    let (found, remarks) = compare_representations(&sources, &settings, Control::new(&interrupt::STOP))?;
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.output.quiet);
    said.for_each(emit_remark);
    let text = export::print(&found, &measures, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    if let Some(path) = &args.plot {
        output::save(path, &plot(&found), args.output.quiet)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The scores with their intervals against the representations, in their order.
fn plot(found: &Representations) -> String {
    let line = |id: &str| IntervalLine {
        name: id.to_owned(),
        points: found
            .representations
            .iter()
            .map(|one| {
                let interval = one.interval(id).map(|interval| (interval.low, interval.high));
                Some(IntervalPoint { value: one.scores.get(id)?, interval })
            })
            .collect(),
    };
    let mut measures: Vec<&str> = found.measures.iter().map(|measure| measure.measure.as_str()).collect();
    // Beside measures without an upper bound all others would lie on the axis.
    let bounded = |id: &&str| find(id).is_some_and(|measure| measure.range.1.is_finite());
    if measures.iter().any(bounded) {
        measures.retain(bounded);
    }
    IntervalLines {
        title: format!("{} points in {} classes, with 95% intervals", found.points, found.classes),
        y: if let [only] = measures[..] { only.to_owned() } else { "score".to_owned() },
        stages: found.representations.iter().map(|one| one.name.clone()).collect(),
        lines: measures.into_iter().map(line).collect(),
    }
    .svg()
}

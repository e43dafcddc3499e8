//! `clmatch calibrate JUDGEMENTS`: the growth rates at which scores match judged separability.

use std::process::ExitCode;

use clmatch_analysis::calibration::{FittedScores, GrowthRateSettings, fit_judgements};
use clmatch_analysis::calibration::{Interval, Options};
use clmatch_lab::calibrate::transfer::ranged;
use clmatch_render::{Group, Scatter};

use crate::args::CalibrateArgs;
use crate::export::calibrated as export;
use crate::failure::{Failure, USAGE, emit};
use crate::output;

/// How many variants can be told apart in a plot.
const PLOTTED: usize = 8;

pub fn run(args: &CalibrateArgs) -> Result<ExitCode, Failure> {
    let settings = GrowthRateSettings {
        variants: if args.variant.is_empty() { ranged() } else { args.variant.clone() },
        points: args.points as usize,
        fit: Options {
            interval: Interval { low: args.low, high: args.high },
            resamples: args.resamples as usize,
            seed: args.seed,
            ..Options::default()
        },
    };
    let (rates, mut scores) = fit_judgements(&args.file, &settings).map_err(|error| {
        let failure = Failure::from(error);
        if args.low < args.high { failure } else { Failure { code: USAGE, ..failure } }
    })?;
    if let Some(path) = &args.plot {
        if scores.len() > PLOTTED && !args.output.quiet {
            emit(
                "note",
                &format!("the plot shows the first {PLOTTED} variants; choose others with --variant"),
            );
        }
        scores.truncate(PLOTTED);
        output::save(path, &plot(scores).svg(), args.output.quiet)?;
    }
    let text = export::print(&rates, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

fn plot(scores: Vec<FittedScores>) -> Scatter {
    Scatter {
        title: "Fitted scores against judgements".into(),
        x: "judged separability".into(),
        y: "score".into(),
        groups: scores.into_iter().map(|one| Group { name: one.variant, points: one.points }).collect(),
        diagonal: true,
        square: true,
    }
}

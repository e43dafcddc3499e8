//! `clmatch demo`: the main job on embedded data.

use std::process::ExitCode;

use clmatch_analysis::AnalysisError;
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::scoring::{ScoreSettings, score};
use rayon::prelude::*;

use crate::args::{DemoArgs, Format};
use crate::commands::use_threads;
use crate::export;
use crate::export::scores::Layout;
use crate::failure::Failure;
use crate::output;

/// The demonstration fits a classical terminal, whatever it is shown on.
const WIDTH: usize = 80;

const MEANING: &str = "\
1: every class is a cluster of its own. 0: labels say nothing about clusters.
";

pub fn run(args: &DemoArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let measures = args.measures.chosen(None);
    let settings = ScoreSettings::new(measures.clone());
    let datasets = clmatch_data::embedded::all();
    let finished: Result<Vec<_>, AnalysisError> =
        datasets.into_par_iter().map(|data| score(data, &settings)).collect();
    let scored = finished?.into_iter().map(|finished| finished.scored).collect();
    let ranking = Ranking::new(measures[0], measures, scored, Vec::new());
    let width = output::width(&args.output).unwrap_or(WIDTH);
    let mut text = export::scores::ranking(&ranking, args.output.format, Some(width), Layout::Short);
    if args.output.format == Format::Table && !args.output.quiet {
        text = format!("{text}\n{MEANING}");
    }
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

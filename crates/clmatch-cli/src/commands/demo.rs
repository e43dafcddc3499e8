//! `clmatch demo`: the main task on embedded data.

use std::path::Path;
use std::process::ExitCode;

use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::scoring::{ScoreSettings, score};
use clmatch_analysis::{AnalysisError, Scored};
use rayon::prelude::*;

use crate::args::{DemoArgs, Format};
use crate::commands::{report, use_threads};
use crate::export;
use crate::export::scores::Layout;
use crate::failure::Failure;
use crate::output;

/// The demonstration fits a classic terminal, wherever it is shown.
const WIDTH: usize = 80;

const MEANING: &str = "\
1: every class is a cluster of its own. 0: labels say nothing about clusters.
";

pub fn run(args: &DemoArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    args.report.as_deref().map_or(Ok(()), report::check_name)?;
    let measures = args.measures.chosen(None);
    let settings = ScoreSettings::new(measures.clone());
    let datasets = clmatch_data::embedded::all();
    let finished: Result<Vec<_>, AnalysisError> =
        datasets.into_par_iter().map(|data| score(data, &settings)).collect();
    let scored: Vec<Scored> = finished?.into_iter().map(|finished| finished.scored).collect();
    let ranking = Ranking::with_verdicts(measures[0], measures, scored, Vec::new());
    if let Some(path) = &args.report {
        write_report(args, &ranking, path)?;
    }
    let width = output::width(&args.output).unwrap_or(WIDTH);
    let mut text = export::scores::ranking(&ranking, args.output.format, Some(width), Layout::Short);
    if args.output.format == Format::Table && !args.output.quiet {
        text = format!("{text}\n{MEANING}");
    }
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

fn write_report(args: &DemoArgs, ranking: &Ranking, path: &Path) -> Result<(), Failure> {
    let mut words = ["clmatch", "demo", "--report"].map(String::from).to_vec();
    words.push(path.display().to_string());
    words.extend(args.measures.words());
    report::write_ranking(ranking, false, &words, path, args.output.quiet)
}

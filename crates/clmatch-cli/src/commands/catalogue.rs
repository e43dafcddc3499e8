//! `clmatch catalogue`: well-known datasets with their scores, filtered and sorted.

use std::process::ExitCode;

use clmatch_analysis::catalogued::CatalogueFilter;
use clmatch_analysis::ranking::Ranking;

use crate::args::CatalogueArgs;
use crate::export;
use crate::failure::Failure;
use crate::output;

pub fn run(args: &CatalogueArgs) -> Result<ExitCode, Failure> {
    let needed = args.min.iter().map(|bar| bar.measure);
    let measures = args.measures.chosen(std::iter::once(args.by).chain(needed));
    let filter = CatalogueFilter {
        classes: args.classes.clone(),
        points: args.points.clone(),
        features: args.features.clone(),
        at_least: args.min.iter().map(|bar| (bar.measure, bar.value)).collect(),
        top_third: args.top_third,
    };
    let mut ranking = Ranking::new(args.by, measures, filter.datasets(args.by), Vec::new());
    if let Some(top) = args.top {
        ranking.keep(top as usize);
    }
    let text = export::scores::ranking(&ranking, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

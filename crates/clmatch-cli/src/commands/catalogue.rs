//! `clmatch catalogue [NAME]`: well-known datasets with their scores, filtered and sorted, or all about one of them.

use std::process::ExitCode;

use clmatch_analysis::catalogued::{CatalogueFilter, catalogued, nothing_matches};
use clmatch_analysis::ranking::Ranking;

use crate::args::CatalogueArgs;
use crate::export;
use crate::export::scores::Layout;
use crate::failure::{Failure, emit_remark};
use crate::output;

pub fn run(args: &CatalogueArgs) -> Result<ExitCode, Failure> {
    let needed = args.min.iter().map(|bar| bar.measure);
    let measures = args.measures.chosen(std::iter::once(args.by).chain(needed));
    if let Some(name) = &args.name {
        let scaled = catalogued(name)?;
        let (format, width) = (args.output.format, output::width(&args.output));
        output::deliver(&export::catalogued::print(&scaled, &measures, format, width), &args.output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let filter = CatalogueFilter {
        scale: args.scale,
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
    if ranking.ranked.is_empty() {
        emit_remark(&nothing_matches());
    }
    let text =
        export::scores::ranking(&ranking, args.output.format, output::width(&args.output), Layout::Thirds);
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

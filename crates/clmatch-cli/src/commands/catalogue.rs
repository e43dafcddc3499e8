//! `clmatch catalogue`: well-known datasets with their scores, filtered and sorted.

use std::process::ExitCode;

use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::scored::{SCHEMA, Scored, Scores};
use clmatch_analysis::standing::attach_standing;
use clmatch_data::Scale;
use clmatch_data::catalogue::{Catalogue, Entry, Third};

use crate::args::CatalogueArgs;
use crate::export;
use crate::failure::Failure;
use crate::output;

pub fn run(args: &CatalogueArgs) -> Result<ExitCode, Failure> {
    let needed = args.min.iter().map(|bar| bar.measure);
    let measures = args.measures.chosen(std::iter::once(args.by).chain(needed));
    let catalogue = Catalogue::embedded();
    let entries = catalogue.entries.iter().filter(|entry| fits(entry, args));
    let mut scored: Vec<Scored> = entries.map(|entry| scored(catalogue, entry)).collect();
    scored.iter_mut().for_each(|scored| attach_standing(scored, args.by));
    scored.retain(|scored| passes(scored, args));
    let mut ranking = Ranking::new(args.by, measures, scored, Vec::new());
    if let Some(top) = args.top {
        ranking.keep(top as usize);
    }
    output::deliver(
        &export::scores::ranking(&ranking, args.output.format, output::width(&args.output)),
        &args.output,
    )?;
    Ok(ExitCode::SUCCESS)
}

fn fits(entry: &Entry, args: &CatalogueArgs) -> bool {
    let ranges =
        [(args.classes, entry.classes), (args.points, entry.points), (args.features, entry.features)];
    ranges.iter().all(|(span, number)| span.is_none_or(|span| span.holds(*number)))
}

fn passes(scored: &Scored, args: &CatalogueArgs) -> bool {
    let value = |id| scored.scores.get(id).unwrap_or(f64::NAN);
    let reaches = args.min.iter().all(|bar| !bar.measure.prefers(bar.value, value(bar.measure.id)));
    let top = scored.standing.as_ref().is_some_and(|standing| standing.third == Third::Top);
    reaches && (top || !args.top_third)
}

fn scored(catalogue: &Catalogue, entry: &Entry) -> Scored {
    Scored {
        schema: SCHEMA.to_owned(),
        dataset: entry.name.clone(),
        points: entry.points,
        features: entry.features,
        classes: entry.classes,
        sizes: Vec::new(),
        scale: Scale::MaxAbs,
        checksum: entry.checksum.clone(),
        dropped: None,
        notes: Vec::new(),
        standing: None,
        approximate: None,
        scores: Scores(catalogue.measures.iter().cloned().zip(entry.scores.iter().copied()).collect()),
        pairs: Vec::new(),
    }
}

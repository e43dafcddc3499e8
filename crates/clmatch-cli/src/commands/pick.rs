//! `clmatch pick RANKING`: datasets for a benchmark.

use std::path::Path;
use std::process::ExitCode;
use std::slice;

use clmatch::measure;
use clmatch_analysis::manifest::is_manifest;
use clmatch_analysis::picking::{BenchmarkSettings, choose_benchmark};
use clmatch_analysis::rank::RankSettings;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::source::Document;
use clmatch_data::Severity;
use clmatch_kernels::{Control, Step};
use clmatch_truth::picking::PickSettings;

use crate::advice::in_words;
use crate::args::PickArgs;
use crate::commands::{batch, headline, rank};
use crate::export::number::counted;
use crate::export::pick as export;
use crate::failure::{Failure, INTERRUPTED, emit, emit_remark};
use crate::interrupt;
use crate::output;
use crate::progress::Phases;

pub fn run(args: &PickArgs) -> Result<ExitCode, Failure> {
    let settings = BenchmarkSettings {
        ranking: args.ranking.as_deref().map(|path| ranking(path, args)).transpose()?,
        truth: args.truth.as_deref().map(Document::read).transpose()?,
        by: args.by,
        external: args.external.clone(),
        techniques: args.techniques.clone(),
        accept: args.accept.into(),
        pick: PickSettings { count: args.count as usize, diversity: args.diversity, seed: args.seed },
    };
    interrupt::watch();
    let phases = Phases::new("choosing datasets", args.output.quiet);
    let hear = |step: Step<'_>| phases.hear(step);
    let control = Control::new(&interrupt::STOP).with_progress(&hear);
    let (benchmark, remarks) = choose_benchmark(&settings, control)?;
    drop(phases);
    let said = remarks.iter().filter(|remark| remark.severity == Severity::Warning || !args.output.quiet);
    said.for_each(emit_remark);
    let text = export::print(&benchmark, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// The ranking in a file; the datasets of a manifest or a folder are ranked first.
fn ranking(path: &Path, args: &PickArgs) -> Result<Document, Failure> {
    if !is_manifest(path) && !path.is_dir() {
        return Ok(Document::read(path)?);
    }
    let quiet = args.output.quiet;
    let sources = batch::find(slice::from_ref(&path.to_owned()), quiet, false)?;
    let mut measures = measure::defaults();
    measures.extend(args.by.filter(|by| measures.iter().all(|known| known.id != by.id)));
    let by = args.by.unwrap_or_else(|| headline(&measures));
    let settings = RankSettings { score: ScoreSettings::new(measures), by, one_by_one: false };
    let (ranking, unfinished) = rank::ranked(sources, settings, None, quiet)?;
    if unfinished > 0 {
        let what = format!("interrupted: {} not ranked", counted(unfinished, "dataset"));
        return Err(Failure { what, help: None, code: INTERRUPTED });
    }
    for failed in &ranking.failed {
        let help = failed.error.advice().map(|advice| format!("; {}", in_words(&advice))).unwrap_or_default();
        emit("warning", &format!("{}: left out: {}{help}", failed.dataset, failed.error));
    }
    let text = serde_json::to_string(&ranking.entries(in_words));
    let text = text.map_err(|error| Failure::other(format!("cannot write the ranking: {error}")))?;
    Ok(Document { name: path.to_owned(), text })
}

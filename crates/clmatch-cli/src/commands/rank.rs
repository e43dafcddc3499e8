//! `clmatch rank PATH...`: many datasets, best first.

use std::process::ExitCode;

use clmatch_analysis::batch::BatchEvent;
use clmatch_analysis::rank::{RankSettings, rank_resumable};
use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::resume::Record;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::{Remark, Scored};
use clmatch_data::{Advice, Source};

use crate::advice::in_words;
use crate::args::{Format, RankArgs};
use crate::commands::batch::{self, BatchEnd, BatchView};
use crate::commands::{check_bars, headline, use_threads};
use crate::export;
use crate::export::scores::{Layout, dominated, estimated};
use crate::failure::{Failure, emit, sentence};
use crate::interrupt;
use crate::output;
use crate::progress::aside;

pub fn run(args: &RankArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let needed = args.by.into_iter().chain(args.bars.measures());
    let measures = args.measures.chosen(needed);
    let by = args.by.unwrap_or_else(|| headline(&measures));
    let mut settings = ScoreSettings {
        uncertainty: args.uncertainty.settings(args.approx.seed),
        announce: (!args.output.quiet).then_some(announce),
        ..args.input.score_settings(&args.approx, measures)
    };
    settings.read.memory_limit = args.memory.memory;
    settings.memory_limit = args.memory.memory;
    let sources = batch::find(&args.paths, args.output.quiet, args.verbose)?;
    let labels = settings.read.labels_file.clone();
    let record =
        args.resume.as_ref().map(|path| Record::open(path, settings.identity(), labels)).transpose()?;
    let settings = RankSettings { score: settings, by, one_by_one: false };
    let (mut ranking, unfinished) = ranked(sources, settings, record, args.output.quiet)?;
    let missed = check_bars(&args.bars, ranking.ranked.iter().map(|ranked| &ranked.scored));
    if let Some(top) = args.top {
        ranking.keep(top as usize);
    }
    let text =
        export::scores::ranking(&ranking, args.output.format, output::width(&args.output), Layout::Verdicts);
    output::deliver(&text, &args.output)?;
    if let Some(sentence) = dominated(ranking.ranked.iter().map(|ranked| &ranked.scored))
        && !args.output.quiet
    {
        emit("note", &format!("{sentence}; {}", in_words(&Advice::EqualWeights)));
    }
    let shown = args.output.output.is_none() && matches!(args.output.format, Format::Json | Format::Markdown);
    let end = BatchEnd {
        input: &args.input,
        done: "ranked",
        finished: ranking.ranked.len() + ranking.hidden,
        failed: &ranking.failed,
        unfinished,
        told: shown,
        verbose: args.verbose,
        resumable: args.resume.is_some(),
    };
    let done = end.conclude()?;
    Ok(missed.filter(|_| ranking.failed.is_empty()).unwrap_or(done))
}

/// Says that the exact scores of a dataset take long, and what would be faster.
fn announce(name: &str, remark: &Remark) {
    aside(|| emit("note", &format!("{name}: {}", sentence(remark))));
}

/// Ranks datasets in the background, with a bar, until Ctrl-C. Also returns how many datasets were not finished.
pub fn ranked(
    sources: Vec<Source>,
    settings: RankSettings,
    record: Option<Record<Scored>>,
    quiet: bool,
) -> Result<(Ranking, usize), Failure> {
    interrupt::watch_keeping();
    let mut view = BatchView::new(&settings.score.measures, quiet);
    let mut before = Vec::new();
    let found = rank_resumable(sources, settings, record, &interrupt::STOP, &mut |event| {
        if let BatchEvent::Started { resumed, .. } = event {
            // What an earlier run reported about a dataset that it finished applies to this run, too.
            let text =
                |of: &Scored| of.warnings.iter().map(|text| format!("{}: {text}", of.dataset)).collect();
            before = resumed.iter().flat_map(|of| -> Vec<String> { text(of) }).collect();
        }
        view.show(&event, notes);
    })?;
    before.iter().for_each(|text| emit("warning", text));
    Ok(found)
}

/// The notes shown about each of many datasets: columns that were left out automatically, that it was too large for memory, and
/// how precise estimates are.
fn notes(scored: &Scored, _: &[Remark]) -> Vec<String> {
    let names: Vec<&str> = scored.left_out.iter().map(|column| column.column.as_str()).collect();
    let left_out = (!names.is_empty()).then(|| format!("not used as a feature: {}", names.join(", ")));
    // The first note says so.
    let in_blocks = scored.streamed.as_ref().and_then(|_| scored.notes.first().cloned());
    left_out.into_iter().chain(in_blocks).chain(estimated(scored)).collect()
}

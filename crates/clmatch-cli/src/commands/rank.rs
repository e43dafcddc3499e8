//! `clmatch rank PATH...`: many datasets, best first.

use std::cmp::Reverse;
use std::process::ExitCode;
use std::sync::mpsc;

use clmatch_analysis::ranking::Ranking;
use clmatch_analysis::resume::Record;
use clmatch_analysis::scoring::{Finished, ScoreSettings, score_read};
use clmatch_analysis::streamed::read_and_score_any;
use clmatch_analysis::verdict::attach_verdict;
use clmatch_analysis::{AnalysisError, Scored};
use clmatch_data::{Advice, Severity, Source};
use clmatch_kernels::Control;

use crate::advice::in_words;
use crate::args::{Format, RankArgs};
use crate::commands::batch::{self, BatchOutcome, Done, Reporter};
use crate::commands::{check_bars, headline, use_threads};
use crate::export;
use crate::export::scores::{Layout, dominated, estimated};
use crate::failure::{Failure, emit, sentence};
use crate::interrupt;
use crate::output;
use crate::progress::bytes;

/// Datasets in larger files are scored one at a time, with all threads.
const LARGE: u64 = 1 << 20;
/// While a dataset in a larger file is scored, no other one is read.
const ALONE: u64 = 1 << 28;

pub fn run(args: &RankArgs) -> Result<ExitCode, Failure> {
    use_threads(args.measures.threads)?;
    let needed = args.by.into_iter().chain(args.bars.fail_under.iter().map(|bar| bar.measure));
    let measures = args.measures.chosen(needed);
    let by = args.by.unwrap_or_else(|| headline(&measures));
    let mut settings = ScoreSettings {
        uncertainty: args.uncertainty.settings(args.approx.seed),
        ..args.input.score_settings(&args.approx, measures.clone())
    };
    settings.read.memory_limit = args.memory.memory;
    settings.memory_limit = args.memory.memory;
    let sources = clmatch_data::find(&args.paths)?;
    let labels = settings.read.labels_file.clone();
    let record =
        args.resume.as_ref().map(|path| Record::open(path, settings.identity(), labels)).transpose()?;
    let mut outcome = score_all(sources, record, settings, args.output.quiet)?;
    outcome.done[..outcome.resumed].iter().for_each(warn_again);
    outcome.done.iter_mut().for_each(|scored| attach_verdict(scored, by));

    let mut ranking = Ranking::new(by, measures, outcome.done, outcome.failed);
    let missed = check_bars(&args.bars.fail_under, ranking.ranked.iter().map(|ranked| &ranked.scored));
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
    let report = if shown { batch::count } else { batch::report };
    let done = batch::conclude(&ranking.failed, report, outcome.unfinished, args.resume.is_some())?;
    Ok(missed.filter(|_| ranking.failed.is_empty()).unwrap_or(done))
}

/// Scores datasets in the background.
pub fn score_all(
    sources: Vec<Source>,
    record: Option<Record<Scored>>,
    settings: ScoreSettings,
    quiet: bool,
) -> Result<BatchOutcome<Scored>, Failure> {
    batch::run(sources, record, quiet, move |sources, reporter| work(sources, &settings, &reporter))
}

/// What was said of a dataset by the run that finished it holds for this one, too.
fn warn_again(scored: &Scored) {
    scored.warnings.iter().for_each(|text| emit("warning", &format!("{}: {text}", scored.dataset)));
}

/// Small datasets side by side; larger ones one after another with all threads, the largest first, each read while the one
/// before it is scored; and the largest of all alone, so that they have the memory for themselves.
fn work(sources: Vec<Source>, settings: &ScoreSettings, reporter: &Reporter<Scored>) {
    let (mut larger, small): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(|source| bytes(source) > LARGE);
    larger.sort_by_cached_key(|source| Reverse(bytes(source)));
    let one_thread = rayon::current_num_threads() == 1;
    let (alone, larger): (Vec<Source>, Vec<Source>) =
        larger.into_iter().partition(|source| one_thread || bytes(source) > ALONE);
    let control = Control::new(&interrupt::STOP);
    let report = |source: &Source, result: Result<Finished, AnalysisError>| match result {
        Err(AnalysisError::Stopped(_)) => {}
        result => reporter.finished(source, result.map(done)),
    };
    let score = |source: &Source| report(source, read_and_score_any(source, settings, control));
    let (to_score, read) = mpsc::sync_channel(0);
    std::thread::scope(|threads| {
        threads.spawn(move || {
            let wanted = larger.into_iter().take_while(|_| !interrupt::pressed());
            for source in wanted {
                let dataset = clmatch_data::read(&source, &settings.read).ok();
                if to_score.send((source, dataset)).is_err() {
                    return;
                }
            }
        });
        rayon::in_place_scope(|scope| {
            for source in &small {
                scope.spawn(|_| score(source));
            }
            for (source, dataset) in read {
                match dataset {
                    Some(dataset) => report(&source, score_read(&source, dataset, settings, control)),
                    // What is wrong may be that two did not fit into memory at a time: once more, alone.
                    None => score(&source),
                }
            }
        });
    });
    alone.iter().for_each(score);
}

/// That a dataset was too large for memory, which is said first.
fn in_blocks(finished: &Finished) -> Option<String> {
    finished.scored.streamed.as_ref()?;
    finished.scored.notes.first().cloned()
}

/// Of many datasets only warnings are said, which columns were left out unasked, and how good estimates are.
fn done(finished: Finished) -> Done<Scored> {
    let warnings = finished.remarks.iter().filter(|remark| remark.severity == Severity::Warning);
    let names: Vec<&str> = finished.scored.left_out.iter().map(|column| column.column.as_str()).collect();
    let left_out = (!names.is_empty()).then(|| format!("left out as no feature: {}", names.join(", ")));
    Done {
        warnings: warnings.map(sentence).collect(),
        notes: left_out.into_iter().chain(in_blocks(&finished)).chain(estimated(&finished.scored)).collect(),
        value: finished.scored,
    }
}

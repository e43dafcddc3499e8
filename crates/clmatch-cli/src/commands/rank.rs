//! `clmatch rank PATH...`: many datasets, best first.

use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use clmatch_data::Source;

use crate::args::RankArgs;
use crate::commands::{check_bars, headline, use_threads};
use crate::export;
use crate::export::table::estimated;
use crate::failure::{BAD_INPUT, Failure, OTHER, complain};
use crate::interrupt;
use crate::output;
use crate::progress::{Progress, bytes};
use crate::ranking::{FailedDataset, Ranking};
use crate::resume::Record;
use crate::scoring::{Finished, Recipe, read_and_score};
use crate::standing::place;

/// Datasets in larger files are scored one at a time, with all threads.
const LARGE: u64 = 1 << 20;
/// How often a waiting command looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

pub fn run(args: &RankArgs) -> Result<ExitCode, Failure> {
    use_threads(&args.measures)?;
    let needed = args.by.into_iter().chain(args.bars.fail_under.iter().map(|bar| bar.measure));
    let measures = args.measures.chosen(needed);
    let by = args.by.unwrap_or_else(|| headline(&measures));
    let recipe = Recipe::new(&args.input, &args.approx, measures.clone());
    let sources = clmatch_data::find(&args.paths)?;
    let record = args.resume.as_ref().map(|path| Record::open(path, &recipe)).transpose()?;
    let mut outcome = score_all(sources, &recipe, record, args.output.quiet)?;
    outcome.scored.iter_mut().for_each(|scored| place(scored, by));

    let mut ranking = Ranking::new(by, measures, outcome.scored, outcome.failed);
    let missed = check_bars(&args.bars.fail_under, ranking.ranked.iter().map(|ranked| &ranked.scored));
    if let Some(top) = args.top {
        ranking.keep(top as usize);
    }
    output::deliver(
        &export::ranking(&ranking, args.output.format, output::width(&args.output)),
        &args.output,
    )?;
    for failed in &ranking.failed {
        failed.failure.report();
    }
    if outcome.unfinished > 0 {
        return Err(interrupted(outcome.unfinished, args));
    }
    match missed {
        _ if !ranking.failed.is_empty() => Ok(ExitCode::from(BAD_INPUT)),
        Some(code) => Ok(code),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn interrupted(unfinished: usize, args: &RankArgs) -> Failure {
    let datasets = if unfinished == 1 { "dataset was" } else { "datasets were" };
    let help = match args.resume {
        Some(_) => "continue with the same --resume file",
        None => "with --resume FILE a later run continues where this one stopped",
    };
    let what = format!("interrupted: {unfinished} {datasets} not scored");
    Failure { what, help: Some(help.to_owned()), code: OTHER }
}

#[derive(Default)]
struct Outcome {
    scored: Vec<crate::result::Scored>,
    failed: Vec<FailedDataset>,
    unfinished: usize,
}

struct Report {
    source: Source,
    result: Result<Finished, Failure>,
}

/// Scores in the background and collects here, so that Ctrl-C is heard while a dataset is in work.
fn score_all(
    sources: Vec<Source>,
    recipe: &Recipe,
    mut record: Option<Record>,
    quiet: bool,
) -> Result<Outcome, Failure> {
    interrupt::watch();
    let mut outcome = Outcome::default();
    let all = sources.len();
    let sources = match &mut record {
        Some(record) => without_finished(sources, recipe, record, &mut outcome),
        None => sources,
    };
    if !outcome.scored.is_empty() && !quiet {
        complain("resumed", &format!("{} of {all} datasets were finished before", outcome.scored.len()));
    }
    outcome.unfinished = sources.len();
    let progress = Progress::new(&sources, quiet);
    let (sender, receiver) = mpsc::channel();
    let in_background = recipe.clone();
    std::thread::spawn(move || work(sources, &in_background, &sender));
    while let Some(Report { source, result }) = next(&receiver) {
        outcome.unfinished -= 1;
        progress.finished(&source);
        match result {
            Ok(finished) => {
                if let Some(record) = &mut record {
                    record.add(&source, recipe, &finished.scored)?;
                }
                let warn = |text: &String| progress.say("warning", &format!("{}: {text}", source.name));
                finished.warnings.iter().for_each(warn);
                if let Some(sentence) = estimated(&finished.scored).filter(|_| !quiet) {
                    progress.say("note", &format!("{}: {sentence}", source.name));
                }
                outcome.scored.push(finished.scored);
            }
            Err(failure) => outcome.failed.push(FailedDataset { dataset: source.name, failure }),
        }
    }
    progress.clear();
    Ok(outcome)
}

/// Moves what an earlier run finished to the outcome.
fn without_finished(
    sources: Vec<Source>,
    recipe: &Recipe,
    record: &mut Record,
    outcome: &mut Outcome,
) -> Vec<Source> {
    let mut left = Vec::new();
    for source in sources {
        match record.take(&source, recipe) {
            Some(scored) => outcome.scored.push(scored),
            None => left.push(source),
        }
    }
    left
}

fn next(receiver: &Receiver<Report>) -> Option<Report> {
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(report) => return Some(report),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if interrupt::pressed() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Small datasets side by side, then large ones one after another.
fn work(sources: Vec<Source>, recipe: &Recipe, sender: &Sender<Report>) {
    let (large, small): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(|source| bytes(source) > LARGE);
    let score = |source: &Source| {
        if !interrupt::pressed() {
            // Nobody listens after an interrupt.
            let result = read_and_score(source, recipe);
            let _ = sender.send(Report { source: source.clone(), result });
        }
    };
    rayon::scope(|scope| {
        for source in &small {
            scope.spawn(|_| score(source));
        }
    });
    large.iter().for_each(score);
}

//! `clmatch rank PATH...`: many datasets, best first.

use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use clmatch::Measure;
use clmatch_data::Source;
use indicatif::{ProgressBar, ProgressStyle};

use crate::args::RankArgs;
use crate::commands::{check_bars, use_threads};
use crate::export;
use crate::failure::{BAD_INPUT, Failure, complain};
use crate::interrupt;
use crate::output;
use crate::ranking::{FailedDataset, Ranking};
use crate::scoring::{Finished, Recipe, read_and_score};

/// Datasets in larger files are scored one at a time, with all threads.
const LARGE: u64 = 1 << 20;
/// How often a waiting command looks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

pub fn run(args: &RankArgs) -> Result<ExitCode, Failure> {
    use_threads(&args.measures)?;
    let needed = args.by.into_iter().chain(args.bars.fail_under.iter().map(|bar| bar.measure));
    let measures = args.measures.chosen(needed);
    let by = args.by.unwrap_or_else(|| headline(&measures));
    let recipe = Recipe::new(&args.input, measures.clone());
    let sources = clmatch_data::find(&args.paths)?;
    let outcome = score_all(sources, &recipe, args.output.quiet);

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
        return Err(Failure::other(format!("interrupted: {} datasets were not scored", outcome.unfinished)));
    }
    match missed {
        _ if !ranking.failed.is_empty() => Ok(ExitCode::from(BAD_INPUT)),
        Some(code) => Ok(code),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// `clm` where it is computed, else the first measure.
fn headline(measures: &[&'static Measure]) -> &'static Measure {
    measures.iter().find(|measure| measure.id == "clm").unwrap_or(&measures[0])
}

#[derive(Default)]
struct Outcome {
    scored: Vec<crate::result::Scored>,
    failed: Vec<FailedDataset>,
    unfinished: usize,
}

type Report = (String, Result<Finished, Failure>);

/// Scores in the background and collects here, so that Ctrl-C is heard while a dataset is in work.
fn score_all(sources: Vec<Source>, recipe: &Recipe, quiet: bool) -> Outcome {
    interrupt::watch();
    let bar = progress_bar(sources.len(), quiet);
    let (sender, receiver) = mpsc::channel();
    let mut outcome = Outcome { unfinished: sources.len(), ..Outcome::default() };
    let recipe = recipe.clone();
    std::thread::spawn(move || work(sources, &recipe, &sender));
    while let Some((dataset, result)) = next(&receiver) {
        outcome.unfinished -= 1;
        bar.inc(1);
        match result {
            Ok(finished) => {
                let warn = |text: &String| bar.suspend(|| complain("warning", &format!("{dataset}: {text}")));
                finished.warnings.iter().for_each(warn);
                outcome.scored.push(finished.scored);
            }
            Err(failure) => outcome.failed.push(FailedDataset { dataset, failure }),
        }
    }
    bar.finish_and_clear();
    outcome
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
            let _ = sender.send((source.name.clone(), read_and_score(source, recipe)));
        }
    };
    rayon::scope(|scope| {
        for source in &small {
            scope.spawn(|_| score(source));
        }
    });
    large.iter().for_each(score);
}

/// The size of a dataset's files; 0 where it cannot be told.
fn bytes(source: &Source) -> u64 {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    match std::fs::read_dir(&source.path) {
        Ok(entries) => entries.flatten().map(|entry| size(&entry.path())).sum(),
        Err(_) => size(&source.path),
    }
}

fn progress_bar(count: usize, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} datasets, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

//! Reads, scores, judges and orders many datasets: the command, the Python package and the server rank with this.
//!
//! Small datasets are scored side by side. Larger ones follow one after another with all threads, the largest first, each read
//! while the one before it is scored. The very largest are read and scored alone, so that they have the memory to themselves.
//! None of this changes the order or the numbers.

use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

use clmatch::{Control, DataError, Measure};
use clmatch_data::Source;
use clmatch_kernels::{Step, Stop, Stopped};

use crate::batch::{self, BatchEvent};
use crate::error::AnalysisError;
use crate::ranking::{FailedDataset, Ranking};
use crate::resume::Record;
use crate::scored::Scored;
use crate::scoring::{Finished, ScoreSettings, score_read};
use crate::source::UnreadDataset;
use crate::streamed::read_and_score;

/// How datasets are ranked.
#[derive(Debug, Clone)]
pub struct RankSettings {
    /// How each of them is scored.
    pub score: ScoreSettings,
    /// The measure that determines the order and the verdicts.
    pub by: &'static Measure,
    /// Whether there is only memory for one dataset at a time, whatever its size.
    pub one_by_one: bool,
}

/// A dataset that was ranked, as reported to an observer.
#[derive(Debug)]
pub struct RankStep<'a, D> {
    /// The dataset.
    pub dataset: &'a D,
    /// Its place among the datasets, from 0.
    pub place: usize,
    /// Its result; the verdict follows with the ranking.
    pub result: &'a Result<Finished, AnalysisError>,
    /// How many datasets are finished, this one included.
    pub done: usize,
    /// How many datasets there are.
    pub of: usize,
}

/// Ranks datasets, each with its verdict. An error in one of them does not stop the others. The observer is called for each one
/// as it is finished, in any order.
///
/// # Errors
/// [`Stopped`] if `control` says so.
pub fn rank<D: UnreadDataset>(
    datasets: &[&D],
    settings: &RankSettings,
    control: Control<'_>,
    observe: &mut (dyn FnMut(RankStep<'_, D>) + Send),
) -> Result<Ranking, Stopped> {
    let state = Mutex::new((Vec::with_capacity(datasets.len()), observe));
    score_all(datasets, settings, &Sizes::USUAL, control, &|_, _| {}, &|at, result| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let (results, observe) = &mut *state;
        let (done, of) = (results.len() + 1, datasets.len());
        observe(RankStep { dataset: datasets[at], place: at, result: &result, done, of });
        results.push((at, result.map(|finished| finished.scored)));
    });
    let (mut results, _) = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if results.len() < datasets.len() {
        return Err(Stopped);
    }
    results.sort_by_key(|(at, _)| *at);
    let (mut scored, mut failed) = (Vec::new(), Vec::new());
    for (at, result) in results {
        match result {
            Ok(found) => scored.push(found),
            Err(error) => failed.push(FailedDataset {
                dataset: datasets[at].name().to_owned(),
                source: datasets[at].source().cloned(),
                error,
            }),
        }
    }
    Ok(Ranking::with_verdicts(settings.by, settings.score.measures.clone(), scored, failed))
}

/// Ranks datasets in the background with [`batch`]: with a record, and with a ranking of what is finished once the work is
/// stopped. Also returns how many datasets are left.
///
/// # Errors
/// A record that cannot be written.
pub fn rank_resumable(
    sources: Vec<Source>,
    settings: RankSettings,
    record: Option<Record<Scored>>,
    stop: &'static Stop,
    observe: &mut dyn FnMut(BatchEvent<'_, Scored>),
) -> Result<(Ranking, usize), AnalysisError> {
    let (by, measures) = (settings.by, settings.score.measures.clone());
    // Verdicts are not in the record: a later run may rank by another measure.
    let outcome = batch::run(sources, record, stop, observe, move |left, reporter| {
        let left: Vec<&Source> = left.iter().collect();
        let hear = |at, step: Step<'_>| reporter.working(at, Some(step));
        score_all(&left, &settings, &Sizes::USUAL, Control::new(stop), &hear, &|at, result| {
            reporter.finished(at, result.map(|finished| (finished.scored, finished.remarks)));
        });
    })?;
    let ranking = Ranking::with_verdicts(by, measures, outcome.done, outcome.failed);
    Ok((ranking, outcome.unfinished))
}

/// The sizes in bytes from which datasets are scored differently.
struct Sizes {
    /// Datasets in larger files are scored one at a time, with all threads.
    large: u64,
    /// While a dataset in a larger file is scored, no other one is read.
    alone: u64,
}

impl Sizes {
    const USUAL: Sizes = Sizes { large: 1 << 20, alone: 1 << 28 };
}

/// Scores datasets and hands out each one with its place, on any thread. Datasets that `control` stopped are not handed out.
/// `hear` is told the steps of each dataset, unless they are scored one by one, and `control` is.
fn score_all<D: UnreadDataset>(
    datasets: &[&D],
    settings: &RankSettings,
    sizes: &Sizes,
    control: Control<'_>,
    hear: &(dyn Fn(usize, Step<'_>) + Sync),
    finished: &(dyn Fn(usize, Result<Finished, AnalysisError>) + Sync),
) {
    let hand_out = |at: usize, result: Result<Finished, AnalysisError>| match result {
        Err(AnalysisError::Stopped(_)) => {}
        // There was no time for the measure that decides.
        Ok(found) if found.scored.scores.get(settings.by.id).is_none() => {
            let error = DataError::OutOfTime { measure: settings.by.id };
            finished(at, Err(AnalysisError::data(&found.scored.dataset, error)));
        }
        result => finished(at, result),
    };
    if settings.one_by_one {
        for (at, &dataset) in datasets.iter().enumerate() {
            hand_out(at, read_and_score(dataset, &settings.score, control));
        }
        return;
    }
    // Progress steps of one dataset would mix with those of the others.
    let control = control.quiet();
    let score = |at: usize| {
        let hear = |step: Step<'_>| hear(at, step);
        hand_out(at, read_and_score(datasets[at], &settings.score, control.with_progress(&hear)));
    };
    let bytes: Vec<u64> = datasets.iter().map(|dataset| dataset.bytes()).collect();
    let (mut larger, small): (Vec<usize>, Vec<usize>) =
        (0..datasets.len()).partition(|&at| bytes[at] > sizes.large);
    larger.sort_by_key(|&at| Reverse(bytes[at]));
    let one_thread = rayon::current_num_threads() == 1;
    let (alone, larger): (Vec<usize>, Vec<usize>) =
        larger.into_iter().partition(|&at| one_thread || bytes[at] > sizes.alone);
    let read = |&at: &usize| {
        control.check().ok()?;
        datasets[at].read(&settings.score.with_own(datasets[at].source())).ok()
    };
    rayon::scope_fifo(|scope| {
        for &at in &small {
            let score = &score;
            scope.spawn_fifo(move |_| score(at));
        }
        let mut ahead = larger.first().and_then(read);
        for (place, &at) in larger.iter().enumerate() {
            let score_this = |dataset: Option<_>| match dataset {
                Some(dataset) => {
                    let source = datasets[at].source();
                    let hear = |step: Step<'_>| hear(at, step);
                    let (settings, control) = (settings.score.with_own(source), control.with_progress(&hear));
                    hand_out(at, score_read(source, dataset, &settings, control));
                }
                // The error may be that two datasets did not fit into memory together: try once more, alone.
                None => score(at),
            };
            let this = ahead.take();
            ahead = rayon::join(|| score_this(this), || larger.get(place + 1).and_then(read)).1;
        }
    });
    alone.into_iter().for_each(score);
}

#[cfg(test)]
mod tests;

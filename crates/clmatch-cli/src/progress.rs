//! A progress bar, shown only on a terminal, and only for work that takes more than two seconds. It never wraps, and is always
//! removed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clmatch::Measure;
use clmatch_analysis::expected_time::{self, Pace, Part, SCORES};
use clmatch_data::Source;
use clmatch_kernels::Step;
use clmatch_render::{shorten, visible};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::failure::emit;
use crate::output::error_width;

/// Work that takes no longer is not shown.
const DELAY: Duration = Duration::from_secs(2);
/// How often a bar is redrawn.
const TICK: Duration = Duration::from_millis(200);
/// The width of the bar itself, and of " 59m left, " behind it.
const BAR: usize = 20;
const TIME: usize = 13;
/// Columns that stay free: the terminal shows Ctrl-C as ^C behind the bar, and would otherwise start a new line for it.
const FREE: usize = 4;
/// A phase of fewer steps is too coarse for a time.
const MANY_STEPS: usize = 20;
/// The bar that is shown, to be removed if the process ends at once.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// One line that shows how far long work has got.
pub struct Line {
    bar: ProgressBar,
    /// What is known of the pace, and since when.
    pace: Arc<Mutex<Option<(Instant, Pace)>>>,
    /// Its end tells the thread that shows the bar later that there is nothing left to show.
    _waiting: Option<Sender<()>>,
}

impl Line {
    /// A bar of a given length.
    pub fn new(length: u64, quiet: bool) -> Self {
        let line = Line::start(quiet);
        line.bar.set_length(length);
        line.set_template(BAR_AND_TIME);
        line
    }

    /// A spinner, for work whose length is unknown.
    pub fn spinner(quiet: bool) -> Self {
        let line = Line::start(quiet);
        line.set_template("{spinner} {msg}");
        line
    }

    fn start(quiet: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.enable_steady_tick(TICK);
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = Some(bar.clone());
        }
        let waiting = (!quiet).then(|| {
            let (waiting, ended) = mpsc::channel::<()>();
            let bar = bar.clone();
            std::thread::spawn(move || {
                if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) && !bar.is_finished() {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                }
            });
            waiting
        });
        Line { bar, pace: Arc::default(), _waiting: waiting }
    }

    /// The key `left` is the time that is left, once something is known about it.
    fn set_template(&self, template: &str) {
        let pace = self.pace.clone();
        let left = move |_: &ProgressState, text: &mut dyn Write| {
            let pace = *pace.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(left) = pace.and_then(|(heard, pace)| pace.left(heard.elapsed())) {
                let _ = write!(text, "{} left, ", rounded(left));
            }
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.with_key("left", left));
        }
    }

    /// From now on the time that is left at this pace is shown, or none.
    pub fn set_pace(&self, pace: Option<Pace>) {
        *self.pace.lock().unwrap_or_else(PoisonError::into_inner) = pace.map(|pace| (Instant::now(), pace));
    }

    /// Moves the bar to where work is that began then, and shows the time that is left.
    pub fn pace(&self, begun: Instant, done: f64, of: f64) {
        self.move_to((PARTS as f64 * done / of.max(f64::MIN_POSITIVE)) as u64, PARTS);
        self.set_pace(Some(Pace { elapsed: begun.elapsed(), done, next: of, all: of }));
    }

    /// Moves the bar to place `place` of `of`.
    pub fn move_to(&self, place: u64, of: u64) {
        self.bar.set_length(of);
        self.bar.set_position(place);
    }

    /// Shows what is being done, in as many words as fit behind the bar.
    pub fn say(&self, text: &str) {
        let room = error_width().map_or(usize::MAX, |width| width.saturating_sub(BAR + TIME + FREE));
        self.bar.set_message(shorten(&visible(text), room));
    }

    /// Removes the bar, once.
    pub fn clear(&self) {
        if !self.bar.is_finished() {
            self.bar.finish_and_clear();
        }
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = None;
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A time in its largest unit.
fn rounded(time: Duration) -> String {
    match time.as_secs().max(1) {
        seconds @ ..60 => format!("{seconds}s"),
        seconds @ 60..3600 => format!("{}m", (seconds + 30) / 60),
        seconds => format!("{}h", (seconds + 1800) / 3600),
    }
}

/// Does something while the bar, if there is one, is hidden.
pub fn aside(action: impl FnOnce()) {
    let shown = SHOWN.lock().map(|shown| shown.clone()).unwrap_or_default();
    match shown {
        Some(bar) => bar.suspend(action),
        None => action(),
    }
}

/// Removes the bar of a process that is about to end.
pub fn remove() {
    if let Ok(shown) = SHOWN.try_lock()
        && let Some(bar) = &*shown
    {
        bar.finish_and_clear();
    }
}

/// The phases of work on one dataset: with a bar over all of them if it is known how long each takes, otherwise each with a bar
/// of its own if it has steps.
pub struct Phases {
    line: Line,
    begun: Instant,
    at: Mutex<Phase>,
}

/// A phase that has begun.
struct Phase {
    what: String,
    begun: Instant,
    done: usize,
    expected: expected_time::Phases,
}

impl Phases {
    /// Phases of which only the name of the first one is known.
    pub fn new(first: &str, quiet: bool) -> Self {
        Phases::expected(first, expected_time::Phases::default(), quiet)
    }

    /// The phases of reading a dataset and of further parts of the work.
    pub fn of(source: &Source, measures: &[&'static Measure], parts: &[Part], quiet: bool) -> Self {
        Phases::expected("reading", expected_time::phases(source, measures, parts), quiet)
    }

    fn expected(first: &str, expected: expected_time::Phases, quiet: bool) -> Self {
        let line = Line::spinner(quiet);
        line.say(first);
        let now = Instant::now();
        let at = Mutex::new(Phase { what: first.to_owned(), begun: now, done: 0, expected });
        Phases { line, begun: now, at }
    }

    /// Shows a step. Steps may come from several threads, in any order.
    pub fn hear(&self, step: Step<'_>) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let before = at.expected.done();
        let is_expected = at.expected.hear(step);
        // Several evaluations in a row go through the same phases.
        let again = at.done >= step.of && 2 * step.done < step.of;
        if at.what != step.what || again {
            at.what = step.what.to_owned();
            (at.begun, at.done) = (Instant::now(), 0);
            let has_bar = is_expected || before > 0.0 || step.of > 0;
            self.line.set_template(if has_bar { BAR_AND_TIME } else { "{spinner} {msg}" });
        } else if step.done <= at.done {
            return;
        }
        at.done = step.done;
        let counted = format!("{}: {} of {}", step.what, step.done, step.of);
        match step.of {
            _ if is_expected => {
                self.line.pace(self.begun, at.expected.done(), at.expected.all());
                self.line.say(step.what);
            }
            0 => self.line.say(step.what),
            // The bar over all phases stays where it is.
            _ if before > 0.0 => self.line.say(&counted),
            MANY_STEPS.. => {
                self.line.pace(at.begun, step.done as f64, step.of as f64);
                self.line.say(step.what);
            }
            _ => {
                self.line.set_pace(None);
                self.line.move_to(step.done as u64, step.of as u64);
                self.line.say(&counted);
            }
        }
    }
}

/// Progress through datasets of very different sizes. The time that is left is that of the work that is left, see
/// [`expected_time`].
pub struct Progress {
    line: Line,
    begun: Instant,
    at: RefCell<Datasets>,
}

/// What is left to do.
struct Datasets {
    count: usize,
    finished: usize,
    /// The expected work of all datasets, and of those that are finished.
    all: f64,
    done: f64,
    /// The datasets that are not finished, with the expected work on each and how far it has come.
    left: HashMap<PathBuf, Work>,
}

struct Work {
    expected: expected_time::Phases,
    share: f64,
}

impl Progress {
    /// Progress through datasets that are scored by some measures, or worked on as if they were.
    pub fn new(sources: &[Source], measures: &[&'static Measure], quiet: bool) -> Self {
        let work = |source: &Source| Work {
            expected: expected_time::phases(source, measures, &[SCORES]),
            share: 0.0,
        };
        let left: HashMap<PathBuf, Work> = sources.iter().map(|source| (key(source), work(source))).collect();
        let all = left.values().map(|work| work.expected.all()).sum();
        let at = Datasets { count: sources.len(), finished: 0, all, done: 0.0, left };
        let progress =
            Progress { line: Line::new(PARTS, quiet), begun: Instant::now(), at: RefCell::new(at) };
        progress.say_where(None);
        progress
    }

    pub fn finished(&self, source: &Source) {
        let mut at = self.at.borrow_mut();
        at.finished += 1;
        at.done += at.left.remove(&key(source)).map_or(0.0, |work| work.expected.all());
        drop(at);
        self.show();
        self.say_where(None);
    }

    /// Shows what is being done.
    pub fn at(&self, source: &Source, step: Option<Step<'_>>) {
        if let (Some(step), Some(work)) = (step, self.at.borrow_mut().left.get_mut(&key(source))) {
            let share = if work.expected.hear(step) || work.expected.done() > 0.0 {
                work.expected.done() / work.expected.all()
            } else {
                // Work of another kind than scores, such as techniques that are tuned.
                step.done as f64 / step.of.max(1) as f64
            };
            work.share = work.share.max(share.min(1.0));
        }
        self.show();
        let step = match step {
            None => String::new(),
            // A counted step is done, one without a count comes next.
            Some(step) if (1..MANY_STEPS).contains(&step.of) => format!(": {} done", step.what),
            Some(step) => format!(": {}", step.what),
        };
        self.say_where(Some(&format!("{}{step}", source.name)));
    }

    /// Prints a line above the bar.
    pub fn say(&self, kind: &str, text: &str) {
        aside(|| emit(kind, text));
    }

    fn show(&self) {
        let at = self.at.borrow();
        let begun: f64 = at.left.values().map(|work| work.share * work.expected.all()).sum();
        let done = at.done + begun;
        // News come from the largest dataset that is left, at the latest.
        let next = at.left.values().map(|work| (1.0 - work.share) * work.expected.all()).fold(0.0, f64::max);
        self.line.move_to((PARTS as f64 * done / at.all) as u64, PARTS);
        let elapsed = self.begun.elapsed();
        self.line.set_pace(Some(Pace { elapsed, done, next: done + next, all: at.all }));
    }

    fn say_where(&self, what: Option<&str>) {
        let Datasets { count, finished, .. } = *self.at.borrow();
        let so_far = (count > 1).then(|| format!("{finished} of {count} datasets"));
        let words: Vec<&str> = so_far.as_deref().into_iter().chain(what).collect();
        self.line.say(&if words.is_empty() { "reading".to_owned() } else { words.join(", ") });
    }
}

/// What tells a dataset from others.
fn key(source: &Source) -> PathBuf {
    source.address().join(&source.name)
}

/// A bar with the time that is left.
const BAR_AND_TIME: &str = "{bar:20} {left}{msg}";
/// The length of a bar of expected work.
const PARTS: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_their_largest_unit() {
        let texts =
            [0, 59, 60, 89, 90, 3599, 3600, 5400].map(|seconds| rounded(Duration::from_secs(seconds)));
        assert_eq!(texts, ["1s", "59s", "1m", "1m", "2m", "60m", "1h", "2h"]);
    }

    #[test]
    fn a_phase_goes_only_forwards() {
        let phases = Phases::new("reading", true);
        let hear = |what, done| phases.hear(Step { what, done, of: 100 });
        let now = || {
            let at = phases.at.lock().unwrap();
            (at.what.clone(), at.done, phases.line.bar.position())
        };
        hear("distances", 3);
        hear("distances", 2);
        assert_eq!(now(), ("distances".to_owned(), 3, 30));
        hear("spanning trees", 100);
        hear("spanning trees", 99);
        assert_eq!(now(), ("spanning trees".to_owned(), 100, 1000));
        hear("spanning trees", 1);
        assert_eq!(now(), ("spanning trees".to_owned(), 1, 10));
    }
}

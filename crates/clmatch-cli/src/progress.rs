//! A progress bar, shown only on a terminal, and only for work that takes more than two seconds. It never wraps, and is always
//! removed.

use std::fmt::Write;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clmatch::Measure;
use clmatch_analysis::expected_time;
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
    /// When the work will probably end.
    end: Arc<Mutex<Option<Instant>>>,
    /// Its end tells the thread that shows the bar later that there is nothing left to show.
    _waiting: Option<Sender<()>>,
}

impl Line {
    /// A bar of a given length.
    pub fn new(length: u64, quiet: bool) -> Self {
        let line = Line::start(quiet);
        line.bar.set_length(length);
        line.set_template(&format!("{{bar:{BAR}}} {{left}}{{msg}}"));
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
        Line { bar, end: Arc::default(), _waiting: waiting }
    }

    /// The key `left` is the time that is left, once something is known about it.
    fn set_template(&self, template: &str) {
        let end = self.end.clone();
        let left = move |_: &ProgressState, text: &mut dyn Write| {
            let end = *end.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(left) = end.map(|end| end.saturating_duration_since(Instant::now())) {
                let _ = write!(text, "{} left, ", rounded(left));
            }
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style.with_key("left", left));
        }
    }

    /// From now on this much time is shown to be left, or none.
    pub fn set_left(&self, left: Option<Duration>) {
        let end = left.and_then(|left| Instant::now().checked_add(left));
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = end;
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
    match time.as_secs() {
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

/// The phases of work on one dataset: each has its name, and a bar if it is known how long it is.
pub struct Phases {
    line: Line,
    at: Mutex<Phase>,
}

/// A phase that has begun.
struct Phase {
    what: String,
    begun: Instant,
    done: usize,
}

impl Phases {
    /// Phases of which the first is called `first`.
    pub fn new(first: &str, quiet: bool) -> Self {
        let line = Line::spinner(quiet);
        line.say(first);
        Phases { line, at: Mutex::new(Phase { what: first.to_owned(), begun: Instant::now(), done: 0 }) }
    }

    /// Shows a step. Steps may come from several threads, in any order.
    pub fn hear(&self, step: Step<'_>) {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        // Several evaluations in a row go through the same phases.
        let again = at.done >= step.of && 2 * step.done < step.of;
        if at.what != step.what || again {
            *at = Phase { what: step.what.to_owned(), begun: Instant::now(), done: 0 };
            let bar = format!("{{bar:{BAR}}} {{left}}{{msg}}");
            self.line.set_template(if step.of > 0 { &bar } else { "{spinner} {msg}" });
            self.line.set_left(None);
        } else if step.done <= at.done {
            return;
        }
        at.done = step.done;
        if step.of == 0 {
            return self.line.say(step.what);
        }
        self.line.move_to(step.done as u64, step.of as u64);
        if step.of >= MANY_STEPS {
            self.line.set_left(expected_time::left(at.begun.elapsed(), step.done as f64, step.of as f64));
            self.line.say(step.what);
        } else {
            self.line.say(&format!("{}: {} of {}", step.what, step.done, step.of));
        }
    }
}

/// Progress through datasets of very different sizes. The time that is left is that of the work that is left, see
/// [`expected_time`].
pub struct Progress {
    line: Line,
    measures: Vec<&'static Measure>,
    begun: Instant,
    count: usize,
    finished: std::cell::Cell<usize>,
    /// The expected work of all datasets, and of those that are finished, in seconds of a fast machine.
    all: f64,
    done: std::cell::Cell<f64>,
}

impl Progress {
    /// Progress through datasets that are scored by some measures, or worked on as if they were.
    pub fn new(sources: &[Source], measures: &[&'static Measure], quiet: bool) -> Self {
        let all = sources.iter().map(|source| expected_time::of_unread(source, measures)).sum();
        let progress = Progress {
            line: Line::new(PARTS, quiet),
            measures: measures.to_vec(),
            begun: Instant::now(),
            count: sources.len(),
            finished: std::cell::Cell::new(0),
            all,
            done: std::cell::Cell::new(0.0),
        };
        progress.line.say(&progress.so_far());
        progress
    }

    pub fn finished(&self, source: &Source) {
        self.finished.set(self.finished.get() + 1);
        self.done.set(self.done.get() + expected_time::of_unread(source, &self.measures));
        self.line.move_to((PARTS as f64 * self.done.get() / self.all) as u64, PARTS);
        self.line.set_left(expected_time::left(self.begun.elapsed(), self.done.get(), self.all));
        self.line.say(&self.so_far());
    }

    /// Shows what is being done.
    pub fn at(&self, step: &str) {
        self.line.say(&format!("{}, {step}", self.so_far()));
    }

    /// Prints a line above the bar.
    pub fn say(&self, kind: &str, text: &str) {
        aside(|| emit(kind, text));
    }

    fn so_far(&self) -> String {
        format!("{} of {} datasets", self.finished.get(), self.count)
    }
}

/// The length of a bar of expected work.
const PARTS: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_their_largest_unit() {
        let texts =
            [0, 59, 60, 89, 90, 3599, 3600, 5400].map(|seconds| rounded(Duration::from_secs(seconds)));
        assert_eq!(texts, ["0s", "59s", "1m", "1m", "2m", "60m", "1h", "2h"]);
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
        assert_eq!(now(), ("distances".to_owned(), 3, 3));
        hear("spanning trees", 100);
        hear("spanning trees", 99);
        assert_eq!(now(), ("spanning trees".to_owned(), 100, 100));
        hear("spanning trees", 1);
        assert_eq!(now(), ("spanning trees".to_owned(), 1, 1));
        assert_eq!(*phases.line.end.lock().unwrap(), None, "one step says nothing about the time");
    }
}

//! A progress bar, shown only on a terminal. It never wraps, and is always removed.

use std::sync::Mutex;
use std::time::Duration;

use clmatch_analysis::source::UnreadDataset;
use clmatch_data::Source;
use clmatch_render::{shorten, visible};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::emit;
use crate::output::error_width;

/// How often a bar is redrawn.
const TICK: Duration = Duration::from_millis(200);
/// The width of the bar itself, and of " 59m left, " behind it.
const BAR: usize = 20;
const TIME: usize = 13;
/// Columns that stay free: the terminal shows Ctrl-C as ^C behind the bar, and would otherwise start a new line for it.
const FREE: usize = 4;
/// The bar that is shown, to be removed if the process ends at once.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// One line that shows how far long work has got.
pub struct Line {
    bar: ProgressBar,
}

impl Line {
    /// A bar of a given length; it shows no time before it has moved.
    pub fn new(length: u64, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(length) };
        Line::start(bar, &format!("{{bar:{BAR}}} {{msg}}"))
    }

    /// A spinner, for work whose length is unknown.
    pub fn spinner(quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        Line::start(bar, "{spinner} {msg}")
    }

    fn start(bar: ProgressBar, template: &str) -> Self {
        set_template(&bar, template);
        bar.enable_steady_tick(TICK);
        if let Ok(mut shown) = SHOWN.lock() {
            *shown = Some(bar.clone());
        }
        Line { bar }
    }

    /// From now on the remaining time is shown: some of the work is done, from which the rest can be estimated.
    pub fn show_time(&self) {
        set_template(&self.bar, &format!("{{bar:{BAR}}} {{eta}} left, {{msg}}"));
    }

    /// Advances the bar by some steps.
    pub fn advance(&self, by: u64) {
        self.bar.inc(by);
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

    /// Does something while the bar is hidden.
    pub fn aside(&self, action: impl FnOnce()) {
        self.bar.suspend(action);
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

fn set_template(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
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

/// Progress through datasets of very different sizes. The remaining time is estimated from the squares of the file sizes, because
/// the distance measures compare all points with each other.
pub struct Progress {
    line: Line,
    count: usize,
    finished: std::cell::Cell<usize>,
}

impl Progress {
    pub fn new(sources: &[Source], quiet: bool) -> Self {
        let line = Line::new(sources.iter().map(work).sum(), quiet);
        let progress = Progress { line, count: sources.len(), finished: std::cell::Cell::new(0) };
        progress.line.say(&progress.so_far());
        progress
    }

    pub fn finished(&self, source: &Source) {
        self.finished.set(self.finished.get() + 1);
        self.line.advance(work(source));
        self.line.show_time();
        self.line.say(&self.so_far());
    }

    /// Shows what is being done.
    pub fn at(&self, step: &str) {
        self.line.say(&format!("{}, {step}", self.so_far()));
    }

    /// Prints a line above the bar.
    pub fn say(&self, kind: &str, text: &str) {
        self.line.aside(|| emit(kind, text));
    }

    fn so_far(&self) -> String {
        format!("{} of {} datasets", self.finished.get(), self.count)
    }
}

fn work(source: &Source) -> u64 {
    let kilobytes = source.bytes() / 1024 + 1;
    kilobytes.saturating_mul(kilobytes).min(u64::MAX >> 20)
}

//! A progress bar on a terminal, none elsewhere. It never wraps, and never stays behind.

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
/// Columns of the bar itself, and of " 59m left, " behind it.
const BAR: usize = 20;
const TIME: usize = 13;
/// Columns that stay free: the terminal shows Ctrl-C as ^C behind the bar, and would start a line for it.
const FREE: usize = 4;
/// The bar that is shown, to be removed when the process ends at once.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// One line that tells how far long work is.
pub struct Line {
    bar: ProgressBar,
}

impl Line {
    /// A bar of some length; it shows no time before it has moved.
    pub fn new(length: u64, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(length) };
        Line::start(bar, &format!("{{bar:{BAR}}} {{msg}}"))
    }

    /// A sign of life where nobody knows how long it will take.
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

    /// From now on the time that is left is shown: some of the work is done, and tells how long the rest takes.
    pub fn show_time(&self) {
        set_template(&self.bar, &format!("{{bar:{BAR}}} {{eta}} left, {{msg}}"));
    }

    /// Moves the bar by so much.
    pub fn advance(&self, by: u64) {
        self.bar.inc(by);
    }

    /// Moves the bar to a place of so many.
    pub fn move_to(&self, place: u64, of: u64) {
        self.bar.set_length(of);
        self.bar.set_position(place);
    }

    /// Says what is being done, in as many words as fit behind the bar.
    pub fn say(&self, text: &str) {
        let room = error_width().map_or(usize::MAX, |width| width.saturating_sub(BAR + TIME + FREE));
        self.bar.set_message(shorten(&visible(text), room));
    }

    /// Does something while the bar is away.
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

/// Progress through datasets of very different sizes. The time left follows the square of the file sizes, because the
/// distance measures compare all points with each other.
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

    /// A line above the bar.
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

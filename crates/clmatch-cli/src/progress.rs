//! A progress bar on a terminal, none elsewhere.

use std::time::Duration;

use clmatch_data::Source;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::emit;

/// Progress through datasets of very different sizes. The time left follows the square of the file sizes, because the
/// distance measures compare all points with each other.
pub struct Progress {
    bar: ProgressBar,
    count: usize,
    finished: std::cell::Cell<usize>,
}

impl Progress {
    pub fn new(sources: &[Source], quiet: bool) -> Self {
        let count = sources.len();
        let total: u64 = sources.iter().map(work).sum();
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(total) };
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {msg}, {eta} left") {
            bar.set_style(style);
        }
        bar.set_message(format!("0 of {count} datasets"));
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar, count, finished: std::cell::Cell::new(0) }
    }

    pub fn finished(&self, source: &Source) {
        self.finished.set(self.finished.get() + 1);
        self.bar.set_message(format!("{} of {} datasets", self.finished.get(), self.count));
        self.bar.inc(work(source));
    }

    /// Shows what is being done.
    pub fn at(&self, step: &str) {
        self.bar.set_message(format!("{} of {} datasets, {step}", self.finished.get(), self.count));
    }

    /// A line above the bar.
    pub fn say(&self, kind: &str, text: &str) {
        self.bar.suspend(|| emit(kind, text));
    }

    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

fn work(source: &Source) -> u64 {
    let kilobytes = bytes(source) / 1024 + 1;
    kilobytes.saturating_mul(kilobytes).min(u64::MAX >> 20)
}

/// The size of a dataset's files; 0 where it cannot be told.
pub fn bytes(source: &Source) -> u64 {
    source.files().iter().map(|path| std::fs::metadata(path).map_or(0, |metadata| metadata.len())).sum()
}

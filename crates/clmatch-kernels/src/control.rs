//! Controlling long work from outside: stopping it, and following its progress.
//!
//! ```
//! use clmatch_kernels::{Control, Stop, Stopped};
//!
//! fn work(control: Control<'_>) -> Result<u64, Stopped> {
//!     let mut sum = 0;
//!     for step in 0..100 {
//!         control.check()?;
//!         sum += step;
//!         control.report("adding", step as usize + 1, 100);
//!     }
//!     Ok(sum)
//! }
//!
//! let stop = Stop::new();
//! assert_eq!(work(Control::new(&stop)), Ok(4950));
//! stop.raise(); // from another thread, say
//! assert_eq!(work(Control::new(&stop)), Err(Stopped));
//! ```

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Work of fewer parts takes well under a second, and its parts are not reported.
const MANY_PARTS: usize = 1 << 24;

/// A flag that long work checks; once raised it stays up.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

/// The work was stopped before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

impl Stop {
    /// A flag that is not raised.
    pub const fn new() -> Self {
        Stop(AtomicBool::new(false))
    }

    /// Asks all work that checks this flag to end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns an error once the flag is up, so that `?` ends the work.
    ///
    /// # Errors
    /// [`Stopped`] if the flag is up.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.0.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
    }
}

/// A finished step of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step<'a> {
    /// What was done: the id of a technique, a part of a search.
    pub what: &'a str,
    /// How many steps are done so far, including this one.
    pub done: usize,
    /// How many steps there are; 0 if that is not known.
    pub of: usize,
}

/// How a caller controls long work: with a flag or a deadline that stops it, and a function that is told about its steps.
#[derive(Clone, Copy)]
pub struct Control<'a> {
    stop: &'a Stop,
    deadline: Option<Instant>,
    progress: Option<&'a (dyn Fn(Step<'_>) + Sync)>,
}

impl<'a> Control<'a> {
    /// A control that can stop the work, and that reports no progress.
    pub const fn new(stop: &'a Stop) -> Self {
        Control { stop, deadline: None, progress: None }
    }

    /// A control that never stops the work, and that reports no progress.
    #[must_use]
    pub fn none() -> Control<'static> {
        static NEVER: Stop = Stop::new();
        Control::new(&NEVER)
    }

    /// Like `self`, but the work must also end by `deadline`.
    #[must_use]
    pub const fn until(self, deadline: Instant) -> Self {
        Control { deadline: Some(deadline), ..self }
    }

    /// Like `self`, but steps are reported to `progress`. They may come from several threads, and in any order.
    #[must_use]
    pub const fn with_progress(self, progress: &'a (dyn Fn(Step<'_>) + Sync)) -> Self {
        Control { progress: Some(progress), ..self }
    }

    /// Like `self`, but without reporting progress.
    #[must_use]
    pub const fn quiet(self) -> Self {
        Control { progress: None, ..self }
    }

    /// The flag that stops the work.
    pub const fn stop(&self) -> &'a Stop {
        self.stop
    }

    /// Returns an error once the work must end, so that `?` ends it.
    ///
    /// # Errors
    /// [`Stopped`] if the flag is up, or the deadline has passed.
    pub fn check(&self) -> Result<(), Stopped> {
        self.stop.check()?;
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) { Err(Stopped) } else { Ok(()) }
    }

    /// Counts parts of work in very many of them, such as pairs of points, and reports every hundredth of the work.
    pub fn report_parts(&self, what: &str, so_far: &AtomicUsize, parts: usize, of: usize) {
        if self.progress.is_none() || of < MANY_PARTS {
            return;
        }
        let before = so_far.fetch_add(parts, Ordering::Relaxed);
        let hundredths = |parts: usize| parts.min(of) / (of / 100);
        let done = hundredths(before + parts).min(100);
        if done > hundredths(before) {
            self.report(what, done, 100);
        }
    }

    /// Reports a finished step.
    pub fn report(&self, what: &str, done: usize, of: usize) {
        if let Some(progress) = self.progress {
            progress(Step { what, done, of });
        }
    }
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Control").field("stop", &self.stop).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn control_stops_and_listens() {
        let (stop, heard) = (Stop::new(), Mutex::new(Vec::new()));
        let listen = |step: Step<'_>| heard.lock().unwrap().push((step.what.to_owned(), step.done, step.of));
        let control = Control::new(&stop).with_progress(&listen);
        control.report("kmeans", 1, 9);
        assert_eq!(control.check(), Ok(()));
        stop.raise();
        assert_eq!(control.check(), Err(Stopped));
        Control::new(&stop).report("nobody hears this", 1, 1);
        assert_eq!(Control::none().check(), Ok(()));
        assert_eq!(Control::none().until(Instant::now()).check(), Err(Stopped));
        assert_eq!(*heard.lock().unwrap(), [("kmeans".to_owned(), 1, 9)]);
    }

    #[test]
    fn many_parts_are_a_hundred_steps() {
        let heard = Mutex::new(Vec::new());
        let listen = |step: Step<'_>| heard.lock().unwrap().push((step.done, step.of));
        let control = Control::none().with_progress(&listen);
        let (so_far, of) = (AtomicUsize::new(0), MANY_PARTS + 7);
        (0..of.div_ceil(1000)).for_each(|_| control.report_parts("pairs", &so_far, 1000, of));
        assert_eq!(*heard.lock().unwrap(), (1..=100).map(|done| (done, 100)).collect::<Vec<_>>());
        control.report_parts("few pairs", &AtomicUsize::new(0), 10, 10);
        assert_eq!(heard.lock().unwrap().len(), 100);
    }
}

//! Stopping long work from outside.

use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that long work looks at; once raised it stays up.
#[derive(Debug, Default)]
pub struct Stop(AtomicBool);

/// The work was stopped before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

impl Stop {
    /// A flag that is down.
    pub const fn new() -> Self {
        Stop(AtomicBool::new(false))
    }

    /// Asks all work that looks at this flag to end.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// An error once the flag is up, so that `?` ends the work.
    ///
    /// # Errors
    /// [`Stopped`] if the flag is up.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.0.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
    }
}

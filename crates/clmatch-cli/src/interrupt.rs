//! Ctrl-C during long work: the first one is noted, and ends the process soon if there is nothing to keep; the second one ends it
//! at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clmatch_kernels::Stop;

use crate::failure::{INTERRUPTED, emit};
use crate::progress;

/// Raised once Ctrl-C was pressed: long work checks it.
pub static STOP: Stop = Stop::new();
static INSTALLED: OnceLock<()> = OnceLock::new();
/// Whether the command shows or writes what it has so far, however long that takes.
static KEEPS: AtomicBool = AtomicBool::new(false);
/// Work that keeps nothing ends by itself in this time, or is ended: reading a large file cannot be stopped.
const PATIENCE: Duration = Duration::from_millis(800);

/// As [`watch`], for a command that shows or writes what it has so far.
pub fn watch_keeping() {
    KEEPS.store(true, Ordering::Relaxed);
    watch();
}

/// From now on, Ctrl-C is noted instead of ending the process at once.
pub fn watch() {
    INSTALLED.get_or_init(|| {
        // Without a handler the default applies: Ctrl-C ends the process, which does no harm.
        let _ = ctrlc::set_handler(|| {
            if pressed() {
                progress::remove();
                std::process::exit(i32::from(INTERRUPTED));
            }
            STOP.raise();
            if !KEEPS.load(Ordering::Relaxed) {
                std::thread::sleep(PATIENCE);
                progress::remove();
                emit("error", "stopped");
                std::process::exit(i32::from(INTERRUPTED));
            }
        });
    });
}

/// Whether Ctrl-C was pressed.
pub fn pressed() -> bool {
    STOP.check().is_err()
}

//! Ctrl-C during long work: the first one is noted, a second one ends the process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::OTHER;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static INSTALLED: OnceLock<()> = OnceLock::new();

/// From now on Ctrl-C is noted instead of ending the process at once.
pub fn watch() {
    INSTALLED.get_or_init(|| {
        // Without a handler the default stays: Ctrl-C ends the process, which is no harm.
        let _ = ctrlc::set_handler(|| {
            if INTERRUPTED.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(OTHER));
            }
        });
    });
}

/// Whether Ctrl-C was pressed.
pub fn pressed() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

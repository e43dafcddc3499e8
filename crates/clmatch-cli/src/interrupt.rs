//! Ctrl-C during long work: the first one is noted, the second one ends the process.

use std::sync::OnceLock;

use clmatch_kernels::Stop;

use crate::failure::INTERRUPTED;
use crate::progress;

/// Raised once Ctrl-C was pressed: long work checks it.
pub static STOP: Stop = Stop::new();
static INSTALLED: OnceLock<()> = OnceLock::new();

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
        });
    });
}

/// Whether Ctrl-C was pressed.
pub fn pressed() -> bool {
    STOP.check().is_err()
}

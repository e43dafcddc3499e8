//! Ctrl-C during long work: the first one is noted, a second one ends the process.

use std::sync::OnceLock;

use clmatch_kernels::Stop;

use crate::failure::INTERRUPTED;
use crate::progress;

/// Up once Ctrl-C was pressed: long work looks at it.
pub static STOP: Stop = Stop::new();
static INSTALLED: OnceLock<()> = OnceLock::new();

/// From now on Ctrl-C is noted instead of ending the process at once.
pub fn watch() {
    INSTALLED.get_or_init(|| {
        // Without a handler the default stays: Ctrl-C ends the process, which is no harm.
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

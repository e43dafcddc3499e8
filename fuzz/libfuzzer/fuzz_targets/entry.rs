//! One target for all entries: the variable `CLMATCH_FUZZ_ENTRY` names the entry to fuzz.
#![no_main]

use std::sync::OnceLock;

use clmatch_fuzz::{Entry, entry};
use libfuzzer_sys::fuzz_target;

static CHOSEN: OnceLock<&'static Entry> = OnceLock::new();

fuzz_target!(|bytes: &[u8]| {
    let chosen = CHOSEN.get_or_init(|| {
        let name = std::env::var("CLMATCH_FUZZ_ENTRY").unwrap_or_default();
        entry(&name).unwrap_or_else(|| panic!("CLMATCH_FUZZ_ENTRY={name} names no entry"))
    });
    (chosen.run)(bytes);
});

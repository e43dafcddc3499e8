//! Turns finished numbers into text, one kind of result per file.

pub mod calibrated;
pub mod catalogued;
pub mod classify;
pub mod compare;
pub mod comparison;
pub mod explanation;
mod halves;
pub mod improvement;
pub mod inspection;
pub mod levels;
pub mod measures;
pub mod number;
pub mod pick;
pub mod relabelled;
pub mod scores;
pub mod stability;
pub mod truth;
pub mod uncertainty;
pub mod watched;

use clmatch_render::{shorten, visible};
use serde::Serialize;

use crate::args::Format;

/// How many columns a name may take in a list of names; CSV and JSON hold the whole name.
const NAME: usize = 40;

/// A name in a sentence.
pub fn name(name: &str) -> String {
    shorten(&visible(name), NAME)
}

/// The first line of a result: the dataset in bold, followed by other text.
pub fn heading(dataset: &str, rest: &str, width: Option<usize>) -> String {
    let bold = anstyle::Style::new().bold();
    format!("{bold}{}{bold:#}{rest}\n", shorten(&visible(dataset), width.unwrap_or(usize::MAX)))
}

/// JSON, indented, with a final newline and all digits. Our own types always serialise: their keys are text, their numbers
/// finite.
pub fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

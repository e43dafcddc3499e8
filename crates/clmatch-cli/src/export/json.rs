//! JSON: one object per dataset, an array of them for a ranking. Numbers keep all their digits.

use clmatch_analysis::Scored;
use clmatch_analysis::ranking::Ranking;
use serde::Serialize;

use crate::advice::in_words;

pub fn ranking(ranking: &Ranking) -> String {
    pretty(&ranking.entries(in_words))
}

pub fn dataset(scored: &Scored) -> String {
    pretty(scored)
}

/// Indented, with a final newline. Our own types always serialise: their keys are text, their numbers finite.
pub fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

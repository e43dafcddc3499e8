//! JSON: one object per dataset, an array of them for a ranking. Numbers keep all their digits.

use serde::Serialize;

use crate::ranking::{FailedDataset, Ranked, Ranking};
use crate::result::{SCHEMA, Scored};

#[derive(Serialize)]
#[serde(untagged)]
enum Entry<'a> {
    Ranked {
        rank: usize,
        /// The measure that the rank is by.
        by: &'a str,
        #[serde(flatten)]
        scored: &'a Scored,
    },
    Failed {
        schema: &'a str,
        dataset: &'a str,
        error: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<&'a str>,
    },
}

impl<'a> Entry<'a> {
    fn ranked(by: &'a str, ranked: &'a Ranked) -> Self {
        Entry::Ranked { rank: ranked.rank, by, scored: &ranked.scored }
    }

    fn failed(failed: &'a FailedDataset) -> Self {
        let (error, help) = (&failed.failure.what, failed.failure.help.as_deref());
        Entry::Failed { schema: SCHEMA, dataset: &failed.dataset, error, help }
    }
}

pub fn ranking(ranking: &Ranking) -> String {
    let ranked = ranking.ranked.iter().map(|ranked| Entry::ranked(ranking.by.id, ranked));
    let entries: Vec<Entry<'_>> = ranked.chain(ranking.failed.iter().map(Entry::failed)).collect();
    pretty(&entries)
}

pub fn dataset(scored: &Scored) -> String {
    pretty(scored)
}

/// Indented, with a final newline. Our own types always serialise: their keys are text, their numbers finite.
pub fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

//! Best first, with ties shown as ties.

use std::cmp::Ordering;

use clmatch::Measure;

use crate::export::number::significant;
use crate::failure::Failure;
use crate::result::Scored;

/// A dataset and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// 1 is the best; equal scores share a place.
    pub rank: usize,
    /// Whether another dataset has the same place.
    pub tied: bool,
    pub scored: Scored,
}

/// All datasets of a run.
#[derive(Debug)]
pub struct Ranking {
    /// The measure that decides the order.
    pub by: &'static Measure,
    pub measures: Vec<&'static Measure>,
    pub ranked: Vec<Ranked>,
    /// Datasets that could not be scored.
    pub failed: Vec<FailedDataset>,
    /// How many datasets were scored but are not shown.
    pub hidden: usize,
}

#[derive(Debug)]
pub struct FailedDataset {
    pub dataset: String,
    pub failure: Failure,
}

impl Ranking {
    /// Orders by a measure, then by name. Scores that agree to 12 digits are ties.
    pub fn new(
        by: &'static Measure,
        measures: Vec<&'static Measure>,
        mut scored: Vec<Scored>,
        mut failed: Vec<FailedDataset>,
    ) -> Self {
        let value = |scored: &Scored| scored.scores.get(by.id).unwrap_or(f64::NAN);
        let key = |scored: &Scored| significant(value(scored), 12);
        scored.sort_by(|a, b| {
            let order = if by.prefers(value(a), value(b)) {
                Ordering::Less
            } else if by.prefers(value(b), value(a)) {
                Ordering::Greater
            } else {
                Ordering::Equal
            };
            if key(a) == key(b) { a.dataset.cmp(&b.dataset) } else { order }
        });
        let keys: Vec<String> = scored.iter().map(key).collect();
        let ranked = scored.into_iter().enumerate().map(|(at, scored)| {
            let rank = 1 + keys.iter().position(|other| *other == keys[at]).unwrap_or(at);
            let tied = keys.iter().filter(|other| **other == keys[at]).count() > 1;
            Ranked { rank, tied, scored }
        });
        let ranked = ranked.collect();
        failed.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ranking { by, measures, ranked, failed, hidden: 0 }
    }

    /// Keeps the best ones only.
    pub fn keep(&mut self, top: usize) {
        self.hidden = self.ranked.len().saturating_sub(top);
        self.ranked.truncate(top);
    }
}

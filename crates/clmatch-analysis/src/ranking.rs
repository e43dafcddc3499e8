//! Best first, with ties shown as ties.

use std::cmp::Ordering;

use clmatch::Measure;
use clmatch_data::Advice;
use serde::Serialize;

use crate::error::AnalysisError;
use crate::scored::Scored;

/// The shape of the JSON of a dataset that failed, among ranked ones.
pub const FAILURE_SCHEMA: &str = "clmatch/failure/1";
/// Scores that differ by less than this share of themselves are ties: they differ by rounding.
const TIE: f64 = 1e-12;

/// A dataset and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// 1 is the best; equal scores share a place.
    pub rank: usize,
    /// Whether another dataset has the same place.
    pub tied: bool,
    /// The dataset.
    pub scored: Scored,
}

/// All datasets of a run.
#[derive(Debug)]
pub struct Ranking {
    /// The measure that decides the order.
    pub by: &'static Measure,
    /// The measures that were computed.
    pub measures: Vec<&'static Measure>,
    /// Best first.
    pub ranked: Vec<Ranked>,
    /// Datasets that could not be scored.
    pub failed: Vec<FailedDataset>,
    /// How many datasets were scored but are not shown.
    pub hidden: usize,
}

/// A dataset that could not be scored.
#[derive(Debug)]
pub struct FailedDataset {
    /// Its name.
    pub dataset: String,
    /// Why.
    pub error: AnalysisError,
}

/// One object of a ranking as JSON.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Entry<'a> {
    /// A dataset and its place.
    Ranked {
        /// Its place.
        rank: usize,
        /// The measure that the rank is by.
        by: &'a str,
        /// The dataset.
        #[serde(flatten)]
        scored: &'a Scored,
    },
    /// A dataset that could not be scored.
    Failed {
        /// [`FAILURE_SCHEMA`].
        schema: &'a str,
        /// Its name.
        dataset: &'a str,
        /// Why.
        error: String,
        /// What to do.
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<String>,
    },
}

/// The better value first; values that cannot be compared, NaN, last.
fn better_first(by: &Measure, a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) if by.prefers(a, b) => Ordering::Less,
        (false, false) if by.prefers(b, a) => Ordering::Greater,
        (a, b) => a.cmp(&b),
    }
}

/// Whether two values differ by no more than rounding.
fn is_tie(a: f64, b: f64) -> bool {
    let near = a.is_finite() && b.is_finite() && (a - b).abs() <= TIE * a.abs().max(b.abs());
    near || a == b || (a.is_nan() && b.is_nan())
}

impl Ranking {
    /// Orders by a measure, then by name.
    pub fn new(
        by: &'static Measure,
        measures: Vec<&'static Measure>,
        mut scored: Vec<Scored>,
        mut failed: Vec<FailedDataset>,
    ) -> Self {
        let value = |scored: &Scored| scored.scores.get(by.id).unwrap_or(f64::NAN);
        scored.sort_by(|a, b| better_first(by, value(a), value(b)));
        let mut ranked: Vec<Ranked> = Vec::with_capacity(scored.len());
        while !scored.is_empty() {
            let best = value(&scored[0]);
            let tied = scored.iter().take_while(|other| is_tie(best, value(other))).count();
            let rank = ranked.len() + 1;
            let mut level: Vec<Scored> = scored.drain(..tied).collect();
            level.sort_by(|a, b| a.dataset.cmp(&b.dataset));
            ranked.extend(level.into_iter().map(|scored| Ranked { rank, tied: tied > 1, scored }));
        }
        failed.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        Ranking { by, measures, ranked, failed, hidden: 0 }
    }

    /// Keeps the best ones only.
    pub fn keep(&mut self, top: usize) {
        self.hidden = self.ranked.len().saturating_sub(top);
        self.ranked.truncate(top);
    }

    /// The objects of the ranking as JSON; `words` puts advice into the words of a front end.
    pub fn entries(&self, words: impl Fn(&Advice) -> String) -> Vec<Entry<'_>> {
        let ranked = self.ranked.iter().map(|ranked| Entry::Ranked {
            rank: ranked.rank,
            by: self.by.id,
            scored: &ranked.scored,
        });
        let failed = self.failed.iter().map(|failed| Entry::Failed {
            schema: FAILURE_SCHEMA,
            dataset: &failed.dataset,
            error: failed.error.to_string(),
            help: failed.error.advice().as_ref().map(&words),
        });
        ranked.chain(failed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::measure::find;

    fn order(by: &str, values: &[(&str, f64)]) -> Vec<(usize, bool, String)> {
        let by = find(by).unwrap();
        let scored = values.iter().map(|&(name, value)| Scored::example(name, &[(by.id, value)])).collect();
        let ranking = Ranking::new(by, vec![by], scored, Vec::new());
        ranking.ranked.into_iter().map(|one| (one.rank, one.tied, one.scored.dataset)).collect()
    }

    #[test]
    fn ties_are_told_by_numbers() {
        let place = |rank, tied, name: &str| (rank, tied, name.to_owned());
        // These two print alike with 12 digits, but differ; those of b and c differ by rounding.
        let values = [("c", 0.5), ("d", 0.25), ("b", 0.5 + 1e-16), ("a", 0.25 + 4e-13)];
        let expected = [place(1, true, "b"), place(1, true, "c"), place(3, false, "a"), place(4, false, "d")];
        assert_eq!(order("clm", &values), expected);
        // Lower is better, infinity is last, and what has no score is behind it.
        let values = [("x", f64::INFINITY), ("y", f64::NAN), ("z", 0.3)];
        let expected = [place(1, false, "z"), place(2, false, "x"), place(3, false, "y")];
        assert_eq!(order("db", &values), expected);
    }
}

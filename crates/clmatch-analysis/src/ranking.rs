//! Rankings: best first, with ties shown as ties.

use std::cmp::Ordering;

use clmatch::measure::find;
use clmatch::{Interval, Measure};
use clmatch_data::{Advice, Source};
use serde::Serialize;

use crate::deciding::headline;
use crate::error::AnalysisError;
use crate::judging::attach_verdict;
use crate::scored::Scored;
use crate::uncertainty::ScoreInterval;

/// Names the JSON schema of a dataset that failed, as listed among ranked ones, with its version.
pub const FAILURE_SCHEMA: &str = "clmatch/failure/1";
/// Scores whose relative difference is smaller than this are ties: they differ by rounding.
const TIE: f64 = 1e-12;

/// A dataset and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// 1 is the best; equal scores share a place.
    pub rank: usize,
    /// Whether another dataset has the same place.
    pub tied: bool,
    /// The best and the worst rank of the datasets whose intervals overlap its own, itself included: it cannot be told apart from
    /// them. `None` without intervals.
    pub not_told_apart: Option<[usize; 2]>,
    /// The dataset.
    pub scored: Scored,
}

/// All datasets of a run.
#[derive(Debug)]
pub struct Ranking {
    /// The measure that determines the order.
    pub by: &'static Measure,
    /// The measures that were computed.
    pub measures: Vec<&'static Measure>,
    /// The ranked datasets, best first.
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
    /// Where it is read from; `None` if its data were in memory.
    pub source: Option<Source>,
    /// Why it could not be scored.
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
        /// The measure that determines the rank.
        by: &'a str,
        /// The best and the worst rank of the datasets whose intervals overlap its own.
        #[serde(skip_serializing_if = "Option::is_none")]
        not_told_apart: Option<[usize; 2]>,
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
        /// Why it could not be scored.
        error: String,
        /// What to do about it.
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<String>,
    },
}

/// Orders the better value first; values that cannot be compared (NaN) come last.
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

/// Finds for each dataset those whose intervals overlap its own.
fn mark_overlaps(ranked: &mut [Ranked], by: &Measure) {
    let intervals: Vec<(usize, Option<Interval>)> = ranked
        .iter()
        .map(|ranked| (ranked.rank, ranked.scored.interval(by).map(ScoreInterval::interval)))
        .collect();
    for (at, ranked) in ranked.iter_mut().enumerate() {
        let Some(own) = intervals[at].1 else { continue };
        let overlapping =
            intervals.iter().filter(|(_, other)| other.is_some_and(|other| own.overlaps(other)));
        let ranks = overlapping.map(|(rank, _)| *rank);
        let range = ranks.fold([ranked.rank; 2], |[best, worst], rank| [best.min(rank), worst.max(rank)]);
        ranked.not_told_apart = Some(range);
    }
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
            ranked.extend(level.into_iter().map(|scored| Ranked {
                rank,
                tied: tied > 1,
                not_told_apart: None,
                scored,
            }));
        }
        failed.sort_by(|a, b| a.dataset.cmp(&b.dataset));
        mark_overlaps(&mut ranked, by);
        Ranking { by, measures, ranked, failed, hidden: 0 }
    }

    /// Like [`Ranking::new`], but gives each dataset, which was already scored, its verdict by the measure.
    pub fn with_verdicts(
        by: &'static Measure,
        measures: Vec<&'static Measure>,
        mut scored: Vec<Scored>,
        failed: Vec<FailedDataset>,
    ) -> Self {
        scored.iter_mut().for_each(|scored| attach_verdict(scored, by));
        Ranking::new(by, measures, scored, failed)
    }

    /// Ranks datasets that were scored earlier, each with its verdict, by the measures that all of them have; by the headline
    /// measure if none is given.
    ///
    /// # Errors
    /// Datasets that have no measure in common, or not all of which have a score by the given one.
    pub fn of_scored(scored: Vec<Scored>, by: Option<&'static Measure>) -> Result<Self, AnalysisError> {
        let everywhere = |id: &str| scored.iter().all(|one| one.scores.get(id).is_some());
        let of_first = scored.iter().take(1).flat_map(|one| &one.scores.0);
        let common = of_first.filter(|(id, _)| everywhere(id));
        let measures: Vec<&'static Measure> = common.filter_map(|(id, _)| find(id)).collect();
        let decides =
            by.or_else(|| headline(&measures)).filter(|by| measures.iter().any(|known| known.id == by.id));
        if let Some(by) = decides {
            return Ok(Ranking::with_verdicts(by, measures, scored, Vec::new()));
        }
        let what = match by {
            Some(by) => format!("not all of these datasets have a score by {}", by.id),
            None => "these datasets have no measure in common".to_owned(),
        };
        Err(AnalysisError::unfit(what, Advice::from("rank them all by the same measures")))
    }

    /// Keeps only the best `top` datasets.
    pub fn keep(&mut self, top: usize) {
        self.hidden = self.ranked.len().saturating_sub(top);
        self.ranked.truncate(top);
    }

    /// The objects of the ranking as JSON; `words` puts advice into the words of a front end.
    pub fn entries(&self, words: impl Fn(&Advice) -> String) -> Vec<Entry<'_>> {
        let ranked = self.ranked.iter().map(|ranked| Entry::Ranked {
            rank: ranked.rank,
            by: self.by.id,
            not_told_apart: ranked.not_told_apart,
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

    fn order(by: &str, values: &[(&str, f64)]) -> Vec<(usize, bool, String)> {
        let by = find(by).unwrap();
        let scored = values.iter().map(|&(name, value)| Scored::example(name, &[(by.id, value)])).collect();
        let ranking = Ranking::new(by, vec![by], scored, Vec::new());
        ranking.ranked.into_iter().map(|one| (one.rank, one.tied, one.scored.dataset)).collect()
    }

    #[test]
    fn overlapping_intervals_are_not_told_apart() {
        let by = find("clm").unwrap();
        let with = |name: &str, value: f64, reach: f64| Scored {
            intervals: vec![ScoreInterval { measure: "clm".into(), low: value - reach, high: value + reach }],
            ..Scored::example(name, &[("clm", value)])
        };
        let scored =
            vec![with("a", 0.9, 0.05), with("b", 0.8, 0.06), with("c", 0.7, 0.05), with("d", 0.1, 0.05)];
        let with_none = Scored::example("e", &[("clm", 0.05)]);
        let ranking = Ranking::new(by, vec![by], [scored, vec![with_none]].concat(), Vec::new());
        let found: Vec<_> = ranking.ranked.iter().map(|ranked| ranked.not_told_apart).collect();
        assert_eq!(found, [Some([1, 2]), Some([1, 3]), Some([2, 3]), Some([4, 4]), None]);
    }

    #[test]
    fn ties_are_told_by_numbers() {
        let place = |rank, tied, name: &str| (rank, tied, name.to_owned());
        // The first two print alike with 12 digits, but differ; those of b and c differ by rounding.
        let values = [("c", 0.5), ("d", 0.25), ("b", 0.5 + 1e-16), ("a", 0.25 + 4e-13)];
        let expected = [place(1, true, "b"), place(1, true, "c"), place(3, false, "a"), place(4, false, "d")];
        assert_eq!(order("clm", &values), expected);
        // Lower is better, infinity comes last, and datasets without a score follow it.
        let values = [("x", f64::INFINITY), ("y", f64::NAN), ("z", 0.3)];
        let expected = [place(1, false, "z"), place(2, false, "x"), place(3, false, "y")];
        assert_eq!(order("db", &values), expected);
    }
}

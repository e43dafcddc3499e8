//! Bars that a dataset must reach, for release pipelines.

use std::fmt;

use clmatch::Measure;

use crate::scored::Scored;

/// What a bar is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarOf {
    /// The score of the dataset.
    Dataset,
    /// The score of its worst pair of classes.
    WorstPair,
}

/// A value that the score of a dataset must reach.
#[derive(Debug, Clone, Copy)]
pub struct Bar {
    /// Which score must reach it.
    pub of: BarOf,
    /// The measure of the score.
    pub measure: &'static Measure,
    /// The value.
    pub value: f64,
}

/// A bar that was missed. Displayed as one line that names the dataset.
#[derive(Debug, Clone, PartialEq)]
pub struct MissedBar {
    /// The name of the dataset.
    pub dataset: String,
    /// The id of the measure.
    pub measure: &'static str,
    /// The score; NaN if there is none.
    pub score: f64,
    /// The value that it should have reached.
    pub bar: f64,
    /// The worst pair of classes, if the bar is for it.
    pub pair: Option<(String, String)>,
}

impl Bar {
    /// The missed bar, if the score of a dataset does not reach it.
    pub fn missed_by(&self, scored: &Scored) -> Option<MissedBar> {
        let (score, pair) = match self.of {
            BarOf::Dataset => (scored.scores.get(self.measure.id), None),
            BarOf::WorstPair => match scored.worst_pair(self.measure) {
                Some((pair, score)) => (Some(score), Some((pair.a.to_owned(), pair.b.to_owned()))),
                None => (None, None),
            },
        };
        let score = score.unwrap_or(f64::NAN);
        (score.is_nan() || self.measure.prefers(self.value, score)).then(|| MissedBar {
            dataset: scored.dataset.clone(),
            measure: self.measure.id,
            score,
            bar: self.value,
            pair,
        })
    }
}

impl fmt::Display for MissedBar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MissedBar { dataset, measure, score, bar, pair } = self;
        match pair {
            Some((a, b)) => {
                write!(
                    f,
                    "{dataset}: {measure} of the worst pair, {a} | {b}, is {score:.6}; the bar is {bar}"
                )
            }
            None => write!(f, "{dataset}: {measure} is {score:.6}; the bar is {bar}"),
        }
    }
}

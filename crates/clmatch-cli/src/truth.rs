//! The finished ground truth of one dataset, and of many in order.

use clmatch_cluster::external::External;
use clmatch_truth::techniques::{TechniqueScore, best_of, is_near_singletons};
use serde::{Deserialize, Serialize};

/// The best scores of the techniques on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TruthOf {
    pub schema: String,
    pub dataset: String,
    /// Points that were clustered.
    pub points: usize,
    /// Points that there are.
    pub all_points: usize,
    pub features: usize,
    pub classes: usize,
    pub techniques: Vec<Row>,
}

/// One technique by one external measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// With the suffix `_singletons` for partitions that do not count.
    pub technique: String,
    pub external: String,
    pub score: f64,
    pub settings: String,
    pub seconds: f64,
}

impl Row {
    /// Whether it counts for the ground truth.
    pub fn counts(&self) -> bool {
        !is_near_singletons(&self.technique)
    }
}

impl From<&TechniqueScore> for Row {
    fn from(outcome: &TechniqueScore) -> Row {
        Row {
            technique: outcome.label(),
            external: outcome.external.id().to_owned(),
            score: outcome.score,
            settings: outcome.settings.clone(),
            seconds: outcome.seconds,
        }
    }
}

impl TruthOf {
    /// The best technique by a measure: the approximate true match.
    pub fn best(&self, external: External) -> Option<&Row> {
        let rows = self.techniques.iter().filter(|row| row.external == external.id() && row.counts());
        best_of(rows, |row| row.score)
    }
}

/// Best first by an external measure, then by name.
pub fn rank(mut datasets: Vec<TruthOf>, by: External) -> Vec<TruthOf> {
    let score = |dataset: &TruthOf| dataset.best(by).map_or(f64::NEG_INFINITY, |row| row.score);
    datasets.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.dataset.cmp(&b.dataset)));
    datasets
}

//! The finished accuracies of one dataset, and of many in order.

use clmatch_truth::classifiers::{ClassifierScore, ensemble};
use serde::{Deserialize, Serialize};

/// The id of the best classifier of a dataset, among the classifiers.
pub const ENSEMBLE: &str = "ensemble";

/// The accuracies of the classifiers on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Accuracies {
    pub schema: String,
    pub dataset: String,
    /// `quick`, `default` or `full`.
    pub mode: String,
    /// Settings that each search evaluated.
    pub evaluations: usize,
    /// Points that were used.
    pub points: usize,
    /// Points that there are.
    pub all_points: usize,
    pub features: usize,
    pub classes: usize,
    /// What is odd about the dataset.
    pub remarks: Vec<String>,
    /// The ensemble comes last.
    pub classifiers: Vec<Row>,
}

/// One classifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub classifier: String,
    pub accuracy: f64,
    pub settings: String,
    /// Of one core.
    pub seconds: f64,
}

/// One row per classifier, and the ensemble.
pub fn rows(outcomes: &[ClassifierScore]) -> Vec<Row> {
    let row = |outcome: &ClassifierScore| Row {
        classifier: outcome.method.id().to_owned(),
        accuracy: outcome.accuracy,
        settings: outcome.settings.clone(),
        seconds: outcome.seconds,
    };
    let best = ensemble(outcomes).map(|best| Row {
        classifier: ENSEMBLE.to_owned(),
        accuracy: best.accuracy,
        settings: format!("by={}", best.method.id()),
        seconds: outcomes.iter().map(|outcome| outcome.seconds).sum(),
    });
    outcomes.iter().map(row).chain(best).collect()
}

impl Accuracies {
    /// The accuracy of a classifier or of the ensemble.
    pub fn of(&self, classifier: &str) -> Option<f64> {
        self.classifiers.iter().find(|row| row.classifier == classifier).map(|row| row.accuracy)
    }
}

/// Best ensemble first, then by name.
pub fn rank(mut datasets: Vec<Accuracies>) -> Vec<Accuracies> {
    let score = |dataset: &Accuracies| dataset.of(ENSEMBLE).unwrap_or(f64::NEG_INFINITY);
    datasets.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.dataset.cmp(&b.dataset)));
    datasets
}

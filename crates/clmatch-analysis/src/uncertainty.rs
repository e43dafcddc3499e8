//! What a score alone does not tell: how far it would move with other samples, and what random labels would score.

use clmatch::chance::random_labels;
use clmatch::intervals::{Replicates, replicates};
use clmatch::{Classes, Control, DataError, Evaluation, Interval, Measure};
use serde::{Deserialize, Serialize};

use crate::number;

/// How sure intervals are.
pub const CONFIDENCE: f64 = 0.95;

/// What is to be found out besides scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UncertaintySettings {
    /// Whether an interval is wanted for every score.
    pub intervals: bool,
    /// How many random labellings are to be scored; none if 0.
    pub permutations: usize,
    /// Decides which points intervals leave out, and which labels are drawn.
    pub seed: u64,
}

impl UncertaintySettings {
    /// Whether anything is to be found out.
    pub fn is_wanted(self) -> bool {
        self.intervals || self.permutations > 0
    }
}

/// Where the score of a measure would probably lie with other samples of the same size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreInterval {
    /// The id of the measure.
    pub measure: String,
    /// Its lower end.
    #[serde(with = "number")]
    pub low: f64,
    /// Its upper end.
    #[serde(with = "number")]
    pub high: f64,
}

impl ScoreInterval {
    /// The interval of a score of all points.
    pub(crate) fn of(replicates: &Replicates, score: f64) -> ScoreInterval {
        let Interval { low, high } = replicates.interval(score);
        ScoreInterval { measure: replicates.id.to_owned(), low, high }
    }

    /// The interval without its measure.
    pub fn interval(&self) -> Interval {
        Interval { low: self.low, high: self.high }
    }
}

/// What random labels score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomLabels {
    /// How many permutations of the labels were scored.
    pub permutations: usize,
    /// What they score by each measure.
    pub scores: Vec<RandomScore>,
}

/// What random labels score by a measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RandomScore {
    /// The id of the measure.
    pub measure: String,
    /// The mean score of random labels.
    #[serde(with = "number")]
    pub mean: f64,
    /// The lower end of the middle 95% of them.
    #[serde(with = "number")]
    pub low: f64,
    /// The upper end.
    #[serde(with = "number")]
    pub high: f64,
    /// The share of labellings that score at least as well as the labels, which are one of them.
    pub p: f64,
}

/// What was found out besides scores.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Uncertainty {
    pub(crate) intervals: Vec<ScoreInterval>,
    pub(crate) random_labels: Option<RandomLabels>,
    /// Why there are no intervals although they were asked for.
    pub(crate) refused: Option<DataError>,
}

impl Uncertainty {
    /// Finds out what was asked for.
    ///
    /// # Errors
    /// [`DataError::Stopped`] if `control` says so. Classes that are too small for an interval are no error: the score stands.
    pub(crate) fn of(
        classes: &Classes<'_>,
        measures: &[&'static Measure],
        evaluation: &Evaluation,
        settings: UncertaintySettings,
        control: Control<'_>,
    ) -> Result<Uncertainty, DataError> {
        let mut found = Uncertainty::default();
        if settings.intervals {
            match intervals(classes, measures, evaluation, settings.seed, control) {
                Ok(intervals) => found.intervals = intervals,
                Err(error @ DataError::TooFewForInterval { .. }) => found.refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        let UncertaintySettings { permutations, seed, .. } = settings;
        if permutations > 0 {
            let chances = random_labels(classes, measures, evaluation, permutations, seed, control)?;
            let scores = measures.iter().zip(chances).map(|(measure, chance)| RandomScore {
                measure: measure.id.to_owned(),
                mean: chance.mean,
                low: chance.range.low,
                high: chance.range.high,
                p: chance.p,
            });
            found.random_labels = Some(RandomLabels { permutations, scores: scores.collect() });
        }
        Ok(found)
    }
}

fn intervals(
    classes: &Classes<'_>,
    measures: &[&'static Measure],
    evaluation: &Evaluation,
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<ScoreInterval>, DataError> {
    let all = replicates(classes, measures, seed, control)?;
    let of_measure =
        |replicates: &Replicates| Some(ScoreInterval::of(replicates, evaluation.value(replicates.id)?));
    Ok(all.iter().filter_map(of_measure).collect())
}

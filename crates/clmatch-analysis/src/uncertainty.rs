//! What a score alone does not show: an interval for it, and what random labels would score.

use clmatch::chance::random_labels;
use clmatch::intervals::{Replicates, replicates};
use clmatch::{Classes, Control, DataError, Evaluation, Interval, Measure};
use serde::{Deserialize, Serialize};

use crate::number;
use crate::remark::Remark;

/// The confidence level of intervals.
pub const CONFIDENCE: f64 = 0.95;
/// If a headline score changes between the replicates and all points by at least this much, and by at least an eighth of the
/// width of its interval, it depends on how densely points lie.
const DENSITY_CHANGE: f64 = 0.005;
/// Measures whose intervals are too narrow if classes have heavy tails, because outliers dominate their mean.
const TAIL_SENSITIVE: [&str; 3] = ["ch_a", "xb_a", "db_a"];

/// What the intervals of a dataset cover, in words.
pub fn meaning(intervals: &[ScoreInterval], points: usize) -> Option<String> {
    intervals.first()?;
    let sensitive: Vec<&str> = TAIL_SENSITIVE
        .into_iter()
        .filter(|id| intervals.iter().any(|interval| interval.measure == *id))
        .collect();
    let tails = match sensitive[..] {
        [] => String::new(),
        _ => format!("; with heavy-tailed classes those of {} are too narrow", sensitive.join(", ")),
    };
    Some(format!("95% intervals are for the mean score of samples of this size ({points} points){tails}"))
}

/// What to compute besides scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UncertaintySettings {
    /// Whether to compute an interval for every score.
    pub intervals: bool,
    /// How many random labellings to score; 0 for none.
    pub permutations: usize,
    /// The seed that determines which points intervals leave out, and which labels are drawn.
    pub seed: u64,
}

impl UncertaintySettings {
    /// Whether there is anything to compute.
    pub fn is_wanted(self) -> bool {
        self.intervals || self.permutations > 0
    }
}

/// A 95% interval for the mean score of samples of this size.
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
    /// The lower end of the middle 95% of the random scores.
    #[serde(with = "number")]
    pub low: f64,
    /// The upper end.
    #[serde(with = "number")]
    pub high: f64,
    /// The share of labellings that score at least as well as the true labels, which are counted among them.
    pub p: f64,
}

/// What was computed besides scores.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Uncertainty {
    pub(crate) intervals: Vec<ScoreInterval>,
    pub(crate) random_labels: Option<RandomLabels>,
    /// A remark about the headline score, if it changes with the number of points.
    pub(crate) density: Option<Remark>,
    /// Why there are no intervals although they were requested.
    pub(crate) refused: Option<DataError>,
    /// Whether the time was over before what was requested was done.
    pub(crate) late: bool,
}

impl Uncertainty {
    /// Computes what was requested.
    ///
    /// # Errors
    /// [`DataError::Stopped`] if `control` says so. Classes that are too small for an interval are not an error: the score
    /// stands.
    pub(crate) fn of(
        classes: &Classes<'_>,
        measures: &[&'static Measure],
        evaluation: &Evaluation,
        settings: UncertaintySettings,
        control: Control<'_>,
    ) -> Result<Uncertainty, DataError> {
        let mut found = Uncertainty::default();
        if settings.intervals {
            control.report("intervals", 0, 0);
            match intervals(classes, measures, evaluation, settings.seed, control) {
                Ok((intervals, density)) => (found.intervals, found.density) = (intervals, density),
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
) -> Result<(Vec<ScoreInterval>, Option<Remark>), DataError> {
    let all = replicates(classes, measures, seed, control)?;
    let of_measure =
        |replicates: &Replicates| Some(ScoreInterval::of(replicates, evaluation.value(replicates.id)?));
    let headline = all.iter().find(|replicates| replicates.id == "clm");
    let density = headline.and_then(|replicates| density(replicates, evaluation.value(replicates.id)?));
    Ok((all.iter().filter_map(of_measure).collect(), density))
}

/// A remark if the score changes with the number of points.
fn density(replicates: &Replicates, score: f64) -> Option<Remark> {
    let (mean, kept) = replicates.with_fewer_points();
    let Interval { low, high } = replicates.interval(score);
    ((score - mean).abs() >= DENSITY_CHANGE.max((high - low) / 8.0)).then(|| {
        let (id, percent) = (replicates.id, 100.0 * kept);
        Remark::info(format!(
            "{id} changes with the number of points: {mean:.3} on average with {percent:.0}% of them, {score:.3} with all"
        ))
    })
}

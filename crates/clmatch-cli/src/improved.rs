//! Finished numbers of one improvement: what every export shows.

use clmatch::Classes;
use clmatch::improve::{Change, Improvement, Null, Options, Split};
use clmatch_data::{Dataset, Scale};
use serde::Serialize;

use crate::result::SCHEMA;

/// An improved dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Improved {
    pub schema: String,
    pub dataset: String,
    pub points: usize,
    pub features: usize,
    pub classes: usize,
    pub scale: String,
    pub objective: String,
    pub method: String,
    /// The method that found the result: of interest for `auto`.
    pub found_by: String,
    pub seed: u64,
    /// How many features are kept, and whether they have weights.
    pub kept: usize,
    pub weighted: bool,
    pub scores: ScoreTable,
    /// Options of `clmatch score` with which the written file has the score of all points.
    pub score_with: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub null: Option<NullTable>,
    pub kept_features: Vec<Kept>,
    pub path: Vec<Step>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Scores>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<Scores>,
    pub all: Scores,
}

/// Scores with all features and with the chosen ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scores {
    pub points: usize,
    pub before: f64,
    pub after: f64,
}

impl From<Change> for Scores {
    fn from(Change { points, before, after }: Change) -> Self {
        Scores { points, before, after }
    }
}

/// The same search under shuffled labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NullTable {
    pub shuffles: usize,
    /// Mean gains under shuffled labels.
    pub mean_gain_chosen: f64,
    pub mean_gain_held_out: f64,
    pub gains_held_out: Vec<f64>,
    pub p_value: f64,
    pub significant: bool,
}

impl NullTable {
    fn new(null: &Null) -> Option<Self> {
        let count = null.held_out.len();
        let mean = |gains: &[f64]| gains.iter().sum::<f64>() / count as f64;
        (count > 0).then(|| NullTable {
            shuffles: count,
            mean_gain_chosen: mean(&null.chosen),
            mean_gain_held_out: mean(&null.held_out),
            gains_held_out: null.held_out.clone(),
            p_value: null.p_value,
            significant: null.significant(),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    pub feature: String,
    /// The place among the features, counted from 0.
    pub index: usize,
    pub weight: f64,
    /// What the objective loses without it.
    pub contribution: f64,
}

/// A subset of the greedy path.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    pub features: usize,
    pub chosen: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<f64>,
}

impl Improved {
    pub fn new(
        dataset: &Dataset,
        classes: &Classes<'_>,
        scale: Scale,
        options: &Options,
        found: &Improvement,
        score_with: Vec<String>,
    ) -> Self {
        let kept = found.kept.iter().map(|kept| Kept {
            feature: dataset.features[kept.feature].clone(),
            index: kept.feature,
            weight: kept.weight,
            contribution: kept.contribution,
        });
        let path = found.path.iter();
        let path = path.map(|p| Step { features: p.features, chosen: p.chosen, held_out: p.held_out });
        Improved {
            schema: SCHEMA.to_owned(),
            dataset: dataset.name.clone(),
            points: classes.len(),
            features: dataset.features.len(),
            classes: classes.count(),
            scale: scale.to_string(),
            objective: options.objective.to_string(),
            method: options.method.to_string(),
            found_by: found.selection.method.to_string(),
            seed: options.seed,
            kept: found.selection.kept(),
            weighted: !found.selection.is_subset(),
            scores: ScoreTable {
                chosen: found.held_out.is_some().then(|| found.chosen.into()),
                held_out: found.held_out.map(Scores::from),
                all: found.all.into(),
            },
            score_with,
            null: found.null.as_ref().and_then(NullTable::new),
            kept_features: kept.collect(),
            path: path.collect(),
            warnings: warnings(classes, options, found),
        }
    }
}

/// What must be said about the result, whatever the form.
fn warnings(classes: &Classes<'_>, options: &Options, found: &Improvement) -> Vec<String> {
    let mut warnings = Vec::new();
    if !found.unsplit.is_empty() {
        let names: Vec<&str> = found.unsplit.iter().map(|&class| classes.names()[class].as_str()).collect();
        let names = names.join("', '");
        warnings.push(format!("classes with fewer than 4 points took no part in the choice: '{names}'"));
    }
    match (&found.held_out, &found.null) {
        _ if found.selection.is_everything() => warnings.push(
            "nothing better was found: no features or weights that were tried raise the score enough, so the file \
             keeps all features as before"
                .into(),
        ),
        (Some(held_out), _) if held_out.gain() <= 0.0 => warnings.push(
            "the gain is no more than chance: on the points held out, the features that were chosen and written score \
             no higher than all features do"
                .into(),
        ),
        (Some(_), Some(null)) if !null.conclusive() => warnings.push(format!(
            "{} shuffles are too few to tell the gain from chance: give more time with --budget, or --shuffles 19",
            null.held_out.len()
        )),
        (Some(held_out), Some(null)) if !null.significant() => warnings.push(format!(
            "the held-out gain of {:+.3} is not significant (p = {:.2}): shuffled labels gain as much",
            held_out.gain(),
            null.p_value
        )),
        (None, _) if options.split == Split::Half => warnings.push(
            "no two classes have 4 points: features were chosen on the points that are scored, and the score \
             flatters itself"
                .into(),
        ),
        (None, _) => warnings.push("features were chosen on the points that are scored: the score flatters itself".into()),
        _ => {}
    }
    if found.selection.screened > 0 {
        let screened = found.selection.screened;
        warnings.push(format!("{screened} features were left out by their own score before the search"));
    }
    if found.selection.stopped {
        warnings
            .push("the search was stopped early: this is the best so far; --budget gives more time".into());
    }
    warnings
}

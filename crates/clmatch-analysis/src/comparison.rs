//! What changed between two rankings.

use std::path::{Path, PathBuf};

use clmatch::Measure;
use clmatch::measure::{self, REGISTRY};
use clmatch_data::Advice;
use serde::Serialize;

use crate::error::AnalysisError;
use crate::number;
use crate::ranking::{Ranked, Ranking};
use crate::remark::Remark;
use crate::scored::Scored;
use crate::source::read_text;

/// The shape of the JSON of a [`Change`].
pub const SCHEMA: &str = "clmatch/diff/2";

/// What became of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The name of the dataset.
    pub dataset: String,
    /// The measure that ranks and values are by.
    pub by: &'static str,
    /// In the earlier ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<RankedState>,
    /// In the later ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<RankedState>,
    /// `after - before`; 0 where both are infinite alike.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number::serialize_option")]
    pub change: Option<f64>,
    /// Whether points and labels are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_data: Option<bool>,
}

/// A dataset in one of the two rankings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankedState {
    /// Its place.
    pub rank: usize,
    /// Its score.
    #[serde(serialize_with = "number::serialize")]
    pub value: f64,
    /// Its points.
    pub points: usize,
    /// Its features.
    pub features: usize,
    /// Its classes.
    pub classes: usize,
}

/// The scores in a file, and the measure that its ranking was made by, where it tells.
#[derive(Debug, Clone)]
pub struct StoredScores {
    /// The file.
    pub path: PathBuf,
    /// The datasets; those that failed are left out.
    pub scored: Vec<Scored>,
    /// The measure of the ranking.
    pub by: Option<&'static Measure>,
}

impl StoredScores {
    /// Reads one object, or an array of them.
    ///
    /// # Errors
    /// A file that cannot be read, or is no result of scoring or ranking as JSON.
    pub fn read(path: &Path) -> Result<StoredScores, AnalysisError> {
        let bad = |error: serde_json::Error| {
            AnalysisError::unfit(format!("{}: {error}", path.display()), Advice::GiveJsonResults)
        };
        let value: serde_json::Value = serde_json::from_str(&read_text(path)?).map_err(bad)?;
        let values = if let serde_json::Value::Array(values) = value { values } else { vec![value] };
        let values: Vec<_> = values.into_iter().filter(|value| value.get("error").is_none()).collect();
        let by = ranked_by(&values);
        let scored = values.into_iter().map(serde_json::from_value).collect::<Result<_, _>>().map_err(bad)?;
        Ok(StoredScores { path: path.to_owned(), scored, by })
    }
}

/// Two rankings, compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The measure that they are compared by.
    pub by: &'static Measure,
    /// The datasets of the later ranking, best first, then those that are gone.
    pub changes: Vec<Change>,
    /// What should be said about it.
    pub remarks: Vec<Remark>,
}

/// Compares by the measure asked for, or by the one that the rankings were made by.
///
/// # Errors
/// Rankings that have no measure in common.
pub fn compare(
    before: StoredScores,
    after: StoredScores,
    asked: Option<&'static Measure>,
) -> Result<Comparison, AnalysisError> {
    let by = common_measure(&before, &after, asked).ok_or_else(|| {
        let measure = asked.map_or_else(|| "measure".to_owned(), |by| format!("measure {}", by.id));
        let (before, after) = (before.path.display(), after.path.display());
        AnalysisError::unfit(
            format!("{before} and {after} have no {measure} in common"),
            Advice::SameMeasures,
        )
    })?;
    let remarks = if asked.is_none() { another_measure(&before, &after, by) } else { None };
    let changes = changes(before.scored, after.scored, by);
    Ok(Comparison { by, changes, remarks: remarks.into_iter().collect() })
}

/// Says so if one of the rankings was made by another measure.
fn another_measure(before: &StoredScores, after: &StoredScores, by: &Measure) -> Option<Remark> {
    let said = [before, after].map(|one| Some((one.path.display().to_string(), one.by?.id)));
    let said: Vec<(String, &str)> = said.into_iter().flatten().collect();
    said.iter().any(|(_, id)| *id != by.id).then(|| {
        let said: Vec<String> = said.iter().map(|(path, id)| format!("{path} is ranked by {id}")).collect();
        let text = format!("{}; compared by {}", said.join(", "), by.id);
        Remark::warning(text).advise(Advice::ChooseComparedMeasure)
    })
}

/// The measure that all entries of a file name. Earlier versions wrote it with the place in the catalogue only.
fn ranked_by(values: &[serde_json::Value]) -> Option<&'static Measure> {
    let named = |value: &serde_json::Value| {
        let id = value.get("by").or_else(|| value.get("standing")?.get("measure"));
        id.and_then(serde_json::Value::as_str).and_then(measure::find)
    };
    let by = named(values.first()?)?;
    values.iter().all(|value| named(value).is_some_and(|other| other.id == by.id)).then_some(by)
}

/// The measure asked for, or else the one of the later ranking, that of the earlier one, or the first of all: what all
/// datasets have.
fn common_measure(
    before: &StoredScores,
    after: &StoredScores,
    asked: Option<&'static Measure>,
) -> Option<&'static Measure> {
    let everywhere =
        |id: &str| before.scored.iter().chain(&after.scored).all(|scored| scored.scores.get(id).is_some());
    let candidates: Vec<&'static Measure> = match asked {
        Some(asked) => vec![asked],
        None => after.by.into_iter().chain(before.by).chain(REGISTRY.iter().copied()).collect(),
    };
    candidates.into_iter().find(|measure| everywhere(measure.id))
}

/// The datasets of the later ranking, best first, then those that are gone.
fn changes(before: Vec<Scored>, after: Vec<Scored>, by: &'static Measure) -> Vec<Change> {
    let rank = |scored| Ranking::new(by, vec![by], scored, Vec::new()).ranked;
    let (before, after) = (rank(before), rank(after));
    let side = |ranked: &Ranked| RankedState {
        rank: ranked.rank,
        value: ranked.scored.scores.get(by.id).unwrap_or(f64::NAN),
        points: ranked.scored.points,
        features: ranked.scored.features,
        classes: ranked.scored.classes,
    };
    let gone = before.iter().filter(|old| after.iter().all(|new| new.scored.dataset != old.scored.dataset));
    let mut changes: Vec<Change> = after
        .iter()
        .map(|new| {
            let old = before.iter().find(|old| old.scored.dataset == new.scored.dataset);
            let (before, after) = (old.map(side), side(new));
            Change {
                schema: SCHEMA,
                dataset: new.scored.dataset.clone(),
                by: by.id,
                change: before.as_ref().map(|before| difference(before.value, after.value)),
                before,
                after: Some(after),
                same_data: old.map(|old| old.scored.checksum == new.scored.checksum),
            }
        })
        .collect();
    changes.extend(gone.map(|old| Change {
        schema: SCHEMA,
        dataset: old.scored.dataset.clone(),
        by: by.id,
        before: Some(side(old)),
        after: None,
        change: None,
        same_data: None,
    }));
    changes
}

/// `after - before`, where equal values are no different even if they are infinite.
fn difference(before: f64, after: f64) -> f64 {
    if after == before { 0.0 } else { after - before }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_scores_are_written_as_in_results() {
        let stored = |scores: &[(&str, f64)]| {
            let scored = scores.iter().map(|&(name, db)| Scored::example(name, &[("db", db)])).collect();
            StoredScores { path: PathBuf::from("any.json"), scored, by: None }
        };
        let before = stored(&[("stays", f64::INFINITY), ("falls", f64::INFINITY), ("rises", 2.0)]);
        let after = stored(&[("stays", f64::INFINITY), ("falls", 1.0), ("rises", f64::INFINITY)]);
        let changes = compare(before, after, measure::find("db")).unwrap().changes;
        let json = serde_json::to_value(&changes).unwrap();
        let of = |name: &str| {
            let change = json.as_array().unwrap().iter().find(|change| change["dataset"] == name).unwrap();
            [&change["before"]["value"], &change["after"]["value"], &change["change"]]
                .map(ToString::to_string)
        };
        assert_eq!(of("stays"), ["\"inf\"", "\"inf\"", "0.0"]);
        assert_eq!(of("falls"), ["\"inf\"", "1.0", "\"-inf\""]);
        assert_eq!(of("rises"), ["2.0", "\"inf\"", "\"inf\""]);
    }
}

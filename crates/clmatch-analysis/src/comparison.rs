//! What changed between two rankings: the data, the settings, or both.

use std::collections::BTreeSet;
use std::fmt;
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
use crate::source::Document;

/// Names the JSON schema of a [`Change`], with its version.
pub const SCHEMA: &str = "clmatch/diff/2";
/// Settings that do not change the points and labels as they were read.
const AFTER_READING: [&str; 6] = ["scale", "noise", "singletons", "approx", "limit_seconds", "seed"];
/// How many differences a remark names.
const NAMED: usize = 3;
/// Tolerance for rounding when a fall is compared with a bar.
const ROUNDING: f64 = 1e-12;

/// How one dataset changed between two rankings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The name of the dataset.
    pub dataset: String,
    /// The measure that determines ranks and values.
    pub by: &'static str,
    /// Its state in the earlier ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<RankedState>,
    /// Its state in the later ranking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<RankedState>,
    /// `after - before`; 0 where both are the same infinity.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "number::serialize_option")]
    pub change: Option<f64>,
    /// Whether points and labels are the same; `None` if they differ and were read with other settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_data: Option<bool>,
    /// Settings that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingDifference>,
}

/// A setting that differs between two runs. Displayed as `scale: max-abs -> standard`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SettingDifference {
    /// Its name.
    pub setting: String,
    /// Its earlier value; `None` for the default.
    pub before: Option<String>,
    /// Its later value; `None` for the default.
    pub after: Option<String>,
}

impl fmt::Display for SettingDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not given".to_owned());
        write!(f, "{}: {} -> {}", self.setting, value(&self.before), value(&self.after))
    }
}

impl Change {
    /// By how much the score became worse, if by more than a bar. A score that has become NaN is worse than any other.
    pub fn fell_by_more_than(&self, bar: f64) -> Option<f64> {
        let by = measure::find(self.by)?;
        let fall = -by.upward(self.change?);
        (fall.is_nan() || fall > bar + ROUNDING).then_some(fall)
    }
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

/// The scores in a file, and the measure that its ranking was made by, if the file states it.
#[derive(Debug, Clone)]
pub struct StoredScores {
    /// The file.
    pub path: PathBuf,
    /// The datasets, without those that failed.
    pub scored: Vec<Scored>,
    /// The measure of the ranking.
    pub by: Option<&'static Measure>,
}

impl StoredScores {
    /// Reads one object, or an array of them.
    ///
    /// # Errors
    /// A file that cannot be read, or that is not a result of scoring or ranking as JSON.
    pub fn read(path: &Path) -> Result<StoredScores, AnalysisError> {
        StoredScores::of(&Document::read(path)?)
    }

    /// Parses one object, or an array of them.
    ///
    /// # Errors
    /// A text that is not a result of scoring or ranking as JSON.
    pub fn of(document: &Document) -> Result<StoredScores, AnalysisError> {
        let path = &document.name;
        let refuse = |what: &str, error: serde_json::Error| {
            AnalysisError::unfit(format!("{}: {what} ({error})", path.display()), Advice::GiveJsonResults)
        };
        let value: serde_json::Value =
            serde_json::from_str(&document.text).map_err(|error| refuse("this is not JSON", error))?;
        let values = if let serde_json::Value::Array(values) = value { values } else { vec![value] };
        let values: Vec<_> = values.into_iter().filter(|value| value.get("error").is_none()).collect();
        let by = ranked_by(&values);
        let scored = values.into_iter().map(serde_json::from_value).collect::<Result<_, _>>();
        let scored = scored.map_err(|error| refuse("these are no scores of datasets", error))?;
        Ok(StoredScores { path: path.clone(), scored, by })
    }
}

/// Two rankings, compared.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The measure that they are compared by.
    pub by: &'static Measure,
    /// The datasets of the later ranking, best first, then those that only the earlier one has.
    pub changes: Vec<Change>,
    /// Remarks about the comparison.
    pub remarks: Vec<Remark>,
}

/// Compares by the requested measure, or else by the one that the rankings were made by.
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
    let measure = if asked.is_none() { another_measure(&before, &after, by) } else { None };
    let changes = changes(before.scored, after.scored, by);
    let remarks = measure.into_iter().chain(other_settings(&changes)).collect();
    Ok(Comparison { by, changes, remarks })
}

/// Warns if the runs had different settings: the scores may differ for that reason alone.
fn other_settings(changes: &[Change]) -> Option<Remark> {
    let differences: BTreeSet<&SettingDifference> =
        changes.iter().flat_map(|change| &change.settings).collect();
    let mut named: Vec<String> = differences.iter().take(NAMED).map(ToString::to_string).collect();
    if differences.len() > NAMED {
        named.push(format!("and {} more", differences.len() - NAMED));
    }
    (!named.is_empty()).then(|| {
        let named = named.join(", ");
        Remark::warning(format!(
            "the two runs have different settings ({named}): scores may differ on the same data"
        ))
    })
}

/// The settings of a dataset that affect its scores and differ. Files of earlier versions record only the scaling.
fn differences(before: &Scored, after: &Scored) -> Vec<SettingDifference> {
    let difference = |setting: &str, before: Option<&str>, after: Option<&str>| {
        let owned = |value: Option<&str>| value.map(str::to_owned);
        let found =
            SettingDifference { setting: setting.to_owned(), before: owned(before), after: owned(after) };
        (before != after).then_some(found)
    };
    if before.version.is_empty() || after.version.is_empty() {
        let [before, after] = [before.scale, after.scale].map(|scale| scale.to_string());
        return difference("scale", Some(&before), Some(&after)).into_iter().collect();
    }
    let names: BTreeSet<&str> =
        before.settings.0.keys().chain(after.settings.0.keys()).map(String::as_str).collect();
    let mut found: Vec<SettingDifference> = names
        .into_iter()
        .filter_map(|name| difference(name, before.settings.get(name), after.settings.get(name)))
        .collect();
    // The same settings may select another label column.
    if let [Some(before), Some(after)] = [before, after].map(label_name)
        && found.iter().all(|one| one.setting != "label")
    {
        found.extend(difference("label", Some(before), Some(after)));
    }
    found.extend(difference("version", Some(&before.version), Some(&after.version)));
    found
}

/// What the labels were read from.
fn label_name(scored: &Scored) -> Option<&str> {
    scored.label.as_ref().map(|label| label.name.as_str())
}

/// Whether points and labels are the same, if their fingerprints can tell.
fn same_data(before: &Scored, after: &Scored, settings: &[SettingDifference]) -> Option<bool> {
    let same = before.checksum == after.checksum;
    let read_alike = settings.iter().all(|one| AFTER_READING.contains(&one.setting.as_str()));
    (same || read_alike).then_some(same)
}

/// Warns if one of the rankings was made by another measure.
fn another_measure(before: &StoredScores, after: &StoredScores, by: &Measure) -> Option<Remark> {
    let said = [before, after].map(|one| Some((one.path.display().to_string(), one.by?.id)));
    let said: Vec<(String, &str)> = said.into_iter().flatten().collect();
    said.iter().any(|(_, id)| *id != by.id).then(|| {
        let said: Vec<String> = said.iter().map(|(path, id)| format!("{path} is ranked by {id}")).collect();
        let text = format!("{}; compared by {}", said.join(", "), by.id);
        Remark::warning(text).advise(Advice::ChooseComparedMeasure)
    })
}

/// The measure that all entries of a file name. Earlier versions recorded it only together with the place in the catalogue.
fn ranked_by(values: &[serde_json::Value]) -> Option<&'static Measure> {
    let named = |value: &serde_json::Value| {
        let id = value.get("by").or_else(|| value.get("standing")?.get("measure"));
        id.and_then(serde_json::Value::as_str).and_then(measure::find)
    };
    let by = named(values.first()?)?;
    values.iter().all(|value| named(value).is_some_and(|other| other.id == by.id)).then_some(by)
}

/// The requested measure, or else the measure of the later ranking, that of the earlier one, or the first of all, provided that
/// all datasets have it.
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

/// The datasets of the later ranking, best first, then those that only the earlier one has.
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
            let settings = old.map_or_else(Vec::new, |old| differences(&old.scored, &new.scored));
            let (before, after) = (old.map(side), side(new));
            Change {
                schema: SCHEMA,
                dataset: new.scored.dataset.clone(),
                by: by.id,
                change: before.as_ref().map(|before| difference(before.value, after.value)),
                before,
                after: Some(after),
                same_data: old.and_then(|old| same_data(&old.scored, &new.scored, &settings)),
                settings,
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
        settings: Vec::new(),
    }));
    changes
}

/// `after - before`, where equal values have the difference 0 even if they are infinite.
fn difference(before: f64, after: f64) -> f64 {
    if after == before { 0.0 } else { after - before }
}

#[cfg(test)]
mod tests;

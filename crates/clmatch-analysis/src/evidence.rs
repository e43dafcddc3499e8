//! What a verdict rests on besides the scores: classes that are several clusters, pairs that share one, the other scaling,
//! copies of the label.

use std::collections::BTreeMap;
use std::fmt;

use clmatch::diagnose::split_classes;
use clmatch::measure::find;
use clmatch::{Classes, Control, DataError, Evaluation, Labels, Singletons, Values, evaluate_with};
use clmatch_data::{Dataset, LabelCopy, Scale};
use serde::{Deserialize, Serialize};

use crate::remark::Remark;
use crate::scoring::ScoreSettings;
use crate::uncertainty::{Uncertainty, UncertaintySettings};

/// Two classes share one cluster if their pair scores less than this: for two Gaussians, at less than about two deviations apart.
pub(crate) const SHARED: f64 = 0.25;
/// Up to this many points, an interval is computed for the verdict even if none was requested.
const FEW_POINTS: usize = 1000;
/// Above this many points, no changes are tried out: each takes as long as the score.
const TRIED: usize = 20_000;
/// A feature with at most this many different values has few.
const FEW_VALUES: usize = 10;
/// Another scaling is better if it raises `clm` by at least this much.
const CLEARLY: f64 = 0.1;

/// What a verdict rests on besides the scores.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Classes that fall into clusters lying apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub split_classes: Vec<SplitClass>,
    /// The score when classes that share one cluster are merged; `None` if no classes do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Merged>,
    /// The score with the other scaling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rescaled: Option<Rescaled>,
    /// A 95% interval for `clm` where there are few points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Features that reveal the label.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub label_copies: Vec<LabelCopy>,
    /// The share of rows that equal another row; `None` where a file was read in blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub equal_rows: Option<f64>,
    /// Features with at most 10 different values.
    #[serde(default)]
    pub few_valued: usize,
}

/// A class that falls into clusters lying apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitClass {
    /// The class.
    pub class: String,
    /// The share of its points in each cluster, the largest first.
    pub shares: Vec<f64>,
    /// Whether there are enough points to be sure.
    pub certain: bool,
}

/// Displayed as one clause.
impl fmt::Display for SplitClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares: Vec<String> = self.shares.iter().map(|share| format!("{:.0}%", 100.0 * share)).collect();
        write!(f, "'{}' looks like {} clusters ({})", self.class, self.shares.len(), shares.join(", "))
    }
}

/// Classes that share a cluster, merged into one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merged {
    /// The classes of each group.
    pub groups: Vec<Vec<String>>,
    /// The score after merging; `None` if it was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clm: Option<f64>,
}

/// The score with another scaling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rescaled {
    /// The scaling.
    pub scale: Scale,
    /// The score.
    pub clm: f64,
    /// Classes that fall into clusters lying apart with this scaling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub split_classes: Vec<SplitClass>,
}

/// Gathers the evidence besides exact scores for a dataset that is already scaled.
///
/// # Errors
/// [`DataError::Stopped`] if `control` says so.
pub(crate) fn gather(
    dataset: &Dataset,
    as_read: AsRead,
    settings: &ScoreSettings,
    noise: Option<&str>,
    classes: &Classes<'_>,
    evaluation: &Evaluation,
    control: Control<'_>,
) -> Result<Evidence, DataError> {
    let (control, seed) = (control.quiet(), settings.uncertainty.seed);
    // An estimate is requested where exact scores take too long.
    let is_exact = settings.approximation.is_none();
    let tried = is_exact && classes.n_points() <= TRIED;
    Ok(Evidence {
        split_classes: split_classes_of(classes, seed, control)?,
        merged: merged(classes, evaluation, tried, control)?,
        rescaled: if tried {
            let (raw, how) = (as_read.values.as_ref(), (noise, settings.singletons));
            rescaled(dataset, raw, settings.scale, how, seed, control)?
        } else {
            None
        },
        // If intervals are requested, this one is among them.
        interval: if is_exact && !settings.uncertainty.intervals {
            interval(classes, evaluation, seed, control)?
        } else {
            None
        },
        label_copies: as_read.label_copies,
        equal_rows: Some(classes.repeated_points() as f64 / classes.n_points() as f64),
        few_valued: few_valued(classes),
    })
}

/// The classes that fall into clusters, with their names.
pub(crate) fn split_classes_of(
    classes: &Classes<'_>,
    seed: u64,
    control: Control<'_>,
) -> Result<Vec<SplitClass>, DataError> {
    let named = |found: clmatch::diagnose::SplitClass| SplitClass {
        class: classes.names()[found.class].clone(),
        shares: found.shares,
        certain: found.certain,
    };
    Ok(split_classes(classes, seed, control)?.into_iter().map(named).collect())
}

/// Classes that share one cluster, and the score after merging them.
fn merged(
    classes: &Classes<'_>,
    evaluation: &Evaluation,
    tried: bool,
    control: Control<'_>,
) -> Result<Option<Merged>, DataError> {
    let Some((_, score)) = evaluation.scores.iter().find(|(id, _)| *id == "clm") else { return Ok(None) };
    let mut group: Vec<usize> = (0..classes.n_classes()).collect();
    for ((a, b), _) in classes.pairs().zip(&score.pairs).filter(|(_, score)| **score < SHARED) {
        let (from, to) = (group[b], group[a]);
        // Merges at most as often as there are classes.
        if from == to {
            continue;
        }
        group.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
    }
    let mut members: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for (name, &of) in classes.names().iter().zip(&group) {
        members.entry(of).or_default().push(name.clone());
    }
    let left = members.len();
    let groups: Vec<Vec<String>> = members.into_values().filter(|names| names.len() > 1).collect();
    if groups.is_empty() {
        return Ok(None);
    }
    let mut clm = None;
    // If more than a third of the classes would go, merging is not a way to mend labels.
    if left > 1 && 3 * left >= 2 * classes.n_classes() && tried {
        let mut code_of = vec![u32::MAX; classes.points().n_points()];
        for (class, &of) in group.iter().enumerate() {
            classes.order()[classes.range(class)].iter().for_each(|&row| code_of[row] = of as u32);
        }
        clm = clm_of_groups(classes, &code_of, control)?;
    }
    Ok(Some(Merged { groups, clm }))
}

/// `clm` of the rows under other labels; rows without one are left out.
fn clm_of_groups(
    classes: &Classes<'_>,
    code_of: &[u32],
    control: Control<'_>,
) -> Result<Option<f64>, DataError> {
    const NONE: &str = "none";
    let name = |code: &u32| if *code == u32::MAX { NONE.to_owned() } else { format!("group {code}") };
    let labels = Labels::encode(code_of.iter().map(name));
    let noise = code_of.contains(&u32::MAX).then_some(NONE);
    let merged = Classes::with(classes.points().clone(), &labels, noise, Singletons::Keep)?;
    clm_of(&merged, control)
}

/// The score; `None` if it cannot be computed.
fn clm_of(classes: &Classes<'_>, control: Control<'_>) -> Result<Option<f64>, DataError> {
    let Some(clm) = find("clm") else { return Ok(None) };
    match evaluate_with(classes, &[clm], false, control) {
        Ok(evaluation) => Ok(evaluation.value("clm")),
        Err(DataError::Stopped) => Err(DataError::Stopped),
        Err(_) => Ok(None),
    }
}

/// What must be recorded of a dataset before it is scaled.
#[derive(Debug, Default)]
pub(crate) struct AsRead {
    /// The numbers, if scaling changes them and the other scaling is to be tried.
    values: Option<Values<'static>>,
    label_copies: Vec<LabelCopy>,
}

impl AsRead {
    pub(crate) fn of(dataset: &Dataset, settings: &ScoreSettings) -> AsRead {
        if settings.measures.iter().all(|measure| measure.id != "clm") {
            return AsRead::default();
        }
        let changed = settings.scale == Scale::Standard && dataset.n_points() <= TRIED;
        AsRead { values: changed.then(|| dataset.values().clone()), label_copies: dataset.label_copies() }
    }
}

/// The score, and the classes that are several clusters, with the catalogue's scaling that was not requested. `max-abs` changes
/// only the unit, so the numbers of a dataset scaled by it can be used as they are.
fn rescaled(
    dataset: &Dataset,
    raw: Option<&Values<'static>>,
    scale: Scale,
    (noise, singletons): (Option<&str>, Singletons),
    seed: u64,
    control: Control<'_>,
) -> Result<Option<Rescaled>, DataError> {
    let (scale, values) = match (scale, raw) {
        (Scale::MaxAbs, _) => (Scale::Standard, dataset.values()),
        (Scale::Standard, Some(raw)) => (Scale::MaxAbs, raw),
        _ => return Ok(None),
    };
    let (features, labels) = (dataset.features().to_vec(), dataset.labels().clone());
    let Ok(mut other) = Dataset::new(&dataset.name, features, values.clone(), labels) else {
        return Ok(None);
    };
    other.scale(scale);
    let Ok(classes) = Classes::with(other.points(), other.labels(), noise, singletons) else {
        return Ok(None);
    };
    let Some(clm) = clm_of(&classes, control)? else { return Ok(None) };
    let split_classes = split_classes_of(&classes, seed, control)?;
    Ok(Some(Rescaled { scale, clm, split_classes }))
}

/// The other scaling, if `clm` is clearly higher with it: clusterings and classifiers are likely to do better, too. `None` above
/// 20,000 points, where this takes long to compute, and for data scaled by `standard`, whose original numbers are no longer
/// known. The dataset is already scaled.
///
/// # Errors
/// [`DataError::Stopped`] if `control` says so.
pub(crate) fn better_scaled(
    dataset: &Dataset,
    scale: Scale,
    noise: Option<&str>,
    singletons: Singletons,
    clm: Option<f64>,
    control: Control<'_>,
) -> Result<Option<Rescaled>, DataError> {
    if dataset.n_points() > TRIED {
        return Ok(None);
    }
    let control = control.quiet();
    let clm = match (clm, Classes::with(dataset.points(), dataset.labels(), noise, singletons)) {
        (Some(clm), _) => Some(clm),
        (None, Ok(classes)) => clm_of(&classes, control)?,
        (None, Err(_)) => None,
    };
    let Some(clm) = clm else { return Ok(None) };
    let other = rescaled(dataset, None, scale, (noise, singletons), 0, control)?;
    Ok(other.filter(|other| other.clm >= clm + CLEARLY))
}

impl Rescaled {
    /// The remark if the other scaling is better.
    pub(crate) fn remark(&self) -> Remark {
        Remark::info(format!(
            "with --scale {} clm is {:.3}, clearly higher than it is now",
            self.scale, self.clm
        ))
    }
}

/// The interval of `clm`, if there are few points.
fn interval(
    classes: &Classes<'_>,
    evaluation: &Evaluation,
    seed: u64,
    control: Control<'_>,
) -> Result<Option<[f64; 2]>, DataError> {
    let Some(clm) = find("clm").filter(|_| classes.n_points() <= FEW_POINTS) else { return Ok(None) };
    let settings = UncertaintySettings { intervals: true, permutations: 0, seed };
    let found = Uncertainty::of(classes, &[clm], evaluation, settings, control)?;
    Ok(found.intervals.first().map(|interval| [interval.low, interval.high]))
}

/// How many features have few different values.
pub(crate) fn few_valued(classes: &Classes<'_>) -> usize {
    let (values, features) = (classes.points().values(), classes.points().n_features());
    let mut seen: Vec<(usize, Vec<f64>)> = (0..features).map(|feature| (feature, Vec::new())).collect();
    for row in classes.order() {
        seen.retain_mut(|(feature, seen)| {
            let value = values.get(row * features + *feature);
            if !seen.contains(&value) {
                seen.push(value);
            }
            seen.len() <= FEW_VALUES
        });
        if seen.is_empty() {
            break;
        }
    }
    seen.len()
}

#[cfg(test)]
mod tests;

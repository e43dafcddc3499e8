//! Datasets of the catalogue as scored ones, filtered.

use std::ops::RangeInclusive;

use clmatch::Measure;
use clmatch_data::catalogue::{Catalogue, Entry, Third};
use clmatch_data::catalogue_truth::{CatalogueTruth, TruthRow};
use clmatch_data::{Advice, Scale};

use crate::error::AnalysisError;
use crate::judging::attach_standing;
use crate::remark::Remark;
use crate::scored::{SCHEMA, Scored};
use crate::scores::Scores;

/// How many similar names advice lists.
const NAMED: usize = 5;
/// How many letters similar names share at their start.
const SIMILAR: usize = 3;

/// Which datasets of the catalogue to list.
#[derive(Debug, Clone, Default)]
pub struct CatalogueFilter {
    /// How their features are scaled: as in the paper, or all with the same weight.
    pub scale: Scale,
    /// The range of the number of classes.
    pub classes: Option<RangeInclusive<usize>>,
    /// The range of the number of points.
    pub points: Option<RangeInclusive<usize>>,
    /// The range of the number of features.
    pub features: Option<RangeInclusive<usize>>,
    /// Only datasets that score at least this by each measure.
    pub at_least: Vec<(&'static Measure, f64)>,
    /// Only the top third.
    pub top_third: bool,
}

impl CatalogueFilter {
    /// The datasets that pass the filter, placed in the catalogue by a measure.
    pub fn datasets(&self, by: &Measure) -> Vec<Scored> {
        let Some(catalogue) = Catalogue::scaled(self.scale) else { return Vec::new() };
        let entries = catalogue.entries.iter().filter(|entry| self.fits(entry));
        let mut datasets: Vec<Scored> = entries.map(|entry| self.scored(catalogue, entry)).collect();
        datasets.iter_mut().for_each(|dataset| attach_standing(dataset, by));
        datasets.retain(|dataset| self.passes(dataset));
        datasets
    }

    fn fits(&self, entry: &Entry) -> bool {
        let counts =
            [(&self.classes, entry.classes), (&self.points, entry.points), (&self.features, entry.features)];
        counts.into_iter().all(|(range, count)| range.as_ref().is_none_or(|range| range.contains(&count)))
    }

    fn passes(&self, dataset: &Scored) -> bool {
        let value = |measure: &Measure| dataset.scores.get(measure.id).unwrap_or(f64::NAN);
        let reaches = self.at_least.iter().all(|(measure, bar)| !measure.prefers(*bar, value(measure)));
        let top = dataset.standing.as_ref().is_some_and(|standing| standing.third == Third::Top);
        reaches && (top || !self.top_third)
    }

    fn scored(&self, catalogue: &Catalogue, entry: &Entry) -> Scored {
        Scored {
            schema: SCHEMA.to_owned(),
            dataset: entry.name.clone(),
            points: entry.points,
            features: entry.features,
            classes: entry.classes,
            scale: self.scale,
            checksum: entry.checksum.clone(),
            scores: Scores(catalogue.measures.iter().cloned().zip(entry.scores.iter().copied()).collect()),
            ..Scored::default()
        }
    }
}

/// A dataset of the catalogue by its name, with each scaling that has a catalogue.
///
/// # Errors
/// A name that the catalogue does not have; the advice names similar ones.
pub fn catalogued(name: &str) -> Result<Vec<Scored>, AnalysisError> {
    let with = |scale: Scale| {
        let catalogue = Catalogue::scaled(scale)?;
        let entry = catalogue.entries.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))?;
        Some(CatalogueFilter { scale, ..CatalogueFilter::default() }.scored(catalogue, entry))
    };
    let found: Vec<Scored> = Scale::ALL.into_iter().filter_map(|(_, scale)| with(scale)).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let lower = name.to_ascii_lowercase();
    let start: String = lower.chars().take(SIMILAR).collect();
    let known = || Catalogue::embedded().entries.iter().map(|entry| entry.name.as_str());
    let mut similar: Vec<&str> =
        known().filter(|known| known.to_ascii_lowercase().contains(&lower)).collect();
    if similar.is_empty() || lower.is_empty() {
        similar = known().filter(|known| known.to_ascii_lowercase().starts_with(&start)).collect();
    }
    similar.truncate(NAMED);
    let advice = if similar.is_empty() || lower.is_empty() {
        "without a name all of them are listed".to_owned()
    } else {
        format!("similar names are {}", similar.join(", "))
    };
    Err(AnalysisError::unfit(format!("the catalogue has no dataset '{name}'"), Advice::from(advice)))
}

/// The technique that reaches most on a catalogued dataset by each external measure: measure, technique, score.
pub fn best_techniques(name: &str) -> Vec<(&'static str, &'static str, f64)> {
    let truth = CatalogueTruth::embedded();
    let of = |row: &'static TruthRow| {
        let scores = truth.techniques.iter().zip(&row.scores);
        let (technique, score) = scores.max_by(|a, b| a.1.total_cmp(b.1))?;
        Some((row.external.as_str(), technique.as_str(), *score))
    };
    truth.rows.iter().filter(|row| row.dataset == name).filter_map(of).collect()
}

/// The remark if a filter leaves nothing: it says which datasets there are.
pub fn nothing_matches() -> Remark {
    let entries = &Catalogue::embedded().entries;
    let span = |count: fn(&Entry) -> usize| {
        let (least, most) = (entries.iter().map(count).min(), entries.iter().map(count).max());
        format!("{} to {}", least.unwrap_or_default(), most.unwrap_or_default())
    };
    let spans = format!(
        "they have {} classes, {} points and {} features",
        span(|entry| entry.classes),
        span(|entry| entry.points),
        span(|entry| entry.features)
    );
    Remark::warning(format!("none of the {} catalogued datasets matches", entries.len())).advise(spans.into())
}

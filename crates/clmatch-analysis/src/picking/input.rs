//! What a benchmark is chosen from: scored datasets with verdicts, and the scores of techniques on them.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::path::Path;

use clmatch::Measure;
use clmatch::measure::{Kind, REGISTRY, find};
use clmatch_data::Advice;
use clmatch_data::catalogue::{Catalogue, DISTRIBUTED};
use clmatch_data::catalogue_truth::CatalogueTruth;
use clmatch_truth::results::{self, MethodScore, Results, Sheet, TableError, best};

use super::{BenchmarkDataset, BenchmarkSettings};
use crate::catalogued::CatalogueFilter;
use crate::comparison::StoredScores;
use crate::error::AnalysisError;
use crate::judging::attach_verdict;
use crate::ranking_stability::external;
use crate::remark::Remark;
use crate::scored::{SCHEMA, Scored};
use crate::scores::{FEWEST_POINTS, Scores};
use crate::source::Document;
use crate::verdict::AcceptedVerdict;

/// How many names a sentence lists.
const NAMED: usize = 5;

/// A valid dataset, and the scores that techniques reach on it.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) scored: Scored,
    pub(super) score: f64,
    pub(super) techniques: Vec<f64>,
}

/// Everything that was read.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub(super) by: &'static Measure,
    pub(super) external: Option<String>,
    pub(super) methods: Vec<String>,
    pub(super) ranked: usize,
    pub(super) valid: usize,
    pub(super) candidates: Vec<Candidate>,
    pub(super) remarks: Vec<Remark>,
}

impl Input {
    pub(super) fn read(settings: &BenchmarkSettings) -> Result<Input, AnalysisError> {
        let ranking = match &settings.ranking {
            Some(document) => ranking(document, settings.by)?,
            None => catalogued(settings.by.or_else(|| find("clm"))),
        };
        let RankedDatasets { by, mut scored, mut remarks } = ranking;
        refuse_standard(by)?;
        refuse_twins(&scored)?;
        let ranked = scored.len();
        scored.retain(|one| accepts(settings, one));
        let valid = scored.len();
        let count = settings.pick.count;
        if valid < count {
            let what = format!(
                "{valid} of the {ranked} datasets {} by {}, and {count} are wanted",
                accepted_in_words(settings.accept, valid),
                by.id
            );
            return Err(AnalysisError::unfit(what, Advice::PickFewerOrAcceptMore));
        }
        let (external, results) = truth(settings)?;
        let names: Vec<String> = scored.iter().map(|one| name_in_truth(one, settings)).collect();
        let missing: Vec<String> =
            names.iter().filter(|name| results.place(name).is_none()).cloned().collect();
        if !missing.is_empty() {
            remarks.push(without_truth(&missing, valid, count)?);
        }
        let candidates = scored.into_iter().zip(&names).filter_map(|(scored, name)| {
            let techniques = results.scores[results.place(name)?].clone();
            Some(Candidate { score: scored.scores.get(by.id)?, scored, techniques })
        });
        let candidates = candidates.collect();
        Ok(Input { by, external, methods: results.methods, ranked, valid, candidates, remarks })
    }

    /// Orders the better score first, then by name.
    pub(super) fn better_first(&self, a: &Candidate, b: &Candidate) -> Ordering {
        let upward = |one: &Candidate| self.by.upward(one.score);
        upward(b).total_cmp(&upward(a)).then_with(|| a.scored.dataset.cmp(&b.scored.dataset))
    }

    pub(super) fn described(&self, one: &Candidate, catalogued: bool) -> BenchmarkDataset {
        let best_score = best(&one.techniques);
        let at_the_top = self.methods.iter().zip(&one.techniques).filter(|(_, score)| **score == best_score);
        BenchmarkDataset {
            dataset: one.scored.dataset.clone(),
            points: one.scored.points,
            features: one.scored.features,
            classes: one.scored.classes,
            score: one.score,
            verdict: one.scored.verdict.as_ref().map_or_else(String::new, |verdict| verdict.decision.brief()),
            best: at_the_top.map(|(method, _)| method.clone()).collect(),
            best_score,
            source: if catalogued { Some(DISTRIBUTED.to_owned()) } else { one.scored.path.clone() },
        }
    }
}

/// Scored datasets with verdicts by one measure.
struct RankedDatasets {
    by: &'static Measure,
    scored: Vec<Scored>,
    remarks: Vec<Remark>,
}

fn accepts(settings: &BenchmarkSettings, one: &Scored) -> bool {
    if one.scores.get("clm").is_none() {
        return one.standing.as_ref().is_some_and(|standing| settings.accept.accepts_third(standing.third));
    }
    one.verdict.as_ref().is_some_and(|verdict| settings.accept.accepts(&verdict.decision))
}

fn accepted_in_words(accept: AcceptedVerdict, count: usize) -> &'static str {
    match (accept, count == 1) {
        (AcceptedVerdict::Fit, true) => "is fit",
        (AcceptedVerdict::Fit, false) => "are fit",
        (AcceptedVerdict::FitAfterChange, true) => "is fit, or fit after a change,",
        (AcceptedVerdict::FitAfterChange, false) => "are fit, or fit after a change,",
        (AcceptedVerdict::CannotBeSaid, true) => "is not called unfit",
        (AcceptedVerdict::CannotBeSaid, false) => "are not called unfit",
    }
}

fn refuse_standard(by: &Measure) -> Result<(), AnalysisError> {
    if by.kind == Kind::Standard {
        let what = format!("{} is a standard measure, which cannot be compared between datasets", by.id);
        return Err(AnalysisError::unfit(what, Advice::ChooseComparedMeasure));
    }
    Ok(())
}

fn refuse_twins(scored: &[Scored]) -> Result<(), AnalysisError> {
    let mut seen = BTreeSet::new();
    match scored.iter().find(|one| !seen.insert(one.dataset.as_str())) {
        Some(twin) => {
            let what = format!("{} is in the ranking twice", twin.dataset);
            Err(AnalysisError::unfit(what, Advice::from("keep one of each name")))
        }
        None => Ok(()),
    }
}

/// The catalogue; it holds no pairs of classes, but the size of the smallest class.
fn catalogued(by: Option<&'static Measure>) -> RankedDatasets {
    let by = by.unwrap_or(REGISTRY[0]);
    let truth = CatalogueTruth::embedded();
    let mut scored = CatalogueFilter::default().datasets(by);
    for one in &mut scored {
        attach_verdict(one, by);
        let smallest = truth.smallest_class(&one.dataset);
        if smallest.is_none_or(|points| points < FEWEST_POINTS) {
            one.verdict = None;
        }
    }
    let text = "the catalogue knows no pairs of classes: its datasets are judged by their scores and their smallest class, and their classes are not searched for clusters";
    RankedDatasets { by, scored, remarks: vec![Remark::info(text)] }
}

fn ranking(document: &Document, by: Option<&'static Measure>) -> Result<RankedDatasets, AnalysisError> {
    let Document { name: path, text } = document;
    let is_json = text.trim_start().starts_with(['{', '[']);
    let (scored, ranked_by) = if is_json {
        let stored = StoredScores::of(document)?;
        (stored.scored, stored.by)
    } else {
        (scores_of(text).map_err(|error| AnalysisError::table(path, error))?, None)
    };
    let everywhere = |id: &str| scored.iter().all(|one| one.scores.get(id).is_some());
    let candidates = match by {
        Some(by) => vec![by],
        None => ranked_by.into_iter().chain(REGISTRY.iter().copied()).collect(),
    };
    let Some(by) = candidates.into_iter().find(|measure| everywhere(measure.id)) else {
        let what = by.map_or_else(|| "any measure".to_owned(), |by| by.id.to_owned());
        let what = format!("{}: not every dataset has a score by {what}", path.display());
        return Err(AnalysisError::unfit(what, Advice::ChooseComparedMeasure));
    };
    let mut scored = scored;
    scored.iter_mut().for_each(|one| attach_verdict(one, by));
    let mut remarks = Vec::new();
    if !is_json {
        let text = "the ranking is a table of scores, without sizes and pairs of classes: verdicts follow from the scores";
        remarks.push(Remark::info(text).advise(Advice::RankAsJson));
    }
    Ok(RankedDatasets { by, scored, remarks })
}

/// The datasets of a table written by `rank`; those that failed have no rank.
fn scores_of(text: &str) -> Result<Vec<Scored>, TableError> {
    let sheet = Sheet::read(text)?;
    let dataset = sheet.needed(&["dataset"])?;
    let counts = [sheet.needed(&["points"])?, sheet.needed(&["features"])?, sheet.needed(&["classes"])?];
    let measures: Vec<(&str, usize)> =
        REGISTRY.iter().filter_map(|measure| Some((measure.id, sheet.column(&[measure.id])?))).collect();
    let mut found = Vec::new();
    for (line, cells) in sheet.rows() {
        if counts.iter().all(|&column| cells[column].is_empty()) {
            continue;
        }
        let count = |column: usize| {
            cells[column].parse::<usize>().map_err(|_| {
                let what = format!("'{}' is no count", cells[column]);
                TableError::new(Some(line), what, "write whole numbers of points, features and classes")
            })
        };
        let score = |&(id, column): &(&str, usize)| {
            let infinite = cells[column].parse().ok().filter(|number: &f64| number.is_infinite());
            let number = infinite.map_or_else(|| sheet.number(line, cells, column), Ok)?;
            Ok((id.to_owned(), number))
        };
        let scores = measures.iter().map(score).collect::<Result<_, TableError>>()?;
        found.push(Scored {
            schema: SCHEMA.to_owned(),
            dataset: cells[dataset].clone(),
            points: count(counts[0])?,
            features: count(counts[1])?,
            classes: count(counts[2])?,
            scores: Scores(scores),
            ..Scored::default()
        });
    }
    Ok(found)
}

/// The scores of techniques, and the external measure of these scores.
fn truth(settings: &BenchmarkSettings) -> Result<(Option<String>, Results), AnalysisError> {
    let catalogued = Path::new("the ground truth of the catalogue");
    let path = settings.truth.as_ref().map_or(catalogued, |document| &document.name);
    let refuse = |error| AnalysisError::table(path, error);
    let rows = match &settings.truth {
        Some(document) => results::read(&document.text).map_err(refuse)?,
        None => catalogue_rows(),
    };
    let external = external(path, settings.external.as_deref(), &results::externals(&rows))?;
    let results = Results::new(&rows, external.as_deref(), &settings.techniques).map_err(refuse)?;
    Ok((external, results))
}

/// The ground truth of the catalogue in the form of a table that was read.
fn catalogue_rows() -> Vec<MethodScore> {
    let truth = CatalogueTruth::embedded();
    let of_row = |row: &'static clmatch_data::catalogue_truth::TruthRow| {
        truth.techniques.iter().zip(&row.scores).map(|(method, &score)| MethodScore {
            dataset: row.dataset.clone(),
            method: method.clone(),
            external: Some(row.external.clone()),
            score,
            seconds: None,
        })
    };
    truth.rows.iter().flat_map(of_row).collect()
}

/// The name of a dataset in the table of techniques: its own name or, in the catalogue, the name of the dataset with the same
/// points.
fn name_in_truth(one: &Scored, settings: &BenchmarkSettings) -> String {
    let catalogued = Catalogue::embedded().find(&one.checksum).filter(|_| settings.truth.is_none());
    catalogued.map_or_else(|| one.dataset.clone(), |entry| entry.name.clone())
}

/// Says which valid datasets cannot be chosen, or returns an error if too few are left.
fn without_truth(missing: &[String], valid: usize, count: usize) -> Result<Remark, AnalysisError> {
    let mut named: Vec<&str> = missing.iter().take(NAMED).map(String::as_str).collect();
    let more = format!("and {} more", missing.len().saturating_sub(NAMED));
    if missing.len() > NAMED {
        named.push(&more);
    }
    let named = named.join(", ");
    let left = valid - missing.len();
    if left < count {
        let what = format!(
            "{left} of the {valid} valid datasets have scores of techniques, and {count} are wanted; there are none of {named}"
        );
        return Err(AnalysisError::unfit(what, Advice::ComputeTruth));
    }
    let text = format!(
        "{} of the {valid} valid datasets cannot be chosen, because there are no scores of techniques: {named}",
        missing.len()
    );
    Ok(Remark::warning(text).advise(Advice::ComputeTruth))
}

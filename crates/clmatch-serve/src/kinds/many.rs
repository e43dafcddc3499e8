//! Jobs about several datasets.

use std::collections::BTreeMap;
use std::sync::Arc;

use clmatch_analysis::AnalysisError;
use clmatch_analysis::deciding;
use clmatch_analysis::rank::{RankSettings, rank as rank_datasets};
use clmatch_analysis::ranking::FailedDataset;
use clmatch_analysis::representations::{CompareSettings, compare_datasets};
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_kernels::Control;
use clmatch_render::pages::ranking::{self, RankingView};
use clmatch_render::pages::{Section, site};

use super::one::{forget_limit, forget_unused_limit, score_settings};
use super::{Asked, JobKind, Takes, outcome};
use crate::datasets::HeldDataset;
use crate::jobs::{JobOutcome, WorkError};
use crate::parameters::{BY, MEASURES, READING, SEED, UNCERTAINTY};
use crate::problem::ApiProblem;

pub(super) const RANK: JobKind = JobKind {
    id: "rank",
    about: "Which datasets match best?",
    takes: Takes::Several(1),
    parameters: &[READING, MEASURES, BY, UNCERTAINTY, SEED],
    schema: Some("score"),
    array: true,
    matrices: 3,
    plan: |asked| {
        let score = ScoreSettings { try_standard: false, ..score_settings(&asked, false)? };
        let by = asked.given.measure("by").or_else(|| deciding::headline(&score.measures));
        let by = by.ok_or_else(|| ApiProblem::bad_request("at least one measure is needed"))?;
        // Memory is reserved for one dataset only.
        let settings = RankSettings { score, by, one_by_one: true };
        Ok(Box::new(move |control| rank(&asked, &settings, control)))
    },
};

pub(super) const COMPARE: JobKind = JobKind {
    id: "compare",
    about: "The same rows in several representations: which one separates the classes best?",
    takes: Takes::Several(2),
    parameters: &[READING, MEASURES, SEED],
    schema: Some("compare"),
    array: false,
    matrices: 3,
    plan: |asked| {
        let score = ScoreSettings { try_standard: false, ..score_settings(&asked, false)? };
        let settings = CompareSettings { score, label_of: None, seed: asked.given.seed() };
        Ok(Box::new(move |control| compare(&asked, &settings, control)))
    },
};

fn rank(asked: &Asked, settings: &RankSettings, control: Control<'_>) -> Result<JobOutcome, WorkError> {
    let mut links = BTreeMap::new();
    let datasets: Vec<&HeldDataset> = asked.datasets.iter().map(Arc::as_ref).collect();
    let mut ranking = rank_datasets(&datasets, settings, control, &mut |step| {
        if let (Ok(finished), Some(id)) = (step.result, &step.dataset.id) {
            links.insert(finished.scored.dataset.clone(), format!("/datasets/{id}"));
        }
        control.report(&step.dataset.name, step.done, step.of);
    })
    .map_err(AnalysisError::from)?;
    ranking.ranked.iter_mut().for_each(|ranked| forget_unused_limit(&mut ranked.scored));
    let why = |failed: &FailedDataset| {
        let problem = ApiProblem::from(&failed.error);
        let help = problem.help.map(|help| format!("; {help}")).unwrap_or_default();
        (failed.dataset.clone(), format!("{}{help}", problem.error))
    };
    let failed: Vec<(String, String)> = ranking.failed.iter().map(why).collect();
    let origin = asked.origin(Section::Datasets, asked.command(&RANK, &[]));
    let view =
        RankingView { ranking: &ranking, catalogue: false, failed: &failed, links: &links, origin: &origin };
    let page = ranking::page(&view)?;
    Ok(outcome(&ranking.entries(ToString::to_string), Some(page)))
}

fn compare(asked: &Asked, settings: &CompareSettings, control: Control<'_>) -> Result<JobOutcome, WorkError> {
    let mut datasets = Vec::with_capacity(asked.datasets.len());
    for held in &asked.datasets {
        control.check().map_err(AnalysisError::from)?;
        let mut dataset = held.read_within(&settings.score.read, settings.score.memory_limit)?;
        // Two uploads may have the same name; their ids distinguish them.
        let is_shared = asked.datasets.iter().filter(|other| other.name == held.name).count() > 1;
        if let Some(id) = held.id.as_ref().filter(|_| is_shared) {
            dataset.name = format!("{} ({id})", dataset.name);
        }
        datasets.push(dataset);
    }
    let (mut found, _) = compare_datasets(datasets, settings, control)?;
    forget_limit(&mut found.settings);
    let origin = asked.origin(Section::Datasets, asked.command(&COMPARE, &[]));
    Ok(outcome(&found, Some(site::comparison_page(&found, &origin)?)))
}

//! Jobs about one dataset.

use std::time::Duration;

use bytes::Bytes;
use clmatch::improve::Options;
use clmatch_analysis::Scored;
use clmatch_analysis::deciding;
use clmatch_analysis::explanation::{ExplainSettings, explain_with};
use clmatch_analysis::improvement::{ImproveSettings, search_features};
use clmatch_analysis::judging::attach_verdict;
use clmatch_analysis::report_data::{ReportSettings, ViewSettings, report_with};
use clmatch_analysis::resume::Settings;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::source::UnreadDataset;
use clmatch_analysis::streamed::read_and_score;
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_data::ReadOptions;
use clmatch_kernels::Control;
use clmatch_render::pages::command_line::ActionPlace;
use clmatch_render::pages::dataset::{self, DatasetView};
use clmatch_render::pages::{Section, site};

use super::{Asked, JobKind, Takes, outcome};
use crate::jobs::{JobOutcome, WorkError};
use crate::parameters::{Given, MEASURES, Parameter, ParameterKind, READING, SEED, SHOW, UNCERTAINTY};
use crate::problem::ApiProblem;

/// How many random labellings a report compares with; the command uses the same number.
const LABELLINGS: u64 = 99;

pub(super) const SCORE: JobKind = JobKind {
    id: "score",
    about: "How well do the labels match the clusters?",
    takes: Takes::One,
    parameters: &[READING, MEASURES, UNCERTAINTY, SEED],
    schema: Some("score"),
    array: false,
    matrices: 3,
    plan: |asked| {
        let settings = score_settings(&asked, false)?;
        Ok(Box::new(move |control| score(&asked, &settings, control)))
    },
};

pub(super) const EXPLAIN: JobKind = JobKind {
    id: "explain",
    about: "Which classes overlap, which are several clusters, which points look mislabelled, and what would help?",
    takes: Takes::One,
    parameters: &[READING, SHOW, SEED],
    schema: Some("explain"),
    array: false,
    matrices: 4,
    plan: |asked| Ok(Box::new(move |control| explain(&asked, control))),
};

pub(super) const IMPROVE: JobKind = JobKind {
    id: "improve",
    about: "Which features, or weights on them, raise the score?",
    takes: Takes::One,
    parameters: &[READING, SEARCH, SEED],
    schema: Some("improve"),
    array: false,
    matrices: 4,
    plan: |asked| Ok(Box::new(move |control| improve(&asked, control))),
};

pub(super) const REPORT: JobKind = JobKind {
    id: "report",
    about: "Scores, pictures and explanation of a dataset, as a page.",
    takes: Takes::One,
    parameters: &[READING, SHOW, MEASURES, SEED],
    schema: None,
    array: false,
    matrices: 5,
    plan: |asked| {
        let mut settings = score_settings(&asked, true)?;
        settings.read.show = Some(asked.given.list("show"));
        let seed = asked.given.seed();
        let settings = ReportSettings { score: settings, seed, views: ViewSettings::default() };
        Ok(Box::new(move |control: Control<'_>| report(&asked, &settings, control)))
    },
};

/// How features are searched for.
const SEARCH: &[Parameter] = &[
    Parameter {
        name: "method",
        kind: ParameterKind::OneOf(&["auto", "random", "greedy", "weights"]),
        about: "How to search.",
    },
    Parameter {
        name: "objective",
        kind: ParameterKind::OneOf(&["ch_a", "ch_c", "db_c", "clm", "sc_a"]),
        about: "The measure to raise.",
    },
    Parameter {
        name: "budget",
        kind: ParameterKind::Number(0.1, 3600.0),
        about: "Seconds that the search may take.",
    },
];

/// How a dataset is scored. A report always has intervals and random labels.
pub(super) fn score_settings(asked: &Asked, report: bool) -> Result<ScoreSettings, ApiProblem> {
    let given = &asked.given;
    let measures = given.measures(given.measure("by"));
    if measures.is_empty() {
        return Err(ApiProblem::bad_request("at least one measure is needed"));
    }
    let permutations = if report { LABELLINGS } else { given.whole("null").unwrap_or(0) } as usize;
    let intervals = report || given.flag("ci").unwrap_or(false);
    Ok(ScoreSettings {
        read: given.read_options(asked.matrix_limit),
        scale: given.scale(),
        noise: given.noise(),
        singletons: given.singletons(),
        uncertainty: UncertaintySettings { intervals, permutations, seed: given.seed() },
        memory_limit: Some(asked.tables_limit),
        try_standard: !report,
        ..ScoreSettings::new(measures)
    })
}

/// Forgets the limit of this server: it determines whether a dataset is read, not how it scores.
pub(super) fn forget_limit(settings: &mut Settings) {
    settings.0.remove("memory");
}

/// Like [`forget_limit`], for a dataset that may have been read in blocks, which depends on the limit.
pub(super) fn forget_unused_limit(scored: &mut Scored) {
    if scored.streamed.is_none() {
        forget_limit(&mut scored.settings);
    }
}

fn score(asked: &Asked, settings: &ScoreSettings, control: Control<'_>) -> Result<JobOutcome, WorkError> {
    let mut scored = read_and_score(asked.dataset(), settings, control)?.scored;
    forget_unused_limit(&mut scored);
    if let Some(judge) = deciding::judge(&settings.measures) {
        attach_verdict(&mut scored, judge);
    }
    let origin = asked.origin(Section::Datasets, asked.command(&SCORE, &[]));
    Ok(outcome(&scored, Some(site::scored_page(&scored, &origin)?)))
}

fn explain(asked: &Asked, control: Control<'_>) -> Result<JobOutcome, WorkError> {
    let given = &asked.given;
    let settings = ExplainSettings {
        read: ReadOptions { show: Some(given.list("show")), ..given.read_options(asked.matrix_limit) },
        scale: given.scale(),
        noise: given.noise(),
        singletons: given.singletons(),
        seed: given.seed(),
    };
    let found = explain_with(asked.read(&settings.read)?, &settings, control)?;
    Ok(outcome(&found.explained, None))
}

fn improve(asked: &Asked, control: Control<'_>) -> Result<JobOutcome, WorkError> {
    let given = &asked.given;
    let settings = ImproveSettings {
        read: given.read_options(asked.matrix_limit),
        scale: given.scale(),
        noise: given.noise(),
        singletons: given.singletons(),
        search: search_options(given),
    };
    let mut dataset = asked.read(&settings.read)?;
    dataset.scale(settings.scale);
    let found = search_features(&dataset, &settings, control)?;
    let origin = asked.origin(Section::Datasets, asked.command(&IMPROVE, &["-o", "OUT"]));
    Ok(outcome(&found.improved, Some(site::improvement_page(&found.improved, &origin)?)))
}

fn search_options(given: &Given) -> Options {
    let usual = Options::default();
    // The names were checked against the same lists.
    Options {
        method: given.text("method").and_then(|name| name.parse().ok()).unwrap_or(usual.method),
        objective: given.text("objective").and_then(|id| id.parse().ok()).unwrap_or(usual.objective),
        budget: given.number("budget").map(Duration::from_secs_f64).or(usual.budget),
        seed: given.seed(),
        ..usual
    }
}

fn report(asked: &Asked, settings: &ReportSettings, control: Control<'_>) -> Result<JobOutcome, WorkError> {
    let mut report = report_with(asked.read(&settings.score.read)?, settings, control)?;
    forget_limit(&mut report.scored.settings);
    let path = asked.dataset().path();
    report.scored.path =
        asked.dataset().source().filter(|source| !source.is_embedded()).map(|_| path.clone());
    let place =
        ActionPlace { file: path, options: asked.given.words(&[READING]), seed: settings.seed, points: None };
    let commands = place.commands(&report.explained.actions);
    let origin = asked.origin(Section::Datasets, asked.command(&REPORT, &["-o", "report.html"]));
    let suggested = place.suggested();
    let page = |origin: &clmatch_render::pages::Origin| {
        let view = DatasetView { report: &report, commands: &commands, suggested: &suggested, origin };
        dataset::page(&view)
    };
    let html = page(&origin)?;
    // A downloaded page stands alone.
    let alone = clmatch_render::pages::Origin { site: None, ..origin };
    let file = page(&alone)?;
    Ok(JobOutcome {
        content_type: "text/html; charset=utf-8",
        body: Bytes::from(file),
        page: Some(Bytes::from(html)),
    })
}

//! The pages that people read.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use clmatch::measure::{REGISTRY, defaults, find};
use clmatch_data::catalogue_truth::CatalogueTruth;
use clmatch_data::embedded;
use clmatch_render::pages::ranking::{self, RankingView};
use clmatch_render::pages::site::{self, DatasetRow, HeldView, HomeView, Notice, ResultLink};
use clmatch_render::pages::{COLUMNS_SCRIPT, SCRIPT, SITE_SCRIPT, SITE_STYLE, STYLE, Section, sentence};

use crate::api::{self, Name};
use crate::datasets::{DatasetOrigin, HeldDataset};
use crate::jobs::{Job, JobState};
use crate::memory::human;
use crate::openapi;
use crate::problem::ApiProblem;
use crate::state::{App, catalogue};

/// How many results a list shows.
const SHOWN: usize = 30;
/// The size in bytes from which on a page does not read a dataset on its own.
const LARGE: u64 = 200_000_000;
const HTML: &str = "text/html; charset=utf-8";

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/", get(home))
        .route("/catalogue", get(show_catalogue))
        .route("/catalogue/{name}", get(catalogued))
        .route("/benchmark", get(benchmark))
        .route("/datasets/{id}", get(held))
        .route("/jobs/{id}", get(result))
        .route("/api", get(api_page))
        .route("/assets/{name}", get(asset))
}

fn html(body: impl IntoResponse) -> Response {
    ([(header::CONTENT_TYPE, HTML)], body).into_response()
}

/// A page, or a page that explains why there is none.
fn page(app: &App, made: Result<String, ApiProblem>) -> Response {
    made.map_or_else(|problem| problem_page(app, &problem), html)
}

fn problem_page(app: &App, problem: &ApiProblem) -> Response {
    problem_page_about(app, problem, None)
}

/// A page about a problem with a dataset, whose page shows what to change.
fn problem_page_about(app: &App, problem: &ApiProblem, dataset: Option<&str>) -> Response {
    let held = dataset.map(|id| (format!("/datasets/{id}"), "Its columns and options".to_owned()));
    let notice = Notice {
        eyebrow: problem.status.canonical_reason().unwrap_or("A problem"),
        title: sentence(&problem.error),
        lead: problem.help.iter().map(|help| sentence(help)).collect(),
        links: held.into_iter().chain([("/".to_owned(), "All datasets".to_owned())]).collect(),
        ..Notice::default()
    };
    let origin = app.origin(Section::Datasets, None, String::new());
    match site::notice_page(notice, &origin) {
        Ok(page) => problem.respond_with(HTML, page),
        Err(_) => problem.clone().into_response(),
    }
}

/// Answers an unknown address: JSON for programs, a page for people.
pub(crate) async fn nothing_here(State(app): State<App>, uri: Uri) -> Response {
    let problem = ApiProblem::not_found("there is nothing at this address")
        .help("/api lists the addresses that there are");
    if uri.path().starts_with("/api/") { problem.into_response() } else { problem_page(&app, &problem) }
}

async fn asset(State(app): State<App>, name: Name) -> Response {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let (kind, text) = match name.as_str() {
        "page.css" => ("text/css; charset=utf-8", STYLE),
        "site.css" => ("text/css; charset=utf-8", SITE_STYLE),
        "page.js" => ("text/javascript; charset=utf-8", SCRIPT),
        "columns.js" => ("text/javascript; charset=utf-8", COLUMNS_SCRIPT),
        "site.js" => ("text/javascript; charset=utf-8", SITE_SCRIPT),
        _ => return problem_page(&app, &ApiProblem::not_found("there is no such asset")),
    };
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

fn link(job: &Job) -> ResultLink {
    ResultLink {
        address: format!("/jobs/{}", job.id),
        title: job.subject.title.clone(),
        state: job.state().name(),
    }
}

fn origin_in_words(origin: DatasetOrigin) -> &'static str {
    match origin {
        DatasetOrigin::Given => "command line",
        DatasetOrigin::Embedded => "comes with clmatch",
        DatasetOrigin::Uploaded => "uploaded",
    }
}

fn size(dataset: &HeldDataset) -> String {
    if dataset.bytes == 0 { String::new() } else { human(dataset.bytes) }
}

/// The jobs that people asked for, newest first; pages ask for inspections themselves.
fn asked_for(app: &App) -> Vec<Arc<Job>> {
    app.jobs.all().into_iter().filter(|job| job.subject.kind != "inspect").collect()
}

async fn home(State(app): State<App>) -> Response {
    let jobs = asked_for(&app);
    let row = |dataset: &Arc<HeldDataset>| {
        let done =
            |job: &&Arc<Job>| job.subject.dataset == dataset.id && matches!(job.state(), JobState::Done(_));
        let about = embedded::about(&dataset.name).filter(|_| dataset.origin == DatasetOrigin::Embedded);
        DatasetRow {
            id: dataset.id.clone().unwrap_or_default(),
            name: dataset.name.clone(),
            about: about.unwrap_or_default().to_owned(),
            origin: origin_in_words(dataset.origin),
            size: size(dataset),
            result: jobs
                .iter()
                .find(done)
                .map(|job| ResultLink { title: job.subject.kind.to_owned(), ..link(job) }),
        }
    };
    let view = HomeView {
        datasets: app.datasets.all().iter().map(row).collect(),
        results: jobs.iter().take(SHOWN).map(|job| link(job)).collect(),
        largest: human(app.settings.max_upload),
        largest_bytes: app.settings.max_upload,
    };
    let origin = app.origin(Section::Datasets, None, "clmatch serve".to_owned());
    page(&app, site::home_page(&view, &origin).map_err(ApiProblem::from))
}

async fn held(State(app): State<App>, name: Name) -> Response {
    let made = api::dataset(&app, name).and_then(|dataset| {
        let jobs = asked_for(&app);
        let own = jobs.iter().filter(|job| job.subject.dataset == dataset.id);
        let view = HeldView {
            id: dataset.id.clone().unwrap_or_default(),
            name: dataset.name.clone(),
            origin: origin_in_words(dataset.origin),
            size: size(&dataset),
            is_large: dataset.bytes > LARGE,
            can_forget: dataset.origin == DatasetOrigin::Uploaded,
            results: own.take(SHOWN).map(|job| link(job)).collect(),
        };
        let origin = app.origin(Section::Datasets, dataset.id.clone(), String::new());
        Ok(site::held_page(&view, &origin)?)
    });
    page(&app, made)
}

async fn result(State(app): State<App>, name: Name) -> Response {
    let job = match api::job(&app, name) {
        Ok(job) => job,
        Err(problem) => return problem_page(&app, &problem),
    };
    let (follow, lead) = match job.state() {
        JobState::Done(outcome) => match &outcome.page {
            Some(page) => return html(page.clone()),
            None => (None, "The result is JSON, as the command prints it."),
        },
        JobState::Failed(problem) => {
            return problem_page_about(&app, &problem, job.subject.dataset.as_deref());
        }
        JobState::Cancelled => (None, "It was cancelled before it had a result."),
        JobState::Queued | JobState::Running(_) => (Some(job.id), "It is not done yet."),
    };
    let done = matches!(job.state(), JobState::Done(_));
    let result = (format!("/api/jobs/{}/result", job.id), "The result".to_owned());
    let links = done.then_some(result).into_iter().chain([("/".to_owned(), "All datasets".to_owned())]);
    let notice = Notice {
        eyebrow: "A job",
        title: job.subject.title.clone(),
        lead: vec![lead.to_owned()],
        follow,
        links: links.collect(),
        ..Notice::default()
    };
    let origin = app.origin(Section::Datasets, job.subject.dataset.clone(), String::new());
    page(&app, site::notice_page(notice, &origin).map_err(ApiProblem::from))
}

async fn show_catalogue(State(app): State<App>) -> Response {
    let by = find("clm").unwrap_or(REGISTRY[0]);
    let ranking = catalogue(by, defaults());
    let names = ranking.ranked.iter().map(|ranked| ranked.scored.dataset.clone());
    let links: BTreeMap<String, String> =
        names.map(|name| (name.clone(), format!("/catalogue/{name}"))).collect();
    let command = "clmatch report --catalogue -o catalogue.html".to_owned();
    let origin = app.origin(Section::Catalogue, None, command);
    let view =
        RankingView { ranking: &ranking, catalogue: true, failed: &[], links: &links, origin: &origin };
    page(&app, ranking::page(&view).map_err(ApiProblem::from))
}

async fn catalogued(State(app): State<App>, name: Name) -> Response {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let by = find("clm").unwrap_or(REGISTRY[0]);
    let ranking = catalogue(by, REGISTRY.to_vec());
    let found = ranking.ranked.iter().find(|ranked| ranked.scored.dataset == name);
    let made = match found {
        None => Err(ApiProblem::not_found(format!("there is no catalogued dataset '{name}'"))),
        Some(ranked) => {
            let origin = app.origin(Section::Catalogue, None, "clmatch catalogue --measures all".to_owned());
            site::catalogued_page(&ranked.scored, CatalogueTruth::embedded(), &origin)
                .map_err(ApiProblem::from)
        }
    };
    page(&app, made)
}

async fn benchmark(State(app): State<App>) -> Response {
    let by = find("clm").unwrap_or(REGISTRY[0]);
    let mut externals: Vec<&str> = Vec::new();
    for row in &CatalogueTruth::embedded().rows {
        if !externals.contains(&row.external.as_str()) {
            externals.push(&row.external);
        }
    }
    let origin = app.origin(Section::Benchmark, None, String::new());
    let made = site::benchmark_form(&catalogue(by, defaults()), &externals, &origin);
    page(&app, made.map_err(ApiProblem::from))
}

async fn api_page(State(app): State<App>, headers: HeaderMap) -> Response {
    // The guard has accepted the name; it is escaped like every text.
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    let here = |command: &str| command.replace("ADDRESS", &format!("http://{host}"));
    let commands = [
        ("Score a file", "curl --data-binary @iris.csv 'ADDRESS/api/score?name=iris.csv&wait=60'"),
        ("Explain a dataset that the server has", "curl -X POST 'ADDRESS/api/explain?dataset=iris&wait=60'"),
        ("Start long work, look at it, and cancel it", JOB_COMMANDS),
    ];
    let notice = Notice {
        eyebrow: "For programs",
        title: "API".to_owned(),
        lead: vec![
            "Results are what the command prints with --format json; JSON Schemas describe them.".to_owned(),
            "Everything is described at /api/openapi.json (OpenAPI 3.1).".to_owned(),
        ],
        commands: commands.map(|(what, command)| (what.to_owned(), here(command))).to_vec(),
        rows: openapi::addresses(),
        links: vec![("/api/openapi.json".to_owned(), "The description".to_owned())],
        follow: None,
    };
    let origin = app.origin(Section::Api, None, String::new());
    page(&app, site::notice_page(notice, &origin).map_err(ApiProblem::from))
}

const JOB_COMMANDS: &str = "curl -X POST 'ADDRESS/api/report?dataset=iris'\ncurl ADDRESS/api/jobs/1\n\
    curl -X DELETE ADDRESS/api/jobs/1";

//! The API: jobs, datasets, and what the program knows.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use bytes::Bytes;
use clmatch::measure::{REGISTRY, find};
use clmatch_analysis::measure_info::MeasureInfo;
use clmatch_data::catalogue::Third;
use serde::Serialize;

use crate::datasets::HeldDataset;
use crate::guard::{self, RequestGuard};
use crate::jobs::{Job, JobState, JobSubject};
use crate::kinds::{Asked, JobKind, Takes, cost, refused};
use crate::memory::Reservation;
use crate::parameters::{BY, DATASET, DATASETS, Given, MEASURES, NAME, Parameter, ParameterKind, WAIT};
use crate::problem::ApiProblem;
use crate::state::{App, catalogue};
use crate::{openapi, pages, uploads};

/// The parameters that filter the catalogue.
pub(crate) const CATALOGUE: &[Parameter] = &[
    Parameter {
        name: "top_third",
        kind: ParameterKind::Flag,
        about: "Only the top third by the measure that decides.",
    },
    Parameter { name: "top", kind: ParameterKind::Whole(1, 1000), about: "Only the best so many." },
];

/// A part of an address, which may not be valid text.
pub(crate) type Name = Result<Path<String>, PathRejection>;

/// All addresses, behind the guard.
pub(crate) fn router(app: App, guard: RequestGuard) -> Router {
    Router::new()
        .route("/api/openapi.json", get(|| async { json(StatusCode::OK, &*openapi::DESCRIPTION) }))
        .route("/api/schemas/{name}", get(schema))
        .route("/api/measures", get(measures))
        .route("/api/catalogue", get(list_catalogue))
        .route("/api/datasets", get(list_datasets).post(upload))
        .route("/api/datasets/{id}", get(show_dataset).delete(forget_dataset))
        .route("/api/jobs", get(list_jobs))
        .route("/api/jobs/{id}", get(show_job).delete(cancel_job))
        .route("/api/jobs/{id}/result", get(show_result))
        .route("/api/{kind}", post(create).fallback(not_created))
        .merge(pages::router())
        .method_not_allowed_fallback(|| async { no_such_method() })
        .fallback(pages::nothing_here)
        .with_state(app)
        .layer(middleware::from_fn_with_state(guard, guard::watch))
}

fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let body = serde_json::to_vec(value).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

fn no_such_method() -> ApiProblem {
    ApiProblem::new(StatusCode::METHOD_NOT_ALLOWED, "this address has no such method")
}

/// Refuses to create a job by a method other than `POST`, or of a kind that does not exist.
async fn not_created(kind: Name) -> Result<Response, ApiProblem> {
    JobKind::find(&named(kind)?)?;
    Err(no_such_method())
}

/// A part of an address.
fn named(name: Name) -> Result<String, ApiProblem> {
    name.map(|Path(name)| name).map_err(|error| ApiProblem::bad_request(error.body_text()))
}

/// The job that an address names.
pub(crate) fn job(app: &App, name: Name) -> Result<Arc<Job>, ApiProblem> {
    let name = named(name)?;
    let id =
        name.parse().map_err(|_| ApiProblem::not_found(format!("'{name}' is not the number of a job")))?;
    app.jobs.find(id)
}

/// The dataset that an address names.
pub(crate) fn dataset(app: &App, name: Name) -> Result<Arc<HeldDataset>, ApiProblem> {
    app.datasets.find(&named(name)?)
}

fn no_parameters(query: Option<&str>) -> Result<(), ApiProblem> {
    Given::parse(query.unwrap_or_default(), &[]).map(drop)
}

async fn schema(name: Name) -> Result<Response, ApiProblem> {
    let name = named(name)?;
    let found = openapi::SCHEMAS.iter().find(|(known, _)| name == format!("{known}.schema.json"));
    let (_, text) = found.ok_or_else(|| ApiProblem::not_found(format!("there is no schema '{name}'")))?;
    Ok(([(header::CONTENT_TYPE, "application/schema+json")], *text).into_response())
}

async fn measures(RawQuery(query): RawQuery) -> Result<Response, ApiProblem> {
    no_parameters(query.as_deref())?;
    let all: Vec<MeasureInfo> = REGISTRY.iter().map(|measure| MeasureInfo::new(measure)).collect();
    Ok(json(StatusCode::OK, &all))
}

async fn list_catalogue(RawQuery(query): RawQuery) -> Result<Response, ApiProblem> {
    let given = Given::parse(query.as_deref().unwrap_or_default(), &[BY, MEASURES, CATALOGUE])?;
    let by = given.measure("by").or_else(|| find("clm")).unwrap_or(REGISTRY[0]);
    let mut ranking = catalogue(by, given.measures(Some(by)));
    if given.flag("top_third").unwrap_or(false) {
        ranking.ranked.retain(|ranked| {
            ranked.scored.standing.as_ref().is_some_and(|standing| standing.third == Third::Top)
        });
    }
    if let Some(top) = given.whole("top") {
        ranking.keep(top as usize);
    }
    Ok(json(StatusCode::OK, &ranking.entries(ToString::to_string)))
}

async fn list_datasets(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Response, ApiProblem> {
    no_parameters(query.as_deref())?;
    let all = app.datasets.all();
    let infos: Vec<_> = all.iter().map(|dataset| dataset.info()).collect();
    Ok(json(StatusCode::OK, &infos))
}

async fn show_dataset(State(app): State<App>, name: Name) -> Result<Response, ApiProblem> {
    Ok(json(StatusCode::OK, &dataset(&app, name)?.info()))
}

async fn forget_dataset(State(app): State<App>, name: Name) -> Result<Response, ApiProblem> {
    app.datasets.forget(&named(name)?)?;
    Ok(json(StatusCode::OK, &serde_json::json!({})))
}

async fn upload(
    State(app): State<App>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiProblem> {
    let given = Given::parse(query.as_deref().unwrap_or_default(), &[NAME])?;
    let (bytes, memory) = uploads::receive(&app, &headers, body).await?;
    let name = given.text("name").unwrap_or("upload").to_owned();
    let kept = app.datasets.keep(HeldDataset::uploaded(&name, bytes, memory))?;
    let mut response = json(StatusCode::CREATED, &kept.info());
    let address = format!("/api/datasets/{}", kept.id.as_deref().unwrap_or_default());
    response.headers_mut().extend(HeaderValue::from_str(&address).ok().map(|to| (header::LOCATION, to)));
    Ok(response)
}

async fn list_jobs(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Response, ApiProblem> {
    no_parameters(query.as_deref())?;
    let infos: Vec<_> = app.jobs.all().iter().map(|job| job.info()).collect();
    Ok(json(StatusCode::OK, &infos))
}

async fn show_job(State(app): State<App>, name: Name) -> Result<Response, ApiProblem> {
    Ok(json(StatusCode::OK, &job(&app, name)?.info()))
}

async fn cancel_job(State(app): State<App>, name: Name) -> Result<Response, ApiProblem> {
    let job = job(&app, name)?;
    app.jobs.cancel(&job);
    Ok(json(StatusCode::OK, &job.info()))
}

async fn show_result(State(app): State<App>, name: Name) -> Result<Response, ApiProblem> {
    let job = job(&app, name)?;
    finished(&job)
}

/// The result of a job that has ended.
fn finished(job: &Job) -> Result<Response, ApiProblem> {
    let conflict = |what: &str| Err(ApiProblem::new(StatusCode::CONFLICT, format!("job {} {what}", job.id)));
    match job.state() {
        JobState::Done(outcome) => {
            let body: Bytes = outcome.body.clone();
            let mut response = ([(header::CONTENT_TYPE, outcome.content_type)], body).into_response();
            if outcome.content_type.starts_with("text/html") {
                // A report stands alone, with its own script and style, which pages of this site must not have.
                let kept = HeaderValue::from_static("attachment; filename=\"report.html\"");
                response.headers_mut().insert(header::CONTENT_DISPOSITION, kept);
            }
            Ok(response)
        }
        JobState::Failed(problem) => Err(problem),
        JobState::Cancelled => conflict("was cancelled"),
        JobState::Queued | JobState::Running(_) => conflict("is not done yet"),
    }
}

/// Cancels a job when the client that waits for it goes away.
struct CancelOnDrop<'a> {
    app: &'a App,
    job: &'a Job,
    armed: bool,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.app.jobs.cancel(self.job);
        }
    }
}

async fn create(
    State(app): State<App>,
    kind: Name,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiProblem> {
    let kind = JobKind::find(&named(kind)?)?;
    let mut tables = kind.parameters.to_vec();
    tables.extend([which(kind.takes), WAIT]);
    let given = Given::parse(query.as_deref().unwrap_or_default(), &tables)?;
    let wait = given.number("wait").unwrap_or(0.0);
    let datasets = match kind.takes {
        Takes::Nothing => Vec::new(),
        Takes::One => vec![one(&app, &given, &headers, body).await?],
        Takes::Several(least) => several(&app, &given, least)?,
    };
    let (matrix_limit, memory) = set_aside(&app, kind, &datasets)?;
    let title = title(kind, &datasets);
    let dataset = if let [only] = &datasets[..] { only.id.clone() } else { None };
    let version = app.settings.version.clone();
    let tables_limit = app.memory.limit() / cost::SHARE;
    let asked = Asked { given, datasets, matrix_limit, tables_limit, version }.with_own_options();
    let work = refused::explained(kind, asked.clone(), (kind.plan)(asked)?);
    let job = app.jobs.submit(JobSubject { kind: kind.id, title, dataset }, work, memory)?;
    if wait > 0.0 {
        let mut guard = CancelOnDrop { app: &app, job: &job, armed: true };
        let ended = tokio::time::timeout(Duration::from_secs_f64(wait), job.ended()).await;
        guard.armed = false;
        if ended.is_ok() {
            return finished(&job);
        }
    }
    let mut response = json(StatusCode::ACCEPTED, &job.info());
    let address = HeaderValue::from_str(&format!("/api/jobs/{}", job.id)).ok();
    response.headers_mut().extend(address.map(|to| (header::LOCATION, to)));
    Ok(response)
}

/// How datasets are named in a request.
pub(crate) fn which(takes: Takes) -> &'static [Parameter] {
    match takes {
        Takes::One => DATASET,
        Takes::Several(_) => DATASETS,
        Takes::Nothing => &[],
    }
}

async fn one(
    app: &App,
    given: &Given,
    headers: &HeaderMap,
    body: Body,
) -> Result<Arc<HeldDataset>, ApiProblem> {
    if let Some(id) = given.text("dataset") {
        if !body.is_end_stream() {
            return Err(ApiProblem::bad_request("a dataset is named and another one sent")
                .help("leave out dataset= to score the body, or send no body"));
        }
        return app.datasets.find(id);
    }
    let (bytes, memory) = uploads::receive(app, headers, body).await?;
    Ok(Arc::new(HeldDataset::uploaded(given.text("name").unwrap_or("upload"), bytes, memory)))
}

fn several(app: &App, given: &Given, least: usize) -> Result<Vec<Arc<HeldDataset>>, ApiProblem> {
    let ids = given.list("datasets");
    if ids.len() < least {
        let what = format!("{} datasets are named, and at least {least} are needed", ids.len());
        return Err(
            ApiProblem::bad_request(what).help("name them with datasets=ID,ID; /api/datasets lists them")
        );
    }
    ids.iter().map(|id| app.datasets.find(id)).collect()
}

/// The size of the largest matrix that may be read, and the memory that the whole job takes.
fn set_aside(
    app: &App,
    kind: &JobKind,
    datasets: &[Arc<HeldDataset>],
) -> Result<(u64, Reservation), ApiProblem> {
    let limits = datasets.iter().map(|dataset| cost::matrix_limit(dataset, app.memory.limit()));
    let largest = limits.clone().max().unwrap_or(cost::LEAST);
    // Representations are in memory together, whereas ranked datasets are read one after the other.
    let together = if kind.id == "compare" { limits.sum() } else { largest };
    Ok((largest, app.memory.reserve(together.saturating_mul(kind.matrices))?))
}

fn title(kind: &JobKind, datasets: &[Arc<HeldDataset>]) -> String {
    const NAMED: usize = 3;
    let names: Vec<&str> = datasets.iter().take(NAMED).map(|dataset| dataset.name.as_str()).collect();
    match datasets.len() {
        0 => kind.id.to_owned(),
        count if count > NAMED => format!("{}: {} and {} more", kind.id, names.join(", "), count - NAMED),
        _ => format!("{}: {}", kind.id, names.join(", ")),
    }
}

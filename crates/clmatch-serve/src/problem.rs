//! Why a request has no result: one format for the whole API, and a page for people.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use clmatch_analysis::AnalysisError;
use clmatch_data::Setting;
use clmatch_render::pages::PageError;
use serde::Serialize;

/// Names the JSON schema of a problem, with its version.
pub(crate) const SCHEMA: &str = "clmatch/problem/1";

/// What went wrong, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct ApiProblem {
    schema: &'static str,
    #[serde(skip)]
    pub(crate) status: StatusCode,
    pub(crate) error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<String>,
    /// If the dataset was refused.
    #[serde(flatten)]
    refusal: Option<Box<Refusal>>,
    #[serde(skip)]
    retry_after: Option<u64>,
}

/// What is said about a dataset that is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub(crate) struct Refusal {
    /// What its columns were taken for, a line for each role, the label first.
    pub(crate) roles: Vec<String>,
    /// Parameters with which it is read; empty if there are none.
    pub(crate) settings: Vec<Setting>,
    /// The same for the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) command: Option<String>,
}

impl ApiProblem {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>) -> Self {
        ApiProblem {
            schema: SCHEMA,
            status,
            error: error.into(),
            help: None,
            refusal: None,
            retry_after: None,
        }
    }

    /// Adds what to do about the problem.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        ApiProblem { help: Some(help.into()), ..self }
    }

    /// Adds what is said about the dataset that was refused.
    pub(crate) fn refused(self, refusal: Refusal) -> Self {
        ApiProblem { refusal: Some(Box::new(refusal)), ..self }
    }

    /// A request that is invalid in itself.
    pub(crate) fn bad_request(error: impl Into<String>) -> Self {
        ApiProblem::new(StatusCode::BAD_REQUEST, error)
    }

    /// Something that does not exist.
    pub(crate) fn not_found(error: impl Into<String>) -> Self {
        ApiProblem::new(StatusCode::NOT_FOUND, error)
    }

    /// Too much work at the moment.
    pub(crate) fn busy(why: &str, seconds: u64) -> Self {
        let problem = ApiProblem::new(StatusCode::SERVICE_UNAVAILABLE, format!("the server is busy: {why}"));
        ApiProblem { retry_after: Some(seconds), ..problem }.help("try again in a few seconds")
    }

    /// Work that panicked: never the fault of the client.
    pub(crate) fn defect() -> Self {
        ApiProblem::new(StatusCode::INTERNAL_SERVER_ERROR, "clmatch failed on this input, which is a defect")
            .help("please report it with the input")
    }

    /// An answer with a body made by the caller, such as a page.
    pub(crate) fn respond_with(&self, content_type: &'static str, body: impl IntoResponse) -> Response {
        let mut response = (self.status, body).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<&AnalysisError> for ApiProblem {
    fn from(error: &AnalysisError) -> Self {
        let status = if error.is_too_large_for_memory() {
            StatusCode::PAYLOAD_TOO_LARGE
        } else if error.is_bad_input() {
            StatusCode::UNPROCESSABLE_ENTITY
        } else {
            StatusCode::INTERNAL_SERVER_ERROR
        };
        let problem = ApiProblem::new(status, error.to_string());
        match error.advice() {
            Some(advice) => problem.help(advice.to_string()),
            None => problem,
        }
    }
}

impl From<PageError> for ApiProblem {
    fn from(error: PageError) -> Self {
        ApiProblem::new(StatusCode::INTERNAL_SERVER_ERROR, format!("the page cannot be made: {error}"))
    }
}

impl IntoResponse for ApiProblem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_default();
        self.respond_with("application/json", body)
    }
}

//! One job: its subject, its progress, and how it ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use clmatch_kernels::{Step, Stop};
use serde::Serialize;
use tokio::sync::watch;

use crate::problem::ApiProblem;

/// Names the JSON schema of a job, with its version.
const SCHEMA: &str = "clmatch/job/1";

/// What a job is about.
#[derive(Debug, Clone)]
pub(crate) struct JobSubject {
    /// The kind, as the API names it.
    pub(crate) kind: &'static str,
    /// A title for people: the names of the datasets.
    pub(crate) title: String,
    /// The id of the dataset, if it can be requested again.
    pub(crate) dataset: Option<String>,
}

/// A finished result.
#[derive(Debug)]
pub(crate) struct JobOutcome {
    pub(crate) content_type: &'static str,
    /// What the command would print.
    pub(crate) body: Bytes,
    /// The same result as a page.
    pub(crate) page: Option<Bytes>,
}

/// The state of a job.
#[derive(Debug, Clone)]
pub(crate) enum JobState {
    Queued,
    Running(JobProgress),
    Done(Arc<JobOutcome>),
    Failed(ApiProblem),
    Cancelled,
}

/// How far a job has got.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobProgress {
    what: String,
    done: usize,
    of: usize,
}

/// One job.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: u64,
    pub(crate) subject: JobSubject,
    pub(crate) stop: Stop,
    state: Mutex<JobState>,
    ended: watch::Sender<bool>,
}

/// A job as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct JobInfo {
    schema: &'static str,
    job: u64,
    kind: &'static str,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    dataset: Option<String>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    done: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ApiProblem>,
    address: String,
    result: String,
    page: String,
}

impl Job {
    pub(crate) fn new(id: u64, subject: JobSubject) -> Self {
        let (ended, _) = watch::channel(false);
        Job { id, subject, stop: Stop::new(), state: Mutex::new(JobState::Queued), ended }
    }

    fn lock(&self) -> MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> JobState {
        self.lock().clone()
    }

    pub(crate) fn begin(&self) {
        *self.lock() = JobState::Running(JobProgress::default());
    }

    pub(crate) fn progressed(&self, step: Step<'_>) {
        if let JobState::Running(progress) = &mut *self.lock() {
            *progress = JobProgress { what: step.what.to_owned(), done: step.done, of: step.of };
        }
    }

    /// Ends the job and notifies those who wait for it.
    pub(crate) fn end(&self, state: JobState) {
        *self.lock() = state;
        self.ended.send_replace(true);
    }

    /// Waits for the end.
    pub(crate) async fn ended(&self) {
        // The sender lives as long as the job.
        let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
    }

    /// The bytes of its result once it has ended.
    pub(crate) fn kept_bytes(&self) -> Option<usize> {
        match &*self.lock() {
            JobState::Queued | JobState::Running(_) => None,
            JobState::Done(outcome) => Some(outcome.body.len() + outcome.page.as_ref().map_or(0, Bytes::len)),
            JobState::Failed(_) | JobState::Cancelled => Some(0),
        }
    }

    pub(crate) fn info(&self) -> JobInfo {
        let state = self.state();
        let (progress, problem) = match &state {
            JobState::Running(progress) => (Some(progress.clone()), None),
            JobState::Failed(problem) => (None, Some(problem.clone())),
            _ => (None, None),
        };
        let known = progress.as_ref().filter(|progress| !progress.what.is_empty());
        JobInfo {
            schema: SCHEMA,
            job: self.id,
            kind: self.subject.kind,
            title: self.subject.title.clone(),
            dataset: self.subject.dataset.clone(),
            state: state.name(),
            step: known.map(|progress| progress.what.clone()),
            done: known.map(|progress| progress.done),
            of: known.map(|progress| progress.of),
            problem,
            address: format!("/api/jobs/{}", self.id),
            result: format!("/api/jobs/{}/result", self.id),
            page: format!("/jobs/{}", self.id),
        }
    }
}

impl JobState {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running(_) => "running",
            JobState::Done(_) => "done",
            JobState::Failed(_) => "failed",
            JobState::Cancelled => "cancelled",
        }
    }
}

//! The kinds of jobs: from parameters to a finished result and its page.

mod benchmark;
mod inspect;
mod many;
mod one;
pub(crate) mod refused;

use std::sync::Arc;

use bytes::Bytes;
use clmatch_analysis::AnalysisError;
use clmatch_analysis::source::UnreadDataset;
use clmatch_data::{Dataset, ReadOptions, Source};
use clmatch_render::pages::command_line::command;
use clmatch_render::pages::{Origin, Section};
use serde::Serialize;

use crate::datasets::HeldDataset;
use crate::jobs::{JobOutcome, Work};
use crate::parameters::{Given, Parameter};
use crate::problem::ApiProblem;
use crate::state::site_origin;

/// Which datasets a kind of job takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// One: a known one, or the one in the body.
    One,
    /// At least this many known ones.
    Several(usize),
    /// None: the job is about the catalogue.
    Nothing,
}

/// A kind of job.
pub(crate) struct JobKind {
    /// Its name in the API and in the command.
    pub(crate) id: &'static str,
    pub(crate) about: &'static str,
    pub(crate) takes: Takes,
    /// The parameters it has besides datasets.
    pub(crate) parameters: &'static [&'static [Parameter]],
    /// The file in the folder `schemas` that describes the result; `None` for a page.
    pub(crate) schema: Option<&'static str>,
    /// Whether the result is an array of the objects that the schema describes.
    pub(crate) array: bool,
    /// How many matrices it holds in memory at the same time.
    pub(crate) matrices: u64,
    /// Checks everything that can be checked before the work starts.
    pub(crate) plan: fn(Asked) -> Result<Work, ApiProblem>,
}

/// A checked request.
#[derive(Clone)]
pub(crate) struct Asked {
    pub(crate) given: Given,
    pub(crate) datasets: Vec<Arc<HeldDataset>>,
    /// The size of the largest matrix that may be read, in bytes.
    pub(crate) matrix_limit: u64,
    /// How much memory tables of classes and their pairs may take, in bytes.
    pub(crate) tables_limit: u64,
    pub(crate) version: String,
}

/// All kinds.
pub(crate) static KINDS: &[JobKind] = &[
    one::SCORE,
    one::EXPLAIN,
    one::IMPROVE,
    one::REPORT,
    inspect::INSPECT,
    many::RANK,
    many::COMPARE,
    benchmark::PICK,
    benchmark::STABILITY,
];

impl JobKind {
    pub(crate) fn find(id: &str) -> Result<&'static JobKind, ApiProblem> {
        KINDS.iter().find(|kind| kind.id == id).ok_or_else(|| {
            let ids: Vec<&str> = KINDS.iter().map(|kind| kind.id).collect();
            ApiProblem::not_found(format!("there is no '{id}' to ask for"))
                .help(format!("jobs are {}", ids.join(", ")))
        })
    }
}

impl Asked {
    /// Options that a manifest gives to the only dataset come before those of the request.
    pub(crate) fn with_own_options(mut self) -> Self {
        if let [only] = &self.datasets[..]
            && let Some(own) = only.source().and_then(Source::options)
        {
            self.given.set_own(own);
        }
        self
    }

    /// The only dataset.
    fn dataset(&self) -> &HeldDataset {
        &self.datasets[0]
    }

    /// Reads the only dataset.
    fn read(&self, options: &ReadOptions) -> Result<Dataset, AnalysisError> {
        self.dataset().read_within(options, Some(self.tables_limit))
    }

    /// The equivalent command.
    fn command(&self, kind: &JobKind, more: &[&str]) -> String {
        let mut words = vec!["clmatch".to_owned(), kind.id.to_owned()];
        words.extend(self.datasets.iter().map(|dataset| dataset.path()));
        words.extend(self.given.words(kind.parameters));
        words.extend(more.iter().map(|&word| word.to_owned()));
        command(&words)
    }

    fn origin(&self, section: Section, command: String) -> Origin {
        let dataset = if let [only] = &self.datasets[..] { only.id.clone() } else { None };
        site_origin(&self.version, section, dataset, command)
    }
}

/// A result as the command prints it, and its page.
fn outcome(result: &impl Serialize, page: Option<String>) -> JobOutcome {
    // Our own types always serialise: their keys are text, their numbers finite.
    let body = serde_json::to_string_pretty(result).unwrap_or_default() + "\n";
    JobOutcome { content_type: "application/json", body: Bytes::from(body), page: page.map(Bytes::from) }
}

/// How much memory a dataset may take.
pub(crate) mod cost {
    use crate::datasets::HeldDataset;

    /// The least memory that is reserved for a matrix.
    pub(crate) const LEAST: u64 = 16_000_000;
    /// How many times larger than its text a matrix can be: a number in text has at least two bytes, and as a number eight.
    const TEXT: u64 = 4;
    /// Packed text seldom grows by more than this factor once it is unpacked and read.
    const PACKED: u64 = 24;
    /// A matrix may take at most one part in this many of all memory, and so may tables of classes.
    pub(crate) const SHARE: u64 = 6;

    /// The size of the largest matrix that a dataset may become. The reader refuses a larger one.
    pub(crate) fn matrix_limit(dataset: &HeldDataset, memory: u64) -> u64 {
        let factor = if dataset.is_packed() { PACKED } else { TEXT };
        dataset.bytes.saturating_mul(factor).max(LEAST).min(memory / SHARE)
    }
}

//! What is said about a dataset that is refused: what its columns were taken for, and the settings that work.

use clmatch_analysis::inspection::{is_small_file, roles};
use clmatch_analysis::source::UnreadDataset;
use clmatch_data::PointsLeftOut;

use super::{Asked, JobKind, Takes};
use crate::jobs::{Work, WorkError};
use crate::problem::{ApiProblem, Refusal};

/// Work whose failure says what the columns of its only dataset were taken for, if reading that is what failed.
pub(crate) fn explained(kind: &'static JobKind, asked: Asked, work: Work) -> Work {
    if kind.takes != Takes::One {
        return work;
    }
    Box::new(move |control| {
        work(control).map_err(|error| match error {
            WorkError::Analysis(error) if error.is_bad_input() => {
                let problem = ApiProblem::from(&error);
                match refusal(kind, asked) {
                    Some(refusal) => WorkError::Refused(problem.refused(refusal)),
                    None => WorkError::Analysis(error),
                }
            }
            error => error,
        })
    })
}

fn refusal(kind: &JobKind, mut asked: Asked) -> Option<Refusal> {
    let (given, dataset) = (&asked.given, asked.dataset());
    if dataset.source().is_some_and(|source| !is_small_file(source)) {
        return None;
    }
    let left_out = PointsLeftOut { noise: given.noise(), singletons: given.singletons() };
    let found = dataset.inspect(&given.read_options(asked.matrix_limit), &left_out);
    found.refused.as_ref()?;
    let lines = roles(&found.columns, found.label.as_ref());
    let roles = lines.into_iter().map(|(heading, names)| format!("{heading}: {names}")).collect();
    if found.points.is_none() {
        return Some(Refusal { roles, ..Refusal::default() });
    }
    asked.given.set_proposed(&found.settings);
    let more: &[&str] = match kind.id {
        "improve" => &["-o", "OUT"],
        "report" => &["-o", "report.html"],
        _ => &[],
    };
    Some(Refusal { roles, settings: found.settings, command: Some(asked.command(kind, more)) })
}

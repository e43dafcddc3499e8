//! The job that says how a dataset is understood.

use clmatch_analysis::inspection::InspectedDataset;
use clmatch_analysis::source::UnreadDataset;
use clmatch_data::{PointsLeftOut, Source};

use super::{Asked, JobKind, Takes, one, outcome};
use crate::jobs::JobOutcome;
use crate::parameters::READING;

pub(super) const INSPECT: JobKind = JobKind {
    id: "inspect",
    about: "How is the file understood, and with which settings can it be scored?",
    takes: Takes::One,
    parameters: &[READING],
    schema: Some("inspect"),
    array: false,
    matrices: 3,
    plan: |asked| Ok(Box::new(move |_| Ok(inspect(asked)))),
};

/// Inspects the only dataset. A file that cannot be scored has a result, too: what is in the way.
fn inspect(mut asked: Asked) -> JobOutcome {
    let given = &asked.given;
    let options = given.read_options(asked.matrix_limit);
    let left_out = PointsLeftOut { noise: given.noise(), singletons: given.singletons() };
    let found = asked.dataset().inspect(&options, &left_out);
    asked.given.set_proposed(&found.settings);
    let command = found.points.map(|_| asked.command(&one::SCORE, &[]));
    // Scores have the name without the extension, too.
    let held = asked.dataset();
    let name = held.source().map_or_else(|| Source::new(&held.name).name, |source| source.name.clone());
    outcome(&InspectedDataset::new(&name, found, ToString::to_string, command), None)
}

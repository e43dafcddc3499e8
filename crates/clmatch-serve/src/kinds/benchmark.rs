//! Jobs about the catalogue: which datasets make a benchmark, and whether a ranking over them would hold.

use clmatch_analysis::picking::{BenchmarkSettings, choose_benchmark};
use clmatch_analysis::ranking_stability::{StabilitySettings, ranking_stability};
use clmatch_analysis::source::Document;
use clmatch_analysis::verdict::AcceptedVerdict;
use clmatch_data::catalogue_truth::CatalogueTruth;
use clmatch_kernels::Control;
use clmatch_render::pages::{Section, site, stability};
use clmatch_truth::picking::PickSettings;
use clmatch_truth::stability::DrawSettings;

use super::{Asked, JobKind, Takes, outcome};
use crate::jobs::{JobOutcome, WorkError};
use crate::parameters::{BY, Parameter, ParameterKind, SEED};
use crate::problem::ApiProblem;

pub(super) const PICK: JobKind = JobKind {
    id: "pick",
    about: "Which catalogued datasets make a benchmark: valid, diverse, and with a ranking that holds?",
    takes: Takes::Nothing,
    parameters: &[PICKING, EXTERNAL, BY, SEED],
    schema: Some("pick"),
    array: false,
    matrices: 1,
    plan: |asked| Ok(Box::new(move |control| pick(&asked, control))),
};

pub(super) const STABILITY: JobKind = JobKind {
    id: "stability",
    about: "Would a ranking of techniques over these catalogued datasets be found again?",
    takes: Takes::Nothing,
    parameters: &[DRAWS, EXTERNAL, SEED],
    schema: Some("stability"),
    array: false,
    matrices: 1,
    plan: |asked| {
        let scores = chosen_scores(&asked)?;
        Ok(Box::new(move |_| hold(&asked, &scores)))
    },
};

const EXTERNAL: &[Parameter] = &[
    Parameter {
        name: "external",
        kind: ParameterKind::OneOf(&["ami", "arand", "vm", "nmi"]),
        about: "The external measure that techniques are ranked by.",
    },
    Parameter { name: "techniques", kind: ParameterKind::List, about: "Rank only these techniques." },
];
const PICKING: &[Parameter] = &[
    Parameter { name: "count", kind: ParameterKind::Whole(2, 1000), about: "How many datasets to choose." },
    Parameter {
        name: "accept",
        kind: ParameterKind::OneOf(&["fit", "fit-after-change", "cannot-be-said"]),
        about: "The weakest verdict that makes a dataset valid.",
    },
    Parameter {
        name: "diversity",
        kind: ParameterKind::Number(0.0, 10.0),
        about: "The least diversity, in multiples of that of a random choice.",
    },
];
const DRAWS: &[Parameter] = &[
    Parameter {
        name: "datasets",
        kind: ParameterKind::List,
        about: "Names of catalogued datasets; all if not given.",
    },
    Parameter {
        name: "size",
        kind: ParameterKind::Whole(1, 1000),
        about: "How many datasets a draw has, with replacement; half as many as there are if not given.",
    },
    Parameter { name: "draws", kind: ParameterKind::Whole(1, 10_000), about: "How many draws." },
];

fn pick(asked: &Asked, control: Control<'_>) -> Result<JobOutcome, WorkError> {
    let given = &asked.given;
    let settings = BenchmarkSettings {
        ranking: None,
        truth: None,
        by: given.measure("by"),
        external: given.text("external").map(str::to_owned),
        techniques: given.list("techniques"),
        accept: match given.text("accept") {
            Some("fit") => AcceptedVerdict::Fit,
            Some("cannot-be-said") => AcceptedVerdict::CannotBeSaid,
            _ => AcceptedVerdict::FitAfterChange,
        },
        pick: PickSettings {
            count: given.whole("count").unwrap_or(10) as usize,
            diversity: given.number("diversity").unwrap_or(1.0),
            seed: given.seed(),
        },
    };
    let (benchmark, _) = choose_benchmark(&settings, control)?;
    let origin = asked.origin(Section::Benchmark, asked.command(&PICK, &[]));
    Ok(outcome(&benchmark, Some(site::benchmark_page(&benchmark, &origin)?)))
}

/// The ground truth of the chosen datasets as a table.
fn chosen_scores(asked: &Asked) -> Result<Document, ApiProblem> {
    let (truth, names) = (CatalogueTruth::embedded(), asked.given.list("datasets"));
    if let Some(unknown) = names.iter().find(|name| !truth.rows.iter().any(|row| row.dataset == **name)) {
        return Err(ApiProblem::bad_request(format!("there is no catalogued dataset '{unknown}'"))
            .help("/api/catalogue lists them"));
    }
    // An empty list would choose nothing, and a single dataset would be drawn again and again.
    if asked.given.has("datasets") && names.len() < 2 {
        return Err(ApiProblem::bad_request(format!(
            "{} datasets are chosen, and at least two are needed",
            names.len()
        ))
        .help("choose more of them, or leave datasets out for all"));
    }
    let mut text = "dataset,technique,external,score\n".to_owned();
    for row in truth.rows.iter().filter(|row| names.is_empty() || names.contains(&row.dataset)) {
        for (technique, score) in truth.techniques.iter().zip(&row.scores) {
            text += &format!("{},{technique},{},{score}\n", row.dataset, row.external);
        }
    }
    Ok(Document { name: "the catalogue".into(), text })
}

fn hold(asked: &Asked, scores: &Document) -> Result<JobOutcome, WorkError> {
    let given = &asked.given;
    let mut names: Vec<&str> =
        scores.text.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    names.dedup();
    let half = (names.len() / 2).max(1);
    let settings = StabilitySettings {
        external: given.text("external").map(str::to_owned),
        techniques: given.list("techniques"),
        thirds: None,
        draws: DrawSettings {
            size: given.whole("size").map_or(half, |size| size as usize),
            draws: given.whole("draws").unwrap_or(1000) as usize,
            seed: given.seed(),
            replacement: true,
        },
    };
    let found = ranking_stability(scores, &settings)?;
    // The command takes a table of scores, for which a page has no file.
    let command = format!("POST /api/{}?{}", STABILITY.id, given.query());
    let origin = asked.origin(Section::Benchmark, command);
    Ok(outcome(&found, Some(stability::page(&found, &origin)?)))
}

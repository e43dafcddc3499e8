//! `clmatch stability TRUTH.csv`: how often would a ranking of techniques hold on other datasets?

use std::path::Path;
use std::process::ExitCode;

use clmatch::Measure;
use clmatch_lab::measured::upward;
use clmatch_truth::results::{self, Results, TableError};
use clmatch_truth::stability::{DrawSettings, Thirds, stability};

use crate::args::StabilityArgs;
use crate::commands::{bad_table, read_text};
use crate::export::stability as export;
use crate::failure::{BAD_INPUT, Failure, complain};
use crate::holding::{Holding, Set};
use crate::output;
use crate::result::SCHEMA;

pub fn run(args: &StabilityArgs) -> Result<ExitCode, Failure> {
    let refuse = |error: TableError| bad_table(&args.file, &error);
    let rows = results::read(&read_text(&args.file)?).map_err(refuse)?;
    let external = external(args, &results::externals(&rows))?;
    let results = Results::new(&rows, external.as_deref(), &args.techniques).map_err(refuse)?;
    let plan = DrawSettings { size: args.size as usize, draws: args.draws as usize, seed: args.seed };
    let all: Vec<usize> = (0..results.datasets.len()).collect();
    let thirds = args.scores.as_ref().map(|path| thirds(path, args.by, &results)).transpose()?;
    let sets: Vec<(&'static str, &[usize])> = match &thirds {
        Some(thirds) => thirds.named().to_vec(),
        None => vec![("all", &all)],
    };
    let mut ranked = Vec::new();
    for (set, places) in sets {
        if places.len() == plan.size {
            complain("warning", &format!("{set}: every draw takes all {} datasets", places.len()));
        }
        let found = stability(&results, places, plan).map_err(|error| Failure {
            what: format!("{set}: {error}"),
            help: Some("give a smaller --size".into()),
            code: BAD_INPUT,
        })?;
        ranked.push(Set::new(set, &results.methods, &found));
    }
    let holding = Holding {
        schema: SCHEMA.to_owned(),
        external,
        thirds_by: args.scores.as_ref().map(|_| args.by.id.to_owned()),
        size: plan.size,
        draws: plan.draws,
        seed: plan.seed,
        sets: ranked,
    };
    let text = export::print(&holding, args.output.format, output::width(&args.output));
    output::deliver(&text, &args.output)?;
    Ok(ExitCode::SUCCESS)
}

/// The measure to rank by: the one asked for, or the first one.
fn external(args: &StabilityArgs, known: &[&str]) -> Result<Option<String>, Failure> {
    match &args.external {
        Some(id) if !known.contains(&id.as_str()) => Err(Failure {
            what: format!("{}: there is no external measure {id}", args.file.display()),
            help: Some(match known {
                [] => "the file has no column external: leave --external out".into(),
                known => format!("there are: {}", known.join(", ")),
            }),
            code: BAD_INPUT,
        }),
        Some(id) => Ok(Some(id.clone())),
        None => Ok(known.first().map(|&first| first.to_owned())),
    }
}

fn thirds(path: &Path, by: &Measure, results: &Results) -> Result<Thirds, Failure> {
    let scores = results::read_column(&read_text(path)?, by.id).map_err(|error| bad_table(path, &error))?;
    let of = |dataset: &String| {
        let found = scores.iter().find(|(name, _)| name == dataset);
        found.map(|(_, value)| upward(by, *value)).ok_or_else(|| Failure {
            what: format!("{}: there is no score of {dataset}", path.display()),
            help: Some("rank the same datasets".into()),
            code: BAD_INPUT,
        })
    };
    Ok(Thirds::new(&results.datasets.iter().map(of).collect::<Result<Vec<f64>, Failure>>()?))
}

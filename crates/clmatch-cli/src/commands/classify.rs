//! `clmatch classify PATH...`: the accuracy of tuned classifiers, the competitors of the measures.

use std::process::ExitCode;

use clmatch_classify::Data;
use clmatch_data::{ReadOptions, Scale, Severity, Source};
use clmatch_lab::classify::{self, Method, Plan};

use crate::args::ClassifyArgs;
use crate::classify::{Accuracies, rank, rows};
use crate::commands::batch::{self, Desk, Done};
use crate::commands::chosen::{Choice, Chosen};
use crate::commands::use_threads;
use crate::export::classify as export;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::result::SCHEMA;
use crate::resume::Record;

/// Everything that decides about a result besides the data.
#[derive(Debug, Clone)]
struct Recipe {
    read: ReadOptions,
    scale: Scale,
    choice: Choice,
    mode: &'static str,
    plan: Plan,
}

pub fn run(args: &ClassifyArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let recipe = recipe(args);
    let methods = recipe.plan.methods.clone();
    let sources = clmatch_data::find(&args.paths)?;
    let labels = recipe.read.labels_file.clone();
    let record = args.resume.as_ref().map(|path| Record::open(path, &recipe, labels)).transpose()?;
    let outcome = batch::run(sources, record, args.quiet, move |sources, desk| {
        batch::one_by_one(&sources, &desk, |source| read_and_tune(source, &recipe, &desk));
    })?;

    let ranked = rank(outcome.done);
    if let Some(path) = &args.output {
        output::save(path, &export::csv(&ranked), args.quiet)?;
    }
    output::print(&export::print(&ranked, &methods, args.format, output::terminal()))?;
    batch::conclude(&outcome.failed, outcome.unfinished, args.resume.is_some())
}

fn recipe(args: &ClassifyArgs) -> Recipe {
    let mut methods =
        if args.classifiers.is_empty() { Method::ALL.to_vec() } else { args.classifiers.clone() };
    methods.sort();
    methods.dedup();
    Recipe {
        read: args.input.read_options(),
        scale: args.input.scale,
        choice: Choice {
            noise: args.input.noise.clone(),
            singletons: args.input.singletons(),
            max_points: args.max_points(),
            seed: args.seed,
        },
        mode: args.mode(),
        plan: Plan { methods, budget: args.budget(), seed: args.seed },
    }
}

/// `None` after an interrupt.
fn read_and_tune(
    source: &Source,
    recipe: &Recipe,
    desk: &Desk<Accuracies>,
) -> Result<Option<Done<Accuracies>>, Failure> {
    let mut dataset = clmatch_data::read(source, &recipe.read)?;
    clmatch_data::scale(&mut dataset.values, dataset.features.len(), recipe.scale);
    let chosen = Chosen::of(&dataset, &recipe.choice)?;
    let features = dataset.features.len();
    let data = Data::new(&chosen.values, features, &chosen.classes)
        .map_err(|error| Failure::input(&dataset.name, &error))?;
    let finished = |method: Method| desk.at(format!("{}: {} done", dataset.name, method.id()));
    let Ok(outcomes) = classify::classify(data, &recipe.plan, &interrupt::STOP, &finished) else {
        return Ok(None);
    };
    let remarks = classify::remarks(&data);
    let warnings = dataset.notes.iter().filter(|note| note.severity() == Severity::Warning);
    let value = Accuracies {
        schema: SCHEMA.to_owned(),
        dataset: dataset.name.clone(),
        mode: recipe.mode.to_owned(),
        evaluations: recipe.plan.budget.total(),
        points: data.points(),
        all_points: chosen.all,
        features,
        classes: chosen.classes.iter().max().map_or(0, |&class| class as usize + 1),
        remarks: remarks.clone(),
        classifiers: rows(&outcomes),
    };
    let notes = chosen.note().into_iter().chain(remarks).collect();
    Ok(Some(Done { value, warnings: warnings.map(ToString::to_string).collect(), notes }))
}

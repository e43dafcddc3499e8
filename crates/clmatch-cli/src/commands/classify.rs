//! `clmatch classify PATH...`: the accuracy of tuned classifiers, the competitors of the measures.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clmatch_classify::Data;
use clmatch_data::{ReadOptions, Scale, Severity, Source};
use clmatch_truth::classifiers::{self, ClassifySettings, Method};

use crate::args::{ClassifyArgs, QUICK_BUDGET, QUICK_POINTS};
use crate::classify::{Accuracies, rank, rows};
use crate::commands::batch::{self, Desk, Done, Outcome};
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
pub struct Recipe {
    pub read: ReadOptions,
    pub scale: Scale,
    pub choice: Choice,
    pub mode: &'static str,
    pub plan: ClassifySettings,
}

impl Recipe {
    /// What `--quick` means.
    pub fn quick(seed: u64) -> Recipe {
        Recipe {
            read: ReadOptions::default(),
            scale: Scale::default(),
            choice: Choice { max_points: Some(QUICK_POINTS), seed, ..Choice::default() },
            mode: "quick",
            plan: ClassifySettings { methods: Method::ALL.to_vec(), budget: QUICK_BUDGET, seed },
        }
    }
}

pub fn run(args: &ClassifyArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let recipe = recipe(args);
    let methods = recipe.plan.methods.clone();
    let outcome = compute(&args.paths, recipe, args.resume.as_deref(), args.quiet)?;
    let ranked = rank(outcome.done);
    if let Some(path) = &args.output {
        output::save(path, &export::csv(&ranked), args.quiet)?;
    }
    output::print(&export::print(&ranked, &methods, args.format, output::terminal()))?;
    batch::conclude(&outcome.failed, outcome.unfinished, args.resume.is_some())
}

/// The accuracies on all datasets at some paths.
pub fn compute(
    paths: &[PathBuf],
    recipe: Recipe,
    resume: Option<&Path>,
    quiet: bool,
) -> Result<Outcome<Accuracies>, Failure> {
    let labels = recipe.read.labels_file.clone();
    let record = resume.map(|path| Record::open(path, &recipe, labels)).transpose()?;
    batch::over(paths, record, quiet, move |source, desk| read_and_tune(source, &recipe, desk))
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
        plan: ClassifySettings { methods, budget: args.budget(), seed: args.seed },
    }
}

/// `None` after an interrupt.
fn read_and_tune(
    source: &Source,
    recipe: &Recipe,
    desk: &Desk<Accuracies>,
) -> Result<Option<Done<Accuracies>>, Failure> {
    let mut dataset = clmatch_data::read(source, &recipe.read)?;
    dataset.scale(recipe.scale);
    let chosen = Chosen::of(&dataset, &recipe.choice)?;
    let features = dataset.features.len();
    let data = Data::new(&chosen.values, features, &chosen.classes)
        .map_err(|error| Failure::input(&dataset.name, &error))?;
    let finished = |method: Method| desk.at(format!("{}: {} done", dataset.name, method.id()));
    let Ok(outcomes) = classifiers::classify(data, &recipe.plan, &interrupt::STOP, &finished) else {
        return Ok(None);
    };
    let remarks = classifiers::remarks(&data);
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

//! `clmatch truth PATH...`: the approximate true match of datasets, from tuned clustering techniques.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clmatch_cluster::Matrix;
use clmatch_cluster::external::{External, Truth};
use clmatch_data::{ReadOptions, Scale, Severity, Source};
use clmatch_truth::techniques::{self, Technique, TruthSettings};

use crate::args::TruthArgs;
use crate::commands::batch::{self, Desk, Done, Outcome};
use crate::commands::chosen::{Choice, Chosen};
use crate::commands::use_threads;
use crate::export::truth as export;
use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use crate::result::SCHEMA;
use crate::resume::Record;
use crate::truth::{Row, TruthOf, rank};

/// Everything that decides about a result besides the data.
#[derive(Debug, Clone, Default)]
pub struct Recipe {
    pub read: ReadOptions,
    pub scale: Scale,
    pub choice: Choice,
    pub plan: TruthSettings,
}

pub fn run(args: &TruthArgs) -> Result<ExitCode, Failure> {
    use_threads(args.threads)?;
    let recipe = recipe(args);
    let externals = recipe.plan.externals.clone();
    let outcome = compute(&args.paths, recipe, args.resume.as_deref(), args.quiet)?;
    let ranked = rank(outcome.done, externals[0]);
    if let Some(path) = &args.output {
        output::save(path, &export::csv(&ranked), args.quiet)?;
    }
    output::print(&export::print(&ranked, &externals, args.format, output::terminal()))?;
    batch::conclude(&outcome.failed, outcome.unfinished, args.resume.is_some())
}

/// The ground truth of all datasets at some paths.
pub fn compute(
    paths: &[PathBuf],
    recipe: Recipe,
    resume: Option<&Path>,
    quiet: bool,
) -> Result<Outcome<TruthOf>, Failure> {
    let labels = recipe.read.labels_file.clone();
    let record = resume.map(|path| Record::open(path, &recipe, labels)).transpose()?;
    batch::over(paths, record, quiet, move |source, desk| read_and_tune(source, &recipe, desk))
}

fn recipe(args: &TruthArgs) -> Recipe {
    Recipe {
        read: args.input.read_options(),
        scale: args.input.scale,
        choice: Choice {
            noise: args.input.noise.clone(),
            singletons: args.input.singletons(),
            max_points: args.max_points.map(|points| points as usize),
            seed: args.seed,
        },
        plan: TruthSettings {
            techniques: once_each(&args.techniques, &Technique::ALL),
            externals: once_each(&args.external, &External::ALL),
            birch_thresholds: args.budget,
            birch_clusters: args.birch_clusters,
            seed: args.seed,
        },
    }
}

/// What was chosen, in its order, or everything.
fn once_each<T: Copy + PartialEq>(chosen: &[T], all: &[T]) -> Vec<T> {
    let chosen = if chosen.is_empty() { all } else { chosen };
    let first = |at: usize| !chosen[..at].contains(&chosen[at]);
    (0..chosen.len()).filter(|&at| first(at)).map(|at| chosen[at]).collect()
}

/// `None` after an interrupt.
fn read_and_tune(
    source: &Source,
    recipe: &Recipe,
    desk: &Desk<TruthOf>,
) -> Result<Option<Done<TruthOf>>, Failure> {
    let mut dataset = clmatch_data::read(source, &recipe.read)?;
    dataset.scale(recipe.scale);
    let chosen = Chosen::of(&dataset, &recipe.choice)?;
    let matrix = Matrix::new(&chosen.values, dataset.features.len())
        .map_err(|error| Failure::input(&dataset.name, &error))?;
    let classes = Truth::new(&chosen.classes);
    let finished = |technique: Technique| desk.at(format!("{}: {} done", dataset.name, technique.id()));
    let Ok(outcomes) = techniques::ground_truth(matrix, &classes, &recipe.plan, &interrupt::STOP, &finished)
    else {
        return Ok(None);
    };
    let warnings = dataset.notes.iter().filter(|note| note.severity() == Severity::Warning);
    let value = TruthOf {
        schema: SCHEMA.to_owned(),
        dataset: dataset.name.clone(),
        points: matrix.rows(),
        all_points: chosen.all,
        features: dataset.features.len(),
        classes: classes.classes(),
        techniques: outcomes.iter().map(Row::from).collect(),
    };
    let notes = chosen.note().into_iter().collect();
    Ok(Some(Done { value, warnings: warnings.map(ToString::to_string).collect(), notes }))
}

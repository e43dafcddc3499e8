//! `clmatch truth PATH...`: the approximate true match of datasets, from tuned clustering techniques.

use std::path::Path;
use std::process::ExitCode;

use clmatch::measure;
use clmatch_analysis::batch::BatchOutcome;
use clmatch_analysis::ground_truth::{GroundTruth, GroundTruthSettings, rank, read_and_tune};
use clmatch_analysis::resume::Record;
use clmatch_analysis::subsample::SampleSpec;
use clmatch_cluster::external::External;
use clmatch_data::Source;
use clmatch_render::method_scores::truth_csv;
use clmatch_truth::techniques::{Technique, TruthSettings};

use crate::args::{BatchArgs, Format, TruthArgs};
use crate::commands::batch::{self, BatchEnd};
use crate::commands::{announce_long, use_threads};
use crate::export::truth as export;
use crate::failure::Failure;
use crate::output;

pub fn run(args: &TruthArgs) -> Result<ExitCode, Failure> {
    let BatchArgs { paths, threads, resume, format, output: file, quiet, verbose, .. } = &args.batch;
    use_threads(*threads)?;
    let settings = settings(args);
    let externals = settings.search.externals.clone();
    let sources = batch::find(paths, *quiet, *verbose)?;
    if args.max_points.is_none() {
        // The least that nine techniques with many settings each take.
        announce_long(
            &sources,
            &measure::defaults(),
            &[("techniques", 20.0)],
            "--max-points 5000 clusters a sample",
            *quiet,
        );
    }
    let outcome = compute(sources, settings, resume.as_deref(), *quiet)?;
    let finished = outcome.done.len();
    let ranked = rank(outcome.done, externals[0]);
    if let Some(path) = file {
        output::save_as(path, &truth_csv(&ranked), Format::Csv, *quiet)?;
    }
    // One table on standard output is enough.
    if !file.as_deref().is_some_and(output::is_stdout) {
        output::show(&export::print(&ranked, &externals, *format, output::terminal()), *format)?;
    }
    let end = BatchEnd {
        input: &args.batch.input,
        done: "tuned",
        finished,
        failed: &outcome.failed,
        unfinished: outcome.unfinished,
        told: false,
        verbose: *verbose,
        resumable: resume.is_some(),
    };
    end.conclude()
}

/// The ground truth of all datasets.
pub fn compute(
    sources: Vec<Source>,
    settings: GroundTruthSettings,
    resume: Option<&Path>,
    quiet: bool,
) -> Result<BatchOutcome<GroundTruth>, Failure> {
    let labels = settings.read.labels_file.clone();
    let record = resume.map(|path| Record::open(path, settings.identity(), labels)).transpose()?;
    batch::over(sources, record, quiet, move |source, control| read_and_tune(source, &settings, control))
}

fn settings(args: &TruthArgs) -> GroundTruthSettings {
    GroundTruthSettings {
        read: args.batch.input.read_options(),
        scale: args.batch.input.scale,
        sample: SampleSpec {
            noise: args.batch.input.noise.clone(),
            singletons: args.batch.input.singletons(),
            max_points: args.max_points.map(|points| points as usize),
            seed: args.seed,
        },
        search: TruthSettings {
            techniques: once_each(&args.techniques, &Technique::ALL),
            externals: once_each(&args.external, &External::ALL),
            search: args.search.into(),
            birch_thresholds: args.budget as usize,
            birch_clusters: args.birch_clusters,
            seed: args.seed,
        },
    }
}

/// The chosen items without duplicates, in their order, or all of them.
fn once_each<T: Copy + PartialEq>(chosen: &[T], all: &[T]) -> Vec<T> {
    let chosen = if chosen.is_empty() { all } else { chosen };
    let first = |at: usize| !chosen[..at].contains(&chosen[at]);
    (0..chosen.len()).filter(|&at| first(at)).map(|at| chosen[at]).collect()
}

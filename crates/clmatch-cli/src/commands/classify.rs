//! `clmatch classify PATH...`: the accuracy of tuned classifiers, the competitors of the measures.

use std::path::Path;
use std::process::ExitCode;

use clmatch_analysis::accuracies::{Accuracies, AccuracySettings, rank, read_and_tune};
use clmatch_analysis::batch::BatchOutcome;
use clmatch_analysis::resume::Record;
use clmatch_analysis::subsample::SampleSpec;
use clmatch_data::Source;
use clmatch_render::method_scores::accuracies_csv;
use clmatch_truth::classifiers::{ClassifySettings, Method};

use crate::args::{BatchArgs, ClassifyArgs, Format};
use crate::commands::batch::{self, BatchEnd};
use crate::commands::use_threads;
use crate::export::classify as export;
use crate::failure::Failure;
use crate::output;

pub fn run(args: &ClassifyArgs) -> Result<ExitCode, Failure> {
    let BatchArgs { paths, threads, resume, format, output: file, quiet, verbose, .. } = &args.batch;
    use_threads(*threads)?;
    let settings = settings(args);
    let methods = settings.search.methods.clone();
    let sources = batch::find(paths, *quiet, *verbose)?;
    let outcome = compute(sources, settings, resume.as_deref(), *quiet)?;
    let finished = outcome.done.len();
    let ranked = rank(outcome.done);
    if let Some(path) = file {
        output::save_as(path, &accuracies_csv(&ranked), Format::Csv, *quiet)?;
    }
    // One table on standard output is enough.
    if !file.as_deref().is_some_and(output::is_stdout) {
        output::show(&export::print(&ranked, &methods, *format, output::terminal()), *format)?;
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

/// The accuracies on all datasets.
pub fn compute(
    sources: Vec<Source>,
    settings: AccuracySettings,
    resume: Option<&Path>,
    quiet: bool,
) -> Result<BatchOutcome<Accuracies>, Failure> {
    let labels = settings.read.labels_file.clone();
    let record = resume.map(|path| Record::open(path, settings.identity(), labels)).transpose()?;
    batch::over(sources, record, quiet, move |source, control| read_and_tune(source, &settings, control))
}

fn settings(args: &ClassifyArgs) -> AccuracySettings {
    let mut methods =
        if args.classifiers.is_empty() { Method::ALL.to_vec() } else { args.classifiers.clone() };
    methods.sort();
    methods.dedup();
    let mode = args.mode();
    AccuracySettings {
        read: args.batch.input.read_options(),
        scale: args.batch.input.scale,
        sample: SampleSpec {
            noise: args.batch.input.noise.clone(),
            singletons: args.batch.input.singletons(),
            max_points: mode.max_points(),
            seed: args.seed,
        },
        mode,
        search: ClassifySettings { methods, budget: mode.budget(), seed: args.seed },
    }
}

//! Arguments of `clmatch classify`.

use std::path::PathBuf;

use clap::Args;
use clmatch_analysis::accuracies::Mode;
use clmatch_truth::classifiers::Method;

use super::{Format, InputArgs};
use crate::value_parsers::parse_classifier;

#[derive(Debug, Args)]
pub struct ClassifyArgs {
    /// Files, folders that are searched for datasets, and names of embedded datasets.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = parse_classifier, help = CLASSIFIERS_HELP)]
    pub classifiers: Vec<Method>,
    /// At most 500 points and 10 settings instead of 2000 points and 30 settings.
    #[arg(long)]
    quick: bool,
    /// All points of each dataset instead of at most 2000, drawn class by class.
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// The seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub threads: Option<u64>,
    /// Keep finished datasets in this file, one JSON line each, and skip those that are there already.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// The form of what is printed.
    #[arg(long, value_enum, default_value = "table", help_heading = "Output")]
    pub format: Format,
    /// Also write one row per dataset and classifier to this CSV file; - writes them to
    /// standard output, and nothing else.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// No progress, no notes; errors and warnings only.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const CLASSIFIERS_HELP: &str =
    "Tune these classifiers: svm, knn, mlp, nb, rf, lr, lda, xgb [default: all eight]";

impl ClassifyArgs {
    /// How much effort is made.
    pub fn mode(&self) -> Mode {
        match (self.quick, self.full) {
            (true, _) => Mode::Quick,
            (_, true) => Mode::Full,
            _ => Mode::Default,
        }
    }
}

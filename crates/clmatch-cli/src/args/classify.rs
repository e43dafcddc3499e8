//! Arguments of `clmatch classify`.

use std::path::PathBuf;

use clap::Args;
use clmatch_analysis::accuracies::Mode;
use clmatch_truth::classifiers::Method;

use super::{Format, InputArgs};
use crate::value_parsers::{parse_classifier, whole};

#[derive(Debug, Args)]
pub struct ClassifyArgs {
    /// Files, and folders that are searched for datasets.
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
    /// The seed of all random choices.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096))]
    pub threads: Option<u64>,
    /// Record finished datasets in this file, one JSON line each, and skip those that it already holds.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// The format of what is printed.
    #[arg(long, value_enum, default_value = "table", help_heading = "Output")]
    pub format: Format,
    /// Also write one row per dataset and classifier to this CSV file.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Show no progress and no notes, only errors and warnings.
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

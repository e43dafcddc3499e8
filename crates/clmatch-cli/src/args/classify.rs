//! Arguments of `clmatch classify`.

use std::path::PathBuf;

use clap::Args;
use clmatch_truth::classifiers::{Budget, Method};

use super::{Format, InputArgs};
use crate::words::parse_classifier;

/// Points of a dataset at most, and evaluations of a search, without `--quick` and `--full`.
const MOST_POINTS: usize = 2000;
/// The same with `--quick`.
pub const QUICK_POINTS: usize = 500;
pub const QUICK_BUDGET: Budget = Budget { random: 5, guided: 5 };

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
    /// Also write one row per dataset and classifier to this CSV file.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// No progress, no notes; errors and warnings only.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const CLASSIFIERS_HELP: &str =
    "Tune these classifiers: svm, knn, mlp, nb, rf, lr, lda, xgb [default: all eight]";

impl ClassifyArgs {
    /// Points of each dataset at most.
    pub fn max_points(&self) -> Option<usize> {
        match (self.quick, self.full) {
            (true, _) => Some(QUICK_POINTS),
            (_, true) => None,
            _ => Some(MOST_POINTS),
        }
    }

    /// Evaluations of each search.
    pub fn budget(&self) -> Budget {
        if self.quick { QUICK_BUDGET } else { Budget::default() }
    }

    /// Which of the three it is, as results say it.
    pub fn mode(&self) -> &'static str {
        match (self.quick, self.full) {
            (true, _) => "quick",
            (_, true) => "full",
            _ => "default",
        }
    }
}

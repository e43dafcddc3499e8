//! The options of `clmatch explain`.

use std::path::PathBuf;

use clap::Args;

use super::{InputArgs, OutputArgs};
use crate::value_parsers::whole;

#[derive(Debug, Args)]
#[command(after_help = EXPLAIN_HELP)]
pub struct ExplainArgs {
    /// The dataset: a file, a folder with data and label files, the name of an embedded dataset, or - for standard input.
    pub file: PathBuf,
    #[command(flatten)]
    pub input: InputArgs,
    /// Show these columns of the file beside suspicious rows, after ids that were left out; text columns can be shown, too.
    #[arg(
        long,
        value_name = "COL,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    pub show: Vec<String>,
    /// The seed of the search for clusters within classes.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096), help_heading = "Search")]
    pub threads: Option<u64>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write all points to a CSV file: the row, its label, the class that it looks like, the probability that the label is
    /// wrong, how far the point is from every class, the part of its class, the share of its neighbours' votes that the
    /// strongest other class has, and its id and the columns of --show.
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub points: Option<PathBuf>,
}

const EXPLAIN_HELP: &str = "Rows are counted from 1, the first row of data. A point counts as mislabelled where the \
    probability is above 0.5, and as an outlier where its distance is above 3; neither has a say in whether a class is one \
    cluster or several. CSV has one row per pair of classes.";

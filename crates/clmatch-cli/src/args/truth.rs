//! Arguments of `clmatch truth`.

use std::path::PathBuf;

use clap::Args;
use clmatch_cluster::external::External;
use clmatch_truth::techniques::{BIRCH_THRESHOLDS, Technique};

use super::{Format, InputArgs};
use crate::value_parsers::{parse_external, parse_technique};

#[derive(Debug, Args)]
#[command(after_help = TRUTH_HELP)]
pub struct TruthArgs {
    /// Files, folders that are searched for datasets, and names of embedded datasets.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Tune for these external measures; the first one ranks [default: ami,arand,vm,nmi].
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = parse_external)]
    pub external: Vec<External>,
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = parse_technique, help = TECHNIQUES_HELP)]
    pub techniques: Vec<Technique>,
    /// Thresholds that BIRCH tries with each of five branching factors; at least 2.
    #[arg(long, value_name = "N", default_value_t = BIRCH_THRESHOLDS)]
    pub budget: usize,
    /// Let BIRCH end with 2 to 3K clusters (K classes) instead of the paper's 3.
    #[arg(long)]
    pub birch_clusters: bool,
    /// Use at most so many points of each dataset, drawn class by class.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    pub max_points: Option<u64>,
    /// The seed of K-Means and X-Means, and of --max-points; nothing else is random.
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
    /// Also write one row per dataset, technique and external measure to this CSV file; - writes them to
    /// standard output, and nothing else.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// No progress, no notes; errors and warnings only.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const TRUTH_HELP: &str = "K-Means and X-Means are scored by their mean over as many seeds as it takes to know it within some \
    .005, and the best setting is the one with the best mean. The order of rows and columns changes no result but that of \
    BIRCH, whose subclusters depend on the order in which points come. Where a technique has to choose between equally \
    good candidates, the rows count as sorted by their mean distance to all others.";

const TECHNIQUES_HELP: &str = "Tune these techniques: hdbscan, dbscan, kmeans, kmedoids, xmeans, birch, \
    agglo_single, agglo_average, agglo_complete [default: all nine]";

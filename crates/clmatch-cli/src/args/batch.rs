//! Arguments that the commands over many datasets share.

use std::path::PathBuf;

use clap::Args;

use super::{Format, InputArgs};
use crate::value_parsers::whole;

/// Which datasets, how they are worked on, and where results go.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Files, folders that are searched for datasets, manifests (bench.toml) and names of embedded datasets.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
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
    /// Also write all results to this CSV file, one row each; - writes them to standard output, and nothing else.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Show every error whole, with what to do about it, and name the files that are passed over.
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Show no progress and no notes, only errors and warnings.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

//! Arguments that the commands over many datasets share.

use std::path::PathBuf;

use clap::Args;

use super::{Format, InputArgs};

/// Which datasets, how they are worked on, and where results go.
#[derive(Debug, Args)]
pub struct BatchArgs {
    /// Files, and folders that are searched for datasets.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
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
    /// Also write all results to this CSV file, one row each.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// No progress, no notes; errors and warnings only.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

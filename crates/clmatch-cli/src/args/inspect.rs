//! Arguments of `clmatch inspect`.

use std::path::PathBuf;

use clap::Args;

use super::{InputArgs, OutputArgs};

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The file, a folder with data and label files, the name of an embedded dataset, or - for standard input.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write a manifest of the datasets in the folder, each with the options that read it; clmatch rank and others take it.
    /// Files that cannot be scored are comments in it.
    #[arg(long)]
    pub manifest: bool,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

//! Arguments about data that need not fit into memory.

use clap::Args;

use crate::value_parsers::parse_bytes;

/// Reading in blocks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct StreamArgs {
    /// Read the rows in blocks, so that any number of them fits into memory: files, a folder of parts, or standard input, as
    /// CSV, Parquet, Arrow or NPY. Measures that compare points with each other are estimated from a sample, with a 95% error
    /// where one can be known.
    #[arg(long)]
    pub stream: bool,
    #[command(flatten)]
    pub memory: MemoryArgs,
}

/// How much memory may be used.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct MemoryArgs {
    /// How much memory the rows may take, and the tables of their classes, such as 500MB or 1GB; rows that do not fit are read
    /// in blocks, tables that do not fit are an error [default: three quarters of what is free; 1GB for what is read in
    /// blocks].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory: Option<u64>,
}

//! Arguments of `clmatch serve`.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::value_parsers::{parse_bytes, parse_seconds, whole};

const SERVE_HELP: &str = "The address is printed on standard output. Nothing is written to the disk: uploads stay in memory, and \
    are gone when the server ends. Ctrl-C cancels what runs and ends the server.";

#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub struct ServeArgs {
    /// Datasets to offer from the start: files, folders that are searched for datasets, manifests (bench.toml) and names of
    /// embedded datasets.
    pub paths: Vec<PathBuf>,
    /// The port to listen on; 0 takes a free one.
    #[arg(long, value_name = "N", default_value_t = 8642)]
    pub port: u16,
    /// Listen on this address instead of 127.0.0.1, so that other computers can connect. The address that is printed then
    /// holds a token, and requests without it are refused.
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<IpAddr>,
    /// Open the page in a browser.
    #[arg(long)]
    pub open: bool,
    /// The largest file that can be sent, such as 64MB.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "64MB", help_heading = "Limits")]
    pub max_upload: u64,
    /// How many seconds a job may take.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "300", help_heading = "Limits")]
    pub time_limit: Duration,
    /// How many jobs may wait; further ones are refused.
    #[arg(long, value_name = "N", value_parser = whole(1..=10_000), default_value_t = 32, help_heading = "Limits")]
    pub queue: u64,
    /// How many jobs run at the same time; they share the threads.
    #[arg(long, value_name = "N", value_parser = whole(1..=64), default_value_t = 2, help_heading = "Limits")]
    pub workers: u64,
    /// How much memory uploads and jobs may take together, such as 2GB; what needs more is refused.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "2GB", help_heading = "Limits")]
    pub memory: u64,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096), help_heading = "Limits")]
    pub threads: Option<u64>,
    /// Show only errors and warnings, and the address.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

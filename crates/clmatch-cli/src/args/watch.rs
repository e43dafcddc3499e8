//! Arguments of `clmatch watch`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clmatch::Measure;
use clmatch_analysis::watching::{Reference, WindowEnd};

use super::InputArgs;
use crate::value_parsers::{MEASURE, parse_scores, parse_seconds, whole};

/// Watching data that keep coming.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// A text table that others append to, or - for standard input.
    pub file: PathBuf,
    /// Score windows of so many rows.
    #[arg(long, value_name = "ROWS", value_parser = whole(2..=1_000_000), default_value_t = 1000,
        conflicts_with = "seconds")]
    window: u64,
    /// Score windows of so many seconds instead.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    seconds: Option<Duration>,
    /// The measure.
    #[arg(long, value_name = "ID", value_parser = MEASURE, hide_possible_values = true, default_value = "clm")]
    pub by: &'static Measure,
    /// Compare with the first N windows.
    #[arg(long, value_name = "N", value_parser = whole(1..=1_000_000), default_value_t = 1,
        conflicts_with = "between")]
    reference: u64,
    /// Compare with scores from one number to another, such as 0.7..0.9, instead.
    #[arg(long, value_name = "LOW..HIGH", value_parser = parse_scores)]
    between: Option<(f64, f64)>,
    /// End at the end of the file instead of waiting for more rows.
    #[arg(long)]
    pub once: bool,
    /// End with exit code 1 at the first alarm, or if no window could be compared.
    #[arg(long)]
    pub fail_on_alarm: bool,
    #[command(flatten)]
    pub input: InputArgs,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096), help_heading = "Measures")]
    pub threads: Option<u64>,
    /// The seed of intervals.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0, help_heading = "Measures")]
    pub seed: u64,
    /// The format: a line for people, or a line of JSON for each window.
    #[arg(long, value_enum, default_value = "table", help_heading = "Output")]
    pub format: WatchFormat,
    /// Show no notes, only windows, errors and warnings.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WatchFormat {
    Table,
    Json,
}

impl WatchArgs {
    /// When a window ends.
    pub fn window_end(&self) -> WindowEnd {
        self.seconds.map_or(WindowEnd::Rows(self.window as usize), WindowEnd::Time)
    }

    /// What windows are compared with.
    pub fn chosen_reference(&self) -> Reference {
        let first = Reference::First(self.reference as usize);
        self.between.map_or(first, |(low, high)| Reference::Between(low, high))
    }
}

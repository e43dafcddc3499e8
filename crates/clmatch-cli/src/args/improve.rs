//! The options of `clmatch improve`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use clmatch::improve::{Method, Objective, Options, Shrinkage, Split};

use super::{Format, InputArgs};
use crate::value_parsers::{parse_seconds, parse_share, parse_shrinkage, parse_svg, whole};

#[derive(Debug, Args)]
#[command(after_help = IMPROVE_HELP)]
pub struct ImproveArgs {
    /// The dataset: a file, a folder with data and label files, the name of an embedded dataset, or - for standard input.
    pub file: PathBuf,
    /// Write the improved dataset here; the extension decides the format, which is that of FILE without one; - writes CSV to
    /// standard output.
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub input: InputArgs,
    /// Draw the score against the number of features, as SVG.
    #[arg(long, value_name = "FILE.svg", value_parser = parse_svg, help_heading = "Output")]
    pub plot: Option<PathBuf>,
    /// Write the whole report to a file, as JSON.
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub report: Option<PathBuf>,
    /// The format of the report on standard output.
    #[arg(long, value_enum, default_value = "table", help_heading = "Output")]
    pub format: Format,
    /// Show no progress and no notes, only errors and warnings.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096), help_heading = "Search")]
    pub threads: Option<u64>,
}

const IMPROVE_HELP: &str = "Features are chosen on half of the points of each class. The report has the scores of that \
    half, of the held-out half and of all points, and what the same search gains with shuffled labels. Ctrl-C stops the \
    search and takes the best so far. OUT holds the columns as they were scored; a note names the command that scores it \
    again. The search of the paper is --method random --split none --min-features 1 --penalty 0 --shrinkage none.";

/// How features are searched for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// How to search: auto (all ways), random (as in the paper), greedy, weights.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    method: Method,
    /// The score to raise: ch_a, ch_c, db_c, clm or sc_a.
    #[arg(long, value_name = "ID", default_value = "ch_a")]
    objective: Objective,
    /// How many seconds the search and its check against chance may take.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "10")]
    budget: Duration,
    /// How many random subsets to draw.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX), default_value = "1000")]
    draws: u64,
    /// Keep at least this many features.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX), default_value = "2")]
    min_features: u64,
    /// Drop features only if the score rises by this times their share.
    #[arg(long, value_name = "X", value_parser = parse_share, default_value = "0.01")]
    penalty: f64,
    /// Shrink covariances of features towards 0: auto (where there are few points), none, or a share from 0 to 1.
    #[arg(long, value_name = "HOW", value_parser = parse_shrinkage, default_value = "auto")]
    shrinkage: Shrinkage,
    /// Choose features on half of the points of each class, or on all points (none), which makes the score too optimistic.
    #[arg(long, value_enum, default_value = "half")]
    split: SplitChoice,
    /// How many times to search with shuffled labels; 19 or more can tell a gain from chance.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value = "39")]
    shuffles: u64,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SplitChoice {
    Half,
    None,
}

impl ImproveArgs {
    pub fn options(&self) -> Options {
        let search = &self.search;
        Options {
            method: search.method,
            objective: search.objective,
            budget: Some(search.budget),
            draws: search.draws as usize,
            min_features: search.min_features as usize,
            penalty: search.penalty,
            shrinkage: search.shrinkage,
            split: match search.split {
                SplitChoice::Half => Split::Half,
                SplitChoice::None => Split::None,
            },
            shuffles: search.shuffles as usize,
            seed: search.seed,
        }
    }
}

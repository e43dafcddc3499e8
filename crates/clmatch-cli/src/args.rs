//! The command line: every option once, shared between the commands that take it.

mod calibrate;
mod classify;
mod improve;
mod lab;
mod truth;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clmatch::measure;
use clmatch::{Approximation, Measure, Singletons};
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_data::{Missing, ReadOptions, Scale};

pub use self::calibrate::CalibrateArgs;
pub use self::classify::ClassifyArgs;
pub use self::improve::ImproveArgs;
pub use self::lab::{Experiment, LabArgs, StabilityArgs};
pub use self::truth::TruthArgs;
use crate::value_parsers::{
    Bar, Ids, Span, parse_bar, parse_error_bound, parse_measure, parse_measures, parse_missing, parse_range,
    parse_seconds,
};

/// How well do the class labels of a dataset match the clusters that its points form?
#[derive(Debug, Parser)]
#[command(name = "clmatch", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 a --fail-under bar was missed, 2 wrong usage, 3 bad input, \
    4 anything else.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Score the embedded datasets and rank them.
    Demo(DemoArgs),
    /// Score one dataset.
    Score(ScoreArgs),
    /// Score many datasets (files and folders) and rank them, best first.
    Rank(RankArgs),
    /// Approximate the true match: the best scores of nine tuned clustering techniques.
    Truth(TruthArgs),
    /// Measure the competitors: the accuracies of eight tuned classifiers under cross-validation.
    Classify(ClassifyArgs),
    /// How often would a ranking of techniques hold on other datasets?
    Stability(StabilityArgs),
    /// Fit the growth rates k of protocol T4 to judged datasets.
    Calibrate(CalibrateArgs),
    /// Rerun the paper's experiments and set our numbers beside the paper's.
    Lab(LabArgs),
    /// Show what changed between two rankings that were written with --format json.
    Diff(DiffArgs),
    /// Find the features, or weights on them, that raise the score of a dataset, and write it with them.
    Improve(ImproveArgs),
    /// List the measures.
    Measures(MeasuresArgs),
    /// List the catalogued datasets: well-known ones with their scores.
    Catalogue(CatalogueArgs),
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    #[command(flatten)]
    pub measures: MeasureArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// The dataset: a file, a folder with data and label files, the name of an embedded dataset, or - for standard input.
    pub file: PathBuf,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub measures: MeasureArgs,
    #[command(flatten)]
    pub approx: ApproxArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub bars: BarArgs,
}

#[derive(Debug, Args)]
pub struct RankArgs {
    /// Files, folders that are searched for datasets, and names of embedded datasets.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Rank by this measure (default: clm, or the first of --measures if clm is not among them).
    #[arg(long, value_name = "ID", value_parser = parse_measure)]
    pub by: Option<&'static Measure>,
    /// Show the best N datasets only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub top: Option<u64>,
    /// Keep finished datasets in this file, one JSON line each, and skip those that are there already.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub measures: MeasureArgs,
    #[command(flatten)]
    pub approx: ApproxArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub bars: BarArgs,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The earlier ranking or score.
    pub before: PathBuf,
    /// The later one.
    pub after: PathBuf,
    /// Compare by this measure [default: the one that the rankings were made by; of two, that of the later ranking, with a
    /// warning; if neither file tells, clm or the first one that both have].
    #[arg(long, value_name = "ID", value_parser = parse_measure)]
    pub by: Option<&'static Measure>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct CatalogueArgs {
    /// Sort by this measure.
    #[arg(long, value_name = "ID", value_parser = parse_measure, default_value = "clm")]
    pub by: &'static Measure,
    /// Only datasets that score at least as well; may be given several times.
    #[arg(long, value_name = "ID=VALUE", value_parser = parse_bar)]
    pub min: Vec<Bar>,
    /// Only datasets with so many classes, as 3..10, 3.. or 3.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub classes: Option<Span>,
    /// Only datasets with so many points.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub points: Option<Span>,
    /// Only datasets with so many features.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub features: Option<Span>,
    /// Only the top third: datasets that are fit to serve as ground truth.
    #[arg(long)]
    pub top_third: bool,
    /// Show the best N datasets only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub top: Option<u64>,
    #[command(flatten)]
    pub measures: MeasureArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct MeasuresArgs {
    /// Show which axioms each measure satisfies.
    #[arg(long)]
    pub axioms: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// How a dataset is read and prepared.
#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The label column, by name or by index (0 is the first, -1 the last) [default: a column named label, class,
    /// target, species or y, else the last one].
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    label: Option<String>,
    /// A file with one label per row, instead of a label column.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    labels: Option<PathBuf>,
    /// The matrix of an AnnData file that holds the points: X, raw/X, layers/NAME or obsm/NAME [default: X].
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,
    /// Columns to leave out.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    drop: Vec<String>,
    /// Use only these columns as features.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    keep: Vec<String>,
    /// Turn text columns into indicator columns, * for all of them.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', num_args = 0..=1, default_missing_value = "*")]
    one_hot: Vec<String>,
    /// What to do with missing values.
    #[arg(long, value_name = "HOW", value_parser = parse_missing, default_value = "error", help = MISSING_HELP)]
    missing: Missing,
    /// Numbers are written with a decimal comma.
    #[arg(long)]
    decimal_comma: bool,
    /// The first line of a CSV file holds data [default: found out].
    #[arg(long)]
    no_header: bool,
    #[arg(long, value_name = "HOW", default_value = "max-abs", help = SCALE_HELP)]
    pub scale: Scale,
    /// Leave out the points with this label; otherwise noise is a class like any other.
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub noise: Option<String>,
    /// What to do with classes of one point: an error for adjusted measures, or leave them out.
    #[arg(long, value_name = "HOW", value_enum, default_value = "error")]
    singletons: SingletonChoice,
}

const MISSING_HELP: &str = "What to do with missing values: error, drop (the row), mean (of the column)";
const SCALE_HELP: &str = "Scale the features: none, max-abs (the whole matrix by one number, as in the paper), \
    standard, min-max or robust (each column)";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SingletonChoice {
    Error,
    Drop,
}

impl InputArgs {
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            label: self.label.clone(),
            labels_file: self.labels.clone(),
            layer: self.layer.clone(),
            drop: self.drop.clone(),
            keep: self.keep.clone(),
            one_hot: self.one_hot.clone(),
            missing: self.missing,
            decimal_comma: self.decimal_comma,
            header: self.no_header.then_some(false),
            ..ReadOptions::default()
        }
    }

    /// Everything that decides about scores besides the data.
    pub fn score_settings(&self, approx: &ApproxArgs, measures: Vec<&'static Measure>) -> ScoreSettings {
        ScoreSettings {
            read: self.read_options(),
            scale: self.scale,
            noise: self.noise.clone(),
            singletons: self.singletons(),
            measures,
            approximation: approx.chosen(),
        }
    }

    pub fn singletons(&self) -> Singletons {
        match self.singletons {
            SingletonChoice::Error => Singletons::Keep,
            SingletonChoice::Drop => Singletons::Drop,
        }
    }
}

/// Which measures are computed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measures")]
pub struct MeasureArgs {
    /// Measures to compute, or all [default: clm,ch_a,xb_a,db_a,di_a,sc_a].
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = parse_measures)]
    measures: Vec<Ids>,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub threads: Option<u64>,
}

impl MeasureArgs {
    /// The measures asked for, and those that others need, each once.
    pub fn chosen(&self, also: impl IntoIterator<Item = &'static Measure>) -> Vec<&'static Measure> {
        let mut chosen: Vec<&'static Measure> = if self.measures.is_empty() {
            measure::defaults()
        } else {
            self.measures.iter().flat_map(|ids| ids.iter().copied()).collect()
        };
        chosen.extend(also);
        let mut seen = Vec::new();
        chosen.retain(|measure| {
            let new = !seen.contains(&measure.id);
            seen.push(measure.id);
            new
        });
        chosen
    }
}

/// Estimates for datasets that are too large for the distance measures.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measures")]
pub struct ApproxArgs {
    /// Estimate the distance measures from a sample, with a 95% error of at most EPS.
    #[arg(long, value_name = "EPS", value_parser = parse_error_bound)]
    approx: Option<f64>,
    /// Stop at the best estimate after so many seconds for each dataset.
    #[arg(long, value_name = "S", value_parser = parse_seconds)]
    limit_seconds: Option<Duration>,
    /// The seed of the sample.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

impl ApproxArgs {
    /// `None` if exact scores are wanted.
    pub fn chosen(&self) -> Option<Approximation> {
        let Self { approx: error, limit_seconds: limit, seed } = *self;
        (error.is_some() || limit.is_some()).then_some(Approximation::new(error, limit).with_seed(seed))
    }
}

/// Where results go, and in which form.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// The form of the result.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Write the result to a file instead of standard output (-).
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// No progress, no notes; errors and warnings only.
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Json,
    Csv,
    Markdown,
}

/// Bars for release pipelines.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct BarArgs {
    /// Exit with code 1 if a dataset scores worse than this; may be given several times.
    #[arg(long, value_name = "ID=VALUE", value_parser = parse_bar)]
    pub fail_under: Vec<Bar>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use clmatch::measure::DEFAULT;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_names_the_default_measures() {
        let mut rank = Cli::command().find_subcommand("rank").cloned().unwrap();
        assert!(rank.render_long_help().to_string().contains(&DEFAULT.join(",")));
    }
}

//! The command line: every option once, shared between the commands that take it.

mod batch;
mod calibrate;
mod classify;
mod compare;
mod explain;
mod global;
mod improve;
mod input_words;
mod lab;
mod pick;
mod relabel;
mod truth;
mod uncertainty;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clmatch::measure;
use clmatch::{Approximation, Measure, Singletons};
use clmatch_analysis::bars::Bar;
use clmatch_analysis::scoring::ScoreSettings;
use clmatch_analysis::uncertainty::UncertaintySettings;
use clmatch_data::{Missing, ReadOptions, Scale};

pub use self::batch::BatchArgs;
pub use self::calibrate::CalibrateArgs;
pub use self::classify::ClassifyArgs;
pub use self::compare::CompareArgs;
pub use self::explain::ExplainArgs;
pub use self::global::{CompletionsArgs, GlobalArgs, ManArgs, colour_in};
pub use self::improve::ImproveArgs;
pub use self::lab::{Experiment, LabArgs, StabilityArgs};
pub use self::pick::PickArgs;
pub use self::relabel::RelabelArgs;
pub use self::truth::TruthArgs;
pub use self::uncertainty::UncertaintyArgs;
use crate::value_parsers::{
    Ids, Span, parse_any_bar, parse_bar, parse_error_bound, parse_fall, parse_measure, parse_measures,
    parse_missing, parse_range, parse_seconds, parse_separator, whole,
};

/// How well do the class labels of a dataset match the clusters that its points form?
#[derive(Debug, Parser)]
#[command(name = "clmatch", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub global: GlobalArgs,
}

const EXIT_CODES: &str = "Exit codes: 0 success, 1 a bar set by --fail-under or --fail-above was missed, 2 wrong usage, \
    3 bad input, 4 any other failure or an interrupt.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Score the embedded datasets and rank them.
    Demo(DemoArgs),
    /// Score one dataset.
    Score(ScoreArgs),
    /// Score many datasets (files and folders) and rank them, best first.
    Rank(RankArgs),
    /// Compare representations of the same rows: which one separates the classes best?
    Compare(CompareArgs),
    /// Show which classes overlap, which are several clusters, which points look mislabelled, and what would help.
    Explain(ExplainArgs),
    /// Tune nine clustering techniques: their best scores approximate how well labels and clusters really match.
    Truth(TruthArgs),
    /// Tune eight classifiers and report their cross-validated accuracy.
    Classify(ClassifyArgs),
    /// Show how often a ranking of techniques would be the same on other datasets.
    Stability(StabilityArgs),
    /// Choose datasets for a benchmark: valid, diverse, and with a ranking of techniques that holds.
    Pick(PickArgs),
    /// Fit the growth rates k of protocol T4 to datasets that people have judged.
    Calibrate(CalibrateArgs),
    /// Run the paper's experiments and compare the results with the paper's.
    Lab(LabArgs),
    /// Show what changed between two results that were written with --format json.
    Diff(DiffArgs),
    /// Find the features, or weights on them, that raise the score of a dataset, and write the dataset with them.
    Improve(ImproveArgs),
    /// Merge, split and rename classes, relabel and drop rows, and write the repaired dataset.
    Relabel(RelabelArgs),
    /// List the measures.
    Measures(MeasuresArgs),
    /// List well-known datasets with their scores.
    Catalogue(CatalogueArgs),
    /// Print a script that completes commands and options in a shell.
    Completions(CompletionsArgs),
    /// Print the manual page of clmatch or of one of its commands.
    Man(ManArgs),
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
    /// Labels form a tree whose parts are separated by this text, as in animal/dog/poodle: score each level, and the children
    /// of each node among themselves.
    #[arg(long, value_name = "SEPARATOR", value_parser = parse_separator, conflicts_with_all = ["fail_under", "ci", "null"],
        help_heading = "Measures")]
    pub levels: Option<String>,
    #[command(flatten)]
    pub uncertainty: UncertaintyArgs,
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
    /// Rank by this measure [default: clm, or the first of --measures if clm is not among them].
    #[arg(long, value_name = "ID", value_parser = parse_measure)]
    pub by: Option<&'static Measure>,
    /// Show only the best N datasets.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
    pub top: Option<u64>,
    /// Record finished datasets in this file, one JSON line each, and skip those that it already holds.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub measures: MeasureArgs,
    #[command(flatten)]
    pub uncertainty: UncertaintyArgs,
    #[command(flatten)]
    pub approx: ApproxArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub bars: BarArgs,
}

#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The earlier result.
    pub before: PathBuf,
    /// The later result.
    pub after: PathBuf,
    /// Compare by this measure [default: the one that the later result was ranked by, else clm or the first measure that
    /// both results have].
    #[arg(long, value_name = "ID", value_parser = parse_measure)]
    pub by: Option<&'static Measure>,
    /// Exit with code 1 if the score of a dataset became worse by more than this.
    #[arg(long, value_name = "VALUE", value_parser = parse_fall, help_heading = "Output")]
    pub fail_above: Option<f64>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct CatalogueArgs {
    /// Sort by this measure.
    #[arg(long, value_name = "ID", value_parser = parse_measure, default_value = "clm")]
    pub by: &'static Measure,
    /// Show only datasets that score at least this well; may be given several times.
    #[arg(long, value_name = "ID=VALUE", value_parser = parse_bar)]
    pub min: Vec<Bar>,
    /// Show only datasets with this many classes: 3..10, 3.. or 3.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub classes: Option<Span>,
    /// Show only datasets with this many points.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub points: Option<Span>,
    /// Show only datasets with this many features.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub features: Option<Span>,
    /// Show only the top third of all datasets by the measure that they are sorted by.
    #[arg(long)]
    pub top_third: bool,
    /// Show only the best N datasets.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX))]
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
    /// The label column, by name or by index (0 is the first, -1 the last); with --labels, the column of that file
    /// [default: a column named label, class, target, species or y (unless there is an x, too), else the only column of
    /// text, else the last one].
    #[arg(long, value_name = "NAME|INDEX", allow_hyphen_values = true)]
    label: Option<String>,
    /// A file with one label per row, instead of a label column; if it has several columns, --label chooses one.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The matrix of an AnnData file that holds the points: X, raw/X, layers/NAME or obsm/NAME [default: X].
    #[arg(long, value_name = "NAME")]
    layer: Option<String>,
    /// Leave these columns out.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    drop: Vec<String>,
    /// Leave out all columns of text.
    #[arg(long)]
    drop_text: bool,
    /// Use these columns as features even if they look like ids or row numbers, which are left out otherwise.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    keep: Vec<String>,
    /// Use only these columns as features.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', allow_hyphen_values = true)]
    only: Vec<String>,
    /// Turn columns of text into indicator columns: all of them, or those that are named.
    #[arg(long, value_name = "COL,...", value_delimiter = ',', num_args = 0..=1, require_equals = true,
        default_missing_value = "*")]
    one_hot: Vec<String>,
    /// What to do with missing values.
    #[arg(long, value_name = "HOW", value_parser = parse_missing, default_value = "error", help = MISSING_HELP)]
    missing: Missing,
    /// Read numbers that are written with a decimal comma.
    #[arg(long)]
    decimal_comma: bool,
    /// The first line of a text table holds the names of columns [default: decided by its content].
    #[arg(long, conflicts_with = "no_header")]
    header: bool,
    /// The first line of a text table holds data, not the names of columns.
    #[arg(long)]
    no_header: bool,
    /// Pass over the first N lines of a text table.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    skip_rows: usize,
    #[arg(long, value_name = "HOW", default_value = "max-abs", help = SCALE_HELP)]
    pub scale: Scale,
    /// Leave out the points with this label; without this option they are a class like any other.
    #[arg(long, value_name = "LABEL", allow_hyphen_values = true)]
    pub noise: Option<String>,
    /// What to do with classes of one point: error (most measures need two), drop (leave the class out).
    #[arg(long, value_name = "HOW", value_enum, default_value = "error")]
    singletons: SingletonChoice,
}

const MISSING_HELP: &str =
    "What to do with missing values: error, drop (leave the row out), mean (use the mean of the column)";
const SCALE_HELP: &str = "How to scale the features: none, max-abs (divide everything by the largest absolute value, as \
    in the paper), standard, min-max or robust (each column on its own)";

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
            drop_text: self.drop_text,
            keep: self.keep.clone(),
            only: self.only.clone(),
            one_hot: self.one_hot.clone(),
            missing: self.missing,
            decimal_comma: self.decimal_comma,
            header: self.header.then_some(true).or(self.no_header.then_some(false)),
            skip_rows: self.skip_rows,
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
            uncertainty: UncertaintySettings::default(),
            try_standard: false,
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
    /// The measures to compute, or all; `clmatch measures` explains them [default: clm,ch_a,xb_a,db_a,di_a,sc_a].
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = parse_measures)]
    measures: Vec<Ids>,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096))]
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
    /// Estimate distance measures from a sample, with an error of at most this in 95% of all cases. The spanning trees of clm
    /// are computed from all points all the same.
    #[arg(long, value_name = "ERROR", value_parser = parse_error_bound)]
    approx: Option<f64>,
    /// Take the best estimate that can be had in this many seconds for each dataset.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    limit_seconds: Option<Duration>,
    /// The seed of samples, of intervals and of random labels.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
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
    /// The format of the result.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Write the result to a file instead of standard output (-).
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Show no progress and no notes, only errors and warnings.
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
    /// Exit with code 1 if a dataset scores worse than this, or its worst pair of classes (worst:ID=VALUE); may be given
    /// several times.
    #[arg(long, value_name = "ID=VALUE", value_parser = parse_any_bar)]
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

//! The command line: every option once, shared between the commands that take it.

mod batch;
mod calibrate;
mod classify;
mod compare;
mod explain;
mod global;
mod improve;
mod input;
mod inspect;
mod lab;
mod pick;
mod relabel;
mod report;
mod serve;
mod stream;
mod truth;
mod uncertainty;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clmatch::measure;
use clmatch::{Approximation, Measure};
use clmatch_analysis::bars::Bar;
use clmatch_data::Scale;

pub use self::batch::BatchArgs;
pub use self::calibrate::CalibrateArgs;
pub use self::classify::ClassifyArgs;
pub use self::compare::CompareArgs;
pub use self::explain::ExplainArgs;
pub use self::global::{CompletionsArgs, GlobalArgs, ManArgs, colour_in};
pub use self::improve::ImproveArgs;
pub use self::input::InputArgs;
pub use self::inspect::InspectArgs;
pub use self::lab::{LabArgs, StabilityArgs};
pub use self::pick::{Accept, PickArgs};
pub use self::relabel::RelabelArgs;
pub use self::report::ReportArgs;
pub use self::serve::ServeArgs;
pub use self::stream::{MemoryArgs, StreamArgs};
pub use self::truth::TruthArgs;
pub use self::uncertainty::UncertaintyArgs;
pub use self::watch::{WatchArgs, WatchFormat};
use crate::value_parsers::{
    CATALOGUED_SCALE, Ids, MEASURE, MEASURES, Span, parse_any_bar, parse_bar, parse_error_bound, parse_fall,
    parse_range, parse_seconds, parse_separator, whole,
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

const EXIT_CODES: &str = "Exit codes: 0 success, 1 a bar set by --fail-under, --fail-unless, --fail-above or --fail-on-alarm was missed, 2 wrong \
    usage, 3 bad input, 4 any other failure, 130 interrupted by Ctrl-C.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Score the embedded datasets and rank them.
    Demo(DemoArgs),
    /// Show how a file is understood: its columns and what they are used as, and the command that scores it.
    Inspect(InspectArgs),
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
    /// Show how often a ranking of techniques is found again when its datasets are drawn anew.
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
    /// Write a page with the scores, pictures and explanation of a dataset, or with a ranking of many.
    Report(ReportArgs),
    /// Serve the same views as a web application on this computer: drop a file, see, explain, improve, compare.
    Serve(ServeArgs),
    /// Merge, split and rename classes, relabel and drop rows, and write the repaired dataset.
    Relabel(RelabelArgs),
    /// Watch the score of data that keep coming, window by window, and raise an alarm where it leaves its interval.
    Watch(WatchArgs),
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
    /// Write a page about the datasets to this file, too.
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// The dataset: a file, a folder with data and label files, the name of an embedded dataset, or - for standard input;
    /// with --stream also several files, or a folder of parts.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub measures: MeasureArgs,
    /// Labels form a tree whose parts are separated by this text, as in animal/dog/poodle: score each level, and the children
    /// of each node among themselves.
    #[arg(long, value_name = "SEPARATOR", value_parser = parse_separator, conflicts_with_all = ["fail_under", "fail_unless", "ci", "null"],
        help_heading = "Measures")]
    pub levels: Option<String>,
    #[command(flatten)]
    pub uncertainty: UncertaintyArgs,
    #[command(flatten)]
    pub approx: ApproxArgs,
    #[command(flatten)]
    pub stream: StreamArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub bars: BarArgs,
}

#[derive(Debug, Args)]
pub struct RankArgs {
    /// Files, folders that are searched for datasets, manifests (bench.toml) and names of embedded datasets.
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Rank by this measure [default: clm, or the first of --measures if clm is not among them].
    #[arg(long, value_name = "ID", value_parser = MEASURE, hide_possible_values = true)]
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
    pub memory: MemoryArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Show every error whole, with what to do about it, and name the files that are passed over.
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
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
    #[arg(long, value_name = "ID", value_parser = MEASURE, hide_possible_values = true)]
    pub by: Option<&'static Measure>,
    /// Exit with code 1 if the score of a dataset became worse by more than this, or if a dataset is gone.
    #[arg(long, value_name = "VALUE", value_parser = parse_fall, help_heading = "Output")]
    pub fail_above: Option<f64>,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct CatalogueArgs {
    /// Show this dataset only: its scores with either scaling, what techniques reach, and where it can be had.
    #[arg(value_name = "NAME",
        conflicts_with_all = ["by", "min", "classes", "points", "features", "scale", "top_third", "top"])]
    pub name: Option<String>,
    /// Sort by this measure.
    #[arg(long, value_name = "ID", value_parser = MEASURE, hide_possible_values = true, default_value = "clm")]
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
    /// Show the scores of data scaled by max-abs, as in the paper, or by standard (every feature at the same weight).
    #[arg(long, value_name = "HOW", value_parser = CATALOGUED_SCALE, hide_possible_values = true, default_value = "max-abs")]
    pub scale: Scale,
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
    /// Show all there is to know of these measures [default: a line for each measure].
    #[arg(value_name = "ID", value_parser = MEASURE, hide_possible_values = true)]
    pub ids: Vec<&'static Measure>,
    /// Show which axioms each measure satisfies.
    #[arg(long, conflicts_with = "ids")]
    pub axioms: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Which measures are computed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measures")]
pub struct MeasureArgs {
    /// The measures to compute, or all; `clmatch measures` explains them [default: clm,ch_a,xb_a,db_a,di_a,sc_a].
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = MEASURES, hide_possible_values = true)]
    measures: Vec<Ids>,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096))]
    pub threads: Option<u64>,
}

impl MeasureArgs {
    /// The options that are not the default ones, as words of a command line.
    pub fn words(&self) -> Vec<String> {
        let ids: Vec<&str> =
            self.measures.iter().flat_map(|ids| ids.iter().map(|measure| measure.id)).collect();
        if ids.is_empty() { Vec::new() } else { vec![format!("--measures={}", ids.join(","))] }
    }

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
    /// Take the best estimate that can be had in this many seconds for each dataset, once it has been read: exact where there
    /// is time, otherwise from a sample. Measures that only all points determine, such as di, are then left out.
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
    /// Exit with code 1 unless the verdict of every dataset is this or better: fit, fit-after-change or cannot-be-said.
    #[arg(long, value_name = "VERDICT", value_enum, hide_possible_values = true)]
    pub fail_unless: Option<Accept>,
}

impl BarArgs {
    /// The measures that bars need.
    pub fn measures(&self) -> impl Iterator<Item = &'static Measure> {
        let of_verdict = self.fail_unless.and_then(|_| measure::find("clm"));
        self.fail_under.iter().map(|bar| bar.measure).chain(of_verdict)
    }
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

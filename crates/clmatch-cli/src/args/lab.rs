//! Arguments of `clmatch lab` and `clmatch stability`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clmatch::Measure;
use clmatch_truth::stability;

use super::OutputArgs;
use crate::value_parsers::parse_measure;

#[derive(Debug, Args)]
#[command(after_help = LAB_HELP)]
pub struct LabArgs {
    /// Which experiment of the paper.
    #[arg(value_enum)]
    pub experiment: Experiment,
    /// Files, and folders that are searched for datasets.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub datasets: Vec<PathBuf>,
    /// The folder for pages, figures and raw numbers; it is made if need be.
    #[arg(long, value_name = "DIR", default_value = "lab-results")]
    pub out: PathBuf,
    /// The ground truth that `clmatch truth` wrote [default: truth.csv in the folder, else computed].
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// The accuracies that `clmatch classify` wrote [default: classifiers.csv in the folder, else computed with --quick].
    #[arg(long, value_name = "FILE")]
    pub accuracies: Option<PathBuf>,
    /// The seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=4096))]
    pub threads: Option<u64>,
    /// No progress, no notes; errors and warnings only.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const LAB_HELP: &str = "Each experiment writes NAME.md with our numbers beside the paper's, figures as SVG and raw \
    numbers as CSV; `all` also writes index.md. What takes long (truth, classifiers, improve) is kept in the folder as \
    it is finished: the same command goes on after an interrupt.";

/// The experiments of the paper, in the order in which `all` runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Experiment {
    /// Which protocols make measures insensitive to the number of points and of dimensions.
    Ablation,
    /// Growth rates k: a round trip with simulated judges, and transfer from the human-calibrated CH_A.
    Calibrate,
    /// Measures against labels that are shuffled more and more.
    Within,
    /// Measures and classifiers against the ground truth.
    Across,
    /// Rankings of techniques on good, all and bad datasets.
    Stability,
    /// Run times of measures, classifiers and the clustering ensemble.
    Runtime,
    /// Scores of a half, a quarter and a tenth of the points.
    Density,
    /// Datasets repaired by better features, and what that does to rankings.
    Improve,
    /// The ground truth with ten seeds: how far it moves. Takes as long as ten times K-Means and X-Means; not part of all.
    TruthSeeds,
    /// All of them, with a page that leads to each.
    All,
}

const STABILITY_HELP: &str = "Techniques are ranked by their mean score, over all datasets of a set and over each draw from \
    it. The whole ranking holds in a draw that has the same ranking. Two techniques keep their order in a draw that has \
    them in the same order as the set; a tie in one of the two counts half. In JSON and CSV, `kept` is the share of such \
    draws, and `stability` is the paper's pairwise rank stability: the share of the order that is more frequent in the \
    draws, whichever that is.";

#[derive(Debug, Args)]
#[command(after_help = STABILITY_HELP)]
pub struct StabilityArgs {
    /// Scores of techniques on datasets: a CSV file with the columns dataset, technique, score, and external if there are
    /// several measures, as `clmatch truth -o` writes it.
    pub file: PathBuf,
    /// The external measure to rank by [default: the first one in the file].
    #[arg(long, value_name = "ID")]
    pub external: Option<String>,
    /// Compare these techniques only.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub techniques: Vec<String>,
    /// Scores of the datasets, as `clmatch rank --format csv` prints them: also look at their best and worst third.
    #[arg(long, value_name = "FILE")]
    pub scores: Option<PathBuf>,
    /// The measure that the thirds are cut by.
    #[arg(long, value_name = "ID", value_parser = parse_measure, default_value = "clm", requires = "scores")]
    pub by: &'static Measure,
    /// Datasets of a draw.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value_t = stability::DrawSettings::default().size as u64)]
    pub size: u64,
    /// How many draws.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), default_value_t = stability::DrawSettings::default().draws as u64)]
    pub draws: u64,
    /// The seed of the draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

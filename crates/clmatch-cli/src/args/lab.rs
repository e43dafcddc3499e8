//! Arguments of `clmatch lab` and `clmatch stability`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clmatch::Measure;
use clmatch_lab::Reading;
use clmatch_truth::stability;

use super::OutputArgs;
use crate::value_parsers::{MEASURE, whole};

#[derive(Debug, Args)]
#[command(after_help = LAB_HELP)]
pub struct LabArgs {
    /// The experiment.
    #[arg(value_enum)]
    pub experiment: Experiment,
    /// How the paper is read.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = ReadingChoice::Text)]
    pub reading: ReadingChoice,
    /// Files, and folders that are searched for datasets.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub datasets: Vec<PathBuf>,
    /// The folder for pages, figures and raw numbers; it is created if it does not exist.
    #[arg(long, value_name = "DIR", default_value = "lab-results")]
    pub out: PathBuf,
    /// The ground truth that `clmatch truth` wrote [default: truth.csv, or truth-authors.csv, in the --out folder, computed if it is not there].
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// The accuracies that `clmatch classify` wrote [default: classifiers.csv in the --out folder, computed with --quick if it is not there].
    #[arg(long, value_name = "FILE")]
    pub accuracies: Option<PathBuf>,
    /// Tune techniques on at most this many points of each dataset, drawn class by class, where the ground truth is not there yet.
    #[arg(long, value_name = "N", value_parser = whole(2..=u64::MAX))]
    pub max_points: Option<u64>,
    /// A first look: 20 synthetic datasets instead of 1,000 (ablation, calibrate), and small data (complexity).
    #[arg(long)]
    pub quick: bool,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
    /// How many threads to use [default: one per core].
    #[arg(long, value_name = "N", value_parser = whole(1..=4096))]
    pub threads: Option<u64>,
    /// Show no progress and no notes, only errors and warnings.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const LAB_HELP: &str = "Each experiment writes NAME.md with our numbers beside the paper's, figures as SVG, raw numbers and \
    claims as CSV, and brings index.md up to date: the paper in its order, every claim with a verdict. `--reading authors` \
    writes NAME-authors.md; pages show the claims of both readings that are in the folder. Long work (truth, classifiers, \
    measured, within, improve) is saved in the folder as it goes: after an interrupt, the same command continues it.";

/// [`Reading`] as a word of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReadingChoice {
    /// As its text says.
    Text,
    /// As its authors' programs compute; `all` then runs the experiments in which that makes a difference.
    Authors,
}

impl From<ReadingChoice> for Reading {
    fn from(choice: ReadingChoice) -> Reading {
        match choice {
            ReadingChoice::Text => Reading::Text,
            ReadingChoice::Authors => Reading::Authors,
        }
    }
}

/// The experiments of the paper, in the order in which `all` runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Experiment {
    /// Which axioms hold, with the smallest counterexamples.
    Axioms,
    /// How run times grow with points, dimensions and classes.
    Complexity,
    /// Which protocols make measures insensitive to the number of points and of dimensions.
    Ablation,
    /// Growth rates k: a round trip with simulated judges, and transfer from the human-calibrated CH_A.
    Calibrate,
    /// Measures on labels that are shuffled more and more.
    Within,
    /// Measures and classifiers compared with the ground truth.
    Across,
    /// Rankings of techniques on good, all and bad datasets.
    Stability,
    /// Run times of measures, classifiers and the clustering ensemble.
    Runtime,
    /// Scores of a half, a quarter and a tenth of the points.
    Density,
    /// Datasets improved by better features, and what that does to rankings.
    Improve,
    /// How far the ground truth moves with ten seeds. Takes ten times as long as K-Means and X-Means; not part of all.
    TruthSeeds,
    /// All of them, with a page of links.
    All,
}

const STABILITY_HELP: &str = "Techniques are ranked by their mean score, over all datasets of a set and over each draw from \
    it. Draws are with replacement: they say how much the ranking depends on these datasets, and nothing of datasets of \
    another kind. The whole ranking holds in a draw that has the same ranking. Two techniques keep their order in a draw that has \
    them in the same order as the set; a tie in one of the two counts half. In JSON and CSV, `kept` is the share of such \
    draws, and `stability` is the paper's pairwise rank stability: the share of the order that is more frequent in the \
    draws, whichever that is. The paper draws each dataset at most once, and so does clmatch lab.";

#[derive(Debug, Args)]
#[command(after_help = STABILITY_HELP)]
pub struct StabilityArgs {
    /// Scores of techniques on datasets: a CSV file with the columns dataset, technique, score, and external if there are
    /// several measures, as `clmatch truth -o` writes it.
    pub file: PathBuf,
    /// The external measure to rank by [default: the first one in the file].
    #[arg(long, value_name = "ID")]
    pub external: Option<String>,
    /// Compare only these techniques.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub techniques: Vec<String>,
    /// Scores of the datasets, as `clmatch rank --format csv` prints them: also look at their best and worst third.
    #[arg(long, value_name = "FILE")]
    pub scores: Option<PathBuf>,
    /// The measure that decides the thirds.
    #[arg(long, value_name = "ID", value_parser = MEASURE, hide_possible_values = true, default_value = "clm", requires = "scores")]
    pub by: &'static Measure,
    /// How many datasets to draw at a time.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX), default_value_t = stability::DrawSettings::default().size as u64)]
    pub size: u64,
    /// How many times to draw.
    #[arg(long, value_name = "N", value_parser = whole(1..=u64::MAX), default_value_t = stability::DrawSettings::default().draws as u64)]
    pub draws: u64,
    /// The seed of the draws.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

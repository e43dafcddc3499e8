//! Arguments of `clmatch report`.

use std::path::PathBuf;

use clap::Args;
use clmatch::Measure;
use clmatch_analysis::uncertainty::UncertaintySettings;

use super::{InputArgs, MeasureArgs};
use crate::value_parsers::{MEASURE, whole};

#[derive(Debug, Args)]
#[command(after_help = REPORT_HELP)]
pub struct ReportArgs {
    /// A dataset, several datasets, folders or manifests of them, or results: what rank, truth and stability have written (JSON, or the CSV
    /// of truth), or a folder of lab.
    #[arg(required_unless_present = "catalogue")]
    pub paths: Vec<PathBuf>,
    /// Show the catalogue of well-known datasets instead.
    #[arg(long, conflicts_with = "paths")]
    pub catalogue: bool,
    /// Rank several datasets by this measure [default: clm, or the first of --measures if clm is not among them].
    #[arg(long, value_name = "ID", value_parser = MEASURE, hide_possible_values = true)]
    pub by: Option<&'static Measure>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub measures: MeasureArgs,
    /// Show these columns of the file beside suspicious rows, after ids that were left out; text columns can be shown, too.
    #[arg(
        long,
        value_name = "COL,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    pub show: Vec<String>,
    /// Leave out the 95% intervals, which take some time for a large dataset.
    #[arg(long, help_heading = "Measures")]
    pub no_ci: bool,
    /// How many random labellings are scored for comparison; 0 for none.
    #[arg(long, value_name = "N", value_parser = whole(0..=1_000_000), default_value_t = 99, help_heading = "Measures")]
    pub null: u64,
    /// The seed of intervals, of random labels and of the search for clusters within classes.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0, help_heading = "Measures")]
    pub seed: u64,
    /// Write the page to this file; - writes it to standard output.
    #[arg(short, long, value_name = "FILE.html", help_heading = "Output")]
    pub output: PathBuf,
    /// Show every error whole, with what to do about it, and name the files that are passed over.
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Show no progress and no notes, only errors and warnings.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

const REPORT_HELP: &str = "The page is one file that loads nothing from the network. Intervals, random labels and the \
    explanation are computed for a single dataset; several datasets are scored and ranked.";

impl ReportArgs {
    /// What is found out about a single dataset besides scores.
    pub fn uncertainty(&self) -> UncertaintySettings {
        UncertaintySettings { intervals: !self.no_ci, permutations: self.null as usize, seed: self.seed }
    }

    /// The words of the command line that make the page again.
    pub fn words(&self) -> Vec<String> {
        let mut words = ["clmatch", "report"].map(String::from).to_vec();
        words.extend(self.paths.iter().map(|path| path.display().to_string()));
        words.extend(self.catalogue.then(|| "--catalogue".to_owned()));
        words.extend(self.input.words());
        words.extend((!self.show.is_empty()).then(|| format!("--show={}", self.show.join(","))));
        words.extend(self.measures.words());
        words.extend(self.by.map(|by| format!("--by={}", by.id)));
        words.extend(self.no_ci.then(|| "--no-ci".to_owned()));
        words.extend((self.null != 99).then(|| format!("--null={}", self.null)));
        words.extend((self.seed != 0).then(|| format!("--seed={}", self.seed)));
        words.extend(["-o".to_owned(), self.output.display().to_string()]);
        words
    }
}

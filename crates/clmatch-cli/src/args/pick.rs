//! Arguments of `clmatch pick`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clmatch::Measure;
use clmatch_analysis::verdict::AcceptedVerdict;

use super::OutputArgs;
use crate::value_parsers::{MEASURE, parse_diversity, whole};

const PICK_HELP: &str = "Stability is the paper's pairwise rank stability, over draws of half of the chosen datasets: the share \
    of draws with the more frequent order of two techniques, on average over all pairs. Diversity is how far a chosen dataset \
    lies from the one most like it, by the logarithms of its points, features and classes and by the ranks of the techniques on \
    it, in multiples of that of a random choice. Agreement is the share of pairs of techniques with the same order as over all \
    valid datasets.";

#[derive(Debug, Args)]
#[command(after_help = PICK_HELP)]
pub struct PickArgs {
    /// Scores of the datasets, as `clmatch rank --format json` or csv prints them (JSON tells more); or the datasets themselves,
    /// as a manifest (bench.toml) or a folder, which are ranked first [default: the catalogue].
    pub ranking: Option<PathBuf>,
    /// How many datasets to choose.
    #[arg(long, value_name = "N", value_parser = whole(2..=1000), default_value_t = 10)]
    pub count: u64,
    /// Scores of techniques on the datasets, as `clmatch truth -o` writes them [default: those of the catalogue].
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// The measure of the verdict [default: the one that the ranking was made by, else clm or the first measure].
    #[arg(long, value_name = "ID", value_parser = MEASURE, hide_possible_values = true)]
    pub by: Option<&'static Measure>,
    /// The weakest verdict that makes a dataset valid.
    #[arg(long, value_name = "VERDICT", value_enum, default_value = "fit-after-change")]
    pub accept: Accept,
    /// The least diversity, in multiples of that of a random choice; 0 for stability alone.
    #[arg(long, value_name = "FACTOR", value_parser = parse_diversity, default_value_t = 1.0,
        allow_negative_numbers = true)]
    pub diversity: f64,
    /// The external measure to rank techniques by [default: the first one in the file, for the catalogue ami].
    #[arg(long, value_name = "ID")]
    pub external: Option<String>,
    /// Rank only these techniques.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub techniques: Vec<String>,
    /// The seed of the search and of the random choices.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The verdicts that can be good enough.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Accept {
    /// Fit.
    Fit,
    /// Fit, or fit after a change.
    #[value(alias = "fit-but-for-pairs")]
    FitAfterChange,
    /// Everything except not fit.
    #[value(alias = "with-care")]
    CannotBeSaid,
}

impl From<Accept> for AcceptedVerdict {
    fn from(accept: Accept) -> Self {
        match accept {
            Accept::Fit => AcceptedVerdict::Fit,
            Accept::FitAfterChange => AcceptedVerdict::FitAfterChange,
            Accept::CannotBeSaid => AcceptedVerdict::CannotBeSaid,
        }
    }
}

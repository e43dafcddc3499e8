//! Arguments about what a score alone does not tell.

use clap::Args;
use clmatch_analysis::uncertainty::UncertaintySettings;

use crate::value_parsers::whole;

/// Intervals for scores, and what random labels would score.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measures")]
pub struct UncertaintyArgs {
    /// Show a 95% interval for every score: for the mean score of samples of this size.
    #[arg(long)]
    ci: bool,
    /// Score N random labellings, too, with classes of the same sizes: their mean, and how often they score as well (p).
    #[arg(long, value_name = "N", value_parser = whole(1..=1_000_000))]
    null: Option<u64>,
}

impl UncertaintyArgs {
    pub fn settings(&self, seed: u64) -> UncertaintySettings {
        let permutations = self.null.unwrap_or(0) as usize;
        UncertaintySettings { intervals: self.ci, permutations, seed }
    }
}

//! Arguments of `clmatch classify`.

use clap::Args;
use clmatch_analysis::accuracies::Mode;
use clmatch_truth::classifiers::Method;

use super::BatchArgs;
use crate::value_parsers::{CLASSIFIER, whole};

#[derive(Debug, Args)]
pub struct ClassifyArgs {
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = CLASSIFIER, hide_possible_values = true, help = CLASSIFIERS_HELP)]
    pub classifiers: Vec<Method>,
    /// At most 500 points and 10 settings instead of 2000 points and 30 settings.
    #[arg(long)]
    quick: bool,
    /// All points of each dataset instead of at most 2000, drawn class by class.
    #[arg(long, conflicts_with = "quick")]
    full: bool,
    /// The seed of all random choices.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub batch: BatchArgs,
}

const CLASSIFIERS_HELP: &str =
    "Tune these classifiers: svm, knn, mlp, nb, rf, lr, lda, xgb [default: all eight]";

impl ClassifyArgs {
    /// How much effort is made.
    pub fn mode(&self) -> Mode {
        match (self.quick, self.full) {
            (true, _) => Mode::Quick,
            (_, true) => Mode::Full,
            _ => Mode::Default,
        }
    }
}

//! Arguments of `clmatch truth`.

use clap::{Args, ValueEnum};
use clmatch_cluster::external::External;
use clmatch_truth::techniques::{BIRCH_THRESHOLDS, Technique, TruthSearch};

use super::BatchArgs;
use crate::value_parsers::{EXTERNAL, TECHNIQUE, whole};

#[derive(Debug, Args)]
#[command(after_help = TRUTH_HELP)]
pub struct TruthArgs {
    /// Tune for these external measures and rank by the first [default: ami,arand,vm,nmi].
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = EXTERNAL, hide_possible_values = true)]
    pub external: Vec<External>,
    #[arg(long, value_name = "ID,...", value_delimiter = ',', value_parser = TECHNIQUE, hide_possible_values = true, help = TECHNIQUES_HELP)]
    pub techniques: Vec<Technique>,
    /// How settings are searched.
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SearchChoice::Full)]
    pub search: SearchChoice,
    /// How many thresholds BIRCH tries in the full search, at least 2; fewer on data where each of them takes long.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = BIRCH_THRESHOLDS as u64)]
    pub budget: u64,
    /// Let BIRCH form 2 to 3K clusters for K classes, instead of 3 as in the paper.
    #[arg(long)]
    pub birch_clusters: bool,
    /// Use at most this many points of each dataset, drawn class by class.
    #[arg(long, value_name = "N", value_parser = whole(2..=u64::MAX))]
    pub max_points: Option<u64>,
    /// The seed of K-Means, X-Means, --search paper and --max-points; nothing else is random.
    #[arg(long, value_name = "N", value_parser = whole(0..=u64::MAX), default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub batch: BatchArgs,
}

/// [`TruthSearch`] as a word of the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SearchChoice {
    /// Every setting where that can be done, and a grid elsewhere.
    Full,
    /// 5 random and 25 guided evaluations for each technique, as the paper's authors did; partitions in which nearly every
    /// point is alone count.
    Paper,
}

impl From<SearchChoice> for TruthSearch {
    fn from(choice: SearchChoice) -> TruthSearch {
        match choice {
            SearchChoice::Full => TruthSearch::Full,
            SearchChoice::Paper => TruthSearch::Paper,
        }
    }
}

const TRUTH_HELP: &str = "In the full search K-Means and X-Means are scored by their mean over several seeds, as many as are needed to know \
    it within about 0.005; the best setting is the one with the best mean. The order of rows and columns matters for BIRCH \
    only, whose subclusters depend on it. Other techniques that have to choose between equally good candidates go through \
    the rows in the order of their mean distance to all others.";

const TECHNIQUES_HELP: &str = "Tune these techniques: hdbscan, dbscan, kmeans, kmedoids, xmeans, birch, \
    agglo_single, agglo_average, agglo_complete [default: all nine]";

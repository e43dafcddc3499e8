//! How a ranking of techniques holds, finished.

use clmatch_truth::stability::Stability;
use serde::Serialize;

/// The result of `clmatch stability`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Holding {
    pub schema: String,
    /// The measure by which techniques are ranked, where the file tells.
    pub external: Option<String>,
    /// The measure by which datasets are cut into thirds, if they are.
    pub thirds_by: Option<String>,
    /// Datasets of a draw.
    pub size: usize,
    pub draws: usize,
    pub seed: u64,
    pub sets: Vec<Set>,
}

/// One set of datasets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Set {
    pub set: &'static str,
    pub datasets: usize,
    /// The share of draws in which the whole ranking is that of the set.
    pub whole: f64,
    /// The share of draws in which two techniques have the order that they have over the set: the mean over all pairs.
    pub pairs_kept: f64,
    /// The paper's pairwise rank stability: the mean over all pairs.
    pub stability: f64,
    /// Best first.
    pub techniques: Vec<Technique>,
    /// The order that holds least first.
    pub pairs: Vec<PairOf>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Technique {
    pub technique: String,
    pub rank: f64,
    /// The mean score over the set.
    pub mean: f64,
    /// The share of draws in which it is first.
    pub first: f64,
    /// The share of draws in which it has this rank.
    pub kept: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairOf {
    /// The one with the higher mean score over the set.
    pub ahead: String,
    pub behind: String,
    /// Whether neither is ahead, because the means over the set are equal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tied: bool,
    /// The share of draws in which they have this order; a tie in the draw or over the set, but not in both, counts half.
    pub kept: f64,
    /// The paper's pairwise rank stability: the share of the order that is more frequent in the draws, be it this one or
    /// the opposite.
    pub stability: f64,
}

impl Set {
    pub fn new(set: &'static str, methods: &[String], found: &Stability) -> Set {
        let mut techniques: Vec<Technique> = methods
            .iter()
            .enumerate()
            .map(|(at, name)| Technique {
                technique: name.clone(),
                rank: found.ranks[at],
                mean: found.means[at],
                first: found.first[at],
                kept: found.kept[at],
            })
            .collect();
        techniques.sort_by(|a, b| a.rank.total_cmp(&b.rank));
        let pair = |pair: &clmatch_truth::stability::MethodPair| {
            let (a, b) = (found.means[pair.a], found.means[pair.b]);
            let (ahead, behind) = if a >= b { (pair.a, pair.b) } else { (pair.b, pair.a) };
            PairOf {
                ahead: methods[ahead].clone(),
                behind: methods[behind].clone(),
                tied: a == b,
                kept: pair.kept,
                stability: pair.stability(),
            }
        };
        let mut pairs: Vec<PairOf> = found.pairs.iter().map(pair).collect();
        pairs.sort_by(|a, b| a.kept.total_cmp(&b.kept));
        Set {
            set,
            datasets: found.datasets,
            whole: found.whole,
            pairs_kept: found.mean_kept(),
            stability: found.mean_stability(),
            techniques,
            pairs,
        }
    }
}

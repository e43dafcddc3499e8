//! Datasets for a benchmark: a choice whose ranking of methods is stable, among choices that are diverse enough.
//!
//! ```text
//! stability(S) = mean over pairs of methods of max(p, 1 - p)
//! diversity(S) = mean over x in S of min over y in S, y != x, of d(x, y)
//! ```
//!
//! where p is the share of draws of half of the datasets of S (⌊|S|/2⌋ of them, each at most once) in which one method of
//! the pair has the higher mean score, ties counting half, and d is a distance between datasets. `stability` is the
//! paper's pairwise rank stability with S in the place of the whole collection; all draws are examined if there are at
//! most [`ALL_DRAWS`] of them (choices of up to 12 datasets), otherwise a seeded sample. `diversity` is how far a dataset
//! lies from the one most like it: two copies of one dataset add nothing to a benchmark.
//!
//! [`pick`] maximises `stability` subject to `diversity` being at least a given multiple of that of a random choice. If
//! there are few choices, all of them are examined; otherwise datasets are exchanged one by one from many starts, which
//! finds a choice that no single exchange improves.

mod evaluate;
mod search;

use std::fmt;

use clmatch_kernels::{Control, Stopped};
use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

pub use evaluate::ALL_DRAWS;
use evaluate::Evaluator;

use crate::rank::quantile;

/// The number of random choices that a choice is compared with.
pub const RANDOM_PICKS: usize = 1000;
/// The draws that count for the stability of a finished choice, if there are too many to examine all.
const FINAL_DRAWS: usize = 5000;
/// The draws that choices are compared by during the search, if there are too many to examine all.
const SEARCH_DRAWS: usize = 400;

/// The datasets to choose from.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates {
    /// For each dataset, the score of each method.
    pub scores: Vec<Vec<f64>>,
    /// For each dataset, its distance to every dataset.
    pub distances: Vec<Vec<f64>>,
}

/// What to choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PickSettings {
    /// The number of datasets to choose.
    pub count: usize,
    /// The smallest diversity, in multiples of the mean over random choices; 0 for stability alone.
    pub diversity: f64,
    /// The seed of everything random.
    pub seed: u64,
}

/// A choice of datasets.
#[derive(Debug, Clone, PartialEq)]
pub struct Pick {
    /// The places of the datasets, in ascending order.
    pub members: Vec<usize>,
    /// The mean pairwise rank stability under draws of half of the datasets.
    pub stability: f64,
    /// The diversity, in multiples of the mean over random choices.
    pub diversity: f64,
    /// The share of pairs of methods that have the same order as over all candidates.
    pub agreement: f64,
}

/// The scores of random choices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomPicks {
    /// The number of choices that were drawn.
    pub picks: usize,
    /// The mean stability.
    pub stability: f64,
    /// The 5% and 95% quantiles of the stability.
    pub stability_range: (f64, f64),
    /// The 5% and 95% quantiles of the diversity, whose mean is 1.
    pub diversity_range: (f64, f64),
    /// The mean agreement with all candidates.
    pub agreement: f64,
}

/// The choice, and the choices it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Picked {
    /// The most stable choice found among those that are diverse enough.
    pub pick: Pick,
    /// The most stable choice found, whatever its diversity.
    pub most_stable: Pick,
    /// Random choices.
    pub random: RandomPicks,
    /// Whether all choices were examined, so that no better one exists.
    pub exact: bool,
    judge: FinalJudge,
}

impl Picked {
    /// Judges any other choice of the same number of datasets in the same way.
    pub fn judge(&self, members: &[usize]) -> Pick {
        self.judge.of(members)
    }
}

/// Why nothing was chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum PickError {
    /// There are no more candidates than datasets to choose.
    TooFewDatasets {
        /// The number of candidates.
        candidates: usize,
        /// The number of datasets to choose.
        count: usize,
    },
    /// There are too few methods or datasets: a ranking needs two methods, and draws of half of the datasets need two
    /// datasets.
    NothingToRank,
    /// No choice reaches the required diversity.
    TooSimilar {
        /// The largest diversity found, in multiples of the mean over random choices.
        largest: f64,
    },
    /// The search was stopped.
    Stopped,
}

impl fmt::Display for PickError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PickError::TooFewDatasets { candidates, count } => {
                write!(f, "{count} datasets cannot be chosen from {candidates}")
            }
            PickError::NothingToRank => {
                f.write_str("a ranking that holds needs two methods and two datasets")
            }
            PickError::TooSimilar { largest } => write!(
                f,
                "the datasets are too similar: the most diverse choice that was found has {largest:.3} times the \
                 diversity of a random one"
            ),
            PickError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for PickError {}

impl From<Stopped> for PickError {
    fn from(_: Stopped) -> Self {
        PickError::Stopped
    }
}

/// Judges finished choices with more draws than the search uses, so that a choice gains nothing from lucky draws.
#[derive(Debug, Clone, PartialEq)]
struct FinalJudge {
    evaluator: Evaluator,
    unit: f64,
}

impl FinalJudge {
    fn of(&self, members: &[usize]) -> Pick {
        let mut members = members.to_vec();
        members.sort_unstable();
        Pick {
            stability: self.evaluator.stability(&members),
            diversity: self.evaluator.diversity(&members) / self.unit,
            agreement: self.evaluator.agreement(&members),
            members,
        }
    }
}

/// Chooses datasets. The same candidates with the same settings give the same choice.
///
/// Time: O(evaluations x draws x (count x methods + methods^2)), with a bounded number of evaluations.
///
/// # Errors
/// See [`PickError`].
pub fn pick(
    candidates: &Candidates,
    settings: PickSettings,
    control: Control<'_>,
) -> Result<Picked, PickError> {
    let PickSettings { count, diversity, seed } = settings;
    let available = candidates.scores.len();
    if available < count {
        return Err(PickError::TooFewDatasets { candidates: available, count });
    }
    if count < 2 || candidates.scores.iter().any(|scores| scores.len() < 2) {
        return Err(PickError::NothingToRank);
    }
    let evaluator = Evaluator::new(candidates, count, SEARCH_DRAWS, seed);
    let unit = mean_random_diversity(&evaluator, seed);
    let floor = diversity * unit;
    let (constrained, exact) = search::best(&evaluator, floor, seed, control)?;
    if evaluator.diversity(&constrained) < floor - search::ROUNDING {
        let largest = evaluator.diversity(&constrained) / unit;
        return Err(PickError::TooSimilar { largest });
    }
    let (alone, _) = search::best(&evaluator, 0.0, seed, control)?;
    // There are two searches: the one with the constraint may find a choice that the one without it missed.
    let missed = evaluator.stability(&constrained) > evaluator.stability(&alone);
    let alone = if missed { constrained.clone() } else { alone };
    let judge =
        FinalJudge { evaluator: Evaluator::new(candidates, count, FINAL_DRAWS, seed.wrapping_add(1)), unit };
    let (pick, most_stable) = (judge.of(&constrained), judge.of(&alone));
    Ok(Picked { pick, most_stable, random: random_picks(&judge, seed), exact, judge })
}

/// Random choices, which are the same for the same seed.
fn by_lot(evaluator: &Evaluator, seed: u64) -> impl Iterator<Item = Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (candidates, count) = (evaluator.candidates(), evaluator.count());
    (0..RANDOM_PICKS).map(move |_| {
        let mut members = index::sample(&mut random, candidates, count).into_vec();
        members.sort_unstable();
        members
    })
}

/// The unit of diversity; 1 if all datasets are alike, so that nothing is divided by 0.
fn mean_random_diversity(evaluator: &Evaluator, seed: u64) -> f64 {
    let sum: f64 = by_lot(evaluator, seed).map(|members| evaluator.diversity(&members)).sum();
    if sum > 0.0 { sum / RANDOM_PICKS as f64 } else { 1.0 }
}

fn random_picks(judge: &FinalJudge, seed: u64) -> RandomPicks {
    let picks: Vec<Pick> = by_lot(&judge.evaluator, seed).map(|members| judge.of(&members)).collect();
    let sorted = |of: fn(&Pick) -> f64| {
        let mut values: Vec<f64> = picks.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let range = |values: &[f64]| (quantile(values, 0.05), quantile(values, 0.95));
    let (stability, diversity) = (sorted(|pick| pick.stability), sorted(|pick| pick.diversity));
    RandomPicks {
        picks: RANDOM_PICKS,
        stability: mean(&stability),
        stability_range: range(&stability),
        diversity_range: range(&diversity),
        agreement: mean(&sorted(|pick| pick.agreement)),
    }
}

#[cfg(test)]
mod tests;

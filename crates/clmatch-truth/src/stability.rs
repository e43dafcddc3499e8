//! How stable a ranking of methods is under the choice of datasets.
//!
//! A draw takes some datasets at random, and methods are ranked by their mean score over them. The paper takes each
//! dataset at most once, so that a draw of nearly all datasets agrees with all of them, even if the scores are noise.
//! With replacement, a draw is another sample of the same kind of datasets. For two methods A and B:
//!
//! ```text
//! kept(A, B)      = share of draws in which A and B have the order that they have over the whole set
//! stability(A, B) = max(p, 1 - p)     where p is the share of draws in which the mean score of A is above that of B
//! ```
//!
//! A tie in the draw or over the set, but not in both, counts half. `kept` answers whether the ranking at hand would be
//! found again. `stability` is the paper's pairwise rank stability: the share of whichever order is more frequent,
//! whether or not it is that of the whole set. It is never below 1/2.

use std::cmp::Ordering;

use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::rank::ranks;
use crate::results::{Results, TableError};

/// How to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawSettings {
    /// The number of datasets in a draw.
    pub size: usize,
    /// The number of draws; the paper takes 100.
    pub draws: usize,
    /// The seed of the draws.
    pub seed: u64,
    /// Whether a draw may have the same dataset several times; in the paper it may not.
    pub replacement: bool,
}

impl Default for DrawSettings {
    fn default() -> Self {
        DrawSettings { size: 10, draws: 1000, seed: 0, replacement: false }
    }
}

/// Two methods, given by their places.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MethodPair {
    /// The first method.
    pub a: usize,
    /// The second method.
    pub b: usize,
    /// The share of draws in which `a` is ahead.
    pub share: f64,
    /// The share of draws in which the two have the same order as over the whole set.
    pub kept: f64,
}

impl MethodPair {
    /// The paper's pairwise rank stability, max(p, 1 - p): 0.5 for a coin, 1 for a pair that never changes its order.
    pub fn stability(&self) -> f64 {
        self.share.max(1.0 - self.share)
    }
}

/// The ranking of methods over one set of datasets, and how stable it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Stability {
    /// The number of datasets in the set.
    pub datasets: usize,
    /// The mean score of each method over the whole set.
    pub means: Vec<f64>,
    /// The rank of each method by its mean score, 1 for the best.
    pub ranks: Vec<f64>,
    /// The share of draws in which each method is first.
    pub first: Vec<f64>,
    /// The share of draws in which each method has the same rank as over the whole set.
    pub kept: Vec<f64>,
    /// The share of draws in which all methods have the same rank as over the whole set.
    pub whole: f64,
    /// Every pair of methods.
    pub pairs: Vec<MethodPair>,
}

impl Stability {
    /// The share of draws in which a pair has the same order as over the whole set: the mean over all pairs.
    pub fn mean_kept(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.kept).sum::<f64>() / self.pairs.len() as f64
    }

    /// The mean of the paper's pairwise rank stability.
    pub fn mean_stability(&self) -> f64 {
        self.pairs.iter().map(MethodPair::stability).sum::<f64>() / self.pairs.len() as f64
    }
}

/// Draws from the datasets at the given places, whose order does not matter.
///
/// Time: O(draws (size methods + methods^2)).
///
/// # Errors
/// If there are fewer datasets than a draw takes, or fewer than two methods.
pub fn stability(results: &Results, among: &[usize], plan: DrawSettings) -> Result<Stability, TableError> {
    if plan.size > among.len() || plan.size == 0 {
        let what = format!("{} datasets cannot be drawn from {}", plan.size, among.len());
        return Err(TableError::new(None, what, "draw fewer datasets at a time"));
    }
    let methods = results.methods.len();
    if methods < 2 {
        let what = format!("there are scores of {methods} methods");
        return Err(TableError::new(None, what, "a ranking needs at least two"));
    }
    let mean = |places: &mut dyn Iterator<Item = usize>| {
        let mut sums = vec![0.0; methods];
        let mut count = 0.0;
        for place in places {
            sums.iter_mut().zip(&results.scores[place]).for_each(|(sum, score)| *sum += score);
            count += 1.0;
        }
        sums.iter_mut().for_each(|sum| *sum /= count);
        sums
    };
    // Sorted, so that the same set with the same seed gives the same draws, and equal scores give equal sums.
    let mut among = among.to_vec();
    among.sort_unstable();
    let means = mean(&mut among.iter().copied());
    let order = downward(&means);
    let places: Vec<(usize, usize)> =
        (0..methods).flat_map(|a| (a + 1..methods).map(move |b| (a, b))).collect();
    // Counted in halves of a draw, because ties count half.
    let (mut ahead, mut same) = (vec![0_u64; places.len()], vec![0_u64; places.len()]);
    let (mut first, mut kept, mut whole) = (vec![0.0; methods], vec![0_u64; methods], 0_u64);
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    for _ in 0..plan.draws {
        let mut drawn: Vec<usize> = if plan.replacement {
            (0..plan.size).map(|_| random.random_range(0..among.len())).collect()
        } else {
            index::sample(&mut random, among.len(), plan.size).into_vec()
        };
        // Sums are always added in the same order, so that methods with equal scores have equal means.
        drawn.sort_unstable();
        let of_draw = mean(&mut drawn.into_iter().map(|at| among[at]));
        for ((ahead, same), &(a, b)) in ahead.iter_mut().zip(&mut same).zip(&places) {
            let (whole, drawn) = (order_of(&means, a, b), order_of(&of_draw, a, b));
            *ahead += halves(drawn, Ordering::Greater);
            *same += halves(drawn, whole);
        }
        let ranks = downward(&of_draw);
        let top = ranks.iter().copied().fold(f64::INFINITY, f64::min);
        let winners = ranks.iter().filter(|&&rank| rank == top).count() as f64;
        for method in 0..methods {
            first[method] += if ranks[method] == top { 1.0 / winners } else { 0.0 };
            kept[method] += u64::from(ranks[method] == order[method]);
        }
        whole += u64::from(ranks == order);
    }
    let share = |count: f64| count / plan.draws as f64;
    let pair = |((&ahead, &same), &(a, b)): ((&u64, &u64), &(usize, usize))| {
        let [ahead, kept] = [ahead, same].map(|halves| share(halves as f64 / 2.0));
        MethodPair { a, b, share: ahead, kept }
    };
    Ok(Stability {
        datasets: among.len(),
        means,
        ranks: order,
        first: first.into_iter().map(share).collect(),
        kept: kept.into_iter().map(|count| share(count as f64)).collect(),
        whole: share(whole as f64),
        pairs: ahead.iter().zip(&same).zip(&places).map(pair).collect(),
    })
}

/// Which of two methods has the higher mean score.
fn order_of(means: &[f64], a: usize, b: usize) -> Ordering {
    means[a].partial_cmp(&means[b]).unwrap_or(Ordering::Equal)
}

/// How well two orders of the same two methods agree: 2 if they are the same, 1 if one of them is a tie, 0 if they are
/// opposite.
fn halves(one: Ordering, other: Ordering) -> u64 {
    if one == other { 2 } else { u64::from(one.is_eq() || other.is_eq()) }
}

/// Ranks from 1 for the largest value.
fn downward(values: &[f64]) -> Vec<f64> {
    ranks(&values.iter().map(|value| -value).collect::<Vec<_>>())
}

/// The datasets, divided by a measure of match.
#[derive(Debug, Clone, PartialEq)]
pub struct Thirds {
    /// The best third.
    pub top: Vec<usize>,
    /// All datasets.
    pub all: Vec<usize>,
    /// The worst third.
    pub bottom: Vec<usize>,
}

impl Thirds {
    /// Takes one number per dataset, higher being better; equal numbers keep their order.
    pub fn new(match_of: &[f64]) -> Thirds {
        let mut order: Vec<usize> = (0..match_of.len()).collect();
        order.sort_by(|&a, &b| match_of[b].total_cmp(&match_of[a]));
        let third = Thirds::size(match_of.len());
        let bottom = order[order.len() - third..].to_vec();
        Thirds { top: order[..third].to_vec(), all: order, bottom }
    }

    /// The size of a third of `datasets` datasets.
    pub fn size(datasets: usize) -> usize {
        (datasets + 1) / 3
    }

    /// The three sets with their names, from good to bad.
    pub fn named(&self) -> [(&'static str, &[usize]); 3] {
        [("top third", &self.top), ("all", &self.all), ("bottom third", &self.bottom)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(scores: &[[f64; 3]]) -> Results {
        Results {
            datasets: (0..scores.len()).map(|at| format!("d{at:02}")).collect(),
            methods: ["a", "b", "c"].map(str::to_owned).to_vec(),
            scores: scores.iter().map(|row| row.to_vec()).collect(),
        }
    }

    #[test]
    fn an_order_that_every_dataset_agrees_on_is_stable() {
        let results = results(&[[3.0, 2.0, 1.0]; 12]);
        let all: Vec<usize> = (0..12).collect();
        let found = stability(&results, &all, DrawSettings::default()).unwrap();
        assert!(found.mean_stability() == 1.0 && found.mean_kept() == 1.0 && found.whole == 1.0);
        assert_eq!(found.ranks, [1.0, 2.0, 3.0]);
        assert!((found.first[0] - 1.0).abs() < 1e-9 && found.first[1] == 0.0);
        assert!(found.pairs.iter().all(|pair| (pair.share - 1.0).abs() < 1e-9));
    }

    #[test]
    fn one_dataset_at_a_time_gives_the_shares_of_datasets() {
        // a is ahead of b on 3 of 4 datasets and equal on none; c ties with b throughout.
        let results = results(&[[2.0, 1.0, 1.0], [2.0, 1.0, 1.0], [2.0, 1.0, 1.0], [0.0, 1.0, 1.0]]);
        let plan = DrawSettings { size: 1, draws: 20_000, seed: 3, ..DrawSettings::default() };
        let found = stability(&results, &[0, 1, 2, 3], plan).unwrap();
        assert!((found.pairs[0].share - 0.75).abs() < 0.02, "{:?}", found.pairs[0]);
        assert!((found.pairs[2].share - 0.5).abs() < 1e-9, "ties count half");
        assert!((found.first[0] - 0.75).abs() < 0.02 && (found.first[1] - 0.125).abs() < 0.01);
        assert_eq!(found, stability(&results, &[0, 1, 2, 3], plan).unwrap());
        let only_last = stability(&results, &[3], plan).unwrap();
        assert!((only_last.pairs[0].share).abs() < 1e-9);
    }

    #[test]
    fn a_draw_of_everything_gives_the_whole_ranking() {
        // (0.6 + 0.6) + 0.5 and (0.5 + 0.6) + 0.6 differ in the last digit, and so would other orders of summation.
        let scores = [[0.6, 0.5, 0.1], [0.6, 0.6, 0.1], [0.5, 0.6, 0.1]];
        let plan = DrawSettings { size: 3, draws: 50, ..DrawSettings::default() };
        let found = stability(&results(&scores), &[0, 1, 2], plan).unwrap();
        assert_eq!((found.pairs[0].stability(), found.whole, found.mean_kept()), (1.0, 1.0, 1.0));
    }

    #[test]
    fn an_order_holds_where_a_draw_says_what_the_whole_set_says() {
        // One dataset puts a ahead over the whole set, while the nine others have the opposite order; b and c always tie.
        let mut scores = [[0.4, 0.5, 0.5]; 10];
        scores[7] = [9.0, 0.5, 0.5];
        let all: Vec<usize> = (0..10).collect();
        let plan = DrawSettings { size: 1, draws: 20_000, seed: 5, ..DrawSettings::default() };
        let found = stability(&results(&scores), &all, plan).unwrap();
        assert_eq!(found.ranks, [1.0, 2.5, 2.5]);
        assert!((found.pairs[0].kept - 0.1).abs() < 0.01, "{:?}", found.pairs[0]);
        assert!((found.pairs[0].stability() - 0.9).abs() < 0.01, "the paper's number is of the other order");
        assert_eq!(
            (found.pairs[2].kept, found.pairs[2].stability()),
            (1.0, 0.5),
            "a tie that is always one holds"
        );
        assert!(
            (found.mean_kept() - (0.1 + 0.1 + 1.0) / 3.0).abs() < 0.01 && found.mean_kept() >= found.whole
        );
        // A tie over the set that occurs in no draw counts half.
        let tied = [[0.4, 0.5, 0.1], [0.5, 0.4, 0.1]];
        let found = stability(&results(&tied), &[0, 1], plan).unwrap();
        assert_eq!(found.pairs[0].kept, 0.5);
    }

    #[test]
    fn noise_holds_without_replacement_only() {
        // Uniform noise over eleven datasets, of which a draw takes ten.
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let all: Vec<usize> = (0..11).collect();
        let mean = |replacement: bool, random: &mut ChaCha8Rng| {
            let plan = DrawSettings { replacement, ..DrawSettings::default() };
            let of_noise = |random: &mut ChaCha8Rng| {
                let scores: Vec<[f64; 3]> = (0..11).map(|_| random.random()).collect();
                stability(&results(&scores), &all, plan).unwrap().mean_kept()
            };
            (0..100).map(|_| of_noise(random)).sum::<f64>() / 100.0
        };
        let [without, with] = [false, true].map(|replacement| mean(replacement, &mut random));
        // Over many tables, a draw agrees with its table with a mean frequency of E[Phi(|Z| sqrt(10 / 11))], which is
        // 74%.
        assert!(without > 0.85, "{without}");
        assert!((with - 0.74).abs() < 0.03, "{with}");
    }

    #[test]
    fn one_dataset_at_a_time_is_drawn_alike() {
        let scores = [[2.0, 1.0, 0.0], [2.0, 1.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 2.0]];
        let plan = DrawSettings { size: 1, draws: 20_000, seed: 1, replacement: true };
        let found = stability(&results(&scores), &[0, 1, 2, 3], plan).unwrap();
        assert!((found.pairs[0].share - 0.75).abs() < 0.01, "{:?}", found.pairs[0]);
    }

    #[test]
    fn draws_depend_on_the_set_and_not_on_its_order() {
        let scores: Vec<[f64; 3]> =
            (0..20).map(|at| [f64::from(at % 7), f64::from(at % 3), f64::from(at % 5)]).collect();
        let thirds = Thirds::new(&scores.iter().map(|row| row[0]).collect::<Vec<_>>());
        let all: Vec<usize> = (0..20).collect();
        assert_ne!(thirds.all, all);
        let of = |places: &[usize]| stability(&results(&scores), places, DrawSettings::default()).unwrap();
        assert_eq!(of(&thirds.all), of(&all));
    }

    #[test]
    fn too_few_datasets_are_refused() {
        let results = results(&[[1.0, 2.0, 3.0]; 4]);
        let error = stability(&results, &[0, 1, 2], DrawSettings::default()).unwrap_err();
        assert_eq!(error.to_string(), "10 datasets cannot be drawn from 3");
    }

    #[test]
    fn thirds_are_cut_from_the_order() {
        let thirds = Thirds::new(&[0.1, 0.9, 0.5, 0.3, 0.7]);
        assert_eq!(thirds.all, [1, 4, 2, 3, 0]);
        assert_eq!((thirds.top, thirds.bottom), (vec![1, 4], vec![3, 0]));
    }
}

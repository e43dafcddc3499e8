//! The stability and the diversity of a choice of datasets.

use std::cmp::Ordering;

use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha8Rng;

use super::Candidates;

/// Up to this many draws are all examined; beyond that, a sample of them is.
pub const ALL_DRAWS: usize = 1000;

/// Evaluates choices of one size.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Evaluator {
    scores: Vec<Vec<f64>>,
    distances: Vec<Vec<f64>>,
    /// Draws of half of a choice, as places in the choice.
    draws: Vec<Vec<usize>>,
    /// The mean of each method over all candidates.
    means: Vec<f64>,
    count: usize,
}

impl Evaluator {
    /// For choices of `count` datasets; takes a sample of `sampled` draws if there are too many to examine all.
    pub(super) fn new(candidates: &Candidates, count: usize, sampled: usize, seed: u64) -> Self {
        let methods = candidates.scores.first().map_or(0, Vec::len);
        let all: Vec<usize> = (0..candidates.scores.len()).collect();
        Evaluator {
            means: sums(&candidates.scores, all.iter().copied(), methods),
            scores: candidates.scores.clone(),
            distances: candidates.distances.clone(),
            draws: half_draws(count, sampled, seed),
            count,
        }
    }

    pub(super) fn candidates(&self) -> usize {
        self.scores.len()
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Roughly how many operations the stability of one choice takes.
    pub(super) fn cost(&self) -> usize {
        let methods = self.means.len();
        self.draws.len() * methods * (self.count / 2 + methods / 2)
    }

    /// The mean pairwise rank stability of a choice, whose members are in ascending order.
    pub(super) fn stability(&self, members: &[usize]) -> f64 {
        let methods = self.means.len();
        // Counted in halves of a draw, because ties count half.
        let mut ahead = vec![0_u32; methods * (methods - 1) / 2];
        let mut means = vec![0.0; methods];
        for draw in &self.draws {
            means.fill(0.0);
            for &place in draw {
                add(&mut means, &self.scores[members[place]]);
            }
            let mut at = 0;
            for a in 0..methods {
                for b in a + 1..methods {
                    ahead[at] += match means[a].partial_cmp(&means[b]) {
                        Some(Ordering::Greater) => 2,
                        Some(Ordering::Less) => 0,
                        _ => 1,
                    };
                    at += 1;
                }
            }
        }
        let most = 2.0 * self.draws.len() as f64;
        let held = |&halves: &u32| f64::from(halves).max(most - f64::from(halves)) / most;
        ahead.iter().map(held).sum::<f64>() / ahead.len() as f64
    }

    /// The mean distance of a member from the member most like it.
    pub(super) fn diversity(&self, members: &[usize]) -> f64 {
        let nearest = |&one: &usize| {
            let others = members.iter().filter(|&&other| other != one);
            others.map(|&other| self.distances[one][other]).fold(f64::INFINITY, f64::min)
        };
        members.iter().map(nearest).sum::<f64>() / members.len() as f64
    }

    /// The share of pairs of methods that have the same order as over all candidates; a tie on one side only counts half.
    pub(super) fn agreement(&self, members: &[usize]) -> f64 {
        let methods = self.means.len();
        let means = sums(&self.scores, members.iter().copied(), methods);
        let (mut same, mut pairs) = (0.0, 0.0);
        for a in 0..methods {
            for b in a + 1..methods {
                let [here, everywhere] = [&means, &self.means].map(|means| means[a].partial_cmp(&means[b]));
                let tie = Some(Ordering::Equal);
                same += if here == everywhere {
                    1.0
                } else if here == tie || everywhere == tie {
                    0.5
                } else {
                    0.0
                };
                pairs += 1.0;
            }
        }
        same / pairs
    }
}

fn add(sums: &mut [f64], scores: &[f64]) {
    sums.iter_mut().zip(scores).for_each(|(sum, score)| *sum += score);
}

fn sums(scores: &[Vec<f64>], places: impl Iterator<Item = usize>, methods: usize) -> Vec<f64> {
    let mut sums = vec![0.0; methods];
    places.for_each(|place| add(&mut sums, &scores[place]));
    sums
}

/// All ways to draw half of `count` places, or a sample of them. The places of a draw are in ascending order, so that
/// equal scores have equal sums.
fn half_draws(count: usize, sampled: usize, seed: u64) -> Vec<Vec<usize>> {
    let half = (count / 2).max(1);
    if choices(count, half).is_some_and(|all| all <= ALL_DRAWS) {
        return subsets(count, half).collect();
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let draw = |_| {
        let mut draw = index::sample(&mut random, count, half).into_vec();
        draw.sort_unstable();
        draw
    };
    (0..sampled).map(draw).collect()
}

/// The number of ways to choose `taken` of `from`; `None` if it does not fit a `usize`.
pub(super) fn choices(from: usize, taken: usize) -> Option<usize> {
    let taken = taken.min(from.checked_sub(taken)?);
    (0..taken).try_fold(1_usize, |found, at| Some(found.checked_mul(from - at)? / (at + 1)))
}

/// All choices of `taken` of `from` places, in ascending order.
pub(super) fn subsets(from: usize, taken: usize) -> impl Iterator<Item = Vec<usize>> {
    let first: Option<Vec<usize>> = (taken <= from).then(|| (0..taken).collect());
    std::iter::successors(first, move |last| {
        let at = (0..taken).rev().find(|&at| last[at] < from - taken + at)?;
        let mut next = last.clone();
        next[at] += 1;
        (at + 1..taken).for_each(|later| next[later] = next[later - 1] + 1);
        Some(next)
    })
}

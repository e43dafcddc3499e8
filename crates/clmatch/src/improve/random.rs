//! The paper's search: random subsets, the best of which is kept.
//!
//! The paper draws 1,000 random vectors of {0, 1}^d: here every feature is kept with probability 1/2, and draws with too few
//! features are repeated.

use super::search_problem::{SearchProblem, WeightCandidate};
use crate::kernels::random::SplitMix;

/// How many draws are scored between two checks of the clock.
const BLOCK: usize = 256;

/// Random subsets of some features.
#[derive(Debug, Clone)]
pub struct Draws {
    random: SplitMix,
    features: usize,
    least: usize,
}

impl Draws {
    /// Subsets of `features` features that keep at least `least` of them.
    ///
    /// # Panics
    /// If `least` is 0 or more than `features`.
    pub fn new(features: usize, least: usize, seed: u64) -> Draws {
        assert!((1..=features).contains(&least), "a subset keeps at least one and at most all features");
        Draws { random: SplitMix::new(seed), features, least }
    }
}

impl Iterator for Draws {
    type Item = Vec<bool>;

    fn next(&mut self) -> Option<Vec<bool>> {
        // Few draws of many coins miss the smallest number, unless that is nearly all of them: then the draw is completed.
        const TRIES: usize = 64;
        let mut subset = Vec::with_capacity(self.features);
        for _ in 0..TRIES {
            subset.clear();
            let mut bits = 0;
            for f in 0..self.features {
                if f % 64 == 0 {
                    bits = self.random.next();
                }
                subset.push(bits >> (f % 64) & 1 == 1);
            }
            if subset.iter().filter(|kept| **kept).count() >= self.least {
                return Some(subset);
            }
        }
        let mut others: Vec<usize> = (0..self.features).filter(|&f| !subset[f]).collect();
        self.random.shuffle(&mut others);
        let missing = self.least - (self.features - others.len());
        others[..missing].iter().for_each(|&f| subset[f] = true);
        Some(subset)
    }
}

/// The best of some draws, and how many were scored before the clock ran out.
pub(crate) fn search(
    problem: &SearchProblem<'_>,
    draws: usize,
    seed: u64,
) -> Option<(WeightCandidate, usize)> {
    let mut source = Draws::new(problem.model.features(), problem.min_features, seed);
    let mut best: Option<(f64, Vec<bool>)> = None;
    let mut scored = 0;
    while scored < draws && (scored == 0 || !problem.clock.expired()) {
        let block: Vec<Vec<bool>> = source.by_ref().take(BLOCK.min(draws - scored)).collect();
        scored += block.len();
        let scores = problem.model.scores(problem.formula, &block);
        for (subset, score) in block.into_iter().zip(scores) {
            let value = score - problem.loss(subset.iter().filter(|kept| **kept).count());
            if best.as_ref().is_none_or(|(known, _)| value > *known) {
                best = Some((value, subset));
            }
        }
    }
    let (value, subset) = best?;
    let weights = subset.iter().map(|&kept| f64::from(u8::from(kept))).collect();
    Some((WeightCandidate { weights, value }, scored))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_even_and_keep_the_least_number() {
        let draws: Vec<Vec<bool>> = Draws::new(70, 1, 7).take(2000).collect();
        for f in 0..70 {
            let kept = draws.iter().filter(|subset| subset[f]).count();
            assert!((900..1100).contains(&kept), "{f}: {kept}");
        }
        for least in 1..=5 {
            for subset in Draws::new(5, least, 1).take(200) {
                assert!(subset.iter().filter(|kept| **kept).count() >= least);
            }
        }
        assert!(Draws::new(90, 90, 1).take(3).all(|subset| subset.iter().all(|kept| *kept)));
        assert_eq!(
            Draws::new(9, 1, 3).take(9).collect::<Vec<_>>(),
            Draws::new(9, 1, 3).take(9).collect::<Vec<_>>()
        );
    }
}

//! Gradient-boosted trees in the manner of XGBoost.

mod loss;
mod tree;

use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::classifier::Classifier;
use crate::columns::{Columns, Entry};
use crate::split::{Split, winner};
use clmatch_stop::{Stop, Stopped};

use self::loss::{Gradient, Loss};
use self::tree::{Grower, Rules};

/// Rounds of second-order boosting with exact splits; one tree per round for two classes, else one per class. Scores
/// start from the logarithms of the class shares, as in XGBoost 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoostedTrees {
    /// How many rounds there are.
    pub rounds: usize,
    /// How many splits lie above a leaf at most.
    pub max_depth: usize,
    /// What the values of the leaves are multiplied by.
    pub learning_rate: f64,
    /// Splits that lower the loss by less are taken back.
    pub gamma: f64,
    /// Second derivatives that a child has at least, in sum.
    pub min_child_weight: f64,
    /// The share of rows that a tree sees.
    pub rows: f64,
    /// The share of features that a tree sees.
    pub columns: f64,
    /// Decides about rows and features.
    pub seed: u64,
}

impl Default for BoostedTrees {
    fn default() -> Self {
        BoostedTrees {
            rounds: 100,
            max_depth: 6,
            learning_rate: 0.3,
            gamma: 0.0,
            min_child_weight: 1.0,
            rows: 1.0,
            columns: 1.0,
            seed: 0,
        }
    }
}

impl BoostedTrees {
    /// How many test rows are predicted right after 1, 2, .. rounds.
    ///
    /// Time: O(rounds trees d n depth). Memory: O(n d).
    ///
    /// # Errors
    /// [`Stopped`] if the flag was raised.
    pub fn hits_up_to(
        &self,
        split: &Split<'_>,
        columns: &Columns,
        stop: &Stop,
    ) -> Result<Vec<usize>, Stopped> {
        let mut hits = Vec::with_capacity(self.rounds);
        self.boost(split, columns, stop, |predicted| hits.push(split.hits(predicted)))?;
        Ok(hits)
    }

    /// Tells the predictions after each round.
    fn boost(
        &self,
        split: &Split<'_>,
        columns: &Columns,
        stop: &Stop,
        mut after_each: impl FnMut(&[u32]),
    ) -> Result<(), Stopped> {
        let mut predicted = vec![0; split.test().len()];
        if split.classes() < 2 {
            (0..self.rounds).for_each(|_| after_each(&predicted));
            return Ok(());
        }
        let loss = Loss::of(split);
        let groups = loss.groups();
        let sorted = columns.sorted(split);
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let rules = Rules {
            max_depth: self.max_depth,
            learning_rate: self.learning_rate,
            gamma: self.gamma,
            min_child_weight: self.min_child_weight,
        };
        let mut grower = Grower::new(rules, split.train().len());
        let mut learnt = loss.start(split.train().len());
        let mut scores = loss.start(split.test().len());
        let mut gradients = vec![Gradient::default(); split.train().len()];
        for _ in 0..self.rounds {
            let derivatives = loss.derivatives(split.targets(), &learnt);
            for group in 0..groups {
                stop.check()?;
                gradients.iter_mut().enumerate().for_each(|(i, g)| *g = derivatives[i * groups + group]);
                let features = self.choose(columns.features(), &mut random);
                let drawn = self.draw(&mut gradients, &mut random);
                let rows = drawn.iter().filter(|&&drawn| drawn).count();
                let tree = grower.grow(&features, &gradients, rows, |entries| {
                    gather(&sorted, &features, &drawn, rows, entries);
                });
                for (at, &row) in split.train().iter().enumerate() {
                    learnt[at * groups + group] += tree.value(columns, row);
                }
                for (at, &row) in split.test().iter().enumerate() {
                    scores[at * groups + group] += tree.value(columns, row);
                }
            }
            for (predicted, scores) in predicted.iter_mut().zip(scores.chunks_exact(groups)) {
                *predicted = winner(scores);
            }
            after_each(&predicted);
        }
        Ok(())
    }

    /// The features that a tree sees, ascending.
    fn choose(&self, features: usize, random: &mut ChaCha8Rng) -> Vec<u32> {
        let wanted = ((self.columns * features as f64) as usize).clamp(1, features);
        if wanted == features {
            return (0..features as u32).collect();
        }
        let mut chosen: Vec<u32> =
            index::sample(random, features, wanted).into_iter().map(|at| at as u32).collect();
        chosen.sort_unstable();
        chosen
    }

    /// Draws the rows of a tree, each on its own; the derivatives of the others become zero.
    fn draw(&self, gradients: &mut [Gradient], random: &mut ChaCha8Rng) -> Vec<bool> {
        let drawn: Vec<bool> = if self.rows < 1.0 {
            gradients.iter().map(|_| random.random::<f64>() < self.rows).collect()
        } else {
            vec![true; gradients.len()]
        };
        for (gradient, drawn) in gradients.iter_mut().zip(&drawn) {
            if !drawn {
                *gradient = Gradient::default();
            }
        }
        drawn
    }
}

/// Lays the drawn rows out in the order of each chosen feature. Whether a row is drawn cannot be foretold, so every entry is
/// written, and the next one takes its place if it was not drawn.
fn gather(sorted: &[Entry], features: &[u32], drawn: &[bool], rows: usize, entries: &mut Vec<Entry>) {
    if rows == drawn.len() {
        entries.clear();
        let own = features.iter().map(|&feature| &sorted[feature as usize * rows..][..rows]);
        own.for_each(|own| entries.extend_from_slice(own));
        return;
    }
    entries.resize(features.len() * rows + 1, Entry { value: 0.0, place: 0 });
    let mut at = 0;
    for &feature in features {
        for &entry in &sorted[feature as usize * drawn.len()..][..drawn.len()] {
            entries[at] = entry;
            at += usize::from(drawn[entry.place as usize]);
        }
    }
    entries.truncate(at);
}

impl Classifier for BoostedTrees {
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        let mut last = vec![0; split.test().len()];
        self.boost(split, &Columns::new(split.data()), stop, |predicted| last.copy_from_slice(predicted))?;
        Ok(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_rows_is_drawn_and_the_others_say_nothing() {
        let mut gradients = vec![Gradient { first: 1.0, second: 1.0 }; 10_000];
        let trees = BoostedTrees { rows: 0.8, ..BoostedTrees::default() };
        let drawn = trees.draw(&mut gradients, &mut ChaCha8Rng::seed_from_u64(1));
        let count = drawn.iter().filter(|&&drawn| drawn).count();
        assert!((7_800..8_200).contains(&count), "{count}");
        assert!(gradients.iter().zip(&drawn).all(|(gradient, &drawn)| (gradient.first == 1.0) == drawn));
    }

    #[test]
    fn drawn_rows_keep_the_order_of_each_chosen_feature() {
        let entry = |value: f32, place: u32| Entry { value, place };
        let sorted = [
            [entry(0.0, 2), entry(1.0, 0), entry(2.0, 1)],
            [entry(5.0, 1), entry(6.0, 2), entry(7.0, 0)],
            [entry(3.0, 0), entry(4.0, 1), entry(9.0, 2)],
        ];
        let mut entries = Vec::new();
        gather(sorted.as_flattened(), &[0, 2], &[true, false, true], 2, &mut entries);
        assert_eq!(entries, [entry(0.0, 2), entry(1.0, 0), entry(3.0, 0), entry(9.0, 2)]);
        gather(sorted.as_flattened(), &[1], &[false, true, false], 1, &mut entries);
        assert_eq!(entries, [entry(5.0, 1)]);
        gather(sorted.as_flattened(), &[2, 0], &[true; 3], 3, &mut entries);
        assert_eq!(entries, [sorted[2], sorted[0]].concat());
    }
}

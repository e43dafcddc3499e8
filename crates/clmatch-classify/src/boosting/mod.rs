//! Gradient-boosted trees in the manner of XGBoost.

mod entry;
mod loss;
mod orders;
mod scan;
mod tree;

use rand::seq::index;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::classifier::Classifier;
use crate::columns::Columns;
use crate::split::{Split, winner};
use clmatch_kernels::{Stop, Stopped};

use self::entry::{RankedEntry, Sorted};
use self::loss::{Gradient, Loss};
use self::tree::{Grower, Rules};

/// Second-order boosting with exact splits. Each round grows one tree for two classes, or else one per class. Scores
/// start from the logarithms of the class shares, as in XGBoost 3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoostedTrees {
    /// The number of rounds.
    pub rounds: usize,
    /// The most splits above a leaf.
    pub max_depth: usize,
    /// The factor that multiplies the values of the leaves.
    pub learning_rate: f64,
    /// Splits that lower the loss by less than this are pruned.
    pub gamma: f64,
    /// The smallest sum of second derivatives in a child.
    pub min_child_weight: f64,
    /// The share of the rows that a tree sees.
    pub rows: f64,
    /// The share of the features that a tree sees.
    pub columns: f64,
    /// The seed for choosing rows and features.
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
    /// How many test rows are predicted correctly after 1, 2, .. rounds.
    ///
    /// Time: O(rounds trees d n depth). Memory: O(n d).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
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

    /// Reports the predictions after each round to `after_each`.
    fn boost(
        &self,
        split: &Split<'_>,
        columns: &Columns,
        stop: &Stop,
        after_each: impl FnMut(&[u32]),
    ) -> Result<(), Stopped> {
        if split.train().len() <= <u32 as RankedEntry>::MOST {
            self.boost_with::<u32>(split, columns, stop, after_each)
        } else {
            self.boost_with::<u64>(split, columns, stop, after_each)
        }
    }

    fn boost_with<E: RankedEntry>(
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
        let sorted = Sorted::<E>::new(columns, split);
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
                let tree = grower.grow(&sorted, features, &drawn, &gradients);
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

    /// Chooses the features that a tree sees; the returned function lists them in ascending order.
    fn choose(&self, features: usize, random: &mut ChaCha8Rng) -> impl FnOnce() -> Vec<u32> + use<> {
        let wanted = ((self.columns * features as f64) as usize).clamp(1, features);
        let chosen = (wanted < features).then(|| index::sample(random, features, wanted));
        move || {
            let Some(chosen) = chosen else { return (0..features as u32).collect() };
            let mut is_chosen = vec![false; features];
            chosen.into_iter().for_each(|at| is_chosen[at] = true);
            // Writes every feature; the next one overwrites it if it was not chosen.
            let (mut list, mut to) = (vec![0; wanted + 1], 0);
            for (feature, is_chosen) in (0..).zip(is_chosen) {
                list[to] = feature;
                to += usize::from(is_chosen);
            }
            list.truncate(wanted);
            list
        }
    }

    /// Draws each row of a tree independently; the derivatives of the other rows become zero.
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
    use crate::data::Data;
    use clmatch::Matrix;

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
    fn as_many_features_as_wanted_are_chosen_in_ascending_order() {
        let trees = BoostedTrees { columns: 0.4, ..BoostedTrees::default() };
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let mut seen = [0; 10];
        for _ in 0..200 {
            let chosen = trees.choose(10, &mut random)();
            assert_eq!(chosen.len(), 4);
            assert!(chosen.is_sorted_by(|a, b| a < b));
            chosen.iter().for_each(|&feature| seen[feature as usize] += 1);
        }
        assert!(seen.iter().all(|count| (50..110).contains(count)), "{seen:?}");
        assert_eq!(trees.choose(1, &mut random)(), [0]);
        assert_eq!(BoostedTrees::default().choose(3, &mut random)(), [0, 1, 2]);
    }

    #[test]
    fn entries_of_both_sizes_give_the_same_trees() {
        let values: Vec<f64> = (0..1000_u32).map(|at| f64::from(at * 7919 % 1009)).collect();
        let targets: Vec<u32> = values.chunks_exact(5).map(|row| u32::from(row[0] > row[1])).collect();
        let points = Matrix::new(&values, 5).unwrap();
        let data = Data::new(&points, &targets).unwrap();
        let split = Split::new(data, (0..150).collect(), (150..200).collect());
        let columns = Columns::new(data);
        let trees = BoostedTrees { rounds: 5, rows: 0.7, columns: 0.8, ..BoostedTrees::default() };
        let mut found = [vec![], vec![]];
        trees
            .boost_with::<u32>(&split, &columns, &Stop::new(), |predicted| found[0].push(predicted.to_vec()))
            .unwrap();
        trees
            .boost_with::<u64>(&split, &columns, &Stop::new(), |predicted| found[1].push(predicted.to_vec()))
            .unwrap();
        assert_eq!(found[0], found[1]);
        // The trees have learnt something, and change from round to round.
        assert!(found[0][0] != found[0][4] && split.hits(&found[0][4]) > 35, "{}", split.hits(&found[0][4]));
    }

    #[test]
    fn more_rows_than_small_entries_can_tell_apart() {
        // The only cut lies between the last two rows of the order.
        let n = <u32 as RankedEntry>::MOST + 10;
        let values: Vec<f64> = (0..n).map(|row| row as f64).collect();
        let targets: Vec<u32> = (0..n).map(|row| u32::from(row >= n - 5)).collect();
        let points = Matrix::new(&values, 1).unwrap();
        let data = Data::new(&points, &targets).unwrap();
        let split = Split::new(data, (0..n).collect(), vec![0, n - 6, n - 5, n - 1]);
        let trees = BoostedTrees { rounds: 20, min_child_weight: 0.0, ..BoostedTrees::default() };
        assert_eq!(trees.predict(&split, &Stop::new()).unwrap(), [0, 0, 1, 1]);
    }
}

//! Random forest.

mod impurity;
mod tree;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::classifier::Classifier;
use crate::columns::Columns;
use crate::split::{Split, largest};
use clmatch_kernels::{Stop, Stopped};

use self::tree::{ForestGrower, NodeLimits};

/// How mixed a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Criterion {
    /// `1 - sum_c p_c^2`.
    Gini,
    /// `- sum_c p_c log p_c`.
    Entropy,
    /// Another name for the entropy, as in scikit-learn.
    LogLoss,
}

/// Trees on bootstrap samples, each node split by the best of about sqrt(d) random features. The class shares of the
/// leaves are averaged, and the largest share wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomForest {
    /// The number of trees.
    pub trees: usize,
    /// The impurity that splits should lower.
    pub criterion: Criterion,
    /// Nodes with fewer distinct points are leaves.
    pub min_split: usize,
    /// The smallest number of distinct points in a leaf.
    pub min_leaf: usize,
    /// The seed for drawing samples and features.
    pub seed: u64,
}

impl Default for RandomForest {
    fn default() -> Self {
        RandomForest { trees: 100, criterion: Criterion::Gini, min_split: 2, min_leaf: 1, seed: 0 }
    }
}

impl RandomForest {
    /// How many test rows the first 1, 2, .. trees predict correctly: one forest answers for every smaller number of
    /// trees.
    ///
    /// Time: O(T sqrt(d) n log^2 n) for balanced trees. Memory: O(n + nodes of a tree).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn hits_up_to(
        &self,
        split: &Split<'_>,
        columns: &Columns,
        stop: &Stop,
    ) -> Result<Vec<usize>, Stopped> {
        let mut hits = Vec::with_capacity(self.trees);
        self.grow(split, columns, stop, |predicted| hits.push(split.hits(predicted)))?;
        Ok(hits)
    }

    /// Reports the predictions after each tree to a function.
    fn grow(
        &self,
        split: &Split<'_>,
        columns: &Columns,
        stop: &Stop,
        mut after_each: impl FnMut(&[u32]),
    ) -> Result<(), Stopped> {
        let classes = split.classes();
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let limits = NodeLimits { split: self.min_split.max(2), leaf: self.min_leaf.max(1) };
        let mut grower = ForestGrower::new(split, columns, self.criterion, limits);
        let mut shares = vec![0.0; split.test().len() * classes];
        let mut predicted = vec![0; split.test().len()];
        for _ in 0..self.trees {
            stop.check()?;
            let tree = grower.grow(&bootstrap(split.train().len(), &mut random), &mut random);
            let rows = split.test().iter().zip(shares.chunks_exact_mut(classes)).zip(&mut predicted);
            for ((&row, shares), predicted) in rows {
                let leaf = tree.leaf(columns, row);
                shares.iter_mut().zip(leaf).for_each(|(share, of_leaf)| *share += f64::from(*of_leaf));
                *predicted = largest(shares);
            }
            after_each(&predicted);
        }
        Ok(())
    }
}

/// How often each of n points is drawn in n draws.
fn bootstrap(n: usize, random: &mut ChaCha8Rng) -> Vec<u32> {
    let mut counts = vec![0; n];
    (0..n).for_each(|_| counts[random.random_range(0..n)] += 1);
    counts
}

impl Classifier for RandomForest {
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        let mut last = vec![0; split.test().len()];
        self.grow(split, &Columns::new(split.data()), stop, |predicted| last.copy_from_slice(predicted))?;
        Ok(last)
    }
}

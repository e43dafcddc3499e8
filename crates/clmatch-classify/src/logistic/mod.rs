//! Logistic regression with l1, l2 or both penalties.

mod minimise;
mod objective;

use crate::classifier::Classifier;
use crate::split::{Split, winner};
use clmatch_kernels::{Stop, Stopped};

use self::minimise::minimise;
use self::objective::LogisticObjective;

/// What keeps the weights small.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Penalty {
    /// `|w|_1`
    L1,
    /// `1/2 |w|^2`
    L2,
    /// `share |w|_1 + (1 - share) / 2 |w|^2`
    ElasticNet {
        /// The share of the l1 part.
        share: f64,
    },
}

impl Penalty {
    /// The share of the l1 part.
    fn l1(self) -> f64 {
        match self {
            Penalty::L1 => 1.0,
            Penalty::L2 => 0.0,
            Penalty::ElasticNet { share } => share,
        }
    }
}

/// Linear scores, whose softmax gives the probability of each class; two classes share one score.
///
/// ```text
/// min_(w, b)  C sum_i -log p(y_i | x_i) + penalty(w)
/// ```
/// The intercepts b are not penalised, as in scikit-learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogisticRegression {
    /// What keeps the weights small.
    pub penalty: Penalty,
    /// The weight C of the points against the penalty.
    pub cost: f64,
    /// Minimising ends when no derivative of the objective, divided by n C, is larger than this.
    pub tolerance: f64,
    /// The most steps.
    pub steps: usize,
}

impl Default for LogisticRegression {
    fn default() -> Self {
        LogisticRegression { penalty: Penalty::L2, cost: 1.0, tolerance: 1e-4, steps: 1000 }
    }
}

impl Classifier for LogisticRegression {
    /// Time: O(n d K) per step. Memory: O(n (d + K) + d K).
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        if split.classes() < 2 {
            return Ok(vec![0; split.test().len()]);
        }
        let mut objective = LogisticObjective::new(split, self.penalty.l1(), self.cost);
        let parameters = minimise(&mut objective, self.tolerance, self.steps, stop)?;
        let outputs = objective.outputs();
        let scores = objective.scores(&parameters, split, split.test());
        Ok(scores.chunks_exact(outputs).map(winner).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_l1_part() {
        let penalties = [Penalty::L1, Penalty::L2, Penalty::ElasticNet { share: 0.3 }];
        assert_eq!(penalties.map(Penalty::l1), [1.0, 0.0, 0.3]);
    }
}

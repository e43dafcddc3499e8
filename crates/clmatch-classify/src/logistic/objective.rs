//! The penalised loss of linear scores.

use crate::kernels::{MatrixView, Number};
use crate::softmax::{sigmoid, softmax};
use crate::split::Split;

/// `1/n sum_i loss_i + l2 / 2 |w|^2`, and the weight of the l1 norm that is added to it.
///
/// Parameters are the weights, score after score, followed by the intercepts. Features are centred, which only shifts the
/// unpenalised intercepts and makes the curvature rounder.
pub(super) struct LogisticObjective<'a> {
    targets: &'a [u32],
    centre: Vec<f64>,
    values: Vec<f64>,
    features: usize,
    outputs: usize,
    l1: f64,
    l2: f64,
    scores: Vec<f64>,
}

impl<'a> LogisticObjective<'a> {
    pub(super) fn new(split: &'a Split<'_>, l1_share: f64, cost: f64) -> LogisticObjective<'a> {
        let (n, features) = (split.train().len(), split.data().n_features());
        let mut centre = vec![0.0; features];
        for &row in split.train() {
            centre.iter_mut().zip(split.data().row(row)).for_each(|(centre, x)| *centre += x / n as f64);
        }
        let outputs = if split.classes() == 2 { 1 } else { split.classes() };
        let weight = 1.0 / (cost * n as f64);
        LogisticObjective {
            targets: split.targets(),
            values: centred(split, split.train(), &centre),
            centre,
            features,
            outputs,
            l1: weight * l1_share,
            l2: weight * (1.0 - l1_share),
            scores: Vec::new(),
        }
    }

    /// The number of scores of a point.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// The number of penalised parameters; the intercepts follow them.
    pub(super) fn weights(&self) -> usize {
        self.outputs * self.features
    }

    pub(super) fn parameters(&self) -> usize {
        self.weights() + self.outputs
    }

    /// The weight of the l1 norm.
    pub(super) fn l1(&self) -> f64 {
        self.l1
    }

    /// The scores of some rows of the split, point after point.
    pub(super) fn scores(&self, parameters: &[f64], split: &Split<'_>, rows: &[usize]) -> Vec<f64> {
        let mut scores = Vec::new();
        self.score(parameters, &centred(split, rows, &self.centre), rows.len(), &mut scores);
        scores
    }

    fn score(&self, parameters: &[f64], values: &[f64], n: usize, scores: &mut Vec<f64>) {
        let (weights, intercepts) = parameters.split_at(self.weights());
        scores.clear();
        (0..n).for_each(|_| scores.extend_from_slice(intercepts));
        let weights = MatrixView::new(weights, self.outputs, self.features).transposed();
        f64::product(1.0, MatrixView::new(values, n, self.features), weights, 1.0, scores);
    }

    /// The value of the smooth part, without the l1 norm; writes its gradient to `gradient`.
    pub(super) fn smooth(&mut self, parameters: &[f64], gradient: &mut [f64]) -> f64 {
        let n = self.targets.len();
        let mut scores = std::mem::take(&mut self.scores);
        self.score(parameters, &self.values, n, &mut scores);
        let loss = losses(&mut scores, self.outputs, self.targets) / n as f64;
        let (weights, intercepts) = parameters.split_at(self.weights());
        debug_assert_eq!(intercepts.len(), self.outputs);
        let (of_weights, of_intercepts) = gradient.split_at_mut(weights.len());
        of_weights.iter_mut().zip(weights).for_each(|(gradient, weight)| *gradient = self.l2 * weight);
        let residuals = MatrixView::new(&scores, n, self.outputs).transposed();
        f64::product(
            1.0 / n as f64,
            residuals,
            MatrixView::new(&self.values, n, self.features),
            1.0,
            of_weights,
        );
        of_intercepts.fill(0.0);
        for row in scores.chunks_exact(self.outputs) {
            of_intercepts
                .iter_mut()
                .zip(row)
                .for_each(|(gradient, residual)| *gradient += residual / n as f64);
        }
        self.scores = scores;
        loss + 0.5 * self.l2 * weights.iter().map(|w| w * w).sum::<f64>()
    }
}

fn centred(split: &Split<'_>, rows: &[usize], centre: &[f64]) -> Vec<f64> {
    let row = |&row: &usize| split.data().row(row).iter().zip(centre).map(|(x, centre)| x - centre);
    rows.iter().flat_map(row).collect()
}

/// The sum of the losses; replaces the scores by the derivatives of that sum.
fn losses(scores: &mut [f64], outputs: usize, targets: &[u32]) -> f64 {
    let mut loss = 0.0;
    for (row, &target) in scores.chunks_exact_mut(outputs).zip(targets) {
        if let [score] = row {
            let signed = if target == 1 { *score } else { -*score };
            loss += (-signed.abs()).exp().ln_1p() + (-signed).max(0.0);
            *score = sigmoid(*score) - f64::from(target);
        } else {
            let score = row[target as usize];
            loss += softmax(row) - score;
            row[target as usize] -= 1.0;
        }
    }
    loss
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;

    const TRAIN: [usize; 5] = [0, 2, 3, 4, 6];
    const TEST: [usize; 2] = [5, 1];
    const VALUES: [f64; 14] = [1.0, 5.0, 2.0, 7.0, 4.0, 6.0, 3.0, 9.0, -1.0, 8.0, 0.0, 4.0, 2.5, 6.5];

    /// The scores of a point: w (x - mean of the training rows) + b.
    fn slow_scores(parameters: &[f64], outputs: usize, row: usize) -> Vec<f64> {
        let centred = [0, 1].map(|feature| {
            let sum: f64 = TRAIN.iter().map(|row| VALUES[row * 2 + feature]).sum();
            VALUES[row * 2 + feature] - sum / 5.0
        });
        let (weights, intercepts) = parameters.split_at(2 * outputs);
        let score = |(weights, intercept): (&[f64], &f64)| {
            weights[0] * centred[0] + weights[1] * centred[1] + intercept
        };
        weights.chunks_exact(2).zip(intercepts).map(score).collect()
    }

    /// `1/n sum_i -log p(y_i | x_i) + l2 / 2 |w|^2`
    fn slow_value(parameters: &[f64], outputs: usize, targets: &[u32], l2: f64) -> f64 {
        let mut value = 0.0;
        for (row, &target) in TRAIN.iter().zip(targets) {
            let mut scores = slow_scores(parameters, outputs, *row);
            if outputs == 1 {
                scores.insert(0, 0.0);
            }
            let sum: f64 = scores.iter().map(|score| score.exp()).sum();
            value -= (scores[target as usize].exp() / sum).ln() / 5.0;
        }
        value + l2 / 2.0 * parameters[..2 * outputs].iter().map(|w| w * w).sum::<f64>()
    }

    #[test]
    fn values_derivatives_and_scores_are_those_of_the_formula() {
        let points = Matrix::new(&VALUES, 2).unwrap();
        for (classes, outputs) in [([0, 1, 1, 0, 1, 0, 1], 1), ([0, 1, 2, 1, 1, 0, 2], 3)] {
            let data = Data::new(&points, &classes).unwrap();
            let split = Split::new(data, TRAIN.to_vec(), TEST.to_vec());
            // A cost of 2 and five points: the penalty has a weight of a tenth, and a quarter of it is l1.
            let mut objective = LogisticObjective::new(&split, 0.25, 2.0);
            assert_eq!((objective.outputs(), objective.l1()), (outputs, 0.025));
            let parameters: Vec<f64> =
                (0..objective.parameters()).map(|at| ((at * at + 2) % 7) as f64 / 9.0 - 0.3).collect();
            let slow = |parameters: &[f64]| slow_value(parameters, outputs, split.targets(), 0.075);
            let mut gradient = vec![7.0; parameters.len()];
            let value = objective.smooth(&parameters, &mut gradient);
            assert!((value - slow(&parameters)).abs() < 1e-12);
            for (at, derivative) in gradient.iter().enumerate() {
                let shifted = |shift: f64| {
                    let mut parameters = parameters.clone();
                    parameters[at] += shift;
                    slow(&parameters)
                };
                let difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
                assert!((derivative - difference).abs() < 1e-8, "{outputs}, {at}: {derivative} {difference}");
            }
            let scores = TEST.map(|row| slow_scores(&parameters, outputs, row)).concat();
            let found = objective.scores(&parameters, &split, split.test());
            assert!(found.iter().zip(&scores).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {scores:?}");
        }
    }
}

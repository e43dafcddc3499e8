//! Support vector machine with a Gaussian kernel, one machine per pair of classes.
//!
//! It is written here rather than taken from libsvm-rs: that crate computes kernels from points, again in each of the
//! hundreds of trainings of a search, while here one matrix of distances serves them all.

mod kernel;
mod solver;

use crate::classifier::Classifier;
use crate::distances::Distances;
use crate::split::{Split, largest};
use clmatch_kernels::{Stop, Stopped};

pub use self::kernel::Kernel;
use self::solver::Problem;

/// One machine per pair of classes, which vote; among classes with equally many votes, the first wins, as in LIBSVM.
///
/// ```text
/// min_a  1/2 a' Q a - sum_i a_i     with  0 <= a_i <= C,  sum_i y_i a_i = 0,  Q_ij = y_i y_j exp(-gamma |x_i - x_j|^2)
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Svm {
    /// The price C of a point on the wrong side of its margin.
    pub cost: f64,
    /// The inverse width of the kernel.
    pub gamma: f64,
}

/// A machine that separates two classes by the sign of `sum_s weight_s k(x_s, x) - offset`.
struct Machine {
    first: usize,
    second: usize,
    /// The rows of the support vectors, with their y a.
    rows: Vec<usize>,
    weights: Vec<f64>,
    offset: f64,
}

impl Svm {
    /// Predicts the test rows with a kernel made by [`Kernel::new`] for the same gamma.
    ///
    /// Time: O(n) per step of the solver, of which there are about n to 100 n. Memory: at most 200 MB in addition to the
    /// kernel.
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn predict_with(
        &self,
        split: &Split<'_>,
        kernel: &Kernel<'_>,
        stop: &Stop,
    ) -> Result<Vec<u32>, Stopped> {
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); split.classes()];
        for (&row, &target) in split.train().iter().zip(split.targets()) {
            members[target as usize].push(row);
        }
        let mut machines = Vec::new();
        for second in 1..members.len() {
            for first in 0..second {
                machines.push(self.train(kernel, &members, first, second, stop)?);
            }
        }
        let mut similar = Vec::new();
        let vote = |&row: &usize| {
            stop.check()?;
            let mut votes = vec![0_u32; split.classes()];
            for machine in &machines {
                kernel.between(row, &machine.rows, &mut similar);
                let terms = machine.weights.iter().zip(&similar).map(|(weight, k)| weight * f64::from(*k));
                let decision = terms.sum::<f64>() - machine.offset;
                votes[if decision > 0.0 { machine.first } else { machine.second }] += 1;
            }
            Ok(largest(&votes))
        };
        split.test().iter().map(vote).collect()
    }

    fn train(
        &self,
        kernel: &Kernel<'_>,
        members: &[Vec<usize>],
        first: usize,
        second: usize,
        stop: &Stop,
    ) -> Result<Machine, Stopped> {
        let rows = [members[first].as_slice(), members[second].as_slice()].concat();
        let positive = members[first].len();
        let solution = Problem::new(kernel, &rows, positive, self.cost).solve(stop)?;
        let signed = solution.alphas.iter().enumerate().map(|(i, a)| if i < positive { *a } else { -a });
        let (rows, weights) = rows.iter().copied().zip(signed).filter(|(_, weight)| *weight != 0.0).unzip();
        Ok(Machine { first, second, rows, weights, offset: solution.offset })
    }
}

impl Classifier for Svm {
    fn predict(&self, split: &Split<'_>, stop: &Stop) -> Result<Vec<u32>, Stopped> {
        let distances = Distances::new(split.data(), stop)?;
        self.predict_with(split, &Kernel::new(&distances, self.gamma, stop)?, stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Data;
    use clmatch::Matrix;

    /// Learns from points on a line with their classes, and predicts other points.
    fn predict(svm: Svm, learnt: &[(f64, u32)], others: &[f64]) -> Vec<u32> {
        let values: Vec<f64> = learnt.iter().map(|(x, _)| *x).chain(others.iter().copied()).collect();
        let mut classes: Vec<u32> = learnt.iter().map(|(_, class)| *class).collect();
        classes.resize(values.len(), 0);
        let points = Matrix::new(&values, 1).unwrap();
        let data = Data::new(&points, &classes).unwrap();
        let (train, test) = (0..values.len()).partition(|&row| row < learnt.len());
        svm.predict(&Split::new(data, train, test), &Stop::new()).unwrap()
    }

    #[test]
    fn points_that_are_far_from_each_other_are_told_apart_by_the_nearest() {
        let learnt = [(0.0, 0), (10.0, 1), (20.0, 1), (30.0, 2), (40.0, 2), (50.0, 2)];
        let others = [0.1, 9.9, 20.1, 29.9, 40.1, 49.9];
        assert_eq!(predict(Svm { cost: 10.0, gamma: 1.0 }, &learnt, &others), [0, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn half_way_between_two_classes_is_the_second() {
        // As in LIBSVM. Both points have the same weight and the offset is zero, so that the decision is zero, too.
        let svm = Svm { cost: 1.0, gamma: 0.5 };
        assert_eq!(predict(svm, &[(-1.0, 0), (1.0, 1)], &[-0.01, 0.0, 0.01]), [0, 1, 1]);
    }
}

//! Measures how well scores at a growth rate match judgements.

use super::bins::{BINS, bin, weights};
use super::fit::Judged;

/// Judged datasets with their weights.
pub(super) struct CalibrationObjective<'a> {
    judged: &'a [Judged],
    weights: Vec<f64>,
}

impl<'a> CalibrationObjective<'a> {
    /// Weights every bin of judgements equally.
    pub(super) fn new(judged: &'a [Judged]) -> Self {
        CalibrationObjective { judged, weights: weights(&scores(judged)) }
    }

    /// A resample in which dataset i occurs `times[i]` times.
    pub(super) fn resampled(judged: &'a [Judged], times: &[usize]) -> Self {
        let mut sizes = [0; BINS];
        judged.iter().zip(times).for_each(|(one, times)| sizes[bin(one.score)] += times);
        let weight = |(one, &times): (&Judged, &usize)| match times {
            0 => 0.0,
            times => times as f64 / sizes[bin(one.score)] as f64,
        };
        CalibrationObjective { judged, weights: judged.iter().zip(times).map(weight).collect() }
    }

    /// `sum w (s - R_k)^2`, which the best k minimises.
    pub(super) fn misfit(&self, k: f64) -> f64 {
        let pairs = self.judged.iter().zip(&self.weights).filter(|(_, weight)| **weight > 0.0);
        pairs.map(|(one, weight)| weight * (one.score - one.form.rescale(k)).powi(2)).sum()
    }

    /// `sum w (s - mean of s)^2`, with the weighted mean.
    pub(super) fn spread(&self) -> f64 {
        let total: f64 = self.weights.iter().sum();
        let pairs = || self.judged.iter().zip(&self.weights);
        let mean = pairs().map(|(one, weight)| weight * one.score).sum::<f64>() / total;
        pairs().map(|(one, weight)| weight * (one.score - mean).powi(2)).sum()
    }

    /// `R2 = 1 - misfit / spread`.
    pub(super) fn r2(&self, k: f64) -> f64 {
        1.0 - self.misfit(k) / self.spread()
    }
}

fn scores(judged: &[Judged]) -> Vec<f64> {
    judged.iter().map(|one| one.score).collect()
}

#[cfg(test)]
mod tests {
    use clmatch::protocol::RawScore;

    use super::*;

    fn judged(list: &[(f64, f64)]) -> Vec<Judged> {
        list.iter().map(|&(value, score)| Judged { form: RawScore::from_zero(value), score }).collect()
    }

    #[test]
    fn r2_by_hand() {
        // At k = 2, R = tanh(value): 0, 1/2, and 0 again. Two judgements share a bin, so weights are 3/4, 3/2, 3/4.
        let judged = judged(&[(0.0, 0.0), (0.5_f64.atanh(), 0.7), (0.0, 0.04)]);
        let objective = CalibrationObjective::new(&judged);
        let misfit = 1.5 * 0.04 + 0.75 * 0.0016;
        let mean: f64 = (1.5 * 0.7 + 0.75 * 0.04) / 3.0;
        let spread = 0.75 * mean * mean + 1.5 * (0.7 - mean).powi(2) + 0.75 * (0.04 - mean).powi(2);
        assert!((objective.misfit(2.0) - misfit).abs() < 1e-12);
        assert!((objective.r2(2.0) - (1.0 - misfit / spread)).abs() < 1e-12);
    }

    #[test]
    fn a_resample_is_the_list_with_repetitions() {
        let list = [(0.1, 0.0), (0.4, 0.35), (0.2, 0.3), (2.0, 1.0)];
        let repeated = judged(&[list[0], list[2], list[2], list[1], list[2]]);
        let once = judged(&list);
        let resampled = CalibrationObjective::resampled(&once, &[1, 1, 3, 0]);
        let written_out = CalibrationObjective::new(&repeated);
        assert!((resampled.r2(1.3) - written_out.r2(1.3)).abs() < 1e-12);
    }
}

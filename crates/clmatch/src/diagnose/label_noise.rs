//! Which labels are wrong: a softmax of what speaks for each class, and labels that were drawn with errors.
//!
//! ```text
//! p(k | x)     = exp(w'f(x, k)) / sum over all classes        w >= 0, three weights
//! t(y | k)     = max(e / (K - 1), r(y | k))                    a point of class k carries the wrong label y
//! l(y | x)     = sum over k of p(k | x) t(y | k)               t(k | k) is what the wrong labels leave
//! wrong(x, y)  = 1 - p(y | x) t(y | y) / l(y | x)
//! ```
//!
//! r are the rates of pairs of classes with many wrong labels of one kind, see [`PairRates`]; e is that of all others. The weights
//! and e maximise the likelihood of the labels with a small ridge on w and a weak prior on e: steps of expectation
//! and maximisation, of which the second is one step of Newton's method on the bounded weights.

use clmatch_numerics::Cholesky;
use clmatch_stop::{Control, Stopped};
use rayon::prelude::*;

use super::evidence::{Candidates, FEATURES};
use super::pair_rates::PairRates;

/// Weights to begin with.
const START: [f64; FEATURES] = [0.5, 0.1, 1.0];
/// The share of wrong labels to begin with.
const START_RATE: f64 = 0.05;
/// The ridge: a penalty of half of this times the squared weights.
const RIDGE: f64 = 0.01;
/// The prior of e counts as so many wrong labels, among so many.
const PRIOR: (f64, f64) = (0.5, 10.0);
/// A larger share of wrong labels could not be told from other names for the classes.
const MOST: f64 = 0.5;
/// Steps, at most.
const STEPS: usize = 60;
/// A gain of the logarithm of the likelihood that is not worth another step.
const GAIN: f64 = 1e-3;
/// Times that a step is halved if it does not help.
const HALVINGS: usize = 8;
/// Points that one task adds up; must not depend on the number of threads.
const CHUNK: usize = 512;

/// What there is to learn from.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelledFeatures<'a> {
    /// n x C features, each at most 0.
    pub(super) features: &'a [[f64; FEATURES]],
    /// The place of the label among the C candidates of each point; `None` leaves the point out.
    pub(super) labels: &'a [Option<u32>],
    /// The classes that are considered at each point.
    pub(super) candidates: &'a Candidates,
    /// K.
    pub(super) classes: usize,
    /// Pairs of classes with many wrong labels of one kind.
    pub(super) rates: &'a PairRates,
}

impl LabelledFeatures<'_> {
    /// C.
    fn width(&self) -> usize {
        self.candidates.width()
    }

    /// Points that one task looks at.
    fn chunks(&self) -> impl IndexedParallelIterator<Item = Chunk<'_>> {
        let chunks = self.features.par_chunks(CHUNK * self.width()).zip(self.labels.par_chunks(CHUNK));
        chunks.enumerate().map(|(at, (features, labels))| Chunk { first: at * CHUNK, features, labels })
    }
}

/// Some points in a row.
struct Chunk<'a> {
    first: usize,
    features: &'a [[f64; FEATURES]],
    labels: &'a [Option<u32>],
}

impl<'a> Chunk<'a> {
    /// Every point, with the features of its candidates and its label.
    fn rows(&self, width: usize) -> impl Iterator<Item = (usize, &'a [[f64; FEATURES]], Option<u32>)> {
        let rows = self.features.chunks_exact(width).zip(self.labels);
        (self.first..).zip(rows).map(|(point, (features, &label))| (point, features, label))
    }
}

/// A model of the labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LabelNoise {
    pub(super) weights: [f64; FEATURES],
    /// e.
    pub(super) rate: f64,
}

/// What the model says of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointVerdict {
    /// The probability that its label is wrong; 0 if it has none.
    pub(super) wrong: f64,
    /// The place of the most likely class without a look at the label.
    pub(super) likely: usize,
}

/// Sums over points.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    log_likelihood: f64,
    /// Wrong labels that are not of a frequent kind.
    wrong: f64,
    count: f64,
    gradient: [f64; FEATURES],
    hessian: [[f64; FEATURES]; FEATURES],
}

impl LabelNoise {
    /// From the labels. After an earlier fit, in which doubtful points counted as much as others, e is no lower than it was: the
    /// features of doubtful points know by now that they are doubtful, and a softmax with small weights could explain wrong
    /// labels as well as e does.
    ///
    /// Time: O(n C), at most some 60 times. Memory: O(n / 512).
    ///
    /// # Errors
    /// [`Stopped`] if `control` says so.
    pub(super) fn fit(
        data: LabelledFeatures<'_>,
        earlier: Option<LabelNoise>,
        control: Control<'_>,
    ) -> Result<LabelNoise, Stopped> {
        let least_rate = earlier.map_or(0.0, |earlier| earlier.rate);
        let mut model = earlier.unwrap_or(LabelNoise { weights: START, rate: START_RATE });
        let mut sums = model.sums(data);
        for _ in 0..STEPS {
            control.check()?;
            let Some((next, after)) = model.improved(&sums, data, least_rate) else { break };
            let gain = next.objective(&after) - model.objective(&sums);
            (model, sums) = (next, after);
            if gain <= GAIN {
                break;
            }
        }
        Ok(model)
    }

    /// What the model says of every point.
    pub(super) fn verdicts(&self, data: LabelledFeatures<'_>) -> Vec<PointVerdict> {
        let of_chunk = |chunk: Chunk<'_>| {
            let mut shares = Vec::with_capacity(data.width());
            let rows = chunk.rows(data.width());
            rows.map(|(point, features, label)| {
                self.shares(features, &mut shares);
                let likely = first_largest(&shares);
                let wrong = label.map_or(0.0, |label| self.judge(&shares, label as usize, point, data).wrong);
                PointVerdict { wrong, likely }
            })
            .collect::<Vec<PointVerdict>>()
        };
        data.chunks().flat_map_iter(of_chunk).collect()
    }

    /// A step that raises the likelihood, with the sums after it.
    fn improved(
        &self,
        sums: &Sums,
        data: LabelledFeatures<'_>,
        least_rate: f64,
    ) -> Option<(LabelNoise, Sums)> {
        let mut step = self.step(sums);
        let rate = ((sums.wrong + PRIOR.0) / (sums.count + PRIOR.1)).max(least_rate).min(MOST);
        let value = self.objective(sums);
        for _ in 0..HALVINGS {
            let mut next = LabelNoise { rate, ..*self };
            next.weights.iter_mut().zip(step).for_each(|(weight, step)| *weight = (*weight + step).max(0.0));
            let after = next.sums(data);
            if next.objective(&after) >= value - 1e-12 * value.abs() {
                return Some((next, after));
            }
            step = step.map(|step| step / 2.0);
        }
        None
    }

    /// Newton's step for the weights that may move: a weight of 0 stays there if it would fall.
    fn step(&self, sums: &Sums) -> [f64; FEATURES] {
        let gradient: [f64; FEATURES] = std::array::from_fn(|a| sums.gradient[a] - RIDGE * self.weights[a]);
        let free: Vec<usize> =
            (0..FEATURES).filter(|&a| self.weights[a] > 0.0 || gradient[a] > 0.0).collect();
        let m = free.len();
        // In units of the features, so that large and small ones are alike.
        let unit: Vec<f64> = free.iter().map(|&a| (sums.hessian[a][a] + RIDGE).sqrt()).collect();
        let mut matrix = vec![0.0; m * m];
        for i in 0..m {
            for j in 0..m {
                let ridge = if i == j { RIDGE } else { 0.0 };
                matrix[i * m + j] = (sums.hessian[free[i]][free[j]] + ridge) / (unit[i] * unit[j]);
            }
            matrix[i * m + i] += 1e-9;
        }
        let right: Vec<f64> = free.iter().zip(&unit).map(|(&a, unit)| gradient[a] / unit).collect();
        let mut step = [0.0; FEATURES];
        let solved = Cholesky::factor(matrix, m).map_or(right.clone(), |factor| factor.solve(&right));
        for ((&a, x), unit) in free.iter().zip(solved).zip(&unit) {
            step[a] = x / unit;
        }
        step
    }

    fn objective(&self, sums: &Sums) -> f64 {
        let ridge: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        let prior = PRIOR.0 * self.rate.ln() + (PRIOR.1 - PRIOR.0) * (1.0 - self.rate).ln();
        sums.log_likelihood - RIDGE / 2.0 * ridge + prior
    }

    fn sums(&self, data: LabelledFeatures<'_>) -> Sums {
        let of_chunk = |chunk: Chunk<'_>| {
            let (mut sums, mut shares) = (Sums::default(), Vec::with_capacity(data.width()));
            for (point, features, label) in chunk.rows(data.width()) {
                if let Some(label) = label {
                    self.shares(features, &mut shares);
                    let judged = self.judge(&shares, label as usize, point, data);
                    sums.add(features, &shares, label as usize, &judged);
                }
            }
            sums
        };
        let parts: Vec<Sums> = data.chunks().map(of_chunk).collect();
        parts.iter().fold(Sums::default(), Sums::and)
    }

    /// p(k | x) of all candidates.
    fn shares(&self, features: &[[f64; FEATURES]], shares: &mut Vec<f64>) {
        let [a, b, c] = self.weights;
        shares.clear();
        shares.extend(features.iter().map(|[f, g, h]| a * f + b * g + c * h));
        let best = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        shares.iter_mut().for_each(|score| *score = (*score - best).exp());
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= total);
    }

    /// The likelihood of a label of a point, and the probability that it is wrong.
    fn judge(&self, shares: &[f64], label: usize, point: usize, data: LabelledFeatures<'_>) -> Judged {
        let names = data.candidates.of(point);
        let each = self.rate / (data.classes - 1) as f64;
        let others: f64 = shares[..label].iter().sum::<f64>() + shares[label + 1..].iter().sum::<f64>();
        let (mut by_chance, mut frequent) = (each * others, Vec::new());
        for &(class, rate) in data.rates.of_label(names[label]) {
            if let (true, Ok(place)) = (rate > each, names.binary_search(&class)) {
                by_chance -= each * shares[place];
                frequent.push((place, rate * shares[place]));
            }
        }
        let by_chance = by_chance.max(0.0);
        let more: f64 = data.rates.of_class(names[label]).iter().map(|rate| (rate - each).max(0.0)).sum();
        let right = (1.0 - self.rate - more) * shares[label];
        let wrong = by_chance + frequent.iter().map(|(_, wrong)| wrong).sum::<f64>();
        let likelihood = right + wrong;
        frequent.iter_mut().for_each(|(_, wrong)| *wrong /= likelihood);
        Judged { likelihood, each, wrong: wrong / likelihood, by_chance: by_chance / likelihood, frequent }
    }
}

/// What the model says of a label.
struct Judged {
    likelihood: f64,
    /// The probability of one wrong label.
    each: f64,
    wrong: f64,
    /// The probability that it is wrong, and not of a frequent kind.
    by_chance: f64,
    /// The probability of each candidate, by its place, to be the class of a point whose label is wrong in a frequent way.
    frequent: Vec<(usize, f64)>,
}

impl Sums {
    fn add(&mut self, features: &[[f64; FEATURES]], shares: &[f64], label: usize, judged: &Judged) {
        self.log_likelihood += judged.likelihood.ln();
        self.wrong += judged.by_chance;
        self.count += 1.0;
        let mean: [f64; FEATURES] =
            std::array::from_fn(|a| features.iter().zip(shares).map(|(f, share)| share * f[a]).sum());
        for (place, (f, &share)) in features.iter().zip(shares).enumerate() {
            let frequent = judged.frequent.iter().find(|(of, _)| *of == place);
            let expected = match frequent {
                _ if place == label => 1.0 - judged.wrong,
                Some(&(_, expected)) => expected,
                None => judged.each * share / judged.likelihood,
            };
            for a in 0..FEATURES {
                self.gradient[a] += (expected - share) * f[a];
                for b in 0..=a {
                    self.hessian[a][b] += share * f[a] * f[b];
                }
            }
        }
        for a in 0..FEATURES {
            for b in 0..=a {
                self.hessian[a][b] -= mean[a] * mean[b];
                self.hessian[b][a] = self.hessian[a][b];
            }
        }
    }

    fn and(mut self, other: &Sums) -> Sums {
        self.log_likelihood += other.log_likelihood;
        self.wrong += other.wrong;
        self.count += other.count;
        for a in 0..FEATURES {
            self.gradient[a] += other.gradient[a];
            for b in 0..FEATURES {
                self.hessian[a][b] += other.hessian[a][b];
            }
        }
        self
    }
}

/// The place of the largest number, of equal ones the first.
pub(super) fn first_largest(values: &[f64]) -> usize {
    values.iter().enumerate().fold(0, |best, (place, value)| if *value > values[best] { place } else { best })
}

#[cfg(test)]
mod tests;

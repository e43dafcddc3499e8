//! Which labels are wrong: a softmax of the evidence for each class, and a model of labels that are drawn with errors.
//!
//! ```text
//! p(k | x)     = exp(w'f(x, k)) / sum over all classes        w >= 0, three weights
//! l(y | x)     = sum over k of p(k | x) t(y | k)
//! wrong(x, y)  = 1 - p(y | x) t(y | y) / l(y | x)
//! ```
//!
//! where t(y | k) is how often a point of class k carries the label y, see [`LabelRates`]; a class with two names has the p of
//! both. The weights and t maximise the likelihood of the labels with a small ridge on w and the prior of t, in steps of
//! expectation and maximisation; each maximisation is one step of Newton's method on the bounded weights. To a single fit, a
//! class that overlaps another one looks like a class whose points often carry the label of another one. The fit therefore starts
//! twice: from labels that are nearly all right, and from the confusions that the neighbours' votes show. The better one counts,
//! if it is better by 2.5 than a fit in which wrong labels are alike in all pairs of classes. Where a gap refutes a label
//! ([`gaps`](super::gaps)), the class is known.

use clmatch_kernels::{Cholesky, parallel};
use clmatch_kernels::{Control, Stopped};

use super::evidence::{CandidateClasses, FEATURES};
use super::label_rates::{ALIKE, EACH, LabelPairs, LabelRates};

/// The weights to start from.
const START: [f64; FEATURES] = [0.5, 0.1, 1.0];
/// How much larger the weights are in the fit that starts from the neighbours' votes.
const SHARPER: f64 = 4.0;
/// How much more the log-likelihood must rise before every pair of classes gets its own rate.
const MARGIN: f64 = 2.5;
/// The share of wrong labels to start from.
const START_RATE: f64 = 0.05;
/// The ridge: a penalty of half of this times the squared weights.
const RIDGE: f64 = 0.01;
/// The largest number of steps.
const STEPS: usize = 60;
/// A gain of the log-likelihood that is not worth another step.
const GAIN: f64 = 1e-3;
/// How many times a step is halved if it does not help.
const HALVINGS: usize = 8;
/// Points that one task sums; must not depend on the number of threads.
const CHUNK: usize = 512;

/// The data that the model is fitted to.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelledFeatures<'a> {
    /// n x C features, each at most 0.
    pub(super) features: &'a [[f64; FEATURES]],
    /// The place of the label among the C candidates of each point; `None` leaves the point out.
    pub(super) labels: &'a [Option<u32>],
    /// The classes that are considered at each point.
    pub(super) candidates: &'a CandidateClasses,
    /// Which labels occur where which classes are considered.
    pub(super) pairs: &'a LabelPairs,
    /// The place of the class of each point among its candidates, where it is known regardless of the label.
    pub(super) known: &'a [Option<u32>],
}

impl LabelledFeatures<'_> {
    /// C, the number of candidates per point.
    fn width(&self) -> usize {
        self.candidates.width()
    }

    /// For each pair of a label and a class: how many points carry the label and have neighbours that vote for the class.
    fn votes(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.pairs.len()];
        for (point, features) in self.features.chunks_exact(self.width()).enumerate() {
            if self.labels[point].is_some() {
                let votes: Vec<f64> = features.iter().map(|of| of[0]).collect();
                counts[self.pairs.of(point)[first_largest(&votes)] as usize] += 1.0;
            }
        }
        counts
    }

    /// The results of a task for each chunk of points, in order.
    fn map_chunks<R: Send>(&self, task: impl Fn(LabelledBlock<'_>) -> R + Sync) -> Vec<R> {
        let (n, width) = (self.labels.len(), self.width());
        parallel::map_range(n.div_ceil(CHUNK), |at| {
            let (first, end) = (at * CHUNK, n.min((at + 1) * CHUNK));
            let (features, labels) = (&self.features[first * width..end * width], &self.labels[first..end]);
            task(LabelledBlock { first, features, labels })
        })
    }
}

/// Consecutive points.
struct LabelledBlock<'a> {
    first: usize,
    features: &'a [[f64; FEATURES]],
    labels: &'a [Option<u32>],
}

impl<'a> LabelledBlock<'a> {
    /// Every point, with the features of its candidates and its label.
    fn rows(&self, width: usize) -> impl Iterator<Item = (usize, &'a [[f64; FEATURES]], Option<u32>)> {
        let rows = self.features.chunks_exact(width).zip(self.labels);
        (self.first..).zip(rows).map(|(point, (features, &label))| (point, features, label))
    }
}

/// A model of the labels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelNoise {
    pub(super) weights: [f64; FEATURES],
    /// t(y | k).
    pub(super) rates: LabelRates,
}

/// What the model says about a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LabelVerdict {
    /// The probability that its label is wrong; 0 if it has no label.
    pub(super) wrong: f64,
    /// The place of the likeliest class regardless of the label.
    pub(super) likely: usize,
}

/// Sums over points.
#[derive(Debug, Clone, Default)]
struct LikelihoodSums {
    log_likelihood: f64,
    gradient: [f64; FEATURES],
    hessian: [[f64; FEATURES]; FEATURES],
    /// For each pair of a label and a class: how many points of the class are expected to carry the label.
    counts: Vec<f64>,
}

impl LabelNoise {
    /// Fits the model to the labels. After an earlier fit, in which doubtful points counted as much as others, wrong labels are
    /// no rarer than they were: the features of doubtful points already reflect that doubt, and a softmax with small weights
    /// could explain wrong labels as well as their rate does.
    ///
    /// Time: O(n C), repeated at most about 180 times. Memory: O(n C / 512).
    ///
    /// # Errors
    /// [`Stopped`] if `control` stops the work.
    pub(super) fn fit(
        data: LabelledFeatures<'_>,
        earlier: Option<LabelNoise>,
        control: Control<'_>,
    ) -> Result<LabelNoise, Stopped> {
        if let Some(earlier) = earlier {
            let least = earlier.rates.usual();
            return Ok(earlier.climb(data, least, control)?.0);
        }
        let right = |worth: f64| LabelNoise { weights: START, rates: data.pairs.alike(START_RATE, worth) };
        let votes = data.votes();
        let rates = data.pairs.rates(&votes, data.pairs.usual(&votes), EACH);
        let voted = LabelNoise { weights: START.map(|weight| SHARPER * weight), rates };
        let alike = right(ALIKE).climb(data, 0.0, control)?;
        let [right, voted] = [right(EACH).climb(data, 0.0, control)?, voted.climb(data, 0.0, control)?];
        let each = if voted.1 > right.1 { voted } else { right };
        Ok(if each.1 > alike.1 + MARGIN { each.0 } else { alike.0 })
    }

    /// The best model that can be reached from this one, with its objective.
    fn climb(
        self,
        data: LabelledFeatures<'_>,
        least: f64,
        control: Control<'_>,
    ) -> Result<(LabelNoise, f64), Stopped> {
        let mut model = self;
        let mut sums = model.sums(data);
        for _ in 0..STEPS {
            control.check()?;
            let usual = data.pairs.usual(&sums.counts).max(least);
            let before = model.objective(&sums, data.pairs, usual);
            let Some((next, after)) = model.improved(&sums, data, usual) else { break };
            let gain = next.objective(&after, data.pairs, usual) - before;
            (model, sums) = (next, after);
            if gain <= GAIN {
                break;
            }
        }
        let reached = model.objective(&sums, data.pairs, model.rates.usual());
        Ok((model, reached))
    }

    /// What the model says about every point.
    pub(super) fn verdicts(&self, data: LabelledFeatures<'_>) -> Vec<LabelVerdict> {
        let of_chunk = |chunk: LabelledBlock<'_>| {
            let (mut shares, mut expected) = (Vec::new(), Vec::new());
            let rows = chunk.rows(data.width());
            rows.map(|(point, features, label)| {
                self.shares(features, &mut shares);
                let likely = first_largest(&shares);
                let Some(label) = label else { return LabelVerdict { wrong: 0.0, likely } };
                let slots = data.pairs.of(point);
                self.expect(&shares, slots, None, &mut expected);
                let others = expected.iter().zip(slots).filter(|(_, slot)| !data.pairs.is_right(**slot));
                let wrong = others.map(|(expected, _)| expected).sum::<f64>().min(1.0);
                // If the class has two names, the one that the point carries.
                let likely = if data.pairs.is_right(slots[likely]) { label as usize } else { likely };
                LabelVerdict { wrong, likely }
            })
            .collect::<Vec<LabelVerdict>>()
        };
        data.map_chunks(of_chunk).concat()
    }

    /// A step that raises the objective if `usual` is the expected share of wrong labels, with the sums after it.
    fn improved(
        &self,
        sums: &LikelihoodSums,
        data: LabelledFeatures<'_>,
        usual: f64,
    ) -> Option<(LabelNoise, LikelihoodSums)> {
        let mut step = self.step(sums);
        let rates = data.pairs.rates(&sums.counts, usual, self.rates.worth());
        let value = self.objective(sums, data.pairs, usual);
        for _ in 0..HALVINGS {
            let mut next = LabelNoise { weights: self.weights, rates: rates.clone() };
            next.weights.iter_mut().zip(step).for_each(|(weight, step)| *weight = (*weight + step).max(0.0));
            let after = next.sums(data);
            if next.objective(&after, data.pairs, usual) >= value - 1e-12 * value.abs() {
                return Some((next, after));
            }
            step = step.map(|step| step / 2.0);
        }
        None
    }

    /// Newton's step for the weights that may move: a weight of 0 stays 0 if it would fall.
    fn step(&self, sums: &LikelihoodSums) -> [f64; FEATURES] {
        let gradient: [f64; FEATURES] = std::array::from_fn(|a| sums.gradient[a] - RIDGE * self.weights[a]);
        let free: Vec<usize> =
            (0..FEATURES).filter(|&a| self.weights[a] > 0.0 || gradient[a] > 0.0).collect();
        let m = free.len();
        // In units of the features, so that large and small features are treated alike.
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

    fn objective(&self, sums: &LikelihoodSums, pairs: &LabelPairs, usual: f64) -> f64 {
        let ridge: f64 = self.weights.iter().map(|weight| weight * weight).sum();
        sums.log_likelihood - RIDGE / 2.0 * ridge + pairs.log_prior(&self.rates, usual)
    }

    fn sums(&self, data: LabelledFeatures<'_>) -> LikelihoodSums {
        let of_chunk = |chunk: LabelledBlock<'_>| {
            let here = data.pairs.within(chunk.first..chunk.first + chunk.labels.len());
            let mut sums = LikelihoodSums { counts: vec![0.0; here.len()], ..LikelihoodSums::default() };
            let (mut shares, mut expected) = (Vec::new(), Vec::new());
            for (point, features, label) in chunk.rows(data.width()) {
                if label.is_some() {
                    self.shares(features, &mut shares);
                    let (slots, known) = (data.pairs.of(point), data.known[point]);
                    sums.log_likelihood += self.expect(&shares, slots, known, &mut expected).ln();
                    sums.add(features, &shares, &expected);
                    for (&slot, expected) in slots.iter().zip(&expected) {
                        sums.counts[slot as usize - here.start] += expected;
                    }
                }
            }
            (here.start, sums)
        };
        let parts: Vec<(usize, LikelihoodSums)> = data.map_chunks(of_chunk);
        let nothing = LikelihoodSums { counts: vec![0.0; data.pairs.len()], ..LikelihoodSums::default() };
        parts.iter().fold(nothing, |sums, (first, part)| sums.and(*first, part))
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

    /// The likelihood of the label of a point, and of its class where that is known. Writes into `expected` the probability that
    /// each candidate is its class, given the label. `slots` are the pairs of the label and each candidate.
    fn expect(&self, shares: &[f64], slots: &[u32], known: Option<u32>, expected: &mut Vec<f64>) -> f64 {
        expected.clear();
        expected.extend(shares.iter().zip(slots).map(|(share, &slot)| share * self.rates.of(slot)));
        if let Some(place) = known {
            let likelihood = expected[place as usize].max(f64::MIN_POSITIVE);
            expected.fill(0.0);
            expected[place as usize] = 1.0;
            return likelihood;
        }
        let likelihood: f64 = expected.iter().sum();
        expected.iter_mut().for_each(|joint| *joint /= likelihood);
        likelihood
    }
}

impl LikelihoodSums {
    fn add(&mut self, features: &[[f64; FEATURES]], shares: &[f64], expected: &[f64]) {
        let mean: [f64; FEATURES] =
            std::array::from_fn(|a| features.iter().zip(shares).map(|(f, share)| share * f[a]).sum());
        for ((f, share), expected) in features.iter().zip(shares).zip(expected) {
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

    /// Adds the sums of a chunk, whose counts begin with pair `first`.
    fn and(mut self, first: usize, other: &LikelihoodSums) -> LikelihoodSums {
        self.log_likelihood += other.log_likelihood;
        for a in 0..FEATURES {
            self.gradient[a] += other.gradient[a];
            for b in 0..FEATURES {
                self.hessian[a][b] += other.hessian[a][b];
            }
        }
        self.counts[first..].iter_mut().zip(&other.counts).for_each(|(sum, count)| *sum += count);
        self
    }
}

/// The place of the largest number; among equal ones, the first.
pub(super) fn first_largest(values: &[f64]) -> usize {
    values.iter().enumerate().fold(0, |best, (place, value)| if *value > values[best] { place } else { best })
}

#[cfg(test)]
mod tests;

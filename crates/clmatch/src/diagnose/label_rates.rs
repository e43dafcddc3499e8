//! How often points of one class carry the label of another one.
//!
//! ```text
//! t(y | k) = (N(y, k) + A e / (K - 1)) / (N(k) + A)        y != k; t(k | k) is what these leave
//! e        = (wrong labels + 1/2) / (labels + 10)
//! ```
//!
//! where N(y, k) is the expected number of points of class k with the label y, N(k) its sum over y, K the number of classes, and
//! A the number of labels that the prior is worth. In practice, labels are not wrong at random: a 4 is taken for a 9, seldom for
//! a 7. With A = 10 each pair of classes has its own rate, drawn towards that of all pairs where little is known; with A =
//! 100,000 all pairs are alike.
//!
//! Degenerate cases: the labels of a class are wrong with a probability of at most .4; above that they could not be distinguished
//! from other names for the classes. Two names for one class ([`second_names`](super::second_names)) count as one label and one
//! class here.

use std::ops::Range;

use super::evidence::CandidateClasses;

/// A, if every pair has its own rate.
pub(super) const EACH: f64 = 10.0;
/// A, if all pairs are alike.
pub(super) const ALIKE: f64 = 1e5;
/// The prior of e counts as this many wrong labels, among this many labels.
const PRIOR_OF_ALL: (f64, f64) = (0.5, 10.0);
/// The largest share of the labels of a class that may be wrong.
const MOST: f64 = 0.4;

/// The pairs of a label and a class that occur, which means that the class is considered at a point with the label. They are
/// numbered in the order of labels, and for the same label in the order of classes. There are at most K^2, and at most 64 per
/// point.
#[derive(Debug, Clone)]
pub(super) struct LabelPairs {
    classes: usize,
    /// n x C: the pair of the label of each point and each of its candidates.
    of_point: Vec<u32>,
    width: usize,
    /// For every pair: the label and the class.
    pairs: Vec<(u32, u32)>,
    /// For each class: how many other labels occur where it is considered.
    others: Vec<usize>,
}

/// The rates t(y | k).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LabelRates {
    of_pair: Vec<f64>,
    /// For each class: the rate of a label that does not occur where the class is considered.
    elsewhere: Vec<f64>,
    /// e, the usual share of wrong labels.
    usual: f64,
    /// A, the number of labels that the prior is worth.
    worth: f64,
}

impl LabelPairs {
    /// Finds the pairs from the candidates of points in class order, and from the number of each class, which two names for one
    /// class share.
    ///
    /// Time: O(n C log n). Memory: O(n C).
    pub(super) fn new(candidates: &CandidateClasses, starts: &[usize], number: &[u32]) -> LabelPairs {
        let width = candidates.width();
        let classes = number.iter().max().map_or(0, |&last| last as usize + 1);
        let pairs_of = |(label, of): (usize, &[usize])| {
            let considered = (of[0]..of[1]).flat_map(|point| candidates.of(point));
            considered.map(|&class| (number[label], number[class as usize])).collect::<Vec<_>>()
        };
        let labelled = || starts.windows(2).enumerate();
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for mut of_label in labelled().map(pairs_of) {
            of_label.sort_unstable();
            of_label.dedup();
            pairs.extend(of_label);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut others = vec![0; classes];
        pairs.iter().filter(|pair| pair.0 != pair.1).for_each(|pair| others[pair.1 as usize] += 1);
        let place = |pair: (u32, u32)| pairs.partition_point(|other| *other < pair) as u32;
        let of_point = labelled().flat_map(pairs_of).map(place).collect();
        LabelPairs { classes, of_point, width, pairs, others }
    }

    /// K - 1, or 1 for a single class, which has no other classes to divide anything among.
    fn other_classes(&self) -> f64 {
        (self.classes - 1).max(1) as f64
    }

    /// How many pairs there are.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs of the label of a point and each of its candidates.
    pub(super) fn of(&self, point: usize) -> &[u32] {
        &self.of_point[point * self.width..(point + 1) * self.width]
    }

    /// Whether the label of a pair is that of its class.
    pub(super) fn is_right(&self, pair: u32) -> bool {
        let (label, class) = self.pairs[pair as usize];
        label == class
    }

    /// A range that contains all pairs of the labels of consecutive points.
    pub(super) fn within(&self, points: Range<usize>) -> Range<usize> {
        let labels = points.map(|point| self.pairs[self.of(point)[0] as usize].0);
        let (first, last) =
            labels.fold((u32::MAX, 0), |(first, last), label| (first.min(label), last.max(label)));
        self.pairs.partition_point(|pair| pair.0 < first)..self.pairs.partition_point(|pair| pair.0 <= last)
    }

    /// e, from the expected number of points of every pair.
    pub(super) fn usual(&self, counts: &[f64]) -> f64 {
        let wrong = self.pairs.iter().zip(counts).filter(|((label, class), _)| label != class);
        let wrong: f64 = wrong.map(|(_, count)| count).sum();
        ((wrong + PRIOR_OF_ALL.0) / (counts.iter().sum::<f64>() + PRIOR_OF_ALL.1)).min(MOST)
    }

    /// Rates that are alike in all pairs.
    pub(super) fn alike(&self, usual: f64, worth: f64) -> LabelRates {
        self.rates(&vec![0.0; self.len()], usual, worth)
    }

    /// The rates, from the expected number of points of every pair, e and A.
    pub(super) fn rates(&self, counts: &[f64], usual: f64, worth: f64) -> LabelRates {
        let (mut all, mut wrong) = (vec![worth; self.classes], vec![worth * usual; self.classes]);
        for (&(label, class), count) in self.pairs.iter().zip(counts) {
            all[class as usize] += count;
            wrong[class as usize] += if label == class { 0.0 } else { *count };
        }
        // By class: what one expected wrong label adds to its rate.
        let scale: Vec<f64> =
            all.iter().zip(&wrong).map(|(all, wrong)| (MOST / wrong).min(1.0 / all)).collect();
        let prior = worth * usual / self.other_classes();
        let rate = |(&(label, class), count): (&(u32, u32), &f64)| {
            let k = class as usize;
            if label == class { 1.0 - scale[k] * wrong[k] } else { scale[k] * (count + prior) }
        };
        LabelRates {
            of_pair: self.pairs.iter().zip(counts).map(rate).collect(),
            elsewhere: scale.iter().map(|scale| scale * prior).collect(),
            usual,
            worth,
        }
    }

    /// The logarithm of the prior of the rates, up to a constant, if `usual` is the expected share of wrong labels.
    pub(super) fn log_prior(&self, rates: &LabelRates, usual: f64) -> f64 {
        let worth = rates.worth;
        let each = worth * usual / self.other_classes();
        let of_pair = |(&(label, class), rate): (&(u32, u32), &f64)| {
            if label == class { worth * (1.0 - usual) * rate.ln() } else { each * rate.ln() }
        };
        let here: f64 = self.pairs.iter().zip(&rates.of_pair).map(of_pair).sum();
        let elsewhere = rates.elsewhere.iter().zip(&self.others);
        let elsewhere: f64 =
            elsewhere.map(|(rate, others)| each * (self.classes - 1 - others) as f64 * rate.ln()).sum();
        // Minus the prior at the rates that it expects.
        let expected =
            worth * ((1.0 - usual) * (1.0 - usual).ln() + usual * (usual / self.other_classes()).ln());
        let of_all = PRIOR_OF_ALL.0 * usual.ln() + (PRIOR_OF_ALL.1 - PRIOR_OF_ALL.0) * (1.0 - usual).ln();
        here + elsewhere - self.classes as f64 * expected + of_all
    }
}

impl LabelRates {
    /// t of a pair of a label and a class.
    pub(super) fn of(&self, pair: u32) -> f64 {
        self.of_pair[pair as usize]
    }

    /// e.
    pub(super) fn usual(&self) -> f64 {
        self.usual
    }

    /// A.
    pub(super) fn worth(&self) -> f64 {
        self.worth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three classes of 2, 1 and 1 points.
    fn three() -> LabelPairs {
        LabelPairs::new(&CandidateClasses::all(4, 3), &[0, 2, 3, 4], &[0, 1, 2])
    }

    #[test]
    fn pairs_are_numbered_by_label_and_class() {
        let pairs = three();
        assert_eq!(pairs.len(), 9);
        assert_eq!([pairs.of(0), pairs.of(1), pairs.of(3)], [[0, 1, 2], [0, 1, 2], [6, 7, 8]]);
        assert_eq!([pairs.within(0..2), pairs.within(1..3), pairs.within(3..4)], [0..3, 0..6, 6..9]);
    }

    /// The first and the last of three classes are two names for one class.
    #[test]
    fn two_names_are_one_class() {
        let pairs = LabelPairs::new(&CandidateClasses::all(4, 3), &[0, 2, 3, 4], &[0, 1, 0]);
        assert_eq!((pairs.len(), pairs.classes), (4, 2));
        assert_eq!([pairs.of(0), pairs.of(2), pairs.of(3)], [[0, 1, 0], [2, 3, 2], [0, 1, 0]]);
        assert_eq!([pairs.within(1..3), pairs.within(2..4), pairs.within(3..4)], [0..4, 0..4, 0..2]);
        assert_eq!([0, 1, 2, 3].map(|pair| pairs.is_right(pair)), [true, false, false, true]);
    }

    /// Of 60 points of class 0, 12 carry the label 1; of 30 of class 2, 20 carry the label 0, which is too many.
    #[test]
    fn rates_by_hand() {
        let counts = [48.0, 0.0, 20.0, 12.0, 40.0, 0.0, 0.0, 0.0, 10.0];
        let usual = three().usual(&counts);
        assert!((usual - 32.5 / 140.0).abs() < 1e-15, "{usual}");
        let rates = three().rates(&counts, 0.1, EACH);
        // Half a wrong label of each kind is added, and 10 labels in all; class 2 has .4 of 20.5 + .5.
        let expected = [
            1.0 - 13.0 / 70.0,
            0.5 / 50.0,
            0.4 * 20.5 / 21.0,
            12.5 / 70.0,
            1.0 - 1.0 / 50.0,
            0.4 * 0.5 / 21.0,
            0.5 / 70.0,
            0.5 / 50.0,
            0.6,
        ];
        for (pair, expected) in expected.into_iter().enumerate() {
            assert!((rates.of(pair as u32) - expected).abs() < 1e-15, "{pair}: {}", rates.of(pair as u32));
        }
        let alike = three().rates(&counts, 0.1, ALIKE);
        assert!([1, 2, 3, 5, 6, 7].iter().all(|&pair| (alike.of(pair) - 0.05).abs() < 3e-4), "{alike:?}");
    }

    /// The rates of a class add up to 1, including those of labels that do not occur where it is considered.
    #[test]
    fn rates_of_a_class_add_up_to_1() {
        let candidates = CandidateClasses::some(2, vec![0, 1, 0, 1, 1, 2, 2, 3]);
        let pairs = LabelPairs::new(&candidates, &[0, 1, 2, 3, 4], &[0, 1, 2, 3]);
        let counts: Vec<f64> = (0..pairs.len()).map(|pair| pair as f64).collect();
        let rates = pairs.rates(&counts, 0.2, EACH);
        for class in 0..4_u32 {
            let here = pairs.pairs.iter().zip(&rates.of_pair).filter(|((_, of), _)| *of == class);
            let absent = 3 - pairs.others[class as usize];
            let sum =
                here.map(|(_, rate)| rate).sum::<f64>() + absent as f64 * rates.elsewhere[class as usize];
            assert!((sum - 1.0).abs() < 1e-12, "{class}: {sum}");
        }
    }
}

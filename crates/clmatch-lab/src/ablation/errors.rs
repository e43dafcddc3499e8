//! How much the values of the variants change between conditions, and how much less than those of the measure without
//! protocols.

use super::conditions::{CONDITIONS, Test};
use super::smape::smape;
use crate::reading::Reading;
use clmatch_analysis::calibration::variants::{Base, Protocols, Variant};

/// The error of a variant between two conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairError {
    /// The first condition.
    pub a: usize,
    /// The second condition, greater than the first.
    pub b: usize,
    /// The SMAPE between the two conditions.
    pub error: f64,
}

/// The errors of one variant in one test.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// The test.
    pub test: Test,
    /// The variant.
    pub variant: Variant,
    /// The errors over all pairs of conditions.
    pub pairs: Vec<PairError>,
    /// The share of the variant's values above [`TOP`]: a variant with R that is always 1 has no error, but is of no use.
    pub topmost: f64,
    /// The share of the total change that the [`FEW`] datasets with the largest changes make, as a mean over pairs of
    /// conditions: near 1 if a few datasets decide the error.
    pub concentration: f64,
}

/// The share of the datasets that counts as few.
pub const FEW: f64 = 0.01;

/// The upper end of the range that R gives starts here.
pub const TOP: f64 = 0.99;

impl Errors {
    /// Compares all pairs of conditions, given the values of all datasets at each condition.
    pub fn new(
        test: Test,
        variant: Variant,
        values: &[Vec<f64>; CONDITIONS],
        weights: &[f64],
        reading: Reading,
    ) -> Errors {
        let pairs = (0..CONDITIONS).flat_map(|a| (a + 1..CONDITIONS).map(move |b| (a, b)));
        let shares: Vec<f64> =
            pairs.clone().map(|(a, b)| concentration(&values[a], &values[b], weights)).collect();
        let concentration = shares.iter().sum::<f64>() / shares.len() as f64;
        let pairs =
            pairs.map(|(a, b)| PairError { a, b, error: smape(&values[a], &values[b], weights, reading) });
        let all = || values.iter().flatten();
        let topmost = all().filter(|&&value| value > TOP).count() as f64 / all().count() as f64;
        Errors { test, variant, pairs: pairs.collect(), topmost, concentration }
    }

    /// The mean error over pairs of conditions.
    pub fn mean(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.error).sum::<f64>() / self.pairs.len() as f64
    }
}

/// The share of the weighted change between two conditions that the few datasets with the largest changes make.
fn concentration(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let mut changes: Vec<f64> =
        weights.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * (a - b).abs()).collect();
    changes.sort_by(|x, y| y.total_cmp(x));
    let few = (FEW * changes.len() as f64).ceil() as usize;
    let all: f64 = changes.iter().sum();
    if all > 0.0 { changes[..few].iter().sum::<f64>() / all } else { 0.0 }
}

/// What a bar of the paper's figure averages over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combination {
    /// The variants with exactly these protocols.
    Exactly(Protocols),
    /// Every measure with all the protocols that it can take.
    Adjusted,
}

impl Combination {
    /// The combinations of the paper, in its order.
    pub fn all() -> Vec<Combination> {
        let some = Protocols::ALL.into_iter().skip(1).map(Combination::Exactly);
        some.chain([Combination::Adjusted]).collect()
    }

    /// The letters of the protocols, or ADJ.
    pub fn name(self) -> String {
        match self {
            Combination::Exactly(protocols) => protocols.letters(),
            Combination::Adjusted => "ADJ".into(),
        }
    }

    /// The variants that the combination averages over.
    pub fn variants(self) -> Vec<Variant> {
        let of = |base: Base| match self {
            Combination::Exactly(protocols) => {
                base.variants().into_iter().find(|variant| variant.protocols == protocols)
            }
            Combination::Adjusted => base.variants().pop(),
        };
        Base::ALL.into_iter().filter_map(of).collect()
    }
}

/// The errors of all variants in all tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The number of base datasets.
    pub datasets: usize,
    /// The seed of their random numbers.
    pub seed: u64,
    /// The reading of the paper.
    pub reading: Reading,
    /// The errors, test by test and variant by variant.
    pub errors: Vec<Errors>,
    /// The intervals of the mean reductions.
    pub intervals: Vec<Interval>,
}

/// A 95% interval of a mean reduction, over bootstrap samples of the base datasets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The test.
    pub test: Test,
    /// The protocols.
    pub combination: Combination,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Outcome {
    /// The same experiment without any results.
    pub(super) fn without_numbers(&self) -> Outcome {
        let Outcome { datasets, seed, reading, .. } = *self;
        Outcome { datasets, seed, reading, errors: Vec::new(), intervals: Vec::new() }
    }

    /// The errors of a variant in a test, if it was computed.
    pub fn of(&self, test: Test, variant: Variant) -> Option<&Errors> {
        self.errors.iter().find(|errors| errors.test == test && errors.variant == variant)
    }

    /// The errors of a variant, and those of its measure without protocols.
    fn after_and_before(&self, test: Test, variant: Variant) -> Option<(&Errors, &Errors)> {
        let plain = Variant { protocols: Protocols::default(), unbiased: false, ..variant };
        Some((self.of(test, variant)?, self.of(test, plain)?))
    }

    /// The mean errors of the measure without protocols and of the variant.
    pub fn means(&self, test: Test, variant: Variant) -> Option<(f64, f64)> {
        self.after_and_before(test, variant).map(|(after, before)| (before.mean(), after.mean()))
    }

    /// The share of the error that the protocols remove; negative if they add to it.
    ///
    /// ```text
    /// text:    1 - mean after / mean before
    /// authors: mean over pairs of conditions of (before - after) / max(before, after)
    /// ```
    pub fn reduction(&self, test: Test, variant: Variant) -> Option<f64> {
        let (after, before) = self.after_and_before(test, variant)?;
        Some(match self.reading {
            Reading::Text => 1.0 - after.mean() / before.mean(),
            Reading::Authors => {
                let pairs = after.pairs.iter().zip(&before.pairs).map(|(after, before)| {
                    let larger = before.error.max(after.error);
                    if larger > 0.0 { (before.error - after.error) / larger } else { 0.0 }
                });
                pairs.sum::<f64>() / after.pairs.len() as f64
            }
        })
    }

    /// The mean reduction over the measures that a combination applies to.
    pub fn mean_reduction(&self, test: Test, combination: Combination) -> Option<f64> {
        let of: Vec<f64> =
            combination.variants().iter().filter_map(|&variant| self.reduction(test, variant)).collect();
        (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
    }

    /// The interval of the mean reduction.
    pub fn interval(&self, test: Test, combination: Combination) -> Option<(f64, f64)> {
        let of = |one: &&Interval| one.test == test && one.combination == combination;
        self.intervals.iter().find(of).map(|one| (one.low, one.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: Test = Test::Cardinality;

    fn errors(name: &str, error: f64) -> Errors {
        let pairs =
            vec![PairError { a: 0, b: 1, error: error / 2.0 }, PairError { a: 0, b: 2, error: 1.5 * error }];
        Errors { test: TEST, variant: Variant::find(name).unwrap(), pairs, topmost: 0.0, concentration: 0.0 }
    }

    #[test]
    fn combinations_are_those_of_the_paper() {
        let counts: Vec<(String, usize)> =
            Combination::all().iter().map(|one| (one.name(), one.variants().len())).collect();
        let expected =
            [("D", 2), ("S", 6), ("R", 5), ("DS", 2), ("DR", 2), ("SR", 5), ("DSR", 2), ("ADJ", 6)];
        assert_eq!(counts, expected.map(|(name, count)| (name.to_owned(), count)));
        let adjusted: Vec<String> = Combination::Adjusted.variants().iter().map(|one| one.name()).collect();
        assert_eq!(adjusted, ["CH DSR", "DI DSR", "II SR", "XB SR", "DB SR", "SC S"]);
    }

    #[test]
    fn reductions_by_hand() {
        let list = [("CH", 0.4), ("CH D", 0.1), ("DI", 0.2), ("DI D", 0.3), ("CH DS, unbiased", 0.2)];
        let errors = list.map(|(name, error)| errors(name, error)).to_vec();
        let outcome = Outcome { datasets: 2, seed: 0, reading: Reading::Text, errors, intervals: Vec::new() };
        let reduction = |name: &str| outcome.reduction(TEST, Variant::find(name).unwrap());
        assert!((reduction("CH D").unwrap() - 0.75).abs() < 1e-12);
        assert!((reduction("DI D").unwrap() + 0.5).abs() < 1e-12);
        // Unbiased forms are compared with the same measure, but are part of no average.
        assert!((reduction("CH DS, unbiased").unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(reduction("CH S"), None);
        let mean = outcome.mean_reduction(TEST, Combination::all()[0]).unwrap();
        assert!((mean - 0.125).abs() < 1e-12, "{mean}");
        assert_eq!(outcome.mean_reduction(TEST, Combination::Adjusted), None);
        // Twice (0.4 - 0.1) / 0.4, and twice (0.2 - 0.3) / 0.3.
        let authors = Outcome { reading: Reading::Authors, ..outcome };
        let mean = authors.mean_reduction(TEST, Combination::all()[0]).unwrap();
        assert!((mean - (0.75 - 1.0 / 3.0) / 2.0).abs() < 1e-12, "{mean}");
    }

    #[test]
    fn all_pairs_of_conditions_are_compared() {
        let values: [Vec<f64>; CONDITIONS] = std::array::from_fn(|t| vec![0.0, t as f64]);
        let errors = Errors::new(TEST, Variant::find("CH").unwrap(), &values, &[1.0, 1.0], Reading::Text);
        assert_eq!(errors.pairs.len(), 55);
        // (b - a) / (a + b) with a = 1, b = 3.
        let found = errors.pairs.iter().find(|pair| (pair.a, pair.b) == (1, 3)).unwrap();
        assert_eq!(found.error, 0.5);
        // The values 1 to 10, out of two times 0 to 10.
        assert_eq!(errors.topmost, 10.0 / 22.0);
        // One of two datasets makes all the change.
        assert!((errors.concentration - 1.0).abs() < 1e-12);
    }

    #[test]
    fn concentration_by_hand() {
        // Changes of 3 and 2, and then 1 each, for 101 datasets: two of them are few.
        let a = vec![0.0; 101];
        let b: Vec<f64> = (0..101).map(|at| [3.0, 2.0].get(at).copied().unwrap_or(1.0)).collect();
        assert!((concentration(&a, &b, &[1.0; 101]) - 5.0 / 104.0).abs() < 1e-12);
        assert_eq!(concentration(&a, &a, &[1.0; 101]), 0.0);
    }
}

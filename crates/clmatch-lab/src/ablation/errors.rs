//! How much the variants change between conditions, and how much less than the measure without protocols.

use super::conditions::{CONDITIONS, Setup};
use super::smape::smape;
use crate::variants::{Base, Protocols, Variant};

/// The error of a variant between two conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairError {
    /// The first condition.
    pub a: usize,
    /// The second, greater than the first.
    pub b: usize,
    /// SMAPE.
    pub error: f64,
}

/// The errors of one variant in one test.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// The test.
    pub setup: Setup,
    /// The variant.
    pub variant: Variant,
    /// Over all pairs of conditions.
    pub pairs: Vec<PairError>,
    /// The share of its values that lie above [`TOP`]: a variant with R that is always 1 has no error, and no use.
    pub topmost: f64,
    /// The share of all change that the [`FEW`] datasets make that change most, a mean over pairs of conditions: near 1
    /// where a few datasets decide about the error.
    pub concentration: f64,
}

/// The share of the datasets that counts as a few.
pub const FEW: f64 = 0.01;

/// What counts as the upper end of the range that R gives.
pub const TOP: f64 = 0.99;

impl Errors {
    /// Compares all pairs of conditions, given the values of all datasets at each condition.
    pub fn new(setup: Setup, variant: Variant, values: &[Vec<f64>; CONDITIONS], weights: &[f64]) -> Errors {
        let pairs = (0..CONDITIONS).flat_map(|a| (a + 1..CONDITIONS).map(move |b| (a, b)));
        let shares: Vec<f64> =
            pairs.clone().map(|(a, b)| concentration(&values[a], &values[b], weights)).collect();
        let concentration = shares.iter().sum::<f64>() / shares.len() as f64;
        let pairs = pairs.map(|(a, b)| PairError { a, b, error: smape(&values[a], &values[b], weights) });
        let all = || values.iter().flatten();
        let topmost = all().filter(|&&value| value > TOP).count() as f64 / all().count() as f64;
        Errors { setup, variant, pairs: pairs.collect(), topmost, concentration }
    }

    /// The mean over pairs of conditions.
    pub fn mean(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.error).sum::<f64>() / self.pairs.len() as f64
    }
}

/// The share of the weighted change between two conditions that the few datasets make that change most.
fn concentration(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    let mut changes: Vec<f64> =
        weights.iter().zip(a.iter().zip(b)).map(|(w, (a, b))| w * (a - b).abs()).collect();
    changes.sort_by(|x, y| y.total_cmp(x));
    let few = (FEW * changes.len() as f64).ceil() as usize;
    let all: f64 = changes.iter().sum();
    if all > 0.0 { changes[..few].iter().sum::<f64>() / all } else { 0.0 }
}

/// What the bars of the paper's figure average over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Combination {
    /// The variants with exactly these protocols.
    Exactly(Protocols),
    /// Every measure with all the protocols that it can take.
    Adjusted,
}

impl Combination {
    /// Those of the paper, in its order.
    pub fn all() -> Vec<Combination> {
        let some = Protocols::ALL.into_iter().skip(1).map(Combination::Exactly);
        some.chain([Combination::Adjusted]).collect()
    }

    /// Its letters, or ADJ.
    pub fn name(self) -> String {
        match self {
            Combination::Exactly(protocols) => protocols.letters(),
            Combination::Adjusted => "ADJ".into(),
        }
    }

    /// The variants that it averages over.
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
    /// How many base datasets there were.
    pub datasets: usize,
    /// What their random numbers started from.
    pub seed: u64,
    /// Test by test, variant by variant.
    pub errors: Vec<Errors>,
}

impl Outcome {
    /// The errors of a variant in a test, if it was computed.
    pub fn of(&self, setup: Setup, variant: Variant) -> Option<&Errors> {
        self.errors.iter().find(|errors| errors.setup == setup && errors.variant == variant)
    }

    /// The mean error of a variant, and that of the measure without protocols.
    pub fn after_and_before(&self, setup: Setup, variant: Variant) -> Option<(f64, f64)> {
        let plain = Variant { protocols: Protocols::default(), unbiased: false, ..variant };
        Some((self.of(setup, variant)?.mean(), self.of(setup, plain)?.mean()))
    }

    /// `1 - SMAPE / SMAPE without protocols`: the share of the error that the protocols remove; negative where they
    /// add to it.
    pub fn reduction(&self, setup: Setup, variant: Variant) -> Option<f64> {
        self.after_and_before(setup, variant).map(|(after, before)| 1.0 - after / before)
    }

    /// The mean reduction over the measures that a combination applies to.
    pub fn mean_reduction(&self, setup: Setup, combination: Combination) -> Option<f64> {
        let of: Vec<f64> =
            combination.variants().iter().filter_map(|&variant| self.reduction(setup, variant)).collect();
        (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ablation::conditions::{Other, Test};

    const SETUP: Setup = Setup { test: Test::Cardinality, other: Other::Kept };

    fn errors(name: &str, error: f64) -> Errors {
        let pairs =
            vec![PairError { a: 0, b: 1, error: error / 2.0 }, PairError { a: 0, b: 2, error: 1.5 * error }];
        Errors {
            setup: SETUP,
            variant: Variant::find(name).unwrap(),
            pairs,
            topmost: 0.0,
            concentration: 0.0,
        }
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
        let outcome = Outcome { datasets: 2, seed: 0, errors };
        let reduction = |name: &str| outcome.reduction(SETUP, Variant::find(name).unwrap());
        assert!((reduction("CH D").unwrap() - 0.75).abs() < 1e-12);
        assert!((reduction("DI D").unwrap() + 0.5).abs() < 1e-12);
        // Unbiased forms are compared with the same measure, and enter no average.
        assert!((reduction("CH DS, unbiased").unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(reduction("CH S"), None);
        let mean = outcome.mean_reduction(SETUP, Combination::all()[0]).unwrap();
        assert!((mean - 0.125).abs() < 1e-12, "{mean}");
        assert_eq!(outcome.mean_reduction(SETUP, Combination::Adjusted), None);
    }

    #[test]
    fn all_pairs_of_conditions_are_compared() {
        let values: [Vec<f64>; CONDITIONS] = std::array::from_fn(|t| vec![0.0, t as f64]);
        let errors = Errors::new(SETUP, Variant::find("CH").unwrap(), &values, &[1.0, 1.0]);
        assert_eq!(errors.pairs.len(), 55);
        // (b - a) / (a + b) with a = 1, b = 3.
        let found = errors.pairs.iter().find(|pair| (pair.a, pair.b) == (1, 3)).unwrap();
        assert_eq!(found.error, 0.5);
        // 1 to 10 of twice 0 to 10.
        assert_eq!(errors.topmost, 10.0 / 22.0);
        // One of two datasets makes all the change.
        assert!((errors.concentration - 1.0).abs() < 1e-12);
    }

    #[test]
    fn concentration_by_hand() {
        // Changes 3 and 2 and then 1 each, 101 in all: two of them are few.
        let a = vec![0.0; 101];
        let b: Vec<f64> = (0..101).map(|at| [3.0, 2.0].get(at).copied().unwrap_or(1.0)).collect();
        assert!((concentration(&a, &b, &[1.0; 101]) - 5.0 / 104.0).abs() < 1e-12);
        assert_eq!(concentration(&a, &a, &[1.0; 101]), 0.0);
    }
}

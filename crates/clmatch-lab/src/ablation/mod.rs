//! The paper's ablation: how much less measures react to the numbers of points and dimensions when the protocols D, S and
//! R are switched on.
//!
//! Every base dataset of the [`bench`](crate::bench) has 1,000 points in 2 + 98 dimensions. A test takes eleven parts of
//! it, which differ in the controlled factor, and measures by [`smape`] how much the scores of all datasets change
//! between any two parts. Growth rates are those of [`clmatch::calibration`].
//! | | text | authors |
//! |---|---|---|
//! | error reduction | 1 - after / before, of mean errors | mean over pairs of (before - after) / max(before, after) |
//! | weights of SMAPE | above and below the line | above it |
//! | points | drawn class by class | drawn from all |
//! | DB | as defined | 1/DB |
//! | XB with R | its own form | that of II |
//! | DI with R | worst case 0 | worst case from shuffled labels |

pub mod conditions;
pub mod errors;
mod figures;
mod page;
pub mod paper;
pub mod smape;
mod values;

use std::sync::atomic::{AtomicUsize, Ordering};

use clmatch_kernels::Control;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use self::conditions::{CONDITIONS, Test};
use self::errors::{Combination, Errors, Interval, Outcome};
use self::values::{Contender, Values, contenders, values};
use crate::bench::{Base, bases};
use crate::failure::Failure;
use crate::findings::Findings;
use crate::reading::Reading;
use clmatch_analysis::calibration::bins::weights;
use clmatch_truth::rank::quantile;

/// What to compute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AblationSettings {
    /// The number of base datasets.
    pub datasets: usize,
    /// The number of bootstrap samples of the base datasets, for intervals.
    pub resamples: usize,
    /// The reading of the paper.
    pub reading: Reading,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for AblationSettings {
    /// The same numbers as in the paper.
    fn default() -> Self {
        AblationSettings { datasets: 1000, resamples: 200, reading: Reading::Text, seed: 0 }
    }
}

/// Computes the errors of all variants in both tests. Reports to `control` how many datasets are done, and out of how
/// many.
///
/// Time: a few minutes on two cores with the default plan. The result does not depend on the number of threads.
///
/// # Errors
/// [`Failure::Stopped`] if `stop` was raised.
pub fn run(plan: &AblationSettings, control: Control<'_>) -> Result<Outcome, Failure> {
    let bases = bases(plan.datasets, plan.seed, control.stop())?;
    let contenders = contenders(plan.reading);
    let done = AtomicUsize::new(0);
    let of_base = |base: &Base| {
        let values = values(base, &contenders, plan.reading, control.stop())?;
        control.report("datasets", done.fetch_add(1, Ordering::Relaxed) + 1, bases.len());
        Ok(values)
    };
    let values: Vec<Values> = bases.par_iter().map(of_base).collect::<Result<_, Failure>>()?;
    let weights = weights(&bases.iter().map(|base| base.score).collect::<Vec<_>>());
    let everyone: Vec<usize> = (0..bases.len()).collect();
    let errors = errors(&values, &contenders, &weights, &everyone, plan.reading);
    let mut outcome = Outcome {
        datasets: plan.datasets,
        seed: plan.seed,
        reading: plan.reading,
        errors,
        intervals: Vec::new(),
    };
    let resampled: Vec<Outcome> = (0..plan.resamples as u64)
        .into_par_iter()
        .map(|number| {
            let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
            random.set_stream(number);
            let drawn: Vec<usize> = everyone.iter().map(|_| random.random_range(0..bases.len())).collect();
            let errors = self::errors(&values, &contenders, &weights, &drawn, plan.reading);
            Outcome { errors, ..outcome.without_numbers() }
        })
        .collect();
    outcome.intervals = intervals(&resampled);
    Ok(outcome)
}

/// The errors over the base datasets at some places.
fn errors(
    values: &[Values],
    contenders: &[Contender],
    weights: &[f64],
    places: &[usize],
    reading: Reading,
) -> Vec<Errors> {
    let weights: Vec<f64> = places.iter().map(|&place| weights[place]).collect();
    let mut errors = Vec::new();
    for (test_at, test) in Test::ALL.into_iter().enumerate() {
        for (at, contender) in contenders.iter().enumerate() {
            let by_condition: [Vec<f64>; CONDITIONS] = std::array::from_fn(|condition| {
                places.iter().map(|&place| values[place][test_at][condition][at]).collect()
            });
            errors.push(Errors::new(test, contender.variant, &by_condition, &weights, reading));
        }
    }
    errors
}

/// The middle 95% of the mean reductions over bootstrap samples.
fn intervals(resampled: &[Outcome]) -> Vec<Interval> {
    let mut intervals = Vec::new();
    for test in Test::ALL {
        for combination in Combination::all() {
            let mut means: Vec<f64> =
                resampled.iter().filter_map(|one| one.mean_reduction(test, combination)).collect();
            means.sort_by(f64::total_cmp);
            if !means.is_empty() {
                let (low, high) = (quantile(&means, 0.025), quantile(&means, 0.975));
                intervals.push(Interval { test, combination, low, high });
            }
        }
    }
    intervals
}

/// Runs the experiment and compares it with the paper's.
///
/// # Errors
/// Like those of [`run`].
pub fn findings(plan: &AblationSettings, control: Control<'_>) -> Result<Findings, Failure> {
    Ok(page::findings(&run(plan, control)?))
}

#[cfg(test)]
mod tests {
    use clmatch_kernels::Stop;

    use super::*;
    use clmatch_analysis::calibration::variants::Variant;

    #[test]
    fn the_seed_fixes_everything_and_data_cardinality_is_what_d_removes() {
        for reading in Reading::ALL {
            let plan = AblationSettings { datasets: 4, resamples: 5, reading, seed: 1 };
            let outcome = run(&plan, Control::new(&Stop::new())).unwrap();
            let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            assert_eq!(outcome, alone.install(|| run(&plan, Control::new(&Stop::new())).unwrap()));
            let reduction = outcome.reduction(Test::Cardinality, Variant::find("CH D").unwrap()).unwrap();
            assert!(reduction > 0.5, "{reduction}");
            let combination = Combination::all()[0];
            let interval = outcome.interval(Test::Cardinality, combination).unwrap();
            assert!(interval.0 < interval.1, "{interval:?}");
        }
    }
}

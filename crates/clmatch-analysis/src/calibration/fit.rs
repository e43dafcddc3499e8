//! T4-c: the growth rate k at which the scores of a variant best match judged separability.
//!
//! ```text
//! R2(k) = 1 - sum_i w_i (s_i - R_k(f_i))^2 / sum_i w_i (s_i - mean)^2
//! where s_i = the judgement of dataset i, f_i = the form of the variant on it, R_k = T4 with growth rate k,
//!       w_i = inverse to the number of judgements in the same tenth of [0, 1], mean = the weighted mean of all s_i
//! ```
//!
//! Bayesian optimisation over log k searches the whole interval, as in the paper; golden-section search then refines the best
//! value it found. The standard error comes from a bootstrap over datasets.
//!
//! The weights depend on the judgements, including their random variation. Where the tenths hold very unequal numbers of
//! datasets, this shifts k by several percent, which the standard error does not show: `clmatch lab calibrate` measures it.

use clmatch::protocol::{RawScore, Worst};
use clmatch_truth::rank::mean_and_deviation;
use clmatch_truth::tune::{self, Budget, Dimension, Space, maximize};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use thiserror::Error;

use super::golden::minimum;
use super::objective::CalibrationObjective;

/// If the misfit at an end of the interval exceeds the least misfit by less than this share of the spread, the end is not ruled
/// out.
const INDISTINCT: f64 = 1e-9;

/// A dataset that was judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The variant's form on it, see [`variants::forms`](super::variants::forms).
    pub form: RawScore,
    /// How separable its classes were found, from 0 to 1.
    pub score: f64,
}

/// The interval that growth rates are searched in, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Default for Interval {
    /// Six powers of ten to either side of 1; the rates that the paper's authors published lie between 0.0015 and 18,039.
    fn default() -> Self {
        Interval { low: 1e-6, high: 1e6 }
    }
}

/// How to fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Where to search.
    pub interval: Interval,
    /// Evaluations of the Bayesian search.
    pub budget: Budget,
    /// Resamples of the bootstrap.
    pub resamples: usize,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { interval: Interval::default(), budget: Budget::default(), resamples: 200, seed: 0 }
    }
}

/// A growth rate that was fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The growth rate.
    pub k: f64,
    /// Its standard error: the standard deviation over resamples.
    pub error: f64,
    /// The weighted R2.
    pub r2: f64,
    /// The interval that was searched.
    pub interval: Interval,
    /// Whether an end of the interval does as well; k cannot be trusted then.
    pub at_end: bool,
    /// How many datasets it was fitted to.
    pub datasets: usize,
}

/// Fits a growth rate to judged datasets.
///
/// ```
/// use clmatch::protocol::RawScore;
/// use clmatch_analysis::calibration::{Judged, Options, fit};
/// let judged: Vec<Judged> = [0.1, 0.5, 1.0, 2.0, 4.0]
///     .map(|value| Judged { form: RawScore::from_zero(value), score: RawScore::from_zero(value).rescale(1.5) })
///     .to_vec();
/// let fit = fit(&judged, &Options::default())?;
/// assert!((fit.k - 1.5).abs() < 1e-6 && !fit.at_end);
/// # Ok::<(), clmatch_analysis::calibration::FitError>(())
/// ```
///
/// Time: O(datasets) for each of about 80 evaluations and, over all resamples, 50 each.
///
/// # Errors
/// See [`FitError`].
pub fn fit(judged: &[Judged], options: &Options) -> Result<Fit, FitError> {
    check(judged, options.interval)?;
    let objective = CalibrationObjective::new(judged);
    let Interval { low, high } = options.interval;
    let range = [low.ln(), high.ln()];
    let misfit = |objective: &CalibrationObjective<'_>, log_k: f64| objective.misfit(log_k.exp());
    let best = minimum(|x| misfit(&objective, x), search(&objective, options).ln(), range);
    let nearest = if best - range[0] < range[1] - best { range[0] } else { range[1] };
    let lost = misfit(&objective, nearest) - misfit(&objective, best);
    let resampled = |number: u64| {
        let resample = CalibrationObjective::resampled(judged, &resample(judged.len(), options.seed, number));
        minimum(|x| misfit(&resample, x), best, range).exp()
    };
    let rates: Vec<f64> = (0..options.resamples as u64).into_par_iter().map(resampled).collect();
    Ok(Fit {
        k: best.exp(),
        error: mean_and_deviation(&rates).1,
        r2: objective.r2(best.exp()),
        interval: options.interval,
        at_end: lost <= INDISTINCT * objective.spread(),
        datasets: judged.len(),
    })
}

/// The weighted R2 of scores at a given growth rate.
///
/// # Errors
/// As [`fit`].
pub fn r2(judged: &[Judged], k: f64) -> Result<f64, FitError> {
    check(judged, Interval::default())?;
    Ok(CalibrationObjective::new(judged).r2(k))
}

fn check(judged: &[Judged], Interval { low, high }: Interval) -> Result<(), FitError> {
    if !(low > 0.0 && low < high && high.is_finite()) {
        return Err(FitError::Interval { low, high });
    }
    if judged.len() < FEWEST {
        return Err(FitError::TooFew { found: judged.len() });
    }
    for (dataset, one) in judged.iter().enumerate() {
        if !(0.0..=1.0).contains(&one.score) {
            return Err(FitError::Judgement { dataset, score: one.score });
        }
        let worst = match &one.form.worst {
            Worst::Zero => true,
            Worst::At(worst) => worst.is_finite(),
            Worst::Sampled(sample) => !sample.is_empty() && sample.iter().all(|worst| worst.is_finite()),
        };
        if !(worst && one.form.value.is_finite()) {
            return Err(FitError::NotFinite { dataset });
        }
    }
    let score = judged[0].score;
    if judged.iter().all(|one| one.score == score) {
        return Err(FitError::AllEqual { score });
    }
    Ok(())
}

/// The best growth rate that Bayesian optimisation finds, or the middle of the interval.
fn search(objective: &CalibrationObjective<'_>, options: &Options) -> f64 {
    let Interval { low, high } = options.interval;
    let middle = (low * high).sqrt();
    // The interval was checked, so the search space is valid, and R2 is finite everywhere.
    let Ok(space) = Space::new([("k", Dimension::log_real(low, high))]) else { return middle };
    let rate = |setting: &tune::Setting| setting.real("k").unwrap_or(middle);
    let found = maximize(&space, options.budget, options.seed, |setting| objective.r2(rate(setting)));
    found.map_or(middle, |outcome| rate(&outcome.best.setting))
}

/// How often each of n datasets is drawn, n times with replacement.
fn resample(n: usize, seed: u64, number: u64) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let mut times = vec![0; n];
    (0..n).for_each(|_| times[random.random_range(0..n)] += 1);
    times
}

/// Fewer datasets do not determine a growth rate.
const FEWEST: usize = 3;

/// Judgements that no growth rate can be fitted to. Datasets are counted from 0 in the fields and from 1 in the text.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum FitError {
    /// Too few datasets.
    #[error("{found} judged datasets are too few: at least {FEWEST} are needed")]
    TooFew {
        /// How many there are.
        found: usize,
    },
    /// A judgement outside [0, 1].
    #[error("the judgement of dataset {} is {score}: it must be a number from 0 to 1", dataset + 1)]
    Judgement {
        /// Which dataset.
        dataset: usize,
        /// What was given.
        score: f64,
    },
    /// All judgements are the same.
    #[error("all datasets are judged {score}: at least two different judgements are needed")]
    AllEqual {
        /// The judgement.
        score: f64,
    },
    /// A form that is NaN or infinite.
    #[error("the measure has no finite value on dataset {}: leave it out", dataset + 1)]
    NotFinite {
        /// Which dataset.
        dataset: usize,
    },
    /// An interval that is empty or not positive.
    #[error(
        "growth rates cannot be looked for between {low} and {high}: both must be positive, the first smaller"
    )]
    Interval {
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The precision that a fit promises.
    const EXACT: f64 = 1e-6;

    fn exact(k: f64, worst: &Worst) -> Vec<Judged> {
        let form = |at: u32| RawScore { value: 0.05 * f64::from(at), worst: worst.clone() };
        (1..60).map(|at| Judged { score: form(at).rescale(k).clamp(0.0, 1.0), form: form(at) }).collect()
    }

    #[test]
    fn exact_judgements_give_their_growth_rate_wherever_it_lies() {
        for k in [0.01, 0.7, 2.3, 60.0] {
            for worst in [Worst::Zero, Worst::At(0.04), Worst::Sampled(vec![0.01, 0.03])] {
                let fit = fit(&exact(k, &worst), &Options { resamples: 5, ..Options::default() }).unwrap();
                assert!((fit.k / k - 1.0).abs() < EXACT, "{k} {worst:?}: {fit:?}");
                assert!(!fit.at_end && fit.r2 > 1.0 - 1e-9 && fit.error < EXACT * k, "{fit:?}");
            }
        }
    }

    #[test]
    fn noisy_judgements_give_the_best_of_a_fine_grid() {
        let mut judged = exact(1.4, &Worst::Zero);
        judged.iter_mut().enumerate().for_each(|(at, one)| {
            one.score = (one.score + 0.3 * (7.0 * at as f64).sin()).clamp(0.0, 1.0);
        });
        let options = Options { resamples: 50, ..Options::default() };
        let fit = fit(&judged, &options).unwrap();
        let rates = (0..40_000).map(|at| (f64::from(at) / 40_000.0 * 6.0 - 3.0).exp());
        let best = rates.map(|k| r2(&judged, k).unwrap()).fold(f64::NEG_INFINITY, f64::max);
        assert!(fit.r2 >= best && fit.r2 < best + EXACT, "{} {best}", fit.r2);
        assert!(fit.error > 0.01 * fit.k && fit.error < 0.2 * fit.k, "{fit:?}");
        assert_eq!(fit, super::fit(&judged, &options).unwrap());
    }

    #[test]
    fn an_optimum_at_the_end_is_reported() {
        let judged = exact(2.3, &Worst::Zero);
        let within = |low, high| {
            let interval = Interval { low, high };
            fit(&judged, &Options { interval, resamples: 2, ..Options::default() }).unwrap()
        };
        assert!(within(1e-3, 2.0).at_end && within(3.0, 1e3).at_end);
        assert!(!within(2.0, 3.0).at_end);
        // Everybody sees two clusters unless there is only one, so no growth rate is too large.
        let mut all: Vec<Judged> = judged.into_iter().map(|one| Judged { score: 1.0, ..one }).collect();
        all[0] = Judged { form: RawScore::from_zero(0.0), score: 0.0 };
        let fit = fit(&all, &Options { resamples: 2, ..Options::default() }).unwrap();
        assert!(fit.at_end, "{fit:?}");
    }

    #[test]
    fn judgements_that_tell_nothing_are_refused() {
        let refused = |change: &dyn Fn(&mut Vec<Judged>)| {
            let mut judged = exact(1.0, &Worst::Zero);
            change(&mut judged);
            fit(&judged, &Options { resamples: 2, ..Options::default() }).unwrap_err()
        };
        assert_eq!(refused(&|judged| judged.truncate(2)), FitError::TooFew { found: 2 });
        assert_eq!(refused(&|judged| judged[4].score = 1.1), FitError::Judgement { dataset: 4, score: 1.1 });
        assert!(matches!(
            refused(&|judged| judged[4].score = f64::NAN),
            FitError::Judgement { dataset: 4, .. }
        ));
        let equal = |judged: &mut Vec<Judged>| judged.iter_mut().for_each(|one| one.score = 0.5);
        assert_eq!(refused(&equal), FitError::AllEqual { score: 0.5 });
        let infinite = |judged: &mut Vec<Judged>| judged[7].form.value = f64::INFINITY;
        assert_eq!(refused(&infinite), FitError::NotFinite { dataset: 7 });
        let empty = |judged: &mut Vec<Judged>| judged[7].form.worst = Worst::Sampled(Vec::new());
        assert_eq!(refused(&empty), FitError::NotFinite { dataset: 7 });
        let interval = Interval { low: 2.0, high: 1.0 };
        let options = Options { interval, ..Options::default() };
        let error = fit(&exact(1.0, &Worst::Zero), &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "growth rates cannot be looked for between 2 and 1: both must be positive, the first smaller"
        );
    }
}

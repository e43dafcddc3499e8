//! Bayesian optimisation: a Gaussian process learns the objective, and each evaluation goes where the process expects
//! most.
//!
//! It is written here rather than taken from egobox, which finds the same optima: that crate brings ndarray, linfa and a
//! few dozen more, wants to call the objective itself, and fits a general surrogate. The searches here have one to ten
//! dimensions of mixed kinds and at most a few hundred evaluations, for which an exact process takes a few hundred lines.
//! Besides, several measures of one clustering share its evaluations, which needs an optimiser with an ask-and-tell
//! interface.

use std::collections::HashSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::tune::acquisition::{Chooser, any_setting};
use crate::tune::design::latin_hypercube;
use crate::tune::exhaustive;
use crate::tune::gaussian_process::{GaussianProcess, Hyperparameters};
use crate::tune::outcome::{Evaluation, Outcome, SearchError, best_of};
use crate::tune::setting::Setting;
use crate::tune::space::{SettingError, Space};

/// The number of evaluations that a search may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Evaluations spread over the space before anything is known.
    pub random: usize,
    /// Evaluations that the model places.
    pub guided: usize,
}

impl Budget {
    /// The total number of evaluations.
    pub const fn total(self) -> usize {
        self.random.saturating_add(self.guided)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { random: 5, guided: 25 }
    }
}

/// Proposes settings and learns from their values; greater is better.
///
/// A value that is NaN or infinite is a failed evaluation: it is never the best, and the model treats it like the worst
/// value seen. Everything random follows from the seed and from the calls of `ask` and `tell`, in order.
///
/// ```
/// use clmatch_truth::tune::{Dimension, Optimizer, Space};
/// let space = Space::new([("x", Dimension::real(0.0, 1.0))])?;
/// let mut optimizer = Optimizer::new(&space, 7, 3);
/// // Seen elsewhere: counts as one of the three random evaluations.
/// optimizer.tell(&space.parse("x=0.5")?, -0.04)?;
/// for _ in 0..9 {
///     let Some(setting) = optimizer.ask() else { break };
///     let x = setting.real("x").unwrap_or(f64::NAN);
///     optimizer.tell(&setting, -(x - 0.3) * (x - 0.3))?;
/// }
/// assert!(optimizer.best().is_some_and(|best| best.value > -1e-4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Optimizer {
    space: Space,
    random: ChaCha8Rng,
    /// The random points in the unit cube; the next field counts how many of them were proposed.
    design: Vec<Vec<f64>>,
    drawn: usize,
    evaluations: Vec<Evaluation>,
    /// The evaluated settings in the unit cube.
    seen: Vec<Vec<f64>>,
    /// Settings that were proposed, but whose values have not been told yet.
    pending: Vec<Setting>,
    /// Settings that were evaluated or proposed.
    taken: HashSet<Setting>,
    /// The hyperparameters of the last fit, from which the next one starts.
    learnt: Option<Hyperparameters>,
}

impl Optimizer {
    /// Creates an optimiser whose first `random` evaluations are a Latin hypercube.
    pub fn new(space: &Space, seed: u64, random: usize) -> Optimizer {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let design = latin_hypercube(space, random, &mut generator);
        Optimizer {
            space: space.clone(),
            random: generator,
            design,
            drawn: 0,
            evaluations: Vec::new(),
            seen: Vec::new(),
            pending: Vec::new(),
            taken: HashSet::new(),
            learnt: None,
        }
    }

    /// Proposes the next setting to evaluate; `None` when every setting of a finite space was proposed or told.
    ///
    /// If it is asked again before it was told, it assumes a middling value for the pending settings, and goes elsewhere.
    ///
    /// Time: O(n^3) for the fit after n evaluations, and O(n^2) for each of about a thousand candidates.
    pub fn ask(&mut self) -> Option<Setting> {
        if self.space.size().is_some_and(|size| self.taken.len() as u64 >= size) {
            return None;
        }
        let early = self.evaluations.len() + self.pending.len() < self.design.len();
        let setting = if early { self.next_of_design() } else { self.guided() }?;
        self.taken.insert(setting.clone());
        self.pending.push(setting.clone());
        Some(setting)
    }

    /// Records the value of a setting, whether it was proposed here or evaluated elsewhere. A setting may be told again.
    ///
    /// # Errors
    /// If the setting does not belong to the space.
    pub fn tell(&mut self, setting: &Setting, value: f64) -> Result<(), SettingError> {
        let setting = self.space.adopt(setting)?;
        if let Some(i) = self.pending.iter().position(|pending| *pending == setting) {
            self.pending.remove(i);
        }
        self.seen.push(self.space.coordinates(&setting));
        self.taken.insert(setting.clone());
        self.evaluations.push(Evaluation { setting, value });
        Ok(())
    }

    /// The evaluation with the greatest value, the first among equals; `None` if none succeeded.
    pub fn best(&self) -> Option<&Evaluation> {
        best_of(&self.evaluations)
    }

    /// The evaluated setting with the greatest posterior mean, and that mean. With a noisy objective, this is a better
    /// guess than the luckiest observation. `None` if nothing succeeded.
    pub fn best_by_model(&self) -> Option<Evaluation> {
        let model = self.model(&[])?;
        let succeeded = self.evaluations.iter().zip(&self.seen).filter(|(seen, _)| seen.value.is_finite());
        let expected = succeeded.map(|(evaluation, point)| Evaluation {
            setting: evaluation.setting.clone(),
            value: model.mean(point),
        });
        best_of(&expected.collect::<Vec<_>>()).cloned()
    }

    /// All evaluations, in the order in which they were told.
    pub fn evaluations(&self) -> &[Evaluation] {
        &self.evaluations
    }

    /// The space.
    pub fn space(&self) -> &Space {
        &self.space
    }

    fn next_of_design(&mut self) -> Option<Setting> {
        while let Some(point) = self.design.get(self.drawn) {
            self.drawn += 1;
            let setting = self.space.at_unit(point);
            if !self.taken.contains(&setting) {
                return Some(setting);
            }
        }
        any_setting(&self.space, &self.taken, &mut self.random)
    }

    fn guided(&mut self) -> Option<Setting> {
        let pending: Vec<Vec<f64>> = self.pending.iter().map(|s| self.space.coordinates(s)).collect();
        let Some(model) = self.model(&pending) else {
            return any_setting(&self.space, &self.taken, &mut self.random);
        };
        self.learnt = Some(model.hyperparameters().clone());
        let chooser = Chooser { space: &self.space, model: &model, taken: &self.taken, seen: &self.seen };
        chooser.choose(&mut self.random)
    }

    /// The posterior after all evaluations, assuming middling values at pending points; `None` if nothing is known.
    fn model(&self, pending: &[Vec<f64>]) -> Option<GaussianProcess> {
        let values: Vec<f64> = self.evaluations.iter().map(|evaluation| evaluation.value).collect();
        let mut values = with_failures_as_worst(&values);
        let supposed = mean(&values);
        values.extend(pending.iter().map(|_| supposed));
        let points: Vec<Vec<f64>> = self.seen.iter().chain(pending).cloned().collect();
        GaussianProcess::fit(&self.space.axes(), &points, &values, self.learnt.as_ref())
    }
}

/// Replaces values that are not finite by the least finite value, or by 0 if there is none.
fn with_failures_as_worst(values: &[f64]) -> Vec<f64> {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let worst = finite.reduce(f64::min).unwrap_or(0.0);
    values.iter().map(|&value| if value.is_finite() { value } else { worst }).collect()
}

fn mean(values: &[f64]) -> f64 {
    let n = values.len().max(1) as f64;
    values.iter().map(|value| value / n).sum()
}

/// Searches for the greatest value of an objective within a budget.
///
/// A space with no more settings than the budget allows is evaluated as a whole, in order. The objective returns NaN
/// where it fails.
///
/// # Errors
/// If no evaluation succeeded.
pub fn maximize(
    space: &Space,
    budget: Budget,
    seed: u64,
    mut objective: impl FnMut(&Setting) -> f64,
) -> Result<Outcome, SearchError> {
    if space.size().is_some_and(|size| size <= budget.total() as u64) {
        return exhaustive::maximize(space, objective);
    }
    let mut optimizer = Optimizer::new(space, seed, budget.random);
    for _ in 0..budget.total() {
        let Some(setting) = optimizer.ask() else { break };
        let value = objective(&setting);
        // The setting comes from this space, so it cannot be rejected.
        let told = optimizer.tell(&setting, value);
        debug_assert!(told.is_ok());
    }
    Outcome::of(optimizer.evaluations)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::dimension::Dimension;

    #[test]
    fn means_by_hand() {
        assert_eq!(mean(&[1.0, 2.0, 6.0, 7.0]), 4.0);
        assert_eq!(mean(&[]), 0.0);
        // The sum alone would overflow.
        assert!((mean(&[f64::MAX, f64::MAX]) / f64::MAX - 1.0).abs() < 1e-15);
    }

    #[test]
    fn as_many_values_from_elsewhere_as_were_to_be_random_make_the_first_proposal_a_guided_one() {
        let space = Space::new([("x", Dimension::real(0.0, 1.0))]).unwrap();
        let proposal = |told: u32| {
            let mut optimizer = Optimizer::new(&space, 2, 10);
            for i in 0..told {
                let x = f64::from(i) / 10.0;
                let setting = space.setting([("x", x.into())]).unwrap();
                optimizer.tell(&setting, -(x - 0.53) * (x - 0.53)).unwrap();
            }
            optimizer.ask().unwrap().real("x").unwrap()
        };
        // The first random point lies elsewhere, and is proposed as long as a value is missing.
        assert!((proposal(0) - 0.53).abs() > 0.1);
        assert_eq!(proposal(9), proposal(0));
        assert!((proposal(10) - 0.53).abs() < 0.05, "{}", proposal(10));
    }
}

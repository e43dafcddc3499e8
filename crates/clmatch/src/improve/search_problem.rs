//! What all search methods share: the model, the objective with its penalty, and the clock.

use std::time::{Duration, Instant};

use clmatch_kernels::Control;

use super::model::Model;
use super::objective::MomentFormula;

/// When to stop: at a deadline, or when asked to.
#[derive(Clone, Copy)]
pub(crate) struct SearchClock<'a> {
    pub(crate) deadline: Option<Instant>,
    pub(crate) control: Control<'a>,
}

impl SearchClock<'_> {
    /// Whether to stop and return the best result so far.
    pub(crate) fn expired(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline) || self.stopped()
    }

    /// Whether the work was stopped, regardless of the time.
    pub(crate) fn stopped(&self) -> bool {
        self.control.check().is_err()
    }

    /// The time until the deadline, 0 after it; `None` if there is no deadline.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// A clock that also stops after this time from now.
    pub(crate) fn within(&self, limit: Option<Duration>) -> Self {
        let own = limit.map(|limit| Instant::now() + limit);
        let deadline = match (self.deadline, own) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        SearchClock { deadline, ..*self }
    }
}

/// Weights with their value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightCandidate {
    /// One per feature of the model.
    pub(crate) weights: Vec<f64>,
    /// The score less the penalty.
    pub(crate) value: f64,
}

impl WeightCandidate {
    /// How many features it keeps.
    pub(crate) fn kept(&self) -> usize {
        kept(&self.weights)
    }
}

pub(crate) fn kept(weights: &[f64]) -> usize {
    weights.iter().filter(|weight| **weight > 0.0).count()
}

/// What to search for, and how thoroughly: the moments, the formula, the penalty and the limits.
pub(crate) struct SearchProblem<'a> {
    pub(crate) model: &'a Model,
    pub(crate) formula: MomentFormula,
    /// What a choice without features would lose: the penalty is this times the share of features dropped.
    pub(crate) penalty: f64,
    pub(crate) min_features: usize,
    /// Multiplications that one climb may cost: unlike the clock, this limit does not depend on the machine.
    pub(crate) work: usize,
    pub(crate) clock: SearchClock<'a>,
}

/// The smallest number of steps of a climb, whatever they cost.
const STEPS: usize = 8;

impl SearchProblem<'_> {
    /// The penalty of keeping some features.
    pub(crate) fn loss(&self, kept: usize) -> f64 {
        self.penalty * (1.0 - kept as f64 / self.model.features() as f64)
    }

    /// How many steps a climb may have if each costs `each` multiplications.
    pub(crate) fn steps(&self, each: usize) -> usize {
        (self.work / each.max(1)).max(STEPS)
    }

    /// A candidate with its value.
    pub(crate) fn candidate(&self, weights: Vec<f64>) -> WeightCandidate {
        let value = self.model.score_of(self.formula, &weights) - self.loss(kept(&weights));
        WeightCandidate { weights, value }
    }

    pub(crate) fn everything(&self) -> Vec<f64> {
        vec![1.0; self.model.features()]
    }
}

/// The better of two candidates; the first if they are equal.
pub(crate) fn better(a: Option<WeightCandidate>, b: WeightCandidate) -> Option<WeightCandidate> {
    match a {
        Some(a) if a.value >= b.value => Some(a),
        _ => Some(b),
    }
}

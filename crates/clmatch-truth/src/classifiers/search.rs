//! The search for the best setting of one classifier, with the folds run in parallel.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::tune::{Optimizer, Setting, Space};
use clmatch_classify::{Split, Stopped};
use clmatch_kernels::parallel;

use super::ClassifierJob;

/// The core time that was spent, added up over threads.
#[derive(Debug, Default)]
pub(super) struct Clock(AtomicU64);

impl Clock {
    pub(super) fn add(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Runs work on one core and adds the time that it took.
    pub(super) fn time<T>(&self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(start.elapsed());
        result
    }

    pub(super) fn seconds(&self) -> f64 {
        Duration::from_nanos(self.0.load(Ordering::Relaxed)).as_secs_f64()
    }
}

/// The best setting, with its accuracy.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BestSetting {
    pub(super) accuracy: f64,
    pub(super) settings: String,
}

/// The best of several stages; numbers of trees are stages, for example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stage {
    /// The number of the stage, from 1.
    pub(super) number: usize,
    pub(super) accuracy: f64,
}

impl ClassifierJob<'_> {
    /// The mean accuracy over the folds, given the hits of each.
    pub(super) fn accuracy(
        &self,
        clock: &Clock,
        hits: impl Fn(&Split<'_>) -> Result<usize, Stopped> + Sync,
    ) -> Result<f64, Stopped> {
        Ok(self.best_stage(clock, |split| Ok(vec![hits(split)?]))?.accuracy)
    }

    /// The stage with the greatest mean accuracy over the folds, the first among equals, given the hits of each fold
    /// after 1, 2, .. stages.
    pub(super) fn best_stage(
        &self,
        clock: &Clock,
        hits: impl Fn(&Split<'_>) -> Result<Vec<usize>, Stopped> + Sync,
    ) -> Result<Stage, Stopped> {
        let of_folds: Vec<Vec<usize>> = parallel::try_map(&self.splits, |split| clock.time(|| hits(split)))?;
        let stages = of_folds.iter().map(Vec::len).min().unwrap_or_default();
        let mean = |stage: usize| {
            let shares = self.splits.iter().zip(&of_folds).map(|(split, hits)| split.share(hits[stage]));
            shares.sum::<f64>() / self.splits.len() as f64
        };
        let mut best = Stage { number: 1, accuracy: 0.0 };
        for stage in 0..stages {
            let accuracy = mean(stage);
            if stage == 0 || accuracy > best.accuracy {
                best = Stage { number: stage + 1, accuracy };
            }
        }
        Ok(best)
    }

    /// Proposes settings within the budget; `evaluate` returns an accuracy and the words that describe what reached it.
    pub(super) fn search(
        &self,
        space: &Space,
        clock: &Clock,
        evaluate: impl Fn(&Setting) -> Result<BestSetting, Stopped>,
    ) -> Result<BestSetting, Stopped> {
        let mut optimizer = Optimizer::new(space, self.plan.seed, self.plan.budget.random);
        let mut best: Option<BestSetting> = None;
        for _ in 0..self.plan.budget.total().max(1) {
            let Some(setting) = clock.time(|| optimizer.ask()) else { break };
            let found = evaluate(&setting)?;
            // Settings that the optimiser proposed always fit the space.
            let told = optimizer.tell(&setting, found.accuracy);
            debug_assert!(told.is_ok());
            if best.as_ref().is_none_or(|best| found.accuracy > best.accuracy) {
                best = Some(found);
            }
        }
        Ok(best.unwrap_or(BestSetting { accuracy: 0.0, settings: String::new() }))
    }
}

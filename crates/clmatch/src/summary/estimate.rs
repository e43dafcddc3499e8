//! Scores that only a sample can tell, and how far they may be off.
//!
//! What centroids tell is that of all rows, as far as it is known; distances between points, geometric medians, neighbours
//! and trees are those of the sample. Where roots of distances to centroids are not known, because there was no second pass,
//! a second pass over the sample tells them.
//!
//! The error is that of the block jackknife of [`intervals`](crate::intervals): 21 replicates leave out five of 21 groups of
//! rows each; classes of which every row was kept are never left out. For `clm`, whose neighbourhoods and trees depend on how
//! densely points lie, something is added in quadrature: how much the score changed from half of the sample to all of it,
//! for every doubling that leads from the sample to all rows.
//!
//! A sample shows only some of the nearest and farthest points, so that its Dunn index is an upper bound of that of all rows.

use clmatch_stop::Control;

use super::error::SummaryError;
use super::finish::{Kept, Moments, values};
use super::result::{Certainty, Reason, SummaryScore};
use super::second_pass::{Known, SecondPass};
use crate::Terms;
use crate::classes::Classes;
use crate::evaluate::{Evaluation, evaluation_of};
use crate::intervals::{FACTOR, GROUPS, T_QUANTILE, kept_groups};
use crate::kernels::stream::Sets;
use crate::labels::Labels;
use crate::measure::Measure;
use crate::needs::{Needs, Plan};
use crate::statistics::Statistics;

/// Rows that were seen several times under one key are taken so often that the sample becomes at most this many times as large.
const MOST_COPIES: f64 = 2.0;

/// Scores from a sample.
pub(super) struct Estimated {
    pub(super) scores: Vec<SummaryScore>,
    pub(super) terms: Option<Terms>,
}

/// The rows of a sample, and what is known of all rows.
struct Estimator<'a> {
    kept: &'a Kept<'a>,
    moments: &'a Moments,
    measures: &'a [&'static Measure],
    plan: Plan,
    /// Where a second pass over the sample is needed.
    second: Option<SecondPass>,
    control: Control<'a>,
}

/// Estimates measures. With `known`, what takes roots is that of the sample.
pub(super) fn estimate(
    kept: &Kept<'_>,
    moments: &Moments,
    measures: &[&'static Measure],
    known: Option<Known>,
    control: Control<'_>,
) -> Result<Estimated, SummaryError> {
    let plan = measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan()));
    let second = known.map(SecondPass::new);
    let estimator = Estimator { kept, moments, measures, plan, second, control };
    let copies = estimator.copies();
    let all = estimator.evaluate(|class, at| copies[class][at])?;
    let errors = estimator.errors(&copies)?;
    let drifts = estimator.drifts(&copies, &values(&all))?;
    let rows = kept.rows.iter().map(|rows| rows.len() as u64).sum();
    let mut scores = Vec::new();
    for (at, (measure, (id, score))) in measures.iter().zip(all.scores).enumerate() {
        let needs = measure.needs();
        let error = errors[at].hypot(drifts[at]);
        let (certainty, error, why) = if needs.has(Needs::EXTREMES) {
            (Certainty::AtMost, score.value, Reason::ExtremesOfSample { rows })
        } else if depends_on_density(needs) {
            (Certainty::Estimated, error, Reason::DensityOfSample { rows })
        } else if needs.compares_points() {
            (Certainty::Estimated, error, Reason::Sample { rows })
        } else {
            (Certainty::Estimated, error, Reason::WithoutSecondPass { rows })
        };
        let (value, pairs) = (score.value, score.pairs);
        scores.push(SummaryScore { id, value, pairs, certainty, error, why });
    }
    Ok(Estimated { scores, terms: all.terms })
}

fn depends_on_density(needs: Needs) -> bool {
    needs.has(Needs::NEAREST) || needs.has(Needs::KAPPA)
}

impl Estimator<'_> {
    /// How often each row is taken: as often as it was seen beside the rows that were seen least, or less if that would be
    /// too many rows.
    fn copies(&self) -> Vec<Vec<usize>> {
        let rows: usize = self.kept.rows.iter().map(Vec::len).sum();
        let seen: f64 = self.kept.rows.iter().flatten().map(|row| row.count as f64).sum();
        let least = self.kept.rows.iter().flatten().map(|row| row.count).min().unwrap_or(1).max(1);
        let share = (MOST_COPIES * rows as f64 / seen).min(1.0 / least as f64);
        let copies = |count: u64| ((count as f64 * share).round() as usize).max(1);
        self.kept.rows.iter().map(|rows| rows.iter().map(|row| copies(row.count)).collect()).collect()
    }

    /// The scores of some of the rows, standing for all rows.
    fn evaluate(&self, copies: impl Fn(usize, usize) -> usize) -> Result<Evaluation, SummaryError> {
        self.control.check()?;
        let classes = self.kept.dataset(copies)?;
        let sets = self.sets(&classes)?;
        let base = self.kept.base(self.plan, sets);
        let statistics = Statistics::compute(&classes, self.plan, self.control)?.stand_for(base);
        Ok(evaluation_of(&statistics, &classes, self.measures, self.control)?)
    }

    /// Moments of sets, of all rows as far as they are known.
    fn sets(&self, classes: &Classes<'_>) -> Result<Sets, SummaryError> {
        let known = &self.moments.sets;
        let Some(second) = &self.second else { return Ok(known.clone()) };
        let mut second = second.clone();
        let mut codes = vec![0; classes.points().n_points()];
        for class in 0..classes.n_classes() {
            classes.order()[classes.range(class)].iter().for_each(|&row| codes[row] = class as u32);
        }
        let labels = Labels::from_codes(codes, classes.names());
        second.update(classes.points().values().clone(), &labels, 0)?;
        let mut sets = second.sets();
        if self.moments.spread {
            let pairs = sets.moments.pairs.iter_mut().zip(&known.moments.pairs);
            let whole = sets.moments.whole.iter_mut().zip(&known.moments.whole);
            for (of_sample, of_all) in pairs.chain(whole) {
                (of_sample.total, of_sample.s2) = (of_all.total, of_all.s2);
            }
        }
        if self.moments.eta && !sets.moments.eta.is_empty() {
            sets.moments.eta.clone_from(&known.moments.eta);
        }
        Ok(sets)
    }

    /// Half the width of a 95% interval of each score.
    fn errors(&self, copies: &[Vec<usize>]) -> Result<Vec<f64>, SummaryError> {
        let groups = self.groups();
        let mut replicates: Vec<Vec<f64>> = Vec::with_capacity(GROUPS);
        for replicate in 0..GROUPS {
            let kept = kept_groups(replicate);
            let evaluation = self.evaluate(|class, at| match groups[class].get(at) {
                Some(&group) if !kept[group] => 0,
                _ => copies[class][at],
            })?;
            replicates.push(values(&evaluation));
        }
        // Where most rows of every class were kept, little is left to chance.
        let share = |class: usize| self.kept.sampled(class) as f64 / self.kept.sums[class].points as f64;
        let least = (0..copies.len()).map(share).fold(1.0, f64::min);
        let of_measure = |at: usize| {
            let first = replicates[0][at];
            if !replicates.iter().all(|scores| scores[at].is_finite()) {
                // Infinite scores are all alike, or nothing can be said.
                let alike = replicates.iter().all(|scores| scores[at] == first);
                return if alike { 0.0 } else { f64::INFINITY };
            }
            let mean = replicates.iter().map(|scores| scores[at]).sum::<f64>() / GROUPS as f64;
            let squares: f64 = replicates.iter().map(|scores| (scores[at] - mean).powi(2)).sum();
            T_QUANTILE * (FACTOR * squares * (1.0 - least)).sqrt()
        };
        Ok((0..self.measures.len()).map(of_measure).collect())
    }

    /// The group of each row; none for classes of which every row was kept.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut counter = 0;
        let of_class = |class: usize| {
            if self.kept.is_complete(class) {
                return Vec::new();
            }
            let first = counter;
            counter += self.kept.rows[class].len();
            (first..counter).map(|at| at % GROUPS).collect()
        };
        (0..self.kept.rows.len()).map(of_class).collect()
    }

    /// How much each score that depends on the density of points may still change from the sample to all rows.
    fn drifts(&self, copies: &[Vec<usize>], all: &[f64]) -> Result<Vec<f64>, SummaryError> {
        let depends = |at: usize| depends_on_density(self.measures[at].needs());
        if !(0..all.len()).any(depends) {
            return Ok(vec![0.0; all.len()]);
        }
        // Every other row; of a class with so few rows that half of them cannot be scored, all of them.
        let halves = [0, 1].map(|half| {
            self.evaluate(|class, at| {
                let taken = at % 2 == half || copies[class].len() < 4;
                if taken { copies[class][at] } else { 0 }
            })
        });
        let [first, second] = halves;
        let (first, second) = (values(&first?), values(&second?));
        let rows: f64 = copies.iter().flatten().map(|&copies| copies as f64).sum();
        let doublings = (self.kept.points() as f64 / rows).log2().max(0.0);
        let drift = |at: usize| (all[at] - (first[at] + second[at]) / 2.0).abs() * doublings;
        Ok((0..all.len()).map(|at| if depends(at) { drift(at) } else { 0.0 }).collect())
    }
}

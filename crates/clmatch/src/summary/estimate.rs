//! Scores that can only be estimated from a sample, and how far they may be off.
//!
//! Statistics of centroids are those of all rows, as far as they are known; distances between points, geometric medians,
//! neighbours and trees are those of the sample. Where roots of distances to centroids are not known, because there was no second
//! pass, they come from a second pass over the sample.
//!
//! Errors come from disjoint parts of the sample: its rows are dealt into eight parts, class by class; a class of which every row
//! was kept belongs to all of them. With the standard deviation s of the eight scores, the smallest share f of a class that was
//! kept, and m rows in the sample,
//!
//! ```text
//! noise = (t s / sqrt(8) + 3/m) sqrt(1 - f)        t = 2.365, the 97.5% point of Student's t with 7 degrees of freedom
//! bias  = |score - mean of the eight| / (sqrt(8) - 1) sqrt(1 - f)
//! ```
//!
//! where 3/m is what a sample in which something never happened says about it, for scores with a finite range, and the bias is
//! that of a score that is off in proportion to 1/sqrt(m); if it were off in proportion to 1/m, the bias would be smaller. The
//! error is noise + bias. `clm` depends on how densely points lie. Its mean scores of eighths, quarters, halves and of the whole
//! sample show how it changes with each doubling, and
//!
//! ```text
//! error = noise + log2(1/f) (largest change + noise)
//! ```
//!
//! No error is stated where these scores do not determine it, see [`NoError`].
//!
//! A sample shows only some of the nearest and farthest points, so its Dunn index is an upper bound of that of all rows.

use clmatch_kernels::Control;

use super::error::SummaryError;
use super::finish::{KeptClasses, KnownMoments, values};
use super::result::{Certainty, NoError, Reason, SummaryScore};
use super::second_pass::{SecondPass, SecondPassStart};
use crate::Terms;
use crate::classes::Classes;
use crate::evaluate::{Evaluation, evaluation_of};
use crate::kernels::stream::Sets;
use crate::labels::Labels;
use crate::measure::Measure;
use crate::needs::{Needs, Plan};
use crate::statistics::Statistics;

/// Rows that were seen several times under one key are repeated, until the sample is at most this many times as large.
const MOST_COPIES: f64 = 2.0;
/// How many disjoint parts the sample is dealt into.
const PARTS: usize = 8;
/// The 97.5% point of Student's t with 7 degrees of freedom.
const T_QUANTILE: f64 = 2.364_624_251_592_785;
/// How many rows a class must have in the sample, unless all of its rows are there: two in every part.
const FEWEST: usize = 2 * PARTS;
/// Like [`FEWEST`], for scores that depend on density: twice as many rows in every part as each point has neighbours.
const FEWEST_OF_DENSITY: usize = 10 * PARTS;
/// Classes are thinned out alike if the largest share that was kept is at most this many times the smallest.
const EVEN: f64 = 1.5;
/// Below this share of different nearest distances, rows lie on a grid. Mutual neighbours have the same nearest distance: where
/// rows lie anywhere, about .7 of the distances are different, .66 in one dimension.
const DIFFERENT: f64 = 0.5;
/// Squared nearest distances count as equal if they differ by at most this share; below this share of their median they count as
/// 0.
const SAME: f64 = 1e-6;
/// If more than this share of all rows have a copy, the copies matter as nearest neighbours.
const COPIES: f64 = 0.02;
/// Below this score of the sample, there may be structure that only more rows would show.
const SEEN: f64 = 0.05;
/// Eighths, quarters and halves show three doublings of the sample: the score is not extrapolated over more.
const MOST_DOUBLINGS: f64 = 3.0;

/// Scores from a sample.
pub(super) struct EstimatedScores {
    pub(super) scores: Vec<SummaryScore>,
    pub(super) terms: Option<Terms>,
}

/// The rows of a sample, and what is known about all rows.
struct Estimator<'a> {
    kept: &'a KeptClasses<'a>,
    moments: &'a KnownMoments,
    measures: &'a [&'static Measure],
    plan: Plan,
    /// A second pass over the sample, if one is needed.
    second: Option<SecondPass>,
    control: Control<'a>,
}

/// Estimates measures. With `known`, statistics that take roots are those of the sample.
pub(super) fn estimate(
    kept: &KeptClasses<'_>,
    moments: &KnownMoments,
    measures: &[&'static Measure],
    known: Option<SecondPassStart>,
    control: Control<'_>,
) -> Result<EstimatedScores, SummaryError> {
    let plan = measures.iter().fold(Plan::default(), |plan, measure| plan.union(measure.plan()));
    let second = known.map(SecondPass::new);
    let estimator = Estimator { kept, moments, measures, plan, second, control };
    let copies = estimator.copies();
    let ScoredRows { evaluation: all, nearest } = estimator.evaluate(|class, at| copies[class][at])?;
    let parts = PartScores::new(&estimator, &copies, values(&all))?;
    let rows = kept.rows.iter().map(|rows| rows.len() as u64).sum();
    let mut scores = Vec::new();
    for (at, (measure, (id, score))) in measures.iter().zip(all.scores).enumerate() {
        let needs = measure.needs();
        let (certainty, error, why) = if needs.has(Needs::EXTREMES) {
            (Certainty::AtMost, Ok(score.value), Reason::ExtremesOfSample { rows })
        } else if depends_on_density(needs) {
            let error = estimator.density_is_known(&nearest).and_then(|()| parts.error_by_density(at));
            (Certainty::Estimated, error, Reason::DensityOfSample { rows })
        } else if needs.compares_points() {
            (Certainty::Estimated, parts.error(at), Reason::Sample { rows })
        } else {
            (Certainty::Estimated, parts.error(at), Reason::WithoutSecondPass { rows })
        };
        let why = error.map_or_else(|cause| Reason::UnknownError { rows, cause }, |_| why);
        let (value, pairs) = (score.value, score.pairs);
        scores.push(SummaryScore { id, value, pairs, certainty, error: error.ok(), why });
    }
    Ok(EstimatedScores { scores, terms: all.terms })
}

fn depends_on_density(needs: Needs) -> bool {
    needs.has(Needs::NEAREST) || needs.has(Needs::KAPPA)
}

impl Estimator<'_> {
    /// How often each row is taken: as often as it was seen, relative to the rows that were seen least, or less often if that
    /// would be too many rows.
    fn copies(&self) -> Vec<Vec<usize>> {
        let rows: usize = self.kept.rows.iter().map(Vec::len).sum();
        let seen: f64 = self.kept.rows.iter().flatten().map(|row| row.count as f64).sum();
        let least = self.kept.rows.iter().flatten().map(|row| row.count).min().unwrap_or(1).max(1);
        let share = (MOST_COPIES * rows as f64 / seen).min(1.0 / least as f64);
        let copies = |count: u64| ((count as f64 * share).round() as usize).max(1);
        self.kept.rows.iter().map(|rows| rows.iter().map(|row| copies(row.count)).collect()).collect()
    }

    /// The scores of some of the rows, which stand for all rows.
    fn evaluate(&self, copies: impl Fn(usize, usize) -> usize) -> Result<ScoredRows, SummaryError> {
        self.control.check()?;
        let classes = self.kept.dataset(copies)?;
        let sets = self.sets(&classes)?;
        let base = self.kept.base(self.plan, sets);
        let statistics = Statistics::compute(&classes, self.plan, self.control)?;
        let nearest = statistics.nearest_squares();
        let statistics = statistics.stand_for(base);
        let evaluation = evaluation_of(&statistics, &classes, self.measures, self.control)?;
        Ok(ScoredRows { evaluation, nearest })
    }

    /// Moments of sets: those of all rows, as far as they are known.
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

    /// The share of a class that was kept.
    fn share(&self, class: usize) -> f64 {
        self.kept.sampled(class) as f64 / self.kept.sums[class].points as f64
    }

    fn smallest_share(&self) -> f64 {
        (0..self.kept.rows.len()).map(|class| self.share(class)).fold(1.0, f64::min)
    }

    /// Whether every class that was thinned out has at least `fewest` rows.
    fn has_rows(&self, fewest: usize) -> bool {
        let has = |class: usize| self.kept.is_complete(class) || self.kept.rows[class].len() >= fewest;
        (0..self.kept.rows.len()).all(has)
    }

    /// The part that each row is dealt into; empty for classes of which every row was kept.
    fn dealt(&self) -> Vec<Vec<usize>> {
        let mut counter = 0;
        let of_class = |class: usize| {
            if self.kept.is_complete(class) {
                return Vec::new();
            }
            let first = counter;
            counter += self.kept.rows[class].len();
            (first..counter).map(|at| at % PARTS).collect()
        };
        (0..self.kept.rows.len()).map(of_class).collect()
    }

    /// Whether parts of the sample show how a score that depends on density goes on, given the squared distance of each row of
    /// the sample to the nearest other row.
    fn density_is_known(&self, nearest: &[f64]) -> Result<(), NoError> {
        let shares = (0..self.kept.rows.len()).map(|class| self.share(class));
        let least = self.smallest_share();
        if !self.has_rows(FEWEST_OF_DENSITY) {
            Err(NoError::FewRows)
        } else if shares.fold(0.0, f64::max) > EVEN * least {
            Err(NoError::UnevenShares)
        } else if ties(nearest, least) || self.kept.rows.iter().flatten().any(|row| row.count > 1) {
            Err(NoError::Ties)
        } else if -least.log2() > MOST_DOUBLINGS {
            Err(NoError::SmallShare)
        } else {
            Ok(())
        }
    }
}

/// Whether rows repeat or lie on a grid, given the squared distance of each row of a sample to the nearest other row, and the
/// sample's share of all rows.
fn ties(nearest: &[f64], share: f64) -> bool {
    let mut sorted = nearest.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rows = sorted.len() as f64;
    let zero = SAME * sorted[sorted.len() / 2];
    let copies = sorted.iter().filter(|&&square| square <= zero).count() as f64 / rows;
    let different = 1 + sorted.windows(2).filter(|two| two[1] > two[0] * (1.0 + SAME) + zero).count();
    // If a row is in the sample, its copy is there too with the probability `share`.
    (different as f64) < DIFFERENT * rows || copies > COPIES * share
}

/// The scores of some rows and, if neighbours were searched for, the squared distance of each row to the nearest other row.
struct ScoredRows {
    evaluation: Evaluation,
    nearest: Vec<f64>,
}

/// The scores of disjoint parts of the sample.
struct PartScores<'a> {
    measures: &'a [&'static Measure],
    /// The scores of the whole sample, of halves, quarters and eighths, by measure, as far as they are needed.
    scores: [Vec<Vec<f64>>; 4],
    rows: usize,
    /// The smallest share of a class that was kept.
    share: f64,
}

impl<'a> PartScores<'a> {
    /// Scores the parts. There are none if a class has too few rows.
    fn new(
        estimator: &Estimator<'a>,
        copies: &[Vec<usize>],
        all: Vec<f64>,
    ) -> Result<PartScores<'a>, SummaryError> {
        let dealt = estimator.dealt();
        let score = |parts: usize, wanted: bool| -> Result<Vec<Vec<f64>>, SummaryError> {
            let parts_of = if wanted { 0..parts } else { 0..0 };
            let of_part = |part: usize| {
                let found = estimator.evaluate(|class, at| match dealt[class].get(at) {
                    Some(dealt) if dealt % parts != part => 0,
                    _ => copies[class][at],
                })?;
                Ok(values(&found.evaluation))
            };
            parts_of.map(of_part).collect()
        };
        let known = estimator.has_rows(FEWEST);
        let density = known && estimator.measures.iter().any(|measure| depends_on_density(measure.needs()));
        Ok(PartScores {
            measures: estimator.measures,
            scores: [vec![all], score(2, density)?, score(4, density)?, score(PARTS, known)?],
            rows: copies.iter().map(Vec::len).sum(),
            share: estimator.smallest_share(),
        })
    }

    /// How far the score of a measure may be off because the sample was drawn.
    fn noise(&self, at: usize) -> Result<f64, NoError> {
        let parts: Vec<f64> = self.scores[3].iter().map(|scores| scores[at]).collect();
        let Some(&first) = parts.first() else { return Err(NoError::FewRows) };
        if !parts.iter().all(|score| score.is_finite()) {
            // If all scores are equally infinite there is no noise; otherwise nothing can be said.
            return if parts.iter().all(|&score| score == first) { Ok(0.0) } else { Err(NoError::Infinite) };
        }
        let mean = parts.iter().sum::<f64>() / PARTS as f64;
        let squares: f64 = parts.iter().map(|score| (score - mean).powi(2)).sum();
        let (low, high) = self.measures[at].range;
        let unseen = if (high - low).is_finite() { 3.0 / self.rows as f64 } else { 0.0 };
        let error = T_QUANTILE * (squares / (PARTS * (PARTS - 1)) as f64).sqrt() + unseen;
        Ok(error * (1.0 - self.share).sqrt())
    }

    /// [`PartScores::noise`] plus how far the score is off on average, for a score that does not depend on density.
    fn error(&self, at: usize) -> Result<f64, NoError> {
        let noise = self.noise(at)?;
        let (all, parts) = (self.scores[0][0][at], self.mean(3, at));
        let apart = if all == parts { 0.0 } else { (all - parts).abs() };
        if !apart.is_finite() {
            return Err(NoError::Infinite);
        }
        Ok(noise + apart / ((PARTS as f64).sqrt() - 1.0) * (1.0 - self.share).sqrt())
    }

    /// The mean score of the parts of one size.
    fn mean(&self, size: usize, at: usize) -> f64 {
        let parts = &self.scores[size];
        parts.iter().map(|scores| scores[at]).sum::<f64>() / parts.len() as f64
    }

    /// Like [`PartScores::error`], for a score that changes with the size of the sample, extrapolated from the sample to all
    /// rows.
    fn error_by_density(&self, at: usize) -> Result<f64, NoError> {
        let noise = self.noise(at)?;
        let means = [0, 1, 2, 3].map(|size| self.mean(size, at));
        let changes: Vec<f64> = means.windows(2).map(|two| (two[0] - two[1]).abs()).collect();
        if means[0] < SEEN {
            return Err(NoError::NothingSeen);
        }
        if changes[0] > changes[1] + 2.0 * noise {
            return Err(NoError::Growing);
        }
        let largest = changes.iter().copied().fold(0.0, f64::max);
        Ok(noise - self.share.log2() * (largest + noise))
    }
}

#[cfg(test)]
mod tests;

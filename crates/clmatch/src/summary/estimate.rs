//! Scores that only a sample can tell, and how far they may be off.
//!
//! What centroids tell is that of all rows, as far as it is known; distances between points, geometric medians, neighbours
//! and trees are those of the sample. Where roots of distances to centroids are not known, because there was no second pass,
//! a second pass over the sample tells them.
//!
//! Errors come from disjoint parts of the sample: its rows are dealt into eight, class by class; classes of which every row was
//! kept are part of all of them. With the standard deviation s of the eight scores, the smallest share f of a class that was
//! kept, and m rows in the sample,
//!
//! ```text
//! noise = (t s / sqrt(8) + 3/m) sqrt(1 - f)        t = 2.365, the 97.5% point of Student's t with 7 degrees of freedom
//! bias  = |score - mean of the eight| / (sqrt(8) - 1) sqrt(1 - f)
//! ```
//!
//! where 3/m is what a sample in which something never happened says about it, for scores with a finite range, and the bias is
//! that of a score that is off in proportion to 1/sqrt(m); one in proportion to 1/m would be smaller. The error is noise +
//! bias. `clm` depends on how densely points lie. Its mean scores of eighths, quarters, halves and of the whole sample tell how
//! it changes with each doubling, and
//!
//! ```text
//! error = noise + log2(1/f) (largest change + noise)
//! ```
//!
//! No error is stated where these scores cannot tell it, see [`NoError`].
//!
//! A sample shows only some of the nearest and farthest points, so that its Dunn index is an upper bound of that of all rows.

use clmatch_stop::Control;

use super::error::SummaryError;
use super::finish::{Kept, Moments, values};
use super::result::{Certainty, NoError, Reason, SummaryScore};
use super::second_pass::{Known, SecondPass};
use crate::Terms;
use crate::classes::Classes;
use crate::evaluate::{Evaluation, evaluation_of};
use crate::kernels::stream::Sets;
use crate::labels::Labels;
use crate::measure::Measure;
use crate::needs::{Needs, Plan};
use crate::statistics::Statistics;

/// Rows that were seen several times under one key are taken so often that the sample becomes at most this many times as large.
const MOST_COPIES: f64 = 2.0;
/// Into how many disjoint parts the sample is dealt.
const PARTS: usize = 8;
/// The 97.5% point of Student's t with 7 degrees of freedom.
const T_QUANTILE: f64 = 2.364_624_251_592_785;
/// Rows that a class must have in the sample, unless all of its rows are there: two in every part.
const FEWEST: usize = 2 * PARTS;
/// The same for scores that depend on density: twice as many as each point has neighbours, in every part.
const FEWEST_OF_DENSITY: usize = 10 * PARTS;
/// Classes are thinned out alike if the largest share that was kept is at most so many times the smallest.
const EVEN: f64 = 1.5;
/// Below this share of different nearest distances, rows lie on a grid. Mutual neighbours have the same one: of rows that lie
/// anywhere about .7 are different, in one dimension .66.
const DIFFERENT: f64 = 0.5;
/// Nearest distances count as the same up to this share of themselves, squared; below this share of their median they are 0.
const SAME: f64 = 1e-6;
/// More rows than this share with a copy, among all rows, make nearest neighbours of their own.
const COPIES: f64 = 0.02;
/// A lower score of the sample may be that of a structure that only more rows show.
const SEEN: f64 = 0.05;
/// Eighths, quarters and halves show three doublings of the sample: the score is not extrapolated over more.
const MOST_DOUBLINGS: f64 = 3.0;

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
    let Scored { evaluation: all, nearest } = estimator.evaluate(|class, at| copies[class][at])?;
    let parts = Parts::new(&estimator, &copies, values(&all))?;
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
    fn evaluate(&self, copies: impl Fn(usize, usize) -> usize) -> Result<Scored, SummaryError> {
        self.control.check()?;
        let classes = self.kept.dataset(copies)?;
        let sets = self.sets(&classes)?;
        let base = self.kept.base(self.plan, sets);
        let statistics = Statistics::compute(&classes, self.plan, self.control)?;
        let nearest = statistics.nearest_squares();
        let statistics = statistics.stand_for(base);
        let evaluation = evaluation_of(&statistics, &classes, self.measures, self.control)?;
        Ok(Scored { evaluation, nearest })
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

    /// The share of a class that was kept.
    fn share(&self, class: usize) -> f64 {
        self.kept.sampled(class) as f64 / self.kept.sums[class].points as f64
    }

    fn smallest_share(&self) -> f64 {
        (0..self.kept.rows.len()).map(|class| self.share(class)).fold(1.0, f64::min)
    }

    /// Whether every class that was thinned out has so many rows.
    fn has_rows(&self, fewest: usize) -> bool {
        let has = |class: usize| self.kept.is_complete(class) || self.kept.rows[class].len() >= fewest;
        (0..self.kept.rows.len()).all(has)
    }

    /// The part of each row; none for classes of which every row was kept.
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

    /// Whether parts of the sample tell how a score that depends on density goes on, given the squared distance of each row of
    /// the sample to the nearest other one.
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

/// Whether rows repeat or lie on a grid, given the squared distance of each row of a sample to the nearest other one, and the
/// share of all rows that the sample is.
fn ties(nearest: &[f64], share: f64) -> bool {
    let mut sorted = nearest.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rows = sorted.len() as f64;
    let zero = SAME * sorted[sorted.len() / 2];
    let copies = sorted.iter().filter(|&&square| square <= zero).count() as f64 / rows;
    let different = 1 + sorted.windows(2).filter(|two| two[1] > two[0] * (1.0 + SAME) + zero).count();
    // A row and its copy are both in the sample with the probability of its share.
    (different as f64) < DIFFERENT * rows || copies > COPIES * share
}

/// The scores of some rows, and the squared distance of each of them to the nearest other one if neighbours were looked for.
struct Scored {
    evaluation: Evaluation,
    nearest: Vec<f64>,
}

/// The scores of disjoint parts of the sample.
struct Parts<'a> {
    measures: &'a [&'static Measure],
    /// Of the whole sample, of halves, quarters and eighths, by measure: as far as they are looked at.
    scores: [Vec<Vec<f64>>; 4],
    rows: usize,
    /// The smallest share of a class that was kept.
    share: f64,
}

impl<'a> Parts<'a> {
    /// Scores the parts; none if a class has too few rows.
    fn new(
        estimator: &Estimator<'a>,
        copies: &[Vec<usize>],
        all: Vec<f64>,
    ) -> Result<Parts<'a>, SummaryError> {
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
        Ok(Parts {
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
            // Infinite scores are all alike, or nothing can be said.
            return if parts.iter().all(|&score| score == first) { Ok(0.0) } else { Err(NoError::Infinite) };
        }
        let mean = parts.iter().sum::<f64>() / PARTS as f64;
        let squares: f64 = parts.iter().map(|score| (score - mean).powi(2)).sum();
        let (low, high) = self.measures[at].range;
        let unseen = if (high - low).is_finite() { 3.0 / self.rows as f64 } else { 0.0 };
        let error = T_QUANTILE * (squares / (PARTS * (PARTS - 1)) as f64).sqrt() + unseen;
        Ok(error * (1.0 - self.share).sqrt())
    }

    /// The same with how far the score is off on average, for one that does not depend on density.
    fn error(&self, at: usize) -> Result<f64, NoError> {
        let noise = self.noise(at)?;
        let all = self.scores[0][0][at];
        if !all.is_finite() {
            return Ok(noise);
        }
        let bias = (all - self.mean(3, at)).abs() / ((PARTS as f64).sqrt() - 1.0);
        Ok(noise + bias * (1.0 - self.share).sqrt())
    }

    /// The mean score of the parts of one size.
    fn mean(&self, size: usize, at: usize) -> f64 {
        let parts = &self.scores[size];
        parts.iter().map(|scores| scores[at]).sum::<f64>() / parts.len() as f64
    }

    /// The same for a score that changes with the size of the sample, from the sample to all rows.
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
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::kernels::random::SplitMix;
    use crate::measure::find;
    use crate::summary::Summary;
    use crate::summary::tests::{rows, settings, summary};
    use crate::{ClmTerms, Points, evaluate};

    /// The rows that were kept of a class, in the order of their keys, and how many it has.
    struct Class {
        rows: Vec<Vec<f64>>,
        points: usize,
    }

    /// A slow estimator of `clm`.
    struct Twin {
        classes: Vec<Class>,
        /// Of all rows, pair by pair.
        eta: Vec<f64>,
    }

    impl Twin {
        fn new(data: &(Vec<f64>, Labels), summary: &Summary) -> Twin {
            let mut sample = summary.sample.clone();
            sample.thin_out();
            let class = |at: usize| Class {
                rows: sample.classes[at].rows.values().map(|row| row.values.to_vec()).collect(),
                points: data.1.codes().iter().filter(|&&code| code == at as u32).count(),
            };
            let eta = terms(&data.0, &data.1).iter().map(|terms| terms.eta).collect();
            Twin { classes: (0..sample.classes.len()).map(class).collect(), eta }
        }

        /// The score of some of the rows that were kept: neighbours and trees are theirs.
        fn score(&self, takes: impl Fn(usize, usize) -> bool) -> f64 {
            let (mut values, mut labels) = (Vec::new(), Vec::new());
            for (class, of) in self.classes.iter().enumerate() {
                for (_, row) in of.rows.iter().enumerate().filter(|&(at, _)| takes(class, at)) {
                    values.extend(row);
                    labels.push(class);
                }
            }
            let terms = terms(&values, &Labels::encode(labels));
            let of_pair = |(of, &eta): (&ClmTerms, &f64)| ClmTerms::new(eta, of.kappa, of.nu).score();
            terms.iter().zip(&self.eta).map(of_pair).sum::<f64>() / self.eta.len() as f64
        }

        fn is_sampled(&self, class: usize) -> bool {
            self.classes[class].rows.len() < self.classes[class].points
        }

        /// The scores of parts of the sample: a class of which every row was kept is whole in all of them.
        fn parts(&self, parts: usize) -> Vec<f64> {
            let before = |class: usize| -> usize {
                (0..class)
                    .filter(|&class| self.is_sampled(class))
                    .map(|class| self.classes[class].rows.len())
                    .sum()
            };
            let takes = |part: usize, class: usize, at: usize| (before(class) + at) % 8 % parts == part;
            let score = |part| self.score(|class, at| !self.is_sampled(class) || takes(part, class, at));
            (0..parts).map(score).collect()
        }

        fn share(&self) -> f64 {
            self.classes.iter().map(|class| class.rows.len() as f64 / class.points as f64).fold(1.0, f64::min)
        }

        fn noise(&self) -> f64 {
            let scores = self.parts(8);
            let mean = scores.iter().sum::<f64>() / 8.0;
            let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / 7.0;
            let rows: usize = self.classes.iter().map(|class| class.rows.len()).sum();
            (2.364_624_251_6 * (variance / 8.0).sqrt() + 3.0 / rows as f64) * (1.0 - self.share()).sqrt()
        }

        /// The largest change with a doubling of the sample.
        fn change(&self) -> f64 {
            let mean = |parts: usize| self.parts(parts).iter().sum::<f64>() / parts as f64;
            let means = [1, 2, 4, 8].map(mean);
            means.windows(2).map(|two| (two[0] - two[1]).abs()).fold(0.0, f64::max)
        }
    }

    fn terms(values: &[f64], labels: &Labels) -> Vec<ClmTerms> {
        let classes = Classes::new(Points::new(values, 2).unwrap(), labels).unwrap();
        evaluate(&classes, &[find("clm").unwrap()]).unwrap().terms.unwrap().pairs
    }

    #[test]
    fn the_headline_score_and_its_error_are_those_of_a_slow_twin() {
        // Two classes that are thinned out, and with `xb_a` the sample must tell radii, but nothing else.
        for (sizes, ids) in [(&[900, 800][..], &["clm"][..]), (&[700, 700, 600], &["xb_a", "clm"])] {
            let data = rows(sizes);
            let summary = summary(&data, &settings(ids).with_sample(400));
            let twin = Twin::new(&data, &summary);
            let found = summary.finish(None, Control::none()).unwrap();
            let score = found.score("clm").unwrap();
            let expected = twin.score(|_, _| true);
            assert!((score.value - expected).abs() < 1e-9, "{score:?} {expected}");
            let (noise, change) = (twin.noise(), twin.change());
            assert!(noise > 1e-3 && change > 1e-3, "{noise} {change}");
            let expected = noise - twin.share().log2() * (noise + change);
            assert!((score.error.unwrap() - expected).abs() < 1e-8, "{score:?} {expected}");
            let rows = twin.classes.iter().map(|class| class.rows.len() as u64).sum();
            assert_eq!(score.why, Reason::DensityOfSample { rows });
            if let Some(of_radii) = found.score("xb_a") {
                assert!(of_radii.value > 0.1 && of_radii.error.unwrap() < 0.2, "{of_radii:?}");
                assert_eq!(of_radii.why, Reason::WithoutSecondPass { rows });
            }
        }
    }

    /// Why `clm` of some rows has no stated error, if it has none.
    fn cause(data: &(Vec<f64>, Labels), sample: usize) -> Option<NoError> {
        let found =
            summary(data, &settings(&["clm"]).with_sample(sample)).finish(None, Control::none()).unwrap();
        match (found.scores[0].error, found.scores[0].why) {
            (None, Reason::UnknownError { cause, .. }) => Some(cause),
            (Some(error), _) if error.is_finite() => None,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_error_that_cannot_be_known_is_not_stated() {
        let plain = random_rows(&[900, 800], 40);
        assert_eq!(cause(&plain, 400), None);
        // Half of the values of these rows are the same, and 4 of 100 rows have a copy.
        let grid: Vec<f64> = plain.0.iter().map(|value| value.round()).collect();
        assert_eq!(cause(&(grid, plain.1.clone()), 400), Some(NoError::Ties));
        let mut copies = plain.clone();
        (0..2 * 70).for_each(|at| copies.0[200 + at] = copies.0[at]);
        assert_eq!(cause(&copies, 800), Some(NoError::Ties));
        // A class that is kept whole beside one that is not, and classes of fewer than 80 rows in the sample.
        assert_eq!(cause(&random_rows(&[2000, 40], 40), 400), Some(NoError::UnevenShares));
        assert_eq!(cause(&random_rows(&[300; 8], 40), 400), Some(NoError::FewRows));
        // One row in 70.
        assert_eq!(cause(&random_rows(&[7000, 7000], 40), 200), Some(NoError::SmallShare));
        // Lines that more rows show the better, and lines that the sample does not show at all.
        assert_eq!(cause(&lines(6000, 0.25), 1000), Some(NoError::Growing));
        assert_eq!(cause(&lines(6000, 0.01), 1000), Some(NoError::NothingSeen));
    }

    /// Rows of two features anywhere in squares that overlap.
    fn random_rows(sizes: &[usize], apart: u64) -> (Vec<f64>, Labels) {
        let mut random = SplitMix::new(5);
        let classes: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
        let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let values = classes.iter().flat_map(|&class| {
            let x = 50.0 * uniform() + (apart * class as u64) as f64;
            [x, 50.0 * uniform()]
        });
        (values.collect(), Labels::encode(&classes))
    }

    /// Four classes along lines of length 50 that are so far apart.
    fn lines(rows: usize, apart: f64) -> (Vec<f64>, Labels) {
        let (mut values, _) = random_rows(&[rows], 0);
        for (row, values) in values.chunks_mut(2).enumerate() {
            values[1] = apart * ((row % 4) as f64 + values[1] / 150.0);
        }
        (values, Labels::encode((0..rows).map(|row| row % 4)))
    }

    #[test]
    fn scores_that_are_all_infinite_have_no_error() {
        // Classes around the same centre.
        let place = |row: usize| [1.0, -1.0, 2.0, -2.0][row % 4];
        let values: Vec<f64> = (0..400).flat_map(|row| [place(row), 0.0]).collect();
        let data = (values, Labels::encode((0..400).map(|row| row % 4 / 2)));
        let found = summary(&data, &settings(&["db"])).finish(None, Control::none()).unwrap();
        assert_eq!(found.scores[0].certainty, Certainty::Estimated);
        assert_eq!((found.scores[0].value, found.scores[0].error), (f64::INFINITY, Some(0.0)));
    }

    /// How often rows are taken that were seen so many times each: (times, rows) to (times, copies).
    fn copies(seen: &[(u64, usize)]) -> BTreeSet<(u64, usize)> {
        let (values, labels) = rows(&[20, 20]);
        let mut summary = Summary::new(2, &settings(&["ch"])).unwrap();
        let mut first = 0;
        for &(times, count) in seen {
            let codes = labels.codes()[first..first + count].to_vec();
            let block = Labels::from_codes(codes, labels.names());
            for _ in 0..times {
                summary.update(&values[2 * first..2 * (first + count)], &block, first as u64).unwrap();
            }
            first += count;
        }
        let kept = summary.kept(&summary.sample).unwrap();
        let moments = summary.moments(&kept, None);
        let (plan, control) = (Plan::default(), Control::none());
        let estimator =
            Estimator { kept: &kept, moments: &moments, measures: &[], plan, second: None, control };
        let counts = kept.rows.iter().flatten().map(|row| row.count);
        counts.zip(estimator.copies().into_iter().flatten()).collect()
    }

    #[test]
    fn rows_are_taken_in_proportion_to_how_often_they_were_seen() {
        // 30 rows that were seen 130 times become some 60: 3 x 60/130 is 1.4, and 9 x 60/130 is 4.2.
        assert_eq!(copies(&[(1, 10), (3, 10), (9, 10)]), BTreeSet::from([(1, 1), (3, 1), (9, 4)]));
        // 24 rows that were seen 56 times might become 48, but those that were seen least are taken once.
        assert_eq!(copies(&[(2, 22), (6, 2)]), BTreeSet::from([(2, 1), (6, 3)]));
    }

    #[test]
    fn neighbours_and_trees_depend_on_density() {
        assert!(
            [Needs::NEAREST, Needs::KAPPA, find("clm").unwrap().needs()].map(depends_on_density) == [true; 3]
        );
        assert!(![Needs::SUMS, Needs::MEDIAN, Needs::ETA].into_iter().any(depends_on_density));
    }
}

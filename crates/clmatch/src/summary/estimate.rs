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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
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

        /// 21 scores without five of 21 groups of rows each; a class of which every row was kept has no groups.
        fn jackknife(&self) -> f64 {
            let is_sampled = |class: &&Class| class.rows.len() < class.points;
            let before = |class: usize| -> usize {
                self.classes[..class].iter().filter(is_sampled).map(|class| class.rows.len()).sum()
            };
            let scores = (0..21).map(|replicate: usize| {
                let left_out = [0, 1, 4, 14, 16].map(|group| (group + replicate) % 21);
                self.score(|class, at| {
                    !is_sampled(&&self.classes[class]) || !left_out.contains(&((before(class) + at) % 21))
                })
            });
            let scores: Vec<f64> = scores.collect();
            let mean = scores.iter().sum::<f64>() / 21.0;
            let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
            let shares = self.classes.iter().map(|class| class.rows.len() as f64 / class.points as f64);
            // The 97.5% point of Student's t with 20 degrees of freedom; 16 groups are kept, 5 are left out.
            2.085_963_447_3 * (16.0 / (5.0 * 21.0) * squares * (1.0 - shares.fold(1.0, f64::min))).sqrt()
        }

        /// What halving the sample changes, for each doubling from the sample to all rows.
        fn drift(&self) -> f64 {
            let half = |half: usize| {
                self.score(|class, at| at % 2 == half || matches!(self.classes[class].rows.len(), 1..=3))
            };
            let kept: usize = self.classes.iter().map(|class| class.rows.len()).sum();
            let points: usize = self.classes.iter().map(|class| class.points).sum();
            let halves = (half(0) + half(1)) / 2.0;
            (self.score(|_, _| true) - halves).abs() * (points as f64 / kept as f64).log2()
        }
    }

    fn terms(values: &[f64], labels: &Labels) -> Vec<ClmTerms> {
        let classes = Classes::new(Points::new(values, 2).unwrap(), labels).unwrap();
        evaluate(&classes, &[find("clm").unwrap()]).unwrap().terms.unwrap().pairs
    }

    #[test]
    fn the_headline_score_and_its_error_are_those_of_a_slow_twin() {
        // Half of four rows can be scored, half of three cannot. With `xb_a` the sample must tell radii, but nothing else.
        for (few, ids) in [(4, &["clm"][..]), (3, &["xb_a", "clm"])] {
            let data = rows(&[150, 130, few]);
            let summary = summary(&data, &settings(ids));
            let twin = Twin::new(&data, &summary);
            assert_eq!(twin.classes[2].rows.len(), few);
            let found = summary.finish(None, Control::none()).unwrap();
            let score = found.score("clm").unwrap();
            let expected = twin.score(|_, _| true);
            assert!((score.value - expected).abs() < 1e-9, "{score:?} {expected}");
            let (chance, drift) = (twin.jackknife(), twin.drift());
            assert!(chance > 1e-3 && drift > 1e-3, "{chance} {drift}");
            assert!((score.error - chance.hypot(drift)).abs() < 1e-8, "{score:?} {chance} {drift}");
            let rows = twin.classes.iter().map(|class| class.rows.len() as u64).sum();
            assert_eq!(score.why, Reason::DensityOfSample { rows });
            if let Some(of_radii) = found.score("xb_a") {
                assert!(of_radii.value > 0.1 && of_radii.error < 0.2, "{of_radii:?}");
                assert_eq!(of_radii.why, Reason::WithoutSecondPass { rows });
            }
        }
    }

    #[test]
    fn scores_that_are_all_infinite_have_no_error() {
        // Classes around the same centre.
        let place = |row: usize| [1.0, -1.0, 2.0, -2.0][row % 4];
        let values: Vec<f64> = (0..400).flat_map(|row| [place(row), 0.0]).collect();
        let data = (values, Labels::encode((0..400).map(|row| row % 4 / 2)));
        let found = summary(&data, &settings(&["db"])).finish(None, Control::none()).unwrap();
        assert_eq!(found.scores[0].certainty, Certainty::Estimated);
        assert_eq!((found.scores[0].value, found.scores[0].error), (f64::INFINITY, 0.0));
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

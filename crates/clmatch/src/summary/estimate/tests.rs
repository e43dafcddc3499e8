use std::collections::BTreeSet;

use super::*;
use crate::kernels::random::SplitMix;
use crate::measure::find;
use crate::summary::Summary;
use crate::summary::tests::{rows, settings, summary};
use crate::{ClmTerms, Points, evaluate};

/// The kept rows of a class, in the order of their keys, and how many rows the class has.
struct Class {
    rows: Vec<Vec<f64>>,
    points: usize,
}

/// A slow estimator of `clm`.
struct Twin {
    classes: Vec<Class>,
    /// `eta` of all rows, pair by pair.
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
        let eta = terms(&data.0, &data.1).pairs.iter().map(|terms| terms.eta).collect();
        Twin { classes: (0..sample.classes.len()).map(class).collect(), eta }
    }

    /// The score of some of the kept rows, with their own neighbours, trees and result of k-means.
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
        let pairs = terms.pairs.iter().zip(&self.eta).map(of_pair).sum::<f64>() / self.eta.len() as f64;
        (pairs + terms.all.unwrap().score()) / 2.0
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

fn terms(values: &[f64], labels: &Labels) -> Terms {
    let classes = Classes::new(Points::new(values, 2).unwrap(), labels).unwrap();
    evaluate(&classes, &[find("clm").unwrap()]).unwrap().terms.unwrap()
}

#[test]
fn the_headline_score_and_its_error_are_those_of_a_slow_twin() {
    // Two classes that are thinned out; with `xb_a` only the radii have to come from the sample.
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
    let found = summary(data, &settings(&["clm"]).with_sample(sample)).finish(None, Control::none()).unwrap();
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
    // Lines that show better with more rows, and lines that the sample does not show at all.
    assert_eq!(cause(&lines(6000, 0.25), 1000), Some(NoError::Growing));
    assert_eq!(cause(&lines(6000, 0.01), 1000), Some(NoError::NothingSeen));
}

/// Rows of two features, anywhere in overlapping squares.
fn random_rows(sizes: &[usize], apart: u64) -> (Vec<f64>, Labels) {
    let mut random = SplitMix::new(5);
    let classes: Vec<usize> = sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let mut uniform = || (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
    let values = classes.iter().flat_map(|&class| {
        let x = 50.0 * uniform() + (apart * class as u64) as f64;
        [x, 50.0 * uniform()]
    });
    (values.collect(), Labels::encode(&classes))
}

/// Four classes along lines of length 50, `apart` from each other.
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

/// How often rows are taken, given how often they were seen: (times, rows) to (times, copies).
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
    let estimator = Estimator { kept: &kept, moments: &moments, measures: &[], plan, second: None, control };
    let counts = kept.rows.iter().flatten().map(|row| row.count);
    counts.zip(estimator.copies().into_iter().flatten()).collect()
}

#[test]
fn rows_are_taken_in_proportion_to_how_often_they_were_seen() {
    // 30 rows that were seen 130 times become about 60: 3 x 60/130 is 1.4, and 9 x 60/130 is 4.2.
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

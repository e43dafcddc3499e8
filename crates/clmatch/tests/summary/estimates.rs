//! Estimates from a sample, and how often their errors cover the score of all rows.

use clmatch::measure;
use clmatch::summary::{Certainty, NoError, Reason, Summarised, Summary, SummarySettings};
use clmatch::{Classes, Control, Labels, Points, evaluate};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::{Data, FEW, all_measures, is_close};

#[test]
fn the_sample_does_not_depend_on_blocks_or_their_order() {
    let data = Data::normal(&[900, 1400, 60], 3, 2.0, 1);
    let settings = all_measures();
    let estimates =
        |blocks, seed| data.summary(&settings, blocks, seed).finish(None, Control::none()).unwrap();
    let first = estimates(1, 1);
    for (blocks, seed) in [(3, 2), (50, 3), (400, 4)] {
        let found = estimates(blocks, seed);
        assert_eq!(found.sampled, first.sampled);
        for (a, b) in found.scores.iter().zip(&first.scores) {
            assert!(is_close(a.value, b.value, 1e-9) && a.why == b.why, "{a:?} {b:?}");
            let [a, b] = [a, b].map(|score| score.error.unwrap_or(f64::INFINITY));
            assert!(is_close(a, b, 1e-6), "{a} {b}");
        }
    }
}

#[test]
fn a_repeated_block_changes_counts_but_not_the_sample() {
    let data = Data::normal(&[900, 1400], 3, 2.0, 2);
    let settings = all_measures();
    let add = |summary: &mut Summary, rows: std::ops::Range<usize>| {
        let (values, labels) = data.block(rows.clone());
        summary.update(values, &labels, rows.start as u64).unwrap();
    };
    let (mut once, mut twice) = (Summary::new(3, &settings).unwrap(), Summary::new(3, &settings).unwrap());
    for start in (0..2300).step_by(100) {
        add(&mut once, start..start + 100);
        add(&mut twice, start..start + 100);
    }
    for start in (0..2300).step_by(230) {
        add(&mut twice, start..start + 230);
    }
    let [once, twice] = [once, twice].map(|summary| summary.finish(None, Control::none()).unwrap());
    assert_eq!((once.points, twice.points), (2300, 4600), "rows are counted as often as they come");
    assert_eq!(once.sampled, twice.sampled);
    let value = |found: &Summarised| found.value("sc_a").unwrap();
    assert!((value(&once) - value(&twice)).abs() < 0.01, "{} {}", value(&once), value(&twice));
}

#[test]
fn equal_rows_are_drawn_as_often_as_others() {
    // Half of class a is one place, the other half lies around it: mean distances see both.
    let mut data = Data::normal(&[4000, 4000], 2, 3.0, 3);
    for row in (0..data.rows()).step_by(2).filter(|&row| data.labels[row] == "class 0").collect::<Vec<_>>() {
        data.values[2 * row] = 0.0;
        data.values[2 * row + 1] = 0.0;
    }
    let expected = data.in_memory();
    let settings = all_measures().with_sample(800);
    let [_, found] = data.finish(&settings, 9, 1);
    for id in ["sc_a", "di_a", "sc"] {
        let (score, expected) = (found.score(id).unwrap(), expected.value(id).unwrap());
        let error = score.error.unwrap();
        assert!((score.value - expected).abs() < 2.0 * error && error < 0.1, "{score:?} {expected}");
    }
}

/// How often errors are stated, and how often they cover the score of all rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Coverage {
    estimates: usize,
    stated: usize,
    covered: usize,
}

impl Coverage {
    /// Counts over seeds of the sample.
    fn of(data: &Data, id: &str, sample: usize, seeds: u64, with_second: bool) -> Coverage {
        let measure = measure::find(id).unwrap();
        let points = Points::new(&data.values, data.features).unwrap();
        let classes = Classes::new(points, &Labels::encode(&data.labels)).unwrap();
        let expected = evaluate(&classes, &[measure]).unwrap().scores[0].1.value;
        let settings = SummarySettings::new(&[measure]).with_sample(sample);
        let mut coverage = Coverage::default();
        for seed in 0..seeds {
            let summary = data.summary(&settings.clone().with_seed(seed), 3, 1);
            let second = with_second.then(|| data.second(&summary, 2, 1));
            let found = summary.finish(second.as_ref(), Control::none()).unwrap();
            let score = &found.scores[0];
            assert_eq!(score.certainty, Certainty::Estimated);
            coverage.estimates += 1;
            coverage.stated += usize::from(score.error.is_some());
            let covers = |error: f64| (score.value - expected).abs() <= error;
            coverage.covered += usize::from(score.error.is_some_and(covers));
        }
        coverage
    }

    fn add(&mut self, other: Coverage) {
        self.estimates += other.estimates;
        self.stated += other.stated;
        self.covered += other.covered;
    }
}

#[test]
fn errors_cover_the_score_of_all_rows() {
    let datasets = [
        ("overlapping", Data::normal(&[1500, 1500], 2, 1.5, 21)),
        ("apart", Data::normal(&[2000, 600, 400], 3, 5.0, 22)),
        ("many features", Data::normal(&[1200, 1300], 12, 2.0, 23)),
    ];
    let mut all = Coverage::default();
    for (what, data) in &datasets {
        for (id, second) in [("sc_a", true), ("sc_a", false), ("di_a", true), ("sc", false), ("xb_a", false)]
        {
            let coverage = Coverage::of(data, id, 300, 30, second);
            assert_eq!(coverage.stated, 30);
            assert!(coverage.covered * 100 >= coverage.stated * 80, "{what} {id}: {coverage:?}");
            all.add(coverage);
        }
    }
    assert!(all.covered * 100 >= all.stated * 92, "{all:?}");
}

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    random.random()
}

/// Rows of two features, with a class that depends on where they lie.
fn shape(rows: usize, seed: u64, row: impl Fn(&mut ChaCha8Rng) -> ([f64; 2], usize)) -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let (place, class) = row(&mut random);
        values.extend(place);
        labels.push(format!("class {class}"));
    }
    Data { values, features: 2, labels }
}

fn rings(width: f64) -> Data {
    shape(6000, 41, |random| {
        let (angle, class) = (uniform(random) * std::f64::consts::TAU, random.random_range(0..3));
        let noise: f64 = random.sample(StandardNormal);
        let radius = 1.0 + class as f64 + width * noise;
        ([radius * angle.cos(), radius * angle.sin()], class)
    })
}

fn checks(count: f64) -> Data {
    shape(6000, 42, |random| {
        let place = [uniform(random), uniform(random)];
        (place, place.map(|x| (x * count) as usize).iter().sum::<usize>() % 2)
    })
}

fn lines(apart: f64) -> Data {
    shape(6000, 43, |random| {
        let class = random.random_range(0..4);
        let noise: f64 = random.sample(StandardNormal);
        ([uniform(random), apart * (class as f64 + 0.1 * noise)], class)
    })
}

/// About 30 kinds of data: in some of them, the score of a sample says little about that of all rows.
fn grid() -> Vec<(&'static str, Data)> {
    let normal = |sizes: &[usize], features: usize, gap: f64| Data::normal(sizes, features, gap, 31);
    let plain = normal(&[3000, 3000], 2, 3.0);
    let three = normal(&[2500, 2000, 1500], 3, 4.0);
    let mut copies = normal(&[1500, 1500], 3, 3.0);
    copies.values.extend(copies.values.clone());
    copies.labels.extend(copies.labels.clone());
    let grid = |data: &Data, step: f64| data.clone().map(|value| (value / step).round() * step);
    let tails = |data: &Data| data.clone().map(|value| value * value * value);
    vec![
        ("noise", normal(&[3000, 3000], 2, 0.0)),
        ("overlapping", normal(&[3000, 3000], 2, 1.5)),
        ("near", plain.clone()),
        ("apart", normal(&[3000, 3000], 2, 8.0)),
        ("one feature", normal(&[3000, 3000], 1, 3.0)),
        ("8 features", normal(&[3000, 3000], 8, 3.0)),
        ("30 features", normal(&[3000, 3000], 30, 3.0)),
        ("three", three.clone()),
        ("uneven", normal(&[4500, 1000, 500], 3, 4.0)),
        ("rare", normal(&[5950, 50], 2, 4.0)),
        ("ten", normal(&[600; 10], 3, 2.5)),
        ("sixty", normal(&[100; 60], 2, 1.5)),
        ("integers", grid(&plain, 1.0)),
        ("integers, three", grid(&three, 1.0)),
        ("half units", grid(&three, 0.5)),
        ("tenths", grid(&three, 0.1)),
        ("hundredths", grid(&plain, 0.01)),
        ("copies", copies),
        ("heavy tails", tails(&plain)),
        ("heavy tails, three", tails(&three)),
        ("rings", rings(0.12)),
        ("wide rings", rings(0.25)),
        ("touching rings", rings(0.4)),
        ("2 x 2 checks", checks(2.0)),
        ("8 x 8 checks", checks(8.0)),
        ("20 x 20 checks", checks(20.0)),
        ("100 x 100 checks", checks(100.0)),
        ("lines", lines(0.05)),
        ("near lines", lines(0.01)),
        ("nearest lines", lines(0.002)),
    ]
}

/// Over all kinds of data, stated errors hold in at least 93% of the estimates; where they would not, no error is stated.
#[test]
fn stated_errors_hold_whatever_the_data_are_like() {
    for id in ["clm", "sc_a", "di_a", "sc"] {
        let mut all = Coverage::default();
        let mut missed = Vec::new();
        for (what, data) in grid() {
            let coverage = Coverage::of(&data, id, 1000, 4, false);
            if coverage.covered < coverage.stated {
                missed.push((what, coverage));
            }
            all.add(coverage);
        }
        assert!(all.covered * 100 >= all.stated * 93, "{id}: {all:?} {missed:?}");
        let least = if id == "clm" { 40 } else { 100 };
        assert!(all.stated * 100 >= all.estimates * least, "{id}: {all:?}");
    }
}

#[test]
fn no_error_is_stated_for_integers_and_for_many_classes() {
    for (what, sizes, step, cause) in [
        ("integers", vec![2500, 2000, 1500], 1.0, NoError::Ties),
        ("many classes", vec![100; 60], 1e-9, NoError::FewRows),
        ("a rare class", vec![5950, 40], 1e-9, NoError::UnevenShares),
    ] {
        let data = Data::normal(&sizes, 3, 3.0, 31).map(|value| (value / step).round() * step);
        let settings = all_measures().with_sample(1000);
        let found = data.finish(&settings, 2, 1)[0].clone();
        let [clm, sc_a] = ["clm", "sc_a"].map(|id| found.score(id).unwrap());
        assert_eq!(clm.error, None, "{what}");
        assert!(matches!(clm.why, Reason::UnknownError { cause: found, .. } if found == cause), "{clm:?}");
        assert!(sc_a.error.is_some_and(|error| error < 0.2), "{sc_a:?}");
    }
    let data = Data::normal(&[1500, 1500], 2, 2.0, 31);
    let clm = data.finish(&all_measures().with_sample(600), 2, 1)[0].score("clm").unwrap().clone();
    assert!(matches!(clm.why, Reason::DensityOfSample { .. }) && clm.error.is_some(), "{clm:?}");
}

#[test]
fn the_dunn_index_of_a_sample_is_an_upper_bound() {
    let data = Data::normal(&[900, 800], 2, 9.0, 4);
    let expected = data.in_memory().value("di").unwrap();
    for found in data.finish(&all_measures(), 4, 1) {
        let score = found.score("di").unwrap();
        assert_eq!((score.certainty, score.error), (Certainty::AtMost, Some(score.value)));
        assert!(matches!(score.why, Reason::ExtremesOfSample { .. }));
        assert!(0.0 <= expected && expected <= score.value);
    }
}

#[test]
fn rows_of_other_sources_are_told_apart() {
    // The same block as two sources: twice as many rows that are drawn on their own.
    let data = Data::normal(&[60, 70], 2, 2.0, 5);
    let settings = all_measures().with_sample(FEW);
    let mut summary = Summary::new(2, &settings).unwrap();
    for source in 0..2 {
        summary.set_source(source);
        summary.update(&data.values, &Labels::encode(&data.labels), 0).unwrap();
    }
    let apart = summary.finish(None, Control::none()).unwrap();
    summary.update(&data.values, &Labels::encode(&data.labels), 0).unwrap();
    let again = summary.finish(None, Control::none()).unwrap();
    assert_eq!((apart.points, again.points), (260, 390));
    assert_eq!(apart.sampled, again.sampled);
}

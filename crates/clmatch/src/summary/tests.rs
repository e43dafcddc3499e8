use super::*;
use crate::kernels::random::SplitMix;
use crate::measure::{self, Measure};
use crate::{Control, evaluate};

/// Rows of two features, class after class; the classes overlap.
pub(super) fn rows(sizes: &[usize]) -> (Vec<f64>, Labels) {
    let mut random = SplitMix::new(11);
    let classes: Vec<usize> = sizes.iter().enumerate().flat_map(|(class, &size)| vec![class; size]).collect();
    let mut values = Vec::new();
    for &class in &classes {
        values.push(3.0 * class as f64 + random.below(1000) as f64 / 200.0);
        values.push(random.below(1000) as f64 / 200.0);
    }
    (values, Labels::encode(classes))
}

/// Settings for some measures, with the smallest sample.
pub(super) fn settings(ids: &[&str]) -> SummarySettings {
    let measures: Vec<&'static Measure> = ids.iter().map(|id| measure::find(id).unwrap()).collect();
    SummarySettings::new(&measures).with_sample(SMALLEST_SAMPLE)
}

/// A summary of some rows of two features.
pub(super) fn summary((values, labels): &(Vec<f64>, Labels), settings: &SummarySettings) -> Summary {
    let mut summary = Summary::new(2, settings).unwrap();
    summary.update(values, labels, 0).unwrap();
    summary
}

/// The value of a measure in memory.
fn in_memory((values, labels): &(Vec<f64>, Labels), id: &str) -> f64 {
    let classes = Classes::new(Points::new(values, 2).unwrap(), labels).unwrap();
    evaluate(&classes, &[measure::find(id).unwrap()]).unwrap().value(id).unwrap()
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} instead of {expected}");
}

#[test]
fn one_class_is_refused_however_many_rows_it_has() {
    // So many rows that not all of them are kept.
    let summary = summary(&rows(&[300]), &settings(&["ch_a"]));
    let refused: SummaryError = DataError::OneClass { class: "0".into() }.into();
    assert_eq!(summary.finish(None, Control::none()).unwrap_err(), refused);
    assert_eq!(summary.second_pass().unwrap_err(), refused);
    assert!(!summary.needs_second_pass());
}

#[test]
fn rows_that_are_repeated_are_compared_up_to_a_bound() {
    // A sample of 100 rows and 42 of each class, twice as many for now, and each of them twice: 736.
    let (values, labels) = rows(&[45, 45]);
    for (times, why) in [(8, Reason::EveryRow), (9, Reason::OnePass)] {
        let mut summary = Summary::new(2, &settings(&["ch"])).unwrap();
        (0..times).for_each(|_| summary.update(&values, &labels, 0).unwrap());
        let found = summary.finish(None, Control::none()).unwrap();
        assert_eq!((found.points, found.sampled, found.scores[0].why), (90 * times, 90, why));
        // The index grows with the number of points: (n - K)/(n' - K) of that of the rows once.
        let expected = in_memory(&(values.clone(), labels.clone()), "ch");
        near(found.scores[0].value, expected * (90.0 * times as f64 - 2.0) / 88.0);
    }
}

#[test]
fn a_second_pass_is_asked_for_where_it_helps_and_fits() {
    let classes = 64;
    let rows = rows(&[8; 64]);
    let of = |ids: &[&str], memory: usize| summary(&rows, &settings(ids).with_memory(memory));
    let plenty = 1 << 20;
    let second = of(&["xb_a"], plenty).second_pass().unwrap();
    // Its sums, and the distances between all centroids.
    let bytes = (second.sums.len() + classes * classes) * size_of::<f64>();
    assert!(bytes > 4 * classes * (2 * 2 * size_of::<f64>() + OVERHEAD), "the classes themselves fit");
    let (fits, does_not) = (of(&["xb_a"], bytes), of(&["xb_a"], bytes - 1));
    assert!(fits.needs_second_pass() && fits.second_pass().is_ok());
    assert!(!does_not.needs_second_pass());
    let error = does_not.second_pass().unwrap_err();
    assert_eq!(error.to_string(), "a second pass over 64 classes does not fit into the memory");
    // One pass is enough for `ch_a`; no number of passes is for `sc`.
    assert!(!of(&["ch_a"], plenty).needs_second_pass());
    assert!(!of(&["sc"], plenty).needs_second_pass());
}

#[test]
fn without_matrices_and_a_second_pass_the_sample_tells_the_spread() {
    let rows = rows(&[150, 130]);
    // Matrices of two classes take 80 bytes; there is always room for two classes.
    let summary = summary(&rows, &settings(&["ch_a", "ch", "clm"]).with_memory(158));
    assert_eq!(summary.form, Form::Centroids);
    let found = summary.finish(None, Control::none()).unwrap();
    for id in ["ch_a", "clm"] {
        let (score, expected) = (found.score(id).unwrap(), in_memory(&rows, id));
        assert_eq!(score.certainty, Certainty::Estimated);
        // The sample is too small to estimate the error of `clm`.
        let error = score.error.unwrap_or(0.1);
        assert!(score.error.is_some() == (id == "ch_a") && error < 0.5, "{score:?}");
        assert!((score.value - expected).abs() < 2.0 * error, "{score:?} {expected}");
    }
    // `ch` reads only sizes and centroids.
    assert_eq!(found.score("ch").unwrap().why, Reason::OnePass);
    near(found.value("ch").unwrap(), in_memory(&rows, "ch"));
}

#[test]
fn matrices_take_half_of_the_memory_and_no_more() {
    // Of 30 features: 465 numbers and 30 more for each of three classes.
    for (memory, form) in [(2 * 11_880, Form::ScatterMatrices), (2 * 11_880 - 1, Form::Centroids)] {
        let mut summary = Summary::new(30, &settings(&["ch"]).with_memory(memory)).unwrap();
        summary.update(vec![1.0; 90], &Labels::encode([0, 1, 2]), 0).unwrap();
        assert_eq!(summary.form, form, "{memory}");
    }
}

#[test]
fn classes_take_two_numbers_a_feature_and_a_little_more() {
    // Of 20 features: 40 numbers of 8 bytes, and 256 bytes, in a quarter of the memory.
    let memory = 4 * 576 * 7 + 3;
    let settings = settings(&["ch"]).with_memory(memory).with_noise(Some("-1".into()));
    let mut summary = Summary::new(20, &settings).unwrap();
    summary.update(vec![1.0; 60], &Labels::encode([0, 1, 2]), 0).unwrap();
    // Known classes and the label of noise take no room.
    let labels = Labels::encode([-1, 0, 1, 2, 3, 4, 5, 6]);
    summary.update(vec![1.0; 160], &labels, 3).unwrap();
    let error = summary.update(vec![1.0; 20], &Labels::encode([7]), 11).unwrap_err();
    assert_eq!(error, SummaryError::TooManyClasses { classes: 7, memory });
    assert_eq!((summary.features(), summary.rows(), summary.noise), (20, 11, 1));
}

#[test]
fn rows_of_another_source_are_other_rows() {
    let (values, labels) = rows(&[20, 25]);
    for (second, sampled) in [(0, 45), (1, 90)] {
        let mut summary = Summary::new(2, &settings(&["ch"])).unwrap();
        summary.update(&values, &labels, 0).unwrap();
        summary.set_source(second);
        summary.update(&values, &labels, 0).unwrap();
        let found = summary.finish(None, Control::none()).unwrap();
        assert_eq!((found.points, found.sampled), (90, sampled), "source {second}");
    }
}

/// `ch_a` of two summaries that were merged, each of rows at one place.
fn of_two_places(places: [f64; 2]) -> f64 {
    let settings = settings(&["ch_a"]);
    let of = |place: f64, sizes: [usize; 2], first: u64| {
        let mut part = Summary::new(1, &settings).unwrap();
        let labels = [vec![0; sizes[0]], vec![1; sizes[1]]].concat();
        part.update(vec![place; labels.len()], &Labels::encode(labels), first).unwrap();
        part
    };
    let mut merged = of(places[0], [100, 30], 0);
    merged.merge(&of(places[1], [50, 120], 130)).unwrap();
    let found = merged.finish(None, Control::none()).unwrap();
    assert_eq!(found.scores[0].why, Reason::OnePass);
    found.scores[0].value
}

#[test]
fn places_that_only_merging_shows_to_be_apart_are_told_apart() {
    // The measure depends on neither place nor scale. Of 150 and 150 points, 100 and 30 lie at 0, the others at 1: the centroids
    // are at 1/3 and 4/5, the common one at 17/30, and the squared distances from it are 289/900 for 130 points and 169/900 for
    // 170.
    let between = (4.0 / 5.0 - 1.0 / 3.0_f64).powi(2) / 4.0;
    let s2 = 120.0 / 900.0 * (130.0 * 170.0_f64).sqrt() / 300.0;
    let z = between / s2;
    let expected = (2.216_005_267_919_147_5 * z * z.exp() / 2.0).tanh();
    // Fourth powers of these lengths overflow a double, and so do some squares and some differences.
    for places in [
        [0.0, 1.0],
        [1e100, 0.0],
        [0.0, 1e100],
        [1e100, -1e100],
        [1e308, -1e308],
        [-1e308, 1e308],
        [1e-100, 0.0],
    ] {
        near(of_two_places(places), expected);
    }
}

#[test]
fn a_second_pass_of_any_scale_survives_its_bytes() {
    let (values, labels) = rows(&[150, 130]);
    let expected = in_memory(&(values.clone(), labels.clone()), "xb_a");
    // The unit of length is far below 1, around 1, far above 1.
    for scale in [2.0_f64.powi(-400), 1.0, 2.0_f64.powi(400)] {
        let values: Vec<f64> = values.iter().map(|value| scale * value).collect();
        let summary = summary(&(values.clone(), labels.clone()), &settings(&["xb_a"]));
        let through = |second: SecondPass| SecondPass::from_bytes(&second.to_bytes()).unwrap();
        let mut second = through(summary.second_pass().unwrap());
        second.update(&values, &labels, 0).unwrap();
        assert_eq!((second.features(), second.rows()), (2, 280));
        let found = summary.finish(Some(&through(second)), Control::none()).unwrap();
        assert_eq!(found.scores[0].why, Reason::TwoPasses);
        near(found.scores[0].value, expected);
    }
}

#[test]
fn bytes_with_rows_but_no_first_one_are_refused() {
    let empty = Summary::new(2, &settings(&["ch"])).unwrap();
    assert_eq!(Summary::from_bytes(&empty.to_bytes()).unwrap().rows(), 0);
    let mut forged = summary(&rows(&[3, 2]), &settings(&["ch"]));
    assert_eq!(Summary::from_bytes(&forged.to_bytes()).unwrap().rows(), 5);
    forged.reference.clear();
    let error = Summary::from_bytes(&forged.to_bytes()).unwrap_err();
    assert_eq!(error, error::corrupt("there are rows but no first one"));
}

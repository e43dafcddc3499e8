//! Estimates from a sample: their errors are as large as stated, and they finish in time.

use std::time::{Duration, Instant};

use clmatch::{
    Approximation, Control, DataError, Estimate, Measure, Stop, estimate, estimate_with, evaluate,
    evaluate_with, measure,
};

use crate::datasets::{Dataset, normal, random};

fn measures(ids: &[&str]) -> Vec<&'static Measure> {
    ids.iter().map(|id| measure::find(id).unwrap()).collect()
}

fn within(error: f64, seed: u64) -> Approximation {
    Approximation::new(Some(error), None).with_seed(seed)
}

/// Large enough that a sample is worth it.
fn dataset() -> Dataset {
    Dataset::blobs(71, &[1800, 2600, 3400], 4, 2.0)
}

/// How often the stated error covers the exact score of each measure, over seeds.
fn covered(dataset: &Dataset, ids: &[&str], error: f64, seeds: u64) -> Vec<u64> {
    let chosen = measures(ids);
    let truth = dataset.with_classes(|classes| evaluate(classes, &chosen).unwrap());
    let mut covered = vec![0; ids.len()];
    for seed in 0..seeds {
        let found = dataset.with_classes(|classes| estimate(classes, &chosen, &within(error, seed)).unwrap());
        assert!(!found.exact, "the dataset is too small to be estimated");
        for (at, id) in ids.iter().enumerate() {
            assert!(found.errors[at] <= error, "{id}: {}", found.errors[at]);
            let miss = (found.evaluation.value(id).unwrap() - truth.value(id).unwrap()).abs();
            covered[at] += u64::from(miss <= found.errors[at] + 1e-12);
        }
    }
    covered
}

/// If 60 intervals of 95% were right, fewer than 51 would cover the score once in a thousand times.
const SEEDS: u64 = 60;
const ENOUGH: u64 = 51;

#[test]
fn the_stated_error_covers_the_truth() {
    let covered = covered(&dataset(), &["clm", "sc_a", "di_a", "sc", "ch_a"], 0.1, SEEDS);
    assert!(covered.iter().all(|&count| count >= ENOUGH), "{covered:?}");
    assert_eq!(covered[4], SEEDS, "ch_a needs no distances and is exact");
}

/// A small class at the edge of a large one: hardly any point of the large class has a neighbour in the small one, but these few
/// decide.
fn rare(count: usize) -> Dataset {
    let mut dataset = Dataset::noise(5, &[8000 - count, count], 4);
    let rare = dataset.rows.iter_mut().skip(8000 - count);
    rare.for_each(|row| row.iter_mut().for_each(|x| *x += 2.0));
    dataset
}

#[test]
fn a_sample_in_which_nothing_varies_proves_nothing() {
    let chosen = measures(&["clm"]);
    for count in [12, 40, 160] {
        let dataset = rare(count);
        let truth = dataset.with_classes(|classes| evaluate(classes, &chosen).unwrap()).value("clm").unwrap();
        let mut covered = 0;
        for seed in 0..10 {
            let how = within(0.01, seed);
            let found = dataset.with_classes(|classes| estimate(classes, &chosen, &how).unwrap());
            let miss = (found.evaluation.value("clm").unwrap() - truth).abs();
            assert!(miss <= 0.02, "{count}: {miss} off {truth}");
            covered += u64::from(miss <= found.errors[0] + 1e-12);
        }
        assert!(covered >= 8, "{count}: {covered} of 10");
    }
}

#[test]
fn few_points_that_touch_a_small_class_are_found() {
    let covered = covered(&rare(12), &["clm", "sc_a", "di_a", "sc"], 0.1, SEEDS);
    assert!(covered.iter().all(|&count| count >= ENOUGH), "{covered:?}");
}

/// Some points are so far out that a random draw of a hundred hardly ever includes one, though they dominate the mean distances.
#[test]
fn heavy_tails_and_outliers_are_covered() {
    let mut outliers = Dataset::blobs(9, &[4000, 4000], 3, 2.0);
    outliers.rows.iter_mut().step_by(400).for_each(|row| row.iter_mut().for_each(|x| *x *= 1000.0));
    let mut cauchy = Dataset::blobs(10, &[4000, 4000], 3, 2.0);
    let mut random = random(11);
    // A normal number divided by another has Cauchy's distribution.
    for row in &mut cauchy.rows {
        row.iter_mut().for_each(|x| *x /= normal(&mut random));
    }
    for dataset in [outliers, cauchy] {
        let covered = covered(&dataset, &["sc_a", "di_a", "sc"], 0.1, SEEDS);
        assert!(covered.iter().all(|&count| count >= ENOUGH), "{covered:?}");
    }
}

#[test]
fn a_smaller_error_takes_more_points() {
    let chosen = measures(&["sc_a"]);
    let sampled = |error| {
        let found = dataset().with_classes(|classes| estimate(classes, &chosen, &within(error, 5)).unwrap());
        assert!(found.errors[0] <= error);
        found
    };
    let (coarse, fine) = (sampled(0.05), sampled(0.002));
    assert!(fine.sampled > coarse.sampled || fine.exact, "{} {}", coarse.sampled, fine.sampled);
    let exact: Estimate = sampled(1e-9);
    assert!(exact.exact && exact.errors == [0.0]);
    let truth = dataset().with_classes(|classes| evaluate(classes, &chosen).unwrap());
    assert_eq!(exact.evaluation, truth);
}

#[test]
fn the_same_seed_gives_the_same_estimate() {
    let chosen = measures(&["clm", "sc_a"]);
    let run =
        |seed| dataset().with_classes(|classes| estimate(classes, &chosen, &within(0.1, seed)).unwrap());
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).evaluation, run(2).evaluation);
}

#[test]
fn small_datasets_are_computed_exactly() {
    let small = Dataset::blobs(3, &[40, 50], 3, 1.0);
    let chosen = measures(&["clm", "sc_a"]);
    let found = small.with_classes(|classes| estimate(classes, &chosen, &within(0.1, 0)).unwrap());
    assert!(found.exact);
    assert_eq!(found.evaluation, small.with_classes(|classes| evaluate(classes, &chosen).unwrap()));
}

#[test]
fn trees_that_take_longer_than_there_is_time_are_those_of_a_sample() {
    let large = Dataset::blobs(4, &[20_000, 20_000], 20, 1.0);
    let how = Approximation::new(None, Some(Duration::from_millis(50)));
    let start = Instant::now();
    let chosen = measures(&["sc_a", "clm", "di", "ch_a"]);
    let found = large.with_classes(|classes| estimate(classes, &chosen, &how).unwrap());
    assert!(start.elapsed() < Duration::from_secs(30), "all trees would take far longer");
    let ids: Vec<&str> = found.evaluation.scores.iter().map(|(id, _)| *id).collect();
    assert_eq!((ids, found.left_out), (vec!["sc_a", "clm", "ch_a"], vec!["di"]));
    assert!(!found.exact && found.sampled >= 2000, "{}", found.sampled);
    let clm = found.evaluation.value("clm").unwrap();
    assert!((0.0..=1.0).contains(&clm) && found.errors[1] > 0.0, "{clm} {:?}", found.errors);
    assert!(found.errors[0].is_finite() && found.errors[2] == 0.0, "{:?}", found.errors);
    let only_di = large.with_classes(|classes| estimate(classes, &measures(&["di"]), &how));
    assert_eq!(only_di, Err(DataError::OutOfTime { measure: "di" }));
}

#[test]
fn with_enough_time_every_measure_is_exact() {
    let chosen = measures(&["clm", "di", "sc_a"]);
    let how = Approximation::new(None, Some(Duration::from_secs(600)));
    let found = dataset().with_classes(|classes| estimate(classes, &chosen, &how).unwrap());
    assert!(found.exact && found.left_out.is_empty());
    assert_eq!(found.evaluation, dataset().with_classes(|classes| evaluate(classes, &chosen).unwrap()));
}

#[test]
fn work_can_be_stopped() {
    let stop = Stop::new();
    stop.raise();
    let (control, how) = (Control::new(&stop), Approximation::new(Some(0.1), None));
    for id in ["clm", "sc_a", "di_a", "ch_a"] {
        let chosen = measures(&[id]);
        let exact = dataset().with_classes(|classes| evaluate_with(classes, &chosen, false, control));
        assert_eq!(exact, Err(DataError::Stopped), "{id}");
        let found = dataset().with_classes(|classes| estimate_with(classes, &chosen, &how, control));
        assert_eq!(found, Err(DataError::Stopped), "{id}");
    }
}

#[test]
fn a_time_limit_is_kept_with_an_error_bar() {
    let large = Dataset::blobs(4, &[20_000, 20_000, 20_000], 20, 1.0);
    let chosen = measures(&["sc_a"]);
    let how = Approximation::new(None, Some(Duration::from_millis(50)));
    let start = Instant::now();
    let found = large.with_classes(|classes| estimate(classes, &chosen, &how).unwrap());
    assert!(
        !found.exact && found.errors[0] > 0.0 && found.sampled >= 60,
        "{} {:?}",
        found.sampled,
        found.errors
    );
    assert!(start.elapsed() < Duration::from_secs(30), "a full sweep would take far longer");
}

#[test]
fn measures_of_single_points_are_refused() {
    let chosen = measures(&["sc", "di"]);
    let refused = dataset().with_classes(|classes| estimate(classes, &chosen, &within(0.1, 0)).unwrap_err());
    assert_eq!(refused, DataError::NotEstimable { measure: "di" });
}

//! Estimates from a sample: their error is what they say, and they end in time.

use std::time::{Duration, Instant};

use clmatch::{Approximation, DataError, Estimate, Measure, estimate, evaluate, measure};

use crate::datasets::Dataset;

fn measures(ids: &[&str]) -> Vec<&'static Measure> {
    ids.iter().map(|id| measure::find(id).unwrap()).collect()
}

fn within(error: f64, seed: u64) -> Approximation {
    Approximation { error: Some(error), limit: None, seed }
}

/// Large enough that a sample is worth it.
fn dataset() -> Dataset {
    Dataset::blobs(71, &[1800, 2600, 3400], 4, 2.0)
}

#[test]
fn the_stated_error_covers_the_truth() {
    let ids = ["clm", "sc_a", "di_a", "sc", "ch_a"];
    let chosen = measures(&ids);
    let truth = dataset().with_classes(|classes| evaluate(classes, &chosen).unwrap());
    let seeds = 60;
    let mut covered = [0; 5];
    for seed in 0..seeds {
        let found = dataset().with_classes(|classes| estimate(classes, &chosen, &within(0.1, seed)).unwrap());
        assert!(!found.exact && found.sampled < 800);
        for (at, id) in ids.iter().enumerate() {
            assert!(found.errors[at] <= 0.1, "{id}: {}", found.errors[at]);
            let miss = (found.evaluation.value(id).unwrap() - truth.value(id).unwrap()).abs();
            covered[at] += usize::from(miss <= found.errors[at] + 1e-12);
        }
    }
    // 95% of 60 is 57; fewer than 51 would happen once in a thousand times if the intervals were right.
    assert!(covered.iter().all(|&count| count >= 51), "{ids:?} {covered:?}");
    assert_eq!(covered[4], seeds as usize, "ch_a needs no distances and is exact");
}

#[test]
fn a_smaller_error_takes_more_points() {
    let chosen = measures(&["sc_a"]);
    let sampled = |error| {
        let found = dataset().with_classes(|classes| estimate(classes, &chosen, &within(error, 5)).unwrap());
        assert!(found.errors[0] <= error);
        found
    };
    let (coarse, fine) = (sampled(0.05), sampled(0.02));
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
fn a_time_limit_is_kept_with_an_error_bar() {
    let large = Dataset::blobs(4, &[20_000, 20_000, 20_000], 20, 1.0);
    let chosen = measures(&["sc_a"]);
    let how = Approximation { error: None, limit: Some(Duration::from_millis(50)), seed: 0 };
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

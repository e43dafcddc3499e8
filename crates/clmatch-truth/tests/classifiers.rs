//! Tuned classifiers on datasets whose classes are known to be separable or not.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Mutex;

use clmatch_classify::{Classifier, Data, Folds, Matrix, NearestNeighbours, cross_validate};
use clmatch_kernels::{Control, Step, Stop, Stopped};
use clmatch_truth::classifiers::{Budget, ClassifierScore, ClassifySettings, Method, classify, ensemble};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two classes, one within a ring of the other: no line separates them.
fn ring(points: usize) -> (Vec<f64>, Vec<u32>) {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for point in 0..points {
        let class = (point % 2) as u32;
        let angle = random.random_range(0.0..std::f64::consts::TAU);
        let radius = if class == 0 { random.random_range(0.0..0.5) } else { random.random_range(0.6..1.0) };
        values.extend([radius * angle.cos(), radius * angle.sin()]);
        classes.push(class);
    }
    (values, classes)
}

fn quick() -> ClassifySettings {
    ClassifySettings { budget: Budget { random: 3, guided: 3 }, ..ClassifySettings::default() }
}

fn tune(plan: &ClassifySettings) -> Vec<ClassifierScore> {
    let (values, classes) = ring(100);
    let points = Matrix::new(&values, 2).unwrap();
    let data = Data::new(&points, &classes).unwrap();
    classify(data, plan, Control::new(&Stop::new())).unwrap()
}

#[test]
fn every_classifier_is_tuned_and_the_best_is_the_ensemble() {
    let (values, classes) = ring(100);
    let points = Matrix::new(&values, 2).unwrap();
    let data = Data::new(&points, &classes).unwrap();
    let heard = Mutex::new(Vec::new());
    let stop = Stop::new();
    let listen = |step: Step<'_>| heard.lock().unwrap().push(step.what.to_owned());
    let outcomes = classify(data, &quick(), Control::new(&stop).with_progress(&listen)).unwrap();
    assert_eq!(outcomes.iter().map(|outcome| outcome.method).collect::<Vec<_>>(), Method::ALL);
    assert_eq!(heard.into_inner().unwrap().len(), 8);
    for outcome in &outcomes {
        let curved = !matches!(outcome.method, Method::Lr | Method::Lda | Method::Mlp);
        assert!(outcome.accuracy > if curved { 0.85 } else { 0.35 }, "{outcome:?}");
        assert!(
            outcome.method != Method::Lda || outcome.accuracy < 0.8,
            "no line tells them apart: {outcome:?}"
        );
        assert!(outcome.seconds > 0.0);
        assert_eq!(outcome.settings.is_empty(), outcome.method == Method::Lda);
    }
    let best = outcomes.iter().map(|outcome| outcome.accuracy).fold(0.0, f64::max);
    assert_eq!(ensemble(&outcomes).unwrap().accuracy, best);
}

#[test]
fn the_accuracy_is_that_of_the_reported_setting() {
    let (values, classes) = ring(100);
    let points = Matrix::new(&values, 2).unwrap();
    let data = Data::new(&points, &classes).unwrap();
    let found = &tune(&ClassifySettings { methods: vec![Method::Knn], ..quick() })[0];
    let splits = Folds::stratified(&classes, 5, 0).splits(data);
    let of = |neighbours: usize| {
        let classifier: &dyn Classifier = &NearestNeighbours { neighbours };
        cross_validate(classifier, &splits, &Stop::new()).unwrap()
    };
    let k: usize = found.settings.strip_prefix("k=").unwrap().parse().unwrap();
    assert!((of(k) - found.accuracy).abs() < 1e-12);
    assert!((1..=20).all(|other| of(other) <= found.accuracy + 1e-12), "2 sqrt(100) is the largest k");
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let plan =
        ClassifySettings { methods: vec![Method::Rf, Method::Xgb, Method::Mlp, Method::Svm], ..quick() };
    let on = |threads: usize, plan: &ClassifySettings| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let outcomes = pool.install(|| tune(plan));
        outcomes.into_iter().map(|outcome| (outcome.accuracy, outcome.settings)).collect::<Vec<_>>()
    };
    assert_eq!(on(1, &plan), on(3, &plan));
    assert_ne!(on(2, &plan), on(2, &ClassifySettings { seed: 1, ..plan.clone() }));
}

#[test]
fn fewer_points_than_folds_and_a_stop() {
    let points = Matrix::new(&[0.0, 0.1, 1.0, 1.1], 1).unwrap();
    let data = Data::new(&points, &[0, 0, 1, 1]).unwrap();
    let outcomes = classify(data, &quick(), Control::new(&Stop::new())).unwrap();
    assert_eq!(outcomes.len(), 8);
    assert!(outcomes.iter().all(|outcome| (0.0..=1.0).contains(&outcome.accuracy)));
    let stop = Stop::new();
    stop.raise();
    assert_eq!(classify(data, &quick(), Control::new(&stop)), Err(Stopped));
}

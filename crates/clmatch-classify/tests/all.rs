//! What holds for every classifier: it learns what can be learnt, its results are reproducible, it copes with odd data,
//! and it stops.
#![allow(clippy::unwrap_used, missing_docs)]

use clmatch_classify::{
    Activation, BoostedTrees, Classifier, Columns, Criterion, Data, Distances, Folds, Kernel,
    LinearDiscriminant, LogisticRegression, Matrix, NaiveBayes, NearestNeighbours, Penalty, Perceptron,
    RandomForest, Split, Stop, Stopped, Svm, cross_validate,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn all() -> Vec<(&'static str, Box<dyn Classifier>)> {
    let perceptron =
        Perceptron { units: 16, learning_rate: 0.01, activation: Activation::Tanh, ..Perceptron::default() };
    let forest = RandomForest { trees: 20, criterion: Criterion::Entropy, ..RandomForest::default() };
    let boosted = BoostedTrees { rounds: 20, rows: 0.8, columns: 0.8, ..BoostedTrees::default() };
    let net = LogisticRegression {
        penalty: Penalty::ElasticNet { share: 0.5 },
        cost: 10.0,
        ..LogisticRegression::default()
    };
    vec![
        ("svm", Box::new(Svm { cost: 4.0, gamma: 1.0 })),
        ("knn", Box::new(NearestNeighbours { neighbours: 3 })),
        ("mlp", Box::new(perceptron)),
        ("nb", Box::new(NaiveBayes::default())),
        ("rf", Box::new(forest)),
        ("lr", Box::new(net)),
        ("lda", Box::new(LinearDiscriminant)),
        ("xgb", Box::new(boosted)),
    ]
}

struct Cloud {
    points: Matrix<'static>,
    classes: Vec<u32>,
}

impl Cloud {
    fn data(&self) -> Data<'_> {
        Data::new(&self.points, &self.classes).unwrap()
    }
}

/// Classes around the corners of a triangle, with an additional constant feature.
fn cloud(classes: u32, each: usize, spread: f64) -> Cloud {
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(classes));
    let (mut values, mut codes) = (Vec::new(), Vec::new());
    for point in 0..each * classes as usize {
        let class = point as u32 % classes;
        let centre = [f64::from(class % 2) * 2.0, f64::from(class / 2) * 2.0];
        let noise = |random: &mut ChaCha8Rng| random.random_range(-spread..spread);
        values.extend(centre.map(|centre| centre + noise(&mut random)));
        values.push(5.0);
        codes.push(class);
    }
    Cloud { points: Matrix::new(values, 3).unwrap(), classes: codes }
}

#[test]
fn separate_classes_are_learnt() {
    for classes in [2, 3] {
        let cloud = cloud(classes, 30, 0.5);
        let splits = Folds::stratified(&cloud.classes, 5, 1).splits(cloud.data());
        for (name, classifier) in all() {
            let accuracy = cross_validate(classifier.as_ref(), &splits, &Stop::new()).unwrap();
            assert!(accuracy > 0.97, "{name}, {classes} classes: {accuracy}");
        }
    }
}

#[test]
fn features_that_are_constant_within_classes_do_no_harm() {
    let plain = cloud(3, 30, 0.5);
    // The means of tenths round.
    let more = |(row, class): (&[f64], &u32)| [row, &[if *class == 0 { 0.7 } else { 0.1 }]].concat();
    let values: Vec<f64> = plain.points.rows().zip(&plain.classes).flat_map(more).collect();
    let points = Matrix::new(&values, 4).unwrap();
    let data = Data::new(&points, &plain.classes).unwrap();
    let splits = Folds::stratified(&plain.classes, 5, 1).splits(data);
    for (name, classifier) in all() {
        let accuracy = cross_validate(classifier.as_ref(), &splits, &Stop::new()).unwrap();
        assert!(accuracy > 0.97, "{name}: {accuracy}");
    }
}

#[test]
fn the_same_seed_predicts_the_same() {
    let cloud = cloud(3, 20, 2.0);
    let split = &Folds::stratified(&cloud.classes, 3, 1).splits(cloud.data())[0];
    for ((name, first), (_, second)) in all().iter().zip(&all()) {
        let predict = |classifier: &dyn Classifier| classifier.predict(split, &Stop::new()).unwrap();
        assert_eq!(predict(first.as_ref()), predict(second.as_ref()), "{name}");
    }
    let forest = |seed| RandomForest { trees: 3, seed, ..RandomForest::default() };
    let predict = |seed| forest(seed).predict(split, &Stop::new()).unwrap();
    assert!((1..9).any(|seed| predict(seed) != predict(0)), "the seed has no effect");
}

#[test]
fn tiny_classes_and_points_are_borne() {
    // A class of one point, training rows of one class, one training row, equal points.
    let values = [0.0, 0.0, 5.0, 0.1, 0.0, 5.0, 2.0, 2.0, 5.0, 2.0, 2.0, 5.0, 2.0, 2.0, 5.0];
    let points = Matrix::new(&values, 3).unwrap();
    let data = Data::new(&points, &[0, 0, 1, 1, 4]).unwrap();
    let cases: [(Vec<usize>, Vec<usize>); 5] = [
        (vec![0, 1, 2, 3], vec![4]),
        (vec![0, 1], vec![2, 3]),
        (vec![4], vec![0]),
        (vec![2, 3, 4], vec![0, 1]),
        (vec![0, 2, 4], vec![]),
    ];
    for (train, test) in cases {
        let split = Split::new(data, train, test);
        for (name, classifier) in all() {
            let predicted = classifier.predict(&split, &Stop::new()).unwrap();
            assert_eq!(predicted.len(), split.test().len(), "{name}");
            assert!(predicted.iter().all(|&class| (class as usize) < split.classes()), "{name}");
        }
    }
}

#[test]
fn a_raised_flag_stops_everything() {
    let cloud = cloud(3, 10, 1.0);
    let split = &Folds::stratified(&cloud.classes, 5, 1).splits(cloud.data())[0];
    let stop = Stop::new();
    stop.raise();
    for (name, classifier) in all() {
        assert_eq!(classifier.predict(split, &stop), Err(Stopped), "{name}");
    }
}

#[test]
fn what_is_shared_answers_the_same() {
    let cloud = cloud(3, 25, 1.6);
    let stop = Stop::new();
    let distances = Distances::new(cloud.data(), &stop).unwrap();
    let columns = Columns::new(cloud.data());
    for split in &Folds::stratified(&cloud.classes, 5, 1).splits(cloud.data()) {
        let alone = |classifier: &dyn Classifier| split.hits(&classifier.predict(split, &stop).unwrap());
        let svm = Svm { cost: 2.0, gamma: 0.7 };
        let kernel = Kernel::new(&distances, svm.gamma, &stop).unwrap();
        assert_eq!(split.hits(&svm.predict_with(split, &kernel, &stop).unwrap()), alone(&svm));

        let forest = RandomForest { trees: 12, ..RandomForest::default() };
        let hits = forest.hits_up_to(split, &columns, &stop).unwrap();
        let boosted = BoostedTrees { rounds: 12, rows: 0.7, columns: 0.7, ..BoostedTrees::default() };
        let boosted_hits = boosted.hits_up_to(split, &columns, &stop).unwrap();
        let neighbours = NearestNeighbours { neighbours: 12 }.hits_up_to(split, &distances, &stop).unwrap();
        for number in [1, 5, 12] {
            assert_eq!(hits[number - 1], alone(&RandomForest { trees: number, ..forest }));
            assert_eq!(boosted_hits[number - 1], alone(&BoostedTrees { rounds: number, ..boosted }));
            assert_eq!(neighbours[number - 1], alone(&NearestNeighbours { neighbours: number }));
        }
    }
}

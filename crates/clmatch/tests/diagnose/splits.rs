//! Classes of several clusters are found, and single clusters of any shape are left alone.

use clmatch::Control;
use clmatch::diagnose::explain;

use crate::planted::{Found, Planted, SHAPES, Shape, Source};

/// A dataset of classes of any shape. About a third of the classes consist of two or three round parts that are `apart`
/// deviations from each other.
fn dataset(seed: u64, apart: f64) -> (Planted, Vec<usize>) {
    let mut source = Source::new(seed);
    let features = source.one_of(&[2, 3, 5, 10, 20, 50]);
    let count = source.integer(3, 20);
    let balanced = source.integer(0, 1) == 0;
    let usual = source.integer(120, 300);
    let spacing = source.between(30.0, 60.0);
    let centres = source.centres(count, features, spacing);
    let mut planted = Planted::default();
    let mut parts_of = Vec::new();
    for (class, centre) in centres.iter().enumerate() {
        let size = if balanced { usual } else { (usual as f64 * source.between(0.5, 2.0)) as usize };
        let parts = if source.integer(0, 2) == 0 { source.integer(2, 3) } else { 1 };
        parts_of.push(parts);
        if parts == 1 {
            let shape = source.one_of(&SHAPES);
            let points = source.cluster(shape, size, features);
            planted.add(class, centre, points);
            continue;
        }
        // Parts are at least a tenth of the class, and at least 24 points.
        let shares: Vec<f64> = (0..parts).map(|_| source.between(0.2, 1.0)).collect();
        let total: f64 = shares.iter().sum();
        let part_size = |share: &f64| ((size as f64 * share / total) as usize).max(24);
        let direction = source.direction(features);
        for (part, share) in shares.iter().enumerate() {
            let away = apart * (part as f64 - (parts - 1) as f64 / 2.0);
            let place: Vec<f64> = centre.iter().zip(&direction).map(|(c, e)| c + away * e).collect();
            let points = source.cluster(Shape::Gaussian, part_size(share), features);
            planted.add(class, &place, points);
        }
    }
    (planted, parts_of)
}

#[test]
fn split_classes_are_found_and_no_others() {
    for (apart, recall) in [(7.0, 0.95), (9.0, 0.95)] {
        let mut found = Found::default();
        let mut exact = 0;
        for seed in 0..30 {
            let (planted, truth) = dataset(seed, apart);
            let diagnosis = planted.diagnosis();
            for (class, parts) in diagnosis.classes.iter().enumerate() {
                found.count(truth[class] > 1, parts.parts.len() > 1);
                exact += usize::from(truth[class] > 1 && parts.parts.len() == truth[class]);
                if (truth[class] > 1) != (parts.parts.len() > 1) {
                    let features = planted.rows[0].len();
                    println!(
                        "{seed}: {features} features, class {class}: {} {:?}",
                        truth[class], parts.parts
                    );
                }
            }
        }
        println!(
            "{apart}: {found:?}: precision {:.3}, recall {:.3}, as many parts {exact}",
            found.precision(),
            found.recall()
        );
        assert!(found.precision() >= 0.95 && found.recall() >= recall, "{apart}: {found:?}");
    }
}

#[test]
fn single_clusters_of_any_shape_are_left_alone() {
    for shape in SHAPES {
        let (mut alarms, mut clusters) = (0, 0);
        for features in [2, 10, 50] {
            for size in [60, 150, 400] {
                let mut here = 0;
                for seed in 0..12 {
                    let mut source = Source::new(seed);
                    let mut planted = Planted::default();
                    for (class, centre) in source.centres(3, features, 40.0).iter().enumerate() {
                        let points = source.cluster(shape, size, features);
                        planted.add(class, centre, points);
                    }
                    let diagnosis = planted.diagnosis();
                    here += diagnosis.classes.iter().filter(|class| class.parts.len() > 1).count();
                    clusters += 3;
                }
                if here > 0 {
                    println!("{shape:?} {features} features {size} points: {here}");
                }
                alarms += here;
            }
        }
        let share = f64::from(alarms as u32) / f64::from(clusters);
        println!("{shape:?}: {alarms} of {clusters} ({share:.3})");
        assert!(share < 0.05, "{shape:?}: {alarms} of {clusters}");
    }
}

/// Two normal clusters, rounded to integers, and answers on a scale from 1 to 5.
#[test]
fn rounded_values_are_no_clusters() {
    for features in [1, 2, 3] {
        for deviation in [0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 20.0] {
            for seed in 0..4 {
                let mut source = Source::new(seed);
                let mut planted = Planted::default();
                for class in 0..2 {
                    let centre = vec![(50.0 * deviation * class as f64).round(); features];
                    let mut points = source.cluster(Shape::Gaussian, 300, features);
                    points.iter_mut().flatten().for_each(|x| *x = (*x * deviation).round());
                    planted.add(class, &centre, points);
                }
                let found = planted.diagnosis();
                let parts: Vec<usize> = found.classes.iter().map(|class| class.parts.len()).collect();
                assert_eq!(parts, [1, 1], "{features} features, deviation {deviation}, seed {seed}");
            }
        }
    }
    for seed in 0..8 {
        let mut source = Source::new(seed);
        let mut planted = Planted::default();
        for class in 0..2 {
            let mut points = source.cluster(Shape::Gaussian, 300, 2);
            points.iter_mut().flatten().for_each(|x| *x = (3.0 + *x).round().clamp(1.0, 5.0));
            planted.add(class, &[20.0 * class as f64; 2], points);
        }
        assert!(planted.diagnosis().classes.iter().all(|class| class.parts.len() == 1), "{seed}");
    }
}

/// Clusters of integers are still found.
#[test]
fn clusters_of_rounded_values_are_found() {
    for deviation in [1.0, 2.0, 5.0] {
        let mut source = Source::new(5);
        let mut planted = Planted::default();
        for (class, place) in [(0, 0.0), (0, 9.0), (1, 60.0)] {
            let mut points = source.cluster(Shape::Gaussian, 100, 2);
            points.iter_mut().flatten().for_each(|x| *x = (*x * deviation).round());
            planted.add(class, &[(place * deviation).round(), 0.0], points);
        }
        let found = planted.diagnosis();
        let parts: Vec<usize> = found.classes.iter().map(|class| class.parts.len()).collect();
        assert_eq!(parts, [2, 1], "{deviation}");
    }
}

/// The smallest parts allowed, 10 deviations away from the rest of classes of all sizes.
#[test]
fn the_smallest_parts_are_found_whatever_the_size_of_the_class() {
    for size in [60, 80, 100, 120, 200, 230, 260, 300, 360] {
        for seed in 0..5 {
            let mut source = Source::new(100 + seed);
            let mut planted = Planted::default();
            for (class, centre, size) in [(0, [0.0, 0.0], size), (0, [10.0, 0.0], 20), (1, [0.0, 30.0], 150)]
            {
                let points = source.cluster(Shape::Gaussian, size, 2);
                planted.add(class, &centre, points);
            }
            let found = planted.with_classes(|classes| explain(classes, 0, Control::none()).unwrap());
            let parts: Vec<usize> = found.diagnosis.classes[0].parts.iter().map(|part| part.size).collect();
            assert_eq!(parts, [size, 20], "{size} and 20, seed {seed}");
        }
    }
}

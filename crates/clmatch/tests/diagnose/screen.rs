//! The quick check of every class: parts with a gap between them are found; single clusters and wrong labels are left alone.

use clmatch::Control;
use clmatch::diagnose::{SplitClass, split_classes};

use crate::planted::{Planted, SHAPES, Shape, Source};

fn looked_at(planted: &Planted) -> Vec<SplitClass> {
    planted.with_classes(|classes| split_classes(classes, 0, Control::none()).unwrap())
}

/// Three classes far apart; the first may have a second part, with an empty gap of five deviations in between.
fn dataset(source: &mut Source, shape: Shape, points: usize, features: usize, share: f64) -> Planted {
    let mut planted = Planted::default();
    let small = (share * points as f64).round() as usize;
    let [one, mut other] = [points - small, small].map(|size| source.cluster(shape, size, features));
    let along = source.direction(features);
    let place = |point: &Vec<f64>| point.iter().zip(&along).map(|(x, e)| x * e).sum::<f64>();
    let end = one.iter().map(place).fold(f64::NEG_INFINITY, f64::max);
    let start = other.iter().map(place).fold(f64::INFINITY, f64::min);
    let mean = |feature: usize| one.iter().map(|x| x[feature]).sum::<f64>() / one.len() as f64;
    let square = |feature: usize| {
        one.iter().map(|x| (x[feature] - mean(feature)).powi(2)).sum::<f64>() / one.len() as f64
    };
    let deviation = ((0..features).map(square).sum::<f64>() / features as f64).sqrt();
    for point in &mut other {
        point.iter_mut().zip(&along).for_each(|(x, e)| *x += (end - start + 5.0 * deviation) * e);
    }
    let middle = vec![0.0; features];
    planted.add(0, &middle, one);
    planted.add(0, &middle, other);
    for class in 1..3 {
        let far: Vec<f64> = source.direction(features).iter().map(|e| 1000.0 * class as f64 * e).collect();
        let points = source.cluster(shape, points, features);
        planted.add(class, &far, points);
    }
    planted
}

#[test]
fn parts_with_a_gap_between_them_are_found_from_40_points_on() {
    let (mut found, mut all, mut unsure) = (0, 0, 0);
    for points in [40, 60, 120, 240, 600] {
        for shape in SHAPES {
            for features in [2, 5, 20] {
                for share in [0.1, 0.25, 0.5] {
                    let mut source = Source::new((points + features) as u64);
                    let splits = looked_at(&dataset(&mut source, shape, points, features, share));
                    let split = splits.iter().find(|split| split.class == 0);
                    all += 1;
                    found += usize::from(split.is_some());
                    // Parts of 20 points and more are certain.
                    let large = share * points as f64 >= 20.0;
                    unsure += usize::from(large && !split.is_some_and(|split| split.certain));
                }
            }
        }
    }
    assert!(found * 100 >= 97 * all, "{found} of {all}");
    assert!(unsure <= 2, "{unsure}");
}

#[test]
fn single_clusters_are_left_alone() {
    let (mut wrong, mut certain, mut all) = (0, 0, 0);
    for points in [60, 120, 240, 600] {
        for shape in SHAPES {
            for features in [2, 5, 20] {
                for seed in 0..3 {
                    let mut source = Source::new(seed);
                    let splits = looked_at(&dataset(&mut source, shape, points, features, 0.0));
                    all += 3;
                    wrong += splits.len();
                    certain += splits.iter().filter(|split| split.certain).count();
                }
            }
        }
    }
    assert!(wrong * 100 <= 5 * all && certain * 100 <= all, "{wrong} and {certain} of {all}");
}

/// A tenth of the first class lies amid the second: these labels are wrong, and the class is one cluster.
#[test]
fn wrong_labels_are_no_part() {
    for seed in 0..10 {
        let mut planted = dataset(&mut Source::new(seed), Shape::Gaussian, 200, 3, 0.0);
        planted.labels[200..220].fill(0);
        assert_eq!(looked_at(&planted), [], "{seed}");
    }
}

#[test]
fn a_sample_of_a_large_class_tells() {
    let planted = dataset(&mut Source::new(1), Shape::Gaussian, 5000, 4, 0.3);
    let splits = looked_at(&planted);
    assert_eq!((splits.len(), splits[0].class, splits[0].certain), (1, 0, true));
    assert!((splits[0].shares[1] - 0.3).abs() < 0.1, "{splits:?}");
}

/// Neighbours of parts are searched for among all examined points up to 20,000, and among every second one beyond that.
#[test]
fn parts_are_told_from_wrong_labels_on_either_side_of_20000_points() {
    for classes in [50, 51] {
        let (mut source, mut planted) = (Source::new(classes as u64), Planted::default());
        let mut add = |class: usize, points: usize, centre: [f64; 2]| {
            planted.add(class, &centre, source.cluster(Shape::Gaussian, points, 2));
        };
        // Half of class 0 lies far away, and 100 points of class 1 lie amid class 2.
        add(0, 200, [0.0, 100.0]);
        add(1, 100, [200.0, 0.0]);
        for class in 0..classes {
            let away = [200, 100, 0].get(class).copied().unwrap_or(0);
            add(class, 400 - away, [100.0 * class as f64, 0.0]);
        }
        let splits = looked_at(&planted);
        assert_eq!((splits.len(), splits[0].class, splits[0].certain), (1, 0, true), "{classes}");
        assert_eq!(splits[0].shares, [0.5, 0.5]);
    }
}

//! Laws that every measure of the registry obeys.

use clmatch::measure::{self, REGISTRY, Scope};
use clmatch::{Classes, DataError, Evaluation, Labels, Points, evaluate, evaluate_points};
use proptest::prelude::*;
use rand::seq::SliceRandom;

use crate::datasets::{Dataset, cases, integer, random, relative};
use crate::twins_agree::mixed;

/// Allows for sums in another order.
const REORDERED: f64 = 1e-9;
/// Allows for the path to the geometric median, which depends on rounding.
const MEDIAN: f64 = 1e-8;
/// Computed alone, a measure may take a cheaper route: other sums, equal up to rounding.
const ROUTE: f64 = 1e-10;
/// Distances of single-precision input are multiplied in single precision.
const SINGLE: f64 = 2e-6;
/// Centroids that nearly coincide a million from the origin have six digits left in double precision.
const FAR: f64 = 1e-6;
/// How far rounding may carry a bounded score past the end of its range.
const END: f64 = 1e-12;

fn assert_same(context: &str, a: &Evaluation, b: &Evaluation) {
    assert_as_good(context, a, b, REORDERED);
}

fn assert_as_good(context: &str, a: &Evaluation, b: &Evaluation, tolerance: f64) {
    assert_eq!(a.scores.len(), b.scores.len());
    for ((id, x), (other, y)) in a.scores.iter().zip(&b.scores) {
        assert_eq!(id, other);
        let tolerance = if *id == "di_a" { tolerance.max(MEDIAN) } else { tolerance };
        let error = relative(x.value, y.value).min((x.value - y.value).abs());
        assert!(error <= tolerance, "{context}: {id} {} is not {}", x.value, y.value);
    }
}

fn bits(evaluation: &Evaluation) -> Vec<(&'static str, u64, Vec<u64>)> {
    let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
    evaluation.scores.iter().map(|(id, s)| (*id, s.value.to_bits(), bits(&s.pairs))).collect()
}

fn with_labels(dataset: &Dataset, labels: &Labels) -> Evaluation {
    let points = Points::from_rows(&dataset.rows).unwrap();
    evaluate(&Classes::new(points, labels).unwrap(), REGISTRY).unwrap()
}

/// Coordinates with few digits, and so many ties between distances, which would reveal an influence of the order of rows.
fn gridded(seed: u64) -> Dataset {
    mixed(seed).map(f64::round)
}

/// Scores of numbers in single precision equal those of the same numbers in double precision.
fn assert_single_precision(dataset: &Dataset, tolerance: f64) {
    let single: Vec<f32> = dataset.rows.iter().flatten().map(|&x| x as f32).collect();
    let double: Vec<f64> = single.iter().map(|&x| f64::from(x)).collect();
    let labels = Labels::encode(&dataset.labels);
    let of_single = Classes::new(Points::new(&single, dataset.features()).unwrap(), &labels).unwrap();
    let of_double = Classes::new(Points::new(&double, dataset.features()).unwrap(), &labels).unwrap();
    let (a, b) = (evaluate(&of_single, REGISTRY).unwrap(), evaluate(&of_double, REGISTRY).unwrap());
    assert_as_good("f32", &a, &b, tolerance);
    let sums = ["sc", "sc_a", "di", "di_a"].map(|id| measure::find(id).unwrap());
    for (id, score) in &evaluate(&of_single, &sums).unwrap().scores {
        let value = b.value(id).unwrap();
        let error = relative(score.value, value).min((score.value - value).abs());
        assert!(error <= SINGLE, "{id} is off by {error:e} in single precision");
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn order_of_rows_does_not_matter(seed in any::<u64>()) {
        for dataset in [mixed(seed), gridded(seed)] {
            let mut order: Vec<usize> = (0..dataset.len()).collect();
            order.shuffle(&mut random(seed ^ 1));
            assert_same("rows", &dataset.evaluate_all(), &dataset.in_order(&order).evaluate_all());
        }
    }

    #[test]
    fn names_and_order_of_classes_do_not_matter(seed in any::<u64>()) {
        for dataset in [mixed(seed), gridded(seed)] {
            let mut names: Vec<usize> = (0..dataset.count()).collect();
            names.shuffle(&mut random(seed ^ 2));
            let renamed = dataset.labels.iter().map(|&label| names[label]).collect();
            assert_same("classes", &dataset.evaluate_all(), &dataset.relabelled(renamed).evaluate_all());
        }
    }

    #[test]
    fn single_precision_input_is_as_good_as_its_numbers(seed in any::<u64>()) {
        let plain = mixed(seed);
        // Far from 0; classes far from each other; one point far from all others.
        let mut shifted = plain.clone();
        shifted.rows.iter_mut().flatten().for_each(|x| *x += 1e6);
        let mut apart = plain.clone();
        for (row, &label) in apart.rows.iter_mut().zip(&plain.labels) {
            row.iter_mut().for_each(|x| *x += if label % 2 == 0 { 1e6 } else { -1e6 });
        }
        let mut outlier = plain.clone();
        outlier.rows[0].fill(1e6);
        assert_single_precision(&plain, REORDERED);
        assert_single_precision(&shifted, REORDERED);
        assert_single_precision(&apart, FAR);
        assert_single_precision(&outlier, FAR);
    }

    #[test]
    fn values_keep_to_their_range(seed in any::<u64>()) {
        for dataset in [mixed(seed), gridded(seed), mixed(seed).shuffled_labels(seed)] {
            let evaluation = dataset.evaluate_all();
            for (measure, (id, score)) in REGISTRY.iter().zip(&evaluation.scores) {
                let (low, high) = measure.range;
                for value in score.pairs.iter().chain([&score.value]) {
                    prop_assert!(*value >= low - END && *value <= high + END, "{id} {value}");
                }
            }
        }
    }

    #[test]
    fn pairs_are_scored_as_if_they_were_alone(seed in any::<u64>()) {
        let dataset = mixed(seed);
        let evaluation = dataset.evaluate_all();
        let count = dataset.count();
        for (measure, (id, score)) in REGISTRY.iter().zip(&evaluation.scores) {
            if measure.scope() == Scope::Dataset {
                prop_assert!(score.pairs.is_empty());
                continue;
            }
            prop_assert_eq!(score.pairs.len(), count * (count - 1) / 2);
            let mean = score.pairs.iter().sum::<f64>() / score.pairs.len() as f64;
            // Half of `clm` is computed on all classes at once.
            prop_assert!(*id == "clm" || (score.value - mean).abs() < 1e-15, "{id}");
        }
        let mut pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
        for at in 0..count * (count - 1) / 2 {
            let (i, j) = pairs.next().unwrap();
            let alone = dataset.pair(i, j).evaluate_all();
            for (id, score) in &evaluation.scores {
                if let Some(value) = score.pairs.get(at) {
                    let alone = alone.value(if *id == "clm" { "clm_pairs" } else { id }).unwrap();
                    let tolerance = if *id == "di_a" { MEDIAN } else { REORDERED };
                    prop_assert!((value - alone).abs() < tolerance, "{id}: {value} is not {alone}");
                }
            }
        }
    }
}

#[test]
fn a_unit_of_length_is_a_division_of_all_coordinates() {
    let dataset = mixed(11);
    let labels = Labels::encode(&dataset.labels);
    let values: Vec<f64> = dataset.rows.iter().flatten().copied().collect();
    let divided: Vec<f64> = values.iter().map(|value| value / 512.0).collect();
    let points = Points::new(&values, dataset.features()).unwrap().with_unit(512.0).unwrap();
    let by_unit = evaluate(&Classes::new(points, &labels).unwrap(), REGISTRY).unwrap();
    let points = Points::new(&divided, dataset.features()).unwrap();
    assert_same("unit", &by_unit, &evaluate(&Classes::new(points, &labels).unwrap(), REGISTRY).unwrap());
    let plain = dataset.evaluate_all();
    assert!(by_unit.value("ii").unwrap() < plain.value("ii").unwrap() / 1e5, "ii has a dimension");
    for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let points = Points::new(&values, dataset.features()).unwrap();
        assert!(matches!(points.with_unit(unit), Err(DataError::Unit { .. })), "{unit}");
    }
}

#[test]
fn a_centroid_beside_a_point_does_not_depend_on_the_order() {
    // On a grid, centroids fall on points up to rounding, and the path to the geometric median starts there.
    for seed in 0..400 {
        let dataset = gridded(seed);
        let mut order: Vec<usize> = (0..dataset.len()).collect();
        order.shuffle(&mut random(seed));
        assert_same("grid", &dataset.evaluate_all(), &dataset.in_order(&order).evaluate_all());
    }
}

#[test]
fn labels_may_be_text_integers_or_booleans() {
    let dataset = Dataset::blobs(5, &[7, 9], 3, 1.5);
    let expected = dataset.evaluate_all();
    let first: Vec<bool> = dataset.labels.iter().map(|&label| label == 0).collect();
    let codings: [(&str, Labels); 6] = [
        ("booleans", Labels::encode(first.iter().copied())),
        ("text", Labels::encode(first.iter().map(|&f| if f { "zebra" } else { "ape" }))),
        (
            "numbers that sort differently as text",
            Labels::encode(first.iter().map(|&f| if f { 9 } else { 10 })),
        ),
        ("negative numbers", Labels::encode(first.iter().map(|&f| if f { -1_i64 } else { i64::MIN }))),
        ("letters", Labels::encode(first.iter().map(|&f| if f { 'ü' } else { 'a' }))),
        ("owned text", Labels::encode(first.iter().map(|&f| if f { String::new() } else { " ".to_owned() }))),
    ];
    for (kind, labels) in &codings {
        assert_same(kind, &expected, &with_labels(&dataset, labels));
    }
}

#[test]
fn names_of_five_classes_do_not_matter() {
    let dataset = Dataset::blobs(6, &[5, 6, 7, 8, 9], 3, 1.5);
    let expected = dataset.evaluate_all();
    for names in [["10", "9", "1", "-3", "2"], ["10", "9", "1", "-3", "b"], ["e", "D", "c", "B", "a"]] {
        let labels = Labels::encode(dataset.labels.iter().map(|&label| names[label]));
        assert_same(&format!("{names:?}"), &expected, &with_labels(&dataset, &labels));
    }
}

#[test]
fn integer_points_are_the_same_numbers() {
    let dataset = gridded(77);
    let integers: Vec<i32> = dataset.rows.iter().flatten().map(|&x| x as i32).collect();
    let points = Points::new(&integers[..], dataset.features()).unwrap();
    let classes = Classes::new(points, &Labels::encode(&dataset.labels)).unwrap();
    assert_eq!(bits(&evaluate(&classes, REGISTRY).unwrap()), bits(&dataset.evaluate_all()));
}

#[test]
fn inputs_are_left_alone() {
    let dataset = mixed(8);
    let flat: Vec<f64> = dataset.rows.concat();
    let (before, labels) = (flat.clone(), Labels::encode(&dataset.labels));
    let untouched = labels.clone();
    let classes = Classes::new(Points::new(&flat, dataset.features()).unwrap(), &labels).unwrap();
    evaluate_points(&classes, REGISTRY).unwrap();
    assert_eq!(flat, before);
    assert_eq!(labels, untouched);
}

#[test]
fn a_second_evaluation_is_the_same_bit_for_bit() {
    let dataset = Dataset::blobs(9, &[120, 80, 60], 7, 2.0);
    assert_eq!(bits(&dataset.evaluate_all()), bits(&dataset.evaluate_all()));
}

#[test]
fn threads_do_not_change_a_bit() {
    // Large enough that the kernels split the work.
    for dataset in [Dataset::blobs(10, &[500, 400, 300, 5], 6, 2.0), Dataset::blobs(11, &[3, 2], 2, 1.0)] {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| dataset.with_classes(|classes| evaluate_points(classes, REGISTRY).unwrap()))
        };
        let one = on(1);
        for threads in [2, 3, 8] {
            let many = on(threads);
            assert_eq!(bits(&one), bits(&many), "{threads} threads");
            assert_eq!(one.points, many.points, "{threads} threads");
        }
    }
}

#[test]
fn asking_for_one_measure_equals_asking_for_all() {
    for seed in 0..10 {
        let dataset = mixed(seed);
        let all = dataset.evaluate_all();
        for (measure, (id, expected)) in REGISTRY.iter().zip(&all.scores) {
            let alone = &dataset.evaluate(&[measure]).scores[0].1;
            let values =
                alone.pairs.iter().chain([&alone.value]).zip(expected.pairs.iter().chain([&expected.value]));
            for (a, b) in values {
                assert!(relative(*a, *b).min((a - b).abs()) <= ROUTE, "{id}: {a} {b}");
            }
        }
        let mut backwards = REGISTRY.to_vec();
        backwards.reverse();
        let mut found = bits(&dataset.evaluate(&backwards));
        found.reverse();
        assert_eq!(found, bits(&dataset.evaluate_all()));
    }
}

#[test]
fn aliases_find_the_same_measure() {
    let mut aliases = 0;
    for measure in REGISTRY {
        assert!(std::ptr::eq(measure::find(measure.id).unwrap(), *measure));
        for alias in measure.aliases {
            aliases += 1;
            assert!(std::ptr::eq(measure::find(alias).unwrap(), *measure));
        }
    }
    assert!(aliases > 0);
    assert_eq!(measure::find("ii_a").unwrap().id, "xb_a");
}

#[test]
fn the_good_end_of_the_range_is_where_classes_are_apart() {
    for seed in 0..5 {
        let mut random = random(seed);
        let sizes = [integer(&mut random, 20, 40), integer(&mut random, 20, 40), 30];
        let near = Dataset::blobs(seed, &sizes, 4, 0.5).evaluate_all();
        let far = Dataset::blobs(seed, &sizes, 4, 30.0).evaluate_all();
        for measure in REGISTRY {
            let (near, far) = (near.value(measure.id).unwrap(), far.value(measure.id).unwrap());
            assert!(measure.prefers(far, near), "{}: {far} after {near}", measure.id);
        }
    }
}

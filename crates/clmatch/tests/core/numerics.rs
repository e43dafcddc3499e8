//! Far offsets, extreme scales and huge exponents do not affect the scores, and nothing overflows.

use clmatch::internals::mean_distance_to_median;
use clmatch::measure::{Axiom, Kind, Measure, REGISTRY, Verdict};

use clmatch::{Classes, Labels, Points, evaluate};

use crate::datasets::{Dataset, measures, normal, random, relative};
use crate::twins::twin;
use crate::twins_agree::mixed;

/// The error that DESIGN.md promises for adjusted scores.
const PROMISED: f64 = 1e-9;
/// Powers of two change no digits.
const EXACT: f64 = 0.0;

/// Absolute if a measure has a range, relative if it has none.
fn error(measure: &Measure, a: f64, b: f64) -> f64 {
    if measure.range.1.is_finite() { (a - b).abs() } else { relative(a, b) }
}

fn assert_scores_close(context: &str, a: &Dataset, b: &Dataset, tolerance: f64) {
    let (a, b) = (a.evaluate_all(), b.evaluate_all());
    for measure in REGISTRY {
        if measure.axioms.verdict(Axiom::W1) != Verdict::Holds {
            continue;
        }
        let (x, y) = (a.value(measure.id).unwrap(), b.value(measure.id).unwrap());
        assert!(error(measure, x, y) <= tolerance, "{context}: {} {x} is not {y}", measure.id);
    }
}

#[test]
fn a_shift_by_1e8_costs_no_more_than_the_rounding_of_the_input() {
    for seed in 0..20 {
        let dataset = mixed(seed);
        for offset in [1e8, -1e8, 1e12] {
            let shifted = dataset.map(|x| x + offset);
            // The subtraction is exact: these are the numbers in the shifted input.
            let rounded = shifted.map(|x| x - offset);
            assert_scores_close(&format!("offset {offset}"), &rounded, &shifted, PROMISED);
        }
    }
}

#[test]
fn one_far_feature_does_not_blind_the_others() {
    let dataset = Dataset::blobs(3, &[40, 50], 3, 2.0);
    let mut far = dataset.clone();
    far.rows.iter_mut().for_each(|row| row[1] += 1e8);
    let mut rounded = far.clone();
    rounded.rows.iter_mut().for_each(|row| row[1] -= 1e8);
    assert_scores_close("one feature", &rounded, &far, PROMISED);
}

/// Three classes, with one point of the first far away.
fn with_one_point_far_away(features: usize, far: f64) -> Dataset {
    let mut dataset = Dataset::blobs(11, &[30, 40, 50], features, 2.0);
    dataset.rows[3][0] = far;
    dataset
}

/// Points with few features are compared by differences, those with many by products.
const FEW_AND_MANY: [usize; 2] = [3, 20];

#[test]
fn one_point_far_away_does_not_blind_the_others() {
    for (features, far) in FEW_AND_MANY.iter().flat_map(|&f| [1e6, 1e9, 1e12, 1e15, 1e30].map(|far| (f, far)))
    {
        let dataset = with_one_point_far_away(features, far);
        let evaluation = dataset.evaluate_all();
        for measure in REGISTRY {
            let id = measure.id;
            // Both iterate for the geometric median, and stop at different places.
            let tolerance = if id == "di_a" { 1e-7 } else { PROMISED };
            let close = |found: f64, expected: f64| error(measure, found, expected) < tolerance;
            let score = evaluation.score(id).unwrap();
            // Compared with the far point, all neighbours of `clm` are at one place: its twin knows no ties.
            if !["clm", "clm_pairs"].contains(&id) {
                let expected = twin(id, &dataset);
                assert!(close(score.value, expected), "{far:e}: {id} {} is not {expected}", score.value);
            }
            if let [_, _, found] = score.pairs[..] {
                // The half of `clm` on pairs is `clm_pairs`.
                let expected = twin(if id == "clm" { "clm_pairs" } else { id }, &dataset.pair(1, 2));
                assert!(close(found, expected), "{far:e}: {id} {found} of the others is not {expected}");
            }
        }
    }
}

#[test]
fn one_point_far_away_and_a_shift_of_all_points_do_not_add_up() {
    // Multiples of this, so that the shift is exact; the far point is an integer below 2^53.
    let grain = 2.0_f64.powi(-20);
    for (features, offset) in FEW_AND_MANY.iter().flat_map(|&f| [1e3, 1e5, 1e8].map(|offset| (f, offset))) {
        let dataset = with_one_point_far_away(features, 1e15).map(|x| (x / grain).round() * grain);
        let shifted = dataset.map(|x| x + offset);
        assert!(shifted.map(|x| x - offset) == dataset);
        assert_scores_close(&format!("offset {offset}"), &dataset, &shifted, PROMISED);
        let pairs = |dataset: &Dataset, id: &str| dataset.evaluate_all().score(id).unwrap().pairs.clone();
        for measure in measures(|m| m.kind != Kind::Standard) {
            let (plain, shifted) = (pairs(&dataset, measure.id), pairs(&shifted, measure.id));
            let close = plain.iter().zip(&shifted).all(|(a, b)| (a - b).abs() < PROMISED);
            assert!(close, "offset {offset}: {} {plain:?} is not {shifted:?}", measure.id);
        }
    }
}

#[test]
fn one_point_far_away_does_not_blind_the_others_in_single_precision() {
    /// The error that the kernel promises for f32 distances.
    const SINGLE: f64 = 5e-6;
    for (features, far) in FEW_AND_MANY.iter().flat_map(|&f| [1e4, 1e7, 1e15].map(|far| (f, far))) {
        let dataset = with_one_point_far_away(features, far);
        let single: Vec<f32> = dataset.rows.iter().flatten().map(|&x| x as f32).collect();
        let double: Vec<f64> = single.iter().map(|&x| f64::from(x)).collect();
        let labels = Labels::encode(&dataset.labels);
        let single = Classes::new(Points::new(&single, features).unwrap(), &labels).unwrap();
        let double = Classes::new(Points::new(&double, features).unwrap(), &labels).unwrap();
        for measure in REGISTRY {
            let value = |classes| evaluate(classes, &[measure]).unwrap().scores[0].1.value;
            let (found, expected) = (value(&single), value(&double));
            assert!(relative(found, expected) < SINGLE, "{far:e}: {} {found} is not {expected}", measure.id);
        }
    }
}

#[test]
fn a_class_far_away_does_not_hide_the_extent_of_the_classes() {
    // XB is W over the gap of the two nearest classes: the third may lie anywhere beyond. With integers every shift is exact.
    let plain = Dataset::blobs(13, &[30, 40, 50], 3, 2.0).map(|x| (x * 64.0).round());
    let moved = |far: f64| {
        let mut moved = plain.clone();
        moved.rows[70..].iter_mut().for_each(|row| row[2] += far);
        moved
    };
    let expected = moved(1e4);
    assert!(relative(expected.value("xb"), twin("xb", &expected)) < PROMISED);
    for far in [1e9, 1e13, 1e15] {
        let dataset = moved(far);
        assert!(relative(dataset.value("xb"), expected.value("xb")) < PROMISED, "{far:e}");
        // CH grows with the square of the distance.
        let growth = dataset.value("ch") / expected.value("ch") / (far / 1e4).powi(2);
        assert!((growth - 1.0).abs() < 0.2, "{far:e}: {growth}");
    }
}

#[test]
fn close_points_of_two_classes_keep_their_distance() {
    // The coordinates have more digits than their distances from the mean.
    let mut dataset = Dataset::blobs(12, &[30, 40], 3, 2.0);
    dataset.rows[0] = vec![1e-3; 3];
    dataset.rows[30] = vec![1e-3 * (1.0 + 1e-12); 3];
    assert!(relative(dataset.value("di"), twin("di", &dataset)) < PROMISED);
}

#[test]
fn extreme_scales_do_not_change_a_score() {
    for seed in 0..20 {
        let dataset = mixed(seed);
        for scale in [1e-150, 1e150, 1e-290, 1e300, 7e-5, 3e7] {
            assert_scores_close(&format!("scale {scale}"), &dataset, &dataset.map(|x| x * scale), PROMISED);
        }
        for power in [-900, -300, 300, 900] {
            let scaled = dataset.map(|x| x * 2.0_f64.powi(power));
            assert_scores_close(&format!("2^{power}"), &dataset, &scaled, EXACT);
        }
    }
}

#[test]
fn numbers_too_small_for_full_precision_are_scored_as_they_are() {
    // From 1e-300 to 1e-323 coordinates lose digits: the comparison is with the digits that are left.
    for seed in 0..10 {
        let dataset = mixed(seed);
        let tiny = dataset.map(|x| x * 1e-310);
        let back = tiny.map(|x| x * 2.0_f64.powi(1000));
        assert_scores_close("subnormal", &back, &tiny, PROMISED);
    }
}

#[test]
fn the_i_index_is_in_units_of_the_input() {
    let dataset = Dataset::blobs(4, &[20, 30], 3, 2.0);
    let plain = dataset.value("ii");
    for scale in [1e-100, 1e-3, 1e100] {
        assert!(relative(dataset.map(|x| x * scale).value("ii"), plain * scale * scale) < PROMISED);
    }
}

#[test]
fn nothing_overflows_when_exponents_are_huge() {
    // z = B/s2 grows without bound as two equal classes shrink, and V/s2 as dimensions are added.
    for extent in [1e-3, 1e-6, 1e-12, 1e-15] {
        let mut dataset = Dataset::blobs(5, &[20, 20], 3, 0.0).map(|x| x * extent);
        dataset.rows.iter_mut().zip(&dataset.labels).for_each(|(row, &label)| row[0] += label as f64);
        for measure in measures(|m| m.kind != Kind::Standard) {
            let value = dataset.value(measure.id);
            assert!(value > 0.999 && value <= 1.0, "{} {value} at extent {extent}", measure.id);
        }
    }
    let wide = Dataset::noise(6, &[30, 30], 20_000).evaluate_all();
    let shifted = Dataset::blobs(6, &[30, 30], 3, 1.0).shifted(1e12).evaluate_all();
    for (id, score) in wide.scores.iter().chain(&shifted.scores) {
        assert!(score.value.is_finite(), "{id} {}", score.value);
    }
}

#[test]
fn the_geometric_median_always_ends() {
    let to_median =
        |rows: &[Vec<f64>], start: &[f64]| mean_distance_to_median(rows.iter().map(|r| &r[..]), start);
    let mut random = random(7);
    // On a line the median is the middle point; with weights of 1/distance the iteration creeps towards it.
    for count in [3, 11, 101] {
        let mut line: Vec<f64> = (0..count).map(|_| normal(&mut random)).collect();
        line.sort_by(f64::total_cmp);
        let middle = line[count / 2];
        let expected = line.iter().map(|x| (x - middle).abs()).sum::<f64>() / count as f64;
        let rows: Vec<Vec<f64>> = line.iter().map(|&x| vec![x, 2.0]).collect();
        for start in [[0.0, 2.0], [middle, 2.0], [line[0], 2.0], [100.0, -50.0]] {
            let found = to_median(&rows, &start);
            assert!(relative(found, expected) < 1e-6, "{count} points: {found} is not {expected}");
        }
    }
    // A cross whose middle point is the median, and points that coincide.
    let cross: Vec<Vec<f64>> =
        [[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 3.0], [0.0, -3.0]].iter().map(|r| r.to_vec()).collect();
    assert!(relative(to_median(&cross, &[0.3, 0.4]), 8.0 / 5.0) < 1e-9);
    let heap = vec![vec![1.0, 2.0]; 9];
    assert_eq!(to_median(&heap, &[1.0, 2.0]), 0.0);
    assert!(to_median(&heap, &[5.0, 5.0]) < 1e-9);
}

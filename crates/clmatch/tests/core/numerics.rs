//! Far offsets, extreme scales, huge exponents: scores do not notice, and nothing overflows.

use clmatch::kernels::median::mean_distance_to_median;
use clmatch::measure::{Axiom, Kind, REGISTRY, Verdict};

use crate::datasets::{Dataset, measures, normal, random, relative};
use crate::twins_agree::mixed;

/// What DESIGN.md promises for adjusted scores.
const PROMISED: f64 = 1e-9;
/// Powers of two change no digit.
const EXACT: f64 = 0.0;

fn assert_scores_close(context: &str, a: &Dataset, b: &Dataset, tolerance: f64) {
    let (a, b) = (a.evaluate_all(), b.evaluate_all());
    for measure in REGISTRY {
        if measure.axioms.verdict(Axiom::W1) != Verdict::Holds {
            continue;
        }
        let (x, y) = (a.value(measure.id).unwrap(), b.value(measure.id).unwrap());
        let error = if measure.range.1.is_finite() { (x - y).abs() } else { relative(x, y) };
        assert!(error <= tolerance, "{context}: {} {x} is not {y}", measure.id);
    }
}

#[test]
fn a_shift_by_1e8_costs_no_more_than_the_rounding_of_the_input() {
    for seed in 0..20 {
        let dataset = mixed(seed);
        for offset in [1e8, -1e8, 1e12] {
            let shifted = dataset.map(|x| x + offset);
            // The subtraction is exact: these are the numbers that the shifted input holds.
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
    // At 1e-300 to 1e-323 coordinates lose digits: compare with the digits that are left.
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
    // On a line it is the middle point; with weights of 1/distance the iteration creeps towards it.
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

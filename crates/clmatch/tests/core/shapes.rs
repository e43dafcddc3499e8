//! Scores of `clm` for shapes whose clusters are known: the numbers in its documentation.

use std::f64::consts::{PI, TAU};

use clmatch::ClmTerms;
use clmatch::measure::find;
use rand_chacha::ChaCha8Rng;

use crate::datasets::{Dataset, normal, random};

/// How far one draw may be from a stated mean over many.
const ONE_DRAW: f64 = 0.04;

fn clm(dataset: &Dataset) -> (f64, ClmTerms) {
    let clm = [find("clm").unwrap()];
    let found = dataset.with_classes(|classes| clmatch::evaluate(classes, &clm).unwrap());
    (found.value("clm").unwrap(), found.terms.unwrap().mean)
}

/// Points of two classes, each by its own rule.
fn two(sizes: [usize; 2], point: impl Fn(usize, f64, &mut ChaCha8Rng) -> Vec<f64>) -> Dataset {
    let mut random = random(5);
    let mut dataset = Dataset { rows: Vec::new(), labels: Vec::new() };
    for (class, size) in sizes.into_iter().enumerate() {
        for at in 0..size {
            dataset.rows.push(point(class, at as f64 / size as f64, &mut random));
            dataset.labels.push(class);
        }
    }
    dataset
}

fn blurred(point: [f64; 2], noise: f64, random: &mut ChaCha8Rng) -> Vec<f64> {
    point.map(|x| x + noise * normal(random)).to_vec()
}

/// Checks the headline score; returns the mean of `eta` and `nu`, which was its first form.
fn assert_clm(name: &str, dataset: &Dataset, expected: f64) -> f64 {
    let (found, terms) = clm(dataset);
    assert!((found - expected).abs() < ONE_DRAW, "{name}: {found} where {expected} is stated ({terms:?})");
    (terms.eta + terms.nu) / 2.0
}

#[test]
fn rings_and_moons_are_found() {
    let rings = two([300, 300], |class, t, random| {
        let radius = 1.0 + class as f64;
        blurred([radius * (TAU * t).cos(), radius * (TAU * t).sin()], 0.05, random)
    });
    let first_form = assert_clm("rings", &rings, 1.0);
    assert!((first_form - 0.5).abs() < ONE_DRAW, "the line and the neighbours alone: {first_form}");
    let moons = two([300, 300], |class, t, random| {
        let (x, y) = ((PI * t).cos(), (PI * t).sin());
        blurred(if class == 0 { [x, y] } else { [1.0 - x, 0.5 - y] }, 0.05, random)
    });
    let first_form = assert_clm("moons", &moons, 1.0);
    assert!((first_form - 0.77).abs() < ONE_DRAW, "the line and the neighbours alone: {first_form}");
}

#[test]
fn one_class_on_both_sides_of_the_other() {
    let aba = two([200, 100], |class, t, random| {
        let centre = if class == 1 {
            0.0
        } else if t < 0.5 {
            -10.0
        } else {
            10.0
        };
        blurred([centre, 0.0], 1.0, random)
    });
    assert_clm("A-B-A", &aba, 0.70);
}

#[test]
fn a_class_against_one_a_hundred_times_larger() {
    let imbalance = two([30, 3000], |class, _, random| blurred([6.0 * class as f64, 0.0], 1.0, random));
    assert_clm("1 : 100", &imbalance, 0.95);
}

#[test]
fn halves_of_one_cluster_and_the_limit_of_the_tree() {
    let mut halves = two([500, 500], |_, _, random| blurred([0.0, 0.0], 1.0, random));
    for (row, label) in halves.rows.iter().zip(&mut halves.labels) {
        *label = usize::from(row[0] > 0.0);
    }
    assert_clm("halves of a blob", &halves, 0.54);
    let wide = two([300, 300], |class, _, random| {
        let shift = |at: usize| if at == 0 { 4.0 * class as f64 } else { 0.0 };
        (0..20).map(|at| shift(at) + normal(random)).collect()
    });
    assert_clm("20 dimensions", &wide, 0.53);
}

#[test]
fn random_labels_have_no_gap() {
    let mean = |size: usize, draws: u64| {
        let kappa = |seed: u64| clm(&Dataset::noise(seed, &[size, size], 5)).1.kappa;
        (0..draws).map(kappa).sum::<f64>() / draws as f64
    };
    let (few, many) = (mean(5, 400), mean(200, 50));
    assert!((few - 0.15).abs() < 0.02, "5 + 5 points: {few}");
    assert!(many < 0.01, "200 + 200 points: {many}");
}

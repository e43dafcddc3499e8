//! W1 scale invariance, W3 richness, W4 isomorphism invariance.

use clmatch::Measure;
use clmatch::measure::Verdict::{Breaks, Holds};
use clmatch::measure::{Axiom, REGISTRY, Scope};
use proptest::prelude::*;
use rand::seq::SliceRandom;

use super::with;
use crate::datasets::{Dataset, cases, integer, random, relative};
use crate::twins_agree::mixed;

/// Allows for roundings of the scaled input.
const SCALED: f64 = 1e-9;
/// Allows for sums in another order, and for a geometric median that stops elsewhere.
const REORDERED: f64 = 1e-8;
/// The largest number of draws of labels until all classes are large enough; it takes a few.
const DRAWS: usize = 10_000;

fn error(a: f64, b: f64) -> f64 {
    relative(a, b).min((a - b).abs())
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn w1_scale_does_not_matter(seed in any::<u64>(), exponent in -60_i32..60) {
        let dataset = mixed(seed);
        let scaled = dataset.map(|x| x * 1.7 * 10.0_f64.powi(exponent));
        let measures = with(Axiom::W1, Holds);
        let values = dataset.values(&measures).into_iter().zip(scaled.values(&measures));
        for (measure, (a, b)) in measures.iter().zip(values) {
            prop_assert!(error(a, b) < SCALED, "{}: {a} is not {b}", measure.id);
        }
    }

    #[test]
    fn w4_names_and_order_do_not_matter(seed in any::<u64>()) {
        let dataset = mixed(seed);
        let mut random = random(seed);
        let mut order: Vec<usize> = (0..dataset.len()).collect();
        let mut names: Vec<usize> = (0..dataset.count()).collect();
        order.shuffle(&mut random);
        names.shuffle(&mut random);
        let renamed = dataset.labels.iter().map(|&label| names[label]).collect();
        let same = dataset.relabelled(renamed).in_order(&order);
        let measures = with(Axiom::W4, Holds);
        let values = dataset.values(&measures).into_iter().zip(same.values(&measures));
        for (measure, (a, b)) in measures.iter().zip(values) {
            prop_assert!(error(a, b) < REORDERED, "{}: {a} is not {b}", measure.id);
        }
    }
}

#[test]
fn w1_breaks_where_a_measure_has_units() {
    let dataset = Dataset::line(&[&[0.0, 2.0], &[6.0, 8.0, 10.0]]);
    for measure in with(Axiom::W1, Breaks) {
        let (a, b) = (dataset.value(measure.id), dataset.map(|x| 3.0 * x).value(measure.id));
        assert!(relative(a, b) > 0.5, "{}: {a} and {b}", measure.id);
    }
}

/// Labels of `points` points, in which every class of 2 to 3 has at least `least` points.
fn random_labels(seed: u64, points: usize, least: usize) -> Vec<usize> {
    let mut random = random(seed);
    for _ in 0..DRAWS {
        let count = integer(&mut random, 2, 3);
        let labels: Vec<usize> = (0..points).map(|_| integer(&mut random, 0, count - 1)).collect();
        if (0..count).all(|class| labels.iter().filter(|&&label| label == class).count() >= least) {
            return labels;
        }
    }
    panic!("{points} points are too few for classes of {least}");
}

fn same_partition(a: &[usize], b: &[usize]) -> bool {
    (0..a.len()).all(|i| (0..i).all(|j| (a[i] == a[j]) == (b[i] == b[j])))
}

/// Points for which a partition should be the best: each class at one place, on its own axis, or nearly so (CH has the fixed
/// value 1 without scatter within).
fn witnesses(labels: &[usize]) -> [Dataset; 2] {
    let place =
        |&label: &usize| (0..3).map(move |axis| if axis == label { 1.0 + 0.1 * axis as f64 } else { 0.0 });
    let rows = labels.iter().map(|label| place(label).collect()).collect();
    let heaps = Dataset { rows, labels: labels.to_vec() };
    let near = heaps.shifted(1e-6);
    [heaps, near]
}

/// For each measure, whether no other partition is better, and whether the partition is strictly the best unless it is at the end
/// of the range.
fn is_the_best(measures: &[&'static Measure], dataset: &Dataset, others: &[Vec<usize>]) -> Vec<bool> {
    let own = dataset.values(measures);
    let mut best = vec![true; measures.len()];
    for other in others.iter().filter(|other| !same_partition(other, &dataset.labels)) {
        let values = dataset.relabelled(other.clone()).values(measures);
        for (at, measure) in measures.iter().enumerate() {
            let end = own[at] == measure.range.0 || own[at] == measure.range.1;
            let beaten = measure.prefers(values[at], own[at]);
            best[at] &= if end { !beaten } else { measure.prefers(own[at], values[at]) };
        }
    }
    best
}

#[test]
fn w3_every_partition_is_the_best_for_some_points() {
    for (scope, least) in [(Scope::Pairs, 2), (Scope::Dataset, 1)] {
        let mut measures = with(Axiom::W3, Holds);
        measures.retain(|measure| measure.scope() == scope);
        let others: Vec<Vec<usize>> = (0..150).map(|seed| random_labels(1000 + seed, 8, least)).collect();
        for seed in 0..10 {
            let partition = random_labels(seed, 8, 2);
            let [heaps, near] = witnesses(&partition).map(|points| is_the_best(&measures, &points, &others));
            for (at, measure) in measures.iter().enumerate() {
                assert!(heaps[at] || near[at], "{}: no points for {partition:?}", measure.id);
            }
        }
    }
}

#[test]
fn w3_and_w4_hold_for_all() {
    for measure in REGISTRY {
        assert_eq!(
            (measure.axioms.w3, measure.axioms.w4),
            (Holds, Holds),
            "{}: no counterexample",
            measure.id
        );
    }
}

//! Compares the scores of small datasets with values that clmatch did not compute. No other files are needed.
//!
//! `golden.csv` was written by `python/golden.py` with scikit-learn 1.9.1 (`ch`, `db`, `sc`) and with the formulas in
//! numpy 2.4.6 (all others), which agree with pyivm 0.1.0, the published implementation of the adjusted measures.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::BTreeSet;

use clmatch::measure::REGISTRY;
use clmatch::{Classes, Labels, evaluate};
use clmatch_data::{Dataset, Scale, embedded};

/// The tolerance for all measures: the table holds 12 significant digits.
const DIGITS: f64 = 1e-10;
/// The tolerance for measures with geometric medians, whose search ends when a step is small enough.
const MEDIAN: f64 = 1e-7;

/// Classes of numbers in [0, 1), each class `apart` further along every third feature, as in `python/golden.py`.
fn generated(name: &str, sizes: &[usize], features: usize, apart: f64, seed: u64) -> Dataset {
    let mut state = seed;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let labels: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(label, &size)| std::iter::repeat_n(label, size)).collect();
    let mut values = Vec::new();
    for &label in &labels {
        let shift = |feature: usize| if feature.is_multiple_of(3) { apart * label as f64 } else { 0.0 };
        values.extend((0..features).map(|feature| number() + shift(feature)));
    }
    let names = (0..features).map(|feature| format!("f{feature}")).collect();
    Dataset::new(name, names, values, Labels::encode(labels)).unwrap()
}

fn datasets() -> [Dataset; 5] {
    [
        embedded::load("iris").unwrap(),
        embedded::load("wine").unwrap(),
        generated("generated-near", &[40, 25, 60, 12], 5, 0.3, 1),
        generated("generated-far", &[30, 30, 11], 2, 2.5, 2),
        generated("generated-wide", &[9, 20], 40, 0.1, 3),
    ]
}

#[test]
fn scores_are_those_of_independent_programs() {
    let mut table = include_str!("golden.csv").lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = table.next().unwrap();
    let rows: Vec<Vec<&str>> = table.collect();
    assert_eq!(rows.len(), datasets().len());
    for (mut dataset, row) in datasets().into_iter().zip(rows) {
        assert_eq!(dataset.name, row[0]);
        dataset.scale(Scale::MaxAbs);
        let classes = Classes::new(dataset.points(), dataset.labels()).unwrap();
        let evaluation = evaluate(&classes, REGISTRY).unwrap();
        for (id, expected) in header.iter().zip(&row).skip(1) {
            let (found, expected): (f64, f64) = (evaluation.value(id).unwrap(), expected.parse().unwrap());
            let tolerance = if *id == "di_a" { MEDIAN } else { DIGITS };
            let error = (found - expected).abs();
            assert!(error <= tolerance * expected.abs(), "{} {id}: {found}, not {expected}", row[0]);
        }
    }
}

#[test]
fn every_measure_has_a_golden_value() {
    let header: BTreeSet<&str> = include_str!("golden.csv").lines().next().unwrap().split(',').collect();
    let missing = REGISTRY.iter().map(|measure| measure.id).find(|id| !header.contains(id));
    assert_eq!(missing, None);
}

//! Compares every measure with its slow twin, on random data.

use clmatch::measure::REGISTRY;
use proptest::prelude::*;

use crate::datasets::{Dataset, cases, integer, normal, random, relative, uniform};
use crate::twins::twin;

/// Allows for the same sums in two orders.
const TWIN: f64 = 1e-9;
/// Both iterate for the geometric median, and stop at different places.
const MEDIAN: f64 = 1e-7;

/// Two to five elongated, overlapping classes of different sizes and shapes.
pub(crate) fn mixed(seed: u64) -> Dataset {
    let mut random = random(seed);
    let (count, features) = (integer(&mut random, 2, 5), integer(&mut random, 1, 4));
    let mut dataset = Dataset { rows: Vec::new(), labels: Vec::new() };
    for label in 0..count {
        let centre: Vec<f64> = (0..features).map(|_| uniform(&mut random, -3.0, 3.0)).collect();
        let scale: Vec<f64> = (0..features).map(|_| uniform(&mut random, 0.1, 3.0)).collect();
        for _ in 0..integer(&mut random, 2, 14) {
            dataset.rows.push(centre.iter().zip(&scale).map(|(c, s)| c + s * normal(&mut random)).collect());
            dataset.labels.push(label);
        }
    }
    dataset
}

proptest! {
    #![proptest_config(cases(200))]
    #[test]
    fn every_measure_agrees_with_its_twin(seed in any::<u64>()) {
        let dataset = mixed(seed);
        let evaluation = dataset.evaluate_all();
        for measure in REGISTRY {
            let (found, expected) = (evaluation.value(measure.id).unwrap(), twin(measure.id, &dataset));
            let tolerance = if measure.id == "di_a" { MEDIAN } else { TWIN };
            // A difference of nearly equal numbers (a silhouette near 0) is only as accurate as its terms.
            let error = relative(found, expected).min((found - expected).abs());
            prop_assert!(error < tolerance, "{}: {found} is not {expected} ({:?})", measure.id, dataset.sizes());
        }
    }
}

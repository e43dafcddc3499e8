//! A3, class-cardinality invariance: the score is the mean, minimum or maximum over pairs of classes.
//!
//! With two classes, the aggregate of one pair is the value of that pair, so the function of pairs is the measure itself: a
//! dataset whose value is neither the mean nor the minimum nor the maximum of the values of its pairs is a counterexample.

use clmatch::measure::Axiom;
use clmatch::measure::Verdict::{Breaks, Holds};
use clmatch::protocol::Aggregate;

use super::with;
use crate::datasets::{Dataset, relative};

/// Allows for sums in another order, and for a geometric median that stops elsewhere.
const REORDERED: f64 = 1e-8;
/// A violation exceeds this, relative to the value.
const BROKEN: f64 = 0.01;

fn pair_values(id: &str, dataset: &Dataset) -> Vec<f64> {
    let count = dataset.count();
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j)));
    pairs.map(|(i, j)| dataset.pair(i, j).value(id)).collect()
}

/// Classes of equal shape, one at each corner of a simplex, each in its own dimensions.
fn on_a_simplex(count: usize) -> Dataset {
    let template = Dataset::noise(1, &[8], 3).rows;
    let mut dataset = Dataset { rows: Vec::new(), labels: Vec::new() };
    for label in 0..count {
        for point in &template {
            let mut row = vec![0.0; 4 * count];
            row[4 * label] = 8.0;
            row[4 * label + 1..4 * label + 4].copy_from_slice(point);
            dataset.rows.push(row);
            dataset.labels.push(label);
        }
    }
    dataset
}

#[test]
fn a3_the_score_is_the_mean_of_pairs() {
    for seed in 0..8 {
        let dataset = Dataset::blobs(seed, &[12, 7, 20, 9], 3, 1.5);
        for measure in with(Axiom::A3, Holds) {
            let mean = Aggregate::Mean.of(&pair_values(measure.id, &dataset));
            let value = dataset.value(measure.id);
            assert!((value - mean).abs() < REORDERED, "{}: {value} is not {mean}", measure.id);
        }
    }
}

#[test]
fn a3_ten_classes_score_as_two() {
    let (two, ten) = (on_a_simplex(2), on_a_simplex(10));
    for measure in with(Axiom::A3, Holds) {
        let (a, b) = (two.value(measure.id), ten.value(measure.id));
        assert!((a - b).abs() < REORDERED, "{}: {a} is not {b}", measure.id);
    }
}

#[test]
fn a3_breaks_where_no_aggregate_of_pairs_gives_the_score() {
    // Two wide classes far apart, two narrow ones close together.
    let dataset = Dataset::line(&[
        &[0.0, 1.0, 3.0, 7.0],
        &[40.0, 44.0, 45.0, 52.0, 53.0],
        &[20.0, 20.5, 21.0],
        &[22.0, 22.5, 22.75, 23.5],
    ]);
    for measure in with(Axiom::A3, Breaks) {
        let (value, pairs) = (dataset.value(measure.id), pair_values(measure.id, &dataset));
        for aggregate in [Aggregate::Mean, Aggregate::Min, Aggregate::Max] {
            let of_pairs = aggregate.of(&pairs);
            assert!(
                relative(value, of_pairs) > BROKEN,
                "{}: {value} is {aggregate:?} of {pairs:?}",
                measure.id
            );
        }
    }
}

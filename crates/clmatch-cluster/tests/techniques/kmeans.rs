//! K-Means against the best of all partitions, cases worked by hand, and its laws.

use clmatch_cluster::{KMeans, KMeansFit, Matrix, Stop};
use proptest::prelude::*;

/// Allowance for sums of squares that are added in another order.
const ROUNDING: f64 = 1e-9;

fn fit(values: &[f64], features: usize, settings: &KMeans) -> KMeansFit {
    settings.fit(&Matrix::new(values, features).unwrap(), &Stop::new()).unwrap()
}

/// Sum of squared distances to the means of the labels.
fn inertia(values: &[f64], features: usize, labels: &[i32]) -> f64 {
    let clusters = labels.iter().max().map_or(0, |&label| label as usize + 1);
    (0..clusters)
        .map(|cluster| {
            let rows: Vec<&[f64]> = values
                .chunks_exact(features)
                .zip(labels)
                .filter(|(_, label)| **label as usize == cluster)
                .map(|(row, _)| row)
                .collect();
            let mean = |feature: usize| rows.iter().map(|row| row[feature]).sum::<f64>() / rows.len() as f64;
            rows.iter()
                .map(|row| (0..features).map(|at| (row[at] - mean(at)).powi(2)).sum::<f64>())
                .sum::<f64>()
        })
        .sum()
}

/// The smallest inertia of all labellings.
fn optimum(values: &[f64], features: usize, clusters: usize) -> f64 {
    let rows = values.len() / features;
    let mut best = f64::INFINITY;
    for code in 0..clusters.pow(rows as u32) {
        let labels: Vec<i32> =
            (0..rows).map(|row| (code / clusters.pow(row as u32) % clusters) as i32).collect();
        best = best.min(inertia(values, features, &labels));
    }
    best
}

#[test]
fn three_pairs_on_a_line() {
    let found = fit(&[0.0, 10.0, 1.0, 21.0, 11.0, 20.0], 1, &KMeans { clusters: 3, ..KMeans::default() });
    let labels = &found.labels;
    assert_eq!((labels[0], labels[1], labels[3]), (labels[2], labels[4], labels[5]));
    let mut centroids = found.centroids.clone();
    centroids.sort_by(f64::total_cmp);
    assert_eq!(centroids, [0.5, 10.5, 20.5]);
    assert_eq!(found.inertia, 1.5);
}

#[test]
fn degenerate_input_has_stated_results() {
    let ask = |clusters| KMeans { clusters, ..KMeans::default() };
    let one = fit(&[3.0, 4.0], 2, &ask(5));
    assert_eq!((one.labels, one.centroids, one.inertia), (vec![0], vec![3.0, 4.0], 0.0));
    let same = fit(&[7.0; 40], 1, &ask(4));
    assert_eq!((same.labels, same.centroids), (vec![0; 40], vec![7.0]));
    // Two distinct points, but three clusters.
    let two = fit(&[1.0, 2.0, 1.0, 2.0, 2.0], 1, &ask(3));
    assert_eq!(two.inertia, 0.0);
    assert_eq!(two.centroids.len(), 2);
    assert_ne!(two.labels[0], two.labels[1]);
    let all = fit(&[1.0, 2.0, 3.0], 1, &ask(9));
    assert_eq!((all.centroids.len(), all.inertia), (3, 0.0));
    let none =
        fit(&[1.0, 3.0], 1, &KMeans { clusters: 0, starts: 0, max_iterations: 0, ..KMeans::default() });
    assert_eq!((none.labels, none.inertia), (vec![0, 0], 2.0));
    // The squares overflow: any labels will do, but the run must end.
    assert_eq!(fit(&[1e200, -1e200, 3e200, 0.0], 1, &ask(2)).labels.len(), 4);
}

#[test]
fn threads_and_repetition_change_nothing() {
    let values: Vec<f64> = (0..3000).map(|at| f64::from(at * at % 1009) * 0.01).collect();
    let settings = KMeans { clusters: 9, starts: 4, seed: 5, ..KMeans::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&values, 3, &settings))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
    assert_ne!(one.centroids, fit(&values, 3, &KMeans { seed: 6, ..settings }).centroids);
}

#[test]
fn a_raised_flag_stops() {
    let stop = Stop::new();
    stop.raise();
    assert!(KMeans::default().fit(&Matrix::new(&[1.0, 2.0], 1).unwrap(), &stop).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: proptest::test_runner::RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    /// Forty starts find the best of all partitions of eight points.
    #[test]
    fn tiny_data_reach_the_optimum(values in prop::collection::vec(-9_i32..9, 16), clusters in 2_usize..4) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let found = fit(&values, 2, &KMeans { clusters, starts: 40, ..KMeans::default() });
        let best = optimum(&values, 2, clusters);
        prop_assert!((found.inertia - best).abs() <= ROUNDING * (1.0 + best), "{} {best}", found.inertia);
    }

    /// Each label is that of the nearest centroid, centroids are means, and no cluster is empty.
    #[test]
    fn the_end_is_a_fixed_point(values in prop::collection::vec(-1.0_f64..1.0, 200), clusters in 1_usize..12) {
        let settings = KMeans { clusters, starts: 1, tolerance: 0.0, ..KMeans::default() };
        let found = fit(&values, 2, &settings);
        prop_assert_eq!(found.centroids.len(), 2 * clusters);
        prop_assert!((found.inertia - inertia(&values, 2, &found.labels)).abs() <= ROUNDING);
        for (row, &label) in values.chunks_exact(2).zip(&found.labels) {
            let square = |centroid: &[f64]| (row[0] - centroid[0]).powi(2) + (row[1] - centroid[1]).powi(2);
            let own = square(&found.centroids[2 * label as usize..][..2]);
            prop_assert!(found.centroids.chunks_exact(2).all(|other| own <= square(other) + ROUNDING));
        }
        for cluster in 0..clusters {
            prop_assert!(found.labels.contains(&(cluster as i32)));
        }
    }
}

/// Some of these numbers of clusters share seeds, and some do not.
#[test]
fn fits_for_several_numbers_are_those_one_by_one() {
    let values: Vec<f64> = (0..1500).map(|at| f64::from(at * at % 1009) * 0.001).collect();
    let points = Matrix::new(&values, 3).unwrap();
    let settings = KMeans { starts: 3, seed: 4, ..KMeans::default() };
    let numbers = [30, 2, 3, 0, 7, 8, 20, 21, 7, 500, 600];
    let each = settings.fit_each(&points, &numbers, |fit| fit, &Stop::new()).unwrap();
    for (&clusters, found) in numbers.iter().zip(&each) {
        let alone = KMeans { clusters, ..settings.clone() }.fit(&points, &Stop::new()).unwrap();
        assert_eq!(&alone, found, "{clusters}");
    }
}

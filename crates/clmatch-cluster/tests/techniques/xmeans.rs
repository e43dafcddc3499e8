//! X-Means on data with obvious clusters, and its laws.

use clmatch_cluster::{Matrix, Stop, XMeans, XMeansFit, XMeansFits};
use proptest::prelude::*;

fn fit(values: &[f64], features: usize, settings: &XMeans) -> XMeansFit {
    settings.fit(&Matrix::new(values, features).unwrap(), &Stop::new()).unwrap()
}

/// Small squares of 25 points around given centres.
fn squares(centres: &[[f64; 2]]) -> Vec<f64> {
    let around = |&[x, y]: &[f64; 2]| {
        (0..25).flat_map(move |at| [x + f64::from(at % 5) * 0.01, y + f64::from(at / 5) * 0.01])
    };
    centres.iter().flat_map(around).collect()
}

fn clusters(found: &XMeansFit) -> usize {
    found.labels.iter().max().map_or(0, |&label| label as usize + 1)
}

#[test]
fn squares_far_apart_are_found_up_to_kmax() {
    // Not four centres in a square: halving such a cluster leaves half the variance, which is just what the sizes of the
    // halves cost.
    let values = squares(&[[0.0, 0.0], [1.0, 0.0], [10.0, 0.0], [11.0, 1.0], [30.0, 3.0]]);
    for seed in 0..5 {
        let found = fit(&values, 2, &XMeans { kmax: 5, tolerance: 1e-9, seed, ..XMeans::default() });
        assert_eq!(clusters(&found), 5);
        for square in found.labels.chunks_exact(25) {
            assert!(square.iter().all(|&label| label == square[0]), "{seed}");
        }
        assert_eq!(clusters(&fit(&values, 2, &XMeans { kmax: 3, seed, ..XMeans::default() })), 3);
        assert_eq!(clusters(&fit(&values, 2, &XMeans { kmax: 1, seed, ..XMeans::default() })), 1);
    }
}

#[test]
fn degenerate_input_is_one_cluster() {
    assert_eq!(fit(&[3.0, 4.0], 2, &XMeans::default()).labels, [0]);
    assert_eq!(fit(&[7.0; 30], 1, &XMeans::default()).labels, [0; 30]);
    assert_eq!(fit(&[1e200, -1e200, 3e200, 0.0], 1, &XMeans::default()).labels.len(), 4);
}

#[test]
fn threads_and_repetition_change_nothing() {
    let values: Vec<f64> = (0..3000).map(|at| f64::from(at * at % 1009) * 0.001).collect();
    let settings = XMeans { tolerance: 1e-6, repeats: 3, seed: 5, ..XMeans::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&values, 3, &settings))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn a_fit_says_which_settings_end_the_same() {
    let values: Vec<f64> = (0..1200).map(|at| f64::from(at * at % 1009) * 0.001).collect();
    let (mut same, mut others) = (0, 0);
    for seed in 0..6 {
        let settings = [3, 6, 12, 40].map(|kmax| [1e-4, 1e-3, 0.01, 0.1].map(|tolerance| (kmax, tolerance)));
        let fits = settings.as_flattened().iter().map(|&(kmax, tolerance)| {
            (kmax, tolerance, fit(&values, 3, &XMeans { kmax, tolerance, seed, ..XMeans::default() }))
        });
        let fits: Vec<_> = fits.collect();
        for (kmax, _, one) in &fits {
            for (other_kmax, tolerance, other) in &fits {
                let any_kmax = one.valid.kmax_from.is_some_and(|from| from <= *other_kmax);
                if (kmax == other_kmax || any_kmax) && one.valid.tolerates(*tolerance) {
                    assert_eq!(one.labels, other.labels, "{seed} {kmax} {other_kmax} {tolerance}");
                    same += 1;
                } else {
                    others += usize::from(one.labels != other.labels);
                }
            }
        }
    }
    // Each fit answers for its own setting and some for others; many settings that a fit does not answer for give other
    // results.
    assert!(same > 6 * 16 + 50 && others > 50, "{same} {others}");
}

#[test]
fn a_raised_flag_stops() {
    let stop = Stop::new();
    stop.raise();
    assert!(XMeans::default().fit(&Matrix::new(&[1.0, 2.0], 1).unwrap(), &stop).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]

    /// No more clusters than allowed, none of them empty, and centroids are means.
    #[test]
    fn laws(values in prop::collection::vec(-3_i32..3, 2..160), kmax in 1_usize..15, seed: u64) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        let found = fit(&values, 1, &XMeans { kmax, seed, tolerance: 1e-6, ..XMeans::default() });
        prop_assert!(clusters(&found) <= kmax);
        prop_assert_eq!(found.centroids.len(), clusters(&found));
        for (cluster, centroid) in found.centroids.iter().enumerate() {
            let members: Vec<f64> = values
                .iter()
                .zip(&found.labels)
                .filter(|(_, label)| **label as usize == cluster)
                .map(|(value, _)| *value)
                .collect();
            prop_assert!(!members.is_empty());
            prop_assert!((members.iter().sum::<f64>() / members.len() as f64 - centroid).abs() < 1e-9);
        }
    }
}

/// Settings that follow each other share rounds, and give the same results as on their own.
#[test]
fn shared_rounds_change_nothing() {
    // Twenty-five clusters on a grid.
    let noise = |at: i32| f64::from(at * at % 1009) * 0.0003;
    let point = |at: i32| [f64::from(at % 5) + noise(at), f64::from(at / 5 % 5) + noise(at + 400)];
    let values: Vec<f64> = (0..1000).flat_map(point).collect();
    let points = Matrix::new(&values, 2).unwrap();
    let mut shared = XMeansFits::new(&points);
    let mut most = 0;
    for seed in 0..4 {
        for kmax in [40, 17, 9, 8, 5, 2, 1, 30] {
            for tolerance in [0.1, 0.01, 1e-3, 1e-5] {
                let settings = XMeans { kmax, tolerance, seed, ..XMeans::default() };
                let (alone, found) = (
                    settings.fit(&points, &Stop::new()).unwrap(),
                    shared.fit(&settings, &Stop::new()).unwrap(),
                );
                let parts = |fit: &XMeansFit| {
                    (fit.labels.clone(), fit.centroids.clone(), fit.inertia, fit.iterations)
                };
                assert_eq!(parts(&alone), parts(&found), "{seed} {kmax} {tolerance}");
                most = most.max(clusters(&found));
            }
        }
    }
    assert!(most > 17, "{most}");
}

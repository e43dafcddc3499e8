//! Birch on cases worked by hand, and its laws.

use clmatch_cluster::{Birch, BirchFit, Matrix, Stop};
use proptest::prelude::*;

fn fit(values: &[f64], features: usize, settings: &Birch) -> BirchFit {
    settings.fit(&Matrix::new(values, features).unwrap(), &Stop::new()).unwrap()
}

/// Radius 0.1 keeps 0 and 0.1 together (0.05), not 1 and 1.5.
#[test]
fn a_line_by_hand() {
    let values = [0.0, 0.1, 1.0, 1.5, 9.0];
    let ask = |clusters| Birch { threshold: 0.1, clusters, ..Birch::default() };
    let found = fit(&values, 1, &ask(Some(3)));
    assert_eq!(found.subclusters, [0.05, 1.0, 1.5, 9.0]);
    assert_eq!(found.labels, [0, 0, 1, 1, 2]);
    assert_eq!(fit(&values, 1, &ask(Some(2))).labels, [0, 0, 0, 0, 1]);
    assert_eq!(fit(&values, 1, &ask(None)).labels, [0, 0, 1, 2, 3]);
    assert_eq!(fit(&values, 1, &ask(Some(70))).labels, [0, 0, 1, 2, 3]);
}

/// A point belongs to the nearest centre, not to the one it was gathered around: 0, 1.2 and 2.4 are gathered around 1.2
/// and 3.1 is on its own; 2.4 is nearer to 3.1.
#[test]
fn points_belong_to_the_nearest_centre() {
    let found = fit(&[0.0, 1.2, 2.4, 3.1], 1, &Birch { threshold: 1.0, clusters: None, ..Birch::default() });
    assert_eq!(found.subclusters.len(), 2);
    assert_eq!(found.labels, [0, 0, 1, 1]);
}

#[test]
fn degenerate_input_has_stated_results() {
    assert_eq!(fit(&[3.0, 4.0], 2, &Birch::default()).labels, [0]);
    assert_eq!(fit(&[7.0; 30], 1, &Birch { threshold: 0.0, ..Birch::default() }).labels, [0; 30]);
    let none = Birch { threshold: 0.0, branching_factor: 0, clusters: Some(0) };
    assert_eq!(fit(&[1.0, 2.0, 5.0, 9.0], 1, &none).labels, [0; 4]);
    assert_eq!(fit(&[1e200, -1e200, 3e200, 0.0], 1, &none).labels.len(), 4);
}

#[test]
fn threads_change_nothing() {
    let values: Vec<f64> = (0..6000).map(|at| f64::from(at * at % 10_007) * 0.001).collect();
    let settings = Birch { threshold: 0.2, clusters: Some(6), ..Birch::default() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&values, 3, &settings))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn a_raised_flag_stops() {
    let stop = Stop::new();
    stop.raise();
    assert!(Birch::default().fit(&Matrix::new(&[1.0, 2.0], 1).unwrap(), &stop).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, rng_seed: proptest::test_runner::RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default() })]

    /// One tree gives the same labels as single fits, and a coarser cut joins clusters of a finer one.
    #[test]
    fn cuts_are_nested(values in prop::collection::vec(-1.0_f64..1.0, 2..240), branching_factor in 2_usize..9) {
        let values = &values[..values.len() / 2 * 2];
        let settings = Birch { threshold: 0.05, branching_factor, clusters: None };
        let tree = settings.tree(&Matrix::new(values, 2).unwrap(), &Stop::new()).unwrap();
        let mut finer = tree.cut(usize::MAX);
        for clusters in (1..20).rev() {
            let labels = tree.cut(clusters);
            prop_assert_eq!(&labels, &fit(values, 2, &Birch { clusters: Some(clusters), ..settings.clone() }).labels);
            for (a, &fine) in finer.iter().enumerate() {
                let first = finer.iter().position(|&other| other == fine).unwrap();
                prop_assert_eq!(labels[a], labels[first]);
            }
            prop_assert!(labels.iter().all(|&label| (label as usize) < clusters));
            finer = labels;
        }
    }
}

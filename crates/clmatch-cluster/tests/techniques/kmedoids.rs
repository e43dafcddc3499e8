//! K-Medoids against the best of all medoids, cases worked by hand, and its laws.

use clmatch_cluster::{Distances, KMedoids, KMedoidsAlgorithm, KMedoidsFit, Matrix, Stop, Ties};
use proptest::prelude::*;

const ROUNDING: f64 = 1e-9;
/// The most iterations of the slow implementations; they need a few.
const ITERATIONS: usize = 1000;
const ALGORITHMS: [KMedoidsAlgorithm; 2] = [KMedoidsAlgorithm::Alternating, KMedoidsAlgorithm::FasterPam];

fn fit(values: &[f64], features: usize, settings: &KMedoids) -> KMedoidsFit {
    settings.fit(&Matrix::new(values, features).unwrap(), &Stop::new()).unwrap()
}

fn distance(values: &[f64], a: usize, b: usize) -> f64 {
    (values[2 * a] - values[2 * b]).hypot(values[2 * a + 1] - values[2 * b + 1])
}

/// The smallest objective of all choices of medoids among points in the plane.
fn optimum(values: &[f64], clusters: usize) -> f64 {
    let rows = values.len() / 2;
    let mut best = f64::INFINITY;
    for chosen in (0_u32..1 << rows).filter(|chosen| chosen.count_ones() as usize == clusters) {
        let medoids: Vec<usize> = (0..rows).filter(|row| chosen >> row & 1 == 1).collect();
        let near = |at: usize| medoids.iter().map(|&m| distance(values, at, m)).fold(f64::INFINITY, f64::min);
        best = best.min((0..rows).map(near).sum());
    }
    best
}

/// Park and Jun's method as published, in the plane.
fn park_and_jun(values: &[f64], clusters: usize) -> (Vec<usize>, f64) {
    let rows = values.len() / 2;
    let sums: Vec<f64> = (0..rows).map(|i| (0..rows).map(|l| distance(values, i, l)).sum()).collect();
    let v: Vec<f64> = (0..rows).map(|j| (0..rows).map(|i| distance(values, i, j) / sums[i]).sum()).collect();
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| v[a].total_cmp(&v[b]));
    let mut medoids = order[..clusters].to_vec();
    for _ in 0..ITERATIONS {
        let label = |at: usize| {
            (0..clusters)
                .min_by(|&a, &b| {
                    distance(values, at, medoids[a]).total_cmp(&distance(values, at, medoids[b]))
                })
                .unwrap()
        };
        let labels: Vec<usize> = (0..rows).map(label).collect();
        let cost = |at: usize| -> f64 {
            (0..rows).filter(|&b| labels[b] == labels[at]).map(|b| distance(values, at, b)).sum()
        };
        let better: Vec<usize> = (0..clusters)
            .map(|cluster| {
                let members = (0..rows).filter(|&at| labels[at] == cluster);
                let best = members.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap();
                if cost(best) < cost(medoids[cluster]) - ROUNDING { best } else { medoids[cluster] }
            })
            .collect();
        if better == medoids {
            let objective = (0..rows).map(|at| distance(values, at, medoids[labels[at]])).sum();
            return (medoids, objective);
        }
        medoids = better;
    }
    panic!("the medoids do not settle");
}

#[test]
fn two_triples_on_a_line() {
    for algorithm in ALGORITHMS {
        let settings = KMedoids { clusters: 2, algorithm, ..KMedoids::default() };
        let found = fit(&[0.0, 1.0, 3.0, 20.0, 21.0, 23.0], 1, &settings);
        let mut medoids = found.medoids.clone();
        medoids.sort_unstable();
        assert_eq!(medoids, [1, 4]);
        assert_eq!(found.objective, 6.0);
        assert_eq!(found.labels[0], found.labels[2]);
        assert_ne!(found.labels[0], found.labels[5]);
    }
}

#[test]
fn degenerate_input_has_stated_results() {
    for algorithm in ALGORITHMS {
        let ask = |clusters| KMedoids { clusters, algorithm, ..KMedoids::default() };
        assert_eq!(fit(&[3.0, 4.0], 2, &ask(5)).labels, [0]);
        let same = fit(&[7.0; 6], 1, &ask(3));
        let sizes: Vec<usize> =
            (0..3).map(|label| same.labels.iter().filter(|&&other| other == label).count()).collect();
        assert_eq!((same.objective, sizes), (0.0, vec![4, 1, 1]));
        let all = fit(&[1.0, 2.0, 2.0], 1, &ask(9));
        let mut labels = all.labels.clone();
        labels.sort_unstable();
        assert_eq!((labels, all.objective), (vec![0, 1, 2], 0.0));
        assert_eq!(fit(&[1.0, 3.0, 4.0], 1, &ask(0)).medoids, [1]);
        assert_eq!(fit(&[1e200, -1e200, 3e200, 0.0], 1, &ask(2)).labels.len(), 4);
    }
}

#[test]
fn threads_change_nothing_and_single_precision_hardly_anything() {
    let values: Vec<f64> = (0..1200).map(|at| f64::from(at * at % 1009) * 0.01).collect();
    let points = Matrix::new(&values, 2).unwrap();
    for algorithm in ALGORITHMS {
        let settings = KMedoids { clusters: 7, algorithm, starts: 3, seed: 5, ..KMedoids::default() };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&values, 2, &settings))
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(5));
        for single_bytes in [usize::MAX, 0] {
            let distances = Distances::within(&points, Ties::Exact, 0, single_bytes, &Stop::new()).unwrap();
            let other = settings.fit_distances(&distances, &Stop::new()).unwrap();
            assert!((other.objective - one.objective).abs() <= 1e-6 * one.objective);
        }
    }
}

#[test]
fn a_raised_flag_stops() {
    let values = [1.0, 2.0, 4.0];
    let distances = Distances::new(&Matrix::new(&values, 1).unwrap(), Ties::Exact, &Stop::new()).unwrap();
    let stop = Stop::new();
    stop.raise();
    for algorithm in ALGORITHMS {
        let settings = KMedoids { clusters: 2, algorithm, ..KMedoids::default() };
        assert!(settings.fit_distances(&distances, &stop).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, rng_seed: proptest::test_runner::RngSeed::Fixed(2), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tiny_data_reach_the_optimum(values in prop::collection::vec(-1.0_f64..1.0, 20), clusters in 1_usize..4) {
        for algorithm in ALGORITHMS {
            let found = fit(&values, 2, &KMedoids { clusters, starts: 40, algorithm, ..KMedoids::default() });
            let best = optimum(&values, clusters);
            prop_assert!((found.objective - best).abs() <= ROUNDING, "{} {best}", found.objective);
        }
    }

    #[test]
    fn one_start_is_park_and_jun(values in prop::collection::vec(-1.0_f64..1.0, 160), clusters in 1_usize..9) {
        let found = fit(&values, 2, &KMedoids { clusters, starts: 1, ..KMedoids::default() });
        let (medoids, objective) = park_and_jun(&values, clusters);
        prop_assert_eq!(&found.medoids, &medoids);
        prop_assert!((found.objective - objective).abs() <= ROUNDING);
    }

    /// Every point belongs to its nearest medoid, the objective is the sum of distances, and no cluster is empty.
    #[test]
    fn the_labels_belong_to_the_medoids(values in prop::collection::vec(-3_i32..3, 60), clusters in 1_usize..12) {
        let values: Vec<f64> = values.into_iter().map(f64::from).collect();
        for algorithm in ALGORITHMS {
            let found = fit(&values, 2, &KMedoids { clusters, starts: 2, algorithm, ..KMedoids::default() });
            let own = |at: usize| distance(&values, at, found.medoids[found.labels[at] as usize]);
            for at in 0..30 {
                prop_assert!(found.medoids.iter().all(|&other| own(at) <= distance(&values, at, other)));
            }
            for (cluster, &medoid) in found.medoids.iter().enumerate() {
                prop_assert_eq!(found.labels[medoid], cluster as i32);
            }
            prop_assert!(((0..30).map(own).sum::<f64>() - found.objective).abs() <= ROUNDING);
        }
    }
}

//! Ground truth on datasets whose clusters are known.
#![allow(clippy::unwrap_used, missing_docs)]

mod data;
mod guided;

use clmatch_cluster::external::{Agreement, External, Truth};
use clmatch_cluster::{Birch, Border, CentralFirst, Density, Hdbscan, KMeans, Linkage, Radii, Ties};
use clmatch_kernels::{Control, Step, Stop, Stopped};
use clmatch_truth::techniques::{Technique, TechniqueScore, TruthSettings, best, ground_truth};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::data::{Data, blobs, quick};

#[test]
fn every_technique_finds_clusters_that_are_there() {
    let data = blobs(1, &[[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 60, 0.4);
    let outcomes = data.truth(&quick());
    assert_eq!(outcomes.iter().filter(|outcome| !outcome.near_singletons).count(), 9 * 4);
    for outcome in &outcomes {
        assert!(outcome.score > 0.95, "{outcome:?}");
        assert!(outcome.seconds >= 0.0 && !outcome.settings.is_empty());
    }
    for external in External::ALL {
        assert_eq!(best(&outcomes, external).unwrap().score, 1.0);
    }
}

#[test]
fn labels_that_mean_nothing_match_nothing() {
    let mut data = blobs(2, &[[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 60, 0.4);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    data.classes.iter_mut().for_each(|class| *class = random.random_range(0..3));
    let outcomes = data.truth(&quick());
    for external in [External::Ami, External::Arand] {
        assert!(best(&outcomes, external).unwrap().score < 0.1);
    }
}

#[test]
fn points_left_alone_are_told_apart() {
    // The labels are random: for measures that are not corrected for chance, leaving all points alone is the best
    // possible.
    let mut data = blobs(4, &[[0.0, 0.0], [3.0, 0.0]], 80, 0.6);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    data.classes.iter_mut().for_each(|class| *class = random.random_range(0..8));
    let plan = TruthSettings { techniques: vec![Technique::Dbscan], ..quick() };
    let outcomes = data.truth(&plan);
    let lonely: Vec<&TechniqueScore> = outcomes.iter().filter(|outcome| outcome.near_singletons).collect();
    assert!(lonely.iter().any(|outcome| outcome.external == External::Nmi));
    for outcome in lonely {
        assert!(outcome.settings.contains("min_samples=1"));
        let counted = best(&outcomes, outcome.external).unwrap();
        assert!(!counted.near_singletons && counted.score < outcome.score);
    }
}

/// A value of a setting, as a number.
fn setting(outcome: &TechniqueScore, name: &str) -> f64 {
    let word = outcome.settings.split(' ').find_map(|word| word.strip_prefix(&format!("{name}=")));
    word.unwrap().parse().unwrap()
}

#[test]
fn searches_find_what_trying_everything_finds() {
    let data = blobs(6, &[[0.0, 0.0], [1.6, 0.0], [0.0, 1.4], [3.0, 3.0]], 40, 0.35);
    let stop = Stop::new();
    // Ties are decided in this order.
    let central = CentralFirst::of(&data.matrix(), &stop).unwrap();
    let (points, truth) = (central.points(), Truth::new(central.rows().iter().map(|&row| data.classes[row])));
    let density = Density::new(points, 10, Ties::Exact, &stop).unwrap();
    let outcomes = data.truth(&quick());
    let of = |technique: Technique, external: External| {
        let found =
            outcomes.iter().find(|outcome| outcome.technique == technique && outcome.external == external);
        found.unwrap().clone()
    };
    for external in External::ALL {
        for (technique, linkage) in [
            (Technique::AggloSingle, Linkage::Single),
            (Technique::AggloAverage, Linkage::Average),
            (Technique::AggloComplete, Linkage::Complete),
        ] {
            let tree = linkage.fit(points, Ties::Exact, &stop).unwrap();
            // Beyond 3K clusters, `vm` and `nmi` rise without end.
            let most = if external.is_adjusted() { points.n_points() - 1 } else { 12 };
            let direct = (2..=most)
                .map(|clusters| truth.score(&tree.cut(clusters)).get(external))
                .fold(-1.0, f64::max);
            assert_eq!(of(technique, external).score, direct);
        }
        // A grid over the same space finds nothing better, and the reported setting reproduces the score.
        let dbscan = of(Technique::Dbscan, external);
        let score = |eps: f64, min_samples: usize| {
            let tree = density.tree(min_samples - 1, &stop).unwrap();
            let labels = Radii::new(&density, &tree, min_samples).labels(eps, Border::Largest);
            truth.score(&labels).get(external)
        };
        let named = score(setting(&dbscan, "eps"), setting(&dbscan, "min_samples") as usize);
        assert!((named - dbscan.score).abs() < 1e-12);
        for min_samples in 2..=10 {
            for step in 1..=25 {
                assert!(score(0.04 * f64::from(step), min_samples) <= dbscan.score + 1e-12);
            }
        }
        let hdbscan = of(Technique::Hdbscan, external);
        let score = |min_cluster_size: usize, min_samples: usize, selection_epsilon: f64| {
            let technique = Hdbscan { min_cluster_size, min_samples, selection_epsilon };
            truth.score(&technique.fit(points, &stop).unwrap()).get(external)
        };
        let [size, samples] =
            ["min_cluster_size", "min_samples"].map(|name| setting(&hdbscan, name) as usize);
        assert!((score(size, samples, setting(&hdbscan, "epsilon")) - hdbscan.score).abs() < 1e-12);
        for size in [2, 5, 13, 30, 50] {
            for (samples, epsilon) in [(1, 0.0), (1, 0.01), (4, 0.2), (10, 0.05), (7, 1.0), (5, 4.0)] {
                assert!(score(size, samples, epsilon) <= hdbscan.score + 1e-12);
            }
        }
        let kmeans = of(Technique::KMeans, external);
        let fit = KMeans { clusters: setting(&kmeans, "clusters") as usize, ..KMeans::default() };
        let direct = truth.score(&fit.fit(points, &stop).unwrap().labels).get(external);
        assert!((direct - kmeans.score).abs() < 0.05);
    }
}

#[test]
fn seeds_fix_everything_and_threads_change_nothing() {
    let data = blobs(7, &[[0.0, 0.0], [1.5, 0.0], [0.0, 1.5]], 50, 0.5);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut outcomes = pool.install(|| data.truth(&quick()));
        outcomes.iter_mut().for_each(|outcome| outcome.seconds = 0.0);
        outcomes
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn only_what_is_asked_for_is_computed() {
    let data = blobs(8, &[[0.0, 0.0], [5.0, 0.0]], 30, 0.4);
    let plan = TruthSettings {
        techniques: vec![Technique::AggloSingle, Technique::XMeans],
        externals: vec![External::Arand],
        ..quick()
    };
    let heard = std::sync::Mutex::new(Vec::new());
    let stop = Stop::new();
    let finished = |step: Step<'_>| heard.lock().unwrap().push(Technique::find(step.what).unwrap());
    let control = Control::new(&stop).with_progress(&finished);
    let outcomes = ground_truth(&data.matrix(), &Truth::new(&data.classes), &plan, control).unwrap();
    let who: Vec<Technique> = outcomes.iter().map(|outcome| outcome.technique).collect();
    assert_eq!(who, [Technique::XMeans, Technique::AggloSingle]);
    assert!(outcomes.iter().all(|outcome| outcome.external == External::Arand));
    assert_eq!(heard.into_inner().unwrap().len(), 2);
}

#[test]
fn tiny_and_degenerate_datasets_have_a_truth() {
    let equal = Data { values: vec![1.0; 24], features: 2, classes: (0..12).map(|at| at % 2).collect() };
    for outcome in equal.truth(&quick()) {
        assert!(outcome.score.is_finite() && outcome.score <= 1.0, "{outcome:?}");
    }
    let tiny = Data { values: vec![0.1, 0.2, 0.9, 1.0], features: 1, classes: vec![0, 0, 1, 1] };
    assert_eq!(best(&tiny.truth(&quick()), External::Ami).unwrap().score, 1.0);
}

#[test]
fn birch_may_choose_its_number_of_clusters() {
    let data = blobs(9, &[[0.0, 0.0], [5.0, 0.0], [0.0, 5.0], [5.0, 5.0], [9.0, 9.0]], 30, 0.3);
    let plan =
        |birch_clusters| TruthSettings { techniques: vec![Technique::Birch], birch_clusters, ..quick() };
    let [three, any] = [false, true].map(|any| best(&data.truth(&plan(any)), External::Ami).unwrap().clone());
    assert!(three.settings.contains("clusters=3") && three.score < 0.9);
    assert!(any.settings.contains("clusters=5") && any.score == 1.0, "{any:?}");
}

#[test]
fn a_raised_flag_stops_the_search() {
    let data = blobs(1, &[[0.0, 0.0], [6.0, 0.0]], 60, 0.4);
    let stop = Stop::new();
    stop.raise();
    let stopped = ground_truth(&data.matrix(), &Truth::new(&data.classes), &quick(), Control::new(&stop));
    assert_eq!(stopped, Err(Stopped));
}

/// Long clusters of very different sizes that touch: K-Means ends differently with every start.
fn restless() -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(21);
    let mut noise = |spread: f64| (0..4).map(|_| random.random_range(-spread..spread)).sum::<f64>();
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for (class, (size, [x, y], [long, wide])) in (0..).zip([
        (90, [0.0, 0.0], [0.5, 0.2]),
        (50, [1.1, 0.4], [0.2, 0.5]),
        (25, [2.0, -0.6], [0.2, 0.2]),
        (12, [0.7, -1.0], [0.3, 0.1]),
        (12, [2.4, 0.9], [0.1, 0.4]),
    ]) {
        for _ in 0..size {
            values.extend([x + noise(long), y + noise(wide)]);
            classes.push(class);
        }
    }
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    values.iter_mut().for_each(|value| *value /= largest);
    Data { values, features: 2, classes }
}

/// How far apart the scores of several runs are, for each technique and measure.
fn spread(runs: &[Vec<TechniqueScore>]) -> Vec<(Technique, External, f64)> {
    let spread = |at: usize| {
        let scores = runs.iter().map(|outcomes| outcomes[at].score);
        let (low, high) = (scores.clone().fold(f64::INFINITY, f64::min), scores.fold(-1.0, f64::max));
        (runs[0][at].technique, runs[0][at].external, high - low)
    };
    (0..runs[0].len()).map(spread).collect()
}

#[test]
fn master_seeds_hardly_move_a_score() {
    let data = restless();
    let random = vec![Technique::KMeans, Technique::XMeans, Technique::Birch];
    let plan = |seed: u64| TruthSettings { techniques: random.clone(), seed, ..quick() };
    let runs: Vec<Vec<TechniqueScore>> = (0..10).map(|seed| data.truth(&plan(seed))).collect();
    assert_eq!(runs[0].len(), 3 * 4);
    for (technique, external, spread) in spread(&runs) {
        assert!(spread < 0.01, "{technique:?} {external:?}: {spread}");
        assert!(
            spread > 0.0 || technique == Technique::Birch,
            "{technique:?} {external:?}: the seed is not used"
        );
    }
}

/// Indicator columns and whole numbers, divided by a number that has no exact binary form: most distances are tied.
fn tied(seed: u64) -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut classes) = (Vec::new(), Vec::new());
    for _ in 0..140 {
        let class = random.random_range(0..4_u32);
        for _ in 0..4 {
            let level = if random.random_bool(0.75) { class % 3 } else { random.random_range(0..3) };
            values.extend((0..3).map(|one| f64::from(u8::from(one == level))));
        }
        values.push(f64::from(class + random.random_range(0..3_u32)));
        classes.push(class);
    }
    values.iter_mut().for_each(|value| *value /= 7.0);
    Data { values, features: 13, classes }
}

/// The same points, with their rows and columns in another order.
fn shuffled(data: &Data, seed: u64) -> Data {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut order = |count: usize| {
        let mut order: Vec<usize> = (0..count).collect();
        order.shuffle(&mut random);
        order
    };
    let (rows, columns) = (order(data.classes.len()), order(data.features));
    let row = |&row: &usize| columns.iter().map(move |&column| data.values[row * data.features + column]);
    Data {
        values: rows.iter().flat_map(row).collect(),
        features: data.features,
        classes: rows.iter().map(|&row| data.classes[row]).collect(),
    }
}

#[test]
fn the_order_of_rows_and_columns_does_not_show() {
    // Deterministic techniques must agree exactly; random ones draw the same points, except for ties between centres.
    let techniques: Vec<Technique> =
        Technique::ALL.into_iter().filter(|&technique| technique != Technique::Birch).collect();
    let plan = TruthSettings { techniques, ..quick() };
    for seed in 0..3 {
        let data = tied(seed);
        let mut runs = vec![data.truth(&plan)];
        runs.extend((1..5).map(|order| shuffled(&data, order).truth(&plan)));
        assert!(runs.iter().all(|outcomes| outcomes.len() == runs[0].len()));
        for (technique, external, spread) in spread(&runs) {
            let random = matches!(technique, Technique::KMeans | Technique::XMeans);
            assert!(spread < if random { 0.01 } else { 1e-12 }, "{technique:?} {external:?}: {spread}");
        }
        // The settings must be the same, too: those of the first among equals.
        let settings = |outcomes: &[TechniqueScore]| -> Vec<String> {
            let dbscan = outcomes.iter().filter(|outcome| outcome.technique == Technique::Dbscan);
            dbscan.map(|outcome| outcome.settings.chars().take(12).collect()).collect()
        };
        assert!(runs.iter().all(|outcomes| settings(outcomes) == settings(&runs[0])));
    }
}

#[test]
fn birch_depends_on_the_order_of_rows() {
    let data = restless();
    let plan = TruthSettings { techniques: vec![Technique::Birch], ..TruthSettings::default() };
    let runs: Vec<Vec<TechniqueScore>> = (0..4).map(|order| shuffled(&data, order).truth(&plan)).collect();
    assert!(spread(&runs).iter().any(|&(_, _, spread)| spread > 0.01));
}

/// The score of BIRCH jumps with its settings: drawing 30 of them, as the paper's authors did, is sometimes lucky.
#[test]
fn birch_seldom_misses_what_random_settings_find() {
    let mut missed = 0;
    for order in 0..6 {
        let data = shuffled(&restless(), order);
        let (points, truth) = (data.matrix(), Truth::new(&data.classes));
        let plan = TruthSettings { techniques: vec![Technique::Birch], ..TruthSettings::default() };
        let found = data.truth(&plan);
        let mut random = ChaCha8Rng::seed_from_u64(order);
        let mut draw = || {
            let settings = Birch {
                threshold: random.random_range(0.01..1.0),
                branching_factor: random.random_range(10..=100),
                clusters: Some(3),
            };
            truth.score(&settings.fit(&points, &Stop::new()).unwrap().labels)
        };
        for _ in 0..5 {
            let drawn: Vec<Agreement> = (0..30).map(|_| draw()).collect();
            for external in External::ALL {
                let luck = drawn.iter().map(|one| one.get(external)).fold(-1.0, f64::max);
                missed += usize::from(best(&found, external).unwrap().score < luck - 1e-3);
            }
        }
    }
    assert!(missed <= 6, "{missed} of 120");
}

#[test]
fn one_cluster_is_named_only_where_there_is_no_other() {
    let plan = TruthSettings { techniques: vec![Technique::AggloSingle, Technique::Dbscan], ..quick() };
    // Ten places on a line, equally far apart except for rounding: single linkage joins all of them at once, and which
    // gap it leaves depends on the order. If the classes alternate, every partition is worse than chance, but one cluster
    // is not.
    for class in [|at: u32| at / 5, |at: u32| at % 2] {
        let values = (0..10).map(|at| f64::from(at) * 0.1).collect();
        let line = Data { values, features: 1, classes: (0..10).map(class).collect() };
        let outcomes = line.truth(&plan);
        let single: Vec<_> = outcomes.iter().filter(|one| one.technique == Technique::AggloSingle).collect();
        assert!(single.iter().all(|outcome| setting(outcome, "clusters") >= 2.0), "{single:?}");
    }
    let equal = Data { values: vec![1.0; 12], features: 1, classes: (0..12).map(|at| at % 2).collect() };
    for outcome in equal.truth(&plan).iter().filter(|one| one.technique == Technique::AggloSingle) {
        assert_eq!((outcome.score, outcome.settings.as_str()), (0.0, "clusters=1"), "{outcome:?}");
    }
}

/// Three clusters in one corner of a space whose length is set by one more point.
fn corner(length: f64) -> Data {
    let mut data = blobs(31, &[[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]], 40, 0.4);
    data.values.iter_mut().for_each(|value| *value *= length);
    data.values.extend([1.0, 1.0]);
    data.classes.push(0);
    data
}

/// At 1e-4, all radii that matter lie far below .01; at 1e3, far above 1.
#[test]
fn radii_and_thresholds_have_no_limits() {
    let techniques = vec![Technique::Dbscan, Technique::Hdbscan];
    let plan = TruthSettings { techniques, ..quick() };
    for length in [1e-4, 1.0, 1e3] {
        for outcome in corner(length).truth(&plan) {
            assert!(outcome.score > 0.95, "{length}: {outcome:?}");
        }
    }
}

/// Two clusters and 20 far points: cut into 2 .. 6 clusters, single linkage only splits off far points.
#[test]
fn single_linkage_is_cut_into_any_number_of_clusters() {
    let mut data = blobs(32, &[[0.0, 0.0], [4.0, 0.0]], 60, 0.2);
    for at in 0..20 {
        data.values.extend([20.0 * f64::from(at), 9.0]);
        data.classes.push(at as u32 % 2);
    }
    let plan = TruthSettings { techniques: vec![Technique::AggloSingle], ..quick() };
    let outcomes = data.truth(&plan);
    let arand = best(&outcomes, External::Arand).unwrap();
    assert!(arand.score > 0.7 && setting(arand, "clusters") == 22.0, "{arand:?}");
    // Measures that are not corrected for chance stay with 2 .. 3K clusters.
    assert!(setting(best(&outcomes, External::Nmi).unwrap(), "clusters") <= 6.0);
}

/// A quarter of the rows are at the most central place: seeds that are copies of each other would never part.
#[test]
fn medoids_do_not_start_at_one_place() {
    let mut data = blobs(33, &[[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]], 50, 0.3);
    for at in 0..50 {
        data.values.extend([0.0, 0.0]);
        data.classes.push(u32::from(at % 10 == 0));
    }
    let plan = TruthSettings { techniques: vec![Technique::KMedoids], ..quick() };
    let runs: Vec<Vec<TechniqueScore>> = (0..4).map(|order| shuffled(&data, order).truth(&plan)).collect();
    assert!(best(&runs[0], External::Ami).unwrap().score > 0.8, "{:?}", runs[0]);
    assert!(spread(&runs).iter().all(|&(_, _, spread)| spread < 1e-12), "{:?}", spread(&runs));
}

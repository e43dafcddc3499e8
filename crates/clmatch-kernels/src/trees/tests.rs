//! Compares the trees with Prim's algorithm on the whole matrix of distances.

use crate::{Control, Stop};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};

use crate::trees::{Points, Tree, merge, spanning_tree};

/// Lengths of the edges of a minimum spanning tree, shortest first, computed in the plainest way.
fn slow_lengths(points: Points<'_>, members: &[u32]) -> Vec<f64> {
    let mut best: Vec<f64> = members.iter().map(|&member| points.length(members[0], member)).collect();
    let mut outside: Vec<usize> = (1..members.len()).collect();
    let mut lengths = Vec::new();
    while !outside.is_empty() {
        let at = (0..outside.len()).min_by(|&a, &b| best[outside[a]].total_cmp(&best[outside[b]])).unwrap();
        let next = outside.swap_remove(at);
        lengths.push(best[next]);
        for &other in &outside {
            best[other] = best[other].min(points.length(members[next], members[other]));
        }
    }
    lengths.sort_by(f64::total_cmp);
    lengths
}

/// Clusters at a length, by joining all pairs: the smallest member of each point's cluster.
fn slow_clusters(points: Points<'_>, n: usize, length: f64) -> Vec<u32> {
    let mut clusters: Vec<u32> = (0..n as u32).collect();
    for a in 0..n as u32 {
        for b in 0..a {
            if points.length(a, b) <= length {
                let (from, to) = (clusters[a as usize], clusters[b as usize]);
                let (low, high) = (from.min(to), from.max(to));
                clusters.iter_mut().filter(|cluster| **cluster == high).for_each(|cluster| *cluster = low);
            }
        }
    }
    clusters
}

fn clusters(tree: &Tree, length: f64) -> Vec<u32> {
    let mut clusters = vec![0; tree.n_points()];
    let mut run: Vec<u32> = Vec::new();
    let gaps = tree.gaps().iter().copied().chain([f64::INFINITY]);
    for (&point, gap) in tree.order().iter().zip(gaps) {
        run.push(point);
        if gap > length {
            let name = *run.iter().min().unwrap();
            run.drain(..).for_each(|point| clusters[point as usize] = name);
        }
    }
    clusters
}

fn lengths(tree: &Tree) -> Vec<f64> {
    let lengths: Vec<f64> = tree.ascending().iter().map(|&at| tree.gaps()[at as usize]).collect();
    assert!(lengths.is_sorted() && lengths.len() == tree.gaps().len());
    lengths
}

/// Lengths from a direct sum may differ from those from differences in the last bits.
fn assert_same_lengths(tree: &Tree, expected: &[f64], what: &str) {
    let found = lengths(tree);
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-13 * expected, "{what}: {found} instead of {expected}");
    }
}

fn normal(n: usize, features: usize, seed: u64) -> Vec<f64> {
    let (mut random, normal) = (ChaCha8Rng::seed_from_u64(seed), Normal::new(0.0, 1.0).unwrap());
    (0..n * features).map(|_| normal.sample(&mut random)).collect()
}

/// Shapes that make trees hard: name, points, features.
fn shapes() -> Vec<(&'static str, Vec<f64>, usize)> {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut uniform = |n: usize| (0..n).map(|_| random.random::<f64>()).collect::<Vec<f64>>();
    let grid: Vec<f64> = (0..30 * 40).flat_map(|at| [(at % 30) as f64, (at / 30) as f64]).collect();
    let duplicates: Vec<f64> = (0..900_u64).flat_map(|at| [(at * at % 13) as f64, (at % 7) as f64]).collect();
    let one_hot: Vec<f64> =
        (0..800_usize).flat_map(|at| (0..10).map(move |k| f64::from(u8::from(at % 10 == k)))).collect();
    let mut far: Vec<f64> = normal(700, 3, 3);
    far[0] = 1e12;
    let shifted: Vec<f64> = normal(600, 4, 4).into_iter().map(|x| x + 1e7).collect();
    let mut clumps = normal(1500, 5, 5);
    clumps.iter_mut().enumerate().for_each(|(at, x)| *x = *x * 1e-3 + (at / 5 % 7) as f64);
    vec![
        ("uniform plane", uniform(2 * 1500), 2),
        ("line", uniform(1000), 1),
        ("round", normal(1200, 20, 1), 20),
        ("wide", normal(500, 150, 2), 150),
        ("grid", grid, 2),
        ("duplicates", duplicates, 2),
        ("one-hot", one_hot, 10),
        ("one point far away", far, 3),
        ("shifted", shifted, 4),
        ("clumps", clumps, 5),
        ("one place", vec![3.0; 400], 2),
    ]
}

#[test]
fn trees_are_minimal() {
    for (name, values, features) in shapes() {
        let points = Points::new(&values, features);
        let everyone: Vec<u32> = (0..points.n_points() as u32).collect();
        let tree = spanning_tree(points, everyone.clone(), Control::none()).unwrap();
        let mut order = tree.order().to_vec();
        order.sort_unstable();
        assert_eq!(order, everyone, "{name}");
        assert_same_lengths(&tree, &slow_lengths(points, &everyone), name);
    }
}

#[test]
fn trees_with_cores_are_minimal() {
    let values = normal(900, 3, 11);
    let cores: Vec<f64> = normal(900, 1, 12).into_iter().map(f64::abs).collect();
    let points = Points::new(&values, 3).with_cores(&cores);
    let everyone: Vec<u32> = (0..900).collect();
    let tree = spanning_tree(points, everyone.clone(), Control::none()).unwrap();
    assert_same_lengths(&tree, &slow_lengths(points, &everyone), "cores");
}

#[test]
fn merged_trees_are_minimal() {
    // Sizes on both sides of every path: one by one, in one stage, in several, on several threads.
    for (name, values, features) in shapes() {
        let points = Points::new(&values, features);
        let n = points.n_points() as u32;
        for (cut, step) in [(n / 2, 1), (n / 5, 1), (40, 1), (1, 1), (n / 2, 3)] {
            // Either the first points against the rest, or points of both sets in turn.
            let in_a = |&member: &u32| if step == 1 { member < cut } else { member % step == 0 };
            let (a, b): (Vec<u32>, Vec<u32>) = (0..n).partition(in_a);
            let [a, b] = [a, b].map(|members| spanning_tree(points, members, Control::none()).unwrap());
            let tree = merge(points, &a, &b, Control::none()).unwrap();
            let everyone: Vec<u32> = (0..n).collect();
            assert_same_lengths(&tree, &slow_lengths(points, &everyone), &format!("{name}, {cut}, {step}"));
        }
    }
}

/// Up to 48 points, or 96 of two trees, are compared one by one; with up to 16 features, tiles are skipped by their balls; up to
/// 160,000 pairs of points are examined in one stage, and from 262,144 on by several threads.
#[test]
fn trees_are_minimal_on_both_sides_of_every_size() {
    let few = [47, 48, 49, 95, 96, 97].map(|n| (n, 3));
    for (n, features) in
        few.into_iter().chain([(300, 16), (300, 17), (798, 2), (816, 2), (1008, 2), (1056, 2)])
    {
        let values = normal(n, features, n as u64);
        let points = Points::new(&values, features);
        let everyone: Vec<u32> = (0..n as u32).collect();
        let expected = slow_lengths(points, &everyone);
        let tree = spanning_tree(points, everyone.clone(), Control::none()).unwrap();
        assert_same_lengths(&tree, &expected, &format!("{n} x {features}"));
        let (a, b): (Vec<u32>, Vec<u32>) = everyone.iter().partition(|member| *member % 2 == 0);
        let [a, b] = [a, b].map(|members| spanning_tree(points, members, Control::none()).unwrap());
        let merged = merge(points, &a, &b, Control::none()).unwrap();
        assert_same_lengths(&merged, &expected, &format!("{n} x {features}, merged"));
    }
}

#[test]
fn clusters_are_those_of_all_pairs() {
    for (name, values, features) in shapes() {
        let values = &values[..values.len().min(300 * features)];
        let points = Points::new(values, features);
        let n = points.n_points();
        let tree = spanning_tree(points, (0..n as u32).collect(), Control::none()).unwrap();
        let all = lengths(&tree);
        for quantile in [0, n / 4, n / 2, n - 2] {
            let length = all[quantile] * (1.0 + 1e-12);
            assert_eq!(clusters(&tree, length), slow_clusters(points, n, length), "{name} at {length}");
        }
    }
}

#[test]
fn work_can_be_stopped() {
    let values = normal(500, 2, 1);
    let stop = Stop::new();
    stop.raise();
    assert!(spanning_tree(Points::new(&values, 2), (0..500).collect(), Control::new(&stop)).is_err());
}

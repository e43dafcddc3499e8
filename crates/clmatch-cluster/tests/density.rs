//! DBSCAN, HDBSCAN, spanning trees and linkages against slow twins that follow the definitions.
#![allow(clippy::unwrap_used, missing_docs)]

use clmatch_cluster::external::Truth;
use clmatch_cluster::{
    Dbscan, Dendrogram, Density, Hdbscan, Hierarchy, Linkage, Matrix, NOISE, Radii, Stop, Stopped,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Some blobs and some noise; `coarse` rounds coordinates, which makes ties and duplicates.
fn points(seed: u64, n: usize, features: usize, coarse: bool) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let centres: Vec<f64> = (0..4 * features).map(|_| random.random_range(-1.0..1.0)).collect();
    let mut values = Vec::new();
    for _ in 0..n {
        let centre = random.random_range(0..5_usize);
        for feature in 0..features {
            let noise: f64 = (0..4).map(|_| random.random_range(-0.2..0.2)).sum();
            let value = match centre {
                4 => random.random_range(-1.5..1.5),
                centre => centres[centre * features + feature] + noise,
            };
            values.push(if coarse { (value * 8.0).round() / 8.0 } else { value });
        }
    }
    values
}

fn distance(matrix: Matrix<'_>, a: usize, b: usize) -> f64 {
    matrix.row(a).iter().zip(matrix.row(b)).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// Same sets, whatever their names; noise is noise.
fn same(a: &[i32], b: &[i32]) -> bool {
    let (mut there, mut back) = (std::collections::HashMap::new(), std::collections::HashMap::new());
    a.iter().zip(b).all(|(&a, &b)| {
        (a == NOISE) == (b == NOISE) && *there.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a
    })
}

fn slow_dbscan(matrix: Matrix<'_>, eps: f64, min_samples: usize) -> Vec<i32> {
    let n = matrix.rows();
    let near = |a: usize| (0..n).filter(move |&b| distance(matrix, a, b) <= eps);
    let core: Vec<bool> = (0..n).map(|point| near(point).count() >= min_samples).collect();
    let mut labels = vec![NOISE; n];
    let mut next = 0;
    for start in 0..n {
        if !core[start] || labels[start] != NOISE {
            continue;
        }
        let mut stack = vec![start];
        while let Some(point) = stack.pop() {
            if labels[point] == NOISE {
                labels[point] = next;
                if core[point] {
                    stack.extend(near(point));
                }
            }
        }
        next += 1;
    }
    labels
}

#[test]
fn dbscan_agrees_with_its_definition() {
    let stop = Stop::new();
    for seed in 0..6 {
        for (features, coarse) in [(2, false), (3, true), (17, false)] {
            let values = points(seed, 150, features, coarse);
            let matrix = Matrix::new(&values, features).unwrap();
            let density = Density::new(matrix, 10, &stop).unwrap();
            for min_samples in [1, 2, 3, 5, 10] {
                let tree = density.tree(min_samples - 1, &stop).unwrap();
                let mut radii = Radii::new(&density, &tree, min_samples);
                for eps in [0.01, 0.1, 0.1875, 0.25, 0.4, 0.7, 1.0, 2.0] {
                    let slow = slow_dbscan(matrix, eps, min_samples);
                    assert_eq!(radii.labels(eps), slow, "seed {seed}, eps {eps}, min_samples {min_samples}");
                    if seed == 0 {
                        let alone = Dbscan { eps, min_samples }.fit(matrix, &stop).unwrap();
                        assert_eq!(alone, slow);
                    }
                }
            }
        }
    }
}

#[test]
fn radii_where_the_partition_changes_are_all_there() {
    let stop = Stop::new();
    let values = points(3, 80, 2, false);
    let matrix = Matrix::new(&values, 2).unwrap();
    let density = Density::new(matrix, 10, &stop).unwrap();
    let tree = density.tree(2, &stop).unwrap();
    let mut radii = Radii::new(&density, &tree, 3);
    let changes = radii.changes(0.05, 0.6, 10_000);
    assert_eq!(changes[0], 0.05);
    assert!(changes.is_sorted());
    let mut at_changes = changes.iter().map(|&eps| radii.labels(eps)).collect::<Vec<_>>();
    at_changes.dedup();
    let mut fine =
        (0..4000).map(|at| slow_dbscan(matrix, 0.05 + 0.55 * f64::from(at) / 4000.0, 3)).collect::<Vec<_>>();
    fine.dedup();
    assert!(fine.len() > 50 && fine.iter().all(|partition| at_changes.contains(partition)));
    let few = radii.changes(0.05, 0.6, 12);
    assert!(few.len() == 12 && few.first() == changes.first() && few.last() == changes.last());
}

#[test]
fn spanning_trees_are_minimal() {
    let stop = Stop::new();
    for (seed, n, features, coarse) in
        [(1, 60, 2, false), (2, 130, 5, true), (3, 2, 1, false), (4, 200, 30, false)]
    {
        let values = points(seed, n, features, coarse);
        let matrix = Matrix::new(&values, features).unwrap();
        let density = Density::new(matrix, 5, &stop).unwrap();
        for rank in [0, 1, 3, 5] {
            let core = |point: usize| {
                let mut others: Vec<f64> =
                    (0..n).filter(|&b| b != point).map(|b| distance(matrix, point, b)).collect();
                others.sort_by(f64::total_cmp);
                rank.min(n - 1).checked_sub(1).map_or(0.0, |at| others[at])
            };
            let cores: Vec<f64> = (0..n).map(core).collect();
            let mut edges: Vec<(f64, usize, usize)> = (0..n)
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .map(|(a, b)| (distance(matrix, a, b).max(cores[a]).max(cores[b]), a, b))
                .collect();
            edges.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut sets: Vec<usize> = (0..n).collect();
            let mut lengths = Vec::new();
            for (length, a, b) in edges {
                let (from, to) = (sets[a], sets[b]);
                if from != to {
                    lengths.push(length);
                    sets.iter_mut().filter(|set| **set == from).for_each(|set| *set = to);
                }
            }
            let tree = density.tree(rank, &stop).unwrap();
            assert_eq!(tree.len(), n - 1);
            for (edge, length) in tree.iter().zip(lengths) {
                assert!((edge.length - length).abs() <= 1e-12 * length);
            }
        }
    }
}

/// Clusters are lists of points; the distance between two of them by the definition of the linkage.
fn slow_linkage(matrix: Matrix<'_>, linkage: Linkage, clusters: usize) -> Vec<i32> {
    let mut sets: Vec<Vec<usize>> = (0..matrix.rows()).map(|point| vec![point]).collect();
    let between = |a: &[usize], b: &[usize]| {
        let all: Vec<f64> = a.iter().flat_map(|&x| b.iter().map(move |&y| distance(matrix, x, y))).collect();
        match linkage {
            Linkage::Single => all.iter().copied().fold(f64::INFINITY, f64::min),
            Linkage::Complete => all.iter().copied().fold(0.0, f64::max),
            Linkage::Average => all.iter().sum::<f64>() / all.len() as f64,
        }
    };
    while sets.len() > clusters {
        let pairs = (0..sets.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let nearest = pairs
            .min_by(|&(a, b), &(c, d)| between(&sets[a], &sets[b]).total_cmp(&between(&sets[c], &sets[d])));
        let (a, b) = nearest.unwrap();
        let merged = sets.swap_remove(a);
        sets[b].extend(merged);
    }
    let mut labels = vec![0; matrix.rows()];
    for (label, set) in (0..).zip(sets) {
        set.into_iter().for_each(|point| labels[point] = label);
    }
    labels
}

#[test]
fn linkages_agree_with_their_definitions() {
    let stop = Stop::new();
    let values = points(7, 45, 3, false);
    let matrix = Matrix::new(&values, 3).unwrap();
    for linkage in [Linkage::Single, Linkage::Average, Linkage::Complete] {
        let tree: Dendrogram = linkage.fit(matrix, &stop).unwrap();
        for clusters in [1, 2, 3, 7, 20, 45] {
            assert!(
                same(&tree.cut(clusters), &slow_linkage(matrix, linkage, clusters)),
                "{linkage:?} {clusters}"
            );
        }
    }
}

#[test]
fn hdbscan_finds_two_lines_and_leaves_out_the_rest() {
    // Two runs of points with gaps of 1 and of 1.1, 20 apart, and one point far away.
    let mut values: Vec<f64> = (0..10).map(f64::from).collect();
    values.extend((0..8).map(|at| 29.0 + 1.1 * f64::from(at)));
    values.push(500.0);
    let matrix = Matrix::new(&values, 1).unwrap();
    let labels =
        Hdbscan { min_cluster_size: 4, min_samples: 1, selection_epsilon: 0.0 }.fit(matrix, &Stop::new());
    let expected: Vec<i32> = [[0; 10].as_slice(), &[1; 8], &[NOISE]].concat();
    assert!(same(&labels.unwrap(), &expected));
    // Where clusters must have nine points, only one side of the first split is a cluster: no split at all.
    let none =
        Hdbscan { min_cluster_size: 9, min_samples: 1, selection_epsilon: 0.0 }.fit(matrix, &Stop::new());
    assert_eq!(none.unwrap(), [NOISE; 19]);
}

#[test]
fn a_threshold_above_all_births_keeps_the_first_split() {
    let stop = Stop::new();
    let values = points(11, 300, 2, false);
    let matrix = Matrix::new(&values, 2).unwrap();
    let density = Density::new(matrix, 4, &stop).unwrap();
    let hierarchy = Hierarchy::new(300, &density.tree(4, &stop).unwrap());
    let condensed = hierarchy.condense(5);
    assert!(condensed.select(0.0).len() > 2);
    // Nothing gives way to the root: its children stay.
    assert_eq!(condensed.select(1e9), [1, 2]);
}

#[test]
fn counting_clusters_is_labelling_points() {
    let stop = Stop::new();
    for seed in 0..4 {
        let values = points(seed, 250, 3, seed == 3);
        let classes: Vec<i32> = (0..250).map(|at| (at * at + 3) % 4).collect();
        let truth = Truth::new(&classes);
        let density = Density::new(Matrix::new(&values, 3).unwrap(), 6, &stop).unwrap();
        for rank in [1, 3, 6] {
            let hierarchy = Hierarchy::new(250, &density.tree(rank, &stop).unwrap());
            for size in [2, 3, 10, 40] {
                let condensed = hierarchy.condense(size);
                let census = condensed.census(&truth);
                for epsilon in condensed.thresholds(0.01, 1.0, 9) {
                    let selected = condensed.select(epsilon);
                    let by_points = truth.score(&condensed.labels(&selected));
                    let by_counts = truth.agreement(&condensed.overlap(&selected, &census));
                    for external in clmatch_cluster::external::External::ALL {
                        assert!((by_points.get(external) - by_counts.get(external)).abs() < 1e-12);
                    }
                }
            }
        }
    }
}

#[test]
fn duplicates_and_single_points_are_no_trouble() {
    let stop = Stop::new();
    let equal = [3.0; 20];
    let matrix = Matrix::new(&equal, 2).unwrap();
    assert_eq!(Dbscan { eps: 0.1, min_samples: 3 }.fit(matrix, &stop).unwrap(), [0; 10]);
    assert_eq!(Dbscan { eps: 0.1, min_samples: 11 }.fit(matrix, &stop).unwrap(), [NOISE; 10]);
    let hdbscan = Hdbscan { min_cluster_size: 2, min_samples: 3, selection_epsilon: 0.1 };
    assert_eq!(hdbscan.fit(matrix, &stop).unwrap().len(), 10);
    let alone = Matrix::new(&equal[..2], 2).unwrap();
    assert_eq!(hdbscan.fit(alone, &stop).unwrap(), [NOISE]);
    assert_eq!(Dbscan { eps: 1.0, min_samples: 1 }.fit(alone, &stop).unwrap(), [0]);
    assert_eq!(Dbscan { eps: 1.0, min_samples: 2 }.fit(alone, &stop).unwrap(), [NOISE]);
}

#[test]
fn a_raised_flag_stops_the_work() {
    let values = points(1, 500, 4, false);
    let matrix = Matrix::new(&values, 4).unwrap();
    let stop = Stop::new();
    stop.raise();
    assert_eq!(Dbscan { eps: 0.1, min_samples: 3 }.fit(matrix, &stop), Err(Stopped));
    assert_eq!(Linkage::Average.fit(matrix, &stop), Err(Stopped));
}

//! DBSCAN, HDBSCAN, spanning trees and linkages against slow implementations of their definitions.

use clmatch_cluster::external::Truth;
use clmatch_cluster::{
    Border, CentralFirst, Dbscan, Dendrogram, Density, Distances, Hdbscan, Hierarchy, KMedoids, Linkage,
    Matrix, NOISE, Radii, Stop, Stopped, Ties,
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

fn distance(matrix: &Matrix<'_>, a: usize, b: usize) -> f64 {
    matrix.row(a).iter().zip(matrix.row(b)).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

/// Whether two partitions have the same sets, whatever their names, and the same noise.
fn same(a: &[i32], b: &[i32]) -> bool {
    let (mut there, mut back) = (std::collections::HashMap::new(), std::collections::HashMap::new());
    a.iter().zip(b).all(|(&a, &b)| {
        (a == NOISE) == (b == NOISE) && *there.entry(a).or_insert(b) == b && *back.entry(b).or_insert(a) == a
    })
}

fn slow_dbscan(matrix: &Matrix<'_>, eps: f64, min_samples: usize) -> Vec<i32> {
    let n = matrix.n_points();
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
            let density = Density::new(&matrix, 10, Ties::Exact, &stop).unwrap();
            for min_samples in [1, 2, 3, 5, 10] {
                let tree = density.tree(min_samples - 1, &stop).unwrap();
                let mut radii = Radii::new(&density, &tree, min_samples);
                for eps in [0.01, 0.1, 0.1875, 0.25, 0.4, 0.7, 1.0, 2.0] {
                    let slow = slow_dbscan(&matrix, eps, min_samples);
                    assert_eq!(
                        radii.labels(eps, Border::First),
                        slow,
                        "seed {seed}, eps {eps}, min_samples {min_samples}"
                    );
                    if seed == 0 {
                        let alone = Dbscan { eps, min_samples }.fit(&matrix, &stop).unwrap();
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
    let density = Density::new(&matrix, 10, Ties::Exact, &stop).unwrap();
    let tree = density.tree(2, &stop).unwrap();
    let mut radii = Radii::new(&density, &tree, 3);
    let between = radii.between_changes(10_000);
    assert!(between.is_sorted() && between[0] > 0.0);
    let partitions = between.iter().map(|&eps| radii.labels(eps, Border::First)).collect::<Vec<_>>();
    let mut fine =
        (0..4000).map(|at| slow_dbscan(&matrix, 0.6 * f64::from(at) / 4000.0, 3)).collect::<Vec<_>>();
    fine.dedup();
    assert!(fine.len() > 50 && fine.iter().all(|partition| partitions.contains(partition)));
    let few = radii.between_changes(12);
    assert!(few.len() == 12 && few.first() == between.first() && few.last() == between.last());
}

/// Whole numbers times a factor that has no exact binary form: equal distances differ in their last digits.
fn grid(seed: u64, n: usize, features: usize, factor: f64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..n * features).map(|_| f64::from(random.random_range(0..4_u8)) * factor).collect()
}

#[test]
fn every_partition_on_a_grid_has_one_radius() {
    let stop = Stop::new();
    let (n, features, factor) = (90, 6, 0.1 / 3.0);
    let values = grid(5, n, features, factor);
    let matrix = Matrix::new(&values, features).unwrap();
    let density = Density::new(&matrix, 5, Ties::Rounded, &stop).unwrap();
    // Radii between sqrt(m) and sqrt(m + 1) times the factor, up to the first distance after which nothing changes.
    for min_samples in [1, 2, 4, 6] {
        let tree = density.tree(min_samples - 1, &stop).unwrap();
        let mut radii = Radii::new(&density, &tree, min_samples);
        let between = radii.between_changes(1000);
        assert!((2..20).contains(&between.len()), "{}", between.len());
        for &eps in &between {
            let whole = (eps / factor).powi(2);
            let nearest = (whole.round().sqrt() * factor / eps - 1.0).abs();
            assert!(nearest > 1e-6, "{eps} is a distance");
            assert!(same(&radii.labels(eps, Border::First), &slow_dbscan(&matrix, eps, min_samples)));
        }
    }
}

#[test]
fn radii_reach_from_nobody_to_everybody() {
    let stop = Stop::new();
    for (values, expected) in [
        (vec![0.0, 1.0, 3.2], vec![0.5, 1.6, 2.42]),
        (vec![0.0, 0.1 + 0.7 + 0.2, 2.0], vec![0.5, 1.1]),
        (vec![0.0, 0.0, 1e-6, 9.0], vec![5e-7, 4.5, 9.9]),
        (vec![2.0, 2.0], vec![1.0]),
        (vec![2.0], vec![1.0]),
    ] {
        let matrix = Matrix::new(&values, 1).unwrap();
        let density = Density::new(&matrix, 1, Ties::Exact, &stop).unwrap();
        let tree = density.tree(0, &stop).unwrap();
        let between = Radii::new(&density, &tree, 1).between_changes(1000);
        assert_eq!(between.len(), expected.len(), "{values:?}: {between:?}");
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6 * b;
        assert!(between.iter().zip(&expected).all(close), "{values:?}: {between:?}");
    }
}

#[test]
fn a_point_between_clusters_joins_the_first_or_the_largest() {
    // Four points, five points, and one that is within 1 of the last of the four and of the first of the five.
    let values = [0.0, 0.1, 0.2, 0.3, 1.25, 2.2, 2.3, 2.4, 2.5, 2.6];
    let labels = |points: &[f64], border: Border| {
        let matrix = Matrix::new(points, 1).unwrap();
        let density = Density::new(&matrix, 3, Ties::Exact, &Stop::new()).unwrap();
        let tree = density.tree(3, &Stop::new()).unwrap();
        Radii::new(&density, &tree, 4).labels(1.0, border)
    };
    assert_eq!(labels(&values, Border::First), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(labels(&values, Border::Largest), [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    // Among equally large ones, the first.
    assert_eq!(labels(&values[..9], Border::Largest), [0, 0, 0, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn spanning_trees_are_minimal() {
    let stop = Stop::new();
    for (seed, n, features, coarse) in
        [(1, 60, 2, false), (2, 130, 5, true), (3, 2, 1, false), (4, 200, 30, false)]
    {
        let values = points(seed, n, features, coarse);
        let matrix = Matrix::new(&values, features).unwrap();
        let density = Density::new(&matrix, 5, Ties::Exact, &stop).unwrap();
        for rank in [0, 1, 3, 5] {
            let core = |point: usize| {
                let mut others: Vec<f64> =
                    (0..n).filter(|&b| b != point).map(|b| distance(&matrix, point, b)).collect();
                others.sort_by(f64::total_cmp);
                rank.min(n - 1).checked_sub(1).map_or(0.0, |at| others[at])
            };
            let cores: Vec<f64> = (0..n).map(core).collect();
            let mut edges: Vec<(f64, usize, usize)> = (0..n)
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .map(|(a, b)| (distance(&matrix, a, b).max(cores[a]).max(cores[b]), a, b))
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

/// Clusters as lists of points; the distance between two clusters follows the definition of the linkage.
fn slow_linkage(matrix: &Matrix<'_>, linkage: Linkage, clusters: usize) -> Vec<i32> {
    let mut sets: Vec<Vec<usize>> = (0..matrix.n_points()).map(|point| vec![point]).collect();
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
    let mut labels = vec![0; matrix.n_points()];
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
        let tree: Dendrogram = linkage.fit(&matrix, Ties::Exact, &stop).unwrap();
        for clusters in [1, 2, 3, 7, 20, 45] {
            assert!(
                same(&tree.cut(clusters), &slow_linkage(&matrix, linkage, clusters)),
                "{linkage:?} {clusters}"
            );
        }
    }
}

#[test]
fn cuts_between_equal_heights_are_not_clear() {
    // Gaps of 1, 1, 2, 4: there is one partition into three clusters, and two into four.
    let values = [0.0, 1.0, 2.0, 4.0, 8.0];
    let tree = Linkage::Single.fit(&Matrix::new(&values, 1).unwrap(), Ties::Exact, &Stop::new()).unwrap();
    assert_eq!((1..=5).filter(|&clusters| tree.is_clear(clusters)).collect::<Vec<_>>(), [1, 2, 3, 5]);
    assert!((1..=5).all(|clusters| tree.keeps_copies(clusters)));
    // Ten places on a line, with the last digits that multiples of .1 have: all gaps are equal.
    let values: Vec<f64> = (0..10).map(|at| f64::from(at) * 0.1).collect();
    let tree = Linkage::Single.fit(&Matrix::new(&values, 1).unwrap(), Ties::Exact, &Stop::new()).unwrap();
    assert!(tree.heights().windows(2).any(|pair| pair[0] != pair[1]));
    assert_eq!((1..=10).filter(|&clusters| tree.is_clear(clusters)).collect::<Vec<_>>(), [1, 10]);
    // Two places with three points and two.
    let values = [0.0, 1.0, 0.0, 0.0, 1.0];
    let tree = Linkage::Average.fit(&Matrix::new(&values, 1).unwrap(), Ties::Exact, &Stop::new()).unwrap();
    assert_eq!((1..=5).filter(|&clusters| tree.keeps_copies(clusters)).collect::<Vec<_>>(), [1, 2]);
}

/// Techniques that use distances alone find the same partition, point by point.
#[test]
fn the_order_of_rows_and_columns_does_not_show_on_a_grid() {
    let stop = Stop::new();
    let (n, features) = (130, 7);
    for seed in 0..4 {
        let values = grid(seed, n, features, 0.1 / 3.0);
        let mut random = ChaCha8Rng::seed_from_u64(seed + 100);
        let mut shuffled = |count: usize| {
            let mut order: Vec<usize> = (0..count).collect();
            (1..count).rev().for_each(|at| order.swap(at, random.random_range(0..=at)));
            order
        };
        let (rows, columns) = (shuffled(n), shuffled(features));
        let other: Vec<f64> = rows
            .iter()
            .flat_map(|&row| columns.iter().map(move |&column| (row, column)))
            .map(|(row, column)| values[row * features + column])
            .collect();
        let [straight, back] =
            [(&values, (0..n).collect::<Vec<_>>()), (&other, rows)].map(|(values, rows)| {
                let central = CentralFirst::of(&Matrix::new(values, features).unwrap(), &stop).unwrap();
                let listed: Vec<usize> = central.rows().iter().map(|&row| rows[row]).collect();
                let partitions = all_partitions(central.points(), &stop);
                partitions.into_iter().map(|labels| relisted(&labels, &listed)).collect::<Vec<_>>()
            });
        assert!(straight.len() > 30);
        for (at, (one, other)) in straight.iter().zip(&back).enumerate() {
            assert!(same(one, other), "seed {seed}, partition {at}");
        }
    }
}

/// The partitions by every technique that uses distances alone.
fn all_partitions(points: &Matrix<'_>, stop: &Stop) -> Vec<Vec<i32>> {
    let mut partitions = Vec::new();
    let density = Density::new(points, 6, Ties::Rounded, stop).unwrap();
    for samples in [2, 4, 6] {
        let tree = density.tree(samples, stop).unwrap();
        let mut radii = Radii::new(&density, &tree, samples + 1);
        let between = radii.between_changes(100);
        partitions.extend(between.iter().map(|&eps| radii.labels(eps, Border::Largest)));
        let condensed = Hierarchy::new(points.n_points(), &tree).condense(3);
        let thresholds = condensed.thresholds(100);
        partitions.extend(thresholds.iter().map(|&epsilon| condensed.labels(&condensed.select(epsilon))));
    }
    for linkage in [Linkage::Single, Linkage::Average, Linkage::Complete] {
        let tree = linkage.fit(points, Ties::Rounded, stop).unwrap();
        let clear = (1..=60).filter(|&clusters| tree.is_clear(clusters));
        partitions.extend(clear.map(|clusters| tree.cut(clusters)));
    }
    let distances = Distances::new(points, Ties::Rounded, stop).unwrap();
    for clusters in [2, 5, 9] {
        let fit = KMedoids { clusters, starts: 1, ..KMedoids::default() };
        partitions.push(fit.fit_distances(&distances, stop).unwrap().labels);
    }
    partitions
}

/// The labels of reordered points, put back in the original order.
fn relisted(labels: &[i32], rows: &[usize]) -> Vec<i32> {
    let mut listed = vec![NOISE; labels.len()];
    rows.iter().zip(labels).for_each(|(&row, &label)| listed[row] = label);
    listed
}

#[test]
fn hdbscan_finds_two_lines_and_leaves_out_the_rest() {
    // Two runs of points with gaps of 1 and of 1.1, 20 apart, and one point far away.
    let mut values: Vec<f64> = (0..10).map(f64::from).collect();
    values.extend((0..8).map(|at| 29.0 + 1.1 * f64::from(at)));
    values.push(500.0);
    let matrix = Matrix::new(&values, 1).unwrap();
    let labels =
        Hdbscan { min_cluster_size: 4, min_samples: 1, selection_epsilon: 0.0 }.fit(&matrix, &Stop::new());
    let expected: Vec<i32> = [[0; 10].as_slice(), &[1; 8], &[NOISE]].concat();
    assert!(same(&labels.unwrap(), &expected));
    // If clusters must have nine points, only one side of the first split is a cluster, so there is no split at all.
    let none =
        Hdbscan { min_cluster_size: 9, min_samples: 1, selection_epsilon: 0.0 }.fit(&matrix, &Stop::new());
    assert_eq!(none.unwrap(), [NOISE; 19]);
}

#[test]
fn a_threshold_above_all_births_keeps_the_first_split() {
    let stop = Stop::new();
    let values = points(11, 300, 2, false);
    let matrix = Matrix::new(&values, 2).unwrap();
    let density = Density::new(&matrix, 4, Ties::Exact, &stop).unwrap();
    let hierarchy = Hierarchy::new(300, &density.tree(4, &stop).unwrap());
    let condensed = hierarchy.condense(5);
    assert!(condensed.select(0.0).len() > 2);
    // Nothing gives way to the root: its children remain.
    assert_eq!(condensed.select(1e9), [1, 2]);
}

/// Epsilon 0 is the default, and the thresholds yield every selection that any threshold gives.
#[test]
fn thresholds_give_every_selection() {
    let stop = Stop::new();
    for (seed, scale) in [(1, 1.0), (2, 1e-4), (3, 1e4)] {
        let values: Vec<f64> = points(seed, 200, 2, seed == 3).iter().map(|value| scale * value).collect();
        let matrix = Matrix::new(&values, 2).unwrap();
        let density = Density::new(&matrix, 4, Ties::Exact, &stop).unwrap();
        let condensed = Hierarchy::new(200, &density.tree(2, &stop).unwrap()).condense(3);
        let thresholds = condensed.thresholds(10_000);
        assert!(thresholds[0] == 0.0 && thresholds.is_sorted());
        let selections: Vec<Vec<u32>> = thresholds.iter().map(|&epsilon| condensed.select(epsilon)).collect();
        let fine: Vec<Vec<u32>> =
            (0..4000).map(|at| condensed.select(scale * f64::from(at) / 2000.0)).collect();
        assert!(selections.len() > 2, "seed {seed}: {thresholds:?}");
        assert!(fine.iter().all(|selected| selections.contains(selected)), "seed {seed}");
        assert_eq!(condensed.thresholds(3).len(), 3);
    }
}

#[test]
fn counting_clusters_is_labelling_points() {
    let stop = Stop::new();
    for seed in 0..4 {
        let values = points(seed, 250, 3, seed == 3);
        let classes: Vec<i32> = (0..250).map(|at| (at * at + 3) % 4).collect();
        let truth = Truth::new(&classes);
        let matrix = Matrix::new(&values, 3).unwrap();
        let density = Density::new(&matrix, 6, Ties::Exact, &stop).unwrap();
        for rank in [1, 3, 6] {
            let hierarchy = Hierarchy::new(250, &density.tree(rank, &stop).unwrap());
            for size in [2, 3, 10, 40] {
                let condensed = hierarchy.condense(size);
                let census = condensed.census(&truth);
                for epsilon in condensed.thresholds(9) {
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
    assert_eq!(Dbscan { eps: 0.1, min_samples: 3 }.fit(&matrix, &stop).unwrap(), [0; 10]);
    assert_eq!(Dbscan { eps: 0.1, min_samples: 11 }.fit(&matrix, &stop).unwrap(), [NOISE; 10]);
    let hdbscan = Hdbscan { min_cluster_size: 2, min_samples: 3, selection_epsilon: 0.1 };
    assert_eq!(hdbscan.fit(&matrix, &stop).unwrap().len(), 10);
    let alone = Matrix::new(&equal[..2], 2).unwrap();
    assert_eq!(hdbscan.fit(&alone, &stop).unwrap(), [NOISE]);
    assert_eq!(Dbscan { eps: 1.0, min_samples: 1 }.fit(&alone, &stop).unwrap(), [0]);
    assert_eq!(Dbscan { eps: 1.0, min_samples: 2 }.fit(&alone, &stop).unwrap(), [NOISE]);
}

#[test]
fn a_raised_flag_stops_the_work() {
    let values = points(1, 500, 4, false);
    let matrix = Matrix::new(&values, 4).unwrap();
    let stop = Stop::new();
    stop.raise();
    assert_eq!(Dbscan { eps: 0.1, min_samples: 3 }.fit(&matrix, &stop), Err(Stopped));
    assert_eq!(Linkage::Average.fit(&matrix, Ties::Exact, &stop), Err(Stopped));
}

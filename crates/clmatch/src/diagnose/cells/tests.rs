//! Compares unions of cells with their definitions, and with classes that are really merged.

use super::*;
use crate::{Labels, Points};

/// Allows for sums in another order.
const TOLERANCE: f64 = 1e-12;

/// Pairs of unions of five cells: of several sizes, in any order, some of them leaving out cells.
const UNIONS: [[&[usize]; 2]; 5] =
    [[&[0, 2, 4], &[1, 3]], [&[3], &[1, 0]], [&[4, 1], &[2]], [&[2, 0, 1], &[4, 3]], [&[1], &[0, 4, 3, 2]]];

/// Points, cell after cell.
struct Sample {
    values: Vec<f64>,
    features: usize,
    cells: Vec<usize>,
}

impl Sample {
    /// Five cells of 3, 2, 4, 2 and 3 points.
    fn plane() -> Sample {
        let cells: [&[[f64; 2]]; 5] = [
            &[[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]],
            &[[4.0, 4.0], [5.0, 2.0]],
            &[[2.0, 6.0], [3.0, 8.0], [0.0, 7.0], [1.0, 5.0]],
            &[[8.0, 1.0], [9.0, 3.5]],
            &[[6.0, 7.0], [8.0, 8.0], [7.0, 5.0]],
        ];
        let numbers = cells.iter().enumerate().flat_map(|(cell, points)| vec![cell; points.len()]).collect();
        Sample { values: cells.concat().concat(), features: 2, cells: numbers }
    }

    fn line(cells: &[&[f64]]) -> Sample {
        let numbers = cells.iter().enumerate().flat_map(|(cell, points)| vec![cell; points.len()]).collect();
        Sample { values: cells.concat(), features: 1, cells: numbers }
    }

    fn cells(&self) -> Cells {
        let labels = Labels::encode(&self.cells);
        let points = Points::new(&self.values[..], self.features).unwrap();
        Cells::compute(&Classes::new(points, &labels).unwrap(), Control::none()).unwrap()
    }

    /// The terms of two classes that are merged from the cells before anything is computed.
    fn merged(&self, groups: [&[usize]; 2]) -> ClmTerms {
        let (mut values, mut labels): (Vec<f64>, Vec<usize>) = (Vec::new(), Vec::new());
        for (point, cell) in self.values.chunks_exact(self.features).zip(&self.cells) {
            if let Some(label) = groups.iter().position(|group| group.contains(cell)) {
                values.extend(point);
                labels.push(label);
            }
        }
        let labels = Labels::encode(&labels);
        let classes = Classes::new(Points::new(values, self.features).unwrap(), &labels).unwrap();
        let statistics = Statistics::compute(&classes, CLM_PAIRS.plan(), Control::none()).unwrap();
        clm::terms(&statistics.pair(0, 1))
    }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= TOLERANCE, "{found} instead of {expected}");
}

fn same_terms(found: ClmTerms, expected: ClmTerms) {
    near(found.eta, expected.eta);
    near(found.kappa, expected.kappa);
    near(found.nu, expected.nu);
}

fn rows_of(cells: &Cells, members: &[usize]) -> Vec<usize> {
    members.iter().flat_map(|&cell| cells.points(cell)).collect()
}

fn centroid(frame: &Frame, rows: &[usize]) -> Vec<f64> {
    let mean = |f: usize| rows.iter().map(|&row| frame.row(row)[f]).sum::<f64>() / rows.len() as f64;
    (0..frame.features).map(mean).collect()
}

/// The sum of squared distances to the centroid.
fn scatter(frame: &Frame, rows: &[usize]) -> f64 {
    let centre = centroid(frame, rows);
    rows.iter().map(|&row| squared_distance(frame.row(row), &centre)).sum()
}

#[test]
fn unions_of_cells_are_their_definitions() {
    let cells = Sample::plane().cells();
    let frame = cells.frame();
    for groups in UNIONS {
        let sides = groups.map(|members| CellUnion::of(&cells, members));
        let rows = groups.map(|members| rows_of(&cells, members));
        let centroids = rows.each_ref().map(|rows| centroid(frame, rows));
        for (at, side) in sides.iter().enumerate() {
            let n = rows[at].len() as f64;
            assert_eq!(side.size, n);
            near(side.variance, scatter(frame, &rows[at]) / n);
            // The scatter that is not within the cells lies between them.
            let within: f64 = groups[at].iter().map(|&cell| scatter(frame, &rows_of(&cells, &[cell]))).sum();
            near(side.inner, (scatter(frame, &rows[at]) - within) / n);
            for x in 0..frame.len() {
                near(side.square(&cells, x), squared_distance(frame.row(x), &centroids[at]));
            }
        }
        let gap = cells.gap([&sides[0], &sides[1]]);
        near(gap, squared_distance(&centroids[0], &centroids[1]));
        let all = rows.concat();
        near(total(&sides, gap), scatter(frame, &all) / all.len() as f64);
    }
}

/// Hartigan's cost is the scatter of a class with a point less its scatter without it.
#[test]
fn costs_are_what_a_point_adds_to_the_scatter() {
    let cells = Sample::plane().cells();
    let frame = cells.frame();
    for groups in UNIONS {
        let rows = groups.map(|members| rows_of(&cells, members));
        let cost = |x: usize, class: &[usize]| {
            let without: Vec<usize> = class.iter().copied().filter(|&y| y != x).collect();
            scatter(frame, &[&without[..], &[x]].concat()) - scatter(frame, &without)
        };
        for (own, costs) in cells.costs_of(groups).into_iter().enumerate() {
            assert_eq!(costs.len(), rows[own].len());
            for (u, &x) in costs.into_iter().zip(&rows[own]) {
                near(u, cost(x, &rows[0]) - cost(x, &rows[1]));
            }
        }
    }
}

#[test]
fn terms_of_unions_are_those_of_merged_classes() {
    let sample = Sample::plane();
    let cells = sample.cells();
    for groups in UNIONS {
        same_terms(cells.pair_terms(groups), sample.merged(groups));
    }
}

/// The far cell is in no union: it makes the unit of the cells so large that lengths of the others are small numbers.
#[test]
fn what_touches_is_decided_beside_the_extent_of_the_unions() {
    let near_by = 1e-3;
    let sample = Sample::line(&[&[0.0, 0.0], &[0.0; 3], &[near_by, near_by, 1.0], &[100.0, 101.0]]);
    let groups: [&[usize]; 2] = [&[0, 1], &[2]];
    let found = sample.cells().pair_terms(groups);
    same_terms(found, sample.merged(groups));
    // Points that coincide are clusters: of 28 pairs A = 10 + 3 are in one class, M = 10 + 1 in one cluster, S = 11 in
    // both; E = 13 * 11 / 28, and the index is (11 - E) / (12 - E).
    let expected = 143.0 / 28.0;
    near(found.kappa, (11.0 - expected) / (12.0 - expected));
}

/// As above: the first class has an extent of 1e-20 of the scatter, and all terms are checked.
#[test]
fn what_has_no_extent_is_decided_beside_that_of_the_unions() {
    let d = 1e-10;
    let sample = Sample::line(&[&[0.0, d], &[0.0, d, 2.0 * d], &[1.0; 3], &[100.0, 101.0]]);
    let groups: [&[usize]; 2] = [&[0, 1], &[2]];
    let found = sample.cells().pair_terms(groups);
    same_terms(found, sample.merged(groups));
    // Of five neighbours, the five points of the first class have four among themselves, the three of the second two.
    near(found.nu, normalised_information(&[20.0, 5.0, 9.0, 6.0], 2));
}

#[test]
fn unions_without_extent_have_all_or_nothing() {
    let groups: [&[usize]; 2] = [&[0, 1], &[2]];
    for (place, value) in [(1.0, 1.0), (0.0, 0.0)] {
        let sample = Sample::line(&[&[0.0; 2], &[0.0; 3], &[place; 3]]);
        assert_eq!(sample.cells().pair_terms(groups), ClmTerms::new(value, value, value));
    }
    // An extent of less than 1e-26 of the scatter counts as 0.
    let sample = Sample::line(&[&[0.0, 1e-14], &[0.0; 3], &[1.0; 3]]);
    assert_eq!(sample.cells().pair_terms(groups), ClmTerms::new(1.0, 1.0, 1.0));
}

#[test]
fn eta_by_hand() {
    // Means -2 and 3, squares 2 and 14 around them; between them 2 * 3 / 5 * 5^2 = 30.
    near(eta(&[vec![-3.0, -1.0], vec![1.0, 2.0, 6.0]]), 30.0 / 46.0);
    assert_eq!(eta(&[vec![3.0, 1.0], vec![-1.0, -2.0]]), 0.0);
    assert_eq!(eta(&[vec![1.0, 2.0], vec![1.5, 1.5]]), 0.0);
}

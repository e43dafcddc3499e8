use super::*;
use crate::simd::sums::squared_distance;

fn points(n: usize, features: usize, salt: u64) -> Vec<f64> {
    let number = |at: usize| {
        let mixed = (at as u64 + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40) as f64 / (1_u64 << 24) as f64
    };
    (0..n * features).map(number).collect()
}

struct Case {
    features: usize,
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Case {
    fn new(n: usize, m: usize, features: usize) -> Case {
        Case { features, a: points(n, features, 1), b: points(m, features, 77_777) }
    }

    fn packed(&self) -> [PackedSide; 2] {
        let centre = vec![0.25; self.features];
        [
            PackedSide::rows(self.a.chunks_exact(self.features), &centre),
            PackedSide::columns(self.b.chunks_exact(self.features), &centre),
        ]
    }

    fn square(&self, row: usize, column: usize) -> f64 {
        let point = |values: &[f64], at: usize| values[at * self.features..(at + 1) * self.features].to_vec();
        squared_distance(&point(&self.a, row), &point(&self.b, column))
    }
}

const SIZES: [(usize, usize, usize); 6] =
    [(1, 1, 1), (8, 24, 3), (9, 25, 7), (30, 100, 2), (17, 50, 64), (40, 30, 300)];

#[test]
fn every_pair_below_its_limit_is_found_and_none_is_far_above() {
    for (n, m, features) in SIZES {
        let case = Case::new(n, m, features);
        let [rows, columns] = case.packed();
        let scale = features as f64 / 12.0;
        let of_rows: Vec<f64> = (0..rows.padded()).map(|i| scale * (i % 5) as f64 / 5.0).collect();
        let of_columns: Vec<f64> = (0..columns.padded()).map(|j| scale * (j % 7) as f64 / 7.0).collect();
        let panels: Vec<u32> = (0..rows.panels() as u32).rev().collect();
        let tiles: Vec<f64> = (0..panels.len() * columns.panels()).map(|t| (t % 3) as f64 - 1.0).collect();
        let limits = Limits { rows: &of_rows, columns: &of_columns, tiles: &tiles };
        let mut found = Vec::new();
        near([&rows, &columns], &panels, 0..columns.panels(), limits, &mut found);
        let limit = |row: usize, column: usize| {
            let place = panels.iter().position(|&panel| panel as usize == row / ROWS).unwrap();
            let tile = tiles[place * columns.panels() + column / COLUMNS];
            if tile < 0.0 { -1.0 } else { tile.max(of_rows[row]).max(of_columns[column]) }
        };
        let mut expected = 0;
        for row in 0..n {
            for column in 0..m {
                let (square, limit) = (case.square(row, column), limit(row, column));
                let hit = found.iter().find(|near| (near.row, near.column) == (row as u32, column as u32));
                assert!(hit.is_some() || square >= limit, "{row}, {column} is missing");
                if let Some(near) = hit {
                    assert!(near.square <= square && square < limit + 1e-9, "{row}, {column}");
                }
                expected += usize::from(hit.is_some());
            }
        }
        assert_eq!(found.len(), expected, "nothing is found twice, and no point that is not there");
    }
}

#[test]
fn the_nearest_of_rows_and_of_columns() {
    for (n, m, features) in SIZES {
        let case = Case::new(n, m, features);
        let [rows, columns] = case.packed();
        let (mut of_rows, mut of_columns) = (NearestSoFar::new(&rows), NearestSoFar::new(&columns));
        let panels: Vec<u32> = (0..rows.panels() as u32).collect();
        nearest([&rows, &columns], &panels, [&mut of_rows, &mut of_columns]);
        for row in 0..n {
            let least = (0..m).map(|column| case.square(row, column)).fold(f64::INFINITY, f64::min);
            assert!(case.square(row, of_rows.of(row).unwrap() as usize) <= least * (1.0 + 1e-12));
        }
        for column in 0..m {
            let least = (0..n).map(|row| case.square(row, column)).fold(f64::INFINITY, f64::min);
            assert!(case.square(of_columns.of(column).unwrap() as usize, column) <= least * (1.0 + 1e-12));
        }
    }
}

#[test]
fn squares_from_differences() {
    for (n, m, features) in SIZES {
        let case = Case::new(n, m, features);
        let [rows, columns] = case.packed();
        let mut squares = vec![0.0; rows.padded() * columns.padded()];
        squares_by_differences([&rows, &columns], &mut squares);
        for row in 0..n {
            for column in 0..m {
                let (found, expected) = (squares[row * columns.padded() + column], case.square(row, column));
                assert!((found - expected).abs() <= 1e-13 * expected, "{row}, {column}: {found} {expected}");
            }
        }
    }
}

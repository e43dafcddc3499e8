//! An order of points that depends on where they are, not on how they are listed.
//!
//! Techniques that choose the first of equally good candidates depend on the order of the points. Given the points in an
//! order that follows from their distances, such techniques depend on the set of points alone, except where two points
//! cannot be told apart by their distances to all others.

use std::ops::Range;

use crate::ties::rounded;
use clmatch::Matrix;
use clmatch_kernels::parallel;
use clmatch_kernels::simd::panels::{Panels, QUERIES};
use clmatch_kernels::{Stop, Stopped};

/// How many sums are tried to tell points apart: that of the distances, then those weighted by powers of the first sums.
const SUMS: i32 = 3;

/// Points in an order that follows from their distances, the most central ones first.
#[derive(Debug, Clone, PartialEq)]
pub struct CentralFirst {
    points: Matrix<'static>,
    rows: Vec<usize>,
}

impl CentralFirst {
    /// Sorts points by the sum of their distances to all others, s(x) = sum_y |x - y|; where sums are equal except for
    /// rounding, by sum_y s(y) |x - y|, then by sum_y s(y)^2 |x - y|, then as they are listed.
    ///
    /// Time: O(n^2 d), in parallel. Memory: O(n d).
    ///
    /// # Errors
    /// [`Stopped`] if `stop` was raised.
    pub fn of(points: &Matrix<'_>, stop: &Stop) -> Result<CentralFirst, Stopped> {
        let rows = order(points, stop)?;
        Ok(CentralFirst { points: points.select(&rows), rows })
    }

    /// The points in this order.
    pub fn points(&self) -> &Matrix<'static> {
        &self.points
    }

    /// The row of each of these points in the original order.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }
}

fn order(points: &Matrix<'_>, stop: &Stop) -> Result<Vec<usize>, Stopped> {
    let n = points.n_points();
    let panels = Panels::new(points.rows(), points.n_features());
    let mut order: Vec<usize> = (0..n).collect();
    // Ranges of the order whose points cannot be told apart yet.
    let mut tied: Vec<Range<usize>> = std::iter::once(0..n).collect();
    let mut first = vec![1.0_f64; n];
    for power in 0..SUMS {
        let asked: Vec<usize> = tied.iter().flat_map(|stretch| &order[stretch.clone()]).copied().collect();
        let weights: Vec<f64> = first.iter().map(|sum| sum.powi(power)).collect();
        let mut sums = vec![0.0; n];
        let found = weighted_sums(points, &panels, &asked, &weights, stop)?;
        asked.iter().zip(found).for_each(|(&point, sum)| sums[point] = sum);
        tied = tied.into_iter().flat_map(|stretch| tell_apart(&mut order, stretch, &sums)).collect();
        if power == 0 {
            // Scaled to be of the order of 1, so that no power overflows or vanishes.
            let largest = sums.iter().fold(f64::MIN_POSITIVE, |largest, &sum| largest.max(sum));
            first = sums.iter().map(|sum| sum / largest).collect();
        }
    }
    Ok(order)
}

/// Sorts a range of the order by sums; returns the ranges within it whose sums are equal.
fn tell_apart(order: &mut [usize], stretch: Range<usize>, sums: &[f64]) -> Vec<Range<usize>> {
    let points = &mut order[stretch.clone()];
    points.sort_by(|&a, &b| sums[a].total_cmp(&sums[b]).then(a.cmp(&b)));
    let mut start = stretch.start;
    let mut tied = Vec::new();
    for same in points.chunk_by(|&a, &b| sums[a] == sums[b]) {
        tied.extend((same.len() > 1).then_some(start..start + same.len()));
        start += same.len();
    }
    tied
}

/// `sum_y w(y) |x - y|` for some points x, rounded so that the order of summation has no effect.
fn weighted_sums(
    points: &Matrix<'_>,
    panels: &Panels,
    asked: &[usize],
    weights: &[f64],
    stop: &Stop,
) -> Result<Vec<f64>, Stopped> {
    let width = panels.padded();
    let sums_of = |squares: &mut Vec<f64>, asked: &&[usize]| {
        stop.check()?;
        let queries = asked.iter().map(|&point| points.row(point));
        panels.squared_distances_of(0, &queries, squares);
        let rows = squares.chunks_exact(width).take(asked.len());
        let sum = |row: &[f64]| -> f64 {
            row.iter().zip(weights).map(|(square, weight)| weight * square.sqrt()).sum()
        };
        Ok(rows.map(|row| rounded(sum(row))).collect())
    };
    let asked: Vec<&[usize]> = asked.chunks(QUERIES).collect();
    let sums: Vec<Vec<f64>> = parallel::try_map_with(&asked, || vec![0.0; QUERIES * width], sums_of)?;
    Ok(sums.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(values: &[f64], features: usize) -> Vec<usize> {
        CentralFirst::of(&Matrix::new(values, features).unwrap(), &Stop::new()).unwrap().rows
    }

    #[test]
    fn central_points_come_first() {
        assert_eq!(order(&[0.0, 1.0, 3.0], 1), [1, 0, 2]);
        assert_eq!(order(&[5.0; 4], 1), [0, 1, 2, 3]);
        assert_eq!(order(&[7.0], 1), [0]);
    }

    /// On a grid many points have equal sums of distances; 0.1 makes them differ by rounding.
    #[test]
    fn the_order_of_rows_and_columns_does_not_show() {
        let mut random = 1_u64;
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let (n, features) = (120, 5);
        let values: Vec<f64> = (0..n * features).map(|_| next(3) as f64 * 0.1).collect();
        let listed = |order: &[usize], values: &[f64]| -> Vec<Vec<u64>> {
            order
                .iter()
                .map(|&at| values[at * features..][..features].iter().map(|v| v.to_bits()).collect())
                .collect()
        };
        let straight = listed(&order(&values, features), &values);
        let mut rows: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|at| rows.swap(at, next(at as u64 + 1) as usize));
        let columns = [3, 0, 4, 1, 2];
        let shuffled: Vec<f64> =
            rows.iter().flat_map(|&row| columns.map(|column| values[row * features + column])).collect();
        let back = |row: &Vec<u64>| {
            let mut there = vec![0; features];
            columns.iter().zip(row).for_each(|(&column, &value)| there[column] = value);
            there
        };
        let again: Vec<Vec<u64>> = listed(&order(&shuffled, features), &shuffled).iter().map(back).collect();
        assert_eq!(straight, again);
    }
}

//! The paper's two theorems about shifts, checked on points.
//!
//! To add beta to every squared distance, add a private coordinate of size sqrt(beta/2) to every point. The centroid of n
//! points then lies sqrt(beta/2)/n along each of these coordinates, and
//!
//! ```text
//! sum of squared distances to the centroid    grows by beta (n - 1)/2           the paper prints beta/2
//! squared distance of two centroids           grows by beta/2 (1/n' + 1/n'')    the paper prints 0
//! ```
//!
//! Divided by n, the first tends to beta/2 as n grows, and the second vanishes: this is what the protocols need.

use super::counterexamples::TwoClasses;

/// The effect of a shift on two classes with this many points each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shift {
    /// The number of points of each class.
    pub(super) points: usize,
    /// How much the sum of squared distances to the centroid of the first class grows.
    pub(super) scatter: f64,
    /// How much the squared distance between the centroids grows.
    pub(super) gap: f64,
}

/// The class sizes.
const SIZES: [usize; 4] = [2, 5, 20, 100];

/// The effects measured on points on a spiral, before and after a shift by `beta`.
pub(super) fn shifts(beta: f64) -> Vec<Shift> {
    let of = |points: usize| {
        let row = |at: usize| {
            let (angle, far) = (at as f64 * 2.4, (at as f64).sqrt());
            vec![far * angle.cos() + if at < points { 0.0 } else { 9.0 }, far * angle.sin()]
        };
        let before = TwoClasses { rows: (0..2 * points).map(row).collect(), first: points };
        let after = before.shifted(beta);
        Shift { points, scatter: scatter(&after) - scatter(&before), gap: gap(&after) - gap(&before) }
    };
    SIZES.into_iter().map(of).collect()
}

fn centroid(rows: &[Vec<f64>]) -> Vec<f64> {
    let count = rows.len() as f64;
    (0..rows[0].len()).map(|at| rows.iter().map(|row| row[at]).sum::<f64>() / count).collect()
}

fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The sum of squared distances from the points of the first class to their centroid.
fn scatter(classes: &TwoClasses) -> f64 {
    let rows = &classes.rows[..classes.first];
    let centre = centroid(rows);
    rows.iter().map(|row| square(row, &centre)).sum()
}

/// The squared distance between the two centroids.
fn gap(classes: &TwoClasses) -> f64 {
    let (first, second) = classes.rows.split_at(classes.first);
    square(&centroid(first), &centroid(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_those_of_the_formulas() {
        for shift in shifts(6.0) {
            let n = shift.points as f64;
            assert!((shift.scatter - 3.0 * (n - 1.0)).abs() < 1e-9 * n, "{shift:?}");
            assert!((shift.gap - 3.0 * 2.0 / n).abs() < 1e-9, "{shift:?}");
        }
    }
}

//! Directions in which points spread within their classes.

use clmatch_kernels::linalg::symmetric;

use super::ROUNDING;
use crate::kernels::{MatrixView, Number};

/// Directions carry no information if the features, divided by their spread, have less spread in them than this.
const TOLERANCE: f64 = 1e-4;

/// A map that makes the covariance within classes the identity.
pub(super) struct Whitening {
    /// One direction after the other, each with one number per feature, which is zero for features without spread.
    map: Vec<f64>,
    features: usize,
    /// How many directions there are.
    pub(super) rank: usize,
    /// The features that do not spread within classes.
    pub(super) flat: Vec<usize>,
}

impl Whitening {
    /// Takes the deviations of n rows of d features from the means of their classes, in units of the size of each
    /// feature.
    pub(super) fn new(mut residuals: Vec<f64>, n: usize, d: usize) -> Whitening {
        let root = (n as f64).sqrt();
        // Zero removes a feature here and in the map.
        let inverse = |length: f64| if length / root > ROUNDING { root / length } else { 0.0 };
        let inverse: Vec<f64> = column_lengths(&residuals, d).into_iter().map(inverse).collect();
        let flat = (0..d).filter(|&feature| inverse[feature] == 0.0).collect();
        for row in residuals.chunks_exact_mut(d) {
            row.iter_mut().zip(&inverse).for_each(|(x, inverse)| *x *= inverse / root);
        }
        let map = main_directions(&residuals, n, d);
        let mut whitening = Whitening { rank: map.len() / d, map, features: d, flat };
        // More accurate than the square roots of the eigenvalues.
        let lengths = column_lengths(&whitening.apply(&residuals), whitening.rank);
        for (direction, length) in whitening.map.chunks_exact_mut(d).zip(lengths) {
            direction.iter_mut().zip(&inverse).for_each(|(x, inverse)| *x *= inverse / length);
        }
        whitening
    }

    /// The coordinates of rows of features: row after row, one number per direction.
    pub(super) fn apply(&self, rows: &[f64]) -> Vec<f64> {
        let n = rows.len() / self.features;
        let mut coordinates = vec![0.0; n * self.rank];
        let map = MatrixView::new(&self.map, self.rank, self.features).transposed();
        f64::product(1.0, MatrixView::new(rows, n, self.features), map, 0.0, &mut coordinates);
        coordinates
    }
}

/// The root of the sum of squares of each column of a matrix.
fn column_lengths(matrix: &[f64], columns: usize) -> Vec<f64> {
    let mut squares = vec![0.0; columns];
    for row in matrix.chunks_exact(columns.max(1)) {
        squares.iter_mut().zip(row).for_each(|(square, x)| *square += x * x);
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// The right singular vectors of an n x d matrix whose singular values exceed the tolerance, one after the other,
/// computed from the smaller of the two products of the matrix with itself.
fn main_directions(matrix: &[f64], n: usize, d: usize) -> Vec<f64> {
    let view = MatrixView::new(matrix, n, d);
    let side = n.min(d);
    let mut square = vec![0.0; side * side];
    if d <= n {
        f64::product(1.0, view.transposed(), view, 0.0, &mut square);
    } else {
        f64::product(1.0, view, view.transposed(), 0.0, &mut square);
    }
    let eigen = symmetric(square, side);
    let lengths: Vec<f64> = eigen.values.iter().map(|value| value.max(0.0).sqrt()).collect();
    let kept: Vec<usize> = (0..side).filter(|&at| lengths[at] > TOLERANCE).collect();
    let vectors =
        kept.iter().flat_map(|&at| &eigen.vectors[at * side..][..side]).copied().collect::<Vec<f64>>();
    if d <= n || kept.is_empty() {
        return vectors;
    }
    // The left singular vectors u are given: v = A' u / s.
    let mut directions = vec![0.0; kept.len() * d];
    f64::product(1.0, MatrixView::new(&vectors, kept.len(), n), view, 0.0, &mut directions);
    for (direction, &at) in directions.chunks_exact_mut(d).zip(&kept) {
        direction.iter_mut().for_each(|x| *x /= lengths[at]);
    }
    directions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The covariance of the mapped rows, which should be the identity.
    fn covariance(rows: &[f64], n: usize, whitening: &Whitening) -> Vec<f64> {
        let r = whitening.rank;
        let placed = whitening.apply(rows);
        let view = MatrixView::new(&placed, n, r);
        let mut square = vec![0.0; r * r];
        f64::product(1.0 / n as f64, view.transposed(), view, 0.0, &mut square);
        square
    }

    #[test]
    fn the_covariance_becomes_the_identity() {
        // Two directions: the third feature is the sum of the first two, the fourth one is only rounding.
        let rows: Vec<f64> = [[2.0, 1.0], [-2.0, 1.0], [1.0, -1.0], [-1.0, -1.0]]
            .iter()
            .flat_map(|[x, y]| [*x, 1e-9 * y, x + 1e-9 * y, 1e-16 * x])
            .collect();
        let whitening = Whitening::new(rows.clone(), 4, 4);
        assert_eq!((whitening.rank, whitening.flat.as_slice()), (2, [3].as_slice()));
        assert!(whitening.map[3] == 0.0 && whitening.map[7] == 0.0);
        let found = covariance(&rows, 4, &whitening);
        for (at, x) in found.iter().enumerate() {
            let identity = f64::from(u8::from(at % 3 == 0));
            assert!((x - identity).abs() < 1e-9, "{found:?}");
        }
    }

    #[test]
    fn nothing_but_constants_has_no_direction() {
        let whitening = Whitening::new(vec![0.0; 6], 3, 2);
        assert_eq!((whitening.rank, whitening.flat.as_slice()), (0, [0, 1].as_slice()));
        assert!(whitening.apply(&[1.0, 2.0, 3.0, 4.0]).is_empty());
    }

    #[test]
    fn main_directions_are_orthonormal() {
        // For a tall and a wide matrix: the third column is the sum of the others, or the third row is their difference.
        let high = [1.0, 2.0, 3.0, 4.0, -1.0, 3.0, 0.0, 5.0, 5.0, 2.0, 2.0, 4.0];
        let wide = [1.0, 2.0, 5.0, 4.0, -1.0, 3.0, 0.0, 5.0, 2.0, -1.0, 5.0, -1.0];
        for (matrix, n, d) in [(high, 4, 3), (wide, 3, 4)] {
            let directions = main_directions(&matrix, n, d);
            assert_eq!(directions.len(), 2 * d);
            let (first, second) = directions.split_at(d);
            for (a, b, expected) in [(first, first, 1.0), (first, second, 0.0), (second, second, 1.0)] {
                let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                assert!((product - expected).abs() < 1e-12, "{n} {d}: {product}");
            }
        }
    }

    #[test]
    fn a_spread_of_just_the_tolerance_is_none() {
        // As in scikit-learn.
        assert!(main_directions(&[TOLERANCE], 1, 1).is_empty());
        assert_eq!(main_directions(&[1.001 * TOLERANCE], 1, 1).len(), 1);
    }

    #[test]
    fn more_features_than_points_have_no_more_directions_than_points() {
        let rows: Vec<f64> = [[1.0, 2.0], [-1.0, 2.0], [0.0, -4.0]]
            .iter()
            .flat_map(|[x, y]| (1..=6).map(move |w| f64::from(w) * x + f64::from(w * w) * y))
            .collect();
        let whitening = Whitening::new(rows.clone(), 3, 6);
        assert_eq!((whitening.rank, whitening.flat.len()), (2, 0));
        let found = covariance(&rows, 3, &whitening);
        assert!((found[0] - 1.0).abs() < 1e-9 && found[1].abs() < 1e-9 && (found[3] - 1.0).abs() < 1e-9);
    }
}

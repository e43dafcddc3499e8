//! Eigenvectors of a symmetric matrix: Householder's tridiagonal form, then implicit QL steps.

use crate::simd::sums::dot;

/// After this many QL steps, an eigenvalue is taken as it is; two or three steps are usual.
const MOST_STEPS: usize = 60;

/// Eigenvalues in no particular order, and their eigenvectors, one after the other.
#[derive(Debug)]
pub struct Eigen {
    /// The eigenvalues.
    pub values: Vec<f64>,
    /// The eigenvectors, in the order of their values; each has length 1.
    pub vectors: Vec<f64>,
}

/// Decomposes a symmetric matrix, given row after row. Time: O(n^3). Memory: O(n^2).
pub fn symmetric(mut matrix: Vec<f64>, n: usize) -> Eigen {
    assert_eq!(matrix.len(), n * n, "a square matrix");
    let mut reflections = Vec::with_capacity(n);
    let mut off_diagonal = vec![0.0; n];
    for (k, off) in off_diagonal.iter_mut().enumerate().take(n.saturating_sub(2)) {
        let reflection = reflect(&mut matrix, n, k);
        *off = reflection.length;
        reflections.push(reflection);
    }
    if n >= 2 {
        off_diagonal[n - 2] = matrix[(n - 1) * n + n - 2];
    }
    let mut values: Vec<f64> = (0..n).map(|i| matrix[i * n + i]).collect();
    let mut vectors = accumulate(&reflections, n);
    diagonalise(&mut values, &mut off_diagonal, &mut vectors, n);
    Eigen { values, vectors }
}

/// `I - scale v v'` on all coordinates above k; what it leaves below the diagonal in column k is `length`.
struct Reflection {
    v: Vec<f64>,
    scale: f64,
    length: f64,
}

/// Clears column k below the first off-diagonal element, and applies the reflection from both sides to the rest.
fn reflect(matrix: &mut [f64], n: usize, k: usize) -> Reflection {
    let mut v: Vec<f64> = (k + 1..n).map(|i| matrix[i * n + k]).collect();
    let norm = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm == 0.0 {
        return Reflection { v, scale: 0.0, length: 0.0 };
    }
    let length = if v[0] > 0.0 { -norm } else { norm };
    v[0] -= length;
    let scale = 2.0 / v.iter().map(|x| x * x).sum::<f64>();
    let row = |i: usize| (k + 1 + i) * n + k + 1;
    let mut p: Vec<f64> = (0..v.len()).map(|i| scale * dot(&matrix[row(i)..][..v.len()], &v)).collect();
    let half = 0.5 * scale * dot(&p, &v);
    p.iter_mut().zip(&v).for_each(|(p, v)| *p -= half * v);
    for i in 0..v.len() {
        let (v_i, p_i) = (v[i], p[i]);
        let line = matrix[row(i)..][..v.len()].iter_mut();
        line.zip(v.iter().zip(&p)).for_each(|(x, (v, p))| *x -= v_i * p + p_i * v);
    }
    Reflection { v, scale, length }
}

/// The product of all reflections, mirrored: its rows become the eigenvectors.
fn accumulate(reflections: &[Reflection], n: usize) -> Vec<f64> {
    let mut q = vec![0.0; n * n];
    (0..n).for_each(|i| q[i * n + i] = 1.0);
    // Starts with the last one, so that the part that differs from the identity stays as small as possible.
    for (k, reflection) in reflections.iter().enumerate().rev() {
        for row in q.chunks_exact_mut(n).skip(k + 1) {
            let row = &mut row[k + 1..];
            let along = reflection.scale * dot(row, &reflection.v);
            row.iter_mut().zip(&reflection.v).for_each(|(x, v)| *x -= along * v);
        }
    }
    q
}

/// Turns a tridiagonal matrix into a diagonal one; each rotation also turns two rows of `vectors`.
fn diagonalise(diagonal: &mut [f64], off: &mut [f64], vectors: &mut [f64], n: usize) {
    for low in 0..n {
        for _ in 0..MOST_STEPS {
            let negligible =
                |&m: &usize| off[m].abs() <= f64::EPSILON * (diagonal[m].abs() + diagonal[m + 1].abs());
            let high = (low..n - 1).find(negligible).unwrap_or(n - 1);
            if high == low {
                break;
            }
            step(diagonal, off, vectors, n, low, high);
        }
    }
}

/// One implicit QL step with Wilkinson's shift on the block from `low` to `high`.
fn step(diagonal: &mut [f64], off: &mut [f64], vectors: &mut [f64], n: usize, low: usize, high: usize) {
    let ratio = (diagonal[low + 1] - diagonal[low]) / (2.0 * off[low]);
    let root = ratio.hypot(1.0);
    let shift = diagonal[low] - off[low] / (ratio + root.copysign(ratio));
    let mut bulge = diagonal[high] - shift;
    let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
    for i in (low..high).rev() {
        let (f, b) = (sine * off[i], cosine * off[i]);
        let radius = f.hypot(bulge);
        off[i + 1] = radius;
        if radius == 0.0 {
            // The block splits here.
            diagonal[i + 1] -= moved;
            off[high] = 0.0;
            return;
        }
        (sine, cosine) = (f / radius, bulge / radius);
        bulge = diagonal[i + 1] - moved;
        let turn = (diagonal[i] - bulge) * sine + 2.0 * cosine * b;
        moved = sine * turn;
        diagonal[i + 1] = bulge + moved;
        bulge = cosine * turn - b;
        let (above, below) = vectors[i * n..(i + 2) * n].split_at_mut(n);
        for (x, y) in above.iter_mut().zip(below) {
            (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
        }
    }
    diagonal[low] -= moved;
    off[low] = bulge;
    off[high] = 0.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(matrix: &[f64], n: usize) -> Eigen {
        let eigen = symmetric(matrix.to_vec(), n);
        let tolerance = 1e-10 * matrix.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        for (value, vector) in eigen.values.iter().zip(eigen.vectors.chunks_exact(n)) {
            for i in 0..n {
                let image: f64 = (0..n).map(|j| matrix[i * n + j] * vector[j]).sum();
                assert!((image - value * vector[i]).abs() <= tolerance, "{image} {value} {}", vector[i]);
            }
            assert!((vector.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-9);
        }
        eigen
    }

    #[test]
    fn two_by_two_by_hand() {
        let mut values = check(&[2.0, 1.0, 1.0, 2.0], 2).values;
        values.sort_by(f64::total_cmp);
        assert!((values[0] - 1.0).abs() < 1e-12 && (values[1] - 3.0).abs() < 1e-12);
    }

    #[test]
    fn every_vector_is_an_eigenvector() {
        for n in [1, 2, 3, 7, 30] {
            let number = |i: usize, j: usize| ((i * j * 37 + i + j) % 19) as f64 - 9.0;
            let matrix: Vec<f64> =
                (0..n * n).map(|at| number((at / n).min(at % n), (at / n).max(at % n))).collect();
            let eigen = check(&matrix, n);
            let trace: f64 = (0..n).map(|i| matrix[i * n + i]).sum();
            assert!((eigen.values.iter().sum::<f64>() - trace).abs() < 1e-9);
        }
        // Low rank, equal eigenvalues, zeros.
        check(&[1.0; 25], 5);
        check(&[0.0; 16], 4);
    }

    #[test]
    fn the_scale_of_a_matrix_does_not_matter() {
        let n = 7;
        for scale in [1e-12, 1.0, 1e12] {
            let number = |i: usize, j: usize| scale * (((i + j) * (i + 1) * (j + 1) % 11) as f64 - 5.0);
            let matrix: Vec<f64> = (0..n * n).map(|at| number(at / n, at % n)).collect();
            check(&matrix, n);
        }
    }

    const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    #[test]
    fn one_step_solves_two_by_two() {
        // Wilkinson's shift is an eigenvalue of the block, which a step with this shift splits off at once: 7/2 -+ 1/2
        // sqrt(3^2 + 4 0.75^2).
        let (mut diagonal, mut off, mut vectors) = ([2.0, 5.0], [0.75, 0.0], [1.0, 0.0, 0.0, 1.0]);
        step(&mut diagonal, &mut off, &mut vectors, 2, 0, 1);
        let half = 0.5 * 11.25_f64.sqrt();
        assert!(off[0].abs() < 1e-14 && off[1] == 0.0, "{off:?}");
        assert!((diagonal[0] - 3.5 + half).abs() < 1e-14 && (diagonal[1] - 3.5 - half).abs() < 1e-14);
    }

    #[test]
    fn a_step_ends_where_the_block_falls_apart() {
        // Rounding of tiny numbers to zero may cut a block. [[28, 36], [36, 49]] has eigenvalues 1 and 76, of which the
        // first is the shift; its eigenvectors are (.8, -.6) and (.6, .8).
        let (mut diagonal, mut off, mut vectors) = ([1.0, 28.0, 49.0], [0.0, 36.0, 0.0], IDENTITY);
        step(&mut diagonal, &mut off, &mut vectors, 3, 0, 2);
        assert_eq!((diagonal, off), ([1.0, 1.0, 76.0], [0.0; 3]));
        let expected = [1.0, 0.0, 0.0, 0.0, 0.8, -0.6, 0.0, 0.6, 0.8];
        let near = vectors.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(near, "{vectors:?}");
    }

    #[test]
    fn what_is_negligible_beside_a_neighbour_is_left_alone() {
        for values in [[0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]] {
            let (mut diagonal, mut off, mut vectors) = (values, [1e-17, -1e-17, 0.0], IDENTITY);
            diagonalise(&mut diagonal, &mut off, &mut vectors, 3);
            assert_eq!((diagonal, vectors), (values, IDENTITY));
        }
    }
}

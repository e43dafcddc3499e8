//! Cholesky factors of small matrices. Rows are contiguous, so that all inner loops are dot products.

use std::marker::PhantomData;

/// How many partial sums a dot product has; they let the compiler use vector instructions. The order of addition is fixed.
const LANES: usize = 8;

/// The product of two vectors, in eight partial sums; the excess of the longer vector is ignored.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a_chunks, a_rest) = a[..length].as_chunks::<LANES>();
    let (b_chunks, b_rest) = b[..length].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
}

/// How the terms of a dot product are added; the ways differ in the last digits of the result.
pub trait Summation {
    /// The product of two vectors; the excess of the longer vector is ignored.
    fn dot(a: &[f64], b: &[f64]) -> f64;
}

/// Several partial sums; see [`dot`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InLanes;

/// One sum, from the first product to the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InOrder;

impl Summation for InLanes {
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        dot(a, b)
    }
}

impl Summation for InOrder {
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }
}

/// K = L L' with L lower triangular; row i begins at i n.
#[derive(Debug, Clone)]
pub struct Cholesky<S = InLanes> {
    n: usize,
    lower: Vec<f64>,
    summation: PhantomData<S>,
}

impl Cholesky {
    /// Factors the matrix whose lower triangle is given in rows of n; `None` unless it is positive definite.
    ///
    /// Time: O(n^3 / 6) multiplications.
    pub fn factor(matrix: Vec<f64>, n: usize) -> Option<Cholesky> {
        Cholesky::factor_above(matrix, n, 0.0)
    }
}

impl<S: Summation> Cholesky<S> {
    /// Like [`Cholesky::factor`], but pivots must exceed `least`: anything below counts as not positive.
    pub fn factor_above(mut matrix: Vec<f64>, n: usize, least: f64) -> Option<Self> {
        for i in 0..n {
            let (above, current) = matrix.split_at_mut(i * n);
            let row = &mut current[..n];
            for j in 0..i {
                let other = &above[j * n..=j * n + j];
                row[j] = (row[j] - S::dot(&row[..j], &other[..j])) / other[j];
            }
            let pivot = row[i] - S::dot(&row[..i], &row[..i]);
            // Written so that NaN fails the test, too.
            if !(pivot > least && pivot.is_finite()) {
                return None;
            }
            row[i] = pivot.sqrt();
        }
        Some(Cholesky { n, lower: matrix, summation: PhantomData })
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * self.n..(i + 1) * self.n]
    }

    /// L itself in rows of n, with zeros above the diagonal: n points whose dot products are the entries of K.
    pub fn into_lower(mut self) -> Vec<f64> {
        for i in 0..self.n {
            self.lower[i * self.n + i + 1..(i + 1) * self.n].fill(0.0);
        }
        self.lower
    }

    /// ln det K.
    pub fn log_determinant(&self) -> f64 {
        (0..self.n).map(|i| 2.0 * self.row(i)[i].ln()).sum()
    }

    /// Replaces b by L^-1 b.
    pub fn forward(&self, b: &mut [f64]) {
        for i in 0..self.n {
            let row = self.row(i);
            b[i] = (b[i] - S::dot(&row[..i], &b[..i])) / row[i];
        }
    }

    /// Replaces b by L'^-1 b.
    pub fn backward(&self, b: &mut [f64]) {
        for i in (0..self.n).rev() {
            let row = self.row(i);
            b[i] /= row[i];
            let known = b[i];
            b[..i].iter_mut().zip(row).for_each(|(x, l)| *x -= l * known);
        }
    }

    /// K^-1 b.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let mut x = b.to_vec();
        self.forward(&mut x);
        self.backward(&mut x);
        x
    }

    /// The lower triangle of K^-1, in rows of n. Time: O(n^3 / 3) multiplications.
    pub fn inverse(&self) -> Vec<f64> {
        let n = self.n;
        let columns = self.inverse_columns();
        let mut inverse = vec![0.0; n * n];
        for i in 0..n {
            // (L^-1)' L^-1, whose factors vanish above the diagonal.
            let column = &columns[i * n + i..(i + 1) * n];
            for j in 0..=i {
                inverse[i * n + j] = S::dot(column, &columns[j * n + i..(j + 1) * n]);
            }
        }
        inverse
    }

    /// The columns of L^-1, each contiguous.
    fn inverse_columns(&self) -> Vec<f64> {
        let n = self.n;
        let mut columns = vec![0.0; n * n];
        for (j, column) in columns.chunks_exact_mut(n).enumerate() {
            column[j] = 1.0 / self.row(j)[j];
            for i in j + 1..n {
                let row = self.row(i);
                column[i] = -S::dot(&row[j..i], &column[j..i]) / row[i];
            }
        }
        columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Valid for entries of order 1 and condition numbers below 1e3.
    const EXACT: f64 = 1e-12;

    /// B B' + I for a fixed, irregular B.
    fn matrix(n: usize) -> Vec<f64> {
        let b = |i: usize, j: usize| (((i * 37 + j * 61) % 101) as f64 / 101.0) - 0.5;
        let entry =
            |i: usize, j: usize| (0..n).map(|k| b(i, k) * b(j, k)).sum::<f64>() + f64::from(u8::from(i == j));
        (0..n * n).map(|at| entry(at / n, at % n)).collect()
    }

    #[test]
    fn factor_inverse_solution_and_determinant_agree_with_their_definitions() {
        for n in [1, 2, 3, 7, 8, 9, 20, 33] {
            let k = matrix(n);
            let factor = Cholesky::factor(k.clone(), n).unwrap();
            let inverse = factor.inverse();
            let inverse = |i: usize, j: usize| inverse[i.max(j) * n + i.min(j)];
            for i in 0..n {
                for j in 0..n {
                    let product: f64 = (0..n).map(|m| k[i * n + m] * inverse(m, j)).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < EXACT);
                }
            }
            let lower = factor.clone().into_lower();
            let row = |i: usize| &lower[i * n..(i + 1) * n];
            for i in 0..n {
                assert!(row(i)[i + 1..].iter().all(|&above| above == 0.0));
                assert!((0..n).all(|j| (dot(row(i), row(j)) - k[i * n + j]).abs() < EXACT));
            }
            let b: Vec<f64> = (0..n).map(|i| i as f64 - 1.5).collect();
            let x = factor.solve(&b);
            for i in 0..n {
                assert!((dot(&k[i * n..(i + 1) * n], &x) - b[i]).abs() < EXACT * n as f64);
            }
        }
        // det [[4, 2], [2, 3]] = 8.
        let factor = Cholesky::factor(vec![4.0, 2.0, 2.0, 3.0], 2).unwrap();
        assert!((factor.log_determinant() - 8.0_f64.ln()).abs() < EXACT);
    }

    #[test]
    fn the_order_of_addition_changes_no_more_than_rounding() {
        let n = 33;
        let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let lanes = Cholesky::factor(matrix(n), n).unwrap().solve(&b);
        let ordered = Cholesky::<InOrder>::factor_above(matrix(n), n, 1e-13).unwrap().solve(&b);
        assert!(lanes.iter().zip(&ordered).all(|(a, b)| (a - b).abs() < EXACT));
        assert!(Cholesky::<InOrder>::factor_above(vec![1e-14], 1, 1e-13).is_none());
    }

    #[test]
    fn matrices_that_are_not_positive_definite_are_refused() {
        assert!(Cholesky::factor(vec![1.0, 2.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::factor(vec![1.0, 1.0, 1.0, 1.0], 2).is_none());
        assert!(Cholesky::factor(vec![f64::NAN], 1).is_none());
        assert!(Cholesky::factor(vec![f64::INFINITY], 1).is_none());
    }
}

//! Matrix products.
#![allow(unsafe_code)]

pub(crate) use clmatch_kernels::simd::sums::{dot, squared_distance};

/// A matrix in a slice: element (i, j) is `values[i * down + j * right]`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatrixView<'a, T> {
    values: &'a [T],
    rows: usize,
    columns: usize,
    down: usize,
    right: usize,
}

impl<'a, T> MatrixView<'a, T> {
    /// A matrix that is stored row after row.
    pub(crate) fn new(values: &'a [T], rows: usize, columns: usize) -> Self {
        assert!(values.len() >= rows * columns, "a matrix of {rows} x {columns}");
        MatrixView { values, rows, columns, down: columns, right: 1 }
    }

    /// The transposed matrix, on the same numbers.
    pub(crate) fn transposed(self) -> Self {
        MatrixView { rows: self.columns, columns: self.rows, down: self.right, right: self.down, ..self }
    }
}

/// Element types of matrices.
pub(crate) trait Number: Copy {
    /// Computes `out = scale * a b + keep * out`, row after row.
    fn product(scale: Self, a: MatrixView<'_, Self>, b: MatrixView<'_, Self>, keep: Self, out: &mut [Self]);
}

macro_rules! number {
    ($type:ty, $gemm:path) => {
        impl Number for $type {
            fn product(
                scale: Self,
                a: MatrixView<'_, Self>,
                b: MatrixView<'_, Self>,
                keep: Self,
                out: &mut [Self],
            ) {
                let (m, k, n) = (a.rows, a.columns, b.columns);
                assert_eq!(k, b.rows, "inner dimensions");
                assert!(out.len() >= m * n, "room for {m} x {n}");
                // SAFETY: `MatrixView::new` checked that every element of `a` and `b` lies in its slice, transposing
                // keeps that, and the assertion above says the same of `out`, which nothing else can refer to.
                unsafe {
                    $gemm(
                        m,
                        k,
                        n,
                        scale,
                        a.values.as_ptr(),
                        a.down as isize,
                        a.right as isize,
                        b.values.as_ptr(),
                        b.down as isize,
                        b.right as isize,
                        keep,
                        out.as_mut_ptr(),
                        n as isize,
                        1,
                    );
                }
            }
        }
    };
}

number!(f32, matrixmultiply::sgemm);
number!(f64, matrixmultiply::dgemm);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_by_hand() {
        let (a, b) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 2.0, 1.0, 0.0, 3.0]);
        let mut out = [1.0; 4];
        f64::product(1.0, MatrixView::new(&a, 2, 3), MatrixView::new(&b, 3, 2), 0.0, &mut out);
        assert_eq!(out, [5.0, 11.0, 14.0, 23.0]);
        f64::product(2.0, MatrixView::new(&a, 2, 3), MatrixView::new(&b, 2, 3).transposed(), 1.0, &mut out);
        assert_eq!(out, [5.0 + 2.0 * 7.0, 11.0 + 2.0 * 10.0, 14.0 + 2.0 * 16.0, 23.0 + 2.0 * 22.0]);
    }
}

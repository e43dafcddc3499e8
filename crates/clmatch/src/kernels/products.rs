//! Products of matrices that the search for features lives on, compiled for AVX-512, AVX2 and the plain instruction
//! set, chosen at run time.
//!
//! ```text
//! covariance    Y' Y / N            of N centred rows, d x d, symmetric
//! times         M w                 of a symmetric matrix
//! forms         w' M w              of a symmetric matrix for many w at once
//! onward        U V                 of n rows and d x lanes
//! back          U' R, (U o U)' R    of n rows and n x lanes
//! ```
//!
//! Every sum has an order of its own that neither the number of threads nor the caller changes.
#![allow(unsafe_code)]

/// Columns of `V` and `R`, and vectors `w` of [`forms`]: a vector register of AVX-512.
pub(crate) const LANES: usize = 8;
/// Features in a panel of the covariance.
const PANEL: usize = 16;
/// Rows of a panel that are worked on at a time: two panels of them stay in the first cache.
const ROWS: usize = 128;

/// Runs `body` compiled for the best instruction set: `fused(a, b, c)` is `a b + c`, fused where that is fast.
macro_rules! dispatch {
    ($body:ident($($argument:ident: $type:ty),*)) => {{
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx512f,fma")]
            fn avx512($($argument: $type),*) {
                $body($($argument),*, f64::mul_add);
            }
            #[target_feature(enable = "avx2,fma")]
            fn avx2($($argument: $type),*) {
                $body($($argument),*, f64::mul_add);
            }
            if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("fma") {
                // SAFETY: the processor has the instruction sets.
                return unsafe { avx512($($argument),*) };
            }
            if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                // SAFETY: the processor has the instruction sets.
                return unsafe { avx2($($argument),*) };
            }
        }
        $body($($argument),*, |a: f64, b: f64, c: f64| a * b + c);
    }};
}

/// Centred rows, packed for [`covariance`]: panels of 16 features, row after row. Memory: O(N d).
pub(crate) struct Packed {
    values: Vec<f64>,
    rows: usize,
    features: usize,
}

impl Packed {
    /// Packs `rows` rows of `features` numbers that `fill` writes one at a time.
    pub(crate) fn new(rows: usize, features: usize, mut fill: impl FnMut(usize, &mut [f64])) -> Packed {
        let panels = features.div_ceil(PANEL);
        let mut values = vec![0.0; panels * PANEL * rows];
        let mut row = vec![0.0; features];
        for at in 0..rows {
            fill(at, &mut row);
            for (panel, chunk) in row.chunks(PANEL).enumerate() {
                values[(panel * rows + at) * PANEL..][..chunk.len()].copy_from_slice(chunk);
            }
        }
        Packed { values, rows, features }
    }

    /// How many bands [`covariance`] can be asked for.
    pub(crate) fn bands(&self) -> usize {
        self.features.div_ceil(PANEL)
    }
}

/// Writes the rows `16 band..` of `Y' Y / N` from the first column of the band on: the upper triangle, in rows of d.
///
/// Time: O(16 N (d - 16 band)).
pub(crate) fn covariance(packed: &Packed, band: usize, out: &mut [f64]) {
    let features = packed.features;
    let bands = packed.bands();
    let mut tiles = vec![[[0.0; PANEL]; PANEL]; bands - band];
    for start in (0..packed.rows).step_by(ROWS) {
        let rows = ROWS.min(packed.rows - start);
        let panel = |at: usize| &packed.values[(at * packed.rows + start) * PANEL..][..rows * PANEL];
        for (tile, other) in tiles.iter_mut().zip(band..) {
            multiply(panel(band), panel(other), tile);
        }
    }
    let scale = 1.0 / packed.rows as f64;
    for (tile, other) in tiles.iter().zip(band..) {
        let (height, width) = (PANEL.min(features - band * PANEL), PANEL.min(features - other * PANEL));
        for (f, line) in tile.iter().enumerate().take(height) {
            let to = &mut out[f * features + other * PANEL..][..width];
            to.iter_mut().zip(line).for_each(|(to, sum)| *to = sum * scale);
        }
    }
}

/// Rows that a band of [`covariance`] has.
pub(crate) const BAND: usize = PANEL;

/// Adds `A' B` of two panels to a tile.
fn multiply(a: &[f64], b: &[f64], tile: &mut [[f64; PANEL]; PANEL]) {
    dispatch!(multiply_body(a: &[f64], b: &[f64], tile: &mut [[f64; PANEL]; PANEL]));
}

#[inline(always)]
fn multiply_body(
    a: &[f64],
    b: &[f64],
    tile: &mut [[f64; PANEL]; PANEL],
    fused: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    const HEIGHT: usize = 4;
    let (a, b) = (a.as_chunks::<PANEL>().0, b.as_chunks::<PANEL>().0);
    for (group, lines) in tile.as_chunks_mut::<HEIGHT>().0.iter_mut().enumerate() {
        let mut sums = *lines;
        for (a, b) in a.iter().zip(b) {
            for (r, sums) in sums.iter_mut().enumerate() {
                let x = a[group * HEIGHT + r];
                for (sum, &y) in sums.iter_mut().zip(b) {
                    *sum = fused(x, y, *sum);
                }
            }
        }
        *lines = sums;
    }
}

/// Writes `M w` of a symmetric d x d matrix. Time: O(d^2).
pub(crate) fn times(matrix: &[f64], w: &[f64], out: &mut [f64]) {
    dispatch!(times_body(matrix: &[f64], w: &[f64], out: &mut [f64]));
}

#[inline(always)]
fn times_body(matrix: &[f64], w: &[f64], out: &mut [f64], fused: impl Fn(f64, f64, f64) -> f64 + Copy) {
    for (row, out) in matrix.chunks_exact(w.len()).zip(out) {
        *out = dot(row, w, fused);
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64], fused: impl Fn(f64, f64, f64) -> f64 + Copy) -> f64 {
    const WIDE: usize = 4 * LANES;
    let mut sums = [0.0; WIDE];
    let (whole, rest) = a.as_chunks::<WIDE>();
    let (other, other_rest) = b.as_chunks::<WIDE>();
    for (a, b) in whole.iter().zip(other) {
        for ((sum, &x), &y) in sums.iter_mut().zip(a).zip(b) {
            *sum = fused(x, y, *sum);
        }
    }
    for ((sum, &x), &y) in sums.iter_mut().zip(rest).zip(other_rest) {
        *sum = fused(x, y, *sum);
    }
    sums.iter().sum()
}

/// Writes `w' M w` of a symmetric d x d matrix for eight w, given feature after feature. Time: O(8 d^2 / 2).
pub(crate) fn forms(matrix: &[f64], w: &[[f64; LANES]], out: &mut [f64; LANES]) {
    dispatch!(forms_body(matrix: &[f64], w: &[[f64; LANES]], out: &mut [f64; LANES]));
}

#[inline(always)]
fn forms_body(
    matrix: &[f64],
    w: &[[f64; LANES]],
    out: &mut [f64; LANES],
    fused: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    const HEIGHT: usize = 4;
    let features = w.len();
    *out = [0.0; LANES];
    let mut first = 0;
    while first < features {
        let height = HEIGHT.min(features - first);
        // Rows that do not exist repeat the last one, with nothing to multiply it by.
        let row = |r: usize| &matrix[(first + r.min(height - 1)) * features..][..features];
        let rows: [&[f64]; HEIGHT] = std::array::from_fn(row);
        let mut sums = [[0.0; LANES]; HEIGHT];
        for (g, w) in w.iter().enumerate().skip(first + height) {
            for (row, sums) in rows.iter().zip(&mut sums) {
                let x = row[g];
                for (sum, &w) in sums.iter_mut().zip(w) {
                    *sum = fused(x, w, *sum);
                }
            }
        }
        // Twice what lies right of the square on the diagonal, and the square itself.
        for (r, sums) in sums.iter().enumerate().take(height) {
            let own = &w[first + r];
            let mut line = sums.map(|sum| 2.0 * sum);
            for (g, w) in w[first..first + height].iter().enumerate() {
                for (sum, &w) in line.iter_mut().zip(w) {
                    *sum = fused(rows[r][first + g], w, *sum);
                }
            }
            for ((out, &sum), &own) in out.iter_mut().zip(&line).zip(own) {
                *out = fused(sum, own, *out);
            }
        }
        first += height;
    }
}

/// Writes `U V` for rows of d numbers: eight numbers per row. Time: O(8 n d).
pub(crate) fn onward(rows: &[f64], v: &[[f64; LANES]], out: &mut [[f64; LANES]]) {
    dispatch!(onward_body(rows: &[f64], v: &[[f64; LANES]], out: &mut [[f64; LANES]]));
}

#[inline(always)]
fn onward_body(
    rows: &[f64],
    v: &[[f64; LANES]],
    out: &mut [[f64; LANES]],
    fused: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    const HEIGHT: usize = 8;
    let features = v.len();
    let count = out.len();
    let mut first = 0;
    while first < count {
        let height = HEIGHT.min(count - first);
        let row = |r: usize| &rows[(first + r.min(height - 1)) * features..][..features];
        let lines: [&[f64]; HEIGHT] = std::array::from_fn(row);
        let mut sums = [[0.0; LANES]; HEIGHT];
        for (f, v) in v.iter().enumerate() {
            for (line, sums) in lines.iter().zip(&mut sums) {
                let x = line[f];
                for (sum, &v) in sums.iter_mut().zip(v) {
                    *sum = fused(x, v, *sum);
                }
            }
        }
        out[first..first + height].copy_from_slice(&sums[..height]);
        first += height;
    }
}

/// Writes `U' R` and `(U o U)' R` for rows of d numbers: eight numbers per feature each. Time: O(16 n d).
pub(crate) fn back(rows: &[f64], r: &[[f64; LANES]], out: &mut [[f64; LANES]], squares: &mut [[f64; LANES]]) {
    dispatch!(back_body(
        rows: &[f64],
        r: &[[f64; LANES]],
        out: &mut [[f64; LANES]],
        squares: &mut [[f64; LANES]]
    ));
}

#[inline(always)]
fn back_body(
    rows: &[f64],
    r: &[[f64; LANES]],
    out: &mut [[f64; LANES]],
    squares: &mut [[f64; LANES]],
    fused: impl Fn(f64, f64, f64) -> f64 + Copy,
) {
    const WIDTH: usize = 4;
    let features = out.len();
    let mut first = 0;
    while first < features {
        let width = WIDTH.min(features - first);
        let mut sums = [[0.0; LANES]; WIDTH];
        let mut square_sums = [[0.0; LANES]; WIDTH];
        for (row, r) in rows.chunks_exact(features).zip(r) {
            // Features that do not exist repeat the last one; their sums are not kept.
            let values: [f64; WIDTH] = std::array::from_fn(|f| row[first + f.min(width - 1)]);
            for ((&x, sums), square_sums) in values.iter().zip(&mut sums).zip(&mut square_sums) {
                for ((sum, square), &r) in sums.iter_mut().zip(square_sums).zip(r) {
                    *sum = fused(x, r, *sum);
                    *square = fused(x * x, r, *square);
                }
            }
        }
        out[first..first + width].copy_from_slice(&sums[..width]);
        squares[first..first + width].copy_from_slice(&square_sums[..width]);
        first += width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|i| ((i * i + 31 * i + seed * 17) % 101) as f64 * 0.07 - 3.0).collect()
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-11 * (1.0 + a.abs().max(b.abs()))
    }

    fn lanes(count: usize, seed: usize) -> Vec<[f64; LANES]> {
        (0..count).map(|i| std::array::from_fn(|lane| numbers(1, i * LANES + lane + seed)[0])).collect()
    }

    #[test]
    fn covariances_agree_with_the_definition() {
        for (rows, features) in [(1, 1), (5, 3), (130, 16), (257, 17), (40, 50)] {
            let values = numbers(rows * features, 1);
            let packed = Packed::new(rows, features, |at, row| {
                row.copy_from_slice(&values[at * features..(at + 1) * features]);
            });
            let mut out = vec![f64::NAN; features * features];
            for (band, out) in out.chunks_mut(BAND * features).enumerate() {
                covariance(&packed, band, out);
            }
            for f in 0..features {
                for g in f..features {
                    let sum: f64 = values.chunks_exact(features).map(|row| row[f] * row[g]).sum();
                    assert!(near(out[f * features + g], sum / rows as f64), "{rows} x {features}: {f} {g}");
                }
            }
        }
    }

    #[test]
    fn products_agree_with_the_definition() {
        for features in [1, 3, 4, 8, 33, 70] {
            let mut matrix = numbers(features * features, 2);
            for f in 0..features {
                for g in 0..f {
                    matrix[f * features + g] = matrix[g * features + f];
                }
            }
            let w = lanes(features, 3);
            let mut forms_of = [f64::NAN; LANES];
            forms(&matrix, &w, &mut forms_of);
            for (lane, form) in forms_of.iter().enumerate() {
                let column: Vec<f64> = w.iter().map(|w| w[lane]).collect();
                let mut product = vec![f64::NAN; features];
                times(&matrix, &column, &mut product);
                for (row, product) in matrix.chunks_exact(features).zip(&product) {
                    assert!(near(*product, row.iter().zip(&column).map(|(a, b)| a * b).sum()));
                }
                assert!(near(*form, product.iter().zip(&column).map(|(a, b)| a * b).sum()), "{features}");
            }
        }
    }

    #[test]
    fn products_with_rows_agree_with_the_definition() {
        for (rows, features) in [(1, 1), (7, 5), (9, 4), (20, 13)] {
            let values = numbers(rows * features, 4);
            let (v, r) = (lanes(features, 5), lanes(rows, 6));
            let mut onto = vec![[f64::NAN; LANES]; rows];
            onward(&values, &v, &mut onto);
            let (mut out, mut squares) =
                (vec![[f64::NAN; LANES]; features], vec![[f64::NAN; LANES]; features]);
            back(&values, &r, &mut out, &mut squares);
            for lane in 0..LANES {
                for (row, onto) in values.chunks_exact(features).zip(&onto) {
                    assert!(near(onto[lane], row.iter().zip(&v).map(|(x, v)| x * v[lane]).sum()));
                }
                for f in 0..features {
                    let column = || values.iter().skip(f).step_by(features).zip(&r);
                    assert!(near(out[f][lane], column().map(|(x, r)| x * r[lane]).sum()));
                    assert!(near(squares[f][lane], column().map(|(x, r)| x * x * r[lane]).sum()));
                }
            }
        }
    }
}

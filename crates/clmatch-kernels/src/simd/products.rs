//! Products of matrices in double precision.
//!
//! ```text
//! covariance         Y' Y / N            of N centred rows, d x d, symmetric
//! matvec             M w                 of a symmetric matrix
//! quadratic_forms    w' M w              of a symmetric matrix for many w at once
//! mul                U V                 of n rows and d x lanes
//! mul_transposed     U' R, (U o U)' R    of n rows and n x lanes
//! ```
//!
//! Every sum has a fixed order that depends neither on the number of threads nor on the caller.

use crate::simd::isa::{Isa, LANES, ROWS, Work};
use crate::simd::level::Level;
use crate::simd::register::Register;
use crate::simd::sums::in_lanes;
use crate::simd::tile::accumulate;

/// How many features a panel of the covariance has, and how many rows a band of the result.
pub const BAND: usize = 16;
/// How many rows of a panel are processed at a time: two panels of them stay in the first cache.
const AT_ONCE: usize = 128;

/// Centred rows, packed for [`covariance`]: panels of 16 features, row after row. Memory: O(N d).
#[derive(Debug, Clone)]
pub struct Packed {
    values: Vec<f64>,
    rows: usize,
    features: usize,
}

impl Packed {
    /// Packs `rows` rows of `features` numbers that `fill` writes one at a time.
    pub fn new(rows: usize, features: usize, mut fill: impl FnMut(usize, &mut [f64])) -> Packed {
        let panels = features.div_ceil(BAND);
        let mut values = vec![0.0; panels * BAND * rows];
        let mut row = vec![0.0; features];
        for at in 0..rows {
            fill(at, &mut row);
            for (panel, chunk) in row.chunks(BAND).enumerate() {
                values[(panel * rows + at) * BAND..][..chunk.len()].copy_from_slice(chunk);
            }
        }
        Packed { values, rows, features }
    }

    /// How many bands [`covariance`] can compute.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.features.div_ceil(BAND)
    }

    /// Some rows of a panel.
    fn panel(&self, panel: usize, start: usize, rows: usize) -> &[f64] {
        &self.values[(panel * self.rows + start) * BAND..][..rows * BAND]
    }
}

/// Writes the rows `16 band..` of `Y' Y / N` from the first column of the band on: the upper triangle, in rows of d.
///
/// Time: O(16 N (d - 16 band)). Memory: O(16 d).
pub fn covariance(packed: &Packed, band: usize, out: &mut [f64]) {
    Level::best().run(CovarianceBand { packed, band, out });
}

struct CovarianceBand<'a> {
    packed: &'a Packed,
    band: usize,
    out: &'a mut [f64],
}

impl Work<f64> for CovarianceBand<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        let CovarianceBand { packed, band, out } = self;
        let features = packed.features;
        let mut tiles = vec![[[0.0; BAND]; BAND]; packed.bands() - band];
        for start in (0..packed.rows).step_by(AT_ONCE) {
            let rows = AT_ONCE.min(packed.rows - start);
            let left = packed.panel(band, start, rows).as_ptr();
            for (tile, other) in tiles.iter_mut().zip(band..) {
                let right = packed.panel(other, start, rows).as_ptr();
                for half in (0..BAND).step_by(ROWS) {
                    let tile = tile[half..half + ROWS].as_mut_ptr().cast();
                    // SAFETY: the caller guarantees the instruction set; both panels have `rows` lines of 16 numbers,
                    // and so have eight lines of the tile.
                    unsafe { I::multiply::<2, false>((left.add(half), BAND), right, BAND, rows, tile, true) };
                }
            }
        }
        let scale = 1.0 / packed.rows as f64;
        for (tile, other) in tiles.iter().zip(band..) {
            let (height, width) = (BAND.min(features - band * BAND), BAND.min(features - other * BAND));
            for (f, line) in tile.iter().enumerate().take(height) {
                let to = &mut out[f * features + other * BAND..][..width];
                to.iter_mut().zip(line).for_each(|(to, sum)| *to = sum * scale);
            }
        }
    }
}

/// Writes `M w` for a symmetric d x d matrix. Time: O(d^2). Memory: O(1).
pub fn matvec(matrix: &[f64], w: &[f64], out: &mut [f64]) {
    Level::best().run(Matvec { matrix, w, out });
}

struct Matvec<'a> {
    matrix: &'a [f64],
    w: &'a [f64],
    out: &'a mut [f64],
}

impl Work<f64> for Matvec<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        const WIDE: usize = 4 * LANES;
        let fused = |sum, x, y| I::fused(x, y, sum);
        for (row, out) in self.matrix.chunks_exact(self.w.len()).zip(self.out) {
            let mut sums = [0.0; WIDE];
            let (row, w) = in_lanes(row, self.w, &mut sums, fused);
            for ((sum, &x), &y) in sums.iter_mut().zip(row).zip(w) {
                *sum = fused(*sum, x, y);
            }
            *out = sums.iter().sum();
        }
    }
}

/// Writes `w' M w` for a symmetric d x d matrix and eight w, given feature after feature. Time: O(8 d^2 / 2).
pub fn quadratic_forms(matrix: &[f64], w: &[[f64; LANES]], out: &mut [f64; LANES]) {
    Level::best().run(QuadraticForms { matrix, w, out });
}

struct QuadraticForms<'a> {
    matrix: &'a [f64],
    w: &'a [[f64; LANES]],
    out: &'a mut [f64; LANES],
}

impl Work<f64> for QuadraticForms<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        const HEIGHT: usize = 4;
        let QuadraticForms { matrix, w, out } = self;
        let features = w.len();
        *out = [0.0; LANES];
        for first in (0..features).step_by(HEIGHT) {
            let height = HEIGHT.min(features - first);
            // Missing rows repeat the last one; there is then nothing left to multiply them by.
            let rows: [&[f64]; HEIGHT] =
                std::array::from_fn(|r| &matrix[(first + r.min(height - 1)) * features..][..features]);
            // SAFETY: the caller guarantees the instruction set; rows and w have `features` entries, of which those
            // after the square on the diagonal are read.
            let sums = unsafe {
                rows_times::<I, HEIGHT>(rows.map(|row| &row[first + height..]), &w[first + height..])
            };
            // Twice what is to the right of the square, plus the square itself.
            for (r, sums) in sums.iter().enumerate().take(height) {
                let own = &w[first + r];
                let mut line = sums.map(|sum| 2.0 * sum);
                for (g, w) in w[first..first + height].iter().enumerate() {
                    for (sum, &w) in line.iter_mut().zip(w) {
                        *sum = I::fused(rows[r][first + g], w, *sum);
                    }
                }
                for ((out, &sum), &own) in out.iter_mut().zip(&line).zip(own) {
                    *out = I::fused(sum, own, *out);
                }
            }
        }
    }
}

/// Multiplies some rows by a matrix of eight columns.
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
unsafe fn rows_times<I: Isa<T = f64>, const HEIGHT: usize>(
    rows: [&[f64]; HEIGHT],
    v: &[[f64; LANES]],
) -> [[f64; LANES]; HEIGHT] {
    assert!(rows.iter().all(|row| row.len() == v.len()));
    let mut out = [[0.0; LANES]; HEIGHT];
    // SAFETY: the caller guarantees the instruction set, the assertion the sizes.
    unsafe {
        let mut sums = [[I::Group::splat(0.0)]; HEIGHT];
        let left = |k: usize, r: usize| rows[r].as_ptr().wrapping_add(k);
        let right = |k: usize, _: usize| v.as_ptr().wrapping_add(k).cast();
        accumulate::<I::Group, HEIGHT, 1, false>(&mut sums, v.len(), left, right);
        for ([sum], out) in sums.iter().zip(&mut out) {
            sum.store(out.as_mut_ptr());
        }
    }
    out
}

/// Writes `U V` for rows of d numbers: eight numbers per row. Time: O(8 n d).
pub fn mul(rows: &[f64], v: &[[f64; LANES]], out: &mut [[f64; LANES]]) {
    Level::best().run(Mul { rows, v, out });
}

struct Mul<'a> {
    rows: &'a [f64],
    v: &'a [[f64; LANES]],
    out: &'a mut [[f64; LANES]],
}

impl Work<f64> for Mul<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        // SAFETY: the caller guarantees the instruction set.
        unsafe {
            // As many sums as the registers hold.
            if I::M == 1 { self.by::<I, 8>() } else { self.by::<I, 4>() }
        }
    }
}

impl Mul<'_> {
    /// Computes `HEIGHT` rows at a time.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    unsafe fn by<I: Isa<T = f64>, const HEIGHT: usize>(self) {
        let Mul { rows, v, out } = self;
        let features = v.len();
        for (chunk, out) in out.chunks_mut(HEIGHT).enumerate() {
            // Missing rows repeat the last one; their sums are not kept.
            let row = |r: usize| &rows[(chunk * HEIGHT + r.min(out.len() - 1)) * features..][..features];
            // SAFETY: the caller guarantees the instruction set.
            let sums = unsafe { rows_times::<I, HEIGHT>(std::array::from_fn(row), v) };
            out.copy_from_slice(&sums[..out.len()]);
        }
    }
}

/// Writes `U' R` and `(U o U)' R` for rows of d numbers: eight numbers per feature for each. Time: O(16 n d).
pub fn mul_transposed(
    rows: &[f64],
    r: &[[f64; LANES]],
    out: &mut [[f64; LANES]],
    squares: &mut [[f64; LANES]],
) {
    Level::best().run(MulTransposed { rows, r, out, squares });
}

struct MulTransposed<'a> {
    rows: &'a [f64],
    r: &'a [[f64; LANES]],
    out: &'a mut [[f64; LANES]],
    squares: &'a mut [[f64; LANES]],
}

impl Work<f64> for MulTransposed<'_> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) {
        const WIDTH: usize = 4;
        let MulTransposed { rows, r, out, squares } = self;
        let features = out.len();
        for first in (0..features).step_by(WIDTH) {
            let width = WIDTH.min(features - first);
            // SAFETY: the caller guarantees the instruction set; `r`, `out` and `squares` are made of eight numbers.
            unsafe {
                let mut sums = [[I::Group::splat(0.0); 2]; WIDTH];
                for (row, r) in rows.chunks_exact(features).zip(r) {
                    let r = I::Group::load(r.as_ptr());
                    for (f, [sum, square]) in sums.iter_mut().enumerate() {
                        // Missing features repeat the last one; their sums are not kept.
                        let x = I::Group::splat(row[first + f.min(width - 1)]);
                        *sum = x.mul_add(r, *sum);
                        *square = x.mul(x).mul_add(r, *square);
                    }
                }
                for (f, [sum, square]) in sums.iter().enumerate().take(width) {
                    sum.store(out[first + f].as_mut_ptr());
                    square.store(squares[first + f].as_mut_ptr());
                }
            }
        }
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
            for level in Level::ALL {
                let mut out = vec![f64::NAN; features * features];
                for (band, out) in out.chunks_mut(BAND * features).enumerate() {
                    level.run(CovarianceBand { packed: &packed, band, out });
                }
                for f in 0..features {
                    for g in f..features {
                        let sum: f64 = values.chunks_exact(features).map(|row| row[f] * row[g]).sum();
                        let fast = out[f * features + g];
                        assert!(near(fast, sum / rows as f64), "{level:?}, {rows} x {features}: {f} {g}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_agree_with_the_definition() {
        for (features, level) in
            [1, 3, 4, 8, 33, 70].into_iter().flat_map(|d| Level::ALL.map(|level| (d, level)))
        {
            let mut matrix = numbers(features * features, 2);
            for f in 0..features {
                for g in 0..f {
                    matrix[f * features + g] = matrix[g * features + f];
                }
            }
            let w = lanes(features, 3);
            let mut forms = [f64::NAN; LANES];
            level.run(QuadraticForms { matrix: &matrix, w: &w, out: &mut forms });
            for (lane, form) in forms.iter().enumerate() {
                let column: Vec<f64> = w.iter().map(|w| w[lane]).collect();
                let mut product = vec![f64::NAN; features];
                level.run(Matvec { matrix: &matrix, w: &column, out: &mut product });
                for (row, product) in matrix.chunks_exact(features).zip(&product) {
                    assert!(near(*product, row.iter().zip(&column).map(|(a, b)| a * b).sum()));
                }
                let direct = product.iter().zip(&column).map(|(a, b)| a * b).sum();
                assert!(near(*form, direct), "{level:?}: {features}");
            }
        }
    }

    #[test]
    fn products_with_rows_agree_with_the_definition() {
        for (rows, features) in [(1, 1), (7, 5), (9, 4), (20, 13)] {
            let values = numbers(rows * features, 4);
            let (v, r) = (lanes(features, 5), lanes(rows, 6));
            for level in Level::ALL {
                let mut product = vec![[f64::NAN; LANES]; rows];
                level.run(Mul { rows: &values, v: &v, out: &mut product });
                let (mut out, mut squares) =
                    (vec![[f64::NAN; LANES]; features], vec![[f64::NAN; LANES]; features]);
                level.run(MulTransposed { rows: &values, r: &r, out: &mut out, squares: &mut squares });
                for lane in 0..LANES {
                    for (row, product) in values.chunks_exact(features).zip(&product) {
                        assert!(near(product[lane], row.iter().zip(&v).map(|(x, v)| x * v[lane]).sum()));
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
}

//! The scatter route: one pass over the data, about d^2/2 multiply-adds per point, whatever the number of classes.
//!
//! For class i with its rows z and `g = |z|^2 - tau_i` (a level near the mean keeps sums of squares from cancelling):
//!
//! ```text
//! sum g     sum g^2     m = sum z     q = sum g z     S = sum z z'      (upper triangle, in register tiles)
//! ```
//!
//! With the mean `e = m / n` of z, and central moments over the class marked by `~`, `r = |z - e|^2` has
//!
//! ```text
//! mean r = mean g + tau - |e|^2      var r = var g + 4 e'S~e/n - 4 e.q~/n      cov(r, z) = (q~ - 2 S~ e)/n
//! ```
//!
//! and around any centre c, with `v = c_i - c`: `cov` gives `skew = cov(r, z.v)`, and `S~` gives `along = var z.v`.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::sums::total;
use clmatch_kernels::simd::{Aligned, Isa, LANES, LINE, Level, Register, Work, accumulate};

use super::class_sums::dot;
use super::driver::{Pass, States};
use super::panel::{Ahead, PointPanel, ROWS};
use super::profile::{CentreColumns, Profile, not_below_zero};

/// Blocks of eight features that one sweep over a panel sums.
const STRIP: usize = 4;
/// Points of a panel that a tile takes at a time.
const STEP: usize = 2;

/// The sums that only this route needs: the scatter matrix of each class.
pub(super) struct ScatterPass<'a> {
    pub features: usize,
    pub blocks: usize,
    /// `tau_i`.
    pub levels: &'a [f64],
}

/// Parts of the state of one class.
struct ScatterState<'a> {
    /// `sum g`, `sum g^2`.
    head: &'a [f64],
    m: &'a [f64],
    q: &'a [f64],
    /// Upper triangle, at [`place`].
    s: &'a [f64],
}

/// Where the eight numbers of feature `row` with those of block `block`, which is not below the block of the feature, start. The
/// upper triangle is stored as squares of 8 x 8 numbers, row by row of squares. A tile lies in one piece, and a state takes half
/// the memory of a full matrix.
#[inline(always)]
fn place(blocks: usize, row: usize, block: usize) -> usize {
    let first = row / LANES;
    let above = first * (2 * blocks + 1 - first) / 2;
    ((above + block - first) * LANES + row % LANES) * LANES
}

impl ScatterPass<'_> {
    fn padded(&self) -> usize {
        self.blocks * LANES
    }

    fn parts<'s>(&self, state: &'s [f64]) -> ScatterState<'s> {
        let (head, rest) = state.split_at(LANES);
        let (m, rest) = rest.split_at(self.padded());
        let (q, s) = rest.split_at(self.padded());
        ScatterState { head, m, q, s }
    }

    /// `e` of a class of `size` points.
    pub(super) fn mean(&self, state: &[f64], size: f64) -> Vec<f64> {
        self.parts(state).m.iter().map(|sum| sum / size).collect()
    }

    /// `mean r` of a class of `size` points.
    pub(super) fn variance(&self, class: usize, state: &[f64], size: f64) -> f64 {
        let mean = self.mean(state, size);
        let square: f64 = mean.iter().map(|e| e * e).sum();
        not_below_zero(self.parts(state).head[0] / size + self.levels[class] - square)
    }

    /// The moments of a class of `size` points around its centroid. Time and memory: O(d^2).
    pub(super) fn central(&self, class: usize, state: &[f64], size: f64) -> Central {
        let padded = self.padded();
        let ScatterState { head, m, q, s } = self.parts(state);
        let mean: Vec<f64> = m.iter().map(|sum| sum / size).collect();
        let mut matrix = Aligned::zeros(padded * padded);
        for row in 0..self.features {
            for column in row..self.features {
                let sum = s[place(self.blocks, row, column / LANES) + column % LANES];
                let value = sum / size - mean[row] * mean[column];
                matrix[row * padded + column] = value;
                matrix[column * padded + row] = value;
            }
        }
        let level = head[0] / size;
        let drift: Vec<f64> = matrix.chunks_exact(padded).map(|row| dot(row, &mean)).collect();
        let along_e = dot(&mean, &drift);
        // `drift` is S~e; q~ = q - level m.
        let own: Vec<f64> = q.iter().zip(&mean).map(|(q, e)| q / size - level * e).collect();
        let skew_e = dot(&mean, &own);
        let covariance = own.iter().zip(&drift).map(|(own, drift)| own - 2.0 * drift).collect();
        let var_g = not_below_zero(head[1] / size - level * level);
        Central {
            variance: self.variance(class, state, size),
            fourth: not_below_zero(var_g + 4.0 * along_e - 4.0 * skew_e),
            doubt: var_g + 4.0 * along_e,
            mean,
            matrix,
            covariance,
        }
    }
}

/// The moments of one class around its centroid.
pub(super) struct Central {
    /// `e`: the position of the centroid.
    pub mean: Vec<f64>,
    /// Mean r.
    pub variance: f64,
    /// Variance of r.
    pub fourth: f64,
    /// The size of the terms that `fourth` was summed from.
    pub doubt: f64,
    /// `S~ / n`, both triangles.
    pub matrix: Aligned<f64>,
    /// `cov(r, z)`.
    pub covariance: Vec<f64>,
}

impl Pass for ScatterPass<'_> {
    type Scratch = ();
    fn scratch(&self) {}

    fn width(&self) -> usize {
        LANES + 2 * self.padded() + self.blocks * (self.blocks + 1) / 2 * LANES * LANES
    }

    fn by_class(&self) -> bool {
        false
    }

    #[inline(always)]
    unsafe fn enter<I: Isa<T = f64>>(&self, _: usize, (): &mut ()) {}

    #[inline(always)]
    unsafe fn add<I: Isa<T = f64>>(
        &self,
        class: usize,
        panel: &PointPanel,
        (): &mut (),
        ahead: &mut Ahead,
        state: &mut [f64],
    ) {
        let (head, rest) = state.split_at_mut(LANES);
        let (strips, s) = rest.split_at_mut(2 * self.padded());
        let mut levelled = [0.0; ROWS];
        let levelled = &mut levelled[..panel.rows];
        let (mut sum, mut squares) = (head[0], head[1]);
        for (g, square) in levelled.iter_mut().zip(panel.squares.iter()) {
            *g = square - self.levels[class];
            sum += *g;
            squares += *g * *g;
        }
        (head[0], head[1]) = (sum, squares);
        let (m, q) = strips.split_at_mut(self.padded());
        // SAFETY: the caller vouches for the instruction set; blocks and rows are those of the panel, and m, q and s
        // have room for all blocks.
        unsafe {
            let mut block = 0;
            while block < self.blocks {
                if block + STRIP <= self.blocks {
                    strip::<I::Group, STRIP>(panel, block, levelled, m, q);
                    block += STRIP;
                } else {
                    strip::<I::Group, 1>(panel, block, levelled, m, q);
                    block += 1;
                }
            }
            if I::M == 1 {
                triangle::<I::Group, 8, 3>(panel, self.features, self.blocks, ahead, s);
            } else {
                triangle::<I::Group, 4, 1>(panel, self.features, self.blocks, ahead, s);
            }
        }
    }
}

/// Adds `sum z` and `sum g z` of `C` blocks.
#[inline(always)]
unsafe fn strip<V: Register<T = f64>, const C: usize>(
    panel: &PointPanel,
    block: usize,
    g: &[f64],
    m: &mut [f64],
    q: &mut [f64],
) {
    // SAFETY: the caller vouches for the instruction set and for `C` blocks from `block` on.
    unsafe {
        let mut sums = [V::splat(0.0); C];
        let mut weighted = [V::splat(0.0); C];
        for (k, &g) in g.iter().enumerate() {
            let g = V::splat(g);
            for c in 0..C {
                let z = V::load(panel.block(block + c).add(k * LANES));
                sums[c] = sums[c].add(z);
                weighted[c] = z.mul_add(g, weighted[c]);
            }
        }
        for c in 0..C {
            let m = m[(block + c) * LANES..][..LANES].as_mut_ptr();
            V::load(m).add(sums[c]).store(m);
            let q = q[(block + c) * LANES..][..LANES].as_mut_ptr();
            V::load(q).add(weighted[c]).store(q);
        }
    }
}

/// Adds `z z'` of all points to the upper triangle of `s`, in tiles of `R` features and up to `C` blocks of features.
#[inline(always)]
unsafe fn triangle<V: Register<T = f64>, const R: usize, const C: usize>(
    panel: &PointPanel,
    features: usize,
    blocks: usize,
    ahead: &mut Ahead,
    s: &mut [f64],
) {
    const { assert!(C <= 3 && LANES.is_multiple_of(R)) }
    // The rows to be fetched are as many as the panel has. Fetching them one cache line at a time, spread over the arithmetic,
    // leaves line-fill buffers for the reads of the panel itself. Points with few features have too few tiles for that, so the
    // rest is fetched before each tile.
    let tiles = LANES / R * (1..=blocks).map(|width| width.div_ceil(C)).sum::<usize>();
    let pause = 1 << (tiles / blocks).max(STEP).ilog2();
    let rest = (panel.rows * blocks).div_ceil(tiles).saturating_sub(panel.rows / pause) * LINE;
    let mut row = 0;
    while row < features {
        let mut block = row / LANES;
        while block < blocks {
            ahead.fetch(rest);
            // SAFETY: as the caller vouches; the tile ends inside the panel.
            unsafe {
                // Two tiles of two blocks instead of three and one: a narrow tile waits for loads.
                block += match blocks - block {
                    3 | 5.. if C == 3 => tile::<V, R, 3>(panel, row, block, blocks, ahead, pause, s),
                    2.. if C >= 2 => tile::<V, R, 2>(panel, row, block, blocks, ahead, pause, s),
                    _ => tile::<V, R, 1>(panel, row, block, blocks, ahead, pause, s),
                };
            }
        }
        row += R;
    }
}

/// Adds one tile, fetching a cache line every `pause` points, a power of two; returns how many blocks it has.
#[inline(always)]
unsafe fn tile<V: Register<T = f64>, const R: usize, const C: usize>(
    panel: &PointPanel,
    row: usize,
    block: usize,
    blocks: usize,
    ahead: &mut Ahead,
    pause: usize,
    s: &mut [f64],
) -> usize {
    let s = &mut s[place(blocks, row, block)..][..((C - 1) * LANES + R) * LANES];
    // SAFETY: the caller vouches for the instruction set and for the blocks of the panel; `s` has room for the tile.
    unsafe {
        let mut sums = [[V::splat(0.0); C]; R];
        let left = panel.block(row / LANES).add(row % LANES);
        let right = panel.block(block);
        let left = |k: usize, r: usize| left.wrapping_add(k * LANES + r);
        let right = |k: usize, c: usize| right.wrapping_add((c * panel.stride + k) * LANES);
        let mut k = 0;
        while k + STEP <= panel.rows {
            if k & (pause - 1) == 0 {
                ahead.fetch_line();
            }
            accumulate::<V, R, C, false>(&mut sums, STEP, |i, r| left(k + i, r), |i, c| right(k + i, c));
            k += STEP;
        }
        accumulate::<V, R, C, false>(
            &mut sums,
            panel.rows - k,
            |i, r| left(k + i, r),
            |i, c| right(k + i, c),
        );
        for (r, sums) in sums.iter().enumerate() {
            for (c, &sum) in sums.iter().enumerate() {
                let to = s.as_mut_ptr().add((c * LANES + r) * LANES);
                V::load(to).add(sum).store(to);
            }
        }
    }
    C
}

/// Moments of each class around its own centroid and around each centre of its columns.
///
/// Time: O(K^2 d^2) for all pairs. Memory: O(K^2).
pub(super) fn profile(
    level: Level,
    scatter: &ScatterPass<'_>,
    states: &States,
    columns: &CentreColumns<'_>,
) -> Profile {
    let rows: Vec<ClassProfile> = parallel::map_range(columns.classes(), |class| {
        level.run(ScatterFinish { scatter, state: states.of(class, scatter.width()), columns, class })
    });
    let mut profile = Profile::new(columns.count());
    for class in rows {
        profile.variances.push(class.variance);
        profile.fourths.push(class.fourth);
        profile.doubts.push(class.doubt);
        profile.along.extend(class.along);
        profile.skew.extend(class.skew);
    }
    profile
}

/// One class of a [`Profile`].
struct ClassProfile {
    variance: f64,
    fourth: f64,
    doubt: f64,
    along: Vec<f64>,
    skew: Vec<f64>,
}

/// The moments of one class from its state.
struct ScatterFinish<'a> {
    scatter: &'a ScatterPass<'a>,
    state: &'a [f64],
    columns: &'a CentreColumns<'a>,
    class: usize,
}

impl Work<f64> for ScatterFinish<'_> {
    type Output = ClassProfile;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Self::Output {
        let ScatterFinish { scatter, state, columns, class } = self;
        let (size, padded) = (columns.sizes[class], scatter.padded());
        let Central { matrix, covariance, fourth, doubt, variance, .. } = scatter.central(class, state, size);
        let mut drift = Aligned::zeros(padded);
        // SAFETY: the caller vouches for the instruction set; matrix and vectors are padded alike.
        unsafe {
            let (mut along, mut skew) = (vec![0.0; columns.count()], vec![0.0; columns.count()]);
            let mut v = Aligned::zeros(padded);
            for column in 0..columns.count() {
                columns.offset(class, column, &mut v);
                along[column] = not_below_zero(quadratic::<I::Group>(&matrix, &v, &mut drift));
                skew[column] = covariance.iter().zip(v.iter()).map(|(q, v)| q * v).sum();
            }
            ClassProfile { variance, fourth, doubt, along, skew }
        }
    }
}

/// `v'Av` of a symmetric matrix, leaving `Av` in `image`.
#[inline(always)]
unsafe fn quadratic<V: Register<T = f64>>(matrix: &[f64], v: &[f64], image: &mut [f64]) -> f64 {
    let padded = image.len();
    assert!(matrix.len() == padded * padded && v.len() == padded && padded.is_multiple_of(LANES));
    // SAFETY: the caller vouches for the instruction set; the assertion for the sizes.
    unsafe {
        let mut sum = V::splat(0.0);
        let mut start = 0;
        while start < padded {
            let blocks = ((padded - start) / LANES).min(STRIP);
            let mut sums = [V::splat(0.0); STRIP];
            for (row, &factor) in v.iter().enumerate() {
                let factor = V::splat(factor);
                for (c, sum) in sums.iter_mut().enumerate().take(blocks) {
                    *sum =
                        V::load(matrix.as_ptr().add(row * padded + start + c * LANES)).mul_add(factor, *sum);
                }
            }
            for (c, &column) in sums.iter().enumerate().take(blocks) {
                let at = start + c * LANES;
                column.store(image.as_mut_ptr().add(at));
                sum = V::load(v.as_ptr().add(at)).mul_add(column, sum);
            }
            start += blocks * LANES;
        }
        total(sum)
    }
}

//! Blocks of points, and their copies in the order in which the register tiles read them.
//!
//! Notation: a block is rows `start..start + len`; a *panel* is `width` rows of a block, stored feature by feature:
//! number `k * width + l` of a panel is feature k of its row l. Rows beyond the block are 0.

use clmatch_kernels::parallel;
use clmatch_kernels::simd::sums::in_lanes_and_rest;
use clmatch_kernels::simd::{Float, Isa, Packing, ROWS};

/// Row-major points.
#[derive(Clone, Copy)]
pub(super) struct PointMatrix<'a, T> {
    pub(super) values: &'a [T],
    pub(super) features: usize,
}

impl<'a, T: Float> PointMatrix<'a, T> {
    /// Point `index`.
    #[inline(always)]
    pub(super) fn row(self, index: usize) -> &'a [T] {
        &self.values[index * self.features..(index + 1) * self.features]
    }
}

/// `|x - y|^2` from differences, in f64.
///
/// Time: O(d). Memory: O(1).
#[inline(always)]
pub(super) fn squared_distance<T: Float, C: Float>(x: &[T], y: &[C]) -> f64 {
    let ([a, b, c, d, e, f, g, h], rest) = in_lanes_and_rest(x, y, |sum, x: T, y: C| {
        let gap = x.wide() - y.wide();
        sum + gap * gap
    });
    ((a + e) + (b + f)) + ((c + g) + (d + h)) + rest
}

/// The blocks, and where their points lie.
pub(super) struct PointBlocks {
    /// Points per block (fewer in the last one).
    pub(super) size: usize,
    pub(super) count: usize,
    points: usize,
    features: usize,
    /// The mean of each block.
    centres: Vec<f64>,
    /// The mean squared distance of a block's points to its mean.
    spreads: Vec<f64>,
}

impl PointBlocks {
    /// Cuts the points into blocks of `size`.
    ///
    /// Time: O(n d). Memory: O(n d / size).
    pub(super) fn new<T: Float>(points: PointMatrix<'_, T>, size: usize) -> Self {
        let features = points.features;
        let length = points.values.len() / features;
        let count = length.div_ceil(size);
        let mut centres = vec![0.0; count * features];
        let mut parts: Vec<&mut [f64]> = centres.chunks_exact_mut(features).collect();
        let spreads = parallel::map_mut(&mut parts, |block, centre| {
            let rows = block * size..length.min((block + 1) * size);
            let share = 1.0 / rows.len() as f64;
            for row in rows.clone() {
                centre.iter_mut().zip(points.row(row)).for_each(|(sum, x)| *sum += x.wide());
            }
            centre.iter_mut().for_each(|sum| *sum *= share);
            rows.map(|row| squared_distance(points.row(row), centre)).sum::<f64>() * share
        });
        PointBlocks { size, count, points: length, features, centres, spreads }
    }

    /// The first point of a block.
    pub(super) fn start(&self, block: usize) -> usize {
        block * self.size
    }

    /// How many points a block has.
    pub(super) fn len(&self, block: usize) -> usize {
        self.size.min(self.points - block * self.size)
    }

    /// Where to centre a pair of blocks: at the mean of the tighter one. If that block is tight, a pair of points is
    /// either far apart or close to this centre, and little cancels.
    pub(super) fn centre(&self, a: usize, b: usize) -> &[f64] {
        let block = if self.spreads[b] < self.spreads[a] { b } else { a };
        &self.centres[block * self.features..(block + 1) * self.features]
    }
}

/// The rows and features to copy.
#[derive(Clone, Copy)]
pub(super) struct PackRange {
    /// First row.
    pub(super) start: usize,
    /// How many rows.
    pub(super) len: usize,
    /// First feature.
    pub(super) from: usize,
    /// How many features.
    pub(super) depth: usize,
}

/// Copies a part of the points, less `centre`, into panels of `width` rows (a multiple of [`ROWS`]).
///
/// Time: O(len depth). Memory: O(1).
///
/// # Safety
/// The processor has the instruction set.
#[inline(always)]
pub(super) unsafe fn pack<I: Isa>(
    points: PointMatrix<'_, I::T>,
    part: PackRange,
    centre: &[I::T],
    width: usize,
    to: &mut [I::T],
) {
    let PackRange { start, len, from, depth } = part;
    let centre = Some(&centre[from..from + depth]);
    let rows = (start..start + len).map(|row| &points.row(row)[from..from + depth]);
    let packing = Packing { depth, width, centre, missing: I::T::ZERO, ahead: ROWS * points.features };
    // SAFETY: the caller vouches for the instruction set.
    unsafe { packing.pack_with::<I>(rows, to) }
}

/// Adds the squared norms of the rows of packed panels to one number per row; `width` is a multiple of [`ROWS`].
///
/// Time: O(len depth). Memory: O(1).
#[inline(always)]
pub(super) fn add_norms<T: Float>(panels: &[T], width: usize, depth: usize, norms: &mut [f64]) {
    /// Independent sums, which do not wait for each other.
    const APART: usize = 4;
    let lanes = width / ROWS;
    for (panel, norms) in panels.chunks_exact(depth * width).zip(norms.chunks_exact_mut(width)) {
        let eights = panel.as_chunks::<ROWS>().0;
        for (lane, norms) in norms.as_chunks_mut::<ROWS>().0.iter_mut().enumerate() {
            let mut sums = [[0.0; ROWS]; APART];
            let whole = depth - depth % APART;
            for k in (0..whole).step_by(APART) {
                for (apart, sum) in sums.iter_mut().enumerate() {
                    add_squares(sum, &eights[(k + apart) * lanes + lane]);
                }
            }
            for k in whole..depth {
                add_squares(&mut sums[0], &eights[k * lanes + lane]);
            }
            for (i, norm) in norms.iter_mut().enumerate() {
                *norm += (sums[0][i] + sums[1][i]) + (sums[2][i] + sums[3][i]);
            }
        }
    }
}

#[inline(always)]
fn add_squares<T: Float>(sums: &mut [f64; ROWS], numbers: &[T; ROWS]) {
    for (sum, x) in sums.iter_mut().zip(numbers) {
        *sum += x.wide() * x.wide();
    }
}

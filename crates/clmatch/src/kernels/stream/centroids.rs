//! Centroids of the classes, and the distances between them.
//!
//! Each centroid is known in two parts, a reference near the class and a correction that is small compared with the extent of the
//! class: `c_i = a_i + e_i`, see [`panel`](super::panel). Relative to the origin of the dataset, the two parts are added and
//! rounded, which is precise enough for most pairs. Two centroids may be close compared with their distance from the origin, as
//! all are except the one with a point far away. Their difference is then taken part by part:
//!
//! ```text
//! c_i - c_j = (a_i - a_j) + (e_i - e_j)
//! ```

use clmatch_kernels::parallel;
use clmatch_kernels::simd::sums::squared_gap;
use clmatch_kernels::simd::{Isa, Level, Work};

use super::SQUARE;

/// Two centroids are close if their squared distance is below this share of their squared distances from the origin; the
/// difference of any other two is good to 1e-12.
const CLOSE: f64 = 1e-7;

/// The centroids of all classes, each padded to whole blocks.
pub(super) struct Centroids<'a> {
    /// K x `padded`, relative to the origin.
    sums: Vec<f64>,
    /// `|c_i|^2`, relative to the origin.
    squares: Vec<f64>,
    /// K x `padded`: `-a_i`.
    minus: &'a [f64],
    /// K x `padded`: `e_i`.
    shift: &'a [f64],
    pub padded: usize,
}

impl<'a> Centroids<'a> {
    /// Takes the two parts, and the origin in the same coordinates.
    pub(super) fn new(minus: &'a [f64], shift: &'a [f64], origin: &[f64], padded: usize) -> Self {
        let mut sums = vec![0.0; minus.len()];
        for (class, row) in sums.chunks_exact_mut(padded).enumerate() {
            let at = class * padded;
            for (f, (c, origin)) in row.iter_mut().zip(origin).enumerate() {
                *c = (-minus[at + f] - origin) + shift[at + f];
            }
        }
        let squares = sums.chunks_exact(padded).map(|row| row.iter().map(|c| c * c).sum()).collect();
        Centroids { sums, squares, minus, shift, padded }
    }

    /// One centroid, relative to the origin.
    #[inline(always)]
    pub(super) fn row(&self, class: usize) -> &[f64] {
        &self.sums[class * self.padded..(class + 1) * self.padded]
    }

    /// All centroids.
    pub(super) fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.sums.chunks_exact(self.padded)
    }

    /// Whether a difference must be taken part by part.
    #[inline(always)]
    fn are_close(&self, i: usize, j: usize, gap: f64) -> bool {
        gap < CLOSE * (self.squares[i] + self.squares[j])
    }

    /// `share (c_i - c_j)`, where the squared length of the difference is `gap`.
    #[inline(always)]
    pub(super) fn difference(&self, i: usize, j: usize, gap: f64, share: f64, difference: &mut [f64]) {
        if self.are_close(i, j, gap) {
            self.by_parts(i, j, share, difference);
        } else {
            for ((difference, a), b) in difference.iter_mut().zip(self.row(i)).zip(self.row(j)) {
                *difference = share * (a - b);
            }
        }
    }

    #[cold]
    fn by_parts(&self, i: usize, j: usize, share: f64, difference: &mut [f64]) {
        let part = |part: &'a [f64], class: usize| &part[class * self.padded..(class + 1) * self.padded];
        let references = part(self.minus, j).iter().zip(part(self.minus, i));
        let shifts = part(self.shift, i).iter().zip(part(self.shift, j));
        for ((difference, (b, a)), (e, f)) in difference.iter_mut().zip(references).zip(shifts) {
            *difference = share * ((b - a) + (e - f));
        }
    }

    /// K x K squared distances between centroids. Time: O(K^2 d). Memory: O(K^2).
    pub(super) fn gaps(&self, level: Level) -> Vec<f64> {
        let count = self.squares.len();
        let rows: Vec<Vec<f64>> =
            parallel::map_range(count, |class| level.run(GapsBefore { centroids: self, class }));
        let mut gaps = vec![0.0; count * count];
        // Square by square, so that the mirrored half is written to few cache lines at a time.
        for (i, j) in (0..count).step_by(SQUARE).flat_map(|i| (0..=i).step_by(SQUARE).map(move |j| (i, j))) {
            for (row, before) in rows.iter().enumerate().skip(i).take(SQUARE) {
                for (column, &gap) in before.iter().enumerate().skip(j).take(SQUARE) {
                    gaps[row * count + column] = gap;
                    gaps[column * count + row] = gap;
                }
            }
        }
        gaps
    }

    /// The squared distance of two centroids that are close.
    #[cold]
    fn close_gap(&self, i: usize, j: usize) -> f64 {
        let mut difference = vec![0.0; self.padded];
        self.by_parts(i, j, 1.0, &mut difference);
        difference.iter().map(|d| d * d).sum()
    }
}

/// Computes squared distances of one centroid to those before it.
struct GapsBefore<'a> {
    centroids: &'a Centroids<'a>,
    class: usize,
}

impl Work<f64> for GapsBefore<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Vec<f64> {
        let GapsBefore { centroids, class } = self;
        let own = centroids.row(class);
        let mut gaps = Vec::with_capacity(class);
        for (before, other) in centroids.rows().take(class).enumerate() {
            // SAFETY: the caller vouches for the instruction set.
            let gap = unsafe { squared_gap::<I::Group>(own, other) };
            let close = centroids.are_close(class, before, gap);
            gaps.push(if close { centroids.close_gap(class, before) } else { gap });
        }
        gaps
    }
}

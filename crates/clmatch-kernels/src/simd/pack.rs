//! Packs rows in the order in which register tiles read them; all kernels use this packing.
//!
//! Notation: a *panel* is `width` rows, stored feature by feature: number `k * width + l` of a panel is feature k of its
//! row l.

use crate::simd::aligned::LINE;
use crate::simd::float::Float;
use crate::simd::isa::{Isa, ROWS, Work, prefetch_near};
use crate::simd::level::{Dispatch, Level};

/// How to pack rows.
#[derive(Debug, Clone, Copy)]
pub struct Packing<'a, T> {
    /// How many numbers a row has.
    pub depth: usize,
    /// How many rows a panel has, a multiple of [`ROWS`].
    pub width: usize,
    /// What is subtracted from each row, if anything.
    pub centre: Option<&'a [T]>,
    /// The number that fills rows missing from the last panel.
    pub missing: T,
    /// How many numbers ahead rows are prefetched into the cache; 0 for no prefetching.
    pub ahead: usize,
}

impl<T: Float> Packing<'_, T> {
    /// Packs rows unchanged, with 0 for rows missing from the last panel.
    #[must_use]
    pub fn plain(depth: usize, width: usize) -> Self {
        Packing { depth, width, centre: None, missing: T::ZERO, ahead: 0 }
    }

    /// Copies rows into panels, with the best instructions available.
    ///
    /// Time: O(n depth). Memory: O(1).
    pub fn pack<'r>(self, rows: impl ExactSizeIterator<Item = &'r [T]>, to: &mut [T])
    where
        T: Dispatch + 'r,
    {
        Level::best().run(Pack { packing: self, rows, to });
    }

    /// [`Packing::pack`] as part of other work.
    ///
    /// # Panics
    /// If a row is shorter than `depth`, or if there are fewer rows than the iterator says.
    ///
    /// # Safety
    /// The processor has the instruction set.
    #[inline(always)]
    pub unsafe fn pack_with<'r, I: Isa<T = T>>(
        self,
        mut rows: impl ExactSizeIterator<Item = &'r [T]>,
        to: &mut [T],
    ) {
        let Packing { depth, width, centre, missing, ahead } = self;
        let len = rows.len();
        assert!(width.is_multiple_of(ROWS) && to.len() >= len.div_ceil(width) * depth * width);
        let zeros = [T::ZERO; ROWS];
        let centre = centre.map(|centre| &centre[..depth]);
        let whole = depth - depth % I::TRANSPOSED;
        for (panel, to) in to.chunks_exact_mut(depth * width).take(len.div_ceil(width)).enumerate() {
            for lane in (0..width).step_by(ROWS) {
                if panel * width + lane + ROWS > len {
                    pack_few(&mut rows, centre, missing, width, &mut to[lane..]);
                    continue;
                }
                // Not `from_fn`, which is not always inlined, and would then lack the instruction set.
                let mut eight: [&[T]; ROWS] = [&[]; ROWS];
                for row in &mut eight {
                    *row = &rows.next().unwrap_or_default()[..depth];
                }
                let mut pointers = eight.map(<[T]>::as_ptr);
                for k in (0..whole).step_by(I::TRANSPOSED) {
                    // SAFETY: rows and centre hold `depth >= k + TRANSPOSED` numbers, and so do the zeros;
                    // `to` holds `depth` rows of `width` numbers, of which eight from `lane` on are written.
                    unsafe {
                        if ahead > 0 && (k * size_of::<T>()).is_multiple_of(LINE) {
                            pointers.iter().for_each(|row| prefetch_near(row.wrapping_add(ahead)));
                        }
                        let centre = centre.map_or(zeros.as_ptr(), |centre| centre.as_ptr().add(k));
                        let to = to.as_mut_ptr().add(k * width + lane);
                        I::transpose_centred(&pointers, centre, to, width);
                        pointers = pointers.map(|row| row.add(I::TRANSPOSED));
                    }
                }
                for k in whole..depth {
                    let middle = centre.map_or(T::ZERO, |centre| centre[k]);
                    for (row, values) in eight.iter().enumerate() {
                        to[k * width + lane + row] = values[k].minus(middle);
                    }
                }
            }
        }
    }
}

/// Packs the last rows, fewer than [`ROWS`], and a number for missing rows.
#[inline(never)]
fn pack_few<'r, T: Float>(
    rows: &mut impl Iterator<Item = &'r [T]>,
    centre: Option<&[T]>,
    missing: T,
    width: usize,
    to: &mut [T],
) {
    to.chunks_mut(width).for_each(|line| line[..ROWS].fill(missing));
    for (lane, row) in rows.take(ROWS).enumerate() {
        for (k, line) in to.chunks_mut(width).enumerate() {
            line[lane] = row[k].minus(centre.map_or(T::ZERO, |centre| centre[k]));
        }
    }
}

struct Pack<'a, T, R> {
    packing: Packing<'a, T>,
    rows: R,
    to: &'a mut [T],
}

impl<'r, T: Float, R: ExactSizeIterator<Item = &'r [T]>> Work<T> for Pack<'_, T, R> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = T>>(self) {
        // SAFETY: the caller guarantees the instruction set.
        unsafe { self.packing.pack_with::<I>(self.rows, self.to) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Dispatch + std::fmt::Debug>(rows: usize, depth: usize, width: usize) {
        let number = |row: usize, k: usize| T::narrow((row * 100 + k) as f64);
        let values: Vec<T> = (0..rows * depth).map(|at| number(at / depth, at % depth)).collect();
        let centre: Vec<T> = (0..depth).map(|k| T::narrow(k as f64)).collect();
        for level in Level::ALL {
            for centre in [None, Some(&centre[..])] {
                let packing = Packing { depth, width, centre, missing: T::INFINITY, ahead: 8 * depth };
                let mut packed = vec![T::narrow(-1.0); rows.div_ceil(width) * width * depth + 3];
                level.run(Pack { packing, rows: values.chunks_exact(depth), to: &mut packed });
                for (panel, lines) in packed.chunks_exact(width * depth).enumerate() {
                    for (k, line) in lines.chunks_exact(width).enumerate() {
                        for (lane, value) in line.iter().enumerate() {
                            let row = panel * width + lane;
                            let less = centre.map_or(T::ZERO, |centre| centre[k]);
                            let expected = if row < rows { number(row, k).minus(less) } else { T::INFINITY };
                            assert_eq!(value.wide(), expected.wide(), "{level:?}: row {row}, feature {k}");
                        }
                    }
                }
                assert!(packed[rows.div_ceil(width) * width * depth..].iter().all(|x| x.wide() == -1.0));
            }
        }
    }

    #[test]
    fn every_number_is_where_it_belongs() {
        for (rows, depth) in [(1, 1), (7, 3), (8, 4), (9, 8), (24, 9), (50, 17), (0, 2)] {
            for width in [8, 16, 24, 48] {
                check::<f64>(rows, depth, width);
                check::<f32>(rows, depth, width);
            }
        }
    }
}

//! The search for the best split, eight features at a time.
#![allow(unsafe_code)]

use std::ops::Range;

use clmatch_kernels::simd::{Isa, LANES, Level, Register, Work};

use super::entry::RankedEntry;
use super::loss::Gradient;
use super::orders::Orders;
use super::tree::{LAMBDA, Sums};

/// Goes through the cuts of each feature, from the highest to the lowest, and reports those whose score is above a bar.
pub(super) struct Scan<'a, E> {
    pub(super) orders: &'a Orders<E>,
    /// The positions of the node's rows.
    pub(super) node: Range<usize>,
    /// The derivatives, by place.
    pub(super) gradients: &'a [Gradient],
    /// The sums over all rows of the node.
    pub(super) total: Sums,
    pub(super) min_child_weight: f64,
    pub(super) bar: f64,
}

impl<E: RankedEntry> Scan<'_, E> {
    /// Calls `found` with the feature, the number of rows below the cut and the sums above it; `found` returns the new
    /// bar. Cuts just below the bar may be reported too. Time: O(n d).
    pub(super) fn each(self, found: impl FnMut(usize, usize, Sums) -> f64) {
        let points = self.gradients.len();
        assert!(self.orders.points() <= points, "derivatives of every point");
        assert!(i32::try_from(points).is_ok(), "places of 31 bits");
        Level::best().run(SplitSearch { scan: self, found });
    }
}

/// One bit for each of the eight features.
const ALL: u64 = (1 << LANES) - 1;

/// How many rows are interleaved at a time.
const PIECE: usize = 64;

/// Adds the derivatives at eight places.
///
/// # Safety
/// The processor has the instruction set; all places are those of gradients, and below 2^31.
#[inline(always)]
unsafe fn add<I: Isa<T = f64>>(
    sums: [I::Group; 2],
    gradients: &[Gradient],
    places: [u32; LANES],
) -> [I::Group; 2] {
    // SAFETY: as above. A gradient is two single-precision numbers, which together are as large as one double-precision
    // number. It is only moved as such a number, and need not be aligned like one.
    unsafe {
        let mut more = [Gradient::default(); LANES];
        I::Group::gather(gradients.as_ptr().cast(), places.as_ptr()).store(more.as_mut_ptr().cast());
        let first = I::Group::load_single(more.map(|gradient| gradient.first).as_ptr());
        let second = I::Group::load_single(more.map(|gradient| gradient.second).as_ptr());
        [sums[0].add(first), sums[1].add(second)]
    }
}

struct SplitSearch<'a, E, F> {
    scan: Scan<'a, E>,
    found: F,
}

impl<E: RankedEntry, F: FnMut(usize, usize, Sums) -> f64> Work<f64> for SplitSearch<'_, E, F> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(mut self) {
        let Scan { orders, node, gradients, total, min_child_weight, bar } = self.scan;
        let rows = node.len();
        // SAFETY: the caller vouches for the instruction set; `Sorted` and `Scan::each` asserted that every place is that
        // of a gradient, and below 2^31. Arrays have eight numbers, as groups do.
        unsafe {
            let total = [total.first, total.second].map(|sum| I::Group::splat(sum));
            let (least, lambda) = (I::Group::splat(min_child_weight), I::Group::splat(LAMBDA));
            let mut bar = I::Group::splat(bar);
            let mut piece = [[E::new(0, 0); LANES]; PIECE];
            let keys = |row: &[E; LANES]| I::Group::load_single(row.map(E::key).as_ptr());
            for (block, orders) in orders.blocks(node).enumerate() {
                let mut right = [I::Group::splat(0.0); 2];
                let [lowest, mut above] = [0, rows - 1].map(|row| keys(&orders.map(|order| order[row])));
                for row in (0..rows).rev() {
                    // No cut is left among equal values: where most values are 0, this is reached soon.
                    if lowest.less(above) == 0 {
                        break;
                    }
                    let start = row / PIECE * PIECE;
                    if row == rows - 1 || row % PIECE == PIECE - 1 {
                        E::interleave(orders.map(|order| &order[start..=row]), &mut piece[..=row - start]);
                    }
                    let entries = &piece[row - start];
                    let below = keys(entries);
                    let cuts = below.less(above) & !right[1].less(least);
                    above = below;
                    let [first, second] = right;
                    right = add::<I>(right, gradients, entries.map(|entry| entry.place() as u32));
                    if cuts == 0 {
                        continue;
                    }
                    let left = [total[0].sub(first), total[1].sub(second)];
                    if left[1].less(least) == ALL {
                        break;
                    }
                    // Both terms over a common denominator, so that the comparison needs no division.
                    let (a, b) = (left[1].add(lambda), second.add(lambda));
                    let sum = left[0].mul(left[0]).mul_add(b, first.mul(first).mul(a));
                    let mut cuts = cuts & bar.mul(a.mul(b)).less(sum);
                    if cuts == 0 {
                        continue;
                    }
                    let mut sums = [[0.0; LANES]; 2];
                    first.store(sums[0].as_mut_ptr());
                    second.store(sums[1].as_mut_ptr());
                    while cuts != 0 {
                        let lane = cuts.trailing_zeros() as usize;
                        cuts &= cuts - 1;
                        bar = I::Group::splat((self.found)(
                            block * LANES + lane,
                            row + 1,
                            Sums { first: sums[0][lane], second: sums[1][lane] },
                        ));
                    }
                }
            }
        }
    }
}

//! The search for the best split, eight features at a time.
#![allow(unsafe_code)]

use std::ops::Range;

use clmatch_simd::{Isa, LANES, Level, Register, Work};

use super::entry::Entry;
use super::loss::Gradient;
use super::orders::Orders;
use super::tree::{LAMBDA, Sums};

/// Goes through the cuts of each feature, from the highest to the lowest, and tells those whose score is above a bar.
pub(super) struct Scan<'a, E> {
    pub(super) orders: &'a Orders<E>,
    /// The positions of its rows.
    pub(super) node: Range<usize>,
    /// By place.
    pub(super) gradients: &'a [Gradient],
    /// Of all rows.
    pub(super) total: Sums,
    pub(super) min_child_weight: f64,
    pub(super) bar: f64,
}

impl<E: Entry> Scan<'_, E> {
    /// Calls `found` with the feature, the number of rows below the cut and the sums above it; it answers with the new bar.
    /// Cuts that are just below the bar may be told too. Time: O(n d).
    pub(super) fn each(self, found: impl FnMut(usize, usize, Sums) -> f64) {
        let points = self.gradients.len();
        assert!(self.orders.points() <= points, "derivatives of every point");
        assert!(i32::try_from(points).is_ok(), "places of 31 bits");
        Level::best().run(Search { scan: self, found });
    }
}

/// A bit for each of the eight features.
const ALL: u64 = (1 << LANES) - 1;

struct Search<'a, E, F> {
    scan: Scan<'a, E>,
    found: F,
}

impl<E: Entry, F: FnMut(usize, usize, Sums) -> f64> Work<f64> for Search<'_, E, F> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(mut self) {
        let Scan { orders, node, gradients, total, min_child_weight, bar } = self.scan;
        // SAFETY: the caller vouches for the instruction set; `Scan::each` asserted that every place is that of a gradient, and
        // below 2^31. A gradient is two numbers of single precision, as large as one of double precision, which is only
        // moved; it need not be aligned as such. Arrays are of eight numbers, as groups are.
        unsafe {
            let total = [total.first, total.second].map(|sum| I::Group::splat(sum));
            let (least, lambda) = (I::Group::splat(min_child_weight), I::Group::splat(LAMBDA));
            let mut bar = I::Group::splat(bar);
            let keys = |row: &[E; LANES]| I::Group::load_single(row.map(E::key).as_ptr());
            for (block, entries) in orders.blocks(node).enumerate() {
                let mut right = [I::Group::splat(0.0); 2];
                let [lowest, mut above] = [&entries[0], &entries[entries.len() - 1]].map(keys);
                for (row, pair) in (1..entries.len()).zip(entries.windows(2)).rev() {
                    // No cut is left among equal values: where most values are 0 this is soon.
                    if lowest.less(above) == 0 {
                        break;
                    }
                    let mut more = [Gradient::default(); LANES];
                    let places = pair[1].map(E::place);
                    I::Group::gather(gradients.as_ptr().cast(), places.as_ptr())
                        .store(more.as_mut_ptr().cast());
                    let first = I::Group::load_single(more.map(|gradient| gradient.first).as_ptr());
                    let second = I::Group::load_single(more.map(|gradient| gradient.second).as_ptr());
                    right = [right[0].add(first), right[1].add(second)];
                    let below = keys(&pair[0]);
                    let cuts = below.less(above) & !right[1].less(least);
                    above = below;
                    if cuts == 0 {
                        continue;
                    }
                    let left = [total[0].sub(right[0]), total[1].sub(right[1])];
                    if left[1].less(least) == ALL {
                        break;
                    }
                    // Both terms over one denominator, compared without a division.
                    let (a, b) = (left[1].add(lambda), right[1].add(lambda));
                    let sum = left[0].mul(left[0]).mul_add(b, right[0].mul(right[0]).mul(a));
                    let mut cuts = cuts & bar.mul(a.mul(b)).less(sum);
                    if cuts == 0 {
                        continue;
                    }
                    let mut sums = [[0.0; LANES]; 2];
                    right[0].store(sums[0].as_mut_ptr());
                    right[1].store(sums[1].as_mut_ptr());
                    while cuts != 0 {
                        let lane = cuts.trailing_zeros() as usize;
                        cuts &= cuts - 1;
                        bar = I::Group::splat((self.found)(
                            block * LANES + lane,
                            row,
                            Sums { first: sums[0][lane], second: sums[1][lane] },
                        ));
                    }
                }
            }
        }
    }
}

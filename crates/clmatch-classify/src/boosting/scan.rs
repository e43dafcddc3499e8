//! The search for the best split, eight features at a time.
#![allow(unsafe_code)]

use clmatch_simd::{Isa, LANES, Level, Register, Work};

use super::orders::Block;
use super::tree::{LAMBDA, Sums};
use crate::columns::Entry;

/// Goes through the cuts of eight features, from the highest to the lowest, and tells those whose score is above a bar.
pub(super) struct Scan<'a> {
    pub(super) block: Block<'a>,
    /// First and second derivatives, by place.
    pub(super) derivatives: [&'a [f64]; 2],
    /// Of all rows.
    pub(super) total: Sums,
    pub(super) min_child_weight: f64,
    pub(super) bar: f64,
}

impl Scan<'_> {
    /// Calls `found` with the feature among the eight, the number of rows below the cut and the sums above it; it answers
    /// with the new bar. Cuts that are just below the bar may be told too. Time: O(n).
    pub(super) fn each(self, found: impl FnMut(usize, usize, Sums) -> f64) {
        let points = self.derivatives[0].len().min(self.derivatives[1].len());
        assert!(self.block.points() <= points, "derivatives of every point");
        assert!(i32::try_from(points).is_ok(), "places of 31 bits");
        Level::best().run(Search { scan: self, found });
    }
}

/// A bit for each of the eight features.
const ALL: u64 = (1 << LANES) - 1;

struct Search<'a, F> {
    scan: Scan<'a>,
    found: F,
}

impl<F: FnMut(usize, usize, Sums) -> f64> Work<f64> for Search<'_, F> {
    type Output = ();

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(mut self) {
        let Scan { block, derivatives, total, min_child_weight, bar } = self.scan;
        let entries = block.entries();
        let [first, second] = derivatives.map(<[f64]>::as_ptr);
        // SAFETY: the caller vouches for the instruction set; `Scan::each` asserted that every place is that of a number, and
        // below 2^31. Arrays are of eight numbers, as groups are.
        unsafe {
            let total = [total.first, total.second].map(|sum| I::Group::splat(sum));
            let (least, lambda) = (I::Group::splat(min_child_weight), I::Group::splat(LAMBDA));
            let mut bar = I::Group::splat(bar);
            let mut right = [I::Group::splat(0.0); 2];
            let values = |row: &[Entry; LANES]| I::Group::load_single(row.map(|entry| entry.value).as_ptr());
            let [lowest, mut above] = [&entries[0], &entries[entries.len() - 1]].map(values);
            for (row, pair) in (1..entries.len()).zip(entries.windows(2)).rev() {
                // No cut is left among equal values: where most values are 0 this is soon.
                if lowest.less(above) == 0 {
                    break;
                }
                let places = pair[1].map(|entry| entry.place);
                let more = [first, second].map(|numbers| I::Group::gather(numbers, places.as_ptr()));
                right = [right[0].add(more[0]), right[1].add(more[1])];
                let below = values(&pair[0]);
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
                        lane,
                        row,
                        Sums { first: sums[0][lane], second: sums[1][lane] },
                    ));
                }
            }
        }
    }
}

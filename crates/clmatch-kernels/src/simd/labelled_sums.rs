//! Sums of columns by label, for several labellings at once.

use crate::simd::isa::{Isa, Work};
use crate::simd::level::Level;

/// How many labellings are processed together: a column is loaded once for all of them.
pub const LABELLINGS: usize = 4;

/// Adds each column of numbers to the sums of its label in each labelling. `sums` begins with the sums of all labels of the first
/// labelling, followed by those of the second one, and so on.
///
/// # Panics
/// If there are more columns than labels, more labellings than [`LABELLINGS`], or a label without sums.
///
/// Time: O(columns N labellings). Memory: O(1).
pub fn add_by_label<const N: usize>(columns: &[[f32; N]], labellings: &[&[u32]], sums: &mut [[f32; N]]) {
    assert!(labellings.len() <= LABELLINGS);
    assert!(labellings.iter().all(|labels| labels.len() >= columns.len()));
    let count = sums.len() / labellings.len().max(1);
    Level::best().run(ByLabel { columns, labellings, sums, count });
}

struct ByLabel<'a, const N: usize> {
    columns: &'a [[f32; N]],
    labellings: &'a [&'a [u32]],
    sums: &'a mut [[f32; N]],
    count: usize,
}

impl<const N: usize> Work<f32> for ByLabel<'_, N> {
    type Output = ();

    /// Plain loops over arrays of a known length, which the compiler vectorises.
    #[inline(always)]
    unsafe fn work<I: Isa<T = f32>>(self) {
        for (at, column) in self.columns.iter().enumerate() {
            for (labels, sums) in self.labellings.iter().zip(self.sums.chunks_exact_mut(self.count)) {
                let sums = &mut sums[labels[at] as usize];
                for (sum, number) in sums.iter_mut().zip(column) {
                    *sum += number;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_where_their_labels_say() {
        let columns = [[1.0, 2.0], [10.0, 20.0], [100.0, 200.0], [0.5, 0.25]];
        let mut sums = [[0.0; 2]; 6];
        add_by_label(&columns, &[&[2, 0, 2, 0, 9], &[1, 1, 1, 0]], &mut sums);
        assert_eq!(
            sums,
            [[10.5, 20.25], [0.0, 0.0], [101.0, 202.0], [0.5, 0.25], [111.0, 222.0], [0.0, 0.0]]
        );
    }
}

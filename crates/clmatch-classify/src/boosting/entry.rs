//! A row in the order of a feature. Entries are as small as the number of rows allows, since trees do little but move
//! them.

use clmatch_kernels::simd::entries::Entry;

use crate::columns::Columns;
use crate::split::Split;

/// The rank of a row among all rows by one feature, packed above the row's place among them. Equal values have equal
/// ranks.
pub(super) trait RankedEntry: Entry + PartialEq + std::fmt::Debug {
    /// The most rows that entries can represent.
    const MOST: usize;
    /// Both must be below [`Self::MOST`].
    fn new(rank: usize, place: u32) -> Self;
    /// A positive number that increases with the rank.
    fn key(self) -> f32;
    fn rank(self) -> usize;
}

/// The bits of the smallest key: the first number that is not denormal, since denormal numbers are slow.
const LEAST_KEY: u32 = 0x0080_0000;
/// The number of keys; they end before infinity.
const KEYS: u32 = 0x7f80_0000 - LEAST_KEY;

/// The upper half of a key, followed by a place of 16 bits.
impl RankedEntry for u32 {
    const MOST: usize = (KEYS >> 16) as usize;
    fn new(rank: usize, place: u32) -> u32 {
        (((rank as u32) << 16) + LEAST_KEY) | place
    }
    #[inline(always)]
    fn key(self) -> f32 {
        f32::from_bits(self & 0xffff_0000)
    }
    fn rank(self) -> usize {
        ((self - LEAST_KEY) >> 16) as usize
    }
}

/// A key, followed by a place of 32 bits.
impl RankedEntry for u64 {
    const MOST: usize = KEYS as usize;
    fn new(rank: usize, place: u32) -> u64 {
        (u64::from(rank as u32 + LEAST_KEY) << 32) | u64::from(place)
    }
    #[inline(always)]
    fn key(self) -> f32 {
        f32::from_bits((self >> 32) as u32)
    }
    fn rank(self) -> usize {
        ((self >> 32) as u32 - LEAST_KEY) as usize
    }
}

/// The training rows of a split in the order of each feature, feature after feature.
#[derive(Debug)]
pub(super) struct Sorted<E> {
    points: usize,
    entries: Vec<E>,
    /// A row of rank r has the value at r of its feature.
    values: Vec<f32>,
}

impl<E: RankedEntry> Sorted<E> {
    /// Time: O(n d).
    pub(super) fn new(columns: &Columns, split: &Split<'_>) -> Sorted<E> {
        let points = split.train().len();
        let size = points * columns.features();
        let mut sorted =
            Sorted { points, entries: Vec::with_capacity(size), values: Vec::with_capacity(size) };
        columns.for_each_order(split, |order| sorted.push(order));
        sorted
    }

    /// Adds a feature, given by its values in ascending order and their places.
    fn push(&mut self, order: &[(f32, u32)]) {
        assert!(order.len() == self.points && self.points <= E::MOST, "{} rows", order.len());
        assert!(order.iter().all(|&(_, place)| (place as usize) < self.points), "places of rows");
        let (mut rank, mut previous) = (0, f32::NAN);
        for (at, &(value, place)) in order.iter().enumerate() {
            if value != previous {
                (rank, previous) = (at, value);
            }
            self.values.push(value);
            self.entries.push(E::new(rank, place));
        }
    }

    pub(super) fn points(&self) -> usize {
        self.points
    }

    pub(super) fn feature(&self, feature: u32) -> &[E] {
        &self.entries[feature as usize * self.points..][..self.points]
    }

    /// The value that an entry represents.
    pub(super) fn value(&self, feature: u32, entry: E) -> f32 {
        self.values[feature as usize * self.points + entry.rank()]
    }
}

#[cfg(test)]
pub(super) fn sorted_for_tests<E: RankedEntry>(orders: &[Vec<(f32, u32)>]) -> Sorted<E> {
    let mut sorted = Sorted { points: orders[0].len(), entries: vec![], values: vec![] };
    orders.iter().for_each(|order| sorted.push(order));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_ascend_and_nothing_is_lost<E: RankedEntry>() {
        let most = E::MOST;
        let mut previous = 0.0;
        for rank in [0, 1, 2, 100, 255, 256, most / 2, most - 1] {
            for place in [0, 1, 77, most - 1] {
                let entry = E::new(rank, place as u32);
                assert_eq!((entry.rank(), entry.place()), (rank, place));
                assert_eq!(entry.key(), E::new(rank, 3).key());
            }
            let key = E::new(rank, 0).key();
            assert!(key > previous && key.is_normal(), "{rank}: {key}");
            previous = key;
        }
        assert!(
            !f32::from_bits(E::new(most - 1, 0).key().to_bits() + ((KEYS as usize / most) as u32))
                .is_finite()
        );
    }

    #[test]
    fn entries_hold_ranks_and_places() {
        keys_ascend_and_nothing_is_lost::<u32>();
        keys_ascend_and_nothing_is_lost::<u64>();
    }

    #[test]
    fn equal_values_have_equal_ranks() {
        let order = vec![(-1.5, 2), (0.0, 0), (0.0, 3), (7.0, 1)];
        let sorted = sorted_for_tests::<u32>(&[order.clone(), order.clone()]);
        let entries = sorted.feature(1);
        assert_eq!(entries.iter().map(|entry| entry.rank()).collect::<Vec<_>>(), [0, 1, 1, 3]);
        for (&entry, &(value, place)) in entries.iter().zip(&order) {
            assert_eq!((sorted.value(1, entry), entry.place()), (value, place as usize));
        }
    }
}

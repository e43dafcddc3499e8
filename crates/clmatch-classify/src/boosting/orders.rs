//! The rows of a tree in the order of each feature.

use std::array::from_fn;
use std::ops::Range;

use clmatch_kernels::simd::LANES;
use clmatch_kernels::simd::entries::Flags;

use super::entry::{RankedEntry, Sorted};

/// Entries of rows, ascending by value for each feature, feature after feature. A node of the tree is the same range of
/// positions in every order.
#[derive(Debug)]
pub(super) struct Orders<E> {
    rows: usize,
    features: usize,
    /// All places are smaller than this.
    points: usize,
    entries: Vec<E>,
    /// The order of a feature that does not exist: as many equal entries as there are points.
    blank: Vec<E>,
    flags: Flags,
    aside: Vec<E>,
}

impl<E: RankedEntry> Orders<E> {
    /// For trees on `points` points.
    pub(super) fn new(points: usize) -> Orders<E> {
        let blank = vec![E::new(0, 0); points];
        let (aside, flags) = (blank.clone(), Flags::new(points));
        Orders { rows: 0, features: 0, points, entries: Vec::new(), blank, flags, aside }
    }

    /// The number of points; all places are smaller.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// Copies the drawn rows in the order of each chosen feature from the orders of all rows by all features. Time: O(n
    /// d).
    pub(super) fn gather(&mut self, sorted: &Sorted<E>, features: &[u32], drawn: &[bool]) {
        assert!(drawn.len() == self.points && sorted.points() == self.points, "one flag per point");
        drawn.iter().enumerate().for_each(|(place, &drawn)| self.flags.set(place, drawn));
        self.rows = drawn.iter().filter(|&&drawn| drawn).count();
        self.features = features.len();
        self.entries.resize(self.features * self.rows, E::new(0, 0));
        for (to, &feature) in self.entries.chunks_exact_mut(self.rows).zip(features) {
            let count = E::select(sorted.feature(feature), &self.flags, to);
            assert_eq!(count, self.rows, "every row once in the order of each feature");
        }
    }

    /// The rows of a node in the order of each feature, eight features at a time. The last block may be padded with blank
    /// orders, whose entries are all the same.
    pub(super) fn blocks(&self, node: Range<usize>) -> impl Iterator<Item = [&[E]; LANES]> {
        (0..self.features).step_by(LANES).map(move |first| {
            from_fn(|lane| {
                let feature = first + lane;
                if feature < self.features { self.order(feature, &node) } else { &self.blank[..node.len()] }
            })
        })
    }

    fn order(&self, feature: usize, node: &Range<usize>) -> &[E] {
        &self.entries[feature * self.rows..][node.clone()]
    }

    /// The two entries between which a node is cut, so that `left_rows` of its rows are on the left.
    pub(super) fn around(&self, feature: usize, node: Range<usize>, left_rows: usize) -> [E; 2] {
        let order = self.order(feature, &node);
        [order[left_rows - 1], order[left_rows]]
    }

    /// Moves the first `left_rows` rows of a node, in the order of one feature, to the front of the node, in the order of
    /// every feature that varies in it. A feature that does not vary is never cut below, and is left as it is, as is most
    /// of sparse data: its values are correct in every node below, but its places may be those of other rows. Time: O(n
    /// d).
    pub(super) fn part(&mut self, node: Range<usize>, feature: usize, left_rows: usize) {
        let order = &self.entries[feature * self.rows..][node.clone()];
        for (position, entry) in order.iter().enumerate() {
            self.flags.set(entry.place(), position < left_rows);
        }
        for column in self.entries.chunks_exact_mut(self.rows) {
            let order = &mut column[node.clone()];
            if order[0].key() != order[order.len() - 1].key() {
                E::part(order, &self.flags, &mut self.aside);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boosting::entry::sorted_for_tests;
    use clmatch_kernels::simd::entries::Entry;

    const POINTS: usize = 7;
    const FEATURES: usize = 11;

    /// The value at a place; each feature has its own order.
    fn value(feature: usize, place: u32) -> f32 {
        ((place as usize * (feature % 6 + 1) + feature) % POINTS) as f32 - 3.0
    }

    /// All places in the order of each feature.
    fn sorted() -> Sorted<u32> {
        let order = |feature: usize| {
            let mut order: Vec<(f32, u32)> =
                (0..POINTS as u32).map(|place| (value(feature, place), place)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            order
        };
        sorted_for_tests(&(0..FEATURES).map(order).collect::<Vec<_>>())
    }

    /// The places of a node in the order of one feature, after checking the values.
    fn places(orders: &Orders<u32>, features: &[u32], at: usize, node: std::ops::Range<usize>) -> Vec<u32> {
        let (block, sorted) = (orders.blocks(node).nth(at / LANES).unwrap(), sorted());
        let entries = block[at % LANES].iter().copied();
        entries
            .map(|entry| {
                assert_eq!(
                    sorted.value(features[at], entry),
                    value(features[at] as usize, entry.place() as u32)
                );
                entry.place() as u32
            })
            .collect()
    }

    /// The places in `among`, in the order of a feature.
    fn expected(feature: u32, among: &[u32]) -> Vec<u32> {
        let mut among = among.to_vec();
        among.sort_by(|&a, &b| value(feature as usize, a).total_cmp(&value(feature as usize, b)));
        among
    }

    #[test]
    fn drawn_rows_keep_the_order_of_each_chosen_feature() {
        let mut orders = Orders::new(POINTS);
        let many: Vec<u32> = (0..FEATURES as u32).collect();
        // The second call takes fewer features and rows, in memory that was used before.
        for (features, drawn) in
            [(&many[..], [true; POINTS]), (&[1, 4, 10], [true, false, true, true, false, true, false])]
        {
            orders.gather(&sorted(), features, &drawn);
            let among: Vec<u32> = (0..POINTS as u32).filter(|&place| drawn[place as usize]).collect();
            for (at, &feature) in features.iter().enumerate() {
                assert_eq!(places(&orders, features, at, 0..among.len()), expected(feature, &among));
            }
            let last = orders.blocks(0..among.len()).last().unwrap();
            let mut empty = last[features.len() % LANES..].iter().copied().flatten();
            assert!(empty.all(|entry| *entry == RankedEntry::new(0, 0)));
        }
    }

    #[test]
    fn a_node_is_parted_in_the_order_of_every_feature() {
        let mut orders = Orders::new(POINTS);
        let features: Vec<u32> = (0..FEATURES as u32).collect();
        orders.gather(&sorted(), &features, &[true; POINTS]);
        let by_ninth = expected(9, &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(orders.around(9, 0..POINTS, 2).map(|entry| entry.place() as u32), by_ninth[1..3]);
        orders.part(0..POINTS, 9, 2);
        let by_third = expected(3, &by_ninth[2..]);
        assert_eq!(orders.around(3, 2..POINTS, 4).map(|entry| entry.place() as u32), by_third[3..5]);
        orders.part(2..POINTS, 3, 4);
        for (at, &feature) in features.iter().enumerate() {
            assert_eq!(places(&orders, &features, at, 0..2), expected(feature, &by_ninth[..2]));
            assert_eq!(places(&orders, &features, at, 2..6), expected(feature, &by_third[..4]));
            assert_eq!(places(&orders, &features, at, 6..7), by_third[4..]);
        }
    }
}

//! The rows of a tree in the order of each feature, eight features side by side.

use clmatch_simd::LANES;

use super::entry::{Entry, Sorted};

/// Entries of rows, ascending by value for each feature: position p of feature f is number
/// `(f / 8 * rows + p) * 8 + f % 8`, so that a search looks at eight features at once. A node of the tree is the same range of
/// positions in all of them.
#[derive(Debug)]
pub(super) struct Orders<E> {
    rows: usize,
    features: usize,
    /// Places are smaller than this.
    points: usize,
    entries: Vec<E>,
    goes_left: Vec<bool>,
    aside: Vec<E>,
}

impl<E: Entry> Orders<E> {
    /// For trees on so many points.
    pub(super) fn new(points: usize) -> Orders<E> {
        Orders {
            rows: 0,
            features: 0,
            points,
            entries: Vec::new(),
            goes_left: vec![false; points],
            aside: vec![E::new(0, 0); points],
        }
    }

    /// Places are smaller than this.
    pub(super) fn points(&self) -> usize {
        self.points
    }

    /// Takes the drawn rows in the order of each chosen feature, out of all rows in the order of all features. Whether a row
    /// is drawn cannot be foretold, so every entry is written, and the next one takes its place if it was not drawn.
    /// Time: O(n d).
    pub(super) fn gather(&mut self, sorted: &Sorted<E>, features: &[u32], drawn: &[bool]) {
        assert!(drawn.len() == self.points && sorted.points() == self.points, "one flag per point");
        self.rows = drawn.iter().filter(|&&drawn| drawn).count();
        self.features = features.len();
        // One position more, for an entry after the last that is not drawn.
        let size = (self.features.div_ceil(LANES) * self.rows + 1) * LANES;
        self.entries.resize(size, E::new(0, 0));
        for (at, &feature) in features.iter().enumerate() {
            let mut to = self.start(at, 0);
            for &entry in sorted.feature(feature) {
                self.entries[to] = entry;
                to += LANES * usize::from(drawn[entry.place() as usize]);
            }
        }
        for empty in self.features..self.features.next_multiple_of(LANES) {
            let start = self.start(empty, 0);
            let entries = self.entries[start..].iter_mut().step_by(LANES);
            entries.take(self.rows).for_each(|entry| *entry = E::new(0, 0));
        }
    }

    /// Where the rows of a feature begin, from one position on.
    fn start(&self, feature: usize, position: usize) -> usize {
        (feature / LANES * self.rows + position) * LANES + feature % LANES
    }

    /// The rows of a node, eight features after eight, position after position. The last features of all may be empty: all
    /// their entries are the same.
    pub(super) fn blocks(&self, node: std::ops::Range<usize>) -> impl Iterator<Item = &[[E; LANES]]> {
        let (entries, _) = self.entries.as_chunks();
        let blocks = entries.chunks_exact(self.rows).take(self.features.div_ceil(LANES));
        blocks.map(move |block| &block[node.clone()])
    }

    /// The entries between which a node is cut, so that so many of its rows are on the left.
    pub(super) fn around(&self, feature: usize, start: usize, left_rows: usize) -> [E; 2] {
        let at = self.start(feature, start + left_rows);
        [self.entries[at - LANES], self.entries[at]]
    }

    /// Moves the first rows of a node in the order of one feature to its front, in the order of every feature that varies in
    /// it. One that does not is never cut below, and is left as it is, most of sparse data: its values are right in every
    /// node below, its places are those of any rows. Time: O(n d).
    pub(super) fn part(&mut self, node: std::ops::Range<usize>, feature: usize, left_rows: usize) {
        let order = self.entries[self.start(feature, node.start)..].iter().step_by(LANES);
        for (position, entry) in order.take(node.len()).enumerate() {
            self.goes_left[entry.place() as usize] = position < left_rows;
        }
        for feature in 0..self.features {
            let start = self.start(feature, node.start);
            let Orders { entries, goes_left, aside, .. } = self;
            let entries = &mut entries[start..][..(node.len() - 1) * LANES + 1];
            if entries[0].key() == entries[entries.len() - 1].key() {
                continue;
            }
            let (mut left, mut right) = (0, 0);
            for at in (0..entries.len()).step_by(LANES) {
                // Written to both sides, because a branch could not be foretold; only one of them moves on.
                let entry = entries[at];
                let to_left = usize::from(goes_left[entry.place() as usize]);
                entries[left] = entry;
                aside[right] = entry;
                left += LANES * to_left;
                right += 1 - to_left;
            }
            let rest = entries[left..].iter_mut().step_by(LANES);
            rest.zip(&aside[..right]).for_each(|(to, &entry)| *to = entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boosting::entry::{Narrow, sorted_for_tests};

    const POINTS: usize = 7;
    const FEATURES: usize = 11;

    /// The value of a place: an order of its own for each feature.
    fn value(feature: usize, place: u32) -> f32 {
        ((place as usize * (feature % 6 + 1) + feature) % POINTS) as f32 - 3.0
    }

    /// All places in the order of each feature.
    fn sorted() -> Sorted<Narrow> {
        let order = |feature: usize| {
            let mut order: Vec<(f32, u32)> =
                (0..POINTS as u32).map(|place| (value(feature, place), place)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            order
        };
        sorted_for_tests(&(0..FEATURES).map(order).collect::<Vec<_>>())
    }

    /// The places of a node in the order of one feature, after a look at the values.
    fn places(
        orders: &Orders<Narrow>,
        features: &[u32],
        at: usize,
        node: std::ops::Range<usize>,
    ) -> Vec<u32> {
        let (block, sorted) = (orders.blocks(node).nth(at / LANES).unwrap(), sorted());
        let entries = block.iter().map(|row| row[at % LANES]);
        entries
            .map(|entry| {
                assert_eq!(sorted.value(features[at], entry), value(features[at] as usize, entry.place()));
                entry.place()
            })
            .collect()
    }

    /// Those of `among` in the order of a feature.
    fn expected(feature: u32, among: &[u32]) -> Vec<u32> {
        let mut among = among.to_vec();
        among.sort_by(|&a, &b| value(feature as usize, a).total_cmp(&value(feature as usize, b)));
        among
    }

    #[test]
    fn drawn_rows_keep_the_order_of_each_chosen_feature() {
        let mut orders = Orders::new(POINTS);
        let many: Vec<u32> = (0..FEATURES as u32).collect();
        // The second time fewer features and rows, in memory that was used before.
        for (features, drawn) in
            [(&many[..], [true; POINTS]), (&[1, 4, 10], [true, false, true, true, false, true, false])]
        {
            orders.gather(&sorted(), features, &drawn);
            let among: Vec<u32> = (0..POINTS as u32).filter(|&place| drawn[place as usize]).collect();
            for (at, &feature) in features.iter().enumerate() {
                assert_eq!(places(&orders, features, at, 0..among.len()), expected(feature, &among));
            }
            let last = orders.blocks(0..among.len()).last().unwrap();
            let empty = last.iter().flat_map(|row| &row[features.len() % LANES..]);
            assert!(empty.into_iter().all(|entry| *entry == Narrow::new(0, 0)));
        }
    }

    #[test]
    fn a_node_is_parted_in_the_order_of_every_feature() {
        let mut orders = Orders::new(POINTS);
        let features: Vec<u32> = (0..FEATURES as u32).collect();
        orders.gather(&sorted(), &features, &[true; POINTS]);
        let by_ninth = expected(9, &[0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(orders.around(9, 0, 2).map(Narrow::place), by_ninth[1..3]);
        orders.part(0..POINTS, 9, 2);
        let by_third = expected(3, &by_ninth[2..]);
        assert_eq!(orders.around(3, 2, 4).map(Narrow::place), by_third[3..5]);
        orders.part(2..POINTS, 3, 4);
        for (at, &feature) in features.iter().enumerate() {
            assert_eq!(places(&orders, &features, at, 0..2), expected(feature, &by_ninth[..2]));
            assert_eq!(places(&orders, &features, at, 2..6), expected(feature, &by_third[..4]));
            assert_eq!(places(&orders, &features, at, 6..7), by_third[4..]);
        }
    }
}

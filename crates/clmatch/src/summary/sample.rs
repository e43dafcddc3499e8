//! A sample of rows that can be merged: the rows with the smallest hashes.
//!
//! Every row has a key, a hash of its content, its number and its source. The sample keeps the M rows with the smallest keys of
//! all, and at least a few rows of every class, those with the smallest keys in the class. The kept rows of a class are thus the
//! first ones of a random order, whatever the blocks were and in whichever order they came: a task that is repeated sees the same
//! keys.
//!
//! The number of a row is part of its key so that equal rows are drawn as often as others. Where two rows have the same key all
//! the same (a block that is counted twice, sources that cannot be told apart), the row is kept once, with how often it was seen.
//! This count is complete, because a row that is kept in the end was kept from the first time on.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// At least how many rows of every class are kept, if memory allows it: two in every group of the jackknife.
const PER_CLASS: usize = 42;
/// This many rows of a class are kept however many classes there are.
const FEWEST: usize = 4;
/// Bytes that a row takes besides its numbers.
const OVERHEAD: usize = 64;
/// The memory divided by these is what the sample may take, and what the few rows of every class may.
const SHARES: (usize, usize) = (8, 16);

/// A row that was kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SampledRow {
    /// How often a row with this key was seen.
    pub(super) count: u64,
    pub(super) values: Box<[f64]>,
}

/// The rows that are kept of each class.
#[derive(Debug, Clone)]
pub(super) struct RowSample {
    features: usize,
    /// How many rows are kept in all, besides the few of every class.
    wanted: usize,
    memory: usize,
    pub(super) classes: Vec<ClassRowSample>,
    /// Rows with larger keys are kept only if they are among the few of their class.
    bar: u64,
    /// How many rows are kept now.
    kept: usize,
}

/// The rows that are kept of one class, by their keys.
#[derive(Debug, Clone)]
pub(super) struct ClassRowSample {
    pub(super) rows: BTreeMap<u64, SampledRow>,
    /// Rows with larger keys are not among the few of the class.
    bar: u64,
}

impl RowSample {
    pub(super) fn new(features: usize, wanted: usize, memory: usize) -> RowSample {
        let most = memory / SHARES.0 / RowSample::bytes_of_row(features);
        let wanted = wanted.min(most).max(PER_CLASS);
        RowSample { features, wanted, memory, classes: Vec::new(), bar: u64::MAX, kept: 0 }
    }

    fn bytes_of_row(features: usize) -> usize {
        features * size_of::<f64>() + OVERHEAD
    }

    /// How many rows of every class are kept.
    fn of_every_class(&self) -> usize {
        let most =
            self.memory / SHARES.1 / RowSample::bytes_of_row(self.features) / self.classes.len().max(1);
        most.clamp(FEWEST, PER_CLASS)
    }

    /// How many rows may be kept for now: the sample is thinned out when it has twice as many as wanted.
    pub(super) fn capacity(&self) -> usize {
        2 * (self.wanted + self.classes.len() * self.of_every_class())
    }

    pub(super) fn add_class(&mut self) {
        self.classes.push(ClassRowSample { rows: BTreeMap::new(), bar: u64::MAX });
    }

    /// Whether a row with this key may be kept.
    pub(super) fn admits(&self, class: usize, key: u64) -> bool {
        key <= self.bar || key <= self.classes[class].bar
    }

    /// Adds a row that was seen `count` times.
    pub(super) fn add(&mut self, class: usize, key: u64, count: u64, values: impl FnOnce() -> Box<[f64]>) {
        if !self.admits(class, key) {
            return;
        }
        let rows = &mut self.classes[class].rows;
        match rows.get_mut(&key) {
            Some(row) => row.count = row.count.saturating_add(count),
            None => {
                rows.insert(key, SampledRow { count, values: values() });
                self.kept += 1;
            }
        }
        if self.kept > self.capacity() {
            self.thin_out();
        }
    }

    /// Drops all rows that are not wanted. The rest depends only on which rows were seen.
    pub(super) fn thin_out(&mut self) {
        let few = self.of_every_class();
        // One more than wanted, so that rows of a single class are thinned out too.
        let most = self.wanted + 1;
        let mut keys: Vec<u64> =
            self.classes.iter().flat_map(|class| class.rows.keys().take(most)).copied().collect();
        if keys.len() > self.wanted {
            let (_, &mut bar, _) = keys.select_nth_unstable(self.wanted - 1);
            self.bar = self.bar.min(bar);
        }
        for class in &mut self.classes {
            if let Some(&key) = class.rows.keys().nth(few - 1) {
                class.bar = class.bar.min(key);
            }
            let bar = self.bar.max(class.bar);
            if bar < u64::MAX {
                drop(class.rows.split_off(&(bar + 1)));
            }
        }
        self.kept = self.classes.iter().map(|class| class.rows.len()).sum();
    }

    /// Adds the rows of a class of another sample.
    pub(super) fn merge_class(&mut self, class: usize, other: &ClassRowSample) {
        for (&key, row) in &other.rows {
            self.add(class, key, row.count, || row.values.clone());
        }
    }

    /// Lowers the limit of the keys to that of another sample, which has dropped all rows above it.
    pub(super) fn finish_merge(&mut self, other: &RowSample) {
        self.bar = self.bar.min(other.bar);
        self.thin_out();
    }
}

/// The key of a row.
pub(super) fn key(values: &[u8], seed: u64, source: u64, row: u64) -> u64 {
    let mut place = [0; 16];
    place[..8].copy_from_slice(&source.to_le_bytes());
    place[8..].copy_from_slice(&row.to_le_bytes());
    xxh3_64_with_seed(values, xxh3_64_with_seed(&place, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of two features takes 80 bytes; this is memory for 4 rows of each of two classes.
    const LITTLE: usize = 4 * 2 * 80 * 16;

    fn sample(classes: usize, memory: usize) -> RowSample {
        let mut sample = RowSample::new(2, PER_CLASS, memory);
        (0..classes).for_each(|_| sample.add_class());
        sample
    }

    fn add(sample: &mut RowSample, class: usize, keys: std::ops::Range<u64>) {
        keys.for_each(|key| sample.add(class, key, 1, || vec![0.5, key as f64].into()));
    }

    fn keys(sample: &RowSample, class: usize) -> Vec<u64> {
        sample.classes[class].rows.keys().copied().collect()
    }

    #[test]
    fn memory_bounds_how_many_rows_are_kept() {
        let memory = 1000 * 80 * 8;
        assert_eq!(RowSample::new(2, 5000, memory).wanted, 1000);
        assert_eq!(RowSample::new(2, 500, memory).wanted, 500);
        assert_eq!(RowSample::new(2, 5, memory).wanted, PER_CLASS);
        let of_every_class = |classes: usize| sample(classes, memory).of_every_class();
        assert_eq!([1, 20, 1000].map(of_every_class), [PER_CLASS, 25, FEWEST]);
        assert_eq!(sample(20, memory).capacity(), 2 * (PER_CLASS + 20 * 25));
    }

    #[test]
    fn the_smallest_keys_are_kept_and_a_few_of_every_class() {
        let mut sample = sample(2, LITTLE);
        add(&mut sample, 1, 1000..1020);
        add(&mut sample, 0, 0..60);
        sample.thin_out();
        assert_eq!(keys(&sample, 0), (0..42).collect::<Vec<_>>());
        assert_eq!(keys(&sample, 1), [1000, 1001, 1002, 1003]);
        assert_eq!(sample.kept, 46);
        // Larger keys are no longer kept, all others are.
        assert_eq!([41, 42].map(|key| sample.admits(0, key)), [true, false]);
        assert_eq!([1003, 1004].map(|key| sample.admits(1, key)), [true, false]);
        add(&mut sample, 1, 20..21);
        sample.thin_out();
        assert_eq!(keys(&sample, 0), (0..41).collect::<Vec<_>>());
        assert_eq!(keys(&sample, 1), [20, 1000, 1001, 1002]);
    }

    #[test]
    fn as_many_rows_as_wanted_are_all_kept() {
        let mut sample = sample(2, LITTLE);
        add(&mut sample, 0, 0..38);
        add(&mut sample, 1, 100..104);
        sample.thin_out();
        assert_eq!((sample.kept, sample.bar), (42, u64::MAX));
    }

    #[test]
    fn rows_are_thinned_out_when_there_are_twice_as_many() {
        let mut sample = sample(2, LITTLE);
        assert_eq!(sample.capacity(), 100);
        add(&mut sample, 0, 0..100);
        assert_eq!(sample.kept, 100);
        // A repeated key is counted, and takes no room.
        add(&mut sample, 0, 5..6);
        assert_eq!((sample.kept, sample.classes[0].rows[&5].count), (100, 2));
        add(&mut sample, 0, 100..101);
        assert_eq!(sample.kept, 42);
    }

    #[test]
    fn merging_knows_what_the_other_has_dropped() {
        let [mut one, mut other] = [sample(1, LITTLE), sample(1, LITTLE)];
        add(&mut other, 0, 0..50);
        other.thin_out();
        add(&mut one, 0, 30..60);
        one.merge_class(0, &other.classes[0]);
        one.finish_merge(&other);
        assert_eq!(keys(&one, 0), (0..42).collect::<Vec<_>>());
        assert_eq!(one.classes[0].rows[&35].count, 2);
        assert_eq!(one.bar, 41);
    }
}

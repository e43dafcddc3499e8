//! A sample of rows that can be merged: those with the smallest hashes.
//!
//! Every row has a key, a hash of its content, its number and its source. Kept are the M rows with the smallest keys of all,
//! and of every class at least a few rows with its smallest keys. The rows of a class that are kept are thus the first ones
//! of a random order, whatever the blocks were and in which order they came: a task that is repeated sees the same keys.
//!
//! The number of a row is part of its key so that equal rows are drawn as often as others. Where two rows have the same key
//! all the same (a block that is counted twice, sources that are not told apart), the row is kept once, with how often it was
//! seen; its count is complete, because a row that is kept in the end was kept from the first time on.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Rows that are kept of every class, at least, if memory allows it: two in every group of the jackknife.
const PER_CLASS: usize = 42;
/// As many rows of a class are kept however many classes there are.
const FEWEST: usize = 4;
/// Bytes that a row takes beside its numbers.
const OVERHEAD: usize = 64;
/// The share of the memory that the sample, and the rows of every class, may take.
const SHARES: (usize, usize) = (8, 16);

/// A row that was kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// How often a row with this key was seen.
    pub(super) count: u64,
    pub(super) values: Box<[f64]>,
}

/// The rows that are kept of each class.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    features: usize,
    /// How many rows are kept in all, beside the few of every class.
    wanted: usize,
    memory: usize,
    pub(super) classes: Vec<ClassSample>,
    /// Rows with larger keys are kept only if they are among the few of their class.
    bar: u64,
    /// How many rows are kept now.
    kept: usize,
}

/// The rows that are kept of one class, by their keys.
#[derive(Debug, Clone)]
pub(super) struct ClassSample {
    pub(super) rows: BTreeMap<u64, Row>,
    /// Rows with larger keys are not among the few of the class.
    bar: u64,
}

impl Sample {
    pub(super) fn new(features: usize, wanted: usize, memory: usize) -> Sample {
        let most = memory / SHARES.0 / Sample::bytes_of_row(features);
        let wanted = wanted.min(most).max(PER_CLASS);
        Sample { features, wanted, memory, classes: Vec::new(), bar: u64::MAX, kept: 0 }
    }

    fn bytes_of_row(features: usize) -> usize {
        features * size_of::<f64>() + OVERHEAD
    }

    /// How many rows of every class are kept.
    fn of_every_class(&self) -> usize {
        let most = self.memory / SHARES.1 / Sample::bytes_of_row(self.features) / self.classes.len().max(1);
        most.clamp(FEWEST, PER_CLASS)
    }

    /// How many rows may be kept for now: they are thinned out when there are twice as many as wanted.
    pub(super) fn capacity(&self) -> usize {
        2 * (self.wanted + self.classes.len() * self.of_every_class())
    }

    pub(super) fn add_class(&mut self) {
        self.classes.push(ClassSample { rows: BTreeMap::new(), bar: u64::MAX });
    }

    /// Whether a row with this key may be kept.
    pub(super) fn admits(&self, class: usize, key: u64) -> bool {
        key <= self.bar || key <= self.classes[class].bar
    }

    /// Adds a row that was seen so many times.
    pub(super) fn add(&mut self, class: usize, key: u64, count: u64, values: impl FnOnce() -> Box<[f64]>) {
        if !self.admits(class, key) {
            return;
        }
        let rows = &mut self.classes[class].rows;
        match rows.get_mut(&key) {
            Some(row) => row.count = row.count.saturating_add(count),
            None => {
                rows.insert(key, Row { count, values: values() });
                self.kept += 1;
            }
        }
        if self.kept > self.capacity() {
            self.thin_out();
        }
    }

    /// Drops all rows that are not wanted: what is left depends on the rows that were seen, and on nothing else.
    pub(super) fn thin_out(&mut self) {
        let few = self.of_every_class();
        let mut keys: Vec<u64> =
            self.classes.iter().flat_map(|class| class.rows.keys().take(self.wanted)).copied().collect();
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
    pub(super) fn merge_class(&mut self, class: usize, other: &ClassSample) {
        for (&key, row) in &other.rows {
            self.add(class, key, row.count, || row.values.clone());
        }
    }

    /// Takes note of what another sample has dropped.
    pub(super) fn finish_merge(&mut self, other: &Sample) {
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

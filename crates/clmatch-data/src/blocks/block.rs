//! Some rows of a dataset.

use std::sync::atomic::{AtomicU64, Ordering};

use clmatch::{Labels, Values};

use crate::dataset::Dataset;

/// Some rows of a part.
#[derive(Debug, Clone)]
pub struct Block {
    /// The values, row by row, all finite.
    pub values: Vec<f64>,
    /// One label per row; the names are only those that occur in this block.
    pub labels: Labels,
    /// The index of the part of the dataset, from 0.
    pub part: usize,
    /// How many points of the part come before the block.
    pub first_row: u64,
}

/// The next rows of a dataset in memory; `None` at its end.
pub(super) fn memory_block(
    dataset: &Dataset,
    at: &mut usize,
    rows: usize,
    bytes: &AtomicU64,
) -> Option<Block> {
    let features = dataset.n_features();
    let count = (dataset.n_points() - *at).min(rows);
    if count == 0 {
        return None;
    }
    let (from, to) = (*at * features, (*at + count) * features);
    let values = match dataset.values() {
        Values::F64(values) => values[from..to].to_vec(),
        Values::F32(values) => values[from..to].iter().map(|&value| f64::from(value)).collect(),
    };
    let codes = dataset.labels().codes()[*at..*at + count].to_vec();
    let labels = Labels::from_codes(codes, dataset.labels().names());
    let first_row = *at as u64;
    *at += count;
    bytes.fetch_add(((to - from) * 8) as u64, Ordering::Relaxed);
    Some(Block { values, labels, part: 0, first_row })
}

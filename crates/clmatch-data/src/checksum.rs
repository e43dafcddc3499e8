//! A fingerprint of a dataset that does not depend on the format of its file.

use xxhash_rust::xxh3::Xxh3;

use crate::dataset::Dataset;

impl Dataset {
    /// XXH3 (64 bits) over the shape, the numbers in double precision and the labels, row by row.
    ///
    /// Of the values as they stand there: scaling by one number, which changes the unit only, does not count.
    /// Two files with the same rows, columns and labels have the same checksum; -0 counts as 0.
    pub fn checksum(&self) -> String {
        let mut hash = Xxh3::new();
        hash.update(&(self.n_points() as u64).to_le_bytes());
        hash.update(&(self.features.len() as u64).to_le_bytes());
        let mut block = Vec::with_capacity(8 * 1024);
        for index in 0..self.values.len() {
            block.extend((self.values.get(index) + 0.0).to_le_bytes());
            if block.len() == block.capacity() {
                hash.update(&block);
                block.clear();
            }
        }
        hash.update(&block);
        for name in self.labels.names() {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        for &code in self.labels.codes() {
            hash.update(&code.to_le_bytes());
        }
        format!("xxh3:{:016x}", hash.digest())
    }
}

#[cfg(test)]
mod tests {
    use clmatch::{Labels, Values};

    use super::*;

    fn dataset(values: impl Into<Values<'static>>, labels: [&str; 2]) -> Dataset {
        Dataset {
            noise: None,
            name: "any".into(),
            features: vec!["a".into(), "b".into()],
            values: values.into(),
            unit: 1.0,
            labels: Labels::encode(labels),
            kept_rows: None,
            notes: Vec::new(),
            label: None,
            left_out: Vec::new(),
            doubtful_ids: Vec::new(),
        }
    }

    #[test]
    fn content_counts_and_precision_does_not() {
        let plain = dataset(vec![1.0, -0.0, 0.5, 2.0], ["x", "y"]).checksum();
        assert_eq!(plain, dataset(vec![1.0_f32, 0.0, 0.5, 2.0], ["x", "y"]).checksum());
        assert_ne!(plain, dataset(vec![1.0, 0.0, 0.5, 2.5], ["x", "y"]).checksum());
        assert_ne!(plain, dataset(vec![1.0, 0.0, 0.5, 2.0], ["y", "x"]).checksum());
        assert_ne!(plain, dataset(vec![1.0, 0.0, 0.5, 2.0], ["x", "z"]).checksum());
    }
}

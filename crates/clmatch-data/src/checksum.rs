//! A fingerprint of a dataset that does not depend on the format of its file.

use clmatch::{Labels, Values};
use xxhash_rust::xxh3::Xxh3;

use crate::dataset::Dataset;
use crate::dictionary::Dictionary;
use crate::error::ReadError;
use crate::real::MatrixElement;

/// How many numbers are hashed at once.
const TOGETHER: usize = 1024;

impl Dataset {
    /// XXH3 (64 bits) over the shape, the numbers in double precision and the labels, row by row.
    ///
    /// It hashes the stored values, so scaling by a single number, which only changes the unit, does not change it.
    /// Two files with the same rows, columns and labels have the same checksum; -0 counts as 0.
    pub fn checksum(&self) -> String {
        let mut hash = Xxh3::new();
        hash.update(&(self.n_points() as u64).to_le_bytes());
        hash.update(&(self.features.len() as u64).to_le_bytes());
        match &self.values {
            Values::F64(values) => update_numbers(&mut hash, values),
            Values::F32(values) => update_numbers(&mut hash, values),
        }
        for name in self.labels.names() {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        for codes in self.labels.codes().chunks(TOGETHER) {
            let bytes: Vec<u8> = codes.iter().flat_map(|code| code.to_le_bytes()).collect();
            hash.update(&bytes);
        }
        format!("xxh3:{:016x}", hash.digest())
    }
}

/// Hashes numbers in double precision; -0 counts as 0.
fn update_numbers<T: MatrixElement>(hash: &mut Xxh3, values: &[T]) {
    let mut bytes = [[0; 8]; TOGETHER];
    for part in values.chunks(TOGETHER) {
        for (bytes, value) in bytes.iter_mut().zip(part) {
            *bytes = (value.to_f64() + 0.0).to_le_bytes();
        }
        hash.update(bytes[..part.len()].as_flattened());
    }
}

/// The fingerprint of a dataset that is read in blocks. It differs from [`Dataset::checksum`], which needs the number of points
/// before it starts. It does not depend on the size of the blocks.
#[derive(Clone, Default)]
pub(crate) struct BlockChecksum {
    values: Xxh3,
    codes: Xxh3,
    names: Dictionary,
    points: u64,
}

impl BlockChecksum {
    /// Adds rows.
    pub(crate) fn update(&mut self, values: &[f64], labels: &Labels) -> Result<(), ReadError> {
        update_numbers(&mut self.values, values);
        // Labels have natural order in a block; they are numbered in order of appearance in the whole dataset.
        let mut own: Vec<Option<u32>> = vec![None; labels.names().len()];
        let mut bytes = Vec::with_capacity(4 * labels.len());
        for &code in labels.codes() {
            let code = match own[code as usize] {
                Some(known) => known,
                None => {
                    *own[code as usize].insert(self.names.code(labels.names()[code as usize].as_bytes())?)
                }
            };
            bytes.extend(code.to_le_bytes());
        }
        self.codes.update(&bytes);
        self.points += labels.len() as u64;
        Ok(())
    }

    /// Different labels so far, in the order of appearance.
    pub(crate) fn names(&self) -> &[String] {
        self.names.names()
    }

    /// The fingerprint of the rows so far.
    pub(crate) fn digest(&self) -> String {
        let mut hash = Xxh3::new();
        hash.update(&self.points.to_le_bytes());
        hash.update(&self.values.digest().to_le_bytes());
        hash.update(&self.codes.digest().to_le_bytes());
        for name in self.names.names() {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        format!("xxh3-blocks:{:016x}", hash.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset(values: impl Into<Values<'static>>, labels: [&str; 2]) -> Dataset {
        Dataset::new("any", vec!["a".into(), "b".into()], values, Labels::encode(labels)).unwrap()
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

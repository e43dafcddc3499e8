//! A second pass over the same rows, with the centroids of all classes known.
//!
//! Around fixed centres all sums are plain additions. Deviations are taken, point by point, from means that the first pass knows,
//! so that nothing is lost where the terms of a variance cancel.

use std::collections::{HashMap, HashSet};

use super::block;
use super::error::{SummaryError, mismatch};
use crate::classes::Classes;
use crate::kernels::stream::{Centres, ClassSums, MomentRequest, Sets};
use crate::labels::Labels;
use crate::points::{Points, Values};

/// Distances between the centroids of more classes than this would take more than a gigabyte.
pub(super) const MOST_CLASSES: usize = 10_000;

/// Statistics of a second pass over the same rows, with the centroids of the first known.
///
/// Time of an update with n rows: O(n d K). Memory: O(K^2 + K d).
#[derive(Debug, Clone)]
pub struct SecondPass {
    /// The fingerprint of the summary that made it.
    pub(super) fingerprint: u64,
    pub(super) features: usize,
    pub(super) exponent: i32,
    pub(super) wanted: MomentRequest,
    pub(super) names: Vec<String>,
    /// Labels of rows that are left out.
    pub(super) ignored: HashSet<String>,
    /// Centroids and mean squared distances, without matrices.
    pub(super) classes: Vec<ClassSums>,
    /// How many rows of each class were seen in this pass.
    pub(super) seen: Vec<u64>,
    /// K x width.
    pub(super) sums: Vec<f64>,
    pub(super) places: HashMap<String, u32>,
    pub(super) centres: Centres,
}

/// What a second pass is made from, before it has seen any rows.
pub(super) struct SecondPassStart {
    pub(super) fingerprint: u64,
    pub(super) features: usize,
    pub(super) exponent: i32,
    pub(super) wanted: MomentRequest,
    pub(super) names: Vec<String>,
    pub(super) ignored: HashSet<String>,
    pub(super) classes: Vec<ClassSums>,
}

impl SecondPass {
    pub(super) fn new(known: SecondPassStart) -> SecondPass {
        let SecondPassStart { fingerprint, features, exponent, wanted, names, ignored, classes } = known;
        let places = names.iter().enumerate().map(|(at, name)| (name.clone(), at as u32)).collect();
        let centres = Centres::new(&classes.iter().collect::<Vec<_>>(), 2.0_f64.powi(exponent));
        let width = Centres::width(names.len(), wanted);
        SecondPass {
            fingerprint,
            features,
            exponent,
            wanted,
            ignored,
            seen: vec![0; classes.len()],
            sums: vec![0.0; classes.len() * width],
            classes,
            names,
            places,
            centres,
        }
    }

    /// Adds rows, as [`Summary::update`](super::Summary::update) does.
    ///
    /// # Errors
    /// As [`Summary::update`](super::Summary::update), or a class that the first pass has not seen.
    pub fn update<'a>(
        &mut self,
        rows: impl Into<Values<'a>>,
        labels: &Labels,
        first_row: u64,
    ) -> Result<(), SummaryError> {
        let values = rows.into();
        if block::check(&values, self.features, labels, first_row)? == 0 {
            return Ok(());
        }
        let place = |name: &String| match self.places.get(name) {
            Some(&place) => Ok(place),
            None if self.ignored.contains(name) => Ok(u32::MAX),
            None => Err(mismatch(format!("the first pass has seen no class '{name}'"))),
        };
        let places = labels.names().iter().map(place).collect::<Result<Vec<u32>, _>>()?;
        let codes: Vec<u32> = labels.codes().iter().map(|&code| places[code as usize]).collect();
        for &code in codes.iter().filter(|&&code| code != u32::MAX) {
            self.seen[code as usize] += 1;
        }
        let points = Points::trusted(values, self.features, 1.0);
        let block = Classes::of_block(points, &codes, self.names.len());
        self.centres.add_block(&block, self.wanted, &mut self.sums);
        Ok(())
    }

    /// Adds all rows of another second pass that was made by the same summary.
    ///
    /// # Errors
    /// A second pass of another summary.
    pub fn merge(&mut self, other: &SecondPass) -> Result<(), SummaryError> {
        if self.fingerprint != other.fingerprint || self.sums.len() != other.sums.len() {
            return Err(mismatch("they are second passes of different first passes"));
        }
        self.seen.iter_mut().zip(&other.seen).for_each(|(seen, more)| *seen = seen.saturating_add(*more));
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
        Ok(())
    }

    /// How many numbers describe a point.
    pub fn features(&self) -> usize {
        self.features
    }

    /// How many rows of scored classes were seen in this pass.
    pub fn rows(&self) -> u64 {
        self.seen.iter().fold(0, |rows, &seen| rows.saturating_add(seen))
    }

    /// The statistics of sets of classes, from the rows seen: all of them, or a sample of each class.
    pub(super) fn sets(&self) -> Sets {
        let seen: Vec<f64> = self.seen.iter().map(|&seen| seen as f64).collect();
        self.centres.sets_of_table(self.wanted, &seen, &self.sums)
    }
}

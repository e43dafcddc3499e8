//! Scores of data that do not fit into memory, or lie on several machines: statistics that can be updated with a block of
//! rows, merged in any order, and sent as bytes.
//!
//! ```no_run
//! use clmatch::summary::{Summary, SummarySettings};
//! use clmatch::{Control, Labels, measure};
//!
//! let settings = SummarySettings::new(&[measure::find("ch_a").unwrap(), measure::find("xb_a").unwrap()]);
//! let blocks = [(vec![0.0, 0.1, 5.0], ["a", "a", "b"]), (vec![5.2, 0.3, 5.1], ["b", "a", "b"])];
//! let mut whole = Summary::new(1, &settings)?;
//! for (at, (rows, labels)) in blocks.iter().enumerate() {
//!     let mut part = Summary::new(1, &settings)?; // on another machine
//!     part.update(rows, &Labels::encode(labels), 3 * at as u64)?;
//!     whole.merge(&Summary::from_bytes(&part.to_bytes())?)?;
//! }
//! let found = whole.finish(None, Control::none())?;
//! assert_eq!(found.points, 6);
//! assert!(found.value("ch_a").unwrap() > 0.99);
//! # Ok::<(), clmatch::summary::SummaryError>(())
//! ```

mod error;
mod result;
mod settings;

pub use error::SummaryError;
pub use result::{Certainty, ClassSize, Form, Reason, Summarised, SummaryScore};
pub use settings::{DEFAULT_MEMORY, DEFAULT_SAMPLE, LengthUnit, SummarySettings};

use clmatch_stop::Control;

use crate::labels::Labels;
use crate::points::Values;

/// Statistics of the rows seen so far.
#[derive(Debug, Clone)]
pub struct Summary {}

/// Statistics of a second pass over the same rows, with the centroids of the first known.
#[derive(Debug, Clone)]
pub struct SecondPass {}

#[allow(unused_variables, reason = "being written")]
impl Summary {
    /// A summary of no rows.
    ///
    /// # Errors
    /// No features, no measures, or a setting that cannot be used.
    pub fn new(features: usize, settings: &SummarySettings) -> Result<Summary, SummaryError> {
        todo!()
    }

    /// Adds rows in row-major order with the label of each. Names may differ between blocks; classes are matched by name.
    /// `first_row` is the number of the first row of the block in its source (see [`Summary::set_source`]): it is named in
    /// errors, and tells the rows of the sample apart. An empty block is fine.
    ///
    /// # Errors
    /// A number that is NaN or infinite, values that do not make whole rows, a number of labels that is not that of rows, or
    /// more classes than fit into memory. The summary is then as it was before.
    pub fn update<'a>(
        &mut self,
        rows: impl Into<Values<'a>>,
        labels: &Labels,
        first_row: u64,
    ) -> Result<(), SummaryError> {
        todo!()
    }

    /// Tells that the rows that follow belong to another source: a file, or a partition. Rows of different sources may have
    /// the same numbers. 0 to begin with.
    pub fn set_source(&mut self, source: u64) {
        todo!()
    }

    /// Adds all rows of another summary with the same features and settings.
    ///
    /// # Errors
    /// Other features or settings, or more classes than fit into memory.
    pub fn merge(&mut self, other: &Summary) -> Result<(), SummaryError> {
        todo!()
    }

    /// How many rows were seen, those with the noise label included.
    pub fn rows(&self) -> u64 {
        todo!()
    }

    /// As bytes with a version and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        todo!()
    }

    /// From bytes.
    ///
    /// # Errors
    /// Bytes of another version, damaged bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Summary, SummaryError> {
        todo!()
    }

    /// Whether a second pass over the data would make a score exact that is now estimated.
    pub fn needs_second_pass(&self) -> bool {
        todo!()
    }

    /// A second pass that has seen no row so far.
    ///
    /// # Errors
    /// As [`Summary::finish`].
    pub fn second_pass(&self) -> Result<SecondPass, SummaryError> {
        todo!()
    }

    /// The scores.
    ///
    /// # Errors
    /// Data that cannot be scored (see [`DataError`](crate::DataError)), a second pass over other rows, and
    /// [`DataError::Stopped`](crate::DataError::Stopped) if `control` says so.
    pub fn finish(
        &self,
        second: Option<&SecondPass>,
        control: Control<'_>,
    ) -> Result<Summarised, SummaryError> {
        todo!()
    }
}

#[allow(unused_variables, reason = "being written")]
impl SecondPass {
    /// Adds rows, as [`Summary::update`] does.
    ///
    /// # Errors
    /// As [`Summary::update`], and a class that the first pass has not seen.
    pub fn update<'a>(
        &mut self,
        rows: impl Into<Values<'a>>,
        labels: &Labels,
        first_row: u64,
    ) -> Result<(), SummaryError> {
        todo!()
    }

    /// Adds all rows of another second pass that was made by the same summary.
    ///
    /// # Errors
    /// A second pass of another summary.
    pub fn merge(&mut self, other: &SecondPass) -> Result<(), SummaryError> {
        todo!()
    }

    /// As bytes with a version and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        todo!()
    }

    /// From bytes.
    ///
    /// # Errors
    /// Bytes of another version, damaged bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<SecondPass, SummaryError> {
        todo!()
    }
}

//! From files to data and back: readers, scaling, missing values, embedded datasets.
//!
//! ```
//! use clmatch_data::{embedded, scale, Scale};
//!
//! let mut iris = embedded::load("iris").ok_or("iris is embedded")?;
//! assert_eq!((iris.rows(), iris.features.len()), (150, 4));
//! scale(&mut iris.values, iris.features.len(), Scale::MaxAbs);
//! let points = iris.points()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod catalogue;
mod cell;
mod checksum;
mod columns;
mod dataset;
pub mod embedded;
mod error;
mod finish;
mod formats;
mod input;
mod memory;
mod missing;
mod note;
mod options;
mod read;
mod real;
mod rows;
mod scale;
mod select;
mod source;
mod table;

pub use dataset::Dataset;
pub use error::{ColumnRef, Place, ReadError};
pub use note::{Note, Severity};
pub use options::{Missing, ReadOptions};
pub use read::read;
pub use scale::{Scale, scale};
pub use source::{Source, find};

//! One file per format; each returns a [`RawTable`](crate::table::RawTable). If a build leaves a format out, `absent` stands in
//! for its reader, and `built` says so.

#[cfg(not(all(feature = "arrow", feature = "excel", feature = "gzip", feature = "hdf5", feature = "zip")))]
mod absent;
pub(crate) mod arff;
pub(crate) mod built;
pub(crate) mod csv;
pub(crate) mod detect;
pub(crate) mod foreign;
pub(crate) mod json;
pub(crate) mod json_table;
pub(crate) mod line_blocks;
pub(crate) mod npy;
pub(crate) mod records;
pub(crate) mod sheet;
pub(crate) mod sparse;
pub(crate) mod svmlight;
mod unzipped;

#[cfg(feature = "arrow")]
pub(crate) mod arrow;
#[cfg(feature = "gzip")]
pub(crate) mod bin;
#[cfg(feature = "excel")]
pub(crate) mod excel;
#[cfg(feature = "hdf5")]
pub(crate) mod hdf5;
#[cfg(feature = "zip")]
pub(crate) mod zip;

#[cfg(not(feature = "arrow"))]
pub(crate) use absent::arrow;
#[cfg(not(feature = "gzip"))]
pub(crate) use absent::bin;
#[cfg(not(feature = "excel"))]
pub(crate) use absent::excel;
#[cfg(not(feature = "hdf5"))]
pub(crate) use absent::hdf5;
#[cfg(not(feature = "zip"))]
pub(crate) use absent::zip;

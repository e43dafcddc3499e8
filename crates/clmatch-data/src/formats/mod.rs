//! One file per format; each hands over a [`Table`](crate::table::Table).

pub(crate) mod arff;
pub(crate) mod arrow;
pub(crate) mod bin;
pub(crate) mod csv;
pub(crate) mod detect;
pub(crate) mod foreign;
pub(crate) mod hdf5;
pub(crate) mod json;
pub(crate) mod line_blocks;
pub(crate) mod npy;
pub(crate) mod records;
pub(crate) mod sparse;
pub(crate) mod svmlight;
pub(crate) mod zip;

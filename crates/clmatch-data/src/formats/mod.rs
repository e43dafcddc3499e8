//! One file per format; each hands over a [`Table`](crate::table::Table).

pub(crate) mod bin;
pub(crate) mod csv;
pub(crate) mod detect;
pub(crate) mod json;
pub(crate) mod npy;

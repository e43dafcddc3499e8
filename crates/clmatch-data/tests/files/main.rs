//! Files of every format, good and bad, read and written. This is a single program, since each of several would be linked
//! with all formats.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

mod anndata;
mod arrays;
mod arrow_files;
mod bad_arff_svmlight;
mod bad_binary;
mod bad_files;
mod bad_text;
mod belonging;
mod blocks;
mod cells;
mod columns;
mod from_memory;
mod layouts;
mod named;
mod originals;
mod packed;
mod round_trip;
mod types;
mod write;

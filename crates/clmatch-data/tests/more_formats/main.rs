//! Packed files, JSON rows, sparse and split arrays, AnnData, files that belong together, and files that are only named.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod anndata;
mod arrays;
mod belonging;
mod named;
mod packed;

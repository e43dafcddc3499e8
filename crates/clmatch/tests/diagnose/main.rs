//! Diagnoses of datasets whose truth is known because it was planted.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod changes;
mod overlaps;
mod planted;
mod screen;
mod splits;
mod together;

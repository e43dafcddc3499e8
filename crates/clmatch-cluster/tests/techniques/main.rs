//! The clustering techniques against slow twins, hand-worked cases and their laws.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod birch;
mod density;
mod kmeans;
mod kmedoids;
mod xmeans;

//! The clustering techniques against slow implementations, cases worked by hand, and their laws.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod birch;
mod density;
mod kmeans;
mod kmedoids;
mod xmeans;

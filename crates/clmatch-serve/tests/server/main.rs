//! The server from outside, over real sockets.
// A failed unwrap is a failed test.
#![allow(clippy::unwrap_used)]

mod client;
mod guarding;
mod hostile;
mod inspections;
mod jobs;
mod pages;
mod results;

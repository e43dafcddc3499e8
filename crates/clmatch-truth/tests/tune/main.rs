//! Tests of the search: spaces, the process against slow implementations, the optimiser against random search, and
//! hostile objectives.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod beats_random;
mod exhaustive;
mod functions;
mod normal;
mod optimizer;
mod process;
mod spaces;

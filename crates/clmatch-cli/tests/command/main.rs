//! The command from outside: every option, exit code and error text.
// Modules of a test talk to each other only, and a failed unwrap is a failed test.
#![allow(unreachable_pub, clippy::unwrap_used)]

mod classify;
mod errors;
mod folder;
mod formats;
mod help;
mod improve;
mod ranking;
mod readme;
mod truth;

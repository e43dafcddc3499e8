//! The command from outside: every option, exit code and error text.
// Modules of a test talk to each other only.
#![allow(unreachable_pub)]

mod errors;
mod folder;
mod formats;
mod help;
mod ranking;
mod readme;

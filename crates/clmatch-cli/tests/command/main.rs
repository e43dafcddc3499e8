//! The command from outside: every option, exit code and error text.
// Modules of a test talk to each other only, and a failed unwrap is a failed test.
#![allow(unreachable_pub, clippy::unwrap_used)]

mod calibrate;
mod classify;
mod columns;
mod compare;
mod differences;
mod errors;
mod explain;
mod files;
mod folder;
mod formats;
mod help;
mod improve;
mod improved_file;
mod in_time;
mod inspect;
mod lab;
mod label_leaks;
mod levels;
mod lookalikes;
mod manifest;
mod names;
mod pick;
mod proposals;
mod ranking;
mod readme;
mod relabel;
mod report;
mod stability;
mod stream;
mod surface;
mod suspects;

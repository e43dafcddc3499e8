//! Loops over slices: one dispatch, registers, products, distances, trees.
//!
//! Everything here takes slices of finite numbers and does not depend on datasets, classes or clusters. Kernels are written
//! once, over [`Register`] and [`Isa`], as [`Work`]; [`Level::run`] compiles them for AVX-512, AVX2 and plain code and
//! chooses. A [`Level`] can also be chosen by hand, so that tests cover all of them. Code that needs instructions outside
//! [`Register`] ([`text`], [`entries`]) asks [`Level::best`], and has a plain version as well.
//!
//! Results depend on the level in their last bits at most (where it fuses a multiplication and an addition), and never
//! on the number of threads: every sum has a fixed order.
//!
//! Registers are our own and not those of the crate `pulp`. Its products are as fast, but it lacks what the distances need
//! in addition: comparisons as bits and back, estimates of reciprocal roots (a quarter of the time of a root),
//! small transposes, sums of rows and groups of lanes in one order for all instruction sets, plain code of more than one
//! lane. Most of the code here would remain, and depend on ten more crates. NEON needs no dispatch: every AArch64 processor
//! has it, and plain code is compiled for it.
#![allow(unsafe_code)]

mod aligned;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bits;
pub mod cross;
pub mod entries;
mod float;
mod isa;
pub mod labelled_sums;
mod level;
mod pack;
pub mod panels;
mod portable;
pub mod products;
mod register;
pub mod sums;
pub mod text;
mod tile;
pub mod tiles;
pub mod tree;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use aligned::{Aligned, LINE};
pub use bits::with_bit_instructions;
pub use float::Float;
pub use isa::{GROUPS, Isa, LANES, MOST_COLUMNS, ROW_REGISTERS, ROWS, Work, prefetch_far, prefetch_near};
pub use level::{Dispatch, Level};
pub use pack::Packing;
pub use register::{Pair, Register};
pub use tile::accumulate;

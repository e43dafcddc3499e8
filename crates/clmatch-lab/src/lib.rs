//! The paper's experiments: ground truth from tuned clustering techniques, tuned classifiers as competitors, and what
//! the paper shows with them.

pub mod classify;
pub mod findings;
pub mod rank;
pub mod truth;

pub use findings::{File, Findings};

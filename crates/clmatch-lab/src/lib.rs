//! The paper's experiments: ground truth from tuned clustering techniques, tuned classifiers as competitors, and what
//! the paper shows with them.

pub mod ablation;
pub mod bench;
pub mod bins;
pub mod calibrate;
pub mod classify;
pub mod failure;
pub mod findings;
pub mod gaussians;
pub mod rank;
pub mod truth;
pub mod variants;

pub use failure::Failure;
pub use findings::{File, Findings};

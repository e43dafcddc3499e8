//! The paper's experiments: ground truth from tuned clustering techniques, tuned classifiers as competitors, and what
//! the paper shows with them.

pub mod ablation;
pub mod across;
pub mod bench;
pub mod bins;
pub mod calibrate;
pub mod classify;
pub mod failure;
pub mod findings;
pub mod gaussians;
pub mod improve;
pub mod judgements;
pub mod measured;
pub mod rank;
pub mod results;
pub mod runtime;
pub mod seeds;
pub mod stability;
pub mod truth;
pub mod variants;
pub mod within;

pub use failure::Failure;
pub use findings::{File, Findings};
pub use measured::Measured;

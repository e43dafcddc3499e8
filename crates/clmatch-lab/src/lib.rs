//! The paper's experiments: ground truth from tuned clustering techniques, tuned classifiers as competitors, and what
//! the paper shows with them.

pub mod across;
pub mod classify;
pub mod findings;
pub mod improve;
pub mod measured;
pub mod rank;
pub mod results;
pub mod runtime;
pub mod stability;
pub mod truth;
pub mod within;

pub use findings::{File, Findings};
pub use measured::Measured;

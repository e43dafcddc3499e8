//! The paper's experiments: ground truth from tuned clustering techniques, and tuned classifiers as competitors.

pub mod classify;
pub mod truth;

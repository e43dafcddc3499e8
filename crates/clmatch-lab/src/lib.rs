//! The paper's experiments: ground truth from tuned clustering techniques.

pub mod truth;

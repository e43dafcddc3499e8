//! The paper's experiments, each with a page, figures and raw numbers. They stand on the ground truth and the classifiers of
//! `clmatch-truth`.

pub mod ablation;
pub mod across;
pub mod bench;
pub mod bins;
pub mod calibrate;
pub mod density;
pub mod failure;
pub mod findings;
pub mod gaussians;
pub mod improve;
pub mod judgements;
pub mod measured;
pub mod runtime;
pub mod seeds;
pub mod stability;
pub mod variants;
pub mod within;

pub use failure::Failure;
pub use findings::{File, Findings};
pub use measured::Measured;

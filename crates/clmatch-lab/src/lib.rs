//! The paper's experiments, each with a page, figures, raw numbers, and claims of the paper with a verdict. Experiments
//! whose text and programs differ come in both [readings](reading). They build on the ground truth and the classifiers of
//! `clmatch-truth`. [`driver::run`] runs them and writes a folder of results.

pub mod ablation;
pub mod across;
pub mod axioms;
pub mod bench;
pub mod calibrate;
pub mod claims;
pub mod complexity;
pub mod density;
pub mod driver;
pub mod failure;
pub mod findings;
pub mod first_page;
mod groups;
pub mod improve;
pub mod measured;
pub mod names;
pub mod reading;
pub mod runtime;
mod second_form;
pub mod seeds;
pub mod stability;
pub mod within;

pub use failure::Failure;
pub use findings::{File, Findings};
pub use measured::Measured;
pub use reading::Reading;

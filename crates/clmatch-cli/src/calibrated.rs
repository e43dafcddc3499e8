//! Growth rates that were fitted to judgements.

use clmatch_lab::calibrate::Fit;
use clmatch_lab::variants::Variant;
use serde::Serialize;

/// The result of `clmatch calibrate`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibrated {
    pub schema: String,
    /// Datasets that were judged.
    pub datasets: usize,
    pub seed: u64,
    pub variants: Vec<Rate>,
}

/// The growth rate of one variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rate {
    pub variant: String,
    pub k: f64,
    /// The standard error of k.
    pub error: f64,
    /// The weighted R2 of scores and judgements.
    pub r2: f64,
    /// Whether k lies at an end of the interval, and is not to be trusted.
    pub at_end: bool,
    /// The growth rate that this program uses.
    pub built_in: Option<f64>,
}

impl Rate {
    pub fn new(variant: Variant, fit: &Fit) -> Rate {
        Rate {
            variant: variant.name(),
            k: fit.k,
            error: fit.error,
            r2: fit.r2,
            at_end: fit.at_end,
            built_in: variant.growth().map(|k| k.value),
        }
    }
}

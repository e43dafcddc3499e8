//! What a summary is made for, and how much memory it may take.

use crate::classes::Singletons;
use crate::measure::Measure;

/// Bytes that a summary takes at most, unless asked otherwise.
pub const DEFAULT_MEMORY: usize = 256 << 20;
/// Rows that are kept for what compares points, unless asked otherwise.
pub const DEFAULT_SAMPLE: usize = 4096;

/// The length that counts as 1, see [`Points::unit`](crate::Points::unit). Of all measures only `ii` depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LengthUnit {
    /// A number that is known before the data are read.
    Fixed(f64),
    /// The largest absolute value of any feature, which is known when all rows were seen.
    LargestValue,
}

/// Which measures a summary is for, and how much it may keep.
///
/// Summaries that are merged must have the same settings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SummarySettings {
    /// What will be asked for in the end.
    pub measures: Vec<&'static Measure>,
    /// Bytes that the summary may take. Where a d x d matrix per class does not fit into half of it, the
    /// moments need a second pass; where the classes themselves do not fit, there are too many of them.
    pub memory: usize,
    /// Rows that are kept for measures that compare points: about so many in all.
    pub sample: usize,
    /// The seed of the sample.
    pub seed: u64,
    /// The label of points that are left out.
    pub noise: Option<String>,
    /// What to do with classes of one point.
    pub singletons: Singletons,
    /// The length that counts as 1.
    pub unit: LengthUnit,
}

impl SummarySettings {
    /// For some measures, with defaults for all else.
    pub fn new(measures: &[&'static Measure]) -> Self {
        SummarySettings {
            measures: measures.to_vec(),
            memory: DEFAULT_MEMORY,
            sample: DEFAULT_SAMPLE,
            seed: 0,
            noise: None,
            singletons: Singletons::Keep,
            unit: LengthUnit::Fixed(1.0),
        }
    }

    /// The same with so many bytes.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Self {
        SummarySettings { memory, ..self }
    }

    /// The same with so many rows kept.
    #[must_use]
    pub fn with_sample(self, sample: usize) -> Self {
        SummarySettings { sample, ..self }
    }

    /// The same with another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        SummarySettings { seed, ..self }
    }

    /// The same, leaving out points with this label.
    #[must_use]
    pub fn with_noise(self, noise: Option<String>) -> Self {
        SummarySettings { noise, ..self }
    }

    /// The same with another treatment of classes of one point.
    #[must_use]
    pub fn with_singletons(self, singletons: Singletons) -> Self {
        SummarySettings { singletons, ..self }
    }

    /// The same with another length as 1.
    #[must_use]
    pub fn with_unit(self, unit: LengthUnit) -> Self {
        SummarySettings { unit, ..self }
    }
}

//! Which measures a summary is made for, and how much memory it may take.

use crate::classes::Singletons;
use crate::measure::Measure;

/// The default of [`SummarySettings::memory`]: how many bytes a summary may take.
pub const DEFAULT_MEMORY: usize = 256 << 20;
/// The default of [`SummarySettings::sample`]: how many rows are kept for measures that compare points.
pub const DEFAULT_SAMPLE: usize = 4096;

/// The length that counts as 1, see [`Points::unit`](crate::Points::unit). `ii` is the only measure that depends on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LengthUnit {
    /// A number that is known before the data are read.
    Fixed(f64),
    /// The largest absolute value of any feature, which is known once all rows have been seen.
    LargestValue,
}

/// Which measures a summary is for, and how much it may keep.
///
/// Summaries that are merged must have the same settings.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SummarySettings {
    /// The measures that will be computed in the end.
    pub measures: Vec<&'static Measure>,
    /// How many bytes the summary may take. If a d x d matrix per class does not fit into half of them, the moments need a second
    /// pass; if the classes themselves do not fit, updating the summary fails.
    pub memory: usize,
    /// About how many rows are kept in all for measures that compare points.
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
    /// Settings for these measures, with defaults for everything else.
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

    /// These settings with another number of bytes.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Self {
        SummarySettings { memory, ..self }
    }

    /// These settings with another number of rows kept.
    #[must_use]
    pub fn with_sample(self, sample: usize) -> Self {
        SummarySettings { sample, ..self }
    }

    /// These settings with another seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        SummarySettings { seed, ..self }
    }

    /// These settings, leaving out points with this label.
    #[must_use]
    pub fn with_noise(self, noise: Option<String>) -> Self {
        SummarySettings { noise, ..self }
    }

    /// These settings with another treatment of classes of one point.
    #[must_use]
    pub fn with_singletons(self, singletons: Singletons) -> Self {
        SummarySettings { singletons, ..self }
    }

    /// These settings with another length as 1.
    #[must_use]
    pub fn with_unit(self, unit: LengthUnit) -> Self {
        SummarySettings { unit, ..self }
    }
}

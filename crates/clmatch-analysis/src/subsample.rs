//! The points of a dataset that are clustered or classified.

use clmatch::{Classes, Matrix, Singletons};
use clmatch_data::Dataset;
use clmatch_truth::techniques;

use crate::error::AnalysisError;
use crate::noise;
use crate::resume::Identity;

/// The settings that determine which points are used.
#[derive(Debug, Clone, Default)]
pub struct SampleSpec {
    /// Points with this label are left out.
    pub noise: Option<String>,
    /// How classes of a single point are treated.
    pub singletons: Singletons,
    /// Use at most this many points, drawn class by class.
    pub max_points: Option<usize>,
    /// The seed of the draw.
    pub seed: u64,
}

impl SampleSpec {
    /// Adds these settings to those of a run.
    pub(crate) fn identify(&self, identity: Identity) -> Identity {
        identity
            .with_option("noise", self.noise.as_ref())
            .with("singletons", format!("{:?}", self.singletons))
            .with_option("max_points", self.max_points)
            .with("sample_seed", self.seed)
    }
}

/// The points that are used, in the order of the file.
#[derive(Debug, Clone)]
pub struct Subsample {
    /// The coordinates of the points, in double precision.
    pub points: Matrix<'static>,
    /// The class of each point.
    pub classes: Vec<u32>,
    /// How many points there were before the limit.
    pub all: usize,
    /// The label that is left out as noise although the user did not choose it.
    noise: Option<String>,
}

impl Subsample {
    /// Draws the points.
    ///
    /// # Errors
    /// A dataset whose classes cannot be used.
    pub fn of(dataset: &Dataset, spec: &SampleSpec) -> Result<Subsample, AnalysisError> {
        let refuse = |error| AnalysisError::data(&dataset.name, error);
        let points = dataset.points();
        let noise = noise::label(dataset, spec.noise.as_deref());
        let classes = Classes::with(points, dataset.labels(), noise, spec.singletons).map_err(refuse)?;
        let mut rows: Vec<(usize, u32)> = Vec::with_capacity(classes.n_points());
        for class in 0..classes.n_classes() {
            rows.extend(classes.order()[classes.range(class)].iter().map(|&row| (row, class as u32)));
        }
        rows.sort_unstable();
        let all = rows.len();
        if let Some(limit) = spec.max_points {
            let codes: Vec<u32> = rows.iter().map(|&(_, class)| class).collect();
            rows = techniques::stratified(&codes, limit, spec.seed).into_iter().map(|at| rows[at]).collect();
        }
        let (rows, classes): (Vec<usize>, Vec<u32>) = rows.into_iter().unzip();
        let points = dataset.points().coordinates(&rows).map_err(refuse)?;
        let noise = noise::remark(dataset, spec.noise.as_deref()).map(|remark| remark.text);
        Ok(Subsample { points, classes, all, noise })
    }

    /// Notes on which points are not used, if any.
    pub fn notes(&self) -> Vec<String> {
        let used = self.classes.len();
        let drawn = (used < self.all)
            .then(|| format!("{used} of {} points are used, drawn class by class", self.all));
        self.noise.iter().cloned().chain(drawn).collect()
    }
}

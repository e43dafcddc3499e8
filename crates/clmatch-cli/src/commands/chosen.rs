//! The points of a dataset that are clustered or classified.

use clmatch::{Classes, Singletons};
use clmatch_data::Dataset;
use clmatch_truth::techniques;

use crate::failure::Failure;

/// What decides which points these are.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    pub noise: Option<String>,
    pub singletons: Singletons,
    /// At most so many, drawn class by class.
    pub max_points: Option<usize>,
    pub seed: u64,
}

/// The points that are used, in the order of the file.
pub struct Chosen {
    pub values: Vec<f64>,
    pub classes: Vec<u32>,
    /// How many points there were before the limit.
    pub all: usize,
}

impl Chosen {
    pub fn of(dataset: &Dataset, choice: &Choice) -> Result<Chosen, Failure> {
        let refuse = |error| Failure::data(&dataset.name, &error);
        let points = dataset.points().map_err(refuse)?;
        let classes = Classes::with(points, &dataset.labels, choice.noise.as_deref(), choice.singletons)
            .map_err(refuse)?;
        let mut rows: Vec<(usize, u32)> = Vec::with_capacity(classes.len());
        for class in 0..classes.count() {
            rows.extend(classes.order()[classes.range(class)].iter().map(|&row| (row, class as u32)));
        }
        rows.sort_unstable();
        let all = rows.len();
        if let Some(limit) = choice.max_points {
            let codes: Vec<u32> = rows.iter().map(|&(_, class)| class).collect();
            rows =
                techniques::stratified(&codes, limit, choice.seed).into_iter().map(|at| rows[at]).collect();
        }
        let mut values = Vec::with_capacity(rows.len() * dataset.features.len());
        for &(row, _) in &rows {
            values.extend(dataset.coordinates(row));
        }
        Ok(Chosen { values, classes: rows.into_iter().map(|(_, class)| class).collect(), all })
    }

    /// Says that not all points are used, if so.
    pub fn note(&self) -> Option<String> {
        let used = self.classes.len();
        (used < self.all).then(|| format!("{used} of {} points are used, drawn class by class", self.all))
    }
}

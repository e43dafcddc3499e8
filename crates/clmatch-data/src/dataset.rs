//! A dataset in memory.

use std::borrow::Cow;

use clmatch::internals::trusted_points;
use clmatch::{DataError, Labels, Points, Values};

use crate::extent::Extent;
use crate::note::Note;
use crate::provenance::{LabelOrigin, LeftOutColumn};
use crate::shown::ShownColumn;

/// Points with features and labels, as they were read. Valid by construction: there is at least one point and one feature,
/// every value is finite, every feature has a name and every point a label.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// What to call it: the file's or folder's name without extensions.
    pub name: String,
    /// What was noticed or done while reading.
    pub notes: Vec<Note>,
    pub(crate) features: Vec<String>,
    pub(crate) values: Values<'static>,
    /// The largest absolute value of all numbers, found when they were checked.
    pub(crate) largest: f64,
    pub(crate) unit: f64,
    pub(crate) labels: Labels,
    /// If rows of the file were left out, the rows that are points, counted from 0.
    pub(crate) kept_rows: Option<Vec<usize>>,
    pub(crate) label: Option<LabelOrigin>,
    pub(crate) left_out: Vec<LeftOutColumn>,
    pub(crate) doubtful_ids: Vec<String>,
    pub(crate) noise: Option<String>,
    pub(crate) shown: Vec<ShownColumn>,
}

impl Dataset {
    /// Creates a dataset from points, row by row, the names of their features, and their labels.
    ///
    /// # Errors
    /// Those of [`Points::new`], or a number of labels that is not the number of points.
    pub fn new(
        name: impl Into<String>,
        features: Vec<String>,
        values: impl Into<Values<'static>>,
        labels: Labels,
    ) -> Result<Self, DataError> {
        let values = values.into();
        let extent = Extent::of_values(&values);
        Dataset::seen(name.into(), features, values, labels, extent)
    }

    /// Like [`Dataset::new`], for numbers whose extent is known already.
    pub(crate) fn seen(
        name: String,
        features: Vec<String>,
        values: Values<'static>,
        labels: Labels,
        extent: Extent,
    ) -> Result<Self, DataError> {
        let whole = !features.is_empty() && !values.is_empty() && values.len().is_multiple_of(features.len());
        if !(whole && extent.finite) {
            // Says what is wrong, and where.
            Points::new(borrowed(&values), features.len())?;
        }
        let points = values.len() / features.len();
        if points != labels.len() {
            return Err(DataError::LengthMismatch { points, labels: labels.len() });
        }
        Ok(Dataset {
            name,
            notes: Vec::new(),
            features,
            values,
            largest: extent.largest,
            unit: 1.0,
            labels,
            kept_rows: None,
            label: None,
            left_out: Vec::new(),
            doubtful_ids: Vec::new(),
            noise: None,
            shown: Vec::new(),
        })
    }

    /// How many points there are.
    pub fn n_points(&self) -> usize {
        self.labels.len()
    }

    /// How many features each point has.
    pub fn n_features(&self) -> usize {
        self.features.len()
    }

    /// The names of the features, one per column.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The numbers, row by row.
    pub fn values(&self) -> &Values<'static> {
        &self.values
    }

    /// The numbers, row by row, taken out of the dataset.
    pub fn into_values(self) -> Values<'static> {
        self.values
    }

    /// The largest absolute value of all numbers.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// The length that counts as 1: coordinates are `values / unit`. It is 1 in a dataset as read; scaling by one number
    /// changes the unit instead of rounding every value.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// One label per row.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The row of the input that a point comes from, counted from 1 as in error messages. Rows that were left out because
    /// something was missing are counted, too.
    pub fn row_number(&self, point: usize) -> usize {
        self.kept_rows.as_ref().map_or(point, |rows| rows[point]) + 1
    }

    /// Where the labels come from; `None` for a dataset that was made in memory.
    pub fn label_origin(&self) -> Option<&LabelOrigin> {
        self.label.as_ref()
    }

    /// Columns of the file that are not features, although no option leaves them out: row numbers, ids, a stored index.
    pub fn left_out(&self) -> &[LeftOutColumn] {
        &self.left_out
    }

    /// Features that may be ids.
    pub fn doubtful_ids(&self) -> &[String] {
        &self.doubtful_ids
    }

    /// The label that means noise by the convention of the collection that the dataset belongs to, if any point has it.
    pub fn noise(&self) -> Option<&str> {
        self.noise.as_deref().filter(|noise| self.labels.names().iter().any(|name| name == noise))
    }

    /// Cells of the file beside the points: ids that were left out, and the columns that [`ReadOptions::show`] names.
    ///
    /// [`ReadOptions::show`]: crate::ReadOptions::show
    pub fn shown(&self) -> &[ShownColumn] {
        &self.shown
    }

    /// The points, borrowed. Nothing is copied or checked again.
    pub fn points(&self) -> Points<'_> {
        trusted_points(borrowed(&self.values), self.features.len(), self.unit)
    }
}

fn borrowed<'a>(values: &'a Values<'static>) -> Values<'a> {
    match values {
        Values::F64(values) => Values::F64(Cow::Borrowed(values)),
        Values::F32(values) => Values::F32(Cow::Borrowed(values)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_valid_cannot_be_made() {
        let names = |count: usize| (0..count).map(|at| format!("f{at}")).collect::<Vec<_>>();
        let make = |values: Vec<f64>, features: usize, labels: &[&str]| {
            Dataset::new("any", names(features), values, Labels::encode(labels.iter().copied()))
        };
        assert!(matches!(
            make(vec![1.0, f64::NAN], 1, &["a", "b"]),
            Err(DataError::NotFinite { row: 1, .. })
        ));
        assert!(matches!(make(vec![1.0, 2.0, 3.0], 2, &["a"]), Err(DataError::Incomplete { .. })));
        assert!(matches!(make(Vec::new(), 2, &[]), Err(DataError::NoRows)));
        let mismatch = DataError::LengthMismatch { points: 2, labels: 3 };
        assert_eq!(make(vec![1.0, 2.0], 1, &["a", "b", "a"]), Err(mismatch));
        let dataset = make(vec![3.0, -4.0], 1, &["a", "b"]).unwrap();
        assert_eq!((dataset.n_points(), dataset.n_features(), dataset.unit()), (2, 1, 1.0));
        assert_eq!(dataset.points().n_points(), 2);
    }
}

//! Points with classes: what every classifier takes.

/// Rows of finite numbers, each with a class; at least two classes.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    values: &'a [f64],
    features: usize,
    classes: &'a [u32],
}

/// Why numbers and classes are no [`Data`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// Nothing to classify.
    #[error("there are no points, or they have no features")]
    Empty,
    /// Rows of different lengths.
    #[error("{values} numbers do not make rows of {features}")]
    Ragged {
        /// How many numbers there are.
        values: usize,
        /// How many a row has.
        features: usize,
    },
    /// A NaN or an infinity.
    #[error("row {row}, column {column} is not finite")]
    NotFinite {
        /// From 0.
        row: usize,
        /// From 0.
        column: usize,
    },
    /// Not one class per point.
    #[error("there are {points} points but {classes} classes for them")]
    Unlabelled {
        /// How many points there are.
        points: usize,
        /// How many classes are given.
        classes: usize,
    },
    /// Nothing to tell apart.
    #[error("all points have the same class")]
    OneClass,
}

impl<'a> Data<'a> {
    /// Checks numbers, row after row, and the class of each row.
    ///
    /// # Errors
    /// [`DataError`] if there are no numbers, if the last row is short, if a number is not finite, if there is not one
    /// class per row, or only one class.
    pub fn new(values: &'a [f64], features: usize, classes: &'a [u32]) -> Result<Self, DataError> {
        if values.is_empty() || features == 0 {
            return Err(DataError::Empty);
        }
        if !values.len().is_multiple_of(features) {
            return Err(DataError::Ragged { values: values.len(), features });
        }
        let points = values.len() / features;
        if points != classes.len() {
            return Err(DataError::Unlabelled { points, classes: classes.len() });
        }
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            return Err(DataError::NotFinite { row: at / features, column: at % features });
        }
        if classes.iter().all(|class| *class == classes[0]) {
            return Err(DataError::OneClass);
        }
        Ok(Data { values, features, classes })
    }

    /// How many points there are.
    pub fn points(&self) -> usize {
        self.classes.len()
    }

    /// How many features a point has.
    pub fn features(&self) -> usize {
        self.features
    }

    /// One point.
    pub fn row(&self, row: usize) -> &'a [f64] {
        &self.values[row * self.features..(row + 1) * self.features]
    }

    /// The class of each point.
    pub fn classes(&self) -> &'a [u32] {
        self.classes
    }

    /// How many features have the same value at all points. They tell nothing, and harm no classifier.
    ///
    /// Time: O(n d).
    pub fn constant_features(&self) -> usize {
        let first = self.row(0);
        let constant = |&feature: &usize| {
            self.values.iter().skip(feature).step_by(self.features).all(|value| *value == first[feature])
        };
        (0..self.features).filter(constant).count()
    }

    /// The sizes of the classes that have fewer points than there are folds, ascending by class: some folds then have
    /// none of their points to predict, or none to learn from.
    pub fn small_classes(&self, folds: usize) -> Vec<usize> {
        let count = self.classes.iter().max().map_or(0, |&class| class as usize + 1);
        let mut sizes = vec![0; count];
        self.classes.iter().for_each(|&class| sizes[class as usize] += 1);
        sizes.into_iter().filter(|&size| 0 < size && size < folds).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_data_is_refused() {
        let refused =
            |values: &[f64], features, classes: &[u32]| Data::new(values, features, classes).unwrap_err();
        assert_eq!(refused(&[], 2, &[]), DataError::Empty);
        assert_eq!(refused(&[1.0, 2.0, 3.0], 2, &[0, 1]), DataError::Ragged { values: 3, features: 2 });
        assert_eq!(refused(&[1.0, 2.0], 1, &[0]), DataError::Unlabelled { points: 2, classes: 1 });
        assert_eq!(
            refused(&[1.0, 2.0, f64::NAN, 1.0], 2, &[0, 1]),
            DataError::NotFinite { row: 1, column: 0 }
        );
        assert_eq!(refused(&[1.0, 2.0], 1, &[4, 4]), DataError::OneClass);
    }

    #[test]
    fn constant_features_and_small_classes_are_counted() {
        let data = Data::new(&[1.0, 2.0, 1.0, 3.0, 1.0, 4.0], 2, &[0, 5, 5]).unwrap();
        assert_eq!(data.constant_features(), 1);
        assert_eq!(data.small_classes(2), [1]);
        assert_eq!(data.small_classes(5), [1, 2]);
    }
}

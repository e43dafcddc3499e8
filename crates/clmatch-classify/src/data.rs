//! Points with classes: the input of every classifier.

use clmatch::{DataError, Matrix};

/// Points, each with a class; at least two classes.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    points: &'a Matrix<'a>,
    classes: &'a [u32],
}

impl<'a> Data<'a> {
    /// Gives each point its class.
    ///
    /// # Errors
    /// If the numbers of classes and points differ, or all points have the same class.
    pub fn new(points: &'a Matrix<'a>, classes: &'a [u32]) -> Result<Self, DataError> {
        if points.n_points() != classes.len() {
            return Err(DataError::LengthMismatch { points: points.n_points(), labels: classes.len() });
        }
        if classes.iter().all(|class| *class == classes[0]) {
            return Err(DataError::OneClass { class: classes[0].to_string() });
        }
        Ok(Data { points, classes })
    }

    /// How many points there are.
    pub fn n_points(&self) -> usize {
        self.points.n_points()
    }

    /// The number of features of a point.
    pub fn n_features(&self) -> usize {
        self.points.n_features()
    }

    /// One point.
    pub fn row(&self, row: usize) -> &'a [f64] {
        self.points.row(row)
    }

    /// The class of each point.
    pub fn classes(&self) -> &'a [u32] {
        self.classes
    }

    /// The number of features that have the same value at all points. They carry no information, but harm no classifier.
    ///
    /// Time: O(n d).
    pub fn constant_features(&self) -> usize {
        let first = self.row(0);
        let constant = |&feature: &usize| self.points.rows().all(|row| row[feature] == first[feature]);
        (0..self.n_features()).filter(constant).count()
    }

    /// The sizes of the classes that have fewer points than there are folds, in the order of the classes. Some folds then
    /// have none of their points to predict, or none to learn from.
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
        let points = Matrix::new(&[1.0, 2.0], 1).unwrap();
        let refused = |classes: &[u32]| Data::new(&points, classes).unwrap_err();
        assert_eq!(refused(&[0]), DataError::LengthMismatch { points: 2, labels: 1 });
        assert_eq!(refused(&[4, 4]), DataError::OneClass { class: "4".into() });
    }

    #[test]
    fn constant_features_and_small_classes_are_counted() {
        let points = Matrix::new(&[1.0, 2.0, 1.0, 3.0, 1.0, 4.0], 2).unwrap();
        let data = Data::new(&points, &[0, 5, 5]).unwrap();
        assert_eq!(data.constant_features(), 1);
        assert_eq!(data.small_classes(2), [1]);
        assert_eq!(data.small_classes(5), [1, 2]);
    }
}

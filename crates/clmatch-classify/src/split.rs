//! One fold: rows to learn from, rows to predict.

use crate::data::Data;

/// Rows of a dataset to learn from and rows to predict. Classes without training rows cannot be predicted; the others are
/// renumbered, from 0 and without gaps, so that no classifier meets a class without points.
#[derive(Debug, Clone)]
pub struct Split<'a> {
    data: Data<'a>,
    train: Vec<usize>,
    test: Vec<usize>,
    /// The classes of the training rows, in ascending order; a class number is an index into them.
    present: Vec<u32>,
    /// The class number of each training row.
    targets: Vec<u32>,
}

impl<'a> Split<'a> {
    /// Makes a split of the given rows.
    ///
    /// # Panics
    /// If there is no row to learn from, or a row does not exist.
    pub fn new(data: Data<'a>, train: Vec<usize>, test: Vec<usize>) -> Self {
        assert!(!train.is_empty(), "rows to learn from");
        let mut present: Vec<u32> = train.iter().map(|&row| data.classes()[row]).collect();
        present.sort_unstable();
        present.dedup();
        let number = |&row: &usize| present.partition_point(|&class| class < data.classes()[row]) as u32;
        let targets = train.iter().map(number).collect();
        Split { data, train, test, present, targets }
    }

    /// All points.
    pub fn data(&self) -> Data<'a> {
        self.data
    }

    /// The rows to learn from.
    pub fn train(&self) -> &[usize] {
        &self.train
    }

    /// The rows to predict.
    pub fn test(&self) -> &[usize] {
        &self.test
    }

    /// The number of classes to learn.
    pub fn classes(&self) -> usize {
        self.present.len()
    }

    /// The class number of each training row, below [`Split::classes`].
    pub fn targets(&self) -> &[u32] {
        &self.targets
    }

    /// The number of training rows of each class.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.classes()];
        self.targets.iter().for_each(|&target| sizes[target as usize] += 1);
        sizes
    }

    /// How many of the predicted class numbers, one per test row, are correct.
    pub fn hits(&self, predicted: &[u32]) -> usize {
        let right =
            |(row, number): (&usize, &u32)| self.present[*number as usize] == self.data.classes()[*row];
        self.test.iter().zip(predicted).filter(|&pair| right(pair)).count()
    }

    /// The fraction of test rows that are predicted correctly.
    pub fn accuracy(&self, predicted: &[u32]) -> f64 {
        self.share(self.hits(predicted))
    }

    /// The number of hits as a fraction of the test rows; 1 if there is nothing to predict.
    pub fn share(&self, hits: usize) -> f64 {
        if self.test.is_empty() { 1.0 } else { hits as f64 / self.test.len() as f64 }
    }
}

/// The position of the largest number, the first among equals; the last position if no score is a number.
pub(crate) fn largest<T: PartialOrd + Copy>(scores: &[T]) -> u32 {
    let mut best = 0;
    for (at, score) in scores.iter().enumerate() {
        // A NaN in front loses to everything.
        if *score > scores[best] || scores[best].partial_cmp(&scores[best]).is_none() {
            best = at;
        }
    }
    best as u32
}

/// The class that the scores of a point favour: the [`largest`], or the second of two classes if the score that they
/// share is positive.
pub(crate) fn winner<T: PartialOrd + Copy + Default>(scores: &[T]) -> u32 {
    if let [score] = scores { u32::from(*score > T::default()) } else { largest(scores) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clmatch::Matrix;

    #[test]
    fn classes_that_cannot_be_learnt_are_missed() {
        let points = Matrix::new(&[0.0, 1.0, 2.0, 3.0], 1).unwrap();
        let data = Data::new(&points, &[7, 2, 7, 9]).unwrap();
        let split = Split::new(data, vec![0, 1], vec![2, 3]);
        assert_eq!((split.classes(), split.targets()), (2, &[1, 0][..]));
        assert_eq!(split.hits(&[1, 1]), 1);
        assert_eq!((split.accuracy(&[0, 0]), split.accuracy(&[1, 1])), (0.0, 0.5));
        assert_eq!(split.sizes(), [1, 1]);
    }

    #[test]
    fn the_first_of_equals_wins_and_nan_never() {
        assert_eq!(largest(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(largest(&[f64::NAN, 3.0, f64::NAN]), 1);
        assert_eq!((largest(&[f64::NAN]), largest(&[f64::NAN; 3])), (0, 2));
    }

    #[test]
    fn a_single_score_speaks_for_the_second_class_if_it_is_positive() {
        assert_eq!([-0.1, 0.0, 0.1, f64::NAN].map(|score| winner(&[score])), [0, 0, 1, 0]);
        assert_eq!((winner(&[1.0_f32, 3.0, 3.0]), winner(&[-1.0_f32, -3.0])), (1, 0));
    }
}
